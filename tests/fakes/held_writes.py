"""A graph that holds the write of one request back, so that it decides on what is old by then."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from graphmem.errors import Stale, Unavailable
from graphmem.store import graph as graph_module
from graphmem.store.graph import Graph, Row, Step


@dataclass
class Gate:
    """Holds the write of this number of a request, counted from 1; `inside`: after its first
    query, with the locks that it has by then."""

    at: int = 1
    inside: bool = False
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    seen: int = 0

    async def hold(self) -> None:
        """Wait at the gate."""
        self.reached.set()
        await self.opened.wait()


GATE: ContextVar[Gate | None] = ContextVar("gate", default=None)


class HeldGraph(Graph):
    """The same graph; a write that has a gate in its context waits there."""

    def __init__(self, graph: Graph) -> None:
        """Use the driver of `graph`."""
        self.__dict__.update(graph.__dict__)

    async def write(self, *steps: Step, **given: Any) -> list[list[Row]]:
        """Wait at the gate, then write; or wait there inside."""
        gate = GATE.get()
        if gate is not None:
            gate.seen += 1
            if gate.seen == gate.at:
                if gate.inside:
                    try:
                        return await self._write_held(gate, steps)
                    except Unavailable as error:  # a deadlock, after which the driver writes anew
                        raise Stale from error
                await gate.hold()
        return await super().write(*steps, **given)

    async def _write_held(self, gate: Gate, steps: tuple[Step, ...]) -> list[list[Row]]:
        """Write as `Graph.write` does, once, and hold after the first query."""
        rows: list[list[Row]] = []
        with graph_module._TranslatedErrors():  # pyright: ignore[reportPrivateUsage]
            async with self._session() as session, await session.begin_transaction() as tx:
                for step in steps:
                    bound = self._queries.bind(step.query, step.parameters)
                    result = await tx.run(bound.query.text, bound.parameters)  # type: ignore[arg-type]
                    rows.append([dict(record.items()) async for record in result])
                    if step.required and not rows[-1]:
                        raise Stale
                    if len(rows) == 1:
                        await gate.hold()
                await tx.commit()
        return rows

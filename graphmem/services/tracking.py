"""What recalls returned: counted as accesses and logged after the answer, in batches."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from graphmem.errors import GraphmemError
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import reinforce_step

EVERY_S = 0.25
BATCH = 200  # recalls written at once
MAX_WAITING = 10_000
RECALLED = 1.2  # a tracked recall makes the half-life longer (MUMA-11)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """One tracked recall and its hits as (note id, score), best first."""

    id: str
    user: str
    agent: str | None
    query: str
    at: datetime
    strategy: str
    profile: str
    domain: str  # what it was about
    hits: tuple[tuple[str, float], ...]


class RecallLog:
    """Keeps recalls until they are written; `close` writes what is left."""

    def __init__(self, graph: Graph) -> None:
        """Write to `graph` once started."""
        self._graph = graph
        self._waiting: list[Recalled] = []
        self._task: asyncio.Task[None] | None = None

    def track(self, recalled: Recalled) -> None:
        """Take a recall; it is written within a quarter of a second."""
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(recalled)
        else:
            log.warning("recall log is full; a recall was not counted")

    async def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what is left, then stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        while self._waiting and await self.flush():
            pass

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            while self._waiting and await self.flush():
                pass

    async def flush(self) -> bool:
        """Write one batch. False when the graph does not take it; the batch is kept."""
        batch = self._waiting[:BATCH]
        try:
            await asyncio.shield(self._graph.write(*steps_of(batch)))
        except GraphmemError as error:
            log.warning("recalls could not be counted yet", code=error.code)
            return False
        del self._waiting[: len(batch)]
        return True


def steps_of(batch: Sequence[Recalled]) -> list[Step]:
    """One access for each hit, the half-life longer once a recall, and the log's nodes."""
    times: dict[int, dict[str, list[datetime]]] = defaultdict(dict)
    seen: dict[str, list[datetime]] = defaultdict(list)
    for recalled in batch:
        for note, _ in recalled.hits:
            seen[note].append(recalled.at)
    for note, at in seen.items():
        times[len(at)][note] = at
    users: dict[str, list[Row]] = defaultdict(list)
    for recalled in batch:
        users[recalled.user].append(_row(recalled))
    rows = [{"user": user, "recalls": recalls} for user, recalls in sorted(users.items())]
    reinforced = [reinforce_step(group, RECALLED**count) for count, group in sorted(times.items())]
    return [*reinforced, Step("recall/log", {"users": rows})]


def _row(recalled: Recalled) -> Row:
    return {
        "id": recalled.id,
        "agent": recalled.agent,
        "query": recalled.query,
        "domain": recalled.domain,
        "at": recalled.at,
        "strategy": recalled.strategy,
        "profile": recalled.profile,
        "hits": [
            {"id": note, "rank": rank, "score": score}
            for rank, (note, score) in enumerate(recalled.hits, 1)
        ],
    }

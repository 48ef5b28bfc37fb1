"""Tracks what recalls returned: counts accesses and logs them after the answer, in batches."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from graphmem.domain.feedback import RECALLED
from graphmem.errors import Conflict, TimedOut, Unavailable
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import reinforce_step
from graphmem.store.tracking import list_logged, log_step

EVERY_S = 0.25
BATCH = 200  # recalls written at once
MAX_UNWRITTEN = 10_000

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
    domain: str  # the domain it was about
    hits: tuple[tuple[str, float], ...]
    session: str | None = None
    consulted: bool = False  # found in a shared memory: not a use that makes a note stronger


class RecallLog:
    """Keeps recalls until they are written; `close` writes what is left."""

    keeps = True  # True if what it takes can be found afterwards

    def __init__(self, graph: Graph) -> None:
        """Write to `graph` once started."""
        self._graph = graph
        self._unwritten: list[Recalled] = []
        self._most = BATCH
        self._writing = asyncio.Lock()  # one batch at a time, or it would be counted twice
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def track(self, recalled: Recalled) -> None:
        """Take a recall; it is written within a quarter of a second."""
        if len(self._unwritten) < MAX_UNWRITTEN:
            self._unwritten.append(recalled)
        else:
            log.warning("recall log is full; a recall was not counted")

    @property
    def waiting(self) -> int:
        """The number of recalls that are not written yet."""
        return len(self._unwritten)

    async def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what is left, then stop. A batch on its way is waited for, never cut off."""
        self._closing.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        while self._unwritten and await self.flush():
            pass
        if self._unwritten:
            log.error("recalls were not counted", recalls=len(self._unwritten))

    async def write_recall(self, recall_id: str) -> None:
        """Return once that recall, if it waits here, is written or the graph does not take it."""
        while any(each.id == recall_id for each in self._unwritten) and await self.flush():
            pass

    async def _run(self) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), EVERY_S)
            while self._unwritten and await self.flush():
                pass

    async def flush(self) -> bool:
        """Write one batch. Returns False when the graph does not take it; the batch is kept."""
        return await asyncio.shield(self._flush())

    async def _flush(self) -> bool:
        async with self._writing:
            batch = self._unwritten[: self._most]
            try:
                await self._write(batch)
            except (Unavailable, TimedOut) as error:
                log.warning("recalls could not be counted yet", code=error.code)
                return False
            except Exception as error:
                if len(batch) > 1:  # one of them is at fault; the others must be counted
                    self._most = len(batch) // 2
                    return True
                # Only the type is logged: a driver's message may hold the words of a question.
                log.error("a recall could not be counted", error=type(error).__name__)
            self._most = BATCH
            del self._unwritten[: len(batch)]
            return True

    async def _write(self, batch: Sequence[Recalled]) -> None:
        try:
            await self._graph.write(*steps_of(batch))
        except Conflict:
            # They were written before, and the connection was lost before the answer came.
            known = await list_logged(self._graph, [each.id for each in batch])
            if rest := [each for each in batch if each.id not in known]:
                await self._graph.write(*steps_of(rest))


class NoLog(RecallLog):
    """Keeps no recall, for requests that leave no trace."""

    keeps = False

    def track(self, recalled: Recalled) -> None:
        """Ignore the recall."""


def steps_of(batch: Sequence[Recalled]) -> list[Step]:
    """Return the steps that write a batch.

    There is one access for each hit of one's own memory, the half-life grows once for each recall,
    and the log gets its nodes.
    """
    seen: dict[str, list[datetime]] = defaultdict(list)
    for recalled in batch:
        for note, _ in () if recalled.consulted else recalled.hits:
            seen[note].append(recalled.at)
    users: dict[str, list[Row]] = defaultdict(list)
    for recalled in batch:
        users[recalled.user].append(_row(recalled))
    rows = [{"user": user, "recalls": recalls} for user, recalls in sorted(users.items())]
    if not seen:
        return [log_step(rows)]
    return [
        reinforce_step(seen, {i: RECALLED ** len(at) for i, at in seen.items()}),
        log_step(rows),
    ]


def _row(recalled: Recalled) -> Row:
    return {
        "id": recalled.id,
        "agent": recalled.agent,
        "query": recalled.query,
        "domain": recalled.domain,
        "at": recalled.at.isoformat(),
        "strategy": recalled.strategy,
        "profile": recalled.profile,
        "session": recalled.session,
        "consulted": recalled.consulted,
        "notes": [note for note, _ in recalled.hits],
        "scores": [score for _, score in recalled.hits],
    }

"""One user's notes of which each job finds something to do, runs of jobs that go through them
alone, and what the graph holds in the end."""

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Self

import pytest
from aged_notes import World
from own_batches import keep_batches_to

from graphmem.domain.jobs import JobRun
from graphmem.domain.notes import Kind, Validity
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.domain.reflection import Reflecting
from graphmem.services.context import Context
from graphmem.services.job_runs import running
from graphmem.services.jobs.jobs import WORK
from graphmem.services.tracking import steps_of
from graphmem.store import (
    conflicts,
    consolidation,
    digests,
    erasing,
    expertise,
    jobs,
    maintenance,
    tiers,
)
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Graph

LEASE_S = 600.0
DIGESTS = """MATCH (d:AuditDigest {user: $user}) RETURN d.month AS month, d.numbers AS numbers"""
STATE = """MATCH (n:Note {user: $user})
RETURN n.content AS content, n.kind AS kind, n.status AS status, n.tier AS tier,
  n.validity AS validity, n.version AS version, n.accessCount AS accesses,
  n.halfLifeHours AS halfLife, n.archivedBy AS by,
  n.topicsOf = n.version AS topics, n.coreBlock AS core, COUNT { (n)-[:HAD]->() } AS revisions,
  COLLECT { MATCH (n)-[:DERIVED_FROM]->(m) RETURN m.content ORDER BY m.content } AS sources,
  COLLECT {
    MATCH (n)-[l:LINKS_TO]->(m) WITH l.kind + m.content AS link RETURN link ORDER BY link
  } AS links,
  COLLECT { MATCH (n)-[:ABOUT]->(t:Topic) RETURN t.key ORDER BY t.key } AS about"""
EVENTS = """MATCH (e:Event {stream: $user}) OPTIONAL MATCH (n:Note {id: e.subjectId})
RETURN e.type AS type, e.summary AS summary, e.actor AS actor, n.content AS subject"""
REFLECTIONS = """MATCH (r:Reflection {user: $user})
RETURN r.cause AS cause, COUNT { (r)-[:HAS_ITEM]->() } AS items"""


class Living(World):
    """One user's notes, of which each job finds something to do."""

    @classmethod
    def tiered(cls, context: Context, user: str) -> Self:
        """With tiers switched on."""
        world = cls(context, user)
        world.numbers = replace(Ranking(), tiered=Tiered(enabled=True))
        return world

    @property
    def service(self) -> Context:
        return replace(super().service, reflecting=Reflecting(threshold=5))

    async def fill(self) -> None:
        """Notes whose words and ages decide everything, so that two users get the same."""
        many: list[dict[str, Any]] = []
        for i in range(4):  # a day's episodes about two things
            for near, said in (
                (0, f"The kiln {i} overheats."),
                (1, f"Gate {i} of the yard creaks."),
            ):
                usual = {
                    "kind": Kind.EPISODIC,
                    "context": "a day",
                    "hours": 1.0 + i / 10 + near / 99,
                }
                many.append(usual | {"content": said, "vector": self._vector(near)})
        for i in range(30):  # old enough to fade, and enough for more than one batch
            aged = {"hours": 24.0 * (20 + i) + i / 100, "vector": self._vector(10 + i)}
            many.append(aged | {"content": f"Shelf {i} is old."})
        for i in range(4):  # about one topic, which is two days old
            usual = {"tags": ("glaze", "kiln", "test"), "kind": Kind.EPISODIC, "hours": 50.0 + i}
            vector = self._vector(50 + i)
            many.append(usual | {"content": f"Glaze {i} is decided.", "vector": vector})
        for i in range(3):  # over since an hour ago
            over = {"expires_at": self.now - timedelta(hours=1), "hours": 5.0 + i}
            many.append(over | {"content": f"Ticket {i} is valid.", "vector": self._vector(60 + i)})
        for cosine, hours in ((1.0, 30.0), (0.91, 29.0)):  # near copies
            same = {"content": "The lid is hot.", "context": "a lid", "hours": hours}
            inferred = {"validity": Validity.INFERRED, "vector": self._vector(3, cosine)}
            many.append(same | inferred)
        made = await self.notes(many)
        recalled = [self.recalled(made[0].id, made[1].id) for _ in range(25)]  # a turn of upkeep
        await self.context.graph.write(*steps_of(recalled))
        events = [
            event_row(
                "DECAY" if i % 2 else "EDIT",
                "fading→dormant" if i % 2 else "note changed",
                audience=made[0].audience.key,
                actor="manual",
                at=self.now - timedelta(days=3 * i),
                domain="general",
            )
            for i in range(20)
        ]
        await self.context.graph.write(append_step(self.user, events))

    def _vector(self, place: int, cosine: float = 1.0) -> list[float]:
        """A direction of its own for each place; `cosine`: how near to it."""
        found = [0.0] * self.context.embedder.dimension
        found[place], found[-1] = cosine, (1 - cosine**2) ** 0.5
        return found

    async def state(self) -> list[Counter[str]]:
        """What the graph holds of the user, without ids and times."""
        driver = self.context.graph._driver  # pyright: ignore[reportPrivateUsage]
        found = []
        for query in (STATE, EVENTS, REFLECTIONS, DIGESTS):
            answer = await driver.execute_query(query, user=self.user)
            found.append(Counter(repr(sorted(row.items())) for row in map(dict, answer.records)))
        return found

    async def begin(self, job: str) -> JobRun:
        """A run of a slot, of a job that nobody else runs."""
        name = f"test_{job}_{secrets.token_hex(6)}"
        run = await running.claim_run(self.service, name, self.now, "a slot", LEASE_S)
        assert run is not None
        return run

    async def go_on(self, run: JobRun, job: str, graph: Graph | None = None) -> JobRun:
        """Carry out a run; `graph`: as the process sees it."""
        service = replace(self.service, graph=graph or self.context.graph)
        return await running.carry_out(service, run, WORK[job], LEASE_S)

    async def taken_over(self, run: JobRun) -> JobRun | None:
        """The run as another process has it when the lease of the dead one is over; None when it
        has ended, which the dead one did not live to hear."""
        await jobs.keep_lease(self.context.graph, run, 0)
        (due,) = await jobs.due(self.context.graph, [run.job])
        if due.left is None:
            return None
        fence = await jobs.take_over(self.context.graph, due.left, LEASE_S)
        assert fence is not None
        return replace(due.left, fence=fence)


def own(
    read: Any, user: Callable[[], str], of: Callable[[Any], str], *, by_user: bool = True
) -> Any:
    """A function that reads pages of rows, without those of other users. `by_user`: they come in
    the order of users, so that no others need be read."""

    async def rows(*args: Any, **given: Any) -> Any:
        *first, after = args
        limit = 100 if by_user else 100_000
        before = max(after, user()[:-1]) if by_user else after
        found = await read(*first, before, **given | {"limit": limit})
        return [row for row in found if of(row) == user()]

    return rows


def of_one_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets the jobs go through the notes of one user; says whose."""
    now: list[str] = []
    by_row = {
        conflicts: ("users_with_copies",),
        jobs: ("users_to_reflect", "users_with_episodes"),
        maintenance: tuple(f"users_to_{what}" for what in ("maintain", "resolve")),
    }
    for module, names in by_row.items():
        for name in names:
            mine = own(getattr(module, name), lambda: now[-1], lambda row: row["user"])
            monkeypatch.setattr(module, name, mine)
    for module, name in (
        (consolidation, "users_to_consolidate"),
        (tiers, "candidates"),
        (digests, "users_with_old_events"),
        (erasing, "users_to_erase"),
    ):
        mine = own(
            getattr(module, name),
            lambda: now[-1],
            lambda each: getattr(each, "user", each),
            by_user=name.startswith("users_"),
        )
        monkeypatch.setattr(module, name, mine)
    unread = expertise.unread_notes

    async def unread_of(*args: Any) -> Any:
        last, found = await unread(*args)
        return last, [each for each in found if each.audience.startswith(f"u:{now[-1]}/")]

    keep_batches_to(monkeypatch, lambda: now[-1:])
    monkeypatch.setattr(expertise, "unread_notes", unread_of)
    return now.append

"""One user's notes of any age, and sweeps over them at any time."""

from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Kind, Note, NoteDraft, Source, Status
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.writing import HALF_LIFE_HOURS
from graphmem.services.actors import open_access
from graphmem.services.callers import Callers
from graphmem.services.context import Context
from graphmem.services.job_runs.failure_isolation import GONE, FailureIsolation
from graphmem.services.job_runs.pace import Pace
from graphmem.services.jobs.decay import sweep_decay
from graphmem.services.tracking import Recalled
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.words import word_properties
from graphmem.store import notes as store
from graphmem.store.changes import create_step
from graphmem.store.events import list_events
from graphmem.store.rows import CreateRow, RevisionRow

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def milliseconds(hours: float) -> timedelta:
    """So many hours, as exact as the service's clock is."""
    return timedelta(milliseconds=round(hours * 3_600_000))


class JobHeartbeat(FailureIsolation):
    """Counts for a sweep that has no run; what goes wrong ends it."""

    def __init__(self, place: str = "", *, by_hand: bool = True) -> None:
        super().__init__("test")
        self.place = place
        self.by_hand, self.pace, self.started_at = by_hand, Pace(Callers()), NOW

    async def checkpoint(self, place: str | None = None, *, of: str | None = None) -> None:
        self.place = place or self.place

    def skip(self, error: Exception) -> None:
        raise error

    def isolate_user(self) -> AbstractContextManager[None]:
        return suppress(*GONE)


class World:
    """One user's notes, and sweeps over them alone."""

    def __init__(self, context: Context, user: str) -> None:
        self.context, self.user, self.now = context, user, NOW
        self.numbers = Ranking()
        self.left_out = frozenset[str]()  # by the sweeps

    @property
    def service(self) -> Context:
        return replace(self.context, clock=lambda: self.now, ranking=self.numbers)

    async def access(self) -> Any:
        return await open_access(self.service, self.user, None, register=True)

    async def note(self, **given: Any) -> str:
        """A note that was written `hours` ago and used as often as there are `uses` ago."""
        (made,) = await self.notes([given])
        return made.id

    def recalled(self, *notes: str) -> Recalled:
        """A recall of this moment that returned the notes."""
        return Recalled(
            id=uuid7(self.now),
            user=self.user,
            agent=None,
            query="kiln",
            at=self.now,
            strategy="HYBRID",
            profile="BALANCED",
            domain="general",
            hits=tuple((note, 1.0) for note in notes),
        )

    async def notes(self, many: list[dict[str, Any]]) -> list[Note]:
        draft = NoteDraft(content="The kiln is cold.", external_id=None)
        base = note_as_said(await self.access(), uuid7(self.now), draft, self.now, HALF_LIFE_HOURS)
        first = [1.0] + [0.0] * (self.context.embedder.dimension - 1)
        vectors = [each.pop("vector", first) for each in many]
        made = [self._made(base, each) for each in many]
        rows = [
            CreateRow(
                note=note,
                properties={**word_properties(note), "givenTags": [], "givenKeywords": []},
                embedding=vector,
                revisions=[RevisionRow(version=1, content=note.content, changes={})],
            )
            for note, vector in zip(made, vectors, strict=True)
        ]
        await self.context.graph.write(
            create_step(rows, user=self.user, actor="manual", now=self.now)
        )
        return made

    def _made(self, base: Note, given: dict[str, Any]) -> Note:
        uses = [self.now - milliseconds(hours) for hours in given.pop("uses", ())]
        older, hours = given.pop("older", 0), given.pop("hours", 0.0)
        at = self.now - milliseconds(hours)
        known = {"kind": Kind.SEMANTIC, "source": Source.TOLD, **given}
        return replace(
            base,
            id=uuid7(at),
            created_at=at,
            accesses=tuple(uses),
            access_count=len(uses) + older,
            **known,
        )

    async def sweep(self, hours: float = 0.0) -> Any:
        """Sweep once after so many hours; what was counted of this user's notes."""
        self.now += timedelta(hours=hours)
        return dict(await sweep_decay(self.service, JobHeartbeat()))  # type: ignore[arg-type]

    async def load(self, note: str) -> Note:
        access = await self.access()
        return (await store.load_notes(self.context.graph, [note], access.by_name, self.now))[note]

    async def status(self, note: str) -> Status:
        return (await self.load(note)).status

    async def events(self, note: str) -> list[Any]:
        access = await self.access()
        found = await list_events(
            self.context.graph, self.user, access.of_events, subject_id=note, limit=50
        )
        return [(event.type, event.summary, event.actor) for event in found]

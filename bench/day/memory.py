"""A service that gets the notes of the lives day by day, and what it answers and keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bench.benchmarks import ask
from bench.day.lives import Life, Note
from graphmem.domain.entities import Entity
from graphmem.domain.notes import NoteDraft, Operation, Status
from graphmem.services.actors import open_access
from graphmem.services.conflicts import list_conflicts
from graphmem.services.context import Access, Context
from graphmem.services.reading.entities import (
    MAX_PAGE,
    MAX_RELATIONS,
    entities_of,
    list_entities,
    load_entities,
    relations_of,
)
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.remember import remember

ASKED_AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
CONFLICTS = 200  # that are looked at, of a user
HITS = 10
Pairs = set[tuple[str, str]]  # older note, newer note


@dataclass(frozen=True)
class Answer:
    """The notes of the lives that an answer has, best first, and how sure it is."""

    hits: tuple[frozenset[str], ...]  # several of one hit where notes became one
    confidence: float

    def place(self, notes: frozenset[str]) -> int:
        """The place of the first of these notes, from 0; behind all places if no hit has one."""
        return next((place for place, hit in enumerate(self.hits) if hit & notes), HITS)


@dataclass
class Kept:
    """What became of the notes of a life."""

    access: Access
    stored: dict[str, str] = field(default_factory=dict)  # ids of the lives to those of the store
    superseded: Pairs = field(default_factory=set)
    conflicts: Pairs = field(default_factory=set)
    one_note: Pairs = field(default_factory=set)
    relations: int = 0
    entities: dict[str, list[Entity]] = field(default_factory=dict)  # of the labelled notes

    def of_store(self, id: str) -> frozenset[str]:
        """The notes of the life that a note of the store holds."""
        return frozenset(mine for mine, stored in self.stored.items() if stored == id)


async def live(context: Context, lives: Sequence[Life]) -> dict[str, Kept]:
    """Write the notes of all lives in the order of their days, each on its own day."""
    kept = dict[str, Kept]()
    written = [
        (note.at, place, life, note) for life in lives for place, note in enumerate(life.notes)
    ]
    for at, place, life, note in sorted(written, key=lambda each: each[:2]):
        moment = at + timedelta(minutes=place)
        day = replace(context, clock=lambda moment=moment: moment)
        access = await open_access(day, life.user, None, register=True)
        own = kept.setdefault(life.name, Kept(access))
        await _write(day, access, own, note, moment)
    now = asked(context)
    for life in lives:
        await _look(now, life, kept[life.name])
    return kept


def asked(context: Context) -> Context:
    """The service on the day of the questions."""
    return replace(context, clock=lambda: ASKED_AT)


async def _write(context: Context, access: Access, own: Kept, note: Note, moment: datetime) -> None:
    draft = NoteDraft(content=note.text, title=note.title, occurred_at=moment)
    done = await remember(context, access, draft)
    assert done.note_id is not None
    if done.operation is not Operation.ADD:
        own.one_note |= {(older, note.id) for older in own.of_store(done.note_id)}
    own.stored[note.id] = done.note_id
    own.superseded |= {
        (older, note.id)
        for each in done.affected
        if each.status is Status.SUPERSEDED
        for older in own.of_store(each.id)
    }


async def _look(context: Context, life: Life, own: Kept) -> None:
    own.access = access = await open_access(context, life.user, None)
    listed = await list_conflicts(context, access, is_open=True, first=CONFLICTS)
    for found in listed:
        one, other = (own.of_store(id) for id in found.notes)
        own.conflicts |= {(a, b) for a in one for b in other}
    known = [entity.id for entity in await list_entities(context, access, None, MAX_PAGE)]
    related = await relations_of(context, access, known, MAX_RELATIONS)
    said = {
        (each.id, note)
        for relations in related.values()
        for each in relations
        for note in each.notes
    }
    own.relations = len(said)
    labelled = sorted(life.labelled)
    mentioned = await entities_of(context, access, [own.stored[note] for note in labelled])
    for note in labelled:
        ids = mentioned.get(own.stored[note], [])
        own.entities[note] = list((await load_entities(context, access, ids, past=True)).values())


async def answer(context: Context, own: Kept, text: str) -> Answer:
    """What a recall answers."""
    found = await ask(context, own.access, RecallRequest(query=text, k=HITS, track=False))
    return Answer(tuple(own.of_store(hit.note.id) for hit in found.hits), found.confidence)

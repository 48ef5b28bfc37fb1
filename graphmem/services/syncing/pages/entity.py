"""What the page of one entity tells, out of the notes that mention it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from graphmem.domain.entities import Entity, Relation
from graphmem.domain.notes import Note
from graphmem.domain.predicates import inverse
from graphmem.language.pages import (
    FACTS,
    QUESTIONS,
    TIMELINE,
    EntityText,
    FactLine,
    RelationLine,
    inline_text,
    is_one_line,
    one_line,
    shorten_text,
)
from graphmem.services.context import Context
from graphmem.services.syncing.pages.shelf import Shelf

LONGEST: Final = 500  # characters of a line; of a longer note it shows the beginning
NAME: Final = 120
MOST_ALIASES: Final = 10


@dataclass(frozen=True, kw_only=True)
class Known:
    """An entity with the notes that mention it, newest first, and what they say of it.

    `ends` has the name of the page, if there is one, and the label of each entity by its id."""

    entity: Entity
    notes: Sequence[Note]
    relations: Sequence[Relation]
    ends: Mapping[str, tuple[str | None, str]]


@dataclass(frozen=True, kw_only=True)
class Measures:
    """The strength of the notes of an entity together: the strongest note gives the score."""

    created: datetime
    updated: datetime
    score: float
    pinned: bool
    access_count: int


def measure(context: Context, shelf: Shelf, notes: Sequence[Note]) -> Measures | None:
    """Return the measures of an entity; None without a note."""
    if not notes:
        return None
    scores = [shelf.score(context, note) for note in notes]
    return Measures(
        created=min(note.created_at for note in notes).astimezone(UTC),
        updated=max(note.updated_at for note in notes).astimezone(UTC),
        score=min(max(scores), 1.0),
        pinned=any(note.pinned for note in notes),
        access_count=sum(note.access_count for note in notes),
    )


def entity_text(slug: str, known: Known, measures: Measures) -> EntityText:
    """Return what the page of an entity shows; its notes stand in the order of their writing."""
    lists: dict[str, list[FactLine]] = {FACTS: [], TIMELINE: [], QUESTIONS: []}
    for note in sorted(known.notes, key=lambda note: (note.created_at, note.id)):
        lists[list_of(note)].append(line_of(note))
    lists[TIMELINE].sort(key=lambda line: str(line.day))
    return EntityText(
        slug=slug,
        type=slug.partition("--")[0],
        created=measures.created,
        updated=measures.updated,
        score=measures.score,
        pinned=measures.pinned,
        access_count=measures.access_count,
        summary=_summary(known),
        facts=lists[FACTS],
        timeline=lists[TIMELINE],
        questions=lists[QUESTIONS],
        relations=[_relation_line(known, each) for each in known.relations],
    )


def list_of(note: Note) -> str:
    """Return the heading that a note stands below: a day, a question, or else a fact."""
    if note.occurred_at is not None:
        return TIMELINE
    return QUESTIONS if note.content.rstrip().endswith("?") else FACTS


def line_of(note: Note) -> FactLine:
    """Return the line of a note; one that is longer than a line is shown by its beginning."""
    day = None if note.occurred_at is None else note.occurred_at.astimezone(UTC).date()
    text = note.content if is_whole(note) else shorten_text(note.content, LONGEST)
    return FactLine(text=text, note=note.id, day=day)


def is_whole(note: Note) -> bool:
    """Return True if the line of a note shows all of its text, so that it may be changed there."""
    return is_one_line(note.content, LONGEST) and one_line(note.content) != ""


def _summary(known: Known) -> list[str]:
    entity = known.entity
    count = "1 note" if entity.note_count == 1 else f"{entity.note_count} notes"
    kind = inline_text(entity.type, NAME)
    lines = [f"{inline_text(entity.name, NAME)} ({kind}), mentioned in {count}."]
    if entity.aliases:
        names = [inline_text(name, NAME) for name in entity.aliases[:MOST_ALIASES]]
        lines.append(f"Also called {', '.join(names)}.")
    most = max(known.notes, key=lambda note: (note.pinned, note.importance, note.id))
    lines.append(f"Above all: {inline_text(most.context or most.content, LONGEST)}")
    return lines


def _relation_line(known: Known, relation: Relation) -> RelationLine:
    own = known.entity.id
    if relation.subject == own:
        word, end = relation.predicate, relation.object
    else:
        back = inverse(relation.predicate)
        word, end = back or f"{relation.predicate} (said of this by)", relation.subject
    page, label = known.ends.get(end, (None, ""))
    return RelationLine(word=word, page=page, label=label)

"""The content of core memory in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.core import MOST, Block, Mark
from graphmem.domain.linking import UPDATES
from graphmem.domain.notes import Note
from graphmem.store.graph import Graph, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import to_note
from graphmem.store.times import instant_from_milliseconds

LINES = 2_000  # written for core memory; of an audience, and of a block
AHEAD = 2  # factor: more notes of a mark are read than it has lines, since some do not count
NEWEST = 50  # notes of a mark and an audience
OLDEST = 20  # notes of an audience that are searched for the first one
LETTERS = 4_000  # of a note
ACTIVE = "active"  # instead of a mark


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The notes that a viewer's core memory consists of; the content of long notes is cut."""

    written: tuple[tuple[Block, Note], ...]
    marked: tuple[tuple[Mark, Note], ...]
    active: tuple[Note, ...]  # that consolidation has chosen
    since: datetime | None  # when the first readable note was written


async def read_parts(graph: Graph, audiences: Sequence[str], now: datetime) -> Parts:
    """Return the live readable notes that core memory consists of, oldest first."""
    row = await graph.read_one(
        "core/read",
        audiences=list(audiences),
        statuses=list(LIVE_STATUSES),
        marks=[{"mark": mark, "most": AHEAD * most} for mark, (most, _) in MOST.items()],
        now=now,
        lines=LINES,
        newest=NEWEST,
        active=ACTIVE,
        updates=UPDATES,
        oldest=OLDEST,
        letters=LETTERS,
    )
    assert row is not None
    rows = sorted(row["notes"], key=lambda each: each["id"])
    return Parts(
        written=tuple((Block(each["block"]), to_note(each)) for each in rows if each["block"]),
        marked=tuple(
            (Mark(each["mark"]), to_note(each))
            for each in rows
            if each["mark"] not in (None, ACTIVE)
        ),
        active=tuple(to_note(each) for each in rows if each["mark"] == ACTIVE),
        since=instant_from_milliseconds(row["since"]),
    )


@dataclass(frozen=True, kw_only=True)
class CoreNotes:
    """Notes that belong to core memory for other reasons than marks."""

    blocks: Mapping[str, Block]  # of lines that were written for it
    chosen: frozenset[str]  # by consolidation, by an instant
    skills: frozenset[str]


async def read_kept(graph: Graph, audiences: Sequence[str], at: datetime) -> CoreNotes:
    """Return the readable notes that are lines of core memory, whatever their status, those that
    consolidation chose, and skills."""
    rows = await graph.read_list("core/kept", audiences=list(audiences), at=at, lines=LINES)
    return CoreNotes(
        blocks={row["id"]: Block(row["block"]) for row in rows if row["block"] is not None},
        chosen=frozenset(row["id"] for row in rows if row["chosen"]),
        skills=frozenset(row["id"] for row in rows if row["chosen"] is False),
    )


def mark_step(marks: Mapping[str, Mark | None]) -> Step:
    """Record why notes belong to core memory; `marks` by note id."""
    return Step("core/mark", {"rows": [{"id": i, "mark": mark} for i, mark in marks.items()]})

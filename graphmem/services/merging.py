"""Merges of entities that come about by themselves, while notes are written."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Note, NoteDraft
from graphmem.services.context import Access, user_audience
from graphmem.store.events import event_row
from graphmem.store.graph import Row, Step
from graphmem.store.resolution import merge_step

STATED = 1.0  # how sure a merge is that the user stated


def stated_merges(
    access: Access, mentions: Sequence[Row], given: Sequence[tuple[Note, NoteDraft]], now: datetime
) -> list[Row]:
    """The merges to look for after these mentions, of names that the user gives as those of one
    thing; `given` is what the user gave with each note, without what was found in its text. The
    transaction decides, under locks, whether there is anything to merge."""
    if not access.viewer.in_person:
        return []
    actor = access.viewer.actor
    audiences = {note.id: note.audience.key for note, _ in given}
    stated = {
        (note.id, frozenset(map(name_key, (entity.name, *entity.aliases))))
        for note, draft in given
        for entity in draft.entities
    }
    return [
        {
            "ids": [],
            "keys": row["keys"],
            "audience": audiences[row["noteId"]],
            "mergeIds": [uuid7(now) for _ in row["keys"][1:]],
            "by": actor,
            "score": STATED,
        }
        for row in mentions
        if row.get("apart") and (row["noteId"], frozenset(row["keys"])) in stated
    ]


def events_of(user: str, merges: Sequence[Row], now: datetime) -> list[Row]:
    """An event for each merge that may come about."""
    return [
        {
            "merge": merge,
            "row": merge_event("MERGE", "entities merged", user, row["by"], merge, now),
        }
        for row in merges
        for merge in row["mergeIds"]
    ]


def merge_event(kind: str, summary: str, user: str, actor: str, merge: str, now: datetime) -> Row:
    """An event of a merge."""
    return event_row(
        kind, summary, audience=user_audience(user), actor=actor, at=now, subject_id=merge
    )


def merge_steps(user: str, merges: Sequence[Row], now: datetime) -> list[Step]:
    """The step that carries out stated merges, if there may be any."""
    return [merge_step(merges, user=user, now=now)] if merges else []

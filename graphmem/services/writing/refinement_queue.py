"""The queue of notes that wait for an LLM, stored in the graph so that no stop loses one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime

from graphmem.domain.ids import digest
from graphmem.domain.notes import Note, NoteDraft
from graphmem.domain.visibility import Visibility, rule_for
from graphmem.language.refinement import ChangeableFields
from graphmem.services.context import Access


@dataclass(frozen=True)
class Task:
    """A note to refine: which one, its first version, and which fields may be changed.

    It holds no text, so that what is forgotten meanwhile reaches no LLM.
    """

    note: str
    version: int
    text: str  # a digest
    audience: str
    leave: ChangeableFields
    compare: bool  # True: compare it with notes of its readers


def may_wait(note: Note) -> bool:
    """Return True if the note may be sent to the LLM: only curated notes that agents may read."""
    kept_out = (Visibility.USER_ONLY, Visibility.QUARANTINED)
    return note.context is not None and note.visibility not in kept_out


def task_of(access: Access, note: Note, draft: NoteDraft, *, compare: bool) -> Task:
    """Return the task of a new note; `compare`: its writer may read what it would change.

    Fields that the writer gave don't change, and neither do readers that the writer or a rule
    decided. Fields changed after the first version are decided by others.
    """
    decided = draft.visibility is not None or rule_for(note.domain, access.rules) is not None
    leave = ChangeableFields(
        keywords=not draft.keywords,
        tags=not draft.tags,
        importance=draft.importance is None,
        visibility=not decided,
    )
    return Task(note.id, 1, text_digest(note), note.audience.key, leave, compare)


def text_digest(note: Note) -> str:
    """Return a digest that shows whether a note still has the text that it was written with."""
    return digest(repr((note.title, note.content)))


def pending_properties(task: Task, now: datetime) -> dict[str, object]:
    """Return the properties of a node that waits from now on."""
    kept = {
        "version": task.version,
        "text": task.text,
        "audience": task.audience,
        "compare": task.compare,
        "leave": [
            field.name for field in fields(ChangeableFields) if getattr(task.leave, field.name)
        ],
    }
    return {"refineAt": now, "refineTask": json.dumps(kept)}


def to_task(note: str, kept: str) -> Task:
    """Return the task that the graph stores for a note."""
    row: Mapping[str, object] = json.loads(kept)
    names = row["leave"]
    assert isinstance(names, list)
    leave = ChangeableFields(
        **{field.name: field.name in names for field in fields(ChangeableFields)}
    )
    version, text, audience = row["version"], row["text"], row["audience"]
    assert isinstance(version, int)
    return Task(note, version, str(text), str(audience), leave, row["compare"] is True)

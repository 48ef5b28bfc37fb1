"""Changing notes that are there: every change goes through one guarded query, and what is done
about notes without changing them comes after a guard of its own.

Both lock the notes in the order of their ids and do nothing unless each note still has the readers
and the version that was decided upon. So visibility, domain and author, of which the new readers
follow, are those of the moment of the write."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from graphmem.domain.notes import Note
from graphmem.language.text_features import features_of
from graphmem.store.graph import Row, Step
from graphmem.store.vectors import sent


def guard_step(notes: Iterable[Note]) -> Step:
    """Comes before a change that was decided upon these notes as they are: Stale when one of them
    has changed or is gone."""
    rows = {note.id: (note.version, note.audience.key) for note in notes}
    return _guard({note: (audience, version) for note, (version, audience) in rows.items()})


def readers_guard_step(audiences: Mapping[str, str]) -> Step:
    """The same for notes of which only the readers matter; their audiences by id."""
    return _guard({note: (audience, None) for note, audience in audiences.items()})


def _guard(notes: Mapping[str, tuple[str, int | None]]) -> Step:
    rows = [
        {"id": note, "audience": audience, "version": version}
        for note, (audience, version) in sorted(notes.items())
    ]
    return Step("notes/guard", {"rows": rows}, required=True)


def change_row(
    note: Note,
    given: Mapping[str, object],
    changes: Mapping[str, object],
    *,
    embedding: Sequence[float] | None = None,
) -> Row:
    """A row of `change_step` that gives a note these properties, with one revision."""
    row = light_change_row(note.id, note.version, note.audience.key, given, changes)
    return row | {"embedding": embedding}


def light_change_row(
    note_id: str,
    version: int,
    audience: str,
    given: Mapping[str, object],
    changes: Mapping[str, object],
) -> Row:
    """The same for a note of which no more than this was read."""
    return {
        "id": note_id,
        "version": version,
        "audience": audience,
        "given": {**given, "version": version + 1},
        "givenTags": [],
        "givenKeywords": [],
        "lentTags": [],
        "revisions": [revision_row(version + 1, None, changes)],
        "embedding": None,
        "endedAt": None,
    }


def change_step(rows: Sequence[Row], *, actor: str, now: datetime) -> Step:
    """Changes notes; a row holds id, version and audience (that it was decided upon), given with
    the new version, revisions, givenTags and givenKeywords (by the writers of this call), embedding
    or None, and endedAt for what the note's relations say. Stale when a note has changed. Where the
    audience changes, the step of `store.visibility.follow_step` must come after it."""
    ordered = [
        row
        | {
            "given": _with_traits(row["given"]),
            "embedding": None if row["embedding"] is None else sent(row["embedding"]),
        }
        for row in sorted(rows, key=lambda row: row["id"])
    ]
    return Step("notes/change", {"rows": ordered, "actor": actor, "now": now}, required=True)


def _with_traits(given: Mapping[str, object]) -> dict[str, object]:
    """A new text has traits of its own."""
    text = given.get("content")
    return {**given, "traits": int(features_of(text))} if isinstance(text, str) else dict(given)


def revision_row(version: int, content: str | None, changes: Mapping[str, object]) -> Row:
    """A revision of a row of `change_step`; without a content, that of the note after it."""
    return {"version": version, "content": content, "changes": json.dumps(dict(changes))}

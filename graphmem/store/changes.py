"""Making and changing notes: every change of an existing note goes through one guarded query. What
is done about notes without changing them comes after a check that they are as they were.

Both lock the notes in the order of their ids and do nothing unless each note still has the readers
and the version that was decided upon. So visibility, domain and author, of which the new readers
follow, are those of the moment of the write."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.ids import entity_id
from graphmem.domain.notes import BEGINNING, NEVER, Note
from graphmem.domain.visibility import Visibility
from graphmem.language.naming import blocking_keys, loose_key
from graphmem.store.graph import Row, Step
from graphmem.store.rows import (
    CalledRow,
    ChangeRow,
    CoveredRow,
    CreateRow,
    MentionRow,
    RelationRow,
    audience_map,
    audience_token,
    encoded,
    note_properties,
    revisions_of,
    text_properties,
)
from graphmem.store.vectors import to_vector


def unchanged_step(notes: Iterable[Note]) -> Step:
    """Come before a change that was decided upon these notes as they are: Stale when one of them
    has changed or is gone."""
    rows = {note.id: (note.version, note.audience.key) for note in notes}
    return _unchanged({note: (audience, version) for note, (version, audience) in rows.items()})


def same_readers_step(audiences: Mapping[str, str]) -> Step:
    """Return the same for notes of which only the readers matter; their audiences by id."""
    return _unchanged({note: (audience, None) for note, audience in audiences.items()})


def _unchanged(notes: Mapping[str, tuple[str, int | None]]) -> Step:
    rows = [
        {"id": note, "audience": audience, "version": version}
        for note, (audience, version) in sorted(notes.items())
    ]
    return Step("notes/unchanged", {"rows": rows}, required=True)


@dataclass(frozen=True, kw_only=True)
class Mentions:
    """What notes mention and say of entities, other names that they give, and mentions of others
    that turn out to be inside longer names."""

    mentions: Sequence[MentionRow] = ()
    called: Sequence[CalledRow] = ()
    covered: Sequence[CoveredRow] = ()
    relations: Sequence[RelationRow] = ()

    def __bool__(self) -> bool:
        """Return True if there is anything to write."""
        return bool(self.mentions or self.relations)


def change_step(
    rows: Iterable[ChangeRow], *, user: str, agent: str | None, actor: str, now: datetime
) -> Step:
    """Change notes, and what hangs on their audience; `user` and `agent`: who does. Stale when one
    of them has changed since it was read."""
    ordered = sorted(rows, key=lambda row: row.id)
    given = [
        row
        | {
            "given": _with_traits(row["given"]),
            "embedding": None if row["embedding"] is None else to_vector(row["embedding"]),
            "readers": None if row["readers"] is None else audience_map(row["readers"]),
            "readersToken": None if row["readers"] is None else audience_token(row["readers"]),
            "revisions": revisions_of(row["revisions"]),
            "givenTags": list(row["givenTags"]),
            "givenKeywords": list(row["givenKeywords"]),
            "lentTags": list(row["lentTags"]),
        }
        for row in encoded(ordered)
    ]
    parameters = {"rows": given, "user": user, "agent": agent, "actor": actor, "now": now}
    return Step("notes/change", parameters, required=True)


def _with_traits(given: Mapping[str, object]) -> dict[str, object]:
    """Return a new text has traits and a key of its own."""
    text = given.get("content")
    if not isinstance(text, str):
        return dict(given)
    return {**given, **text_properties(text)}


def create_step(
    rows: Sequence[CreateRow],
    said: Mentions | None = None,
    *,
    user: str,
    actor: str,
    now: datetime,
) -> Step:
    """Create notes, puts them into their episodes, and writes what they and others mention. One of
    local memory has its place in an episode when it is promoted."""
    said = said or Mentions()
    # A time costs the driver as much as twenty texts, and most notes have the same: sent once.
    times = {"createdAt": now, "updatedAt": now, "happenedAt": now}
    usual = times | {"validFrom": BEGINNING, "validTo": NEVER, "expiresAt": NEVER}
    parameters = {
        "rows": [
            {
                "properties": _but(
                    usual,
                    note_properties(row.note)
                    | text_properties(row.note.content)
                    | dict(row.properties),
                ),
                "embedding": to_vector(row.embedding),
                "audience": audience_map(row.note.audience),
                "revisions": revisions_of(row.revisions),
            }
            for row in rows
        ],
        "chained": [
            {"id": row.note.id, "episode": row.note.episode}
            for row in rows
            if row.note.episode and row.note.visibility is not Visibility.LOCAL
        ],
        "names": _names(user, said.mentions),
        "mentions": encoded(said.mentions),
        "called": encoded(said.called),
        "covered": encoded(said.covered),
        "relations": encoded(said.relations),
        "usual": usual,
        "user": user,
        "actor": actor,
        "now": now,
    }
    return Step("notes/create", parameters)


def _but(usual: Mapping[str, object], properties: Mapping[str, object]) -> dict[str, object]:
    """Return what of the properties is not as usual."""
    return {
        name: value
        for name, value in properties.items()
        if name not in usual or value != usual[name]
    }


def _names(user: str, rows: Iterable[MentionRow]) -> list[Row]:
    """Return the entities of mentions, for those that are new."""
    names: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row.key, not row.given)):
        new = names.setdefault(
            row.key,
            {
                "id": entity_id(user, row.key),
                "name": row.name,
                "type": row.type,
                "cased": row.cased,
                "loose": loose_key(row.key),
                **blocking_keys(row.key),
            },
        )
        new["cased"] = new["cased"] and (row.cased or not row.given)
    return [{"key": key, "new": new} for key, new in names.items()]

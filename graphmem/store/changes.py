"""Creating and changing notes: every change of an existing note goes through one guarded query. A
step that acts on notes without changing them comes after a check that they are unchanged.

Both lock the notes in the order of their ids and do nothing unless each note still has the readers
and the version that the decision was based on. So the visibility, domain and author from which the
new readers follow are those at the moment of the write."""

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
    note_properties,
    revisions_of,
    text_properties,
    to_query_rows,
)
from graphmem.store.vectors import to_vector


def unchanged_step(notes: Iterable[Note]) -> Step:
    """Check that notes are unchanged, before a step that was decided on the basis of them. Raises
    Stale when one of them has changed or is gone."""
    rows = {note.id: (note.version, note.audience.key) for note in notes}
    return _check_step({note: (audience, version) for note, (version, audience) in rows.items()})


def same_readers_step(audiences: Mapping[str, str]) -> Step:
    """Check that notes, given with their audiences by id, still have the same readers. Raises
    Stale."""
    return _check_step({note: (audience, None) for note, audience in audiences.items()})


def _check_step(notes: Mapping[str, tuple[str, int | None]]) -> Step:
    rows = [
        {"id": note, "audience": audience, "version": version}
        for note, (audience, version) in sorted(notes.items())
    ]
    return Step("notes/unchanged", {"rows": rows}, required=True)


@dataclass(frozen=True, kw_only=True)
class Mentions:
    """The mentions and relations that notes make, other names that they give to entities, and
    earlier mentions that turn out to be part of longer names."""

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
    """Change notes, and what depends on their audience; `user` and `agent` say who makes the
    change. Raises Stale when one of the notes has changed since it was read."""
    ordered = sorted(rows, key=lambda row: row.id)
    given = [
        row
        | {
            "given": _add_traits(row["given"]),
            "vector": None if row["vector"] is None else to_vector(row["vector"]),
            "readers": None if row["readers"] is None else audience_map(row["readers"]),
            "readersToken": None if row["readers"] is None else audience_token(row["readers"]),
            "revisions": revisions_of(row["revisions"]),
            "givenTags": list(row["givenTags"]),
            "givenKeywords": list(row["givenKeywords"]),
            "lentTags": list(row["lentTags"]),
        }
        for row in to_query_rows(ordered)
    ]
    parameters = {"rows": given, "user": user, "agent": agent, "actor": actor, "now": now}
    return Step("notes/change", parameters, required=True)


def _add_traits(given: Mapping[str, object]) -> dict[str, object]:
    """Add the traits and the key of a new text, if there is one."""
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
    """Create notes, put them into their episodes, and write what they and others mention. A local
    note gets its place in an episode when it is promoted."""
    said = said or Mentions()
    # A time costs the driver as much as twenty texts, and most notes have the same ones, so each is
    # sent once.
    times = {"createdAt": now, "updatedAt": now, "happenedAt": now}
    usual = times | {"validFrom": BEGINNING, "validTo": NEVER, "expiresAt": NEVER}
    parameters = {
        "rows": [
            {
                "properties": _unusual_properties(
                    usual,
                    note_properties(row.note)
                    | text_properties(row.note.content)
                    | dict(row.properties),
                ),
                "vector": to_vector(row.embedding),
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
        "names": _entities_of_mentions(user, said.mentions),
        "mentions": to_query_rows(said.mentions),
        "called": to_query_rows(said.called),
        "covered": to_query_rows(said.covered),
        "relations": to_query_rows(said.relations),
        "usual": usual,
        "user": user,
        "actor": actor,
        "now": now,
    }
    return Step("notes/create", parameters)


def _unusual_properties(
    usual: Mapping[str, object], properties: Mapping[str, object]
) -> dict[str, object]:
    """Return the properties whose values differ from the usual ones."""
    return {
        name: value
        for name, value in properties.items()
        if name not in usual or value != usual[name]
    }


def _entities_of_mentions(user: str, rows: Iterable[MentionRow]) -> list[Row]:
    """Return the entities of mentions, with the properties of those that are new."""
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

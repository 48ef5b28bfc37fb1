"""Destroying notes: everything that belongs to them, and what they gave to others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.store.archiving import ChosenNote, to_chosen
from graphmem.store.graph import Graph, Step


@dataclass(frozen=True, kw_only=True)
class Borrower:
    """A note that took tags from others: the tags taken, how often directly and not through a third
    note, its own fields, the changes that its revisions record as JSON, and the links based on
    those tags."""

    id: str
    version: int
    audience: str
    domain: str
    gave: Sequence[str]
    straight: int
    tags: Sequence[str]
    given_tags: Sequence[str]
    lent_tags: Sequence[str]
    context: str | None
    revisions: Mapping[int, str]
    links: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class TakenBack:
    """The new contents of a note's revisions, by version and as JSON, and those of its links that
    get another reason."""

    id: str
    revisions: Mapping[int, str]
    links: Sequence[str]


def purge_step(ids: Sequence[str]) -> Step:
    """Destroy notes with all that belongs to them."""
    return Step("notes/purge", {"ids": list(ids)})


async def list_derived_notes(graph: Graph, ids: Sequence[str]) -> dict[str, str]:
    """Return the notes that jobs have made of these, with their audiences."""
    rows = await graph.read("notes/made_of", ids=list(ids))
    return {row["id"]: row["audience"] for row in rows}


def check_no_new_copies_step(ids: Sequence[str]) -> Step:
    """Check that no job has meanwhile made another note of these, or of those made of them. Raises
    Stale."""
    return Step("notes/whole", {"ids": list(ids)}, required=True)


def check_narrowed_step(note: str, audience: str) -> Step:
    """Check, after a change that takes readers away from a note, that no job has meanwhile made
    another note of it for its old audience. Raises Stale."""
    return Step("notes/narrowed", {"id": note, "audience": audience}, required=True)


async def list_archived_for(graph: Graph, ids: Sequence[str]) -> list[ChosenNote]:
    """Return the notes that jobs archived because these notes say the same."""
    rows = await graph.read("notes/put_away_for", ids=list(ids))
    return [to_chosen(row) for row in rows]


async def list_borrowers(graph: Graph, ids: Sequence[str]) -> list[Borrower]:
    """Return the notes that took something from these."""
    rows = await graph.read("notes/given_on", ids=list(ids))
    return [
        Borrower(
            id=row["id"],
            version=row["version"],
            audience=row["audience"],
            domain=row["domain"],
            gave=row["gave"],
            straight=row["straight"],
            tags=row["tags"],
            given_tags=row["givenTags"],
            lent_tags=row["lentTags"],
            context=row["context"],
            revisions={each["version"]: each["changes"] for each in row["revisions"]},
            links=row["links"],
        )
        for row in rows
    ]


def take_back_step(
    ids: Sequence[str], rows: Sequence[TakenBack], *, given: int, reason: str
) -> Step:
    """Remove what these notes gave from the revisions and links of others, if they have given
    `given` times; the links then have another `reason`. The other notes are changed by a step of
    their own, which comes next."""
    taken = [
        {
            "id": row.id,
            "revisions": [
                {"version": version, "changes": changes}
                for version, changes in row.revisions.items()
            ],
            "links": list(row.links),
        }
        for row in rows
    ]
    parameters = {"ids": list(ids), "rows": taken, "given": given, "reason": reason}
    return Step("notes/take_back", parameters, required=True)


async def list_put_away(
    graph: Graph, before: datetime, *, user: str | None, archived: bool, after: str, limit: int
) -> list[tuple[str, str]]:
    """Return ids and owners of users' notes that expired before an instant or, with `archived`,
    were archived before it, after one by id."""
    given = {"before": before, "user": user, "archived": archived, "after": after, "limit": limit}
    rows = await graph.read_list("notes/put_away", **given)
    return [(row["id"], row["user"]) for row in rows]

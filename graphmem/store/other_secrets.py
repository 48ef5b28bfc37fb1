"""Secrets in texts of the graph that are no notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Step
from graphmem.store.times import EPOCH

VECTORS: Final = ("embedding", "embedding2")  # of both slots


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of texts: the query that lists them, without its parameters, and the label or type
    that holds them. Notes are listed by `secrets`."""

    query: Step | None = None
    label: str
    what: str  # in the words of an event
    owner: str = "name"  # the property of an owner by which its texts are found
    is_dated: bool = True  # the query takes the time since which they were written


PROCEDURES: Final = Kind(
    query=Step("secrets/in_procedures"), label="Sop", what="a procedure", owner="key"
)
OF_USERS: Final = (
    Kind(query=Step("secrets/in_proposals"), label="Proposal", what="a proposal"),
    Kind(query=Step("secrets/in_links"), label="LINKS_TO", what="the reason of a link"),
    Kind(query=Step("secrets/in_sessions"), label="Session", what="the task of a session"),
    Kind(query=Step("secrets/in_drafts"), label="HOLDS", what="a local note"),
    Kind(query=Step("secrets/in_agents"), label="Agent", what="a profile", is_dated=False),
    Kind(query=Step("secrets/in_handoffs"), label="Handoff", what="a handoff"),
    Kind(query=Step("secrets/in_questions"), label="Recall", what="a question"),
    PROCEDURES,
    Kind(
        query=Step("secrets/in_events"),
        label="Event",
        what="the reason of an event",
        is_dated=False,
    ),
)
OF_TEAMS: Final = (
    PROCEDURES,
    Kind(query=Step("secrets/in_posts"), label="BoardEntry", what="a post", owner="id"),
)


@dataclass(frozen=True, kw_only=True)
class OldText:
    """One thing with texts: by its place among those of its kind, its id, its texts by property,
    and what else decides what becomes of them."""

    kind: Kind
    owner: str
    place: str
    id: str
    texts: Mapping[str, Any]
    about: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class LedTeam:
    """A team that a user leads."""

    id: str
    members: Sequence[str]


async def list_texts(
    graph: Graph, kind: Kind, owner: Owner, since: datetime, after: str, limit: int
) -> list[OldText]:
    """List texts of a kind that an owner has and that were written since a time, after a place."""
    assert kind.query is not None
    name = str(getattr(owner, kind.owner))
    given: dict[str, object] = {"owner": name, "after": after, "limit": limit}
    if kind.is_dated:
        given["since"] = since
    elif kind.label == "Event":  # whose numbers are microseconds
        given["after"] = after or str(max(0, round((since - EPOCH).total_seconds() * 1_000_000)))
    rows = await graph.read(kind.query.query, **given)
    return [OldText(kind=kind, owner=name, **row) for row in rows]


def replace_step(found: OldText, was: Mapping[str, Any], given: Mapping[str, Any]) -> Step:
    """Put other texts in the place of those that were read. Raises Stale when they have changed."""
    plain = {"id": found.id, "was": dict(was), "given": dict(given)}
    match found.kind.label:
        case "LINKS_TO":
            return Step("secrets/replace_in_link", plain, required=True)
        case "HOLDS":
            return Step("secrets/replace_draft", plain, required=True)
        case "Sop" if found.about["version"] is not None:
            label, part = "Revision", found.about["version"]
        case label:
            part = found.about.get("scope")
    place = {"label": label, "owner": found.owner, "part": part}
    return Step("secrets/replace", {**plain, **place}, required=True)


async def teams_led(graph: Graph, user: str) -> list[LedTeam]:
    """Return the teams that a user leads, by id."""
    rows = await graph.read("secrets/teams", user=user)
    return [LedTeam(**row) for row in rows]


async def read_seen(graph: Graph, owner: Owner) -> str | None:
    """Return how far the texts of an owner are looked through."""
    row = await graph.read_one("secrets/texts_seen", **_named(owner))
    return None if row is None else row["seen"]


async def keep_seen(graph: Graph, owner: Owner, seen: str | None) -> None:
    """Keep how far the texts of an owner are looked through."""
    await graph.write_one("secrets/keep_texts_seen", **_named(owner), seen=seen)


def _named(owner: Owner) -> Mapping[str, str | None]:
    return {
        "user": None if owner.is_team else owner.id,
        "team": owner.id if owner.is_team else None,
    }

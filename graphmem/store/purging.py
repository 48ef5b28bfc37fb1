"""Destroying notes: all that is theirs, and what they gave to others."""

import json
from collections.abc import Sequence
from datetime import datetime

from graphmem.store.graph import Graph, Row, Step


def purge_step(ids: Sequence[str]) -> Step:
    """Destroys notes with all that belongs to them."""
    return Step("notes/purge", {"ids": list(ids)})


async def made_of(graph: Graph, ids: Sequence[str]) -> dict[str, str]:
    """The notes that jobs have made of these, with their audiences."""
    rows = await graph.read("notes/made_of", ids=list(ids))
    return {row["id"]: row["audience"] for row in rows}


def unmade_step(ids: Sequence[str], *, actor: str, now: datetime) -> Step:
    """Brings back what jobs archived since these notes told it. Stale when a job has made a note of
    these meanwhile."""
    changes = json.dumps({"status": ["ARCHIVED", "ACTIVE"]})
    parameters = {"ids": list(ids), "actor": actor, "now": now, "changes": changes}
    return Step("notes/unmade", parameters, required=True)


async def given_on(graph: Graph, ids: Sequence[str]) -> list[Row]:
    """What these notes gave to others: id, version, audience, domain, gave, straight (how often not
    by way of others), tags, givenTags, context, revisions (version, changes as JSON) and links (ids
    of those that rest on it) of each that took it."""
    return await graph.read("notes/given_on", ids=list(ids))


def take_back_step(
    ids: Sequence[str],
    rows: Sequence[Row],
    *,
    given: int,
    reason: str,
    actor: str,
    now: datetime,
) -> Step:
    """Takes out of notes what these gave them, if they are as they were read and these have given
    `given` times; links that rest on it have another `reason` then."""
    parameters = {"ids": list(ids), "rows": list(rows), "given": given, "reason": reason}
    return Step("notes/take_back", parameters | {"actor": actor, "now": now}, required=True)

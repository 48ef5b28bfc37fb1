"""Erasing users: what names them, page by page."""

import json
from collections.abc import Mapping
from datetime import datetime

from graphmem.domain.actors import BOT
from graphmem.domain.erasing import NOBODY
from graphmem.domain.notes import FOUND_WITH
from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.purging import purge_step


async def begin(graph: Graph, user: str, now: datetime) -> list[str]:
    """Take a user out of service, for good; the teams that nobody else is in."""
    row = await graph.write_one("erasure/begin", user=user, now=now)
    return [] if row is None else row["teams"]


async def destroy_owned(graph: Graph, owner: Owner, limit: int) -> Mapping[str, int]:
    """Destroy a page of what an owner has beside notes; how many nodes, by label."""
    rows = await graph.write(
        Step(
            "erasure/owned",
            {
                "owner": owner.name,
                "key": owner.key,
                "team": owner.id if owner.is_team else None,
                "limit": limit,
            },
        )
    )
    return _counts(rows[0])


async def destroy_notes(graph: Graph, owner: Owner, limit: int) -> int:
    """Destroy a page of an owner's notes, with what was made of them elsewhere; how many."""
    rows = await graph.read("erasure/notes", owner=owner.name, limit=limit)
    ids = [row["id"] for row in rows]
    if ids:
        await graph.write(purge_step(ids))
    return len(ids)


async def destroy_told(graph: Graph, owner: Owner, limit: int) -> Mapping[str, int]:
    """Destroy a page of an owner's events and of the audiences of its notes."""
    rows = await graph.write(Step("erasure/told", {"owner": owner.name, "limit": limit}))
    return _counts(rows[0])


async def unname(graph: Graph, user: str, limit: int) -> int:
    """Take the user's name out of a page of what others keep; how many nodes."""
    acting = _acting(user)
    (named,), (found,) = await graph.write(
        Step("erasure/unname", {"user": user, **acting, "nobody": NOBODY, "limit": limit}),
        Step("erasure/unfind", {"found": _found(user), "limit": limit}),
    )
    return named["nodes"] + found["nodes"]


async def count_named(graph: Graph, user: str) -> Mapping[str, int]:
    """Return how many nodes name the user, by label: the proof of an erasure when there are
    none."""
    given = {"key": Owner(user).key, "found": _found(user)}
    rows = await graph.read("erasure/named", user=user, **given, **_acting(user))
    return _counts(rows)


def _acting(user: str) -> Mapping[str, object]:
    """Return the names under which a user and its agents change something, how those of agents
    begin, and how the place of a run begins that goes from audience to audience
    (`store.decay.sweep`)."""
    place = "[" + json.dumps(f"{Owner(user).key}/").removesuffix('"')
    return {"actors": [f"user:{user}"], "prefixes": [f"{BOT}{user}/"], "place": place}


def _found(user: str) -> list[Mapping[str, str]]:
    """Return how JSON tells that a note was found with the user (`keepFinding`), and what it is to
    tell instead; first as it stands, then within another JSON text."""
    plain = {
        "mark": f'"{FOUND_WITH}": {{"user": {json.dumps(user)}',
        "instead": f'"{FOUND_WITH}": {{"user": null',
        "agent": ', "agent": "',
        "quote": '"',
    }
    return [plain, {name: json.dumps(text)[1:-1] for name, text in plain.items()}]


async def end(graph: Graph, user: str) -> None:
    """Destroy the last node that names the user."""
    await graph.write(Step("erasure/end", {"user": user}))


async def users_to_erase(graph: Graph, after: str, *, limit: int) -> list[str]:
    """Return users who are not erased to the end, by id after one."""
    rows = await graph.read("job:erase_users", after=after, limit=limit)
    return [row["user"] for row in rows]


def _counts(rows: list[Row]) -> Mapping[str, int]:
    return {row["label"]: row["nodes"] for row in rows}

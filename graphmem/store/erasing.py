"""Erasing users: everything that names them, page by page."""

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from typing import Final

from graphmem.domain.actors import BOT
from graphmem.domain.erasing import NOBODY
from graphmem.domain.ids import name_key
from graphmem.domain.notes import FOUND_WITH
from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.purging import purge_step

GAP: Final = re.compile(r"[\s_-]+")  # between the words of a name
UNREAD: Final = (  # ids, keys of readers, and who did something: no texts
    *("id", "user", "owner", "stream", "session", "pair", "noteId", "subjectId", "otherId"),
    *("audience", "audiences", "audienceThen", "audienceToken", "otherAudience", "otherThen"),
    *("sourceThen", "targetThen", "actor", "author", "agent", "asker", "by", "sender", "receiver"),
    *("maker", "decidedBy", "resolvedBy", "archivedBy", "sourceUser", "sourceAgents", "usedBy"),
    *("verifiedBy", "workedFor", "textKey", "curatedKey", "externalKey", "requestHash", "hash"),
    *("marks", "idempotencyKey", "link"),
)


async def begin(graph: Graph, user: str, now: datetime) -> list[str]:
    """Disable a user for good; return the teams that have no other member."""
    row = await graph.write_one("erasure/begin", user=user, now=now)
    return [] if row is None else row["teams"]


async def destroy_owned(graph: Graph, owner: Owner, limit: int) -> Mapping[str, int]:
    """Destroy a page of what an owner has besides notes; return the number of nodes by label."""
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
    return _counts_by_label(rows[0])


async def destroy_notes(graph: Graph, owner: Owner, limit: int) -> int:
    """Destroy a page of an owner's notes, with what was made of them elsewhere; return their
    number."""
    rows = await graph.read("erasure/notes", owner=owner.name, limit=limit)
    ids = [row["id"] for row in rows]
    if ids:
        await graph.write(purge_step(ids))
    return len(ids)


async def destroy_events(graph: Graph, owner: Owner, limit: int) -> Mapping[str, int]:
    """Destroy a page of an owner's events and of the audiences of its notes; return the number of
    nodes by label."""
    rows = await graph.write(Step("erasure/told", {"owner": owner.name, "limit": limit}))
    return _counts_by_label(rows[0])


async def remove_name(graph: Graph, user: str, limit: int) -> int:
    """Remove the user's name from a page of what others keep; return the number of nodes."""
    acting = _actor_parameters(user)
    (named,), (found,) = await graph.write(
        Step("erasure/unname", {"user": user, **acting, "nobody": NOBODY, "limit": limit}),
        Step("erasure/unfind", {"found": _found_with_marks(user), "limit": limit}),
    )
    return named["nodes"] + found["nodes"]


async def count_named(graph: Graph, user: str) -> Mapping[str, int]:
    """Count the nodes that name the user, by label: no such node proves that the erasure is
    complete."""
    given = {"key": Owner(user).key, "found": _found_with_marks(user)}
    rows = await graph.read("erasure/named", user=user, **given, **_actor_parameters(user))
    return _counts_by_label(rows)


async def count_holding(graph: Graph, user: str, names: Sequence[str]) -> Mapping[str, int]:
    """Count what the user owns that holds one of these names in any of its texts, by label or
    type."""
    rows = await graph.read(
        "erasure/holding", user=user, key=Owner(user).key, **_holding_parameters(names)
    )
    return _counts_by_label(sorted(rows, key=lambda row: row["label"]))


async def pages_of_notes_holding(
    graph: Graph, user: str, words: Sequence[str], page: int
) -> AsyncGenerator[list[str]]:
    """Look through the user's notes page by page; yield the ids of those of a page that hold or
    held one of these words in any of their texts."""
    given = {"user": user, "limit": page, **_holding_parameters(words)}
    after = ""
    while rows := await graph.read("erasure/notes_holding", after=after, **given):
        yield [row["id"] for row in rows if row["holds"]]
        after = rows[-1]["id"]


async def unname_entities(graph: Graph, user: str, keys: Sequence[str]) -> int:
    """Take names, by key, from the user's notes and entities; return the number of entities that
    had one."""
    rows = await graph.read("erasure/mention_names", user=user, keys=list(keys))
    names = [row["name"] for row in rows if name_key(row["name"]) in keys]
    given = {"user": user, "keys": list(keys), "names": names}
    row = await graph.write_one("erasure/unname_entities", **given)
    return 0 if row is None else row["entities"]


def _holding_parameters(names: Sequence[str]) -> Mapping[str, object]:
    forms = {form for name in names for form in _written_forms(name)}
    return {"words": sorted(forms), "unread": list(UNREAD)}


def _written_forms(words: str) -> list[str]:
    """Return how words may stand in a text, over two lines, in a tag, in a text of JSON, and in one
    inside another, in lower case: JSON writes a capital letter that is not in ASCII with another
    number."""
    spaced = [gap.join(GAP.split(words)) for gap in (" ", "-", "_", "\n", "\u00a0", "  ")]
    forms = [words.upper(), words.capitalize(), words.title(), words, *spaced]
    forms += [each.lower() for each in forms]
    for _ in range(2):
        forms += [json.dumps(each)[1:-1] for each in forms]
    return [each.lower() for each in forms]


def _actor_parameters(user: str) -> Mapping[str, object]:
    """Return the names under which a user and its agents make changes, the prefix of the agents'
    names, and the prefixes of the places of runs that go from audience to audience: the key of one,
    alone or in a list (`store.decay.sweep`)."""
    key = f"{Owner(user).key}/"
    places = [key, "[" + json.dumps(key).removesuffix('"')]
    return {"actors": [f"user:{user}"], "prefixes": [f"{BOT}{user}/"], "places": places}


def _found_with_marks(user: str) -> list[Mapping[str, str]]:
    """Return how JSON records that a note was found with the user (`keepFinding`), and the text
    that replaces it; first in plain form, then as part of another JSON text."""
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
    """Return the users whose erasure has not finished, by id after one."""
    rows = await graph.read("job:erase_users", after=after, limit=limit)
    return [row["user"] for row in rows]


def _counts_by_label(rows: list[Row]) -> Mapping[str, int]:
    return {row["label"]: row["nodes"] for row in rows}

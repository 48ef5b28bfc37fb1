"""Whatever a user wrote by whichever protocol: when it is destroyed, the graph and its full-text
indexes hold nothing of it. What is written, and how, is drawn from a seed."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random
from typing import Any

import pytest
from clients import REMEMBER, Client
from in_process import memory_in_process
from mcp_clients import over_http, told
from named_nodes import named
from race_world import cypher
from rest import Rest

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
REVISE = "mutation R($id: ID!, $c: String) { revise(id: $id, content: $c) { version } }"
LINK = """mutation L($a: ID!, $b: ID!, $w: String!) {
  link(source: $a, target: $b, kind: "near", reason: $w) { id } }"""
ERASE = "mutation E($id: ID!) { eraseUser(confirm: $id) { complete } }"
MINE = "MATCH (n:Note {user: $user}) RETURN n.id"
INDEXED = """SHOW FULLTEXT INDEXES YIELD name
CALL (name) { CALL db.index.fulltext.queryNodes(name, $word) YIELD node RETURN count(*) AS found }
RETURN sum(found)"""
IDS = """CALL () {
  MATCH (n) RETURN [label IN labels(n) WHERE label <> 'System'][0] AS kind, n AS each
  UNION ALL MATCH ()-[r]->() RETURN type(r) AS kind, r AS each }
UNWIND keys(each) AS key
WITH kind, key, each[key] AS value WHERE NOT key IN ['embedding', 'words']
  AND CASE WHEN value IS :: LIST<ANY NOT NULL> NOT NULL
    THEN any(x IN value WHERE x IN $ids) ELSE value IN $ids END
RETURN DISTINCT kind, key ORDER BY kind, key"""
WRITES = 14
Open = Callable[[], AbstractAsyncContextManager["Everywhere"]]
Write = Callable[[dict[str, Any]], Awaitable[Any]]


class Everywhere:
    """One user who speaks every protocol."""

    def __init__(self, http: Any, mcp: Any, user: str) -> None:
        self.api, self.rest, self.mcp = Client(http, user), Rest(http, user), mcp
        self.bot = self.api.as_agent("bot")
        self.memory = memory_in_process(http, {"X-Graphmem-User": user})

    def writes(self) -> dict[str, Write]:
        """By their names; each takes the fields of a note."""
        return {
            "GraphQL": lambda given: self.api(REMEMBER, input=given),
            "an agent": lambda given: self.bot(REMEMBER, input=given),
            "REST": lambda given: self._rest("POST", "/v1/remember", given),
            "REST, many": lambda given: self._rest("POST", "/v1/remember/many", {"notes": [given]}),
            "the daemon": lambda given: self._rest(
                "POST",
                "/remember",
                {"agentId": "bot", "text": given["content"], "tags": given["tags"]},
            ),
            "MCP": lambda given: told(
                self.mcp, "memory.write", **{k: given[k] for k in ("content", "title", "tags")}
            ),
            "MCP, word for word": lambda given: told(
                self.mcp, "memory.remember", text=given["content"], metadata=given["metadata"]
            ),
            "the client": lambda given: asyncio.to_thread(
                self.memory.remember, given["content"], title=given["title"], tags=given["tags"]
            ),
            "a skill": lambda given: self._rest(
                "POST", "/v1/skills", {"name": given["title"], "procedure": given["content"]}
            ),
            "what is said": lambda given: self._rest(
                "POST", "/v1/command", {"text": f"Remember that {given['content']}"}
            ),
        }

    async def _rest(self, method: str, path: str, body: Any) -> Any:
        answer = await self.rest(method, path, body)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    def forgets(self) -> list[Callable[[str], Awaitable[Any]]]:
        """The ways to destroy a note for good."""
        return [
            lambda note: self.api(FORGET, id=note),
            lambda note: self.rest("DELETE", f"/v1/notes/{note}", permanent="true"),
            lambda note: asyncio.to_thread(self.memory.forget, note, permanent=True),
        ]


def a_note(rng: Random, word: str, number: int) -> dict[str, Any]:
    """A note that says a word in each of its fields."""
    about = rng.choice(("Halden", "Ada Kessler", "Leeds"))
    named = word.title()
    return {
        "content": rng.choice(
            (
                f"{named} met {about} at the kiln, entry {number}.",
                f"The deadline of {named} is March {rng.randint(1, 28)}.",
                f"To open {named}, first cool the kiln {number}, then lift the lid.",
            )
        ),
        "title": f"{named} {number}",
        "tags": [word, rng.choice(("kiln", "tea"))],
        "keywords": [word],
        "episode": rng.choice((word, "monday")),
        "speaker": named,
        "externalId": f"{word}/{number}",
        "idempotencyKey": f"{word}-{number}",
        "metadata": {word: [word]},
        "entities": [{"name": named, "aliases": [f"Old {named}"]}, {"name": about}],
        "relations": [{"subject": named, "predicate": "knows", "object": about}],
        "visibility": rng.choice(("OPEN", "SCOPED", "PRIVATE")),
        "domain": rng.choice(("work", "home/garden", "general")),
    }


async def live(rng: Random, user: Everywhere, word: str, context: Context) -> None:
    """Write by every protocol at least once, and do something with what was written."""
    writes = user.writes()
    names = [*writes, *rng.choices([*writes], k=WRITES - len(writes))]
    rng.shuffle(names)
    for number, name in enumerate(names):
        await writes[name](a_note(rng, word, number))
    notes = [row[0] for row in await cypher(context, MINE, user=user.api.user)]
    for _ in range(3):
        note, other = rng.sample(notes, 2)
        await user.api(REVISE, id=note, c=f"{word.title()} is late, says {rng.random()}.")
        await user.api(LINK, a=note, b=other, w=word)
    await user.api.recall(f"Where is {word}?", track=True)
    await told(user.mcp, "memory.query", query_text=f"What do you know about {word.title()}?")
    await context.log.flush()


@pytest.fixture
def everywhere(
    http: Any, settings: Settings, context: Context, new_user: Callable[[], str]
) -> Callable[[], AbstractAsyncContextManager[Everywhere]]:
    """Opens a user; a client of MCP is to be closed by the task that has opened it."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Everywhere]:
        app, user = create_app(settings, opened=context), new_user()
        headers = {"X-Graphmem-User": user, "X-Graphmem-Agent": "bot"}
        async with over_http(app, "memory", headers) as mcp:
            yield Everywhere(http, mcp, user)

    return opened


def a_word() -> str:
    return "quor" + "".join(secrets.choice("bdfglmnprtvz") for _ in range(9))


async def left(context: Context, word: str) -> tuple[Any, Any, Any]:
    """Where the graph holds a word, small or large, and how many notes are indexed by it."""
    return (
        await named(context, word),
        await named(context, word.title()),
        (await cypher(context, INDEXED, word=word))[0][0],
    )


@pytest.mark.parametrize("seed", [1, 2])
async def test_of_notes_that_were_destroyed_nothing_is_left(
    everywhere: Open, context: Context, seed: int
) -> None:
    rng, word = Random(seed), a_word()
    async with everywhere() as user:
        await live(rng, user, word, context)
        lower, upper, indexed = await left(context, word)
        assert lower
        assert upper
        assert indexed > 0
        notes = [row[0] for row in await cypher(context, MINE, user=user.api.user)]
        for note in rng.sample(notes, len(notes)):
            await rng.choice(user.forgets())(note)
        assert await cypher(context, MINE, user=user.api.user) == []
        assert await left(context, word) == ([], [], 0), f"seed {seed}"
        # That they were there is told in events, by ids of nothing.
        assert {kind for kind, _ in await cypher(context, IDS, ids=notes)} <= {"Event"}


@pytest.mark.parametrize("seed", [3, 4])
async def test_of_a_user_who_was_erased_nothing_is_left(
    everywhere: Open, context: Context, seed: int
) -> None:
    rng, word = Random(seed), a_word()
    async with everywhere() as user:
        await live(rng, user, word, context)
        session = await told(user.mcp, "memory.open_session", task=f"Find {word}")
        given = {"content": f"{word.title()} was here.", "session_id": session["session_id"]}
        await told(user.mcp, "memory.write", **given)
        await told(user.mcp, "memory.reflect")
        await user.rest("PUT", "/v1/core/critical", {"text": f"Never lend {word}"})
        notes = [row[0] for row in await cypher(context, MINE, user=user.api.user)]
        assert (await user.api(ERASE, id=user.api.user))["eraseUser"]["complete"]
        assert await left(context, word) == ([], [], 0), f"seed {seed}"
        assert await named(context, user.api.user) == []
        assert await cypher(context, IDS, ids=notes) == []

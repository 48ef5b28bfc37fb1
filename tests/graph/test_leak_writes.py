"""The leak test of writing: notes that a writer may not read change nothing of what is decided.

The same writer writes the same notes twice, each time as a user of its own: alone, and beside
notes with the same words that it may not read: another user's, and hidden ones of its own user.
Every answer, and everything that the writer can read afterwards, must be the same."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from shared_server import new_user

from graphmem.app import create_app
from graphmem.domain.notes import EntityDraft, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services import actors, conflicts, core
from graphmem.services.context import Context
from graphmem.services.reflection import deciding as reflection_deciding
from graphmem.services.reflection import reading as reflection
from graphmem.services.reflection import reflecting
from graphmem.services.tracking import RecallLog
from graphmem.services.writing.remember import remember_many
from graphmem.settings import Settings

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXTS = (
    "Ann prefers tea over coffee.",
    "Ann likes tea more than coffee.",
    "I live in Berlin.",
    "I moved to Hamburg.",
    "The Halden project uses Neo4j.",
    "The Halden project uses Neo4j with two replicas.",
    "Halden stores its graph in Neo4j.",
    "The graph of Halden in Neo4j grows fast.",
    "The deadline of the Halden project is March 15.",
    "The deadline of the Halden project is March 30.",
    "Ticket 88 of Halden is open.",
    "Ticket 88 of Halden is closed.",
)
CONTRARY = (
    "Ann now prefers coffee over tea.",
    "I moved to Rome.",
    "The Halden project no longer uses Neo4j.",
    "Halden stores its graph in Postgres.",
    "The deadline of the Halden project was moved to April 2.",
    "Ticket 88 of Halden is closed.",
)
READ = """{ notes(first: 40) { totalCount nodes { id content context tags keywords version status
  accessCount halfLifeHours validFrom validTo domain visibility importance
  entities { name type noteCount }
  links { kind strength reason source { content } target { content } }
  revisions { version actor content changes } wordings { actor content } supersededBy { content }
  derivedFrom { content } } }
  conflicts { similarity verdict notes { content } } settled: conflicts(open: false) { verdict }
  entities(first: 20) { name type noteCount relations(first: 10) { predicate object { name } } }
  events(first: 100) { type channel actor domain summary } stats { totalNotes entities links }
  recall(input: {query: "Where does Halden keep its graph?", track: false, explain: true}) {
    hits { rank score note { content } why { similarity keyword graph } } } }"""
REMEMBER = """mutation R($i: RememberInput!) { remember(input: $i) { operation reason
  note { content version tags context halfLifeHours accessCount } affected { content status } } }"""


REFLECT = """mutation { reflect { number status markdown tokensUsed items { kind summary diff
  accepted } } }"""
REFLECTIONS = """{ reflections { number status markdown tokensUsed items { kind summary diff
  accepted } } }"""
SAID = (
    """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { note { id } } } }"""
)


@dataclass
class Clock:
    """Goes on by a minute whenever it is told to."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


class World:
    """One user with an agent that writes, perhaps beside what it may not read."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.clock = Clock()
        self.context = replace(context, clock=self.clock, log=RecallLog(context.graph))
        transport = httpx.ASGITransport(app=create_app(settings, opened=self.context))
        self.http = httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8321", timeout=60
        )
        self.user = new_user()

    async def set_up(self) -> None:
        person = await actors.open_access(self.context, self.user, None, register=True)
        await actors.register_agent(self.context, person, "narrow", domains=["work"])

    async def hide(self, user: str, texts: Sequence[str], **given: Any) -> None:
        """Notes with the same words, curated and verbatim, that the agent may not read."""
        access = await actors.open_access(self.context, user, None, register=True)
        named = {"entities": (EntityDraft(name="Halden", type="secret"),), "tags": ("hidden",)}
        for mode in WriteMode:
            drafts = [NoteDraft(content=text, **named, **given) for text in texts]
            await remember_many(self.context, access, [(draft, mode) for draft in drafts])

    async def ask(self, query: str, **variables: Any) -> Any:
        headers = {"X-Graphmem-User": self.user, "X-Graphmem-Agent": "narrow"}
        body = {"query": query, "variables": variables}
        return (await self.http.post("/graphql", json=body, headers=headers)).json()

    async def write(self) -> list[Any]:
        """What the agent is answered, write by write, and what it reads in the end."""
        told = []
        for text in TEXTS:
            self.clock.now += timedelta(minutes=1)
            given = {"content": text, "domain": "work", "visibility": "SCOPED"}
            told.append(await self.ask(REMEMBER, i=given))
        many = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results {
          operation note { content version tags } error { code } } } }"""
        again = [{"content": t, "domain": "work", "visibility": "SCOPED"} for t in reversed(TEXTS)]
        self.clock.now += timedelta(minutes=1)
        told.append(await self.ask(many, i={"notes": again}))
        access = await actors.open_access(self.context, self.user, "narrow")
        done = await conflicts.sweep_conflicts(self.context, access)
        read = await self.ask(READ)
        assert "errors" not in read, read
        return [*told, done, self.plain(read)]

    async def reflect(self, *, beside: bool) -> Any:
        """What two reflections of the agent propose, one refused, with ids by their order; beside
        reflections of the user and of another agent if so wanted."""
        said = [{"content": t, "domain": "work", "tags": ["a", "b", "c"]} for t in (*TEXTS, *TEXTS)]
        stored = await self.ask(SAID, i={"notes": said, "mode": "VERBATIM"})
        person = await actors.open_access(self.context, self.user, None)
        if beside:
            await actors.register_agent(self.context, person, "wide", can_see_private=True)
            for agent in (None, "wide", None):
                access = await actors.open_access(self.context, self.user, agent)
                made = (await reflecting.reflect(self.context, access)).reflection
            await reflection_deciding.decide_reflection(self.context, person, made.id, [], None)
        told = [await self.ask(REFLECT)]
        access = await actors.open_access(self.context, self.user, "narrow")
        (own,) = await reflection.list_reflections(self.context, access, status=None, first=50)
        await reflection_deciding.decide_reflection(
            self.context, person, own.reflection.id, [], None
        )
        told += [await self.ask(REFLECT), await self.ask(REFLECTIONS)]
        text = json.dumps(told)
        for i, result in enumerate(stored["data"]["rememberMany"]["results"]):
            text = text.replace(result["note"]["id"], f"note {i}")
        return json.loads(text)

    def plain(self, answer: Any) -> Any:
        """The answer with ids by the order in which they come up; names made at one instant are in
        no order."""
        for note in answer["data"]["notes"]["nodes"]:
            note["entities"].sort(key=lambda entity: entity["name"])
        for entity in answer["data"]["entities"]:
            entity["relations"].sort(key=json.dumps)
        text, ids = json.dumps(answer), itertools.count()
        for note in answer["data"]["notes"]["nodes"]:
            text = text.replace(note["id"], f"note {next(ids)}")
        return json.loads(text.replace(self.user, "user"))


@pytest.fixture(scope="module")
async def alone(context: Context, settings: Settings) -> list[Any]:
    world = World(context, settings)
    await world.set_up()
    return await world.write()


def assert_same(beside: list[Any], alone: list[Any]) -> None:
    """Answer by answer, field by field, so that a failure names the leak."""
    for one, other in zip(beside[:-1], alone[:-1], strict=True):
        assert one == other
    ours, theirs = beside[-1]["data"], alone[-1]["data"]
    for one, other in zip(ours["notes"]["nodes"], theirs["notes"]["nodes"], strict=True):
        for name in one:
            assert one[name] == other[name], name
    assert ours == theirs


async def test_the_writes_do_something(alone: list[Any]) -> None:
    """Writes that all end in the same error would hide every leak."""
    operations = [each["data"]["remember"]["operation"] for each in alone[: len(TEXTS)]]
    assert set(operations) == {"ADD", "NOOP", "UPDATE", "DELETE"}
    read = alone[-1]["data"]
    assert alone[-2].settled == len(read["settled"]) == 1
    assert any(note["links"] for note in read["notes"]["nodes"])


@pytest.mark.feature("MUMA-61")
async def test_a_strangers_notes_decide_nothing(
    alone: list[Any], context: Context, settings: Settings
) -> None:
    world = World(context, settings)
    await world.set_up()
    for text in ((*TEXTS, *CONTRARY), CONTRARY):
        await world.hide(f"{world.user}-x", text, domain="work", visibility=Visibility.SCOPED)
    assert_same(await world.write(), alone)


@pytest.mark.feature("MUMA-26", "MUMA-120")
@pytest.mark.parametrize(
    "given",
    [
        {"domain": "work", "visibility": Visibility.PRIVATE},
        {"domain": "work", "visibility": Visibility.USER_ONLY},
        {"domain": "home", "visibility": Visibility.SCOPED},
    ],
    ids=["private", "user only", "another domain"],
)
async def test_hidden_notes_of_the_same_user_decide_nothing(
    alone: list[Any], context: Context, settings: Settings, given: dict[str, Any]
) -> None:
    world = World(context, settings)
    await world.set_up()
    for _ in range(2):
        await world.hide(world.user, (*TEXTS, *CONTRARY), **given)
    assert_same(await world.write(), alone)


async def test_an_agent_that_writes_for_others_learns_and_changes_nothing(
    context: Context, settings: Settings
) -> None:
    world = World(context, settings)
    await world.set_up()
    await world.hide(world.user, TEXTS, domain="home", visibility=Visibility.SCOPED)
    query = """MATCH (n:Note {user: $u, domain: 'home'})
        RETURN n.id, n.version, n.accessCount ORDER BY n.id"""
    driver = context.graph._driver  # pyright: ignore
    before = [r.values() for r in (await driver.execute_query(query, u=world.user)).records]
    for text in (*TEXTS, *CONTRARY):
        given = {"content": text, "domain": "home", "visibility": "SCOPED"}
        told = (await world.ask(REMEMBER, i=given))["data"]["remember"]
        assert told["operation"] == "ADD"
        assert told["reason"] == "added for others: you read no SCOPED notes in home"
    after = [r.values() for r in (await driver.execute_query(query, u=world.user)).records]
    known = {row[0] for row in before}
    assert [row for row in after if row[0] in known] == before


CORE_LINES = (
    ("identity", "Name: Ada Moen\nRole: potter"),
    ("identity", "Role: potter\nTime zone: Europe/Oslo"),
    ("persona", "Never fire the kiln alone\nThe hall code is 4711"),
    ("context", "\n".join(f"Shelf {i} holds the glaze of batch {i}" for i in range(150))),
    ("context", "Halden ships in May"),
    ("persona", ""),
)
IN_ORDER = ("at", "domain", "summary")
HIDDEN_DOMAINS = ("general", "personal", "business")
SET_CORE = """mutation S($n: String!, $t: String!) { setCoreBlock(name: $n, text: $t) {
  text tokenCount blocks { name text pinned } } }"""
READ_CORE = """{ coreMemory { text tokenCount blocks { name text pinned } }
  notes(filter: {statuses: [ACTIVE, ARCHIVED]}, first: 200) { totalCount nodes {
    content status version domain visibility revisions { version actor content } } }
  events(first: 400) { at type channel actor domain summary data }
  recall(input: {query: "Who am I?", track: false, explain: true}) { strategy confidence hits {
    rank score note { content } } }
  context(input: {task: "What is on shelf 7?"}) { text tokenCount } }"""


async def write_core(world: World) -> list[Any]:
    """What the agent is answered when it writes core memory, line by line, and what it reads."""
    told = []
    for name, text in CORE_LINES:
        world.clock.now += timedelta(minutes=1)
        told += [await world.ask(SET_CORE, n=name, t=text), await world.ask(READ_CORE)]
        # Events that one step leaves for different readers are in an order by chance.
        told[-1]["data"]["events"].sort(key=lambda event: [event[name] for name in IN_ORDER])
        for event in told[-1]["data"]["events"]:
            (event["data"] or {}).pop("note_id", None)  # of this world alone
    assert not any("errors" in answer for answer in told)
    return told


@pytest.mark.feature("MOLT-9", "MUMA-26", "MUMA-61")
async def test_hidden_lines_of_core_memory_decide_nothing_and_stay(
    context: Context, settings: Settings
) -> None:
    empty, full = World(context, settings), World(context, settings)
    for world in (empty, full):
        await world.set_up()
    person = await actors.open_access(full.context, full.user, None)
    stranger = await actors.open_access(full.context, f"{full.user}-x", None, register=True)
    await actors.register_agent(full.context, person, "keeper", can_see_private=True)
    private = {"domain": "home", "visibility": Visibility.PRIVATE}
    person = await actors.open_access(full.context, full.user, None)
    person = replace(person, rules={domain: Visibility.PRIVATE for domain in HIDDEN_DOMAINS})
    for access in (person, stranger):
        for name in dict(CORE_LINES):
            text = "\n".join(text for block, text in CORE_LINES if block == name)
            await core.set_core_block(full.context, access, name, f"{text}\nDiabetes runs deep")
    for text in ("My name is Eve.", "I'm working on the tax.", "I am allergic to nuts."):
        for user in (full.user, f"{full.user}-x"):
            await full.hide(user, (text,), pinned=True, **private)
    lines = """MATCH (n:Note) WHERE n.user STARTS WITH $u AND n.coreBlock IS NOT NULL
        AND (n.author IS NULL OR n.author <> 'narrow')
        RETURN n.id, n.version, n.status, n.content ORDER BY n.id"""
    driver = context.graph._driver  # pyright: ignore
    before = [r.values() for r in (await driver.execute_query(lines, u=full.user)).records]
    assert len(before) > 300
    for one, other in zip(await write_core(full), await write_core(empty), strict=True):
        assert one == other
    after = [r.values() for r in (await driver.execute_query(lines, u=full.user)).records]
    assert after == before


@pytest.mark.feature("MUMA-26", "MUMA-61")
@pytest.mark.parametrize(
    "given",
    [
        {"user": "-x", "domain": "work", "visibility": Visibility.SCOPED},
        {"user": "", "domain": "work", "visibility": Visibility.PRIVATE},
        {"user": "", "domain": "home", "visibility": Visibility.SCOPED},
    ],
    ids=["a stranger's", "private", "another domain"],
)
async def test_hidden_notes_and_reflections_change_no_reflection(
    context: Context, settings: Settings, given: dict[str, Any]
) -> None:
    told = []
    for beside in (False, True):
        world = World(context, settings)
        await world.set_up()
        if beside:
            hidden = {name: value for name, value in given.items() if name != "user"}
            for _ in range(2):
                await world.hide(world.user + given["user"], (*TEXTS, *CONTRARY), **hidden)
        told.append(await world.reflect(beside=beside))
    alone, beside_hidden = told
    assert {item["kind"] for item in alone[0]["data"]["reflect"]["items"]} >= {"fact", "link"}
    assert [each["data"]["reflect"]["number"] for each in alone[:2]] == [1, 2]
    assert beside_hidden == alone

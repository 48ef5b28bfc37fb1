"""What events tell: who acted, what was done, on which channel, and a note's whole life."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from own_batches import keep_batches_to

from graphmem.domain.durations import read_duration
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.events import follow
from graphmem.services.importing.importing import import_folder

EVENTS = """query E($s: ID, $types: [String!], $actor: String) {
  events(subjectId: $s, types: $types, actor: $actor, first: 500) {
  type channel actor domain summary data subjectId } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
SAY = "mutation S($t: String!) { command(text: $t) { intent } }"
FORGET = """mutation F($id: ID, $q: String, $p: Boolean) {
  forget(id: $id, query: $q, permanent: $p, confirm: true) { forgotten } }"""
RESTORE = "mutation R($id: ID!) { restore(id: $id) { status } }"
REVISE = """mutation R($id: ID!, $c: String, $t: String) {
  revise(id: $id, content: $c, title: $t) { version } }"""
MERGE = "mutation M($a: ID!, $b: ID!) { mergeEntities(keep: $a, merge: $b) { id } }"
ENTITIES = "{ entities { id name } }"
DECIDE = """mutation D($id: ID!, $d: Decision!) { decideProposal(id: $id, decision: $d) {
  status } }"""
SKILL = 'mutation { addSkill(name: "Lock the gate", procedure: "Turn the key.") { id } }'
USED = "mutation U($id: ID!) { reportSkill(id: $id, success: true) { id } }"
POST = 'mutation P($t: ID!, $v: JSON!) { postBoard(key: "plan", value: $v, team: $t) { version } }'
PROPOSE = """mutation P($id: ID!, $team: ID!) { proposeKnowledge(noteId: $id, team: $team,
  content: "The kiln guarantees 99.9% uptime.") { id } }"""
KNOWN = '{ commons(topic: "kiln uptime") { content } }'


class Told:
    """A user with agents, and what is told of it."""

    def __init__(self, api: Any) -> None:
        self.api = api
        self.bot, self.shy = api.as_agent("bot"), api.as_agent("shy")

    async def events(self, **given: Any) -> list[dict[str, Any]]:
        return (await self.api(EVENTS, **given))["events"]

    async def acts(self, **given: Any) -> set[tuple[str, str]]:
        return {(each["type"], each["actor"]) for each in await self.events(**given)}

    async def note(self, content: str, client: Any = None, **given: Any) -> str:
        return (await (client or self.api).remember(content, **given))["note"]["id"]

    async def proposal(self, content: str) -> str:
        made = await self.shy(
            "mutation R($i: RememberInput!) { remember(input: $i) { proposal { id } } }",
            i={"content": content},
        )
        return made["remember"]["proposal"]["id"]


@pytest.fixture
async def told(api: Any) -> Told:
    await api(AGENT, i={"id": "shy", "writes": "PROPOSE"})
    return Told(api)


async def contradict(told: Told) -> None:
    """Two notes of which one is wrong."""
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    for day in ("March 15", "March 30"):
        given = {"domain": "business/projects", "kind": "SEMANTIC", "visibility": "OPEN"}
        await told.note(f"The deadline {words} is {day}.", **given)


async def by_hand(told: Told, context: Any, tmp_path: Any) -> None:
    await told.note("The kiln is in Ulm.")


async def by_an_agent(told: Told, context: Any, tmp_path: Any) -> None:
    await told.note("The kiln is in Ulm.", told.bot)


async def by_remember(told: Told, context: Any, tmp_path: Any) -> None:
    await told.api(SAY, t="Remember that the kiln is in Ulm.")


async def by_forget(told: Told, context: Any, tmp_path: Any) -> None:
    await told.note("The kiln is in Ulm.")
    await told.api(FORGET, q="kiln")


async def by_detection(told: Told, context: Any, tmp_path: Any) -> None:
    await told.api(SAY, t="We decided to use Postgres")


async def by_proposing(told: Told, context: Any, tmp_path: Any) -> None:
    await told.proposal("The kiln is in Ulm.")


async def by_committing(told: Told, context: Any, tmp_path: Any) -> None:
    await told.api(DECIDE, id=await told.proposal("The kiln is in Ulm."), d="COMMIT")


async def by_a_skill(told: Told, context: Any, tmp_path: Any) -> None:
    skill = (await told.api(SKILL))["addSkill"]["id"]
    await told.bot(USED, id=skill)
    [event] = await told.events(actor="skill:Lock the gate")
    assert event["data"]["by"] == "bot:bot"


async def by_importing(told: Told, context: Any, tmp_path: Any) -> None:
    (tmp_path / "kiln.md").write_text("The kiln is in Ulm.")
    await import_folder(context, told.api.user, tmp_path)


Act = Callable[[Told, Any, Any], Awaitable[None]]


@pytest.mark.feature("MOLT-67", "MOLT-68")
@pytest.mark.parametrize(
    ("act", "kind", "actor"),
    [
        (by_hand, "CREATE", "manual"),
        (by_an_agent, "CREATE", "bot:bot"),
        (by_remember, "CREATE", "bot:trigger-remember"),
        (by_forget, "ARCHIVE", "bot:trigger-forget"),
        (by_detection, "CREATE", "bot:auto-detect"),
        (by_proposing, "PROPOSE", "subagent:shy"),
        (by_committing, "CREATE", "bot:commit-from:shy"),
        (by_a_skill, "EDIT", "skill:Lock the gate"),
        (by_importing, "CREATE", "system:init"),
    ],
)
async def test_each_act_has_its_actor(
    told: Told, context: Any, tmp_path: Any, act: Act, kind: str, actor: str
) -> None:
    """Those of reflections, of decay and of the audit have tests with these."""
    await act(told, context, tmp_path)
    assert (kind, actor) in await told.acts()
    assert await told.events(actor=actor)


@pytest.mark.feature("MOLT-70")
async def test_each_kind_of_act_is_an_event_of_its_own_type(told: Told) -> None:
    """Decay has one, too, with its tests."""
    api = told.api
    kiln = await told.note("The kiln is blue.", title="Kiln")
    await told.note("Orla works hard.", entities=[{"name": "Brindlow"}])
    await api(REVISE, id=kiln, c="The kiln is green.")
    await api(REVISE, id=kiln, t="Kilns")
    await told.note("Met Cy at the fair.", episode="e", entities=[{"name": "Kilns Ltd"}])
    await told.note("Met Cy at the fair. He sells bowls.", episode="e")
    loft = await told.note("The loft in Ulm is dry.")
    await api(FORGET, id=loft)
    await api(RESTORE, id=loft)
    await api(FORGET, id=await told.note("The barn in Kiel is wet."), p=True)
    entities = {each["name"]: each["id"] for each in (await api(ENTITIES))["entities"]}
    await api(MERGE, a=entities["Brindlow"], b=entities["Kilns Ltd"])
    await api(DECIDE, id=await told.proposal("The sky is green."), d="REJECT")
    await api(DECIDE, id=await told.proposal("The lathe is in Bonn."), d="COMMIT")
    await contradict(told)
    kinds = {kind for kind, _ in await told.acts()}
    assert kinds >= {
        *("CREATE", "EDIT", "RENAME", "APPEND", "ARCHIVE", "REVERT", "DELETE", "MERGE"),
        *("PROPOSE", "REJECT", "COMMIT", "ALERT"),
    }
    [renamed] = await told.events(types=["RENAME"])
    assert (renamed["subjectId"], renamed["summary"]) == (kiln, "note renamed")


@pytest.mark.feature("MUMA-79")
async def test_a_write_tells_who_wrote_what_and_the_note_says_it(told: Told) -> None:
    sales = told.api.as_agent("sales")
    note = await told.note("The kiln is in Ulm.", sales, domain="business/sales")
    written = {
        "event": "memory_write",
        "agent_id": "sales",
        "note_id": note,
        "operation": "ADD",
        "domain": "business/sales",
        "summary": "The kiln is in Ulm.",
        "kind": "SEMANTIC",
        "type": "FACT",
        "sensitivity": "standard",
    }
    [event] = await told.events(s=note)
    assert event["data"] == written
    await told.api(REVISE, id=note, c="The kiln is in Jena.")
    first, second = await told.events(s=note)
    assert first["data"] == written | {"summary": "The kiln is in Jena."}, "it is not kept"
    assert second["data"]["operation"] == "UPDATE"
    assert second["data"]["agent_id"] is None
    await told.api(FORGET, id=note, p=True)
    [gone] = await told.events(s=note)
    assert (gone["data"]["operation"], gone["data"]["summary"]) == ("DELETE", None)


@pytest.mark.feature("MUMA-80")
async def test_a_sibling_hears_what_is_in_its_scope_and_then_recalls_it(
    told: Told, context: Context
) -> None:
    api = told.api
    await api(AGENT, i={"id": "coding", "domains": ["business/coding"]})
    access = partial(open_access, context, api.user, "coding")
    async with aclosing(follow(context, access, after=None, domain="business")) as stream:
        first = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        hidden = await told.note("The discount is small.", domain="business/sales")
        while not first.done():  # it begins with what is written after it has begun
            seen = await told.note("The relay is blue.", domain="business/coding", mode="VERBATIM")
            await asyncio.wait((first,), timeout=1)
        event = first.result()
    assert event.domain == "business/coding"
    assert event.subject_id != hidden
    hits = await api.as_agent("coding").recall("relay")
    assert {event.subject_id, seen} <= {hit["note"]["id"] for hit in hits}


@pytest.mark.feature("MUMA-78")
async def test_each_channel_has_its_acts(told: Told, new_user: Any) -> None:
    api, other, team = told.api, told.api.as_user(new_user()), new_user()
    stranger = told.api.as_user(new_user())
    await api(TEAM, id=team, of=[api.user, other.user])
    await other(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    note = await told.note("The kiln guarantees 99.9% uptime.", domain="work")
    proposal = (await api(PROPOSE, id=note, team=team))["proposeKnowledge"]["id"]
    await other.as_agent("lead")(DECIDE, id=proposal, d="COMMIT")
    await api(POST, t=team, v={"state": "hot"})
    await contradict(told)

    async def heard(client: Any) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for each in (await client(EVENTS))["events"]:
            found.setdefault(each["channel"], set()).add(each["summary"])
        return found

    mine, theirs = await heard(api), await heard(other)
    assert "note remembered" in mine["memory_update"]
    assert mine["memory_conflict"] == {"two notes contradict each other"}
    assert "memory_update" not in theirs, "a user's memory is told to the user alone"
    for found in (mine, theirs):
        assert "the team knows it" in found["knowledge_update"]
        assert "posted on the board" in found["state_change"]
    assert await heard(stranger) == {}


async def test_the_user_hears_how_far_a_reflection_is(told: Told) -> None:
    await told.note("The kiln is in Ulm.", visibility="OPEN")
    await told.bot("mutation { reflect { id } }")
    heard = [each for each in await told.events() if "reflection" in each["summary"]]
    assert [(each["channel"], each["summary"], each["actor"]) for each in heard] == [
        ("state_change", "reflection begun", "bot:bot"),
        ("memory_update", "reflection proposed", "bot:bot"),
    ]
    assert heard[0]["data"] == {"cause": "asked"}
    assert not [e for e in (await told.bot(EVENTS))["events"] if "reflection" in e["summary"]]


def keep_to(monkeypatch: pytest.MonkeyPatch, user: str) -> None:
    """Let the sweep go through the notes of one user."""
    keep_batches_to(monkeypatch, lambda: [user])


@pytest.mark.feature("MUMA-112")
async def test_the_events_of_a_note_tell_its_life(
    place: Any, new_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Local, kept, shared, used, faded, put away and brought back: a day, and the months after it,
    with nothing but GraphQL."""
    here = await place()
    api, team = here.api, new_user()
    keep_to(monkeypatch, api.user)
    other, worker = api.as_user(new_user()), api.as_agent("worker")
    await api(TEAM, id=team, of=[api.user, other.user])
    await other(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    session = (await worker("mutation { openSession { id } }"))["openSession"]["id"]
    draft = {"content": "The kiln guarantees 99.9% uptime.", "sessionId": session}
    local = (await worker.remember(**draft))["note"]["id"]
    assert await summaries(worker, local) == ["note kept in local memory"]
    assert await api.recall("kiln uptime") == [], "it is the agent's until the session ends"
    close = "mutation C($id: ID!) { closeSession(id: $id) { promoted { id } } }"
    [kept] = (await worker(close, id=session))["closeSession"]["promoted"]
    note = kept["id"]
    assert [hit["note"]["id"] for hit in await api.recall("kiln uptime")] == [note]
    proposal = (await api(PROPOSE, id=note, team=team))["proposeKnowledge"]["id"]
    await other.as_agent("lead")(DECIDE, id=proposal, d="COMMIT")
    assert [each["content"] for each in (await other(KNOWN))["commons"]]
    for days in (60, 400):
        here.clock.move(read_duration(f"{days}d").total_seconds() / 3600)
        await run(api, "sweep_decay")
    assert await api.recall("kiln uptime") == []
    await api(RESTORE, id=note)
    await api(FORGET, id=note)
    life = [
        (each["type"], each["actor"], each["summary"])
        for each in (await api(EVENTS, s=note))["events"]
    ]
    assert [each for each in life if each[0] != "DECAY"] == [
        ("CREATE", "bot:worker", "note remembered"),
        ("PROPOSE", "manual", "knowledge proposed"),
        ("REVERT", "manual", "note restored"),
        ("ARCHIVE", "manual", "note forgotten"),
    ]
    faded = [summary for kind, _, summary in life if kind == "DECAY"]
    assert faded[-1].endswith("→archived")
    assert await summaries(worker, local) == ["note destroyed for good"], "what was kept is not it"


async def summaries(client: Any, note: str) -> list[str]:
    return [each["summary"] for each in (await client(EVENTS, s=note))["events"]]


async def run(api: Any, job: str) -> None:
    """Run a job to its end, as an admin may."""
    started = await api(f'mutation {{ runJob(name: "{job}") {{ id }} }}')
    while True:
        runs = await api(f'{{ jobRuns(job: "{job}", first: 500) {{ id status error }} }}')
        [last] = [each for each in runs["jobRuns"] if each["id"] == started["runJob"]["id"]]
        if last["status"] != "RUNNING":
            assert last["status"] == "DONE", last
            return

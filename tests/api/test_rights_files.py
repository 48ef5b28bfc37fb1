"""The files that agents live by are the user's: tried for every kind of agent with everything that
changes, hides, takes over or destroys a note."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from race_world import cypher

from graphmem.domain.alerts import FILES
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget as forget_note
from graphmem.services.writing import changing, visibility

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { operation note { id } } }"
MANY = """mutation M($n: [RememberInput!]!) { rememberMany(input: {notes: $n}) {
  results { operation error { code } } } }"""
REVISE = """mutation R($id: ID!, $c: String, $t: String, $tags: [String!], $d: String) {
  revise(id: $id, content: $c, title: $t, tags: $tags, domain: $d) { version } }"""
FORGET = """mutation F($id: ID, $q: String, $p: Boolean) {
  forget(id: $id, query: $q, confirm: true, permanent: $p) { forgotten } }"""
PIN = "mutation P($id: ID!, $v: Visibility) { pin(id: $id, visibility: $v) { id } }"
SEE = """mutation S($id: ID, $d: String) { setVisibility(id: $id, domain: $d,
  visibility: PRIVATE) { updatedCount } }"""
REVERT = "mutation R($id: ID!) { revertNote(id: $id, version: 1) { id } }"
REVERT_TO = "mutation R($at: DateTime!) { revertTo(at: $at) }"
RESTORE = "mutation R($id: ID!) { restore(id: $id) { id } }"
COMMAND = "mutation C($t: String!) { command(text: $t) { message } }"
CONSOLIDATE = "mutation { consolidate { merged } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
NOTE = "query N($e: String!) { note(externalId: $e) { id content } }"
WHOLE = """query N($id: ID!) { note(id: $id) { id version content title tags domain visibility
  status pinned externalId validTo revisions { version content } } }"""
ALERTS = "{ alerts { file noteId version by question } }"
CONFIRM = """mutation C($id: ID!, $v: Int!) { confirmAlert(noteId: $id, version: $v) { file } }"""
OPEN = "mutation { openSession { alerts { file } } }"
SOUL = "The soul is kind and never lies to the potter."
FAKE = "The soul is cruel and always lies to the potter."
Try = Callable[[Any, str], Awaitable[Any]]
AGENTS: dict[str, dict[str, Any]] = {
    "worker": {"role": "WORKER"},
    "main": {"role": "ASSISTANT", "canSeePrivate": True},
    "lead": {"role": "ORCHESTRATOR", "canSeePrivate": True},
    "meek": {"role": "WORKER", "writes": "PROPOSE"},
    "quick": {"role": "WORKER", "writes": "AUTO_COMMIT"},
}
NAMES = [*FILES, "SOUL.md", "soul", "Soul.MD", " SOUL "]


def named(name: str) -> Try:
    """To write a note of one's own under the name of a file."""
    return lambda agent, _: agent.post(REMEMBER, i={"content": FAKE, "externalId": name})


WAYS: dict[str, Try] = {
    **{f"remember {name!r}": named(name) for name in NAMES},
    "verbatim": lambda agent, _: agent.post(
        REMEMBER, i={"content": FAKE, "externalId": "SOUL", "mode": "VERBATIM"}
    ),
    "sure": lambda agent, _: agent.post(
        REMEMBER, i={"content": FAKE, "externalId": "SOUL", "confidence": 1.0}
    ),
    "many": lambda agent, _: agent.post(MANY, n=[{"content": FAKE, "externalId": "SOUL"}]),
    "content": lambda agent, note: agent.post(REVISE, id=note, c=FAKE),
    "title": lambda agent, note: agent.post(REVISE, id=note, t="Cruelty"),
    "tags": lambda agent, note: agent.post(REVISE, id=note, tags=["cruel"]),
    "domain": lambda agent, note: agent.post(REVISE, id=note, d="attic"),
    "forget": lambda agent, note: agent.post(FORGET, id=note),
    "destroy": lambda agent, note: agent.post(FORGET, id=note, p=True),
    "forget by words": lambda agent, note: agent.post(FORGET, q="soul kind potter"),
    "destroy by words": lambda agent, note: agent.post(FORGET, q="soul kind potter", p=True),
    "hide": lambda agent, note: agent.post(SEE, id=note),
    "hide its domain": lambda agent, note: agent.post(SEE, d="general"),
    "pin": lambda agent, note: agent.post(PIN, id=note),
    "pin and hide": lambda agent, note: agent.post(PIN, id=note, v="PRIVATE"),
    "revert": lambda agent, note: agent.post(REVERT, id=note),
    "revert all": lambda agent, note: agent.post(REVERT_TO, at="2020-01-01T00:00:00Z"),
    "restore": lambda agent, note: agent.post(RESTORE, id=note),
    "say": lambda agent, note: agent.post(COMMAND, t="Forget about the soul"),
    "say otherwise": lambda agent, note: agent.post(
        REMEMBER, i={"content": "The soul is not kind and always lies to the potter."}
    ),
    "say the same": lambda agent, note: agent.post(REMEMBER, i={"content": SOUL}),
    "say more": lambda agent, note: agent.post(
        REMEMBER, i={"content": f"{SOUL[:-1]} and to nobody else."}
    ),
    "consolidate": lambda agent, note: agent.post(CONSOLIDATE),
}


@pytest.fixture
async def soul(api: Any) -> str:
    """Ann's file, in its second version."""
    for agent, given in AGENTS.items():
        await api(AGENT, i={"id": agent, **given})
    draft = {"externalId": "SOUL", "content": f"{SOUL} Always.", "visibility": "OPEN"}
    note = (await api(REMEMBER, i=draft))["remember"]["note"]["id"]
    await api(REVISE, id=note, c=SOUL)
    await api(CONFIRM, id=note, v=2)
    return note


@pytest.mark.feature("MOLT-72")
@pytest.mark.parametrize("name", AGENTS)
async def test_no_agent_gets_at_a_file(api: Any, soul: str, name: str) -> None:
    agent = api.as_agent(name)
    before = (await api(WHOLE, id=soul))["note"]
    allowed = set[str]()
    for way, attempt in WAYS.items():
        answer = await attempt(agent, soul)
        if not answer.get("errors") and "'error': {" not in str(answer):
            allowed.add(way)
        assert (await api(WHOLE, id=soul))["note"] == before, way
        for reader in (api, agent, api.as_agent("other")):
            assert (await reader(NOTE, e="SOUL"))["note"] == {"id": soul, "content": SOUL}, way
        assert (await api(ALERTS))["alerts"] == [], way
    # The rest writes notes of its own, or finds nothing that it may forget.
    others = {"forget by words", "destroy by words", "say", "say otherwise", "say the same"}
    assert allowed <= {*others, "say more", "restore", "revert all", "consolidate"}
    if AGENTS[name].get("writes") is None:
        assert {"say otherwise", "say the same", "say more"} <= allowed


async def test_an_archived_file_is_brought_back_by_the_user_alone(api: Any, soul: str) -> None:
    await api(FORGET, id=soul)
    for name in AGENTS:
        answer = await api.as_agent(name).post(RESTORE, id=soul)
        assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    await api(RESTORE, id=soul)


async def test_no_note_stands_for_a_file(api: Any, context: Context) -> None:
    """Also not one that an agent wrote before such names were the user's."""
    made = (await api.as_agent("worker")(REMEMBER, i={"content": FAKE}))["remember"]["note"]["id"]
    query = "MATCH (n:Note {id: $id}) SET n.externalId = 'SOUL', n.externalKey = 'worker|SOUL'"
    await cypher(context, query, id=made)
    for reader in (api, api.as_agent("worker"), api.as_agent("other")):
        answer = await reader.post(NOTE, e="SOUL")
        assert answer["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    told = (await api(COMMAND, t="Has SOUL.md ever been changed?"))["command"]["message"]
    assert told == "I know of no SOUL.md."


async def by(context: Context, user: str, actor: str) -> Any:
    """The access of somebody who acts in the user's name."""
    access = await open_access(context, user, None)
    return replace(access, viewer=replace(access.viewer, acting_as=actor))


@pytest.mark.feature("MOLT-71", "MOLT-72", "MOLT-77")
async def test_a_destroyed_file_is_asked_about_until_the_user_answers(
    api: Any, context: Context, soul: str
) -> None:
    asked = "Has SOUL.md ever been changed?"
    access = await by(context, api.user, "bot:helper")
    given = {"query": None, "confirm": True, "reason": None}
    await forget_note(context, access, note_id=soul, permanent=True, **given)
    again = {"externalId": "SOUL", "content": FAKE, "visibility": "OPEN"}
    await api(REMEMBER, i=again)  # the user, who does not know of it
    [alert] = (await api(ALERTS))["alerts"]
    assert alert["question"].startswith("SOUL was destroyed on ")
    assert (alert["file"], alert["noteId"], alert["by"]) == ("SOUL", soul, ["bot:helper"])
    for name, times in (("worker", 1), ("worker", 0), ("lead", 1)):
        told = (await api.as_agent(name)(OPEN))["openSession"]["alerts"]
        assert told == [{"file": "SOUL"}] * times
    assert await api.as_agent("lead").code(CONFIRM, id=soul, v=2) == "FORBIDDEN"
    assert len((await api(ALERTS))["alerts"]) == 1
    message = (await api(COMMAND, t=asked))["command"]["message"]
    assert "was destroyed" in message
    assert "has not been changed" not in message
    assert (await api(CONFIRM, id=soul, v=2))["confirmAlert"] == []
    assert (await api(ALERTS))["alerts"] == []
    message = (await api(COMMAND, t=asked))["command"]["message"]
    assert "has not been changed" not in message


@pytest.mark.feature("MOLT-72")
async def test_each_file_that_is_destroyed_is_asked_about(
    api: Any, context: Context, soul: str
) -> None:
    """Also one of the same name, with or without an ending, and one that was made since."""
    given = {"query": None, "confirm": True, "reason": None}
    gone = []
    for name in (None, "SOUL.md", "SOUL"):
        draft = {"externalId": name, "content": f"{SOUL} {name}", "visibility": "OPEN"}
        made = (await api(REMEMBER, i=draft))["remember"]["note"]["id"] if name else soul
        access = await by(context, api.user, "bot:helper")
        await forget_note(context, access, note_id=made, permanent=True, **given)
        gone.append(made)
    assert {each["noteId"] for each in (await api(ALERTS))["alerts"]} == {*gone}
    for note in gone:
        left = (await api(CONFIRM, id=note, v=1))["confirmAlert"]
    assert left == []


@pytest.mark.feature("MOLT-72")
async def test_a_file_that_somebody_hides_is_asked_about(
    api: Any, context: Context, soul: str
) -> None:
    access = await by(context, api.user, "bot:helper")
    hidden = visibility.Visibility.PRIVATE
    await visibility.set_note_visibility(context, access, soul, hidden)
    [alert] = (await api(ALERTS))["alerts"]
    assert (alert["noteId"], alert["by"]) == (soul, ["bot:helper"])
    await api(CONFIRM, id=soul, v=alert["version"])
    await api(PIN, id=soul, v="OPEN")  # the user in person may
    assert (await api(ALERTS))["alerts"] == []
    access = await by(context, api.user, "bot:helper")
    await changing.revise(context, access, soul, changing.Edit(domain="attic"))
    assert [each["by"] for each in (await api(ALERTS))["alerts"]] == [["bot:helper"]]


async def test_an_agent_that_carries_a_wish_over_hides_no_file(api: Any) -> None:
    await api(AGENT, i={"id": "worker"})
    draft = {"externalId": "USER", "content": "I live in Lyon.", "visibility": "OPEN"}
    note = (await api(REMEMBER, i=draft))["remember"]["note"]["id"]
    seen = "query N($id: ID!) { note(id: $id) { visibility } }"
    wish = "Keep my location private"
    await api.as_agent("worker")(COMMAND, t=wish)
    assert (await api(seen, id=note))["note"]["visibility"] == "OPEN"
    await api(COMMAND, t=wish)  # whose file it is
    assert (await api(seen, id=note))["note"]["visibility"] == "PRIVATE"

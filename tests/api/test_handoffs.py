"""Tasks are handed off with the notes that they need; what is lent ends with the task."""

from collections.abc import Callable
from typing import Any

import pytest

AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
FIELDS = "id summary at endedAt from { id } to { id } notes { id content }"
HAND = f"""mutation H($to: ID!, $summary: String!, $notes: [ID!]!) {{
  handoff(to: $to, summary: $summary, noteIds: $notes) {{ {FIELDS} }} }}"""
END = f"mutation E($id: ID!) {{ endHandoff(id: $id) {{ {FIELDS} }} }}"
LIST = f"{{ handoffs {{ {FIELDS} }} }}"
EVENTS = "{ events(first: 500) { summary } }"
SPAWN = """mutation S($role: AgentRole!, $domains: [String!], $notes: [ID!]) {
  spawnAgent(role: $role, domains: $domains, noteIds: $notes) {
  id role domains writes canSeePrivate } }"""
OPEN = "mutation { openSession { id } }"
CLOSE = "mutation C($id: ID!) { closeSession(id: $id) { id } }"
NOTE = "query N($id: ID!) { note(id: $id) { id content } }"
SEE = """mutation S($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) {
  updatedCount } }"""
LISTED = "{ notes { totalCount } stats { totalNotes } }"
RELAY = "The kiln relay trips at 900 degrees."


async def set_up(api: Any) -> tuple[Any, Any, dict[str, str]]:
    """Sales, coding, and notes of the domain of each visibility."""
    await api(AGENT, i={"id": "sales", "domains": ["sales"]})
    await api(AGENT, i={"id": "coding", "domains": ["coding"]})
    notes = {}
    for visibility in ("SCOPED", "PRIVATE", "USER_ONLY"):
        made = await api.remember(f"{visibility}: {RELAY}", domain="coding", visibility=visibility)
        notes[visibility] = made["note"]["id"]
    other = await api.remember("The lid of the kiln is heavy.", domain="coding")
    notes["other"] = other["note"]["id"]
    return api.as_agent("sales"), api.as_agent("coding"), notes


async def hand(client: Any, to: str, *notes: str) -> dict[str, Any]:
    given = {"to": to, "summary": "Repair the relay.", "notes": list(notes)}
    return (await client(HAND, **given))["handoff"]


async def found(client: Any, **given: Any) -> set[str]:
    return {hit["note"]["id"] for hit in await client.recall("kiln relay", **given)}


@pytest.mark.feature("MUMA-99")
async def test_the_receiver_gets_the_named_notes_until_its_session_ends(
    api: Any, new_user: Callable[[], str]
) -> None:
    sales, coding, notes = await set_up(api)
    note = notes["SCOPED"]
    assert await sales.code(NOTE, id=note) == "NOT_FOUND"
    made = await hand(coding, "sales", note)
    lent = [{"id": note, "content": f"SCOPED: {RELAY}"}]
    assert made == {
        **made,
        "summary": "Repair the relay.",
        "endedAt": None,
        "from": {"id": "coding"},
        "to": {"id": "sales"},
        "notes": lent,
    }
    assert (await sales(LIST))["handoffs"] == [made]
    assert (await sales(NOTE, id=note))["note"] == lent[0]
    for scope in ("LOCAL", "USER", "TEAM"):
        assert await found(sales, scope=scope) == {note}
    assert await sales.code(NOTE, id=notes["other"]) == "NOT_FOUND"  # not the history
    assert (await sales(LISTED))["notes"]["totalCount"] == 0
    await api(AGENT, i={"id": "third", "domains": ["sales"]})
    for other in (api.as_agent("third"), api.as_user(new_user()).as_agent("sales")):
        assert (await other(LIST))["handoffs"] == []
        assert await other.code(NOTE, id=note) == "NOT_FOUND"
        assert await found(other) == set()
        assert await other.code(END, id=made["id"]) == "NOT_FOUND"
    session = (await sales(OPEN))["openSession"]["id"]
    assert await found(sales) == {note}
    await sales(CLOSE, id=session)
    assert await found(sales) == set()
    assert await sales.code(NOTE, id=note) == "NOT_FOUND"
    assert (await api(LIST))["handoffs"] == []


async def test_nobody_reads_above_its_clearance_by_a_handoff(api: Any) -> None:
    sales, coding, notes = await set_up(api)
    await api(AGENT, i={"id": "main", "canSeePrivate": True})
    for closed in ("PRIVATE", "USER_ONLY"):
        for to in ("sales", "main") if closed == "USER_ONLY" else ("sales",):
            given = {"to": to, "summary": "x", "notes": [notes[closed]]}
            assert await api.code(HAND, **given) == "FORBIDDEN"
    assert (await hand(api, "main", notes["PRIVATE"]))["from"] is None
    given = {"summary": "x", "notes": [notes["SCOPED"]]}
    assert await sales.code(HAND, to="coding", **given) == "NOT_FOUND"  # what it does not read
    assert await coding.code(HAND, to="nobody", **given) == "NOT_FOUND"
    assert await coding.code(HAND, to="coding", **given) == "BAD_USER_INPUT"
    await api(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    assert await api.as_agent("meek").code(HAND, to="sales", **given) == "FORBIDDEN"


async def test_what_is_closed_meanwhile_is_lent_no_longer(api: Any) -> None:
    sales, coding, notes = await set_up(api)
    made = await hand(coding, "sales", notes["SCOPED"], notes["other"])
    assert len(made["notes"]) == 2
    await api(SEE, id=notes["SCOPED"], v="PRIVATE")
    assert await sales.code(NOTE, id=notes["SCOPED"]) == "NOT_FOUND"
    [handoff] = (await sales(LIST))["handoffs"]
    assert [note["id"] for note in handoff["notes"]] == [notes["other"]]
    forget = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
    await api(forget, id=notes["other"])
    assert await found(sales) == set()
    ended = (await coding(END, id=made["id"]))["endHandoff"]
    assert ended["endedAt"] is not None
    assert (await sales(LIST))["handoffs"] == []


@pytest.mark.feature("MUMA-100")
async def test_a_new_agent_begins_with_notes(api: Any) -> None:
    _, coding, notes = await set_up(api)
    await api(AGENT, i={"id": "lead", "role": "ORCHESTRATOR", "domains": ["sales", "coding"]})
    lead = api.as_agent("lead")
    given = {"role": "WORKER", "domains": ["sales/emea"], "notes": [notes["SCOPED"]]}
    made = (await lead(SPAWN, **given))["spawnAgent"]
    assert made == {
        "id": made["id"],
        "role": "WORKER",
        "domains": ["sales/emea"],
        "writes": "DIRECT",
        "canSeePrivate": False,
    }
    new = api.as_agent(made["id"])
    assert await found(new, scope="LOCAL") == {notes["SCOPED"]}
    assert await new.code(NOTE, id=notes["other"]) == "NOT_FOUND"
    for wrong in ({"role": "ORCHESTRATOR"}, {"domains": ["*"]}, {"domains": ["home"]}):
        assert await lead.code(SPAWN, **{**given, **wrong}) == "FORBIDDEN"
    assert await lead.code(SPAWN, **{**given, "notes": [notes["PRIVATE"]]}) == "NOT_FOUND"
    for nobody in (coding, new):
        assert await nobody.code(SPAWN, role="WORKER") == "FORBIDDEN"
    mine = (await api(SPAWN, role="ASSISTANT"))["spawnAgent"]
    assert (mine["role"], mine["domains"]) == ("ASSISTANT", ["*"])
    told = [each["summary"] for each in (await api(EVENTS))["events"]]
    for agent in (made, mine):  # with notes and without
        assert told.count(f"agent {agent['id']} made") == 1


async def test_a_handoff_ends_after_a_week(place: Any) -> None:
    at = await place()
    sales, coding, notes = await set_up(at.api)
    await hand(coding, "sales", notes["SCOPED"])
    at.clock.move(7 * 24 - 1)
    assert await found(sales) == {notes["SCOPED"]}
    at.clock.move(1)
    assert await found(sales) == set()
    assert (await sales(LIST))["handoffs"] == []

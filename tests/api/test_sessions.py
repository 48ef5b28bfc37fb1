"""Sessions of agents: a local memory that only the agent reads, and what stays of it."""

import asyncio
from typing import Any

import pytest
from race_world import cypher

from graphmem.domain.notes import NoteDraft, NoteFilter, WriteMode
from graphmem.errors import Unavailable
from graphmem.services.actors import open_access
from graphmem.services.reading.notes import count_notes
from graphmem.services.sessions import remembering, sessions
from graphmem.services.writing.remember import Remembered

OPEN = "mutation O($task: String) { openSession(task: $task) { id task closedAt agent { id } } }"
CLOSE = """mutation C($id: ID!) { closeSession(id: $id) {
  id closedAt dropped promoted { id content visibility sessionId tags entities { name } } } }"""
REMEMBER = """mutation R($input: RememberInput!) { remember(input: $input) {
  operation reason note { id content visibility tier sessionId readableBy { id } } } }"""
MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes}) {
  results { operation note { id visibility } error { code } } } }"""
NOTE = "query N($id: ID!) { note(id: $id) { id content visibility sessionId } }"
LIST = "{ notes(first: 100) { totalCount nodes { id } } stats { totalNotes byVisibility } }"
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
RELAY = "The kiln relay trips at 900 degrees."


async def opened(client: Any, task: str = "Repair the relay") -> str:
    return (await client(OPEN, task=task))["openSession"]["id"]


async def local(client: Any, session: str, content: str, **given: Any) -> dict[str, Any]:
    draft = {"content": content, "sessionId": session, **given}
    return (await client(REMEMBER, input=draft))["remember"]


@pytest.mark.feature("MUMA-2")
async def test_no_sibling_reads_local_memory(api: Any, new_user: Any) -> None:
    await api(AGENT, input={"id": "main", "canSeePrivate": True})
    await api(AGENT, input={"id": "lead", "role": "ORCHESTRATOR"})
    coding = api.as_agent("coding")
    session = await opened(coding)
    made = await local(coding, session, RELAY, entities=[{"name": "Relay"}], tags=["kiln"])
    note = made["note"]
    assert made["operation"] == "ADD"
    assert (note["visibility"], note["tier"], note["sessionId"]) == ("LOCAL", "WORKING", session)
    assert note["readableBy"] == [{"id": "coding"}]
    everything = """query E($id: ID!) { entities { name }
      events(first: 100, subjectId: $id) { id } context(input: {task: "kiln relay"}) { hits {
      note { id } } } }"""
    others = [api.as_agent(name) for name in ("main", "lead", "sales")]
    others.append(api.as_user(new_user()).as_agent("coding"))
    for sibling in others:
        assert await sibling.code(NOTE, id=note["id"]) == "NOT_FOUND"
        for scope in ("LOCAL", "USER", "TEAM"):
            found = await sibling.recall("kiln relay", scope=scope, explicit=True, deep=True)
            assert found == []
        listed = await sibling(LIST)
        assert (listed["notes"]["totalCount"], listed["stats"]["totalNotes"]) == (0, 0)
        assert await sibling(everything, id=note["id"]) == {
            "entities": [], "events": [], "context": {"hits": []},
        }  # fmt: skip
    assert [hit["note"]["id"] for hit in await coding.recall("kiln relay")] == [note["id"]]
    # The user reads it by name, as everything of theirs, but it is not recalled for them.
    assert (await api(NOTE, id=note["id"]))["note"]["content"] == RELAY
    assert await api.recall("kiln relay") == []


@pytest.mark.feature("MUMA-1")
async def test_each_scope_goes_further(api: Any) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    mine = (await local(coding, session, RELAY))["note"]["id"]
    shared = (await api.remember("The kiln relay was made in Ghent.", visibility="OPEN"))["note"]
    found = {
        scope: {hit["note"]["id"] for hit in await coding.recall("kiln relay", scope=scope)}
        for scope in ("LOCAL", "USER")
    }
    assert found == {"LOCAL": {mine}, "USER": {mine, shared["id"]}}
    asked = "query Q($i: RecallInput!) { recall(input: $i) { hits { note { id } } } }"
    given = {"query": "kiln relay", "scope": "LOCAL", "sessionId": session}
    hits = (await coding(asked, i=given))["recall"]["hits"]
    assert [hit["note"]["id"] for hit in hits] == [mine]
    assert await api.as_agent("sales").code(asked, i=given) == "BAD_USER_INPUT"


@pytest.mark.feature("MUMA-14")
async def test_what_is_present_enough_stays_and_the_rest_is_archived(place: Any) -> None:
    at = await place()
    coding = at.api.as_agent("coding")
    session = await opened(coding)
    stale = (await local(coding, session, "The pottery shop is shut on Mondays."))["note"]["id"]
    at.clock.move(60)
    fresh = (await local(coding, session, RELAY, tags=["kiln"], entities=[{"name": "Ghent"}]))[
        "note"
    ]["id"]
    closed = (await coding(CLOSE, id=session))["closeSession"]
    assert (closed["dropped"], len(closed["promoted"])) == (1, 1)
    assert closed["closedAt"] == "2026-03-04T00:00:00Z"
    kept = closed["promoted"][0]
    assert (kept["content"], kept["sessionId"]) == (RELAY, session)
    assert kept["visibility"] == "SCOPED"
    assert "kiln" in kept["tags"]
    assert "Ghent" in [entity["name"] for entity in kept["entities"]]
    assert await coding.code(NOTE, id=fresh) == "NOT_FOUND"  # it is another note now
    sales = at.api.as_agent("sales")
    assert [hit["note"]["id"] for hit in await sales.recall("kiln relay")] == [kept["id"]]
    assert await sales.code(NOTE, id=stale) == "NOT_FOUND"
    hits = await coding.recall("pottery shop")
    assert stale not in [hit["note"]["id"] for hit in hits]
    assert await coding.recall("pottery shop", scope="LOCAL") == []
    assert (await coding(CLOSE, id=session))["closeSession"] == closed  # told again
    late = {"content": "Too late.", "sessionId": session}
    assert await coding.code(REMEMBER, input=late) == "BAD_USER_INPUT"


async def test_what_was_said_already_becomes_no_second_note(api: Any) -> None:
    coding = api.as_agent("coding")
    before = (await coding.remember(RELAY))["note"]["id"]
    session = await opened(coding)
    await local(coding, session, RELAY)
    closed = (await coding(CLOSE, id=session))["closeSession"]
    assert [note["id"] for note in closed["promoted"]] == [before]
    assert (await api(LIST))["notes"]["totalCount"] == 1


async def test_what_can_not_be_written_for_now_stays_until_the_session_is_closed_again(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    held = (await local(coding, session, RELAY))["note"]["id"]
    write = sessions.share_many

    async def away(*_: Any) -> list[Remembered]:
        return [Remembered(error=Unavailable())]

    monkeypatch.setattr(sessions, "share_many", away)
    assert await coding.code(CLOSE, id=session) == "UNAVAILABLE"
    assert (await coding(NOTE, id=held))["note"]["visibility"] == "LOCAL"
    assert [hit["note"]["id"] for hit in await coding.recall("kiln relay")] == [held]
    monkeypatch.setattr(sessions, "share_many", write)
    closed = (await coding(CLOSE, id=session))["closeSession"]
    assert (closed["dropped"], [n["content"] for n in closed["promoted"]]) == (0, [RELAY])


async def test_local_notes_for_which_no_time_is_left_are_told(context: Any, new_user: Any) -> None:
    access = await open_access(context, new_user(), "coding", register=True)
    session = (await sessions.open_session(context, access, None))[0].id
    draft = NoteDraft(content=RELAY, session_id=session)
    until = asyncio.get_running_loop().time()
    drafts = [(draft, WriteMode.CURATED)] * 2
    found = await remembering.remember_many(context, access, drafts, until=until)
    assert [each.error and each.error.code for each in found] == ["OPERATION_TIMEOUT"] * 2
    assert await count_notes(context, access, NoteFilter()) == 0


@pytest.mark.feature("MUMA-15")
@pytest.mark.parametrize("given", [{"pinned": True}, {"importance": 0.95}])
async def test_a_high_value_note_does_not_wait(api: Any, given: dict[str, Any]) -> None:
    coding, sales = api.as_agent("coding"), api.as_agent("sales")
    session = await opened(coding)
    made = (await local(coding, session, RELAY, visibility="OPEN", **given))["note"]
    assert (made["visibility"], made["sessionId"]) == ("OPEN", session)
    assert [hit["note"]["id"] for hit in await sales.recall("kiln relay")] == [made["id"]]
    low = await local(coding, session, "The lid is heavy.", importance=0.94)
    assert low["note"]["visibility"] == "LOCAL"


async def test_promotion_gives_no_more_readers_than_were_asked_for(api: Any) -> None:
    rule = """mutation S($d: String!) { setVisibility(domain: $d, visibility: PRIVATE) {
      updatedCount } }"""
    coding = api.as_agent("coding")
    session = await opened(coding)
    await local(coding, session, "I like the old lid more.", visibility="PRIVATE")
    ruled = (await local(coding, session, "The vault has two keys.", domain="vault"))["note"]["id"]
    # A rule does not take a note out of local memory, but holds when the session closes.
    assert (await api(rule, d="vault"))["setVisibility"]["updatedCount"] == 0
    assert (await coding(NOTE, id=ruled))["note"]["visibility"] == "LOCAL"
    closed = (await coding(CLOSE, id=session))["closeSession"]
    assert [note["visibility"] for note in closed["promoted"]] == ["PRIVATE", "PRIVATE"]
    assert (await api.as_agent("sales")(LIST))["notes"]["totalCount"] == 0


async def test_nobody_chooses_or_leaves_local_memory(api: Any) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    note = (await local(coding, session, RELAY))["note"]["id"]
    other = (await api.remember("The lid is heavy.", visibility="OPEN"))["note"]["id"]
    show = """mutation S($id: ID, $d: String, $v: Visibility!) {
      setVisibility(id: $id, domain: $d, visibility: $v) { updatedCount } }"""
    pin = "mutation P($id: ID!) { pin(id: $id, visibility: LOCAL) { id } }"
    for client in (api, coding):
        assert await client.code(show, id=other, v="LOCAL") == "BAD_USER_INPUT"
        assert await client.code(pin, id=other) == "BAD_USER_INPUT"
        draft = {"content": "x", "visibility": "LOCAL"}
        assert await client.code(REMEMBER, input=draft) == "BAD_USER_INPUT"
    assert await api.code(show, d="docs", v="LOCAL") == "BAD_USER_INPUT"
    for wider in ("OPEN", "SCOPED", "PRIVATE", "USER_ONLY"):
        assert await coding.code(show, id=note, v=wider) == "FORBIDDEN"
    assert (await api(show, id=note, v="OPEN"))["setVisibility"]["updatedCount"] == 1


async def test_a_change_leaves_a_note_in_local_memory(api: Any) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    note = (await local(coding, session, RELAY))["note"]["id"]
    revise = """mutation R($id: ID!, $content: String, $domain: String) {
      revise(id: $id, content: $content, domain: $domain) {
        version content domain visibility readableBy { id } } }"""
    told = "The kiln relay trips at 950 degrees."
    first = (await coding(revise, id=note, content=told))["revise"]
    second = (await coding(revise, id=note, domain="kiln"))["revise"]
    assert [each["version"] for each in (first, second)] == [2, 3]
    for found, domain in ((first, "general"), (second, "kiln")):
        assert (found["content"], found["domain"]) == (told, domain)
        assert (found["visibility"], found["readableBy"]) == ("LOCAL", [{"id": "coding"}])
    assert await api.as_agent("sales").code(NOTE, id=note) == "NOT_FOUND"
    assert [hit["note"]["id"] for hit in await coding.recall("kiln relay", scope="LOCAL")] == [note]


async def test_a_note_has_its_place_in_an_episode_when_it_is_promoted(
    api: Any, context: Any
) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    given = {"episode": "monday", "visibility": "OPEN"}
    first = (await api.remember("The lid is heavy.", **given))["note"]["id"]
    await local(coding, session, RELAY, **given)
    last = (await api.remember("The floor is wet.", **given))["note"]["id"]
    chain = """MATCH (n:Note {user: $user})-[:NEXT]->(m:Note) RETURN n.id, m.id ORDER BY n.id"""
    assert await cypher(context, chain, user=api.user) == [[first, last]]
    closed = (await coding(CLOSE, id=session))["closeSession"]
    kept = closed["promoted"][0]["id"]
    assert await cypher(context, chain, user=api.user) == [[first, last], [last, kept]]


async def test_sessions_are_of_one_agent(api: Any, new_user: Any) -> None:
    coding, sales = api.as_agent("coding"), api.as_agent("sales")
    session = await opened(coding)
    assert await api.code(OPEN) == "FORBIDDEN"
    assert await api.code(CLOSE, id=session) == "FORBIDDEN"
    stranger = api.as_user(new_user()).as_agent("coding")
    for other in (sales, stranger):
        assert await other.code(CLOSE, id=session) == "NOT_FOUND"
        draft = {"content": "x", "sessionId": session}
        assert await other.code(REMEMBER, input=draft) == "BAD_USER_INPUT"
        results = (await other(MANY, notes=[draft, {"content": "The lid is heavy."}]))[
            "rememberMany"
        ]["results"]
        assert [bool(each["error"]) for each in results] == [True, False]


@pytest.mark.feature("MOLT-81", "MUMA-14")
async def test_what_stays_of_the_session_of_an_agent_that_may_only_propose_is_proposed(
    api: Any,
) -> None:
    await api(AGENT, input={"id": "shy", "writes": "PROPOSE"})
    shy = api.as_agent("shy")
    session = await opened(shy)
    made = await local(shy, session, RELAY)
    assert (made["operation"], made["note"]["visibility"]) == ("ADD", "LOCAL")
    proposed = await local(shy, session, "Never fire it alone.", pinned=True)
    assert (proposed["operation"], proposed["note"]) == ("PROPOSE", None)
    closed = (await shy(CLOSE, id=session))["closeSession"]
    assert (closed["promoted"], closed["dropped"]) == ([], 0)
    assert (await api(LIST))["notes"]["totalCount"] == 0
    asked = "{ proposals { status content from { id } } }"
    assert (await api(asked))["proposals"] == [
        {"status": "PENDING", "content": text, "from": {"id": "shy"}}
        for text in (RELAY, "Never fire it alone.")
    ]
    assert (await shy(CLOSE, id=session))["closeSession"]["closedAt"] == closed["closedAt"]
    assert len((await api(asked))["proposals"]) == 2


async def test_an_agent_has_one_open_session(api: Any) -> None:
    coding = api.as_agent("coding")
    first = await opened(coding)
    notes = [{"content": text, "sessionId": first} for text in (RELAY, "The lid is heavy.")]
    results = (await coding(MANY, notes=notes))["rememberMany"]["results"]
    assert [each["note"]["visibility"] for each in results] == ["LOCAL", "LOCAL"]
    second = await opened(coding)
    assert second != first
    assert await coding.code(REMEMBER, input=notes[0]) == "BAD_USER_INPUT"
    closed = (await coding(CLOSE, id=first))["closeSession"]
    assert (len(closed["promoted"]), closed["dropped"]) == (2, 0)
    assert await coding.recall("kiln relay", scope="LOCAL") == []


async def test_closing_at_the_same_time_promotes_once(api: Any) -> None:
    coding = api.as_agent("coding")
    session = await opened(coding)
    await local(coding, session, RELAY)
    answers = await asyncio.gather(*(coding.post(CLOSE, id=session) for _ in range(4)))
    done = [a["data"]["closeSession"] for a in answers if not a.get("errors")]
    codes = {e["extensions"]["code"] for a in answers for e in a.get("errors") or ()}
    assert codes <= {"CONFLICT"}
    assert done
    assert (await api(LIST))["notes"]["totalCount"] == 1
    assert len((await coding(CLOSE, id=session))["closeSession"]["promoted"]) == 1


async def test_a_looping_agent_fills_no_more_than_its_session(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.services.sessions.remembering.MAX_LOCAL", 2)
    coding = api.as_agent("coding")
    session = await opened(coding)
    for text in (RELAY, "The lid is heavy."):
        await local(coding, session, text)
    more = {"content": "The floor is wet.", "sessionId": session}
    assert await coding.code(REMEMBER, input=more) == "FORBIDDEN"
    for given in ({"externalId": "a"}, {"idempotencyKey": "a"}):
        await opened(coding)
        session = await opened(coding)
        more = {"content": "The floor is wet.", "sessionId": session, **given}
        assert await coding.code(REMEMBER, input=more) == "BAD_USER_INPUT"


OF_THE_USER = {  # what the user did to a local note; None: nothing, so that it goes as it came
    "pinned": "mutation M($id: ID!) { pin(id: $id) { id } }",
    "unpinned again": """mutation M($id: ID!) { pin(id: $id) { id }
      off: pin(id: $id, pinned: false) { id } }""",
    "revised": 'mutation M($id: ID!) { revise(id: $id, title: "Relay") { id } }',
    "nothing": None,
}


@pytest.mark.feature("MUMA-14")
@pytest.mark.parametrize("writes", ["DIRECT", "PROPOSE", "AUTO_COMMIT"])
@pytest.mark.parametrize("done", OF_THE_USER)
async def test_closing_destroys_nothing_that_the_user_touched(
    api: Any, writes: str, done: str
) -> None:
    await api(AGENT, input={"id": "coding", "writes": writes})
    coding = api.as_agent("coding")
    session = await opened(coding)
    note = (await local(coding, session, RELAY))["note"]["id"]
    if (query := OF_THE_USER[done]) is not None:
        await api(query, id=note)
    await coding(CLOSE, id=session)
    seen = "query N($id: ID!) { note(id: $id) { content status pinned } }"
    if query is None:
        assert await api.code(seen, id=note) == "NOT_FOUND"
        return
    kept = (await api(seen, id=note))["note"]
    pinned = done == "pinned"
    assert kept == {"content": RELAY, "status": "ARCHIVED", "pinned": pinned}
    shared = "{ notes(first: 10) { nodes { content pinned } } proposals { content } }"
    found = await api(shared)
    if writes != "DIRECT":
        assert found == {"notes": {"nodes": []}, "proposals": [{"content": RELAY}]}
    else:
        assert found["notes"]["nodes"] == [{"content": RELAY, "pinned": pinned}]
    back = await api("mutation R($id: ID!) { restore(id: $id) { status } }", id=note)
    assert back["restore"]["status"] == "ACTIVE"

"""What a team knows was made of notes of its members. Only the owner in person puts it away by
archiving such a note: each way of an agent, and of a job, upon each note leaves it to the team."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from clients import Client
from rights_table import DESTROY, WAYS, Case, Way
from test_rights_commons import (
    AGENT,
    AGENTS,
    COMMIT,
    FACT,
    LID,
    NAME,
    PROPOSE,
    RECALL,
    TEAM,
    USED,
)

from graphmem.store import rights as store

KNOWN = """query K { skills { id procedure } commons(topic: "uptime of the enterprise tier") {
  id content } proposals(status: COMMITTED) { id knowledge { id } } }"""
FORGET = "mutation M($id: ID!) { forget(id: $id) { forgotten } }"
RESTORE = "mutation M($id: ID!) { restore(id: $id) { id status } }"

REMEMBER = "mutation R($input: RememberInput!) { remember(input: $input) { note { id } } }"
NO = ("FORBIDDEN", "NOT_FOUND")
TAKING: Mapping[str, Way] = {
    "forget": Way(query=FORGET, given=lambda case: {"id": case.id}),
    "forget by a query": Way(
        query="mutation M($text: String!) { forget(query: $text, confirm: true) { forgotten } }",
        given=lambda case: {"text": case.text},
    ),
    "say that it is to be forgotten": Way(
        query="mutation M($text: String!) { command(text: $text) { intent } }",
        given=lambda case: {"text": f"Forget everything about {case.text}"},
    ),
    "restore and forget": Way(
        query="""mutation M($id: ID!) { restore(id: $id) { id } pin(id: $id, pinned: false) { id }
          forget(id: $id) { forgotten } }""",
        given=lambda case: {"id": case.id},
    ),
    "revise": Way(
        query="""mutation M($id: ID!) { revise(id: $id, validity: DEPRECATED,
          content: "Something that is said differently here.") { id } }""",
        given=lambda case: {"id": case.id},
    ),
    "contradict": Way(
        query="""mutation M($text: String!) { remember(input: {content: $text, confidence: 1,
          domain: "work"}) { operation } consolidate { __typename } }""",
        given=lambda case: {"text": f"Not so: {case.text}".replace("99", "12")},
    ),
}


@pytest.fixture
async def shared(api: Client, new_user: Callable[[], str]) -> tuple[Client, list[str]]:
    """Another member of a team, and the notes of which what it knows was made."""
    mate = api.as_user(new_user())
    for person in (api, mate):
        for name, profile in AGENTS.items():
            await person(AGENT, i={"id": name, **profile})
    await api(TEAM, id=f"{api.user}-team", members=[api.user, mate.user])
    draft = {"kind": "PROCEDURAL", "domain": "work", "visibility": "SCOPED", "title": NAME}
    skill = (await api.as_agent("worker").remember(LID, **draft))["note"]["id"]
    found = (await api.as_agent("helper")(RECALL, q=LID))["recall"]
    await api.as_agent("helper")(USED, recall=found["id"], used=[skill])
    fact = (await api.remember(FACT, visibility="SCOPED", domain="work"))["note"]["id"]
    for note in (skill, fact):
        proposal = (await api(PROPOSE, id=note))["proposeKnowledge"]["id"]
        await mate.as_agent("lead")(COMMIT, id=proposal)
    return mate, [skill, fact]


async def known(mate: Client) -> dict[str, Any]:
    data = await mate(KNOWN)
    assert data["skills"]
    assert data["commons"]
    return data


@pytest.mark.feature("MUMA-120")
@pytest.mark.parametrize("actor", AGENTS)
async def test_nothing_that_an_agent_does_to_a_source_takes_it_from_the_team(
    shared: tuple[Client, list[str]], api: Client, actor: str
) -> None:
    mate, notes = shared
    agent, before = api.as_agent(actor), await known(mate)
    other = (await agent.post(REMEMBER, input={"content": "Rain fell.", "domain": "work"}))["data"]
    texts = dict(zip(notes, (LID, FACT), strict=True))
    second = ((other or {}).get("remember") or {}).get("note") or {"id": "none"}
    for note, text in texts.items():
        case = Case(id=note, text=text, other=second["id"])
        for name, way in {**TAKING, **WAYS, **DESTROY}.items():
            if name == "copy as a skill":
                continue  # which would be another skill of the user's own
            await agent.post(way.query, **way.given(case))
            assert await known(mate) == before, (actor, name)


@pytest.mark.feature("MUMA-120")
async def test_the_owner_in_person_puts_it_away_and_brings_it_back(
    shared: tuple[Client, list[str]], api: Client
) -> None:
    mate, notes = shared
    before = await known(mate)
    for archived_before in (False, True):
        for note in notes:
            if archived_before:  # by an agent, which hides nothing
                await api.as_agent("lead").post(FORGET, id=note)
            await api(FORGET, id=note)
        gone = await mate(KNOWN)
        assert gone == {"skills": [], "commons": [], "proposals": []}
        for note in notes:
            for actor in AGENTS:  # what is put away stays so
                await api.as_agent(actor).post(FORGET, id=note)
                assert await api.as_agent(actor).code(RESTORE, id=note) in NO
        assert await mate(KNOWN) == gone
        for note in notes:
            assert (await api(RESTORE, id=note))["restore"]["status"] == "ACTIVE"
        assert await known(mate) == before


async def test_what_the_user_puts_away_while_an_agent_restores_it_stays_so(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api(AGENT, i={"id": "helper"})
    note = (await api.remember(FACT, visibility="SCOPED", domain="work"))["note"]["id"]
    await api.as_agent("helper")(FORGET, id=note)  # which the same agent may take back
    read, seen = store.list_decided, list[str]()

    async def and_then_forget(*given: Any) -> Any:
        found = await read(*given)
        if not seen:
            seen.append(note)
            await api(FORGET, id=note)
        return found

    monkeypatch.setattr(store, "list_decided", and_then_forget)
    assert await api.as_agent("helper").code(RESTORE, id=note) == "FORBIDDEN"
    assert seen == [note]
    assert (await api(RESTORE, id=note))["restore"]["status"] == "ACTIVE"

"""What a user wishes of the readers of a subject holds of everything that was said of it, wherever
it was filed, in any words; an agent that carries the wish over gives nobody more readers."""

import itertools
from typing import Any

import pytest

from graphmem.services.writing import wishes

COMMAND = """mutation C($text: String!) { command(text: $text) { intent message
  note { id visibility content }
  visibility { updatedCount noteIds rule { domain visibility } } } }"""
NOTE = "query N($id: ID!) { note(id: $id) { id visibility version } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
RULES = "{ viewer { user { visibilityRules { domain visibility } } } }"
OPEN = {"visibility": "OPEN"}
SAID = {  # of each subject: what is said, in what words a command names it, and where that is
    "personal/location": (
        (
            "I live in Lyon, rue Garibaldi 8",
            "The user lives in Lisbon.",
            "My home address is 12 Elm Street.",
            "I moved to Halden last May.",
            "My flat is at the harbour of Halden.",
        ),
        ("my location", "my home address", "where I live", "my whereabouts"),
    ),
    "personal/health": (
        ("I was diagnosed with asthma.", "My knee hurts since the fall.", "I take insulin."),
        ("my health", "my medical records", "my illness", "everything about my health"),
    ),
    "personal/finance": (
        ("My salary is 70k.", "I owe the bank 9,000.", "My savings are gone."),
        ("my money", "my finances", "my salary", "how much I earn"),
    ),
    "personal/family": (
        ("My son Ben is five.", "My sister Ida visits us.", "My wife Ann likes tea."),
        ("my family", "my children", "everything about my family"),
    ),
    "personal/contact": (
        ("My phone number is 0151 2345.", "My email is ann@example.org.", "Reach me at 4412."),
        ("my phone number", "my contact details", "my email address"),
    ),
}
WAYS = (  # of saying it
    "Keep {} private",
    "please keep {} to yourself",
    "Don't share {} with anyone",
    "Never tell other agents {}",
    "Nobody else should know {}",
    "I want {} to stay private.",
    "Keep secret {}",
    "Make {} confidential from now on",
    "Stop sharing {}",
    "Don't let anybody see {}",
    "{} must be kept secret",
    "Hide {} from all agents",
)
NO_COMMANDS = (
    "My brother keeps his location private.",
    "I keep my location private on Instagram.",
    "The secret of my health is sleep.",
    "Never share your password.",
    "Don't share my location with Bob.",
    "My car is private property.",
    "Is my location private?",
    "They said that my salary is confidential, and Ann agreed.",
    "My private location in the garden is sunny.",
    "I want to keep my family.",
)
PAIRS = [
    (subject, name, way)
    for subject, (_, names) in SAID.items()
    for i, (name, way) in enumerate(itertools.product(names, WAYS))
    if i % 5 == 0
]


async def say(api: Any, text: str) -> Any:
    return (await api(COMMAND, text=text))["command"]


async def visibility(api: Any, note: str) -> str:
    return (await api(NOTE, id=note))["note"]["visibility"]


@pytest.mark.feature("MUMA-125")
@pytest.mark.parametrize(("subject", "name", "way"), PAIRS)
async def test_a_wish_closes_what_was_said_and_what_will_be(
    api: Any, subject: str, name: str, way: str
) -> None:
    said, _ = SAID[subject]
    filed = [(await api.remember(text))["note"]["id"] for text in said]
    elsewhere = (await api.remember(said[0] + " Yes.", domain="work/plans", **OPEN))["note"]["id"]
    verbatim = await api.remember(said[0] + " Indeed.", mode="VERBATIM", domain="log", **OPEN)
    other = (await api.remember("The kiln of Halden is blue.", **OPEN))["note"]
    own = [*filed, elsewhere, verbatim["note"]["id"]]
    before = {note: await visibility(api, note) for note in own}
    done = await say(api, way.format(name))
    assert done["intent"] == "VISIBILITY", done
    assert done["visibility"]["rule"] == {"domain": subject, "visibility": "PRIVATE"}
    changed = {note for note in own if before[note] != "PRIVATE"}
    assert set(done["visibility"]["noteIds"]) == changed
    assert done["visibility"]["updatedCount"] == len(changed)
    count = "1 note" if len(changed) == 1 else f"{len(changed)} notes"
    assert f"{count} changed" in done["message"]
    assert {await visibility(api, note) for note in own} == {"PRIVATE"}
    assert await visibility(api, other["id"]) == "OPEN"
    agent = api.as_agent("helper")
    for given in ({}, {"domain": "helping"}, {"mode": "VERBATIM"}, OPEN):
        made = await agent.remember(said[1] + f" It is so {len(given)} {given}.", **given)
        assert made["note"]["visibility"] == "PRIVATE", given
    again = await say(api, way.format(name))
    assert "0 notes changed" in again["message"]


@pytest.mark.parametrize("text", NO_COMMANDS)
async def test_a_sentence_that_holds_such_words_is_no_command(api: Any, text: str) -> None:
    assert (await say(api, text))["intent"] == "NONE"
    assert (await api(RULES))["viewer"]["user"]["visibilityRules"] == []


@pytest.mark.feature("MUMA-120")
@pytest.mark.parametrize("subject", SAID)
async def test_an_agent_carries_a_wish_over_but_widens_nothing(api: Any, subject: str) -> None:
    said, names = SAID[subject]
    await api(AGENT, i={"id": "sales", "domains": ["business/sales"]})
    await api(AGENT, i={"id": "shy", "writes": "PROPOSE"})
    agent = api.as_agent("sales")
    opened = [(await api.remember(text, domain="work", **OPEN))["note"]["id"] for text in said[:2]]
    hidden = (await api.remember(said[2], domain="work", visibility="SCOPED"))["note"]["id"]
    closed = (await api.remember(said[2] + " So.", domain=subject, visibility="USER_ONLY"))["note"]
    assert await api.as_agent("shy").code(COMMAND, text=f"Keep {names[0]} private") == "FORBIDDEN"
    done = await say(agent, f"Keep {names[0]} private")
    assert set(done["visibility"]["noteIds"]) == set(opened)  # and nothing of what it can't read
    assert "2 notes changed" in done["message"]
    assert {await visibility(api, note) for note in (*opened, hidden)} == {"PRIVATE"}
    assert await visibility(api, closed["id"]) == "USER_ONLY"
    rules = (await api(RULES))["viewer"]["user"]["visibilityRules"]
    assert {"domain": subject, "visibility": "PRIVATE"} in rules
    for wider in ("Make {} public", "Make {} available to all agents", "Share {} with all agents"):
        assert await agent.code(COMMAND, text=wider.format(names[0])) == "FORBIDDEN"
    assert (await api(RULES))["viewer"]["user"]["visibilityRules"] == rules
    assert await agent.code(COMMAND, text="Keep business/coding private") == "FORBIDDEN"
    await say(api, f"Keep {names[0]} for me only")
    await say(agent, f"Keep {names[0]} private")  # which would give readers back
    rules = (await api(RULES))["viewer"]["user"]["visibilityRules"]
    assert {"domain": subject, "visibility": "USER_ONLY"} in rules
    opener = await say(api, f"Make {names[0]} public")
    assert {"domain": subject, "visibility": "OPEN"} == opener["visibility"]["rule"]


async def test_what_an_agent_hears_of_a_wish_does_not_depend_on_what_it_may_not_read(
    api: Any, new_user: Any
) -> None:
    heard = []
    for hides in (False, True):
        user = api.as_user(new_user())
        await user(AGENT, i={"id": "sales", "domains": ["business/sales"]})
        await user.remember("I live in Lyon.", **OPEN)
        if hides:
            for domain in ("personal/location", "work"):
                given = {"domain": domain, "visibility": "SCOPED"}
                await user.remember(f"I live in Halden for {domain}.", **given)
            await say(user, "Keep personal/location/second for me only")
        done = await say(user.as_agent("sales"), "Keep my location private")
        heard.append((done["message"], len(done["visibility"]["noteIds"])))
    assert heard[0] == heard[1]


async def test_a_message_of_two_sentences_is_both(api: Any) -> None:
    done = await say(api, "I moved to Lyon last week. Keep my location private, please.")
    assert done["intent"] == "VISIBILITY"
    assert (done["note"]["content"], done["note"]["visibility"]) == (
        "I moved to Lyon last week.",
        "PRIVATE",
    )
    said = await say(api, "The safe is behind the picture. Keep that to yourself.")
    assert (said["intent"], said["note"]["visibility"]) == ("REMEMBER", "PRIVATE")


async def test_an_agent_revises_no_way_around_a_wish(api: Any) -> None:
    await say(api, "Keep my location private")
    agent = api.as_agent("helper")
    note = (await agent.remember("The kiln is blue.", **OPEN))["note"]["id"]
    revise = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { visibility } }"
    done = await agent(revise, id=note, c="I live in Lyon, rue Garibaldi 8.")
    assert done["revise"]["visibility"] == "PRIVATE"


async def test_a_wish_goes_by_the_rights_of_now(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that loses its domains while it carries a wish over narrows nothing there."""
    await api(AGENT, i={"id": "desk", "domains": ["work"]})
    note = (await api.remember("The kiln is hot.", domain="work", **OPEN))["note"]["id"]
    opened = wishes.open_access

    async def later(*args: Any, **given: Any) -> Any:
        await api(AGENT, i={"id": "desk", "domains": ["attic"]})
        return await opened(*args, **given)

    monkeypatch.setattr(wishes, "open_access", later)
    await api.as_agent("desk").post(COMMAND, text="Keep my work private")
    assert (await api(NOTE, id=note))["note"]["visibility"] == "OPEN"
    assert (await api(RULES))["viewer"]["user"]["visibilityRules"] == []

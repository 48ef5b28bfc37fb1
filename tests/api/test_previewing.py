"""What remember would do with a text, told without doing it."""

from typing import Any

import pytest

PREVIEW = """query P($note: RememberInput!) { previewRemember(note: $note) {
  operation reason read { content domain visibility tags kind readers { reason } }
  entities { name type ofText } relations { subject predicate object ofText }
  note { id content version } affected { id content status } } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SCOPED = 'mutation { setVisibility(domain: "secret", visibility: SCOPED) { updatedCount } }'
# All that the graph has of a user, with all that hangs on it.
EVERYTHING = """MATCH (n) WHERE any(key IN ['user', 'owner', 'stream', 'id']
  WHERE toString(n[key]) CONTAINS $user)
OPTIONAL MATCH (n)-[r]-(m)
RETURN elementId(n) AS node, labels(n) AS labels, properties(n) AS of,
  collect([elementId(r), type(r), properties(r), elementId(m)]) AS ties ORDER BY node"""


async def preview(api: Any, content: str, **given: Any) -> Any:
    return (await api(PREVIEW, note={"content": content, **given}))["previewRemember"]


async def everything(api: Any, cypher: Any) -> str:
    rows = await cypher(EVERYTHING, user=api.user)
    return str([{**row, "ties": sorted(map(str, row["ties"]))} for row in rows])


async def test_a_preview_says_what_remember_then_does(api: Any) -> None:
    text = "Dara Osei leads the Harbour project."
    told = await preview(api, text, domain="work")
    assert told["operation"] == "ADD"
    assert told["read"]["readers"] == [{"reason": "it is the user's own"}]
    assert {"Dara Osei", "Harbour"} <= {each["name"] for each in told["entities"]}
    assert ("Dara Osei", "leads") in {
        (each["subject"], each["predicate"]) for each in told["relations"]
    }
    assert all(each["ofText"] for each in (*told["entities"], *told["relations"]))
    done = await api.remember(text, domain="work")
    assert (done["operation"], done["reason"]) == ("ADD", told["reason"])
    assert done["note"]["domain"] == told["read"]["domain"]
    assert done["note"]["visibility"] == told["read"]["visibility"]
    again = await preview(api, text, domain="work")
    assert (again["operation"], again["note"]["id"]) == ("NOOP", done["note"]["id"])
    changed = "The deadline of the Halden project is March 15."
    old = (await api.remember(changed, domain="work"))["note"]["id"]
    new = changed.replace("is March 15", "was moved to April 2")
    told = await preview(api, new, domain="work")
    done = await api.remember(new, domain="work")
    assert (told["operation"], told["reason"]) == (done["operation"], done["reason"])
    assert told["operation"] == "DELETE"
    assert [each["id"] for each in told["affected"]] == [old]


async def test_a_preview_changes_nothing(api: Any, cypher: Any, context: Any) -> None:
    await api(AGENT, i={"id": "clerk", "writes": "PROPOSE", "domains": ["work"]})
    agent = api.as_agent("clerk")
    texts = ("Dara Osei leads the Harbour project.", "The deadline is March 15.")
    for text in texts:
        await api.remember(text, domain="work")
    await agent("{ viewer { audiences } }")
    before = await everything(api, cypher)
    assert "Dara Osei" in before
    for text in (*texts, "The deadline was moved to April 2.", "Something quite new of Bo."):
        for client in (api, agent):
            await preview(client, text, domain="work", idempotencyKey="key")
            await preview(client, text, domain="new/place", externalId="x", mode="VERBATIM")
    await context.log.flush()
    assert await everything(api, cypher) == before
    assert (await api.remember(texts[0], idempotencyKey="key"))["operation"] in ("ADD", "NOOP")


async def test_an_agent_that_may_only_propose_is_told_so(api: Any) -> None:
    await api(AGENT, i={"id": "clerk", "writes": "PROPOSE", "domains": ["work"]})
    told = await preview(api.as_agent("clerk"), "The kiln is blue.", domain="work")
    assert (told["operation"], told["note"], told["affected"]) == ("PROPOSE", None, [])
    assert told["read"]["content"] == "The kiln is blue."


async def test_an_agent_is_shown_no_note_that_it_could_not_read(api: Any) -> None:
    await api(SCOPED)
    await api(AGENT, i={"id": "clerk", "domains": ["work"]})
    told = await preview(api.as_agent("clerk"), "The safe opens with 4711.", domain="secret")
    assert (told["read"], told["note"]) == (None, None)
    assert (await preview(api, "The safe opens with 4711.", domain="secret"))["read"] is not None


async def test_many_previews_in_one_document_are_refused(api: Any) -> None:
    one = 'previewRemember(note: {content: "The kiln is blue."}) { reason }'
    many = " ".join(f"a{i}: {one}" for i in range(14))
    assert await api.code(f"{{ {many} }}") == "QUERY_TOO_COMPLEX"


@pytest.mark.feature("MUMA-26")
async def test_a_preview_tells_nothing_of_hidden_notes(api: Any) -> None:
    await api(AGENT, i={"id": "clerk", "domains": ["work"]})
    agent, text = api.as_agent("clerk"), "The deadline of the Halden project is April 2."

    def plain(told: Any) -> Any:
        return {**told, "note": None}  # whose id is a new one each time

    before = plain(await preview(agent, text, domain="work"))
    for visibility in ("PRIVATE", "USER_ONLY"):
        hidden = {"domain": "work", "visibility": visibility}
        await api.remember("The deadline of the Halden project is March 15.", **hidden)
        await api.remember(text, **hidden)
    assert plain(await preview(agent, text, domain="work")) == before
    assert before["operation"] == "ADD"


@pytest.mark.parametrize(
    "note",
    [
        {"content": ""},
        {"content": "x" * 50_001},
        {"content": "x", "importance": 2.0},
        {"content": "x", "domain": "a//b"},
        {"content": "x", "sessionId": "none"},
    ],
)
async def test_what_remember_refuses_a_preview_refuses(api: Any, note: dict[str, Any]) -> None:
    assert await api.code(PREVIEW, note=note) == "BAD_USER_INPUT"

"""The review list, merges and their undo through GraphQL."""

from collections.abc import Callable
from typing import Any

import pytest

from graphmem.services.context import Context

MERGE = """mutation M($keep: ID!, $merge: ID!) { mergeEntities(keep: $keep, merge: $merge) {
  id name aliases noteCount mergedFrom { id at actor score kept { id } mergedName undone } } }"""
UNDO = """mutation U($id: ID!) { undoEntityMerge(id: $id) {
  id name aliases noteCount mergedFrom { id undone } } }"""
ENTITY = "query E($name: String!) { entity(name: $name) { id name aliases noteCount } }"
REVIEWS = """query R($first: Int) { entityReviews(first: $first) {
  score reasons one { name } other { name } } }"""
EVENTS = '{ events(types: ["MERGE", "REVERT"]) { type actor subjectId summary data } }'


async def introduce(client: Any, content: str, *names: str, **given: Any) -> None:
    entities = [{"name": name} for name in names]
    await client.remember(content, entities=entities, mode="VERBATIM", **given)


async def id_of(client: Any, name: str) -> str:
    return (await client(ENTITY, name=name))["entity"]["id"]


async def reviewed(client: Any, **given: Any) -> list[set[str]]:
    rows = (await client(REVIEWS, **given))["entityReviews"]
    assert [row["score"] for row in rows] == sorted((r["score"] for r in rows), reverse=True)
    assert all(0.6 <= row["score"] <= 1 and row["reasons"] for row in rows)
    return [{row["one"]["name"], row["other"]["name"]} for row in rows]


async def test_merging_undoing_and_their_history(api: Any) -> None:
    await introduce(api, "IBM sells machines.", "IBM")
    await introduce(api, "International Business Machines grew.", "International Business Machines")
    keep, merge = await id_of(api, "IBM"), await id_of(api, "International Business Machines")
    made = (await api(MERGE, keep=keep, merge=merge))["mergeEntities"]
    assert (made["id"], made["name"], made["noteCount"]) == (keep, "IBM", 2)
    assert made["aliases"] == ["International Business Machines"]
    history = made["mergedFrom"][0]
    assert history | {"id": "", "at": ""} == {
        "id": "",
        "at": "",
        "actor": "manual",
        "score": 1.0,
        "kept": {"id": keep},
        "mergedName": "International Business Machines",
        "undone": False,
    }
    again = (await api(MERGE, keep=keep, merge=merge))["mergeEntities"]
    assert again == made
    assert await id_of(api, "International Business Machines") == keep
    undone = (await api(UNDO, id=history["id"]))["undoEntityMerge"]
    assert undone == {
        "id": keep,
        "name": "IBM",
        "aliases": [],
        "noteCount": 1,
        "mergedFrom": [{"id": history["id"], "undone": True}],
    }
    assert await id_of(api, "International Business Machines") == merge
    assert (await api(UNDO, id=history["id"]))["undoEntityMerge"] == undone
    events = (await api(EVENTS))["events"]
    assert [(e["type"], e["subjectId"]) for e in events] == [
        ("MERGE", history["id"]),
        ("REVERT", history["id"]),
    ]


async def test_bad_input_changes_nothing(api: Any) -> None:
    await introduce(api, "IBM sells.", "IBM")
    ibm = await id_of(api, "IBM")
    assert await api.code(MERGE, keep=ibm, merge=ibm) == "BAD_USER_INPUT"
    assert await api.code(MERGE, keep=ibm, merge="nobody") == "NOT_FOUND"
    assert await api.code(MERGE, keep="", merge=ibm) == "NOT_FOUND"
    assert await api.code(UNDO, id="nothing") == "NOT_FOUND"
    assert await api.code(REVIEWS, first=0) == "BAD_USER_INPUT"
    assert await api.code(REVIEWS, first=101) == "BAD_USER_INPUT"
    assert (await api(EVENTS))["events"] == []


async def test_an_agent_that_only_proposes_merges_nothing(api: Any) -> None:
    await introduce(api, "IBM met Big Blue.", "IBM", "Big Blue")
    await api(
        'mutation { registerAgent(input: {id: "shy", writes: PROPOSE, domains: ["*"]}) { id } }'
    )
    one, other = await id_of(api, "IBM"), await id_of(api, "Big Blue")
    assert await api.as_agent("shy").code(MERGE, keep=one, merge=other) == "FORBIDDEN"


async def test_names_of_one_form_are_one_entity_from_the_start(api: Any) -> None:
    await introduce(api, "GPT-4 is slow.", "GPT-4")
    await introduce(api, "We used GPT4 for it.", "GPT4")
    await introduce(api, "GPT-4o is fast.", "GPT-4o")
    found = (await api(ENTITY, name="gpt 4"))["entity"]
    assert (found["name"], found["aliases"], found["noteCount"]) == ("GPT-4", ["GPT4"], 2)
    assert await id_of(api, "GPT-4o") != found["id"]
    assert await reviewed(api) == []


async def test_reviews_ask_of_likely_pairs_and_of_no_others(api: Any) -> None:
    pairs = [
        ("IBM", "International Business Machines"),
        ("Acme", "Acme Inc."),
        ("Kubernetes", "Kubernets"),
        ("Bob Ashdown", "Robert Ashdown"),
        ("k9s", "keyboards"),
    ]
    others = (
        "Python 2",
        "Python 3",
        "Java",
        "JavaScript",
        "Georgia",
        "Georgia Tech",
        "Paris",
        "Paris, Texas",
        "John Smith Jr.",
        "John Smith Sr.",
        "James Smith",
        "J. Smith",
    )
    for name in [name for pair in pairs[:4] for name in pair] + list(others):
        await introduce(api, f"Of {name}.", name)
    found = await reviewed(api)
    assert sorted(map(sorted, found)) == sorted(sorted(pair) for pair in pairs[:4])
    assert len(await reviewed(api, first=2)) == 2
    keep, merge = await id_of(api, "Acme"), await id_of(api, "Acme Inc.")
    await api(MERGE, keep=keep, merge=merge)
    assert {"Acme", "Acme Inc."} not in await reviewed(api)


async def test_neighbours_make_a_part_of_a_name_a_question(api: Any) -> None:
    await introduce(api, "Kessler met Bo Lindqvist.", "Kessler", "Bo Lindqvist")
    await introduce(api, "Ada Kessler is away.", "Ada Kessler")
    assert await reviewed(api) == []
    await introduce(api, "Ada Kessler wrote to Bo Lindqvist.", "Ada Kessler", "Bo Lindqvist")
    await introduce(api, "Ada Kessler, Halden.", "Ada Kessler", "Halden")
    await introduce(api, "Kessler, Halden.", "Kessler", "Halden")
    assert await reviewed(api) == [{"Kessler", "Ada Kessler"}]


@pytest.mark.feature("MUMA-26")
async def test_hidden_notes_change_no_answer_of_an_agent(api: Any) -> None:
    """Neither the review list, nor the entities, nor what becomes one."""
    await api('mutation { registerAgent(input: {id: "narrow", domains: ["work"]}) { id } }')
    narrow = api.as_agent("narrow")
    twin = api.as_user(f"{api.user}-twin")
    await twin('mutation { registerAgent(input: {id: "narrow", domains: ["work"]}) { id } }')
    hidden = {"visibility": "PRIVATE"}
    await introduce(api, "Acme Corp., hidden.", "Acme Corp.", "Bo Lindqvist", **hidden)
    await introduce(api, "IBM, hidden.", "IBM", "Acme Inc.", "GPT4", **hidden)
    await introduce(api, "Kessler, Bo.", "Kessler", "Ada Kessler", "Bo Lindqvist", **hidden)
    for client in (api, twin):
        agent = client.as_agent("narrow")
        await introduce(agent, "Acme Corporation builds.", "Acme Corporation", domain="work")
        await introduce(
            agent,
            "International Business Machines.",
            "International Business Machines",
            domain="work",
        )
        await introduce(agent, "GPT-4, Kessler.", "GPT-4", "Kessler", domain="work")
        await introduce(agent, "Ada Kessler and GPT4.", "Ada Kessler", domain="work")
        await introduce(agent, "Kubernetes, Kubernets.", "Kubernetes", "Kubernets", domain="work")
    listed = "{ entities { name aliases type noteCount mergedFrom { mergedName } } }"
    for query in (listed, REVIEWS, EVENTS):
        assert await narrow(query) == await twin.as_agent("narrow")(query)
    assert await reviewed(narrow) == [{"Kubernetes", "Kubernets"}]


@pytest.fixture
def queries_of(context: Context, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Which queries were sent since this was last asked."""
    sent: list[str] = []
    bind = context.graph._queries.bind

    def noted(name: str, *given: Any) -> Any:
        sent.append(name)
        return bind(name, *given)

    monkeypatch.setattr(context.graph._queries, "bind", noted)

    def since() -> list[str]:
        found = list(sent)
        sent.clear()
        return found

    return since


async def test_resolution_costs_a_note_nothing(
    api: Any, queries_of: Callable[[], list[str]]
) -> None:
    async def cost(name: str, *aliases: str) -> int:
        queries_of()
        given = [{"name": name, "aliases": list(aliases)}]
        await api.remember(f"{name} {aliases}", entities=given, mode="VERBATIM")
        return sum(query.startswith("resolution/") for query in queries_of())

    assert await cost("Big Blue") == 0
    assert await cost("GPT-4") == 0
    assert await cost("IBM", "Big Blue") == 0
    assert await cost("IBM", "Big Blue") == 0
    assert await cost("IBM", "Blue Machines") == 0
    assert await cost("IBM", "Big Blue", "Blue Machines") == 0

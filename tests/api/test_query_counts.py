"""The number of database queries does not grow with the number of notes."""

from collections import Counter
from typing import Any

import pytest

from graphmem.services.context import Context

MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results {
  note { id } error { message } } } }"""
LINK = 'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "RELATED") { id } }'
NESTED = """query N($first: Int!) { notes(first: $first) { totalCount nodes {
  entities { name } links { target { id } source { id } } author { id noteCount }
  readableBy { id } revisions { version } supersededBy { id } derivedFrom { id } } } }"""
RELATIONS = """query N($first: Int!) { notes(first: $first) { nodes {
  entities { relations(first: 5) { object { name } } notes(first: 3) { id } } } } }"""
USERS = """query N($first: Int!) { notes(first: $first) { nodes {
  user { id visibilityRules { domain } agents { id user { name } } } } } }"""
HITS = """query R($first: Int!) {
  recall(input: {query: "kiln number 49", k: $first, track: false}) { hits { note {
    links { target { id } } entities { name summary } revisions { version } } } } }"""


@pytest.fixture
def queries_of(context: Context, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Which queries an operation sends, sorted."""
    sent: list[str] = []
    bind = context.graph._queries.bind

    def noted(name: str, *given: Any) -> Any:
        sent.append(name)
        return bind(name, *given)

    monkeypatch.setattr(context.graph._queries, "bind", noted)

    async def run(client: Any, query: str, **variables: Any) -> tuple[list[str], Any]:
        sent.clear()
        data = await client(query, **variables)
        return sorted(sent), data

    return run


async def fill(api: Any) -> None:
    agent = api.as_agent("main")
    notes = [
        {
            "content": f"The kiln number {i} is fired by Person{i % 7}.",
            "entities": [{"name": f"Person{i % 7}"}, {"name": f"Kiln{i}"}],
            "relations": [
                {"subject": f"Person{i % 7}", "predicate": "fires", "object": f"Kiln{i}"}
            ],
        }
        for i in range(50)
    ]
    ids = []
    for part in (notes[:45], notes[45:]):  # the last five are the newest
        data = await agent(MANY, i={"notes": part, "mode": "VERBATIM"})
        ids += [result["note"]["id"] for result in data["rememberMany"]["results"]]
    for other in range(1, 8):  # some notes have many links, most have none
        await api(LINK, a=ids[-1], b=ids[-1 - other])


@pytest.mark.parametrize("query", [NESTED, RELATIONS, USERS, HITS])
async def test_nested_fields_cost_the_same_for_5_and_50_notes(
    api: Any, queries_of: Any, query: str
) -> None:
    await fill(api)
    few, small = await queries_of(api, query, first=5)
    many, large = await queries_of(api, query, first=50)
    nodes = [
        data.get("notes", {}).get("nodes") or data["recall"]["hits"] for data in (small, large)
    ]
    assert [len(found) for found in nodes] == [5, 50]
    # A few may need more: what one note leads to is another one of the many.
    assert Counter(many) - Counter(few) == Counter()
    assert len(many) <= 16


async def test_a_nested_list_holds_what_a_single_read_holds(api: Any) -> None:
    await fill(api)
    listed = (await api(NESTED, first=50))["notes"]
    assert listed["totalCount"] == 50
    newest = listed["nodes"]
    assert max(len(node["links"]) for node in newest) == 7
    for node in newest:
        assert {"main"} == {agent["id"] for agent in node["readableBy"]}
        assert node["author"] == {"id": "main", "noteCount": 50}
        assert len(node["entities"]) == 2
        assert [revision["version"] for revision in node["revisions"]] == [1]


async def test_a_note_by_id_takes_two_queries_and_a_recall_at_most_seven(
    api: Any, queries_of: Any
) -> None:
    made = await api.remember("The kiln of Person1.", entities=[{"name": "Person1"}])
    queries, _ = await queries_of(
        api, "query N($id: ID!) { note(id: $id) { id } }", id=made["note"]["id"]
    )
    assert queries == ["notes/load", "viewer/open"]
    queries, data = await queries_of(
        api, '{ recall(input: {query: "kiln Person1", track: false}) { hits { note { id } } } }'
    )
    assert data["recall"]["hits"]
    assert len(queries) <= 7


async def test_remembering_500_notes_takes_the_queries_of_ten_groups(
    api: Any, queries_of: Any
) -> None:
    async def remember(numbers: range) -> list[str]:
        notes = [{"content": f"note {i} of Pot{i}", "title": f"Pot{i}"} for i in numbers]
        queries, data = await queries_of(api, MANY, i={"notes": notes})
        assert all(result["note"] for result in data["rememberMany"]["results"])
        return queries

    await remember(range(1000, 1001))  # the first request registers the user
    one, all_of_them = await remember(range(1)), await remember(range(1, 501))
    older = "entities/texts_with"  # read for 16 new names, then 32, then the rest of a group
    several = {name: 10 * times for name, times in Counter(one).items()}  # groups of 50
    more = {older: 30, "viewer/open": one.count("viewer/open")}
    more["deciding/nearest"] = 20  # twice a group: while one half is encoded, and after
    assert Counter(all_of_them) == several | more

"""Long notes: found by their passages, which only who may read the note is told."""

from typing import Any

import pytest

from graphmem.services.context import Context

FACT = "The cellar pump of the mill in Quexwick is called Zorbelline and runs on steam."
QUESTION = "What is the cellar pump of the mill called?"
RECALL = """query Q($i: RecallInput!) { recall(input: $i) { confidence hits {
  score note { id content } passage { text from to } } } }"""
COUNT = """MATCH (p:Passage) OPTIONAL MATCH (n:Note)-[:HAS_PASSAGE]->(p)
WITH p, n WHERE n IS NULL OR n.user = $user
RETURN count(p) AS passages, count(CASE WHEN n IS NULL THEN 1 END) AS orphans,
  count(CASE WHEN n.audience = p.audience AND n.status = p.status AND n.tier = p.tier
    AND n.validTo = p.validTo AND n.expiresAt = p.expiresAt AND n.kind = p.kind
    AND n.happenedAt = p.happenedAt THEN 1 END) AS following"""


def long_text(fact: str = FACT) -> str:
    """About 6,000 characters with a fact far from the beginning."""
    said = [f"Tom: We counted the boxes in row {i} and wrote the number down." for i in range(90)]
    said.insert(60, fact)
    return "\n".join(said)


async def counted(api: Any, context: Context) -> tuple[int, int]:
    """How many passages the user has, of which each has a note and what its search goes by; and
    how many of all have none."""
    rows = await context.graph._driver.execute_query(COUNT, user=api.user)  # pyright: ignore[reportPrivateUsage]
    row = rows.records[0]
    assert row["passages"] - row["orphans"] == row["following"]
    return row["following"], row["orphans"]


@pytest.mark.feature("DIFF-7")
async def test_a_fact_far_down_a_long_note_is_found_and_told(api: Any, context: Context) -> None:
    text = long_text()
    note = (await api.remember(text, mode="VERBATIM"))["note"]["id"]
    for i in range(30):
        await api.remember(f"The mill in Elmsby number {i} has a roof.", mode="VERBATIM")
    hit = (await api(RECALL, i={"query": QUESTION, "track": False}))["recall"]["hits"][0]
    assert hit["note"]["id"] == note
    passage = hit["passage"]
    assert FACT in passage["text"]
    assert passage["text"] == text[passage["from"] : passage["to"]]
    assert len(passage["text"]) < 1000
    assert (await counted(api, context))[0] > 5


async def test_a_short_note_has_no_passage(api: Any, context: Context) -> None:
    await api.remember(FACT)
    hit = (await api(RECALL, i={"query": QUESTION, "track": False}))["recall"]["hits"][0]
    assert hit["passage"] is None
    assert (await counted(api, context))[0] == 0


async def test_passages_follow_their_note_wherever_it_goes(api: Any, context: Context) -> None:
    note = (await api.remember(long_text(), mode="VERBATIM"))["note"]["id"]
    made = await counted(api, context)
    for change in (
        "setVisibility(id: $id, visibility: PRIVATE) { __typename }",
        'revise(id: $id, domain: "work", tags: ["pump"]) { version }',
        "setVisibility(id: $id, visibility: OPEN) { __typename }",
        "forget(id: $id) { forgotten }",
        "restore(id: $id) { id }",
    ):
        await api(f"mutation M($id: ID!) {{ {change} }}", id=note)
        assert await counted(api, context) == made, change


async def test_a_revised_text_has_the_passages_of_the_new_one(api: Any, context: Context) -> None:
    note = (await api.remember(long_text(), mode="VERBATIM"))["note"]["id"]
    revise = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
    other = "The attic fan of the mill in Quexwick is called Mirabunt."
    await api(revise, id=note, c=long_text(other))
    asked = {"query": "What is the attic fan called?", "track": False}
    hit = (await api(RECALL, i=asked))["recall"]["hits"][0]
    assert other in hit["passage"]["text"]
    await api(revise, id=note, c="It is a mill.")
    assert (await counted(api, context))[0] == 0


@pytest.mark.parametrize("destroy", ["forget(id: $id, permanent: true) { forgotten }", ""])
async def test_a_destroyed_note_leaves_no_passage(api: Any, context: Context, destroy: str) -> None:
    _, orphans = await counted(api, context)
    note = (await api.remember(long_text(), mode="VERBATIM"))["note"]["id"]
    assert (await counted(api, context))[0] > 5
    if destroy:
        await api(f"mutation M($id: ID!) {{ {destroy} }}", id=note)
    else:
        erase = "mutation E($id: ID!) { eraseUser(confirm: $id) { complete } }"
        assert (await api(erase, id=api.user))["eraseUser"]["complete"]
    assert await counted(api, context) == (0, orphans)


async def test_who_may_not_read_a_long_note_is_told_nothing_of_it(api: Any) -> None:
    await api.remember("The barn in Elmsby has a roof.")
    bot = api.as_agent("bot")
    asked = {"query": QUESTION, "track": False}
    before = (await bot(RECALL, i=asked))["recall"]
    await api.remember(long_text(), mode="VERBATIM", visibility="USER_ONLY")
    assert (await bot(RECALL, i=asked))["recall"] == before


@pytest.mark.parametrize("profile", ["RECENCY", "RELEVANCE", "ACTIVATION", "TIERED", "SIMILARITY"])
async def test_every_profile_finds_and_tells_passages(api: Any, profile: str) -> None:
    note = (await api.remember(long_text(), mode="VERBATIM"))["note"]["id"]
    asked = {"query": FACT, "track": False, "profile": profile}
    await api('mutation R($id: ID!) { revise(id: $id, tags: ["mill"]) { version } }', id=note)
    for filtered in ({}, {"filter": {"tags": ["mill"]}}):
        hits = (await api(RECALL, i=asked | filtered))["recall"]["hits"]
        assert [FACT in hit["passage"]["text"] for hit in hits] == [True]


async def test_a_context_quotes_the_passage_of_a_long_note(api: Any) -> None:
    await api.remember(long_text(), mode="VERBATIM")
    query = "query C($i: ContextInput!) { context(input: $i) { text tokenCount } }"
    made = (await api(query, i={"task": QUESTION, "tokenBudget": 600}))["context"]
    assert FACT in made["text"]
    assert "[…]" in made["text"]
    assert "row 3 " not in made["text"]  # where the note begins
    assert made["tokenCount"] <= 600

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

"""Episodes that nobody has used for long count less in a search."""

from typing import Any

import pytest
from race_world import cypher

RECALL = """query R($q: String!) { recall(input: {query: $q, profile: RELEVANCE, track: false}) {
  hits { score note { id status } } } }"""
AGED = """MATCH (n:Note {id: $id})
SET n.createdAt = n.createdAt - duration({days: 30}),
  n.happenedAt = n.happenedAt - duration({days: 30}),
  n.accessTimes = [at IN n.accessTimes | at - duration({days: 30})]"""


@pytest.mark.feature("MOLT-15")
async def test_an_episode_that_was_not_used_for_30_days_counts_less_than_one_of_today(
    api: Any, context: Any
) -> None:
    given = {"kind": "EPISODIC", "mode": "VERBATIM"}
    old = (await api.remember("The kiln overheats at noon.", **given))["note"]["id"]
    new = (await api.remember("The kiln overheats at noon!", **given))["note"]["id"]
    await cypher(context, AGED, id=old)
    hits = (await api(RECALL, q="When does the kiln overheat?"))["recall"]["hits"]
    found = {hit["note"]["id"]: hit for hit in hits}
    assert found.keys() == {old, new}
    assert found[old]["score"] < found[new]["score"]
    assert found[old]["note"]["status"] == "ACTIVE"  # it stays

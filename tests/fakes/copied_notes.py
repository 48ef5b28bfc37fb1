"""Many notes in little time: copies of notes, made in the graph by one query."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from graphmem.domain.ids import uuid7
from graphmem.services.context import Context

# With all that hangs on a note but its events, its links, its relations and its episode.
_COPY: LiteralString = """UNWIND $copies AS copy
MATCH (n:Note {id: copy.of})
CREATE (m:$(labels(n)))
SET m = n {.*, id: copy.id, externalKey: null, idempotencyKey: null, curatedKey: null,
  episode: null}
WITH n, m
CALL (n, m) { MATCH (n)-[:FOR]->(a) CREATE (m)-[:FOR]->(a) }
CALL (n, m) { MATCH (n)<-[:WROTE]-(w) CREATE (m)<-[:WROTE]-(w) }
CALL (n, m) { MATCH (n)-[:HAD]->(v) CREATE (m)-[:HAD]->(w:Revision:System) SET w = properties(v) }
CALL (n, m) {
  MATCH (n)-[:HAS_PASSAGE]->(p) CREATE (m)-[:HAS_PASSAGE]->(q:Passage) SET q = properties(p)
}
CALL (n, m) {
  MATCH (n)-[x:MENTIONS]->(e) CREATE (m)-[y:MENTIONS]->(e) SET y = properties(x)
}
RETURN count(m) AS made"""
_AT_ONCE = 500


async def copy_notes(context: Context, ids: Sequence[str], count: int, now: datetime) -> list[str]:
    """The ids of `count` new notes, which are like those with `ids` in turn."""
    copies = [{"of": ids[i % len(ids)], "id": uuid7(now)} for i in range(count)]
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    for start in range(0, count, _AT_ONCE):
        part = copies[start : start + _AT_ONCE]
        found = await driver.execute_query(_COPY, copies=part)
        assert found.records[0]["made"] == len(part)
    return [each["id"] for each in copies]

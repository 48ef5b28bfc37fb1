"""Where in the graph a text stands."""

from typing import Any

from race_world import cypher

from graphmem.services.context import Context

# Every node and relationship, each text of it and each text in a list of it.
_NAMED = """CALL () {
  MATCH (n) RETURN [label IN labels(n) WHERE label <> 'System'][0] AS kind, n AS each
  UNION ALL MATCH ()-[r]->() RETURN type(r) AS kind, r AS each
}
UNWIND keys(each) AS key
WITH kind, key, each[key] AS value WHERE NOT key IN ['embedding', 'words']
  AND CASE WHEN value IS :: LIST<ANY NOT NULL> NOT NULL
    THEN any(x IN value WHERE x IS :: STRING NOT NULL AND x CONTAINS $text)
    ELSE value IS :: STRING NOT NULL AND value CONTAINS $text END
RETURN DISTINCT kind, key ORDER BY kind, key"""


async def named(context: Context, text: str) -> list[list[Any]]:
    """The labels or types, and the properties, that hold a text."""
    return await cypher(context, _NAMED, text=text)

"""Where in the graph a text stands."""

import re
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
    THEN any(x IN value WHERE x IS :: STRING NOT NULL AND @x)
    ELSE value IS :: STRING NOT NULL AND @value END
RETURN DISTINCT kind, key ORDER BY kind, key"""


_AS_IT_IS = re.sub(r"@(\w+)", r"\1 CONTAINS $text", _NAMED)
_IN_ANY_CASE = re.sub(r"@(\w+)", r"toLower(\1) CONTAINS toLower($text)", _NAMED)


async def named(context: Context, text: str, *, any_case: bool = False) -> list[list[Any]]:
    """The labels or types, and the properties, that hold a text."""
    return await cypher(context, _IN_ANY_CASE if any_case else _AS_IT_IS, text=text)

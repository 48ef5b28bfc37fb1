"""The descriptions of tools lead from what people say to the right tool: by the meaning of the
words alone, with the default model, the right one is among the nearest.

A description is compared as a whole and by the one of its parts that is nearest, as it tells of
several occasions. That reads no sense: a plain question or statement has no word that says whether
it is to be looked up or written down."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from utterances import FRESH, UNSEEN, UTTERANCES

from graphmem.ai.embedders import create_embedder
from graphmem.mcp.offers import OFFERS
from graphmem.mcp.tool import Tool

NEAREST = 5  # one of so many tools: what a model, which reads more than words, would look at
SAME = {"memory.search_agents": "commons.who_knows"}  # one operation, on two endpoints
Said = tuple[tuple[str, str], ...]


# The shares of a table whose tools must be among the nearest, and the nearest of all.
@pytest.mark.parametrize(
    ("table", "near", "first"),
    [(UTTERANCES, 0.95, 0.85), (FRESH, 0.93, 0.68), (UNSEEN, 0.86, 0.48)],
)
async def test_what_people_say_leads_to_the_right_tool(
    table: Said, near: float, first: float
) -> None:
    tools = [each for offer in OFFERS.values() for each in offer if each.name not in SAME]
    names = [tool.name for tool in tools]
    assert {name for _, name in table} <= set(names)
    assert {name for _, name in (*UTTERANCES, *FRESH, *UNSEEN)} == set(names)
    nearest = len(tools) // NEAREST
    parts = [parts_of(tool) for tool in tools]
    embedder = create_embedder("all-MiniLM-L6-v2")
    try:
        described = _matrix(
            await embedder.embed_documents([text for each in parts for text in each])
        )
        said = _matrix(await embedder.embed_documents([text for text, _ in table]))
    finally:
        await embedder.close()
    likeness = np.split(said @ described.T, np.cumsum([len(each) for each in parts])[:-1], axis=1)
    score = np.stack([each[:, 0] + each[:, 1:].max(axis=1) for each in likeness], axis=1)
    order = np.argsort(-score, axis=1)
    places = [
        [names[i] for i in row].index(name) for row, (_, name) in zip(order, table, strict=True)
    ]
    wrong = [
        (text, name, [names[i] for i in row[:3]])
        for row, place, (text, name) in zip(order, places, table, strict=True)
        if place >= nearest
    ]
    assert sum(place < nearest for place in places) >= near * len(places), wrong
    assert sum(place == 0 for place in places) >= first * len(places), wrong


def parts_of(tool: Tool) -> list[str]:
    """Its description, and the parts of it: the title, each clause, and what people say."""
    clauses = re.split(r"(?<=[.:;?!])\s+", tool.about)
    whole = f"{tool.title}. {tool.about}"
    return [whole, tool.title, *clauses, *re.findall(r"'([^']+)'", tool.about)]


def _matrix(
    vectors: Sequence[Sequence[float]],
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    return np.array(vectors)

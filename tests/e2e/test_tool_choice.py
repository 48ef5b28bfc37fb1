"""The descriptions of tools lead from what people say to the right tool: by the meaning of the
words alone, with the default model, the right one is among the nearest."""

from collections.abc import Sequence

import numpy as np
from utterances import UTTERANCES

from graphmem.ai.embedders import create_embedder
from graphmem.mcp.offers import OFFERS

NEAREST = 5  # one of so many tools: what a model, which reads more than words, would look at
RIGHT, FIRST = 0.8, 0.33  # shares of the table that must be among the nearest, and the nearest


async def test_what_people_say_leads_to_the_right_tool() -> None:
    tools = [tool for offered in OFFERS.values() for tool in offered]
    names = [tool.name for tool in tools]
    assert len(UTTERANCES) >= 60
    assert {name for _, name in UTTERANCES} <= set(names)
    nearest = len(tools) // NEAREST
    texts = [f"{tool.title}. {tool.about}" for tool in tools]
    embedder = create_embedder("all-MiniLM-L6-v2")
    try:
        described = _matrix(await embedder.embed_documents(texts))
        said = _matrix(await embedder.embed_documents([text for text, _ in UTTERANCES]))
    finally:
        await embedder.close()
    order = np.argsort(-(said @ described.T), axis=1)
    places = [
        [names[i] for i in row].index(name)
        for row, (_, name) in zip(order, UTTERANCES, strict=True)
    ]
    wrong = [
        (text, name, [names[i] for i in row[:3]])
        for row, place, (text, name) in zip(order, places, UTTERANCES, strict=True)
        if place >= nearest
    ]
    assert sum(place < nearest for place in places) >= RIGHT * len(places), wrong
    assert sum(place == 0 for place in places) >= FIRST * len(places), wrong


def _matrix(
    vectors: Sequence[Sequence[float]],
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    return np.array(vectors)

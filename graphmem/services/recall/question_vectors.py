"""The vector of a question."""

from collections.abc import Sequence
from math import hypot
from typing import Final

from graphmem.ai.embedder import Embedder
from graphmem.domain.passages import WHOLE
from graphmem.language.questions import turns_of, words_of_turn

LAST_TURN: Final = 0.5  # compared to the weight of the whole dialogue


async def question_vector(embedder: Embedder, text: str) -> list[float]:
    """Return the vector, of length 1, of a question.

    The vector of a dialogue leans towards its last turn, and where the model cannot read the whole
    dialogue, its first turns are left out. Raises Unavailable.
    """
    turns = turns_of(text)
    if not turns:
        return await embedder.embed_query(text)
    whole = await embedder.embed_query(_last_turns(embedder, turns))
    last = await embedder.embed_query(words_of_turn(turns[-1]))
    both = [one + LAST_TURN * other for one, other in zip(whole, last, strict=True)]
    length = hypot(*both)
    return [each / length for each in both] if length else whole


def _last_turns(embedder: Embedder, turns: Sequence[str]) -> str:
    """Return as many of the last turns as the model can read together, at least one."""
    kept, tokens = [turns[-1]], embedder.count_tokens(turns[-1])
    for turn in reversed(turns[:-1]):
        tokens += embedder.count_tokens(turn)
        if tokens > WHOLE:
            break
        kept.append(turn)
    return "\n".join(reversed(kept))

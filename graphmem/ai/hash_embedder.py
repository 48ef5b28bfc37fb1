"""Vectors from the letters of a text alone: free, instant, the same on every machine.

For tests and trials. Texts that share words, or parts of words, are near; meaning is ignored."""

import asyncio
import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from graphmem.language.analysis import STOP_WORDS, words

_STOP_WORD_WEIGHT: Final = 0.2
_TRIGRAM_WEIGHT: Final = 0.3


class HashEmbedder:
    """Feature hashing of words and character trigrams; connects to nothing, keeps nothing."""

    def __init__(self, dimension: int = 384) -> None:
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """The name with the dimension: `hash-384`."""
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """The numbers in a vector, as chosen."""
        return self._dimension

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text."""
        return await asyncio.to_thread(lambda: [self._embed(text) for text in texts])

    async def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question, which is that of the same text as a document."""
        return self._embed(text)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens: a quarter of the characters, rounded up."""
        return -(-len(text) // 4)

    async def ready(self) -> None:
        """Return at once: there is nothing to load."""

    async def close(self) -> None:
        """Return at once: there is nothing to release."""

    def _embed(self, text: str) -> list[float]:
        """Add up the features of a text's words; a text without words is one feature itself."""
        vector = [0.0] * self._dimension
        for word in words(text) or (text.strip(),):
            for position, weight in _features(word):
                vector[position % self._dimension] += weight
        length = math.hypot(*vector)
        if length == 0.0:  # all features cancelled out
            position, _ = _hash_feature("whole " + text)
            vector[position % self._dimension] = length = 1.0
        return [number / length for number in vector]


@lru_cache(maxsize=1 << 14)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Return the features of a word: itself, and its trigrams with its ends marked."""
    marked = f"<{word}>"
    weight = _STOP_WORD_WEIGHT if word in STOP_WORDS else 1.0
    named = [("word " + word, weight)]
    named += [
        (f"part {marked[start : start + 3]}", weight * _TRIGRAM_WEIGHT)
        for start in range(len(marked) - 2)
    ]
    return tuple(
        (position, sign * weight)
        for name, weight in named
        for position, sign in [_hash_feature(name)]
    )


def _hash_feature(feature: str) -> tuple[int, int]:
    """Return a large number and a sign, both determined by the feature's bytes."""
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8, person=b"graphmem")
    number = int.from_bytes(digest.digest(), "big")
    return number >> 1, 1 if number & 1 else -1


CACHES: Final = (_features,)
"""Caches that hold parts of texts; see `services/caches`."""

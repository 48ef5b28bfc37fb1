"""The caches of texts in this process, which save reading them again, and their lifetime.

Words of a note that was destroyed must not stay anywhere. So a purge empties these caches; another
process, which does not notice it, empties its own every few minutes.
"""

import asyncio
from typing import Final

from graphmem.ai import hash_embedder
from graphmem.ai.embedder import Embedder
from graphmem.ai.query_cache import QueryCache
from graphmem.language import analysis, comparison, languages, own_terms, relation_words

KEPT_S: Final = 300.0
OF_TEXTS: Final = (
    *analysis.CACHES,
    *comparison.CACHES,
    *languages.CACHES,
    *own_terms.CACHES,
    *hash_embedder.CACHES,
    *relation_words.CACHES,
)


def forget_texts(embedder: Embedder) -> None:
    """Empty every cache of this process that may hold words of notes or questions."""
    for cache in OF_TEXTS:
        cache.cache_clear()
    if isinstance(embedder, QueryCache):
        embedder.forget()


class TextCaches:
    """Empties the caches from time to time, for what another process has destroyed."""

    def __init__(self, embedder: Embedder) -> None:
        """Empty the caches, and that of the embedder, once started."""
        self._embedder = embedder
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to wait."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(KEPT_S)
            forget_texts(self._embedder)

"""What turns texts into vectors, and the choice of one by its name.

An embedder belongs to one event loop. Its vectors are finite and have length 1, also for a text
without any word, so the cosine of two is their dot product.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from graphmem.errors import Misconfigured

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
"""The local model whose weights are installed with graphmem: 384 dimensions, 256 tokens."""


class Embedder(Protocol):
    """A model that gives texts of near meaning near vectors."""

    @property
    def model_id(self) -> str:
        """The name that the graph records; vectors of different names can't be compared."""
        ...

    @property
    def dimension(self) -> int:
        """The numbers in a vector; Unavailable when nobody knows yet (await `ready` first)."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Give a unit vector for each text to be stored; raise Unavailable."""
        ...

    async def embed_query(self, text: str) -> list[float]:
        """Give the unit vector of a question; raise Unavailable."""
        ...

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, by the model's own tokenizer or estimated (see there)."""
        ...

    async def ready(self) -> None:
        """Wait until vectors can be had; raise Misconfigured when they never will."""
        ...

    async def close(self) -> None:
        """Finish what waits, refuse what comes later, and release threads and connections."""
        ...


def create_embedder(
    name: str = DEFAULT_MODEL,
    *,
    url: str | None = None,
    model: str | None = None,
    key: str | None = None,
    dimension: int | None = None,
    cache_size: int = 4096,
) -> Embedder:
    """Make the embedder called `name`; a local model begins to load at once, in its own thread.

    `name` is `hash`, `openai` (with `url`, `model`, `key`), the default model, or, with the extra
    `graphmem[sentence-transformers]`, the folder of a model or one that is already in the local
    cache; no model is ever downloaded. `dimension` is what the vectors must have, `cache_size` how
    many question vectors are kept (0: none). Raises Misconfigured.
    """
    from graphmem.ai.query_cache import QueryCache

    embedder = _create(name, url=url, model=model, key=key, dimension=dimension)
    return QueryCache(embedder, cache_size) if cache_size > 0 else embedder


def _create(
    name: str,
    *,
    url: str | None,
    model: str | None,
    key: str | None,
    dimension: int | None,
) -> Embedder:
    """Make the bare embedder; each import happens only for whom it serves, for it is slow."""
    if name == "hash":
        from graphmem.ai.hash_embedder import HashEmbedder

        return HashEmbedder(dimension or 384)
    if name == "openai":
        from graphmem.ai.openai_embedder import OpenAIEmbedder

        if not model:
            raise Misconfigured("The embedder `openai` needs the name of a model.")
        return OpenAIEmbedder(model, url=url, key=key, dimension=dimension)
    from graphmem.ai.local_embedder import LocalEmbedder

    return LocalEmbedder(name, dimension=dimension)

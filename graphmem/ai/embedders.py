"""Creates an embedder by its name."""

from graphmem.ai.embedder import DEFAULT_MODEL, Embedder
from graphmem.errors import Misconfigured


def create_embedder(
    name: str = DEFAULT_MODEL,
    *,
    url: str | None = None,
    model: str | None = None,
    key: str | None = None,
    dimension: int | None = None,
    cache_size: int = 4096,
) -> Embedder:
    """Create the embedder called `name`; a local model starts to load at once, in its own thread.

    `name` is `hash`, `openai` (with `url`, `model`, `key`), the default model, or, with the
    extra `graphmem[sentence-transformers]`, the folder of a model or one that is already in the
    local cache; no model is ever downloaded. `dimension` is the required size of vectors,
    `cache_size` the number of question vectors kept (0: none). Raises Misconfigured."""
    from graphmem.ai.query_cache import QueryCache

    embedder = _create_uncached(name, url=url, model=model, key=key, dimension=dimension)
    return QueryCache(embedder, cache_size) if cache_size > 0 else embedder


def _create_uncached(
    name: str,
    *,
    url: str | None,
    model: str | None,
    key: str | None,
    dimension: int | None,
) -> Embedder:
    """Create the embedder without a cache; imports are slow, so only the one needed is done."""
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

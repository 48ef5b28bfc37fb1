"""The interface of models that turn texts into vectors.

An embedder belongs to one event loop. Its vectors are finite and have length 1, even for a text
without any word, so the cosine of two is their dot product."""

from collections.abc import Sequence
from typing import Final, Protocol

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
"""The local model whose weights are installed with graphmem: 384 dimensions, 256 tokens."""


class Embedder(Protocol):
    """A model that gives texts of similar meaning similar vectors."""

    @property
    def model_id(self) -> str:
        """The name recorded in the graph; vectors of different names can't be compared."""
        ...

    @property
    def dimension(self) -> int:
        """The numbers in a vector; raises Unavailable if not known yet (await `ready` first)."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text to be stored; raise Unavailable."""
        ...

    async def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question; raise Unavailable."""
        ...

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, by the model's own tokenizer or estimated (see there)."""
        ...

    async def ready(self) -> None:
        """Wait until vectors are available; raise Misconfigured if they never will be."""
        ...

    async def close(self) -> None:
        """Finish pending work, refuse later work, and release threads and connections."""
        ...

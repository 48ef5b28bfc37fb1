"""Vectors from any endpoint that speaks OpenAI's embeddings API.

Only the first 8,000 characters of a text are sent, as services refuse what their model can't
read. Error bodies are never repeated: they may quote the text or the key."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import openai
import stamina
from openai.types import CreateEmbeddingResponse

from graphmem.ai.openai_answer import unit_vectors
from graphmem.errors import GraphmemError, Misconfigured, Unavailable

_TEXTS_AT_ONCE: Final = 96
_CHARACTERS_AT_ONCE: Final = 300_000  # services also limit the tokens of one call
_LONGEST_TEXT: Final = 8_000  # characters
_RETRIED: Final = frozenset({408, 409, 425, 429})  # and everything from 500
_DEFAULT_URL: Final = "https://api.openai.com/v1"

Kind = Literal["query", "document"]


class _Refused(Exception):
    """A failed call; holds the HTTP status (0: no answer came) and nothing of the answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}" if status else "no answer")
        self.status = status

    @property
    def passing(self) -> bool:
        """True if the same call may succeed later."""
        return self.status == 0 or self.status in _RETRIED or self.status >= 500


class OpenAIEmbedder:
    """Embeds by HTTP. `dimension` must be that of the model; by default the first answer sets it.

    Each call may take `call_timeout` seconds; a passing failure is retried, `attempts` times in
    all, `retry_wait` seconds later and then twice as long each time."""

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        dimension: int | None = None,
        call_timeout: float = 10.0,
        attempts: int = 4,
        retry_wait: float = 0.25,
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._checked = False  # has an answer had the right dimension?
        self._call_timeout = call_timeout
        self._attempts = attempts
        self._retry_wait = retry_wait
        self._client = openai.AsyncOpenAI(
            # A local server needs no key, but the client wants one (else it asks the environment).
            api_key=key or "none",
            base_url=url or _DEFAULT_URL,
            timeout=call_timeout,
            max_retries=0,
        )

    @property
    def model_id(self) -> str:
        """The name with the provider: `openai:voyage-3`."""
        return f"openai:{self._model}"

    @property
    def dimension(self) -> int:
        """The numbers in a vector, as given or learnt from the first answer.

        Raises Unavailable before that."""
        if self._dimension is None:
            raise Unavailable("The dimension of the embedding service isn't known yet.")
        return self._dimension

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text; raise Unavailable, or Misconfigured at first use."""
        vectors: list[list[float]] = []
        for batch in _split_batches(texts):
            vectors += await self._embed(batch, "document")
        return vectors

    async def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question; raise as `embed_documents` does."""
        return (await self._embed([_make_sendable(text)], "query"))[0]

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens: a quarter of the characters, rounded up."""
        return -(-len(text) // 4)

    async def ready(self) -> None:
        """Request one vector; raise Misconfigured if refused, Unavailable if nobody answers."""
        try:
            await self._embed(["ready"], "query")
        except Unavailable as exc:
            if (status := exc.details.get("status")) and not _Refused(int(status)).passing:
                raise Misconfigured(
                    f"The embedding service refuses calls (HTTP {status}): check its address,"
                    " model and key."
                ) from exc
            raise

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _embed(self, texts: list[str], kind: Kind) -> list[list[float]]:
        """Embed one batch and check the answer."""
        try:
            answer = await self._call_with_retries(texts, kind)
        except _Refused as exc:
            suffix = f" (HTTP {exc.status})" if exc.status else ""
            raise Unavailable(
                f"The embedding service failed{suffix}; try again.", status=exc.status
            ) from exc
        vectors = unit_vectors(answer, len(texts))
        self._check_dimension(len(vectors[0]))
        return vectors

    async def _call_with_retries(self, texts: list[str], kind: Kind) -> object:
        """Call until it succeeds, fails for good, or the attempts are used up."""
        async for attempt in stamina.retry_context(
            on=lambda exc: isinstance(exc, _Refused) and exc.passing,
            attempts=self._attempts,
            timeout=3 * self._call_timeout,
            wait_initial=self._retry_wait,
            wait_jitter=self._retry_wait,
            wait_max=5.0,
        ):
            with attempt:
                return await self._call(texts, kind)
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _call(self, texts: list[str], kind: Kind) -> CreateEmbeddingResponse:
        """Make one call; raise _Refused."""
        body = {"input_type": kind} if self._model.startswith("voyage") else None
        status = 0
        try:
            # The client's own limit is for each read; this one is for the whole call.
            async with asyncio.timeout(self._call_timeout):
                return await self._client.embeddings.create(
                    input=texts, model=self._model, encoding_format="float", extra_body=body
                )
        except openai.APIStatusError as exc:
            status = exc.status_code
        except (openai.OpenAIError, TimeoutError, ValueError, TypeError, ArithmeticError):
            status = 0  # no answer, or an unreadable one
        # Outside the handlers, so that no traceback carries the service's words into a log.
        raise _Refused(status)

    def _check_dimension(self, dimension: int) -> None:
        """Compare the dimension with the expected one.

        At first use a difference is a misconfiguration."""
        if self._dimension is None:
            self._dimension = dimension
        if dimension == self._dimension:
            self._checked = True
            return
        error: type[GraphmemError] = Unavailable if self._checked else Misconfigured
        raise error(
            f"The embedding service gave vectors of {dimension} dimensions, not {self._dimension}."
        )


def _split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Split texts into calls of bounded count and size."""
    batch: list[str] = []
    size = 0
    for text in map(_make_sendable, texts):
        if batch and (len(batch) == _TEXTS_AT_ONCE or size + len(text) > _CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _make_sendable(text: str) -> str:
    """Shorten a text, and replace what a service refuses: nothing at all, and lone surrogates."""
    shortened = text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")
    return shortened if shortened.strip() else "(empty)"

"""A sentence model on this machine, in worker threads of its own.

The first thread starts with the embedder and loads the model, so that it loads while the
database starts. Later it processes waiting texts in batches; a model that several threads may
run gets single texts in each of them. A text longer than the model reads (256 tokens for the
default model, about 1,000 characters) is cut there by the model; the passages of a long note
have vectors of their own."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.sentence_model import SentenceModel, encodable, load
from graphmem.ai.work_queue import WorkItem, WorkQueue, WorkRequest
from graphmem.errors import GraphmemError, Misconfigured, Unavailable


class LocalEmbedder:
    """Embeds with a local model; needs no network and opens no connection.

    `name` is the default model, a folder that sentence-transformers wrote, or the name of a
    model in its local cache. `dimension` is checked when the model is loaded."""

    def __init__(self, name: str = DEFAULT_MODEL, *, dimension: int | None = None) -> None:
        self._name = name
        self._expected = dimension
        self._queue = WorkQueue()
        self._loaded: Future[SentenceModel] = Future()
        self._thread = _start_thread(self._work)

    @property
    def model_id(self) -> str:
        """The name of the model, or of its folder without the path, which may change."""
        return Path(self._name).name

    @property
    def dimension(self) -> int:
        """The numbers in a vector; raises Unavailable while the model loads."""
        return self._model().dimension

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text; raise Unavailable."""
        return await self._embed(texts, question=False)

    async def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a question; raise Unavailable."""
        return (await self._embed([text], question=True))[0]

    def count_tokens(self, text: str) -> int:
        """Count all tokens of a text by the model's tokenizer; raise Unavailable while it loads."""
        return self._model().count_tokens(encodable(text))

    async def ready(self) -> None:
        """Wait until the model is loaded; raise Misconfigured if it can't be."""
        # Shielded: a caller that gives up waiting must not cancel the loading.
        await asyncio.shield(asyncio.wrap_future(self._loaded))

    async def close(self) -> None:
        """Answer pending requests, refuse later ones, and end the threads."""
        self._queue.close()
        await asyncio.to_thread(self._thread.join)

    async def _embed(self, texts: Sequence[str], *, question: bool) -> list[list[float]]:
        """Queue the texts and wait; the caller may stop waiting at any time."""
        if not texts:
            return []
        request = WorkRequest(tuple(texts), question)
        self._queue.submit(request)
        return await asyncio.wrap_future(request.done)

    def _model(self) -> SentenceModel:
        """Return the loaded model, without waiting."""
        if not self._loaded.done():
            raise Unavailable("The embedding model is still loading.")
        return self._loaded.result()

    def _work(self) -> None:
        """Load the model, then answer with as many threads as it can use (in the first thread)."""
        threads = self._load()
        others = [_start_thread(self._serve, threads) for _ in range(threads - 1)]
        self._serve(threads)
        for thread in others:
            thread.join()

    def _load(self) -> int:
        """Load the model; return how many threads may run it (in the first thread)."""
        try:
            model = load(self._name)
            if self._expected not in (None, model.dimension):
                raise Misconfigured(
                    f"The embedding model {self._name} has {model.dimension} dimensions,"
                    f" not {self._expected}."
                )
        except GraphmemError as exc:
            self._loaded.set_exception(exc)
            return 1
        self._loaded.set_result(model)
        return model.threads

    def _serve(self, threads: int) -> None:
        """Answer batch after batch until the queue is closed (in each thread)."""
        while batch := self._queue.take(single=threads > 1):
            self._answer(batch)

    def _answer(self, batch: list[WorkItem]) -> None:
        """Embed one batch; its callers get their vectors, or all get the error (in the thread)."""
        try:
            model = self._loaded.result()
            question = batch[0].request.question
            vectors = model.embed([encodable(item.text) for item in batch], question=question)
        except Exception as exc:  # whatever happens, the thread must live on
            for item in batch:
                item.request.fail(_convert_error(exc))
            return
        for item, vector in zip(batch, vectors, strict=True):
            item.request.put(item.index, vector)


def _start_thread(work: Callable[..., None], *given: object) -> threading.Thread:
    """Start and return a thread that does this work."""
    thread = threading.Thread(target=work, args=given, name="graphmem-embedder", daemon=True)
    thread.start()
    return thread


def _convert_error(exc: Exception) -> GraphmemError:
    """Convert an exception of a model library into an error that may reach a client."""
    if isinstance(exc, GraphmemError):
        return type(exc)(exc.message)
    error = Unavailable("The embedding model failed on these texts.")
    error.__cause__ = exc
    return error

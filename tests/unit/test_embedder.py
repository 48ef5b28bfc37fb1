"""The embedders that need no model: hash, openai against a local server, cache and work queue."""

import asyncio
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from graphmem.ai.embedders import create_embedder
from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.ai.openai_embedder import OpenAIEmbedder
from graphmem.ai.query_cache import QueryCache
from graphmem.ai.work_queue import WorkQueue, WorkRequest
from graphmem.errors import Misconfigured, Unavailable

SECRET = "sk-very-secret"
ODD_TEXTS = ["", "  \n", "!?", "\x00", "\ud800", "日本", "a" * 50_000, "👍"]


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def assert_units(vectors: list[list[float]], dimension: int) -> None:
    for vector in vectors:
        assert len(vector) == dimension
        assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-6)


# --- hash


@pytest.mark.feature("DAEM-24")
def test_hash_gives_one_vector_in_two_processes_without_a_connection() -> None:
    code = (
        "import asyncio, socket\n"
        "loop = asyncio.new_event_loop()\n"
        "def refuse(*_, **__): raise AssertionError('a socket was opened')\n"
        "socket.socket = refuse\n"
        "from graphmem.ai.embedders import create_embedder\n"
        "e = create_embedder('hash')\n"
        "print(loop.run_until_complete(e.embed_query('The plan of the team, été 1')))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert_units([json.loads(answers.pop())], 384)


async def test_hash_puts_similar_texts_near_and_never_gives_nothing() -> None:
    embedder = HashEmbedder()
    near, same_topic, far = await embedder.embed_documents(
        ["Alice moved the database", "Alice moves databases", "Rain in Lisbon tomorrow"]
    )
    assert cosine(near, same_topic) > cosine(near, far) + 0.3
    assert await embedder.embed_query("Alice moved the database") == near
    assert_units(await embedder.embed_documents(ODD_TEXTS), 384)
    assert_units([await HashEmbedder(8).embed_query("x")], 8)
    assert embedder.count_tokens("12345") == 2
    assert (embedder.model_id, embedder.dimension) == ("hash-384", 384)


# --- openai


class Service:
    """A local server that answers as its `reply` says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []
        self.reply: Callable[[int, list[str]], tuple[int, object]] = lambda _, texts: (
            200,
            vectors(texts),
        )
        self.release = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append({"path": self.path, **body})
                status, answer = service.reply(len(service.asked), body["input"])
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


def vectors(texts: list[str], dimension: int = 4, backwards: bool = True) -> dict[str, object]:
    data = [
        {"object": "embedding", "index": i, "embedding": [len(text) + 1.0] + [1] * (dimension - 1)}
        for i, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    ordered = data[::-1] if backwards else data
    return {"object": "list", "model": "m", "usage": usage, "data": ordered}


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.02,))
    thread.start()
    yield service
    service.release.set()
    service.server.shutdown()
    service.server.server_close()
    thread.join()


def client(service: Service, model: str = "m", **options: object) -> OpenAIEmbedder:
    settings = {"key": SECRET, "retry_wait": 0.01, "call_timeout": 60.0, **options}
    return OpenAIEmbedder(model, url=service.url, **settings)  # type: ignore[arg-type]


@pytest.mark.feature("DAEM-25")
async def test_openai_embeds_100_texts_in_few_calls_by_kind(service: Service) -> None:
    service.reply = lambda _, texts: (200, vectors(texts, 1024))
    embedder = create_embedder("openai", url=service.url, model="voyage-3", key=SECRET)
    await embedder.ready()
    service.asked.clear()
    texts = ["x" * length for length in range(100)]
    documents = await embedder.embed_documents(texts)
    query = await embedder.embed_query("x")
    await embedder.close()
    assert [len(call["input"]) for call in service.asked] == [96, 4, 1]  # type: ignore[arg-type]
    assert [call["input_type"] for call in service.asked] == ["document", "document", "query"]
    assert {call["path"] for call in service.asked} == {"/v1/embeddings"}
    assert_units([*documents, query], 1024)
    ratios = [round(vector[0] / vector[1]) for vector in documents]
    assert ratios == [8, *range(2, 101)]  # in the order of the texts; "" went as "(empty)"
    assert (embedder.model_id, embedder.dimension) == ("openai:voyage-3", 1024)


async def test_openai_sends_no_kind_to_other_models_and_bounds_texts(service: Service) -> None:
    embedder = client(service)
    assert_units(await embedder.embed_documents(ODD_TEXTS), 4)
    assert await embedder.embed_documents([]) == []
    await embedder.close()
    (call,) = service.asked
    assert "input_type" not in call
    assert max(map(len, call["input"])) == 8_000  # type: ignore[arg-type]


async def test_openai_tries_again_after_429_and_500(service: Service) -> None:
    statuses = {1: 429, 2: 500}
    service.reply = lambda call, texts: (statuses.get(call, 200), vectors(texts))
    embedder = client(service)
    assert_units([await embedder.embed_query("x")], 4)
    assert len(service.asked) == 3
    await embedder.close()


@pytest.mark.parametrize(("status", "calls"), [(500, 3), (401, 1)])
async def test_openai_never_repeats_the_words_of_the_service(
    service: Service, caplog: pytest.LogCaptureFixture, status: int, calls: int
) -> None:
    service.reply = lambda *_: (status, {"error": {"message": f"inner words, key {SECRET}"}})
    embedder = client(service, attempts=3)
    with pytest.raises(Unavailable) as caught:
        await embedder.embed_query("private")
    assert len(service.asked) == calls
    assert str(status) in caught.value.message
    chain = []
    error: BaseException | None = caught.value
    while error is not None:
        chain.append(repr(error))
        error = error.__cause__ or error.__context__
    told = " ".join(chain) + caplog.text
    assert "inner words" not in told
    assert SECRET not in told
    await embedder.close()


async def test_openai_ready_tells_a_wrong_key_from_a_service_that_is_down(
    service: Service,
) -> None:
    service.reply = lambda *_: (401, {})
    refused = client(service)
    with pytest.raises(Misconfigured, match="401"):
        await refused.ready()
    await refused.close()
    service.reply = lambda *_: (503, {})
    down = client(service, attempts=1)
    with pytest.raises(Unavailable):
        await down.ready()
    with pytest.raises(Unavailable):
        _ = down.dimension
    await down.close()
    nobody = OpenAIEmbedder("m", url="http://127.0.0.1:1/v1", attempts=2, retry_wait=0.01)
    with pytest.raises(Unavailable):
        await nobody.ready()
    await nobody.close()


async def test_openai_checks_the_dimension(service: Service) -> None:
    wrong = client(service, dimension=1024)
    with pytest.raises(Misconfigured, match="4 dimensions, not 1024"):
        await wrong.ready()
    await wrong.close()
    embedder = client(service, dimension=4)
    await embedder.ready()
    service.reply = lambda _, texts: (200, vectors(texts, 5))
    with pytest.raises(Unavailable, match="5 dimensions, not 4"):
        await embedder.embed_query("x")
    await embedder.close()


BAD_ANSWERS: list[object] = [
    {},
    [],
    "text",
    {"data": None},
    {"data": []},
    {"data": [{"index": 0, "embedding": [1.0]}] * 2},
    {"data": [{"index": 1, "embedding": [1.0]}]},
    {"data": [{"index": 0, "embedding": []}]},
    {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
    {"data": [{"index": 0, "embedding": [float("nan"), 1.0]}]},
    {"data": [{"index": 0, "embedding": [float("inf"), 1.0]}]},
    {"data": [{"index": 0, "embedding": [10**400, 1.0]}]},
    {"data": [{"index": 0, "embedding": ["1", None]}]},
    {"data": [{"index": 0}]},
]


@pytest.mark.parametrize("answer", BAD_ANSWERS, ids=lambda answer: str(answer)[:40])
async def test_openai_refuses_unsound_answers(service: Service, answer: object) -> None:
    service.reply = lambda *_: (200, answer)
    embedder = client(service, attempts=1)
    with pytest.raises(Unavailable):
        await embedder.embed_query("x")
    await embedder.close()


async def test_openai_gives_up_on_a_service_that_hangs(service: Service) -> None:
    def hang(_: int, texts: list[str]) -> tuple[int, object]:
        service.release.wait(60)
        return 500, {}

    service.reply = hang
    embedder = client(service, call_timeout=0.2, attempts=2)
    async with asyncio.timeout(30):
        with pytest.raises(Unavailable):
            await embedder.embed_query("x")
    await embedder.close()


async def test_openai_needs_a_model() -> None:
    with pytest.raises(Misconfigured):
        create_embedder("openai", url="http://127.0.0.1:1")


# --- cache


class Slow(HashEmbedder):
    """Counts, and answers when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def embed_query(self, text: str) -> list[float]:
        self.calls.append(text)
        await self.go.wait()
        if self.error:
            raise self.error
        return await super().embed_query(text)


async def test_cache_computes_equal_questions_once_and_is_bounded() -> None:
    slow = Slow()
    cache = QueryCache(slow, 2)
    waiting = [asyncio.create_task(cache.embed_query("a")) for _ in range(5)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # the one that started it
    slow.go.set()
    first, *rest = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert rest == [await HashEmbedder().embed_query("a")] * 4
    for text in ("b", "a", "c", "a", "b"):  # c pushes out b, the longest unused
        await cache.embed_query(text)
    assert slow.calls == ["a", "b", "c", "b"]
    rest[0][0] = 9.0  # type: ignore[index]
    assert (await cache.embed_query("b"))[0] != 9.0
    await cache.embed_query("long " * 1000)
    await cache.embed_query("long " * 1000)
    assert len(slow.calls) == 6  # not kept
    await cache.close()


async def test_cache_keeps_no_failure() -> None:
    slow = Slow()
    cache = QueryCache(slow, 2)
    slow.go.set()
    slow.error = Unavailable()
    with pytest.raises(Unavailable):
        await cache.embed_query("a")
    slow.error = None
    assert_units([await cache.embed_query("a")], 384)


# --- the queue of a local model


def texts_of(queue: WorkQueue) -> list[str]:
    return [item.text for item in queue.take()]


def test_queue_takes_questions_first_and_documents_in_small_sorted_pieces() -> None:
    queue = WorkQueue()
    queue.submit(WorkRequest([f"{n:02}" + "d" * (40 - n) for n in range(40)], question=False))
    for name in ("q1", "q2"):
        queue.submit(WorkRequest([name], question=True))
    assert texts_of(queue) == ["q1", "q2"]
    piece = texts_of(queue)
    assert len(piece) == 32
    assert piece == sorted(piece, key=len)
    queue.submit(WorkRequest(["q3"], question=True))
    assert texts_of(queue) == ["q3"]
    assert len(texts_of(queue)) == 8


def test_queue_bounds_a_piece_by_size_and_takes_a_long_text_alone() -> None:
    queue = WorkQueue()
    queue.submit(WorkRequest(["x" * 50_000] * 5, question=False))
    queue.submit(WorkRequest(["short"], question=False))
    assert [len(texts_of(queue)) for _ in range(2)] == [4, 2]


def test_queue_gives_documents_a_turn_among_many_questions() -> None:
    queue = WorkQueue()
    queue.submit(WorkRequest(["document"], question=False))
    taken = []
    for _ in range(6):
        queue.submit(WorkRequest(["question"], question=True))
        taken += texts_of(queue)
    assert taken.index("document") == 4


def test_queue_drops_what_was_given_up_and_ends_when_closed() -> None:
    queue = WorkQueue()
    given_up, kept = WorkRequest(["a", "b"], question=False), WorkRequest(["c"], question=False)
    queue.submit(given_up)
    queue.submit(kept)
    given_up.done.cancel()
    assert texts_of(queue) == ["c"]
    given_up.put(0, [1.0])  # a batch that was under way: nobody minds
    given_up.put(1, [1.0])
    given_up.fail(Unavailable())
    queue.close()
    assert queue.take() == []
    with pytest.raises(Unavailable):
        queue.submit(WorkRequest(["d"], question=True))


def test_queue_gives_single_texts_to_several_threads() -> None:
    queue = WorkQueue()
    request = WorkRequest([str(n) for n in range(500)], question=False)
    queue.submit(request)
    queue.submit(WorkRequest(["question"], question=True))
    assert [item.text for item in queue.take(single=True)] == ["question"]

    def work() -> None:
        while batch := queue.take(single=True):
            (item,) = batch
            item.request.put(item.index, [float(item.text)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert request.done.result(30) == [[float(n)] for n in range(500)]
    queue.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()

"""The Python client on a server that behaves badly, and what it may import."""

import ast
import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from graphmem import client
from graphmem.client import (
    Conflicting,
    InvalidRequest,
    Memory,
    MemoryClient,
    NotAvailable,
    NotThere,
    ServiceError,
    models,
)
from graphmem.client.models import wire_name
from graphmem.operations.commands.daemon import Status
from graphmem.operations.json_schema import Schemas
from graphmem.rest.endpoints import ENDPOINTS

FOLDER = Path(client.__file__).parent
EVENT = {
    **{"id": "e", "at": "2026-03-01T12:00:00Z", "type": "ADD", "channel": "memory_update"},
    **{"actor": "user:me", "subjectId": None, "domain": None, "summary": "x", "data": {}},
}
Answer = tuple[int, dict[str, str], bytes] | None


class Server:
    """Answers each request by the next of its answers; None: the connection is cut."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str, dict[str, str], Any]] = []

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        body = json.loads(handler.rfile.read(length)) if length else None
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append((handler.command, handler.path, headers, body))
        answer = self.answers.pop(0)
        handler.close_connection = True
        if answer is None:
            return
        status, told, text = answer
        handler.send_response(status)
        for name, value in told.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(text)

    def problem(self, status: int, code: str, *, retryable: bool = False, **more: Any) -> None:
        told = {"status": status, "code": code, "detail": code.lower(), "retryable": retryable}
        text = json.dumps({**told, **more}).encode()
        self.answers.append((status, {"content-type": "application/problem+json"}, text))

    def tell(self, told: Any) -> None:
        self.answers.append((200, {}, json.dumps(told).encode()))

    def stream(self, *numbers: int) -> None:
        lines = [f"id: {n}\ndata: {json.dumps({**EVENT, 'seq': n})}\n\n" for n in numbers]
        text = "retry: 2000\n\n: still here\n\n" + "".join(lines)
        self.answers.append((200, {"content-type": "text/event-stream"}, text.encode()))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, str]]:
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None: ...

    for method in ("GET", "POST", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", lambda handler: made.take(handler))
    monkeypatch.setattr("graphmem.client.transport.FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("graphmem.client.subscription.FIRST_WAIT_S", 0.001)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.01,)).start()
        yield made, f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


REMEMBERED = {"operation": "NOOP", "note": None, "noteId": "n", "affected": [], "reason": "said"}


def test_a_write_is_sent_again_with_one_key_until_it_is_answered(server: tuple[Server, str]):
    made, url = server
    made.problem(503, "UNAVAILABLE", retryable=True)
    made.answers.append(None)
    made.tell(REMEMBERED)
    with Memory(url, user="mara", agent="sales") as memory:
        assert memory.remember("A bell.", ttl_seconds=60).note_id == "n"
    assert len({headers["idempotency-key"] for _, _, headers, _ in made.asked}) == 1
    assert [body for *_, body in made.asked] == [{"content": "A bell.", "ttlSeconds": 60}] * 3
    assert made.asked[0][2]["x-graphmem-agent"] == "sales"


def test_what_is_not_done_once_is_not_sent_again(server: tuple[Server, str]):
    made, url = server
    for ask in (
        lambda memory: memory.revise("n", title="x"),
        lambda memory: memory.forget("n", permanent=True),
        lambda memory: memory.forget_matching("x", confirm=True),
    ):
        made.problem(503, "UNAVAILABLE", retryable=True)
        with Memory(url) as memory, pytest.raises(NotAvailable):
            ask(memory)
    assert len(made.asked) == 3


@pytest.mark.parametrize(
    ("code", "kind"),
    [("BAD_USER_INPUT", InvalidRequest), ("NOT_FOUND", NotThere), ("CONFLICT", Conflicting)],
)
def test_a_problem_is_an_error_of_its_kind(server: tuple[Server, str], code: str, kind: type):
    made, url = server
    made.problem(400, code, currentVersion=3)
    with Memory(url) as memory, pytest.raises(kind) as raised:
        memory.note("n/../x")
    assert isinstance(raised.value, ServiceError)
    assert (raised.value.code, raised.value.details["currentVersion"]) == (code, 3)
    assert made.asked[0][1] == "/v1/notes/n%2F..%2Fx"


@pytest.mark.parametrize(
    ("code", "kind"), [("NOT_FOUND", NotThere), ("UNAVAILABLE", NotAvailable), ("X", ServiceError)]
)
def test_an_error_of_graphql_is_one_of_the_client(
    server: tuple[Server, str], code: str, kind: type
):
    made, url = server
    error = {"message": "no", "extensions": {"code": code, "retryable": False}}
    made.tell({"data": None, "errors": [error]})
    with Memory(url) as memory, pytest.raises(kind) as raised:
        memory.history("n")
    assert (type(raised.value), raised.value.code, raised.value.message) == (kind, code, "no")


def test_each_method_is_there_for_asyncio_too():
    public = {name for name in vars(Memory) if not name.startswith("_")}
    assert public - set(vars(client.AsyncMemory)) <= {"note_page"}


def test_nobody_there_is_told(server: tuple[Server, str]):
    with Memory("http://127.0.0.1:1", attempts=2) as memory, pytest.raises(NotAvailable):
        memory.status()
    with pytest.raises(ValueError, match="http"):
        Memory("ftp://x")


def test_a_subscription_goes_on_after_the_last_event(server: tuple[Server, str]):
    made, url = server
    made.stream(5, 6)
    made.problem(503, "UNAVAILABLE", retryable=True)
    made.stream(7)
    made.problem(401, "UNAUTHENTICATED")
    with Memory(url) as memory, memory.events(types=["ADD"]) as events:
        assert [next(events).seq for _ in range(3)] == [5, 6, 7]
        with pytest.raises(client.NotAuthenticated):
            next(events)
        with pytest.raises(StopIteration):
            next(events)
    paths = [path.partition("?")[2] for _, path, _, _ in made.asked]
    assert paths == ["types=ADD", "after=6&types=ADD", "after=6&types=ADD", "after=7&types=ADD"]


@pytest.mark.feature("DAEM-31")
def test_the_example_of_the_daemons_document(server: tuple[Server, str]):
    made, url = server
    made.tell({"success": True, "id": "m", "text": "Important fact", "tags": ["work"]})
    found = {"id": "m", "text": "Important fact", "score": 0.9, "tags": [], "metadata": None}
    made.tell({"results": [{**found, "createdAt": "2026-03-01T12:00:00Z"}], "count": 1})
    made.answers.append((404, {}, b'{"success": false, "error": "no such memory"}'))
    memory = MemoryClient(url, "my-agent")
    assert memory.remember("Important fact", tags=["work", "priority"]) == "m"
    results = memory.recall("find important facts", 5)
    assert [(each.text, each.score) for each in results] == [("Important fact", 0.9)]
    with pytest.raises(NotThere, match="no such memory"):
        memory.forget("x")
    memory.close()
    assert made.asked[0][3] == {
        "agentId": "my-agent",
        "text": "Important fact",
        "tags": ["work", "priority"],
    }


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_client_needs_the_standard_library_only(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        for name in names:
            top = name.partition(".")[0]
            assert name.startswith("graphmem.client") or top in sys.stdlib_module_names, name


CALLED = {
    "Step": "PathStep",
    "Recall": "RecallResult",
}  # models that the service calls by another name


@pytest.mark.parametrize(
    "name",
    [
        *("Note", "Hit", "Recall", "ContextPackage", "NotePage", "Agent", "Event", "Step", "Stats"),
        *("Expert", "RouteAdvice", "Consultation", "Entity"),
    ],
)
def test_a_model_of_the_client_is_what_the_service_answers(name: str):
    schemas = Schemas()
    for endpoint in ENDPOINTS:
        hint = endpoint.answer
        schemas.answer(hint.__args__[0] if endpoint.streams else hint)
    schemas.answer(Status)
    model: Callable[..., Any] = getattr(models, name)
    told = {wire_name(field) for field in get_type_hints(model)}
    assert told == schemas.found[CALLED.get(name, name)]["properties"].keys()

"""An HTTP server that answers chat completions as its script says, and keeps what it was asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = {
    "context": "Ada Kessler runs the Halden project.",
    "keywords": ["halden", "project", "budget"],
    "tags": ["work", "projects", "people"],
    "entities": [{"name": "ada kessler", "type": "Person"}, {"name": "Halden", "type": "project"}],
    "relations": [{"subject": "Ada Kessler", "predicate": "leads", "object": "Halden"}],
    "importance": 0.8,
    "visibility": "SCOPED",
}


@dataclass(frozen=True)
class Reply:
    """One answer: its status, body, headers, and what to do before it is sent."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None


def says(content: object, *, usage: object = None, **more: Any) -> Reply:
    """The reply of a model that says `content`: a text, or something to be told as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    data: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
    return Reply(body=json.dumps(data | more).encode())


class ScriptedLlm:
    """Gives the replies of `script` in turn, the last one again and again."""

    def __init__(self) -> None:
        self.script: list[Reply] = [says(GOOD)]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.reached = threading.Event()  # somebody has asked
        self.release = threading.Event()  # slow replies may go
        self._lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = fake._next(body | {"path": self.path}, self.headers["Authorization"])
                reply.before()
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True  # the client has gone

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.asked)

    def slow(self, reply: Reply) -> Reply:
        """The same reply, sent when the test is over."""
        return Reply(reply.status, reply.body, reply.headers, lambda: self.release.wait(30))

    def _next(self, body: dict[str, Any], key: str | None) -> Reply:
        with self._lock:
            self.asked.append(body)
            self.keys.append(key)
            self.reached.set()
            return self.script[min(len(self.asked), len(self.script)) - 1]


@contextmanager
def scripted_llm() -> Iterator[ScriptedLlm]:
    """A running server on a free port of this machine."""
    fake = ScriptedLlm()
    thread = threading.Thread(target=fake.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield fake
    finally:
        fake.release.set()
        fake.server.shutdown()
        fake.server.server_close()
        thread.join()

"""A client of subscriptions that speaks graphql-transport-ws with the service in this process."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE_S = 60.0
RESYNC = "RESYNC"


class Socket:
    """One connection; what the service sends arrives in a queue."""

    def __init__(self, app: Any, headers: dict[str, str]) -> None:
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        given = {"host": "127.0.0.1:8321", **headers}
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": "/graphql",
            "raw_path": b"/graphql",
            "query_string": b"",
            "root_path": "",
            "headers": [(k.lower().encode(), v.encode()) for k, v in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8321),
            "subprotocols": ["graphql-transport-ws"],
            "state": {},
        }
        self._sent.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(app(scope, self._sent.get, self._received.put))

    async def receive(self) -> dict[str, Any]:
        """The next thing that the service sends."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._received.get()

    async def message(self) -> dict[str, Any]:
        """The next message of the protocol; that the socket was closed is one, too."""
        got = await self.receive()
        return json.loads(got["text"]) if got["type"] == "websocket.send" else got

    def send(self, **message: Any) -> None:
        """Send a message of the protocol."""
        self._sent.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    async def close(self) -> None:
        """Leave, and wait until the service has noticed."""
        self._sent.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait([self._task], timeout=PATIENCE_S)


async def listen(
    app: Any,
    query: str,
    variables: dict[str, Any],
    headers: dict[str, str],
    mark: Callable[[], Awaitable[str]],
) -> list[Any]:
    """What a subscriber is sent, up to the event about what `mark` makes. A stream that begins anew
    is sent nothing from before that, and by then the mark may have been made; so another one is."""
    socket = Socket(app, headers)
    told: list[Any] = [(await socket.receive())["type"]]
    try:
        socket.send(type="connection_init")
        told.append((await socket.message())["type"])
        socket.send(type="subscribe", id="1", payload={"query": query, "variables": variables})
        marks = [await mark()]
        while True:
            message = await socket.message()
            event = ((message.get("payload") or {}).get("data") or {}).get("a0") or {}
            if event.get("subjectId") in marks[:-1]:
                continue  # chance says whether it came before the beginning
            told.append(message.get("payload", message))
            if event.get("subjectId") == marks[-1] or message["type"] != "next":
                break
            if event.get("type") == RESYNC:
                marks.append(await mark())
    finally:
        await socket.close()
    return told

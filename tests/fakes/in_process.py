"""The Python client of a service in this process."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from graphmem.client import Memory
from graphmem.client.errors import error_of
from graphmem.client.transport import Request, Transport


class InProcess(Transport):
    """Sends what the client asks to the service in this process."""

    def __init__(self, http: httpx.AsyncClient, headers: Mapping[str, str]) -> None:
        super().__init__("http://127.0.0.1", headers, timeout_s=60, attempts=1)
        self._http, self._loop = http, asyncio.get_running_loop()

    def send(self, request: Request) -> Any:
        sent = {"json": request.body} if request.body is not None else {}
        headers = {**self._headers, **request.headers}
        query = {name: value for name, value in request.query.items() if value is not None}
        asked = self._http.request(
            request.method, request.path, params=query, headers=headers, **sent
        )
        answer = asyncio.run_coroutine_threadsafe(asked, self._loop).result()
        if not answer.is_success:
            raise error_of(answer.status_code, answer.json())
        return answer.json()


def memory_in_process(http: httpx.AsyncClient, headers: Mapping[str, str]) -> Memory:
    """A client whose methods are to be called in threads beside the event loop."""
    memory = Memory()
    memory._transport = InProcess(http, headers)  # pyright: ignore[reportPrivateUsage]
    return memory

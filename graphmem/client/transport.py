"""HTTP with the standard library: kept connections, time limits, and repeated requests."""

import http.client
import json
import random
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from graphmem.client.errors import NotAvailable, ServiceError, error_of

CLIENT: Final = {"X-Graphmem-Client": "python"}  # so that recalls by GET count as uses
KEPT: Final = 8  # idle connections
FIRST_WAIT_S: Final = 0.2
LONGEST_WAIT_S: Final = 10.0
TOO_LONG_IDLE_S: Final = 20.0  # the service closes idle connections after 30


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request; `repeatable`: sending it twice has the same effect as once."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True


class Transport:
    """Sends requests to one service, from any thread."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, timeout_s: float, attempts: int
    ) -> None:
        """Prepare connections; `timeout_s` is for each wait of an attempt, `attempts` is for
        repeatable requests."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of the service must begin with http:// or https://")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._headers = {**CLIENT, **headers}
        self._timeout_s, self._attempts = timeout_s, attempts
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def send(self, request: Request) -> Any:
        """Return the JSON of an answer. Raises ServiceError; what may succeed later is tried
        again."""
        attempts = self._attempts if request.repeatable else 1
        for attempt in range(1, attempts + 1):
            try:
                return self._send_once(request)
            except ServiceError as error:
                if not error.retryable or attempt == attempts:
                    raise
                time.sleep(_wait_s(attempt, error))
        raise AssertionError("no attempt")

    def _send_once(self, request: Request) -> Any:
        connection = self._take_connection()
        try:
            response = self._send_request(connection, request)
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            message = f"no answer from {self._host}: {type(error).__name__}"
            raise NotAvailable(message, retryable=True) from error
        except BaseException:
            connection.close()
            raise
        self._release_connection(connection, response)
        return _parse_response(response, text)

    def open(self, request: Request) -> "Stream":
        """Open a streamed answer, on a connection of its own. Raises ServiceError."""
        connection = self._connect()
        try:
            response = self._send_request(connection, request)
            if response.status != 200:
                _parse_response(response, response.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            message = f"no answer from {self._host}: {type(error).__name__}"
            raise NotAvailable(message, retryable=True) from error
        except BaseException:
            connection.close()
            raise
        return Stream(connection, response)

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _send_request(
        self, connection: http.client.HTTPConnection, request: Request
    ) -> http.client.HTTPResponse:
        query = {
            name: _to_query_text(value)
            for name, value in request.query.items()
            if value is not None
        }
        path = self._base + request.path + (f"?{urlencode(query, doseq=True)}" if query else "")
        body, headers = None, {**self._headers, **request.headers}
        if request.body is not None:
            body = json.dumps(request.body).encode()
            headers["Content-Type"] = "application/json"
        connection.request(request.method, path, body, headers)
        return connection.getresponse()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout_s)

    def _take_connection(self) -> http.client.HTTPConnection:
        now = time.monotonic()
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if now - since < TOO_LONG_IDLE_S:
                    return connection
                connection.close()
        return self._connect()

    def _release_connection(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> None:
        with self._lock:
            if not response.will_close and len(self._idle) < KEPT:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()


class Stream:
    """A streamed answer, line by line."""

    def __init__(
        self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> None:
        self._connection, self._response = connection, response

    def line(self) -> str | None:
        """Return the next line, None at the end. Raises NotAvailable when nothing comes in time."""
        try:
            text = self._response.readline()
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise NotAvailable("the stream broke off", retryable=True) from error
        return text.decode().rstrip("\r\n") if text else None

    def close(self) -> None:
        """End the stream; a thread that waits in `line` stops waiting."""
        if self._connection.sock is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(2)
        self._connection.close()


def _parse_response(response: http.client.HTTPResponse, text: bytes) -> Any:
    try:
        body = json.loads(text) if text else None
    except ValueError:
        body = None
    if 200 <= response.status < 300:
        return body
    error = error_of(response.status, body)
    error.details.setdefault("retryAfter", response.headers.get("Retry-After"))
    raise error


def _wait_s(attempt: int, error: ServiceError) -> float:
    """Return the seconds before the next attempt: as many as the service asks for, else ever
    more."""
    asked = str(error.details.get("retryAfter") or "")
    grown = FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
    return min(max(float(asked) if asked.isdecimal() else 0.0, grown), LONGEST_WAIT_S)


def _to_query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_to_query_text(each) for each in value] if isinstance(value, list | tuple) else value

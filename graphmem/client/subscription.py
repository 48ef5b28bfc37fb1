"""Events as they happen, over any number of connections."""

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final, Self

from graphmem.client import requests
from graphmem.client.errors import NotAvailable, ServiceError, error_of
from graphmem.client.models import Event, read
from graphmem.client.transport import Stream, Transport

MOST_FAILURES: Final = 8  # in a row, before it gives up
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0


class Subscription:
    """An iterator of events. When the connection breaks, it connects again and continues after the
    last event; before the first event it may miss what happens in between, unless `after` is given.

    Raises ServiceError when the service refuses it or stays down."""

    def __init__(self, transport: Transport, after: int | None, given: Mapping[str, Any]) -> None:
        self.after = after
        self._transport, self._given = transport, dict(given)
        self._stream: Stream | None = None
        self._closed = threading.Event()
        self._failures = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def connect(self) -> Self:
        """Connect now: changes from here on are not missed."""
        if self._stream is None:
            self._stream = self._transport.open(requests.events(self.after, self._given))
        return self

    def __next__(self) -> Event:
        while not self._closed.is_set():
            try:
                self.connect()
                event = self._read_event()
            except ServiceError as error:
                self._handle_failure(error)
                continue
            if event is not None:
                self.after, self._failures = event.seq, 0
                return event
        raise StopIteration

    def close(self) -> None:
        """End the subscription; `next` in another thread stops."""
        self._closed.set()
        if self._stream is not None:
            self._stream.close()

    def _read_event(self) -> Event | None:
        """Return the next event, or None for a message without data. Raises ServiceError."""
        assert self._stream is not None
        name, data = "", ""
        while line := self._stream.line():
            field, _, value = line.partition(":")
            if field == "event":
                name = value.strip()
            elif field == "data":
                data += value.strip()
        if line is None:
            raise NotAvailable("the stream ended", retryable=True)
        if not data:
            return None
        body = json.loads(data)
        if name == "problem":
            raise error_of(int(body.get("status", 0)), body)
        return read(Event, body)

    def _handle_failure(self, error: ServiceError) -> None:
        """Wait before the next attempt. Raises the error if there is none."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._closed.is_set():
            return
        self._failures += 1
        if not error.retryable or self._failures >= MOST_FAILURES:
            self.close()
            raise error
        self._closed.wait(min(FIRST_WAIT_S * 2 ** (self._failures - 1), LONGEST_WAIT_S))

"""Streamed answers: events as server-sent events (text/event-stream), which a client resumes by
`Last-Event-ID`, and records as lines of JSON."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Final

from starlette.responses import Response, StreamingResponse

from graphmem.domain.events import Event
from graphmem.operations.codes import failure_of
from graphmem.operations.presenters.as_json import to_json
from graphmem.operations.problems import problem_of
from graphmem.operations.streams import Stream

EVENTS: Final = "text/event-stream"
RECORDS: Final = "application/x-ndjson"
BEAT_S: Final = 15.0  # between two signs of life
RETRY_MS: Final = 2000


def events_of(answers: Stream[Any]) -> Response:
    """Return the streamed answer."""
    return StreamingResponse(lines_of(answers), media_type=EVENTS)


def records_of(answers: Stream[Any]) -> Response:
    """Return records, one a line; after an error, which is reported in the last line, the answer is
    incomplete."""

    async def lines() -> AsyncIterator[str]:
        async with aclosing(answers):
            try:
                async for record in answers:
                    yield _dump_line(record) + "\n"
            except Exception as error:
                yield _dump_line({"record": "error", **problem_of(failure_of(error))}) + "\n"

    return StreamingResponse(lines(), media_type=RECORDS)


async def lines_of(events: Stream[Any]) -> AsyncIterator[str]:
    """Yield answers as they are sent, events with their number as the id; an error is reported and
    ends the stream."""
    yield f"retry: {RETRY_MS}\n\n"
    async with aclosing(events):
        waiting = asyncio.ensure_future(anext(events))
        try:
            while True:
                done, _ = await asyncio.wait((waiting,), timeout=BEAT_S)
                if not done:
                    yield ": still here\n\n"
                    continue
                try:
                    event = waiting.result()
                except StopAsyncIteration:
                    return
                except Exception as error:
                    yield f"event: problem\ndata: {_dump_line(problem_of(failure_of(error)))}\n\n"
                    return
                number = f"id: {event.seq}\n" if isinstance(event, Event) else ""
                yield f"{number}data: {_dump_line(to_json(event))}\n\n"
                waiting = asyncio.ensure_future(anext(events))
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await waiting


def _dump_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

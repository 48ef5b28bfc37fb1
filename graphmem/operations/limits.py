"""Limits of one operation, whatever protocol it uses: time, and bytes of its request.

The number of rows that it may ask for is a bound of its command (`domain.fields.Between`)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from graphmem.errors import TimedOut

OPERATION_S: Final = 30.0  # the default; a setting
BODY_BYTES: Final = 8 * 1024 * 1024  # the default; a setting
ANSWER_TOKENS: Final = 2000  # of an answer that a model reads, estimated; the default, a setting
MIN_ANSWER_TOKENS: Final = 200
MAX_ANSWER_TOKENS: Final = 50_000
ANSWERING: Final = 0.1  # share of an operation's time that is kept for its answer


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[float]:
    """End the enclosed work after a number of seconds with TimedOut. Yields the instant, in the
    time of the event loop, by which work should be done so that there is time left for the
    answer."""
    try:
        async with asyncio.timeout(seconds) as limit:
            yield (limit.when() or 0) - ANSWERING * seconds
    except TimeoutError as exc:
        raise TimedOut from exc

"""Progress: tells a client that asked for it that a long call still goes on."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from graphmem.mcp.caller import Request

EVERY_S: Final = 2.0


@asynccontextmanager
async def telling_progress(request: Request, what: str, seconds: float) -> AsyncIterator[None]:
    """Tell, as long as what is within goes on, for how many of its seconds it does. It is told over
    a connection that stays, as of `graphmem mcp`; an answer over HTTP is one document."""
    if (request.meta or {}).get("progress_token") is None:
        yield
        return
    telling = asyncio.create_task(_tell(request, what, seconds))
    try:
        yield
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(request: Request, what: str, seconds: float) -> None:
    began = time.monotonic()
    while True:
        gone = min(time.monotonic() - began, seconds)
        await request.session.report_progress(round(gone, 1), seconds, f"{what} goes on")
        await asyncio.sleep(EVERY_S)

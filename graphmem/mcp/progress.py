"""Progress: reports to a client that asked for it that a long call still continues."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from graphmem.mcp.caller import Request

EVERY_S: Final = 2.0


@asynccontextmanager
async def reporting_progress(request: Request, what: str, seconds: float) -> AsyncIterator[None]:
    """Report, while the enclosed call runs, how many of its seconds have passed. The reports need a
    lasting connection, such as that of `graphmem mcp`; an answer over HTTP is one document."""
    if (request.meta or {}).get("progress_token") is None:
        yield
        return
    reporting = asyncio.create_task(_report_progress(request, what, seconds))
    try:
        yield
    finally:
        reporting.cancel()
        with suppress(asyncio.CancelledError):
            await reporting


async def _report_progress(request: Request, what: str, seconds: float) -> None:
    began = time.monotonic()
    while True:
        gone = min(time.monotonic() - began, seconds)
        await request.session.report_progress(round(gone, 1), seconds, f"{what} goes on")
        await asyncio.sleep(EVERY_S)

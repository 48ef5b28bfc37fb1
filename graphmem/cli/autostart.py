"""The service that `graphmem mcp` works with, started if it does not answer."""

import asyncio
import http.client
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from graphmem.errors import Misconfigured, Unavailable
from graphmem.settings import Settings

EVERY_S: Final = 0.5  # seconds between two checks whether the service answers
ANSWER_S: Final = 2.0  # seconds that an answer may take
STOP_S: Final = 60.0  # to stop in good order
LOG: Final = "service.log"  # in the data folder


@asynccontextmanager
async def service_beside(settings: Settings) -> AsyncIterator[None]:
    """Keep the service of `settings.mcp.url` running inside the context, as far as this process is
    responsible: it is started if nothing answers there and no other process serves the data folder,
    and stopped at the end.

    Raises Unavailable when it does not answer in time, Misconfigured when it can't be started."""
    if not await _should_start(settings):
        yield
        return
    from graphmem.app import fetch_server

    await fetch_server(settings)  # before the time limit starts
    process = await _start_service(settings)
    try:
        await _wait_until_healthy(settings)
        yield
    finally:
        await _stop_service(process)


async def healthy(host: str, port: int) -> bool:
    """Return True if a service at this address reports that it is healthy."""
    return await asyncio.to_thread(_is_healthy, host, port)


async def _should_start(settings: Settings) -> bool:
    from graphmem.server import running_server

    if settings.neo4j_uri or not settings.mcp.autostart or await healthy(*settings.mcp.place):
        return False
    return await asyncio.to_thread(running_server, settings.data) is None


def _is_healthy(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        return answer.status == 200 and json.loads(answer.read(1_000)) == {"status": "ok"}
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()


async def _start_service(settings: Settings) -> asyncio.subprocess.Process:
    from graphmem.server.watchdog import die_with_parent

    host, port = settings.mcp.place
    options = ("--host", host, "--port", str(port), "--data", str(settings.data))
    try:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = os.open(settings.data / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as exc:
        raise Misconfigured(f"the folder {settings.data} can't be written: {exc}") from exc
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "graphmem", "serve", *options),
            env={**os.environ, "GRAPHMEM_DEFAULT_USER": settings.default_user},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent(),
        )
    finally:
        os.close(log)


async def _wait_until_healthy(settings: Settings) -> None:
    """Wait until it answers, even if it has ended: another process may have started one at the same
    moment."""
    seconds = settings.mcp.start_seconds
    try:
        async with asyncio.timeout(seconds):
            while not await healthy(*settings.mcp.place):  # noqa: ASYNC110  (it tells nobody)
                await asyncio.sleep(EVERY_S)
    except TimeoutError as exc:
        raise Unavailable(
            f"the service at {settings.mcp.url} did not answer in {seconds} seconds, see "
            f"{settings.data / LOG}; GRAPHMEM_MCP__START_SECONDS gives it more time"
        ) from exc


async def _stop_service(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

"""Asking a running service how it is, over HTTP."""

import asyncio
import http.client
import json
from typing import Final

from graphmem.errors import Misconfigured
from graphmem.settings import Settings

TIMEOUT_S: Final = 6.0  # the readiness check itself has five


async def service_state(settings: Settings) -> str:
    """`ready`, `starting` (it answers, but can't serve yet) or `down`."""
    return await asyncio.to_thread(_state, *service_place(settings))


def service_place(settings: Settings) -> tuple[str, int]:
    """Host and port at which this machine reaches the service."""
    everywhere = settings.host in ("0.0.0.0", "::", "")
    return ("127.0.0.1" if everywhere else settings.host, settings.port)


def _state(host: str, port: int) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/version")
        if json.loads(connection.getresponse().read(10_000)).get("name") != "graphmem":
            return "down"  # another program has the port
        connection.request("GET", "/readyz")
        return "ready" if connection.getresponse().status == 200 else "starting"
    except (OSError, http.client.HTTPException, ValueError, AttributeError):
        return "down"
    finally:
        connection.close()


async def require_stopped(settings: Settings) -> None:
    """Raise Misconfigured when a service answers: it would go on with the old model."""
    if await service_state(settings) != "down":
        host, port = service_place(settings)
        raise Misconfigured(f"a service runs at {host} port {port}: stop it first")

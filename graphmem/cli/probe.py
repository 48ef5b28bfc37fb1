"""Finding the running service, and asking for its state, over HTTP."""

import asyncio
import http.client
import json
from typing import Final
from urllib.parse import SplitResult, urlsplit

from graphmem.errors import Misconfigured
from graphmem.settings import Settings

TIMEOUT_S: Final = 6.0  # the readiness check itself has five
EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}


def service_url(settings: Settings) -> str:
    """Return the base of the service's URLs: of the one that runs on the data folder, whatever its
    port is, else of the configured host and port."""
    from graphmem.server import running_service

    found = None if settings.neo4j_uri else running_service(settings.data)
    return _reachable_url(found or f"http://{_bracket_ipv6(settings.host)}:{settings.port}")


async def service_state(url: str) -> str:
    """Return `ready`, `starting` (it answers, but can't serve yet) or `down`."""
    return await asyncio.to_thread(_read_state, url)


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _reachable_url(url: str) -> str:
    """Return the URL by which this machine reaches a service that listens on all addresses."""
    parts = urlsplit(url)
    host = EVERYWHERE.get(parts.hostname or "")
    return f"{parts.scheme}://{_bracket_ipv6(host)}:{parts.port}" if host else url


def _read_state(url: str) -> str:
    try:
        connection = _open_connection(urlsplit(url))
    except (http.client.HTTPException, ValueError):
        return "down"
    try:
        if json.loads(_read_answer(connection, url, "/version")[1]).get("name") != "graphmem":
            return "down"  # another program has the port
        return "ready" if _read_answer(connection, url, "/readyz")[0] == 200 else "starting"
    except (OSError, http.client.HTTPException, ValueError, AttributeError):
        return "down"
    finally:
        connection.close()


def _open_connection(parts: SplitResult) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=TIMEOUT_S)


def _read_answer(connection: http.client.HTTPConnection, url: str, path: str) -> tuple[int, bytes]:
    connection.request("GET", urlsplit(url).path.rstrip("/") + path)
    answer = connection.getresponse()
    return answer.status, answer.read(10_000)


async def require_stopped(settings: Settings) -> None:
    """Raise Misconfigured when a service is running.

    On a data folder any process that holds its lock counts; on a Neo4j that runs elsewhere, the
    service that answers at the configured host and port."""
    from graphmem.server import holder_of

    if not settings.neo4j_uri:
        holder = await asyncio.to_thread(holder_of, settings.data)
        if holder is not None:
            raise Misconfigured(
                f"the data folder {settings.data} is in use by process {holder}: stop it first"
            )
    elif await service_state(url := service_url(settings)) != "down":
        raise Misconfigured(f"a service runs at {url}: stop it first")

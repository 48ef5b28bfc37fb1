"""Commands that inspect: `status`, `debug`, `schema`."""

import asyncio
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, Url, answer, settings_of, url_given
from graphmem.errors import GraphmemError
from graphmem.settings import Settings

NOT_RUNNING: Final = "not running"
PARTS: Final = ("graphmem", "neo4j", "strawberry-graphql", "starlette", "uvicorn", "pydantic")


def status(
    data: Data = None, neo4j: Neo4jUri = None, url: Url = None, as_json: AsJson = False
) -> None:
    """Report whether the service is up.

    The service is that of the data folder, whatever its port is. Prints the number of notes too.
    The exit code is 1 when it is not ready."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    service, connected, memories = asyncio.run(_read_status(settings, url_given(url)))
    text = f"graphmem: {service}, Neo4j: {'connected' if connected else 'not connected'}"
    if memories is not None:
        text += f", Memories: {memories}"
    state = {"graphmem": service, "neo4j": connected, "memories": memories}
    answer(state, text, as_json=as_json)
    if service != "ready" or not connected:
        raise typer.Exit(1)


async def _read_status(settings: Settings, url: str | None) -> tuple[str, bool, int | None]:
    from graphmem.app import open_graph
    from graphmem.cli.probe import service_state, service_url
    from graphmem.server import running_server
    from graphmem.services.context import utc_now
    from graphmem.services.startup import count_notes

    service = await service_state(url or service_url(settings))
    if not (settings.neo4j_uri or await asyncio.to_thread(running_server, settings.data)):
        return service, False, None  # a status check must not start one
    try:
        async with open_graph(settings) as graph:
            return service, True, await count_notes(graph, utc_now)
    except GraphmemError:
        return service, False, None


def schema(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there instead of printing."),
    ] = None,
) -> None:
    """Print the GraphQL schema (SDL). Nothing needs to run."""
    from graphmem.api.schema import sdl

    text = sdl()
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def debug(
    data: Data = None, neo4j: Neo4jUri = None, url: Url = None, as_json: AsJson = False
) -> None:
    """Print what helps to find a fault.

    Versions, settings without secrets, Java, the cache, the server, the contents of the graph, its
    indexes, the newest run of each job. The last three are empty if no Neo4j runs."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    found = asyncio.run(_collect_facts(settings, url_given(url)))
    lines = [line for name, part in found.items() for line in _render_section(name, part)]
    answer(found, "\n".join(lines), as_json=as_json)


async def _collect_facts(settings: Settings, url: str | None) -> dict[str, Mapping[str, object]]:
    from graphmem.cli.probe import service_state, service_url

    address = url or service_url(settings)
    server = await asyncio.to_thread(_server_facts, settings)
    return {
        "versions": {"python": platform.python_version(), "system": platform.platform()}
        | {name: version(name) for name in PARTS},
        "settings": _mask_secrets(settings),
        "service": {"address": address, "state": await service_state(address)},
        "server": server,
    } | await _graph_facts(settings, running=server["neo4j"] != NOT_RUNNING)


async def _graph_facts(settings: Settings, *, running: bool) -> dict[str, Mapping[str, object]]:
    """Return counts, indexes and jobs; empty, with the reason, if no Neo4j answers."""
    from graphmem.app import open_graph
    from graphmem.cli.jobs import state_of
    from graphmem.services.jobs.jobs import list_jobs
    from graphmem.services.startup import contents_of

    if not running:
        return {"graph": {"state": NOT_RUNNING}, "indexes": {}, "jobs": {}}
    try:
        async with open_graph(settings) as graph:
            found, jobs = await contents_of(graph), await list_jobs(graph, settings.schedule)
    except GraphmemError as error:
        return {"graph": {"state": error.message}, "indexes": {}, "jobs": {}}
    return {
        "graph": {**found.labels, "relationships": found.relationships},
        "indexes": found.indexes,
        "jobs": {job.name: state_of(newest) for job, newest in jobs},
    }


def _mask_secrets(settings: Settings) -> dict[str, object]:
    """Return the settings, with stars in place of secrets, also within URLs."""
    from graphmem.domain.described import without_login

    values = settings.model_dump(mode="json")
    return {
        name: without_login(value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _server_facts(settings: Settings) -> dict[str, object]:
    from graphmem.server import running_server
    from graphmem.server.artifacts import locked
    from graphmem.server.java import find_java

    try:
        java = find_java(settings.java_home)
        found = f"{java.version} at {java.path}"
    except GraphmemError as error:
        found = error.message
    jars = settings.cache / locked("server").folder_name
    running = None if settings.neo4j_uri else running_server(settings.data)
    return {
        "neo4j": settings.neo4j_uri or (running.bolt_uri if running else NOT_RUNNING),
        "pid": running.pid if running else None,
        "version": locked("server").version,
        "java": found,
        "jars": f"{jars} ({'there' if jars.is_dir() else 'not downloaded yet'})",
        "log": str(settings.data / "logs" / "neo4j.log"),
    }


def _render_section(name: str, part: Mapping[str, object]) -> list[str]:
    return [name, *(f"  {key:<20} {value}" for key, value in part.items())]

"""`graphmem mcp`: an MCP server on stdin and stdout, and the configuration of its clients."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.connect.clients import Started, place_of, render_entry, with_server
from graphmem.cli.connect.commands import Client
from graphmem.cli.connect.files import read_text, replace_file
from graphmem.cli.options import Data, Neo4jUri, settings_of
from graphmem.errors import Misconfigured
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.context import Context


User = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Whose memory it is. [env: GRAPHMEM_DEFAULT_USER; default: me]",
        show_default=False,
    ),
]


def build_mcp() -> typer.Typer:
    """Return the command with its subcommand."""
    group = typer.Typer(
        help="Give the memory to a model over MCP.", rich_markup_mode=None, add_completion=False
    )
    group.callback(invoke_without_command=True)(mcp)
    group.command()(install)
    return group


def mcp(
    context: typer.Context,
    user: User = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The agent that asks; none: whom each call names, else GRAPHMEM_MCP__AGENT_ID.",
            show_default=False,
        ),
    ] = None,
    in_person: Annotated[
        bool, typer.Option("--in-person", help="Ask as the user in person, who may do everything.")
    ] = False,
    endpoint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only the tools of memory, orchestrator or commons; may be repeated.",
            show_default=False,
        ),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
) -> None:
    """Serve the memory over MCP on stdin and stdout, until stdin ends.

    Uses the Neo4j of a running `graphmem serve` on the same data folder, or else starts the service
    (GRAPHMEM_MCP__AUTOSTART) and ends it with itself. Whoever runs this has access to the graph
    itself, so it asks for no key."""
    if context.invoked_subcommand is not None:
        return
    from graphmem.app import migrations
    from graphmem.cli.serving import run_until_stopped
    from graphmem.mcp.routes import ENDPOINTS
    from graphmem.mcp.stdio import serve_stdio
    from graphmem.services.startup import require_ready

    if unknown := set(endpoint or ()) - set(ENDPOINTS):
        raise typer.BadParameter(f"there is no {', '.join(sorted(unknown))}")
    if agent and in_person:
        raise typer.BadParameter("--agent and --in-person exclude each other")
    settings = settings_of(data=data, neo4j_uri=neo4j, default_user=user)
    files = migrations()
    run_until_stopped(
        lambda stops: serve_stdio(
            lambda: _open_service(settings),
            alive=lambda service: require_ready(service.graph, service.embedder, files),
            user=settings.default_user,
            agent=agent,
            unnamed=None if in_person else settings.mcp.agent_id,
            tools=settings.mcp,
            seconds=settings.operation_timeout_s,
            files=settings.sync_dir is not None,
            endpoints=tuple(each for each in ENDPOINTS if not endpoint or each in endpoint),
        )
    )


@asynccontextmanager
async def _open_service(settings: Settings) -> "AsyncIterator[Context]":
    from graphmem.app import PATIENCE_S, open_context
    from graphmem.cli.autostart import service_beside

    async with service_beside(settings), open_context(settings, patience_s=PATIENCE_S) as opened:
        yield opened


def install(
    client: Annotated[Client, typer.Option(help="The program that shall use the memory.")],
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The agent that it asks as. [default: its name]", show_default=False
        ),
    ] = None,
    user: User = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the file instead of printing what belongs there.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Another file than the usual one.", show_default=False),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
) -> None:
    """Print, or write, the configuration by which a program starts `graphmem mcp`.

    The rest of the file stays. A password of Neo4j is never written: put it into the environment of
    that program."""
    options = {"--user": user, "--data": data and str(data.absolute()), "--neo4j": neo4j}
    given = tuple(part for name, value in options.items() if value for part in (name, value))
    started = Started(agent=agent or client.value, options=given)
    place = file or place_of(client.value)
    if not write:
        typer.echo(f"{place}:", err=True)
        typer.echo(render_entry(client.value, started))
        return
    try:
        replace_file(place, with_server(client.value, read_text(place) or "", started))
    except (OSError, ValueError) as exc:
        raise Misconfigured(f"can't change {place}: {exc}") from exc
    typer.echo(f"graphmem stands in {place}; restart {client.value}.")

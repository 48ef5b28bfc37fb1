"""`graphmem serve`: the service."""

from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import Data, Neo4jUri, settings_of

if TYPE_CHECKING:
    from graphmem.cli.serving import Running


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on. [default: 127.0.0.1]", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port to listen on. [default: 8321]", show_default=False
        ),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Serve Neo4j Browser with the embedded Neo4j.")
    ] = False,
) -> None:
    """Serve the memory over GraphQL until Ctrl-C.

    Starts a Neo4j of its own unless --neo4j or GRAPHMEM_NEO4J_URI names one. Without keys
    (GRAPHMEM_AUTH=open) it answers only this machine."""
    from graphmem.cli.serving import run_server

    settings = settings_of(
        quiet=False, host=host, port=port, data=data, neo4j_uri=neo4j, browser=browser or None
    )
    run_server(settings, print_addresses)


async def print_addresses(running: "Running") -> bool:
    """Print the addresses of the service, and return True to keep serving."""
    typer.echo("graphmem is ready.")
    typer.echo(f"  GraphQL        {running.base}/graphql")
    typer.echo(f"  Dashboard      {running.base}/")
    typer.echo(f"  Schema         {running.base}/schema.graphql")
    if running.address.browser_url:
        typer.echo(f"  Neo4j Browser  {running.address.browser_url}")
        typer.echo(f"  User           {running.address.user}")
        typer.echo(f"  Password       in {running.password_file}")
    return True

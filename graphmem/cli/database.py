"""Commands for the database: `neo4j`, `migrate`, `reindex`, `verify`."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.backups import verify_file
from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.cli.progress import progress
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.reindexing import ReindexState
    from graphmem.services.verifying import Verified
    from graphmem.store.vector_slots import Embedding


def neo4j(
    data: Data = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Serve Neo4j Browser too.")
    ] = True,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Let nobody change the graph.")
    ] = False,
) -> None:
    """Run only the embedded Neo4j until Ctrl-C.

    Prints where Bolt and Neo4j Browser are, the user, and the file with the password."""
    from graphmem.cli.serving import run_until_stopped

    settings = settings_of(quiet=False, data=data, browser=browser)
    run_until_stopped(lambda stops: _run_neo4j(settings, read_only=read_only))


async def _run_neo4j(settings: Settings, *, read_only: bool) -> None:
    from graphmem.app import open_server
    from graphmem.errors import Misconfigured
    from graphmem.server import running_server

    if settings.neo4j_uri:
        raise Misconfigured("GRAPHMEM_NEO4J_URI names a Neo4j that runs elsewhere already")
    running = await asyncio.to_thread(running_server, settings.data)
    if running and read_only:
        raise Misconfigured("a writable Neo4j is already running on this data folder")
    async with open_server(settings, read_only=read_only) as address:
        ready = "ready, to be read only." if read_only else "ready."
        typer.echo("Neo4j is " + ("running already." if running else ready))
        typer.echo(f"  Bolt           {address.bolt_uri}")
        typer.echo(f"  Neo4j Browser  {address.browser_url or 'not served'}")
        typer.echo(f"  User           {address.user}")
        typer.echo(f"  Password       in {settings.data / 'neo4j.password'}")
        if running is None:
            await asyncio.Event().wait()


def migrate(data: Data = None, neo4j: Neo4jUri = None, as_json: AsJson = False) -> None:
    """Bring the schema of the graph up to date.

    `serve` does the same when it starts. Several at the same time are safe: each migration is
    applied once."""
    applied = asyncio.run(_apply_migrations(settings_of(data=data, neo4j_uri=neo4j)))
    text = "\n".join(f"applied {name}" for name in applied) or "The schema is up to date."
    answer({"applied": applied}, text, as_json=as_json)


async def _apply_migrations(settings: Settings) -> list[str]:
    from graphmem.app import migrations, open_graph
    from graphmem.services.context import utc_now
    from graphmem.services.startup import migrate_graph

    async with open_graph(settings) as graph:
        return await migrate_graph(
            graph, migrations(), utc_now, settings.backup_dir or settings.data
        )


def reindex(
    data: Data = None,
    neo4j: Neo4jUri = None,
    status: Annotated[
        bool, typer.Option("--status", help="Only tell which models have vectors, and how many.")
    ] = False,
    drop: Annotated[
        bool, typer.Option("--drop", help="Let go of the vectors that are not in use.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the vectors of another model, that in GRAPHMEM_EMBEDDER, and keep those in use.

    The service may run. When this is interrupted, run it again: it continues where it stopped. Then
    start the service with the new model: what was written meanwhile is embedded, and the new
    vectors come into use. The former ones stay until --drop, so that you can go back. With the
    model in use, all notes are embedded again in place."""
    if status and drop:
        raise typer.BadParameter("--status and --drop exclude each other")
    settings = settings_of(data=data, neo4j_uri=neo4j)
    if status:
        state = asyncio.run(_reindex_state(settings))
        answer(asdict(state), _render_slots(state), as_json=as_json)
    elif drop:
        dropped = asyncio.run(_drop_vectors(settings))
        told = "There are none but those in use." if dropped is None else f"Dropped {dropped}."
        answer({"dropped": dropped and dropped.model}, told, as_json=as_json)
    else:
        done, model = asyncio.run(_reindex_notes(settings))
        told = f"Embedded {done} notes with {model}."
        answer({"notes": done, "model": model}, told, as_json=as_json)


async def _reindex_notes(settings: Settings) -> tuple[int, str]:
    from graphmem.app import migrations, open_embedder, open_graph
    from graphmem.services.context import utc_now
    from graphmem.services.reindexing import reindex
    from graphmem.services.startup import migrate_graph

    async with open_embedder(settings) as embedder, open_graph(settings) as graph:
        await migrate_graph(graph, migrations(), utc_now, settings.backup_dir or settings.data)
        with progress("Embedding notes") as advance:
            done = await reindex(graph, embedder, utc_now, advance)
        return done, embedder.model_id


async def _reindex_state(settings: Settings) -> "ReindexState":
    from graphmem.app import open_graph
    from graphmem.services.reindexing import read_state

    async with open_graph(settings) as graph:
        return await read_state(graph)


def _render_slots(state: "ReindexState") -> str:
    lines = [f"{state.notes} notes"]
    for each in state.slots:
        have = f"{state.notes - each.missing} of them have vectors"
        use = ""
        if each.in_use:
            use = ", in use"
        elif each.waiting:
            use = ", to be used when the service starts with this model"
        lines.append(f"  {each.embedding}: {have}{use}")
    return "\n".join(lines)


async def _drop_vectors(settings: Settings) -> "Embedding | None":
    from graphmem.app import migrations, open_graph
    from graphmem.services.context import utc_now
    from graphmem.services.reindexing import drop
    from graphmem.services.startup import migrate_graph

    async with open_graph(settings) as graph:
        await migrate_graph(graph, migrations(), utc_now, settings.backup_dir or settings.data)
        return await drop(graph)


def verify(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A backup to check instead of the graph."),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Check that the graph agrees with itself, or that a backup is whole, and change nothing.

    For each note: that its audience follows from its visibility, domain and author, that what is
    copied from it is equal, and that it has a vector of the model in use; and that nothing belongs
    to a note that is not there. Do so after somebody changed the graph by hand, or a disk failed.
    The service may run. Of a FILE of `graphmem backup` its checksum, its counts and the ends of its
    relationships are compared. The exit code is 1 when something does not agree."""
    if file is not None:
        verify_file(settings_of(data=data, neo4j_uri=neo4j), file, as_json=as_json)
        return
    done = asyncio.run(_verify(settings_of(data=data, neo4j_uri=neo4j)))
    found = [{**asdict(each), "meaning": each.meaning} for each in done.found]
    lines = [f"{done.notes} notes" + ("" if done.found else ": all agree")]
    lines += [
        f"  {each.fault} {each.count}: {each.meaning}: {', '.join(each.ids)}" for each in done.found
    ]
    answer({"notes": done.notes, "found": found}, "\n".join(lines), as_json=as_json)
    if done.found:
        raise typer.Exit(1)


async def _verify(settings: Settings) -> "Verified":
    from graphmem.app import open_graph
    from graphmem.services.verifying import verify

    async with open_graph(settings) as graph:
        return await verify(graph)

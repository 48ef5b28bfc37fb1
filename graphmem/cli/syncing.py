"""`graphmem sync`: a folder of files and the graph become the same, in both directions."""

import asyncio
import signal
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.errors import Conflict, GraphmemError
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.server import ServerAddress
    from graphmem.services.syncing.outcome import Synced


def sync(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder; a new one is made.")],
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose memory. [default: GRAPHMEM_DEFAULT_USER, else me]", show_default=False
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Only what this agent of the user may read, and with its rights."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done, and change nothing.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch/--once", help="Go on, and sync whenever a file or the memory changes."
        ),
    ] = False,
    git: Annotated[
        bool, typer.Option("--git", help="Commit what changed; the folder becomes a repository.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Also if the files of many notes were deleted.")
    ] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Bring a folder of Markdown and JSON files and the memory together, in both directions.

    What you edit, add, move or delete in the folder is carried into the memory, and what changed
    there into the files. A text that both changed is merged; where that is not possible, yours
    stays, and the other is put next to it. A deleted file archives its note, which can be restored.
    The exit code is 1 if something is in conflict or was skipped."""
    if watch and (dry_run or as_json):
        raise typer.BadParameter("goes with neither --dry-run nor --json", param_hint="--watch")
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    wanted: _Wanted = {"agent": agent, "dry": dry_run, "yes": yes, "git": git}
    if watch:
        asyncio.run(_watch(settings, owner, folder, wanted))
        return
    done = asyncio.run(_sync(settings, owner, folder, wanted))
    answer(asdict(done), f"{folder}: {done.summary()}", as_json=as_json)
    if not done.is_clean:
        raise typer.Exit(1)


class _Wanted(TypedDict):
    """The options of a sync."""

    agent: str | None
    dry: bool
    yes: bool
    git: bool


async def _sync(settings: Settings, user: str, folder: Path, wanted: _Wanted) -> "Synced":
    from graphmem.app import connect_context, open_embedder, open_server

    async with open_server(settings) as address:
        if (done := await _rest(settings, address, user, folder, wanted)) is not None:
            return done
        from graphmem.services.syncing.syncing import sync_folder

        async with (
            open_embedder(settings) as embedder,
            connect_context(settings, embedder, address) as context,
        ):
            try:
                return await sync_folder(context, user, folder, **wanted)
            except Conflict as error:
                if not (error.details.get("gone") and _agrees(error.message)):
                    raise
                return await sync_folder(context, user, folder, **{**wanted, "yes": True})


async def _rest(
    settings: Settings, address: "ServerAddress", user: str, folder: Path, wanted: _Wanted
) -> "Synced | None":
    """Return what a sync did that had nothing to do, without the model and all else that is slow to
    load; None where one has to be run."""
    from graphmem.app import connect_graph, migrations
    from graphmem.services.syncing.resting import find_rest

    async with connect_graph(address, settings) as graph:
        now, agent = datetime.now(UTC), wanted["agent"]
        done = await find_rest(graph, migrations(), user, folder, now, agent=agent)
    if done is not None:
        done.dry = wanted["dry"]
    return done


async def _watch(settings: Settings, user: str, folder: Path, wanted: _Wanted) -> None:
    """Sync until the process is asked to end."""
    from graphmem.app import open_context
    from graphmem.services.syncing.reading import KnownNotes
    from graphmem.services.syncing.syncing import sync_folder
    from graphmem.services.syncing.watching import watch_folder

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)

    def tell(done: "Synced | GraphmemError") -> None:
        failed = isinstance(done, GraphmemError)
        text = f"not synced: {done.message}" if failed else done.summary()
        typer.echo(f"{folder}: {text}", err=failed)

    await asyncio.to_thread(folder.mkdir, 0o700, parents=True, exist_ok=True)
    async with open_context(settings) as context:
        sync = partial(sync_folder, context, user, folder, known=KnownNotes(), **wanted)
        typer.echo(f"watching {folder}; Ctrl-C ends it")
        await watch_folder(context, user, folder, sync, tell, stop)


def _agrees(message: str) -> bool:
    """Ask the person at the terminal; nobody there is a no."""
    return sys.stdin.isatty() and typer.confirm(f"{message}. Go on?")

"""`graphmem sync`: a folder of files and the graph become the same, in both directions."""

import asyncio
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.errors import Conflict
from graphmem.settings import Settings

if TYPE_CHECKING:
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
    stays, and the other is put beside it. A deleted file archives its note, which can be restored.
    The exit code is 1 if something is in conflict or was skipped."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    done = asyncio.run(_sync(settings, owner, agent, folder, dry=dry_run, yes=yes))
    answer(asdict(done), f"{folder}: {done.summary()}", as_json=as_json)
    if not done.is_clean:
        raise typer.Exit(1)


async def _sync(
    settings: Settings, user: str, agent: str | None, folder: Path, *, dry: bool, yes: bool
) -> "Synced":
    from graphmem.app import open_context
    from graphmem.services.syncing.syncing import sync_folder

    async with open_context(settings) as context:
        try:
            return await sync_folder(context, user, folder, agent=agent, dry=dry, yes=yes)
        except Conflict as error:
            if not (error.details.get("gone") and _agrees(error.message)):
                raise
            return await sync_folder(context, user, folder, agent=agent, dry=dry, yes=True)


def _agrees(message: str) -> bool:
    """Ask the person at the terminal; nobody there is a no."""
    return sys.stdin.isatty() and typer.confirm(f"{message}. Go on?")

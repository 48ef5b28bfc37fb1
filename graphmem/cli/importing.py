"""`graphmem import`: a folder of Markdown becomes notes."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.cli.progress import progress
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.importing.importing import Imported

MAX_TOLD = 20  # skipped files that the summary names


def import_(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Markdown files (.md), in folders or not.")
    ],
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose notes they become. [default: GRAPHMEM_DEFAULT_USER, else me]",
            show_default=False,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Who writes those without an author; none: the user in person."),
    ] = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Make a note of each Markdown file below a folder.

    YAML front matter is optional (title, domain, visibility, author, kind, type, tags, episode,
    speaker, occurredAt, importance, entities, relations, links). A file is known again by its
    path, so importing again only brings changed notes up to date. Files that can't be imported
    are skipped and named; the exit code is then 1."""
    if not folder.is_dir():
        raise typer.BadParameter(f"{folder} is not a folder", param_hint="FOLDER")
    settings = settings_of(data=data, neo4j_uri=neo4j)
    done = asyncio.run(_import(settings, folder, user or settings.default_user, agent))
    answer(asdict(done), _summary(done), as_json=as_json)
    if done.skipped:
        raise typer.Exit(1)


async def _import(settings: Settings, folder: Path, user: str, agent: str | None) -> "Imported":
    from graphmem.app import open_context
    from graphmem.services.importing.importing import import_folder
    from graphmem.services.importing.markdown import markdown_files

    total = await asyncio.to_thread(lambda: sum(1 for _ in markdown_files(folder)))
    async with open_context(settings) as context:
        with progress("Importing", total) as advance:
            return await import_folder(context, user, folder, agent=agent, progress=advance)


def _summary(done: "Imported") -> str:
    lines = [
        f"{done.created} new, {done.revised} revised, {done.unchanged} unchanged, "
        f"{done.linked} new links, {len(done.skipped)} skipped"
    ]
    lines += [f"  {skipped.path}: {skipped.reason}" for skipped in done.skipped[:MAX_TOLD]]
    if len(done.skipped) > MAX_TOLD:
        lines.append(f"  and {len(done.skipped) - MAX_TOLD} more")
    return "\n".join(lines)

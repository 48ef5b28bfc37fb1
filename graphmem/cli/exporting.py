"""`graphmem export`: all that a user owns, as JSON or as Markdown that `graphmem import` reads."""

import asyncio
import json
import os
import sys
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from graphmem.cli.memories import open_memory
from graphmem.cli.options import Data, Neo4jUri, settings_of
from graphmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmem.services.exporting.files import ExportedFiles

MAX_NAMED = 20  # notes that could not be written


def export(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Where to; - or none: the standard output."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The same as FILE.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Whose memory. [default: GRAPHMEM_DEFAULT_USER, else me]"),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Only the notes that this agent of the user may read."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            metavar="DIR",
            help="Write the notes as Markdown files into this new folder, to read and edit.",
        ),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(help="What this team owns, instead: for a member in person."),
    ] = None,
    embeddings: Annotated[
        bool,
        typer.Option(
            "--embeddings", help="With the vectors, so that an import need not make them."
        ),
    ] = False,
    data: Data = None,
    neo4j: Neo4jUri = None,
) -> None:
    """Write all that a user owns as JSON, one record a line: notes of all states with their
    history, links, entities, rules, agents and what jobs made of them, but no keys.

    `graphmem import FILE` restores it, here or elsewhere. The file is for its owner alone (mode
    0600), gets its name only once it is complete, and replaces an older one.

    With --markdown each note that counts becomes a file, for Obsidian, an editor or git. `graphmem
    import DIR` reads them again: a file that was edited changes the note that it came from.

    With --team it is what a team of the user owns: standard procedures, skills, knowledge and
    board."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    path = file or output
    if team is not None and (markdown is not None or embeddings):
        raise typer.BadParameter("goes with --user only", param_hint="--team")
    if markdown is not None:
        if path is not None or embeddings:
            raise typer.BadParameter("goes with --user and --agent only", param_hint="--markdown")
        _print_files(markdown, asyncio.run(_export_files(settings, owner, agent, markdown)))
        return
    if path is None or str(path) == "-":
        asyncio.run(_export(settings, owner, agent, sys.stdout, team, embeddings=embeddings))
        return
    with _open_complete(path) as written:
        counts = asyncio.run(_export(settings, owner, agent, written, team, embeddings=embeddings))
    summary = ", ".join(f"{count} {name}" for name, count in counts.items())
    typer.echo(f"{path}: {summary or 'nothing'}")


@contextmanager
def _open_complete(path: Path) -> "Iterator[TextIO]":
    """Open a file that gets its name when everything is written."""
    part = path.with_name(f"{path.name}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as exc:
        raise typer.BadParameter(f"can't write {part} ({exc.strerror})", param_hint="-o") from exc
    try:
        with open(handle, "w", encoding="utf-8") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _print_files(folder: Path, done: "ExportedFiles") -> None:
    typer.echo(f"{folder}: {done.files} notes")
    for note, reason in done.skipped[:MAX_NAMED]:
        typer.echo(f"  not written: note {note}: {reason}", err=True)
    if len(done.skipped) > MAX_NAMED:
        typer.echo(f"  and {len(done.skipped) - MAX_NAMED} more", err=True)
    if done.skipped:
        raise typer.Exit(1)


async def _export_files(
    settings: Settings, user: str, agent: str | None, folder: Path
) -> "ExportedFiles":
    from graphmem.services.exporting.files import export_files

    async with open_memory(settings, user, agent) as (context, reopen):
        return await export_files(context, reopen, folder)


async def _export(
    settings: Settings,
    user: str,
    agent: str | None,
    file: TextIO,
    team: str | None,
    *,
    embeddings: bool,
) -> dict[str, int]:
    from graphmem.services.exporting.exporting import export
    from graphmem.services.team_files.exporting import export_team

    counts: dict[str, int] = {}
    async with open_memory(settings, user, agent) as (context, reopen):
        found = (
            export(context, reopen, embeddings=embeddings)
            if team is None
            else export_team(context, reopen, team)
        )
        async with aclosing(found) as lines:
            async for line in lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                counts = line.get("counts", counts)
    return counts

"""`graphmem export`: all that a user owns, as JSON that `graphmem import` reads."""

import asyncio
import json
import os
import sys
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from graphmem.cli.options import Data, Neo4jUri, settings_of
from graphmem.errors import NotFound, Unauthenticated
from graphmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    0600), gets its name only once it is complete, and replaces an older one."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    owner = user or settings.default_user
    path = file or output
    if path is None or str(path) == "-":
        asyncio.run(_export(settings, owner, agent, sys.stdout, embeddings=embeddings))
        return
    with _open_complete(path) as written:
        counts = asyncio.run(_export(settings, owner, agent, written, embeddings=embeddings))
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


async def _export(
    settings: Settings, user: str, agent: str | None, file: TextIO, *, embeddings: bool
) -> dict[str, int]:
    from graphmem.app import open_context
    from graphmem.services.actors import open_access
    from graphmem.services.exporting.exporting import export

    counts: dict[str, int] = {}
    async with open_context(settings) as context:
        reopen = partial(open_access, context, user, agent)
        try:
            await reopen()
        except Unauthenticated as exc:
            raise NotFound("no such user or agent") from exc
        async with aclosing(export(context, reopen, embeddings=embeddings)) as lines:
            async for line in lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                counts = line.get("counts", counts)
    return counts

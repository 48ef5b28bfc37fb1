"""`graphmem backup` and `graphmem restore`: everything in the graph, of everybody, as one file."""

import asyncio
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.cli.progress import progress
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.domain.backups import Counts
    from graphmem.services.backups.restoring import Restored
    from graphmem.services.verifying import Verified


def backup(
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE|DIR|-]",
            help="Where to; of a folder: a file in it, named by the time; -: the standard output. "
            "[default: GRAPHMEM_BACKUP_DIR, else this folder]",
            show_default=False,
        ),
    ] = None,
    embeddings: Annotated[
        bool,
        typer.Option(
            "--embeddings/--no-embeddings",
            help="With the vectors of notes; without, `graphmem reindex` makes them again.",
        ),
    ] = True,
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Write everything in the graph into one file: what all users, teams and agents have, with its
    history, rules, keys as hashes, events and runs of jobs.

    The service may run. Writes wait while the graph is read, so the file holds what was there at
    one moment. The file is for its owner alone (mode 0600), gets its name
    only once it is complete, and replaces an older one. Keep it safe: it holds everybody's
    memory."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    if target is not None and str(target) == "-":
        asyncio.run(_backup(settings, sys.stdout.buffer, embeddings=embeddings))
        return
    path = _file_of(target or settings.backup_dir or Path())
    counts = asyncio.run(_backup_to(settings, path, embeddings=embeddings))
    told: dict[str, Any] = {"file": str(path), "bytes": path.stat().st_size, **asdict(counts)}
    answer(told, f"{path}: {_render_counts(counts)}", as_json=as_json)


def _file_of(target: Path) -> Path:
    from graphmem.domain.backups import file_name
    from graphmem.services.context import utc_now

    return target / file_name(utc_now()) if target.is_dir() else target


def _render_counts(counts: "Counts") -> str:
    notes = counts.labels.get("Note", 0)
    return f"{notes} notes; {counts.nodes} nodes and {counts.relationships} relationships in all"


async def _backup_to(settings: Settings, path: Path, *, embeddings: bool) -> "Counts":
    from graphmem.services.backups.files import open_whole

    async with open_whole(path) as file:
        return await _backup(settings, file, embeddings=embeddings)


async def _backup(settings: Settings, file: BinaryIO, *, embeddings: bool) -> "Counts":
    from graphmem.app import open_graph
    from graphmem.services.backups.writing import write_backup
    from graphmem.services.context import utc_now

    async with open_graph(settings) as graph:
        with progress("Reading the graph") as advance:
            return await write_backup(
                graph, file, utc_now(), embeddings=embeddings, progress=advance
            )


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `graphmem backup` wrote.")],
    data: Data = None,
    neo4j: Neo4jUri = None,
    as_json: AsJson = False,
) -> None:
    """Write everything of a backup into an empty store, such as a new data folder.

    The file is checked to its end first, and a store with anything in it is refused. When this is
    interrupted, run it again: it starts over, and no service starts on a half restored store. At
    the end it compares all notes, as `graphmem verify` does; the exit code is 1 when something does
    not agree."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    if not os.access(file, os.R_OK) or file.is_dir():
        raise typer.BadParameter(f"{file} can't be read", param_hint="FILE")
    done, verified = asyncio.run(_restore(settings, file))
    lines = [f"restored {_render_counts(done.counts)}"]
    if done.reindex:
        lines.append("notes have no usable vectors yet: run `graphmem reindex` before the service")
    lines += [f"  {each.fault} {each.count}: {each.meaning}" for each in verified.found]
    found = [{**asdict(each), "meaning": each.meaning} for each in verified.found]
    told = {**asdict(done.counts), "reindex": done.reindex, "found": found}
    answer(told, "\n".join(lines), as_json=as_json)
    if verified.found:
        raise typer.Exit(1)


async def _restore(settings: Settings, file: Path) -> "tuple[Restored, Verified]":
    from graphmem.app import migrations, open_graph
    from graphmem.cli.probe import require_stopped
    from graphmem.services.backups.restoring import restore_backup
    from graphmem.services.context import utc_now
    from graphmem.services.verifying import verify

    await require_stopped(settings)
    async with open_graph(settings, alone=True) as graph:
        with progress("Restoring") as advance:
            done = await restore_backup(graph, file, migrations(), utc_now(), advance)
        return done, await verify(graph)


def verify_file(file: Path, *, as_json: bool) -> None:
    """Check a backup and print what is wrong with it; the exit code is 1 if anything is."""
    from graphmem.services.backups.files import check_file

    checked = check_file(file)
    lines = [f"{file}: {_render_counts(checked.counts)}"]
    if checked.manifest is not None:
        lines[0] += f"; made {checked.manifest.made_at} by graphmem {checked.manifest.graphmem}"
    lines += [f"  {problem}" for problem in checked.problems] or ["  it is whole"]
    told = {
        "manifest": None if checked.manifest is None else asdict(checked.manifest),
        "counts": asdict(checked.counts),
        "problems": checked.problems,
    }
    answer(told, "\n".join(lines), as_json=as_json)
    if checked.problems:
        raise typer.Exit(1)

"""`graphmem backup` and `graphmem restore`: everything in the graph, of everybody, as one file."""

import asyncio
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

import typer

from graphmem.cli.options import AsJson, Data, Neo4jUri, answer, settings_of
from graphmem.cli.progress import progress
from graphmem.errors import Misconfigured
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.domain.backups import Counts
    from graphmem.server import Dumper
    from graphmem.services.backups.restoring import Restored
    from graphmem.services.verifying import Verified


PATIENCE_S: Final = 60.0  # until a store that was restored answers


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
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="By Neo4j's own dump, with all indexes, while nothing uses the data folder.",
        ),
    ] = False,
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
    if cold and not embeddings:
        raise typer.BadParameter("does not go with --no-embeddings", param_hint="--cold")
    if target is not None and str(target) == "-":
        if cold:
            _dump(settings, sys.stdout.buffer)
        else:
            asyncio.run(_backup(settings, sys.stdout.buffer, embeddings=embeddings))
        return
    path = _file_of(target or settings.backup_dir or Path())
    if cold:
        asyncio.run(_dump_to(settings, path))
        size = path.stat().st_size
        answer({"file": str(path), "bytes": size}, f"{path}: {size} bytes", as_json=as_json)
        return
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


def _dumper_of(settings: Settings) -> "Dumper":
    """Return Neo4j's tool. Raises Misconfigured for a Neo4j that runs elsewhere."""
    from graphmem.server import Dumper

    if settings.neo4j_uri:
        raise Misconfigured("dumps are of a data folder: use the tools of the Neo4j that you run")
    return Dumper(settings.cache, settings.neo4j_home, settings.java_home)


def _dump(settings: Settings, file: BinaryIO) -> None:
    _dumper_of(settings).dump(settings.data, file)


async def _dump_to(settings: Settings, path: Path) -> None:
    from graphmem.services.backups.files import open_whole

    async with open_whole(path) as file:
        await asyncio.to_thread(_dump, settings, file)


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
    if _is_dump(file):
        _load(settings, file, as_json=as_json)
        return
    done, verified = asyncio.run(_restore(settings, file))
    lines = [f"restored {_render_counts(done.counts)}"]
    if done.reindex:
        lines.append("notes have no usable vectors yet: run `graphmem reindex` before the service")
    report = {**asdict(done.counts), "reindex": done.reindex}
    _report_verified(verified, report, lines, as_json=as_json)


def _report_verified(
    verified: "Verified", report: dict[str, Any], lines: list[str], *, as_json: bool
) -> None:
    """Report what was restored and what does not agree in it; the exit code is 1 if anything."""
    lines += [f"  {each.fault} {each.count}: {each.meaning}" for each in verified.found]
    report["found"] = [{**asdict(each), "meaning": each.meaning} for each in verified.found]
    answer(report, "\n".join(lines), as_json=as_json)
    if verified.found:
        raise typer.Exit(1)


def _is_dump(file: Path) -> bool:
    from graphmem.server import is_dump

    return is_dump(file)


def _load(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Restore a dump of Neo4j, bring it up to date, and compare all notes."""
    _dumper_of(settings).load(file, settings.data)
    verified = asyncio.run(_verify_loaded(settings))
    line = f"restored a dump of Neo4j with {verified.notes} notes"
    _report_verified(verified, {"notes": verified.notes}, [line], as_json=as_json)


async def _verify_loaded(settings: Settings) -> "Verified":
    from graphmem.app import migrations, open_graph
    from graphmem.services.context import utc_now
    from graphmem.services.startup import migrate_graph
    from graphmem.services.verifying import verify

    async with open_graph(settings, alone=True, patience_s=PATIENCE_S) as graph:
        await migrate_graph(graph, migrations(), utc_now, settings.backup_dir or settings.data)
        return await verify(graph)


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


def verify_file(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Check a backup and print what is wrong with it; the exit code is 1 if anything is."""
    if _is_dump(file):
        _dumper_of(settings).check(file)
        report = {"problems": [], "bytes": file.stat().st_size}
        answer(report, f"{file}: a dump of Neo4j\n  it is whole", as_json=as_json)
        return
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

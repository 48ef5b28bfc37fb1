"""`graphmem import` of what `graphmem export` wrote."""

import asyncio
import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphmem.cli.options import answer
from graphmem.cli.progress import progress
from graphmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmem.domain.taking import Part
    from graphmem.services.importing.portable.importing import Restored

MAX_TOLD = 20  # refused records that the summary names


def is_own_export(path: Path) -> bool:
    """Return True if graphmem wrote the file."""
    from graphmem.services.importing.portable.reading import is_export

    return is_export(path)


def restore(
    settings: Settings,
    path: Path,
    *,
    user: str | None,
    parts: "Sequence[str]",
    dry_run: bool,
    as_json: bool,
) -> None:
    """Create what is missing, and report the result; the exit code is 1 if not all could be
    created."""
    owner = user or settings.default_user
    done = asyncio.run(_restore(settings, path, owner, parts, dry=dry_run))
    data = {**vars(done), "skipped": [asdict(each) for each in done.skipped]}
    answer(data, _summary(done, owner, dry=dry_run), as_json=as_json)
    if done.refused or not done.complete:
        raise typer.Exit(1)


async def _restore(
    settings: Settings, path: Path, user: str, parts: "Sequence[str]", *, dry: bool
) -> "Restored":
    from graphmem.app import open_context
    from graphmem.domain.taking import Part
    from graphmem.services.importing.portable.importing import import_export

    total = await asyncio.to_thread(_count_lines, path)
    async with open_context(settings) as context:
        with progress("Importing", total) as advance:
            asked = [Part(part) for part in parts]
            return await import_export(context, user, path, dry=dry, parts=asked, progress=advance)


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        parts = iter(lambda: file.read(io.DEFAULT_BUFFER_SIZE), b"")
        return sum(part.count(b"\n") for part in parts)


def _summary(done: "Restored", user: str, *, dry: bool) -> str:
    lines = [f"{'would be made' if dry else 'made'} for {user}: {_counts(done.created)}"]
    if done.there:
        lines.append(f"there already, or about what is not: {_counts(done.there)}")
    if done.left:
        lines.append(f"{'not looked at' if dry else 'left in the file'}: {_counts(done.left)}")
    if done.not_taken:
        asked = ",".join(sorted(done.not_taken))
        lines.append(f"not taken, since the file is somebody else's: {_counts(done.not_taken)}")
        lines.append(f"  --with {asked} takes them, too")
    if done.refused:
        lines.append(f"refused: {done.refused}")
        lines += [f"  {each.path}: {each.reason}" for each in done.skipped[:MAX_TOLD]]
    if not done.complete:
        lines.append("the file has no end: it was cut off")
    return "\n".join(lines)


def _counts(counts: "Mapping[str, int] | Mapping[Part, int]") -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"

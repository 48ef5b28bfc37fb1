"""`graphmem import` of what `graphmem export` wrote."""

import asyncio
import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from graphmem.cli.memories import open_memory
from graphmem.cli.options import answer
from graphmem.cli.progress import progress
from graphmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmem.domain.taking import Part
    from graphmem.services.importing.portable.importing import Restored
    from graphmem.services.team_files.importing import TeamImported

MAX_TOLD = 20  # refused records that the summary names
ONLY_IN_FILE: Final = {  # kinds of records that no import brings back, and what to do instead
    "share": "shares: teams elsewhere are others, so share again what they should know",
    "proposal": "proposals: they wait for people where they were made; propose again what is to be",
    "reflection": "reflections: what they changed is in the notes; a new one looks at these",
}


def is_own_export(path: Path) -> bool:
    """Return True if graphmem wrote the file."""
    from graphmem.services.importing.portable.reading import is_export

    return is_export(path)


def is_of_team(path: Path) -> bool:
    """Return True if a file that graphmem wrote holds the commons of a team."""
    from graphmem.services.importing.portable.reading import read_header

    return read_header(path).team is not None


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


def restore_team(
    settings: Settings,
    path: Path,
    *,
    user: str | None,
    team: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Bring the file of a team into a team, and report the result; the exit code is 1 if not all
    could be brought."""
    owner = user or settings.default_user
    done = asyncio.run(_restore_team(settings, path, owner, team, dry=dry_run))
    data = {**vars(done), "skipped": [asdict(each) for each in done.skipped]}
    answer(data, _summary_of_team(done, dry=dry_run), as_json=as_json)
    if done.refused or not done.complete:
        raise typer.Exit(1)


async def _restore_team(
    settings: Settings, path: Path, user: str, team: str | None, *, dry: bool
) -> "TeamImported":
    from graphmem.services.team_files.importing import import_team

    total = await asyncio.to_thread(_count_lines, path)
    async with open_memory(settings, user, None) as (context, reopen):
        with progress("Importing", total) as advance:
            return await import_team(context, reopen, path, team, dry=dry, progress=advance)


def _summary_of_team(done: "TeamImported", *, dry: bool) -> str:
    would = "would be " if dry else ""
    lines = [f"{would}made in team {done.team}: {_counts(done.created)}"]
    if done.proposed:
        lines.append(f"{would}proposed to it: {_counts(done.proposed)}")
        lines.append("  somebody else decides that: the lead in person or an orchestrator")
    if done.there:
        lines.append(f"there already: {_counts(done.there)}")
    return "\n".join([*lines, *_refusals(done)])


def _refusals(done: "Restored | TeamImported") -> list[str]:
    """Return the lines about what was refused, and about a file that was cut off."""
    lines = [f"refused: {done.refused}"] if done.refused else []
    lines += [f"  {each.path}: {each.reason}" for each in done.skipped[:MAX_TOLD]]
    return lines if done.complete else [*lines, "the file has no end: it was cut off"]


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
        lines += [f"  {ONLY_IN_FILE[kind]}" for kind in ONLY_IN_FILE if kind in done.left]
    if done.not_taken:
        asked = ",".join(sorted(done.not_taken))
        lines.append(f"not taken, since the file is somebody else's: {_counts(done.not_taken)}")
        lines.append(f"  --with {asked} takes them, too")
    return "\n".join([*lines, *_refusals(done)])


def _counts(counts: "Mapping[str, int] | Mapping[Part, int]") -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"

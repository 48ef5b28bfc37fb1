"""Lines of the audit log and monthly digests as text (Moltbot 12.4, 12.6)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from graphmem.domain.alerts import Sensitivity
from graphmem.domain.digests import CRITICAL, Digest
from graphmem.domain.events import Event, approval_of
from graphmem.language.pages.escaping import one_line

NO_FILE: Final = "—"
NOTE: Final = "note:"  # before the id of a note whose file is not known
_META: Final = "memory/meta"
_OF_TYPE: Final[Mapping[str, str]] = {
    "DECAY": f"{_META}/decay-scores.json",
    "PROPOSE": f"{_META}/pending-memories.md",
    "REJECT": f"{_META}/pending-memories.md",
}
_OF_SUMMARY: Final = (  # the beginning of a summary, and the file that shows what it tells
    ("reflection ", f"{_META}/pending-reflection.md"),
    ("proposal", f"{_META}/pending-memories.md"),
    ("visibility rule", "memory/config.json"),
    ("default visibility", "memory/config.json"),
    ("agent ", "memory/config.json"),
    ("old events digested", f"{_META}/audit-archive.md"),
    ("core memory", "MEMORY.md"),
)
_NOTABLE: Final[Mapping[str, str]] = {
    "ALERT": "alerts",
    CRITICAL: "critical changes",
    "DELETE": "deletions",
    "MERGE": "merges",
    "PROMOTE": "promotions",
    "REVERT": "reverts",
}
_PART: Final = 200  # characters of a part of a line


def render_audit_line(event: Event, file: str) -> str:
    """Return an event as a line of the log; times are in UTC, to the minute."""
    critical = _data(event).get("sensitivity") == Sensitivity.CRITICAL
    at = event.at.astimezone(UTC)
    parts = (
        f"{at:%Y-%m-%dT%H:%MZ}",
        event.type,
        file,
        event.actor,
        approval_of(event),
        f"{'⚠️ CRITICAL: ' if critical else ''}{event.summary}",
    )
    return " | ".join(one_line(part).replace("|", "/")[:_PART] for part in parts) + "\n"


def file_of_event(event: Event, top: Mapping[str, str]) -> str:
    """Return the file that shows what an event changed, "—" if none does.

    `top` has the names of files that agents live by, by the ids of their notes; any other note is
    named by its id, behind "note:"."""
    data = _data(event)
    if "block" in data:
        return "MEMORY.md"
    if isinstance(data.get("file"), str):
        return top_file(data["file"])
    if data.get("event") == "consolidation":
        return consolidation_file(event.at)
    for beginning, file in _OF_SUMMARY:
        if event.summary.startswith(beginning):
            return file
    if event.type in _OF_TYPE:
        return _OF_TYPE[event.type]
    if event.subject_id is not None and event.channel in ("memory_update", "memory_conflict"):
        return top.get(event.subject_id, f"{NOTE}{event.subject_id}")
    return NO_FILE


def top_file(name: str) -> str:
    """Return the name of a file of standing instructions for agents, such as SOUL.md."""
    return name if "." in name else f"{name}.md"


def name_files_of_log(text: str, files: Mapping[str, str]) -> str:
    """Return the audit log with the files of notes, as far as they are known by the notes' ids."""
    lines = []
    for line in text.splitlines(keepends=True):
        parts = line.split(" | ", 3)
        if len(parts) == 4 and parts[2].startswith(NOTE):
            parts[2] = one_line(files.get(parts[2].removeprefix(NOTE), parts[2])).replace("|", "/")
        lines.append(" | ".join(parts))
    return "".join(lines)


def consolidation_file(at: datetime) -> str:
    """Return the path of the report of a day."""
    return f"memory/daily/{at.astimezone(UTC):%Y-%m-%d}-consolidation.md"


def _data(event: Event) -> Mapping[str, Any]:
    return event.data if isinstance(event.data, Mapping) else {}


def render_archive(digests: Sequence[Digest]) -> str:
    """Return the digests of months, newest first."""
    return (
        "\n".join(map(_render_digest, digests)) or "# Audit Digest\n\nNo month is digested yet.\n"
    )


def _render_digest(digest: Digest) -> str:
    month = datetime.strptime(digest.month, "%Y-%m").replace(tzinfo=UTC)
    outcomes = ", ".join(f"{count} {name}" for name, count in digest.reflections.items())
    sessions = sum(digest.reflections.values())
    decays = sum(digest.decays.values())
    total = sum(digest.mutations.values())
    lines = [
        f"# Audit Digest — {month:%B %Y}",
        "## Summary",
        f"- {total} total mutations across {digest.files} files",
        *(f"  - {name}: {count}" for name, count in digest.mutations.items()),
        f"- {sessions} reflection sessions ({outcomes or 'none'})",
        f"- {digest.critical} critical changes",
        f"- {digest.notable.get('ALERT', 0)} alerts",
        f"- {decays} decay transitions, {digest.archivals} archival events",
        *(f"  - {one_line(name)}: {count}" for name, count in digest.decays.items()),
        "## Notable Events",
        *([_render_day(*each) for each in digest.notable_days.items()] or ["- None"]),
    ]
    return "\n".join(lines) + "\n"


def _render_day(day: str, types: Mapping[str, int]) -> str:
    counts = (f"{count} {_NOTABLE.get(name, name)}" for name, count in types.items())
    return f"- {day}: {', '.join(counts)}"


def render_consolidations(day: str, runs: Sequence[tuple[datetime, Mapping[str, int]]]) -> str:
    """Return the reports of the consolidations of a day, the first one first."""
    lines = [f"# Consolidation — {day}"]
    for at, counts in runs:
        pruned = counts.get("archived", 0) + counts.get("deprecated", 0)
        rest = {name: counts[name] for name in sorted(counts) if name not in _TOLD}
        lines += [
            f"## {at.astimezone(UTC):%H:%M} UTC",
            f"- created: {counts.get('created', 0)}",
            f"- merged: {counts.get('merged', 0)}",
            f"- pruned: {pruned} (archived {counts.get('archived', 0)}, "
            f"deprecated {counts.get('deprecated', 0)})",
            f"- conflicts: {counts.get('conflicts', 0)}",
            *(f"- {name}: {count}" for name, count in rest.items()),
        ]
    return "\n".join(lines) + "\n"


_TOLD: Final = frozenset(("created", "merged", "archived", "deprecated", "conflicts"))

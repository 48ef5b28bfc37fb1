"""The foot of a note's file: lines below the text that are not part of the note.

It is written when the file changes, from the note alone: what other notes say would stay there
after the viewer has lost them."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final

from graphmem.domain.notes import Note
from graphmem.language.pages import render_procedure
from graphmem.services.syncing.entries import day_of

FOOT: Final = "<!-- Told by graphmem, and no part of the note: -->"
LOGS: Final = PurePosixPath("memory/episodes")


@dataclass(frozen=True)
class FootWriter:
    """Writes the foot of a file, with a note's decay score and links to the logs of days."""

    score: Callable[[Note], float] | None = None
    logs: Set[PurePosixPath] = field(default_factory=frozenset)

    def foot_of(self, path: PurePosixPath, note: Note) -> list[str]:
        """Return the lines below a note's text in this file."""
        match path.parts[:2]:
            case ("memory", "short-term" | "long-term"):
                return ["", "## Last Updated", f"{note.updated_at:%Y-%m-%d}"]
            case ("memory", "procedures"):
                used = f"{note.last_accessed_at:%Y-%m-%d}" if note.last_accessed_at else "—"
                return render_procedure(
                    note.content,
                    note.title,
                    learned=f"{note.created_at:%Y-%m-%d}",
                    used=used,
                    score=f"{self.score(note):.2f}" if self.score else "—",
                    accesses=note.access_count,
                    episodes=list(self._episodes(note)),
                )
            case _:
                return []

    def _episodes(self, note: Note) -> Iterator[tuple[str, str]]:
        first = f"first told in {note.episode}" if note.episode else "first told"
        yield self._when(day_of(note)), first
        if note.version > 1:
            yield self._when(note.updated_at), f"refined, version {note.version}"

    def _when(self, at: datetime) -> str:
        at = at.astimezone(UTC)
        log = LOGS / f"{at:%Y-%m-%d}"
        there = log.with_name(f"{log.name}.md") in self.logs
        return f"[[{log}]] {at:%H:%M}" if there else f"Episode {at:%Y-%m-%d %H:%M}"


def without_foot(text: str) -> str:
    """Return a file's text without its foot."""
    above, mark, _ = text.rpartition(FOOT)
    return f"{above.rstrip()}\n" if mark else text


def with_foot(text: str, lines: list[str], note: Note) -> str:
    """Return a file's text with these lines as its foot. A note whose own text has the mark of a
    foot gets an empty one, so that its text is not taken for it."""
    if not lines and FOOT not in note.content:
        return text
    return "\n".join([f"{text.rstrip()}\n", FOOT, *lines]) + "\n"

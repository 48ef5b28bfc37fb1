"""The place of each note in a folder: which file it stands in, if a person chose no other."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import PurePosixPath
from typing import Final

from graphmem.domain.alerts import file_of
from graphmem.domain.notes import Kind, Note, NoteType, Tier
from graphmem.domain.visibility import Visibility
from graphmem.services.syncing.days import fits_day
from graphmem.services.syncing.entries import day_of

MEMORY: Final = "memory"
LOGS: Final = f"{MEMORY}/episodes"
FOLDERS: Final = (
    *("memory/daily", "memory/episodes", "memory/semantic", "memory/procedures"),
    *("memory/short-term", "memory/long-term", "memory/vault", "memory/meta"),
    *("memory/graph/entities", "memory/snapshots"),
)
OF_AGENTS: Final = "AGENTS"
OWN: Final = "own"  # the home of a note whose place a person chose
MAX_SLUG: Final = 60  # characters, with at most 4 bytes each
SUFFIX: Final = 12  # last characters of a note's id, which are random
_NO_WORD: Final = re.compile(r"[^\w-]+")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def home_of(note: Note, t0_files: Sequence[str], was: str | None = None) -> str:
    """Return the home of a note: a folder, or the file of a day, or a file of T0.

    `was`: the home of this version of the note; to find out which file of a day takes a note costs
    far more than the rest, and only another version may be taken by another one."""
    if name := top_file_of(note, t0_files):
        return name
    if note.tier is Tier.LONG_TERM:
        return "memory/long-term"
    if note.tier is Tier.SHORT_TERM:
        return "memory/short-term"
    if note.kind is Kind.PROCEDURAL:
        return "memory/procedures"
    if note.kind is Kind.SEMANTIC:
        return f"memory/semantic/{_folder_of(note.domain)}"
    return was if was is not None and was in _homes_of_day(note) else _home_of_day(note)


def top_file_of(note: Note, t0_files: Sequence[str]) -> str | None:
    """Return the file in the folder itself that a note of the user in person is."""
    if note.author is not None or note.external_id is None:
        return None
    name = note.external_id.removesuffix(".md")
    founded = f"{name}.md" in t0_files and note.tier is Tier.FOUNDATIONAL
    return f"{name}.md" if founded or name == OF_AGENTS or file_of(note) else None


def is_top_file(path: PurePosixPath, t0_files: Sequence[str]) -> bool:
    """Check if a path is that of a file that agents read first, whose text is all of it."""
    names = ("SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", f"{OF_AGENTS}.md", *t0_files)
    return len(path.parts) == 1 and path.name in names


def _homes_of_day(note: Note) -> tuple[str, str, str]:
    """Return the list and the log of a note's day, and where it is if neither takes it."""
    day = f"{day_of(note).astimezone(UTC):%Y-%m-%d}.md"
    return f"{MEMORY}/daily/{day}", f"{LOGS}/{day}", LOGS


def _home_of_day(note: Note) -> str:
    daily, log, folder = _homes_of_day(note)
    plain = note.type is NoteType.TASK or not (note.tags or note.title)
    short = plain and not note.pinned and note.visibility is Visibility.SCOPED
    if short and fits_day(PurePosixPath(daily), note):
        return daily
    return log if fits_day(PurePosixPath(log), note) else folder


def path_of(note: Note, home: str, is_free: Callable[[PurePosixPath], bool]) -> PurePosixPath:
    """Return the path of the file of a note that has none yet, by its home."""
    if home.endswith(".md"):
        return PurePosixPath(home)
    end = ".json" if home.startswith("memory/semantic/") else ".md"
    words = (note.title or note.content)[: 2 * MAX_SLUG]
    slug = _cut(_NO_WORD.sub("-", words.casefold())).strip("-_") or "note"
    slug = f"note-{slug}" if _RESERVED.fullmatch(slug) else slug
    plain = PurePosixPath(home, f"{slug}{end}")
    long = len(slug) == 10 and slug[:4].isdigit()  # it would look like the file of a day
    if not long and is_free(plain):
        return plain
    return PurePosixPath(home, f"{slug}-{note.id[-SUFFIX:]}{end}")


def _folder_of(domain: str) -> str:
    parts = [_cut(part) for part in domain.split("/")[:8]]
    return "/".join(f"_{part}" if _is_odd(part) else part for part in parts)


def _is_odd(part: str) -> bool:
    dotted = part.startswith(".") or part.endswith((".", ".md", ".json"))
    return dotted or _RESERVED.fullmatch(part.partition(".")[0]) is not None


def _cut(part: str) -> str:
    """Shorten a part of a path to so many bytes that every file system takes it with a suffix."""
    return part[:MAX_SLUG].encode()[: 2 * MAX_SLUG].decode(errors="ignore")

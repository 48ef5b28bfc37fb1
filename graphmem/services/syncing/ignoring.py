"""Which files of a folder are no notes: those of editors, and those that ignore files name."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.errors import Invalid

FILES: Final = (".gitignore", ".graphmemignore")
MAX_PATTERNS: Final = 1_000
MAX_BYTES: Final = 100_000
CONFLICT: Final = ".conflict-"
_OTHERS: Final = (CONFLICT, ".sync-conflict-", ".graphmem-conflict-")


def is_of_editor(name: str) -> bool:
    """Check if a file is a temporary one of an editor, or a copy that a program made of a clash."""
    hidden = name.startswith((".", "#", "~")) or name.endswith(("~", ".swp", ".tmp", ".part"))
    return hidden or name == "4913" or any(word in name for word in _OTHERS)


def read_patterns(root: Path) -> list[str]:
    """Return the patterns of the ignore files in the folder itself."""
    found: list[str] = []
    for name in FILES:
        path = root / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            continue
        try:
            lines = path.read_text("utf-8", errors="replace").splitlines()
        except OSError as exc:
            raise Invalid(f"{name} can't be read ({exc.strerror})") from exc
        found += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return found[:MAX_PATTERNS]


def is_ignored(path: PurePosixPath, patterns: Sequence[str]) -> bool:
    """Check if the patterns name a path, or a folder above it; `!` takes it back."""
    ignored = False
    for pattern in patterns:
        if _matches(path, pattern.removeprefix("!")):
            ignored = not pattern.startswith("!")
    return ignored


def _matches(path: PurePosixPath, pattern: str) -> bool:
    folder_only, bare = pattern.endswith("/"), pattern.strip("/")
    anchored = pattern.startswith("/") or "/" in bare
    for part in _folders(path) if folder_only else (*_folders(path), path):
        text = str(part) if anchored else part.name
        if fnmatchcase(text, bare) or fnmatchcase(text, bare.removeprefix("**/")):
            return True
    return False


def _folders(path: PurePosixPath) -> Iterable[PurePosixPath]:
    return path.parents[:-1]

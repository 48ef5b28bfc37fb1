"""Paths of files below one folder, as a model sees them."""

from collections.abc import Mapping
from typing import Final

ROOT: Final = "/memories"
LONGEST: Final = 1000  # characters of a path
DEPTH: Final = 2  # levels of subfolders in a listing
WIDTH: Final = 6  # of a line number


def parts_of(path: str) -> tuple[str, ...]:
    """Return the parts of a path below the root. Raises ValueError."""
    root, *parts = path.rstrip("/").removeprefix("/").split("/")
    bad = any(part in ("", ".", "..") for part in parts)
    if not path.startswith("/") or "/" + root != ROOT or bad or len(path) > LONGEST:
        raise ValueError(
            f"Path must be {ROOT} or lie in it, without . or .., got: {path[:LONGEST]}"
        )
    return tuple(parts)


def path_of(parts: tuple[str, ...]) -> str:
    """Return the path of parts below the root."""
    return "/".join((ROOT, *parts))


def number_lines(lines: list[str], first: int) -> str:
    """Return the lines with their numbers."""
    return "\n".join(f"{i:>{WIDTH}}\t{line}" for i, line in enumerate(lines, first))


def render_listing(folder: str, files: Mapping[tuple[str, ...], int]) -> str:
    """Return a listing of a folder's files and folders, two levels deep, without hidden ones."""
    depth = len(parts_of(folder))
    sizes: dict[str, int] = {}
    for parts, size in files.items():
        below = parts[depth:]
        if any(part.startswith(".") for part in below):
            continue
        for i in range(1, min(DEPTH, len(below)) + 1):
            path = path_of(parts[: depth + i]) + ("/" if i < len(below) else "")
            sizes[path] = sizes.get(path, 0) + size
    header = f"Here're the files and directories up to 2 levels deep in {folder}, excluding hidden"
    lines = [f"{sum(files.values())}B\t{folder}", *(f"{sizes[p]}B\t{p}" for p in sorted(sizes))]
    return f"{header} items:\n" + "\n".join(lines)

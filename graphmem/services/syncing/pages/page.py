"""A page of a synced folder: its path and text."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final

CORE: Final = PurePosixPath("MEMORY.md")
MEMORY: Final = PurePosixPath("memory")
META: Final = MEMORY / "meta"
GRAPH: Final = MEMORY / "graph"
ENTITIES: Final = GRAPH / "entities"
CONFLICTS: Final = MEMORY / "conflicts"
CONFIG: Final = MEMORY / "config.json"
SNAPSHOTS: Final = MEMORY / "snapshots"


def may_be_page(path: PurePosixPath) -> bool:
    """Check if a file outside of the folders of pages has the name of a page."""
    of_night = path.parent == MEMORY / "daily" and path.name.endswith("-consolidation.md")
    return path == CORE or of_night


@dataclass(frozen=True)
class Page:
    """One generated file.

    `path` is relative to the folder; `editable` means that edits by hand take effect."""

    path: PurePosixPath
    text: str
    editable: bool = False


def json_page(path: PurePosixPath, value: Any, *, editable: bool = False) -> Page:
    """Return a value as a page of JSON, in the order in which it is given."""
    return Page(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n", editable)


def instant_text(at: datetime | None) -> str | None:
    """Return an instant as text in UTC, to the second; None for none."""
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

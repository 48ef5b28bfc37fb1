"""Backups: what a file of one holds, and how files of a folder are named.

A file is lines of JSON, compressed: a manifest, each node, each relationship, and an end with
counts and a checksum. Nodes are numbered from 0 in their order, and relationships name their ends
so."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

FORMAT: Final = "graphmem-backup"
VERSION: Final = 1  # grows when an older version of graphmem could not read a file
KEEP: Final = 7  # files in a folder
SUFFIX: Final = ".backup"
LINE_BYTES: Final = 64 * 1024 * 1024  # of one node, far more than the largest has
_OWN_NAME: Final = re.compile(r"graphmem-\d{4}-\d{2}-\d{2}T\d{6}Z\.backup")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True)
class Backups:
    """The folder of a service's backups, and how many it keeps; without a folder it makes none."""

    folder: Path | None = None
    keep: int = KEEP


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The first record of a file: what made it, of which schema and with which vectors."""

    version: int
    graphmem: str
    made_at: str  # ISO 8601
    migrations: Mapping[str, str]  # checksums by file name, in their order
    model: str | None  # None: no embedding model is recorded
    dimension: int | None
    embeddings: bool  # whether notes have their vectors


@dataclass
class Counts:
    """The number of nodes and relationships, and of each label and type."""

    nodes: int = 0
    relationships: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)

    def add_node(self, labels: Iterable[str]) -> None:
        """Count a node."""
        self.nodes += 1
        for label in labels:
            self.labels[label] = self.labels.get(label, 0) + 1

    def add_relationship(self, name: str) -> None:
        """Count a relationship."""
        self.relationships += 1
        self.types[name] = self.types.get(name, 0) + 1


def file_name(at: datetime) -> str:
    """Return the name of a backup that is made at a time; such names sort by time."""
    return f"graphmem-{at.astimezone(UTC):%Y-%m-%dT%H%M%SZ}{SUFFIX}"


def names_beyond(names: Iterable[str], keep: int) -> list[str]:
    """Return those of the names that are backups' own but for the newest ones, oldest first."""
    return sorted(name for name in names if _OWN_NAME.fullmatch(name))[: -keep or None]


def is_name(text: object) -> bool:
    """Return True for what can be a label or a type."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None

"""The file of a backup: writing it so that it gets its name only when it is whole, and checking
it."""

import asyncio
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, Final

from graphmem.domain.backups import FORMAT, LINE_BYTES, VERSION, Counts, Manifest, is_name
from graphmem.errors import Invalid
from graphmem.store.backup_values import decode

LEVEL: Final = 2  # of the compression: of a large graph, writers wait for it
CHECKSUM: Final = "sha256"
MAX_PROBLEMS: Final = 10
_BROKEN: Final = (OSError, EOFError, zlib.error, UnicodeDecodeError, ValueError, RecursionError)


@dataclass
class Writer:
    """Writes the records of a backup; for one thread at a time."""

    file: BinaryIO
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        """Begin the compression."""
        self._packed = gzip.GzipFile("", "wb", LEVEL, self.file, mtime=0)
        self._hash = hashlib.sha256()

    def begin(self, manifest: Manifest) -> None:
        """Write the first record."""
        self.write(
            [{"format": FORMAT, **asdict(manifest), "migrations": dict(manifest.migrations)}]
        )

    def write(self, records: list[Any]) -> None:
        """Write records, each as a line."""
        if records:
            text = "\n".join(_line_of(each) for each in records) + "\n"
            data = text.encode("utf-8", "surrogatepass")
            self._hash.update(data)
            self._packed.write(data)

    def end(self) -> None:
        """Write the last record, with the counts and the checksum of all before it."""
        end = {"end": asdict(self.counts), CHECKSUM: self._hash.hexdigest()}
        self._packed.write(json.dumps(end).encode() + b"\n")
        self._packed.close()


def _line_of(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True)


@asynccontextmanager
async def open_whole(path: Path) -> AsyncIterator[BinaryIO]:
    """Open a file that only its owner can read, and that gets its name once everything is on the
    disk. Raises Invalid when it can't be written."""
    part = path.with_name(f"{path.name}.part")
    try:
        file = await asyncio.to_thread(_create, part)
        try:
            with file:
                yield file
                await asyncio.to_thread(_sync, file)
            await asyncio.to_thread(_give_name, part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as exc:
        raise Invalid(f"{path} can't be written ({exc.strerror or type(exc).__name__})") from exc


def _create(part: Path) -> BinaryIO:
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return open(handle, "wb")  # closed by `open_whole`


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _give_name(part: Path, path: Path) -> None:
    """Rename a file so that the name is on the disk, too."""
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@dataclass(frozen=True)
class Checked:
    """The manifest of a file, its counts, and its faults; a whole file has none."""

    manifest: Manifest | None
    counts: Counts
    problems: tuple[str, ...]


def check_file(path: Path) -> Checked:
    """Read a file to its end: compare its checksum and its counts, and look for relationships
    whose ends are not in it."""
    check = _Check()
    try:
        for line in read_lines(path):
            check.take(line)
    except Invalid as error:
        check.note(error.message)
    except _BROKEN:
        check.note("it can't be read to its end: it is damaged, cut off or no backup")
    return check.result()


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. Raises OSError and EOFError for a damaged one, and ValueError for
    a line that is too long."""
    with gzip.open(path, "rb") as file:
        while line := file.readline(LINE_BYTES):
            if not line.endswith(b"\n"):
                raise ValueError("a line is too long")
            yield line


class _Check:
    """The check of a file while its lines are read."""

    def __init__(self) -> None:
        self._manifest: Manifest | None = None
        self._counts = Counts()
        self._problems: list[str] = []
        self._hash = hashlib.sha256()
        self._end: Mapping[str, Any] | None = None
        self._begun = False

    def note(self, problem: str) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(problem)

    def take(self, line: bytes) -> None:
        record = json.loads(line)
        if self._end is not None:
            raise ValueError("more after the end")
        if not self._begun:
            self._begun = True
            self._manifest = parse_manifest(record)
        elif isinstance(record, list):
            self._count(record)
        elif isinstance(record, dict):
            self._end = record
            return
        else:
            raise ValueError("no record")
        self._hash.update(line)

    def _count(self, record: list[Any]) -> None:
        for value in record[-1].values() if record and isinstance(record[-1], dict) else ():
            decode(value)  # so that nothing is cleared for a file that can't be restored
        if is_node(record):
            self._counts.add_node(record[0])
            return
        if not is_relationship(record):
            raise ValueError("no node and no relationship")
        if not (0 <= record[0] < self._counts.nodes and 0 <= record[1] < self._counts.nodes):
            self.note(f"a relationship {record[2]} has an end that is not in the file")
        self._counts.add_relationship(record[2])

    def result(self) -> Checked:
        if self._end is None:
            if not self._problems:
                self.note("it has no end: it was cut off")
        elif self._end.get(CHECKSUM) != self._hash.hexdigest():
            self.note("its checksum is not that of what it holds: it was changed or damaged")
        elif self._end.get("end") != asdict(self._counts):
            self.note("its counts are not those of what it holds")
        return Checked(self._manifest, self._counts, tuple(self._problems))


def parse_manifest(record: object) -> Manifest:
    """Return the first record of a file. Raises Invalid for another format, or a newer one."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise Invalid("this is not a backup of graphmem")
    if record.get("version") != VERSION:
        raise Invalid("the file is of a newer format: restore it by a newer version of graphmem")
    try:
        if not isinstance(record["migrations"], dict):
            raise KeyError("migrations")
        return Manifest(**{each.name: record[each.name] for each in fields(Manifest)})
    except KeyError as exc:
        raise Invalid("the first record of the file is incomplete") from exc


def is_node(record: list[Any]) -> bool:
    """Return True for the record of a node: labels and properties."""
    match record:
        case [list() as labels, dict()]:
            return all(map(is_name, labels))
    return False


def is_relationship(record: list[Any]) -> bool:
    """Return True for the record of a relationship: numbers of its ends, type, properties."""
    match record:
        case [int(), int(), str() as name, dict()]:
            return is_name(name)
    return False

"""Reading an export line by line, in memory that does not grow with the file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from graphmem.domain.ids import check_id
from graphmem.domain.portable import FORMAT, VERSION, Record
from graphmem.errors import Invalid

MAX_LINE: Final = 8 * 1024 * 1024  # bytes


@dataclass(frozen=True, kw_only=True)
class Header:
    """The header of an export."""

    user: str
    agent: str | None
    embedder: str | None
    team: str | None = None  # whose commons it is; None: the memory of the user


@dataclass(frozen=True, kw_only=True)
class Line:
    """A record of an export; None if it can't be read, and `reason` says why."""

    number: int
    record: Record | None
    given: dict[str, Any]
    reason: str = ""


def is_export(path: Path) -> bool:
    """Return True if a file begins as an export of graphmem does."""
    try:
        with path.open("rb") as file:
            return path.is_file() and _as_header(_parse_object(_read_line(file))) is not None
    except (OSError, Invalid):
        return False


def read_header(path: Path) -> Header:
    """Read the header of an export. Raises Invalid for another version and for other files."""
    try:
        with path.open("rb") as file:
            given = _as_header(_parse_object(_read_line(file)))
    except OSError as exc:
        raise Invalid(f"{path.name} can't be read ({exc.strerror})") from exc
    if given is None:
        raise Invalid(f"{path.name} is not an export of graphmem")
    if given.get("version") != VERSION:
        raise Invalid(f"{path.name} is of another version of the format; this reads {VERSION}")
    agent, embedder, team = given.get("agent"), given.get("embedder"), given.get("team")
    return Header(
        user=check_id(str(given.get("user")), "the user of the export"),
        agent=None if agent is None else check_id(str(agent), "the agent of the export"),
        embedder=embedder if isinstance(embedder, str) else None,
        team=None if team is None else check_id(str(team), "the team of the export"),
    )


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the records after the header, up to the end.

    The last one is of the kind END, or the file was cut off. Raises Invalid for a line that is too
    long, after which nothing can be found.
    """
    for number, text in _read_texts(path):
        line = _parse_line(number, text)
        yield line
        if line.record is Record.END:
            return


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number and the object of each line after the header, None for one that is none.

    Raises Invalid for a line that is too long."""
    for number, text in _read_texts(path):
        try:
            yield number, _parse_object(text)
        except Invalid:
            yield number, None


def _read_texts(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        _read_line(file)
        number = 1
        while text := _read_line(file):
            number += 1
            yield number, text


def _read_line(file: IO[bytes]) -> bytes:
    text = file.readline(MAX_LINE + 1)
    if len(text) > MAX_LINE:
        raise Invalid(f"a line is longer than {MAX_LINE // 1024**2} MiB")
    return text


def _parse_line(number: int, text: bytes) -> Line:
    try:
        given = _parse_object(text)
    except Invalid as error:
        return Line(number=number, record=None, given={}, reason=error.message)
    name = given.get("record")
    if not isinstance(name, str) or name not in set(Record) or name == Record.HEADER:
        return Line(number=number, record=None, given={}, reason="of no known kind")
    return Line(number=number, record=Record(name), given=given)


def _parse_object(text: bytes) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise Invalid("no JSON") from exc
    if not isinstance(given, dict):
        raise Invalid("no object")
    return given


def _as_header(given: dict[str, Any]) -> dict[str, Any] | None:
    known = given.get("record") == Record.HEADER and given.get("format") == FORMAT
    return given if known else None

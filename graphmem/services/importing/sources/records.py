"""Exported files as records of JSON, and their values as drafts.

Files are input of others, so everything that is read has a bound, and nothing in it names another
file.
"""

import hashlib
import json
import lzma
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from graphmem.domain.drafts import MAX_KEY, check_draft
from graphmem.domain.notes import MAX_CONTENT, MAX_METADATA, MAX_NAME, MAX_TAGS, NoteDraft
from graphmem.errors import Invalid
from graphmem.services.importing.markdown import Document, share_in_words

MAX_BYTES: Final = 512 * 1024 * 1024  # most bytes of an export, unpacked
MAX_FILES: Final = 1_000  # most files read in an archive
MAX_LINE: Final = 16 * 1024 * 1024  # bytes of a line of JSON lines
IMPORTED: Final = "importedFrom"  # the key of the metadata that says where a note comes from
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(RuntimeError, EOFError, ValueError),  # encrypted, of an unknown kind, or cut off
)

Record = Mapping[str, Any]


def read_json(path: Path) -> list[Any]:
    """Read the values in an export.

    They are of a file with one value or with one on each line, or of the `conversations*.json` in
    an archive. Raises Invalid.
    """
    try:
        if not path.is_file():
            raise Invalid(f"{path.name} is not a file")
        if zipfile.is_zipfile(path):
            return _read_archive(path)
        _check_size(path.stat().st_size, path.name)
        with path.open("rb") as file:
            return _parse_values(file.read(MAX_BYTES + 1), path.name)
    except OSError as exc:
        raise Invalid(f"{path.name} can't be read ({exc.strerror})") from exc


def _read_archive(path: Path) -> list[Any]:
    """Read the values of the conversations in an archive, which is never unpacked to a folder."""
    values: list[Any] = []
    remaining = MAX_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()[:MAX_FILES]):
                stem = PurePosixPath(name).name
                if not (stem.startswith("conversations") and stem.endswith(".json")):
                    continue
                with archive.open(name) as file:
                    text = file.read(remaining + 1)  # the size that an entry states is not trusted
                remaining -= len(text)
                _check_size(MAX_BYTES - remaining, name)
                values += _parse_values(text, name)
    except _BROKEN as exc:
        raise Invalid(f"{path.name} is a broken archive") from exc
    if not values:
        raise Invalid(f"{path.name} holds no conversations.json")
    return values


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise Invalid(f"{name} is longer than {MAX_BYTES // 1024**2} MiB")


def _parse_values(text: bytes, name: str) -> list[Any]:
    """Parse one value, or one on each line; a list gives its entries."""
    try:
        value = json.loads(text)
        return value if isinstance(value, list) else [value]
    except (ValueError, RecursionError):
        pass
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                if len(line) > MAX_LINE:
                    raise ValueError
                found.append(json.loads(line))
            except (ValueError, RecursionError) as exc:
                raise Invalid(f"{name} is not JSON, line {number}") from exc
    return found


def records(values: object) -> Iterator[Record]:
    """Yield the objects of a list; other values are left out."""
    if isinstance(values, list):
        yield from (each for each in values if isinstance(each, dict))


def text_of(record: Record, *names: str) -> str | None:
    """Return the first of the named values that is a non-blank text or a number, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return clean(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def clean(text: str) -> str:
    """Remove from a text what no note may hold."""
    letters = text.replace("\x00", "").encode(errors="ignore").decode()
    return unicodedata.normalize("NFC", letters).strip()


def instant_of(record: Record, *names: str) -> datetime | None:
    """Return the first of the values that is a time: ISO 8601, or seconds since 1970."""
    for name in names:
        value = record.get(name)
        try:
            if isinstance(value, str) and value:
                found = datetime.fromisoformat(value.split("[")[0].strip())
                return found if found.tzinfo else found.replace(tzinfo=UTC)
            if isinstance(value, int | float) and not isinstance(value, bool):
                seconds = value / 1000 if value > 1e11 else value
                return datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def words_of(value: object) -> tuple[str, ...]:
    """Return a list of short texts, such as tags."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    words = (clean(each)[:MAX_NAME] for each in value if isinstance(each, str))
    return tuple(dict.fromkeys(word for word in words if word))[:MAX_TAGS]


def share_of(value: object) -> float | None:
    """Return a number from 0 to 1, or the number of a word for one."""
    known = isinstance(value, int | float) and not isinstance(value, bool)
    if not known:
        return share_in_words(value)
    return float(value) if 0 <= value <= 1 else None  # pyright: ignore[reportArgumentType, reportOperatorIssue]


def key_of(program: str, *parts: object) -> str:
    """Return the external id for these names of a program: the same at each import."""
    plain = ":".join((program, *map(str, parts)))
    if len(plain) <= MAX_KEY and plain.isprintable():
        return plain
    return f"{program}:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def documents(
    program: str, key: str, text: str, now: datetime, told: Record, **given: Any
) -> Iterator[Document]:
    """Yield the documents of one record: several when its text is longer than a note may be.

    What else the program knew (`told`) is stored in the metadata, as far as there is room. A draft
    that is not valid is returned unchanged, so that writing it reports what is wrong.
    """
    known = {name: value for name, value in told.items() if value is not None}
    metadata = {IMPORTED: {"program": program, **(known if _has_room(known) else {})}}
    for i, start in enumerate(range(0, len(text), MAX_CONTENT)):
        part = text[start : start + MAX_CONTENT].strip()
        if not part:
            continue
        id = key if i == 0 else f"{key[: MAX_KEY - 12]}#{i}"
        draft = NoteDraft(content=part, external_id=id, metadata=metadata, **given)
        with suppress(Invalid):
            draft = check_draft(draft, now)
        yield Document(path=Path(id), draft=draft, author=None, links=())


def _has_room(known: Record) -> bool:
    try:
        return len(json.dumps(known)) <= MAX_METADATA // 2
    except (ValueError, TypeError, RecursionError):
        return False

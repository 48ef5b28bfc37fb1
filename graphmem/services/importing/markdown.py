"""Markdown files as drafts of notes: a note of each file, or of each section of a curated one."""

import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from graphmem.domain.alerts import names_file
from graphmem.domain.drafts import check_draft, check_text
from graphmem.domain.ids import check_id
from graphmem.domain.notes import (
    MAX_CONTENT,
    MAX_METADATA,
    MAX_TITLE,
    EntityDraft,
    Kind,
    NoteDraft,
    NoteType,
    RelationDraft,
    Source,
    Validity,
)
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.importing.sections import lines_of, names_of, split_sections

MAX_BYTES: Final = 4 * MAX_CONTENT + 100_000  # UTF-8 of the longest note, and its front matter
MAX_DEPTH: Final = 40  # of the unknown part of a front matter
MAX_PARTS: Final = 5_000  # values in the unknown part of a front matter
KEYS: Final = frozenset(
    {
        *("title", "domain", "visibility", "author", "kind", "type", "tags", "episode", "speaker"),
        *("occurredAt", "importance", "confidence", "entities", "relations", "links"),
        *("validFrom", "validTo", "expiresAt", "pinned"),
    }
)
EXPORTED: Final = "graphmem"  # the id and the version of the note that an export wrote
OF_EXPORTS: Final = frozenset(
    {EXPORTED, "source", "validity", "loadBearing", "keywords", "metadata"}
)
_OF_ONE: Final = ("entities", "relations", "links")  # of a file, so they go with its first note
SHARES: Final = MappingProxyType({"high": 0.9, "medium": 0.6, "low": 0.3})  # DIFF-11
_FRONT = re.compile(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True)
class LinkDraft:
    """A link to another note of the same folder, by its external id."""

    to: str
    kind: str
    reason: str | None
    loose: bool = False  # nothing is reported if the note is not there


@dataclass(frozen=True)
class Document:
    """A file or a section of it: a checked draft, who wrote it (None: not given), and its links."""

    path: Path
    draft: NoteDraft
    author: str | None
    links: tuple[LinkDraft, ...]
    note_id: str | None = None  # of the note that an export wrote there, in this version
    version: int | None = None


def markdown_files(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder by path.

    Hidden folders are left out, links to folders are not followed.
    """
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(".md") and not name.startswith("."):
                yield Path(root) / name


def read_documents(folder: Path, path: Path, now: datetime) -> list[Document]:
    """Read one file of the folder. Raises Invalid, which says what is wrong with it."""
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise Invalid("a link to a file outside the folder is not followed")
        if not path.is_file():
            raise Invalid("not a file")
        if path.stat().st_size > MAX_BYTES:
            raise Invalid(f"content is longer than {MAX_CONTENT} characters")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise Invalid("not a text in UTF-8") from exc
    except (OSError, RuntimeError) as exc:  # RuntimeError: of links in a circle
        raise Invalid(f"can't be read ({getattr(exc, 'strerror', None) or exc})") from exc
    return parse_documents(path.relative_to(folder), text, now)


def parse_documents(path: Path, text: str, now: datetime, *, whole: bool = False) -> list[Document]:
    """Parse the text of a file at `path` below the folder: as one note, or unless `whole` as one
    for each section of a curated text. Raises Invalid."""
    front, body = _split(text.replace("\r\n", "\n").replace("\r", "\n"))
    known = KEYS | OF_EXPORTS if EXPORTED in front else KEYS
    unknown = {key: front[key] for key in front if key not in known}
    if EXPORTED in front and "metadata" in front:  # what could not stand among the other keys
        unknown = front["metadata"]
    metadata = _parse_metadata(unknown)
    is_whole = whole or EXPORTED in front or names_file(path.with_suffix("").as_posix())
    before, sections = (body, []) if is_whole else split_sections(body)
    if not sections:
        return [_parse_document(path, front, body, now, metadata)]
    shared = {key: front[key] for key in front if key not in (*_OF_ONE, "title")}
    found = list[Document]()
    if _is_text(before):
        found.append(_parse_document(path, front, before, now, metadata))
    for section, name in zip(sections, names_of(sections), strict=True):
        given = shared if found else {**front}
        given = given | {"title": section.title, "tags": [*_parse_tags(front), *section.tags]}
        if section.at is not None:
            given["occurredAt"] = section.at
        found.append(_parse_document(path, given, section.text, now, metadata, name))
    return found


class _NoAliases(yaml.SafeLoader):
    """Reads YAML without aliases, by which a few bytes become more than fits into memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse an alias."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


class _PlainYaml(YAMLHandler):
    """Front matter in YAML without aliases."""

    def load(self, fm: str, **kwargs: object) -> Any:
        """Read the front matter."""
        return yaml.load(fm, Loader=_NoAliases)  # a SafeLoader


def _is_text(before: str) -> bool:
    """Check if there is more than a heading."""
    return any(line.strip() and not _HEADING.match(line) for line in before.splitlines())


def _parse_document(
    path: Path,
    front: Mapping[str, Any],
    body: str,
    now: datetime,
    metadata: object,
    section: str | None = None,
) -> Document:
    key = path.with_suffix("").as_posix()
    note_id, version = _parse_exported(front)
    exported = front if note_id is not None else {}
    title, at = _parse_text(front, "title"), _parse_instant(front, "occurredAt")
    if note_id is None:  # else what is left out was never said
        title = title or _first_heading(body) or path.stem[:MAX_TITLE]
        at = at or _date_of(path.stem)
    draft = NoteDraft(
        content=body.strip() if note_id is None else body,
        external_id=key if section is None else f"{key}#{section}",
        title=title,
        domain=_parse_text(front, "domain"),
        visibility=_parse_choice(front, "visibility", Visibility),
        kind=_parse_choice(front, "kind", Kind),
        type=_parse_choice(front, "type", NoteType),
        tags=_parse_tags(front),
        episode=_parse_text(front, "episode"),
        speaker=_parse_text(front, "speaker"),
        occurred_at=at,
        valid_from=_parse_instant(front, "validFrom"),
        valid_to=_parse_instant(front, "validTo"),
        expires_at=_parse_instant(front, "expiresAt"),
        pinned=_parse_flag(front, "pinned"),
        load_bearing=_parse_flag(exported, "loadBearing"),
        source=_parse_choice(exported, "source", Source),
        validity=_parse_choice(exported, "validity", Validity),
        keywords=_parse_tags(exported, "keywords"),
        importance=_parse_share(front, "importance"),
        confidence=_parse_share(front, "confidence"),
        entities=tuple(_parse_entity(item) for item in _list_items(front, "entities")),
        relations=tuple(_parse_relation(item) for item in _list_items(front, "relations")),
        metadata=metadata,
    )
    author = _parse_text(front, "author")
    return Document(
        path=path,
        draft=check_draft(draft, now),
        author=None if author is None else check_id(author, "author"),
        links=tuple(_parse_link(item) for item in _list_items(front, "links")),
        note_id=note_id,
        version=version,
    )


def _split(text: str) -> tuple[dict[str, Any], str]:
    """Split front matter and body; two lines of dashes around anything but keys are body."""
    head = _FRONT.match(text)
    if head is None:
        return {}, text
    try:
        front, body = frontmatter.parse(text, handler=_PlainYaml())
        if EXPORTED in front:  # an export wrote it: a blank line, the content, the end of its line
            body = text[head.end() :].removeprefix("\n").removesuffix("\n")
    except (
        *(yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError),
        *(ArithmeticError, RecursionError),
    ) as exc:
        mark = getattr(exc, "problem_mark", None)
        where = f", line {mark.line + 2}" if mark else ""
        raise Invalid(f"the front matter is not YAML{where}") from exc
    return ({str(key): value for key, value in front.items()}, body) if front else ({}, text)


def _parse_text(front: Mapping[str, Any], key: str) -> str | None:
    """Return a text; YAML reads some words as dates, numbers or truth values."""
    value = front.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str | int | float):
        return str(value)
    raise Invalid(f"{key} must be a text")


def _parse_choice(front: Mapping[str, Any], key: str, words: type[Word]) -> Word | None:
    value = _parse_text(front, key)
    try:
        return None if value is None else words(value.strip().upper())
    except ValueError as exc:
        raise Invalid(f"{key} must be one of {', '.join(words)}") from exc


def _parse_tags(front: Mapping[str, Any], key: str = "tags") -> tuple[str, ...]:
    """Return tags from a list, or words divided by commas or spaces; a leading # is dropped."""
    value = front.get(key) or ()
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    if not isinstance(value, list | tuple):
        raise Invalid(f"{key} must be a list")
    words = (_parse_text({key: item}, key) or "" for item in value)
    return tuple(word.removeprefix("#") for word in words if word.removeprefix("#"))


def _parse_number(front: Mapping[str, Any], key: str) -> float | None:
    value = front.get(key)
    if value is None:
        return None
    try:
        if isinstance(value, bool):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError) as exc:
        raise Invalid(f"{key} must be a number") from exc


def _parse_share(front: Mapping[str, Any], key: str) -> float | None:
    """Return a number, or the number of a word for one."""
    known = share_in_words(front.get(key))
    return _parse_number(front, key) if known is None else known


def share_in_words(value: object) -> float | None:
    """Return the number that a word such as "high" stands for; None for anything else."""
    return SHARES.get(value.strip().lower()) if isinstance(value, str) else None


def _parse_instant(front: Mapping[str, Any], key: str) -> datetime | None:
    value = front.get(key)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError as exc:
            raise Invalid(f"{key} must be a time of ISO 8601") from exc
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), UTC)
    if value is not None and not isinstance(value, datetime):
        raise Invalid(f"{key} must be a time of ISO 8601")
    return value


def _parse_exported(front: Mapping[str, Any]) -> tuple[str, int] | tuple[None, None]:
    """Return the id and the version of the note that an export wrote into the file, if one did."""
    if EXPORTED not in front:
        return None, None
    given = front[EXPORTED]
    version = given.get("version") if isinstance(given, Mapping) else None
    if isinstance(version, bool) or not isinstance(version, int):
        raise Invalid(f"{EXPORTED} must have an id and a version")
    return check_id(_require_text(given, "id", EXPORTED), "id"), version


def _parse_flag(front: Mapping[str, Any], key: str) -> bool:
    value = front.get(key) or False
    if not isinstance(value, bool):
        raise Invalid(f"{key} must be true or false")
    return value


def _date_of(name: str) -> datetime | None:
    """Return the day in a file's name, such as 2026-03-02-kiln."""
    for parts in _DATE.findall(name):
        try:
            return datetime(int(parts[0]), int(parts[1]), int(parts[2]), tzinfo=UTC)
        except ValueError:
            continue
    return None


def _first_heading(body: str) -> str | None:
    """The first heading outside of code."""
    for line, is_code in lines_of(body):
        if not is_code and (match := _HEADING.match(line)):
            return match[1].rstrip("# \t")[:MAX_TITLE].strip() or None
    return None


def _list_items(front: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = front.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Invalid(f"{key} must be a list of mappings")
    return value


def _require_text(item: Mapping[str, Any], key: str, what: str) -> str:
    value = _parse_text(item, key)
    if value is None:
        raise Invalid(f"each of {what} needs {key}")
    return value


def _parse_entity(item: Mapping[str, Any]) -> EntityDraft:
    aliases = item.get("aliases") or []
    if not isinstance(aliases, list):
        raise Invalid("aliases must be a list")
    words = tuple(_parse_text({"aliases": alias}, "aliases") or "" for alias in aliases)
    return EntityDraft(
        name=_require_text(item, "name", "entities"), type=_parse_text(item, "type"), aliases=words
    )


def _parse_relation(item: Mapping[str, Any]) -> RelationDraft:
    return RelationDraft(
        subject=_require_text(item, "subject", "relations"),
        predicate=_require_text(item, "predicate", "relations"),
        object=_require_text(item, "object", "relations"),
    )


def _parse_link(item: Mapping[str, Any]) -> LinkDraft:
    kind = check_text(_require_text(item, "kind", "links"), "kind", MAX_TITLE).strip()
    return LinkDraft(
        to=_require_text(item, "to", "links"), kind=kind, reason=_parse_text(item, "reason")
    )


def _parse_metadata(value: object) -> object:
    """Return the keys that graphmem does not know, as JSON; None when there are none."""
    return None if value == {} else _to_json(value, [MAX_PARTS], MAX_DEPTH)


def _to_json(value: object, remaining: list[int], depth: int) -> object:
    remaining[0] -= 1
    if not depth:
        raise Invalid("metadata is nested too deeply")
    if remaining[0] < 0:
        raise Invalid(f"metadata is longer than {MAX_METADATA} characters of JSON")
    if isinstance(value, Mapping):
        return {str(key): _to_json(item, remaining, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_to_json(item, remaining, depth - 1) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)

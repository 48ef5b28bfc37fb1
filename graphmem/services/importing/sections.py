"""Curated Markdown: a file whose sections are notes, each with tags and a time of its own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from graphmem.errors import Invalid

MAX_SECTIONS: Final = 500  # of one file
MAX_NAME: Final = 80  # characters of a section's title that stand in the id of its note
_FENCE = re.compile(r" {0,3}(```|~~~)")
_SECTION = re.compile(r" {0,3}##[ \t]+(\S.*)")
_TAGS = re.compile(r"\*\*Tags:\*\*(.*)", re.IGNORECASE)
_TIME = re.compile(r"\*\*Timestamp:\*\*(.*)", re.IGNORECASE)
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d{1,2}:\d\d))?(?:[ ]?(\S+))?")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
# Of RFC 5322; other short names of zones are those of several countries.
_AMERICAN: Final = MappingProxyType(
    dict(EST=-5, EDT=-4, CST=-6, CDT=-5, MST=-7, MDT=-6, PST=-8, PDT=-7)
)
_NO_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Section:
    """The text below a heading of the second level, without its lines of tags and time."""

    title: str
    text: str
    tags: tuple[str, ...]
    at: datetime | None


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Give the lines of a Markdown text, and for each if it is code."""
    fence = None
    for line in text.splitlines():
        if mark := _FENCE.match(line):
            fence = mark[1] if fence is None else None if mark[1] == fence else fence
            yield line, True
        else:
            yield line, fence is not None


def split_sections(body: str) -> tuple[str, list[Section]]:
    """Split a curated text into what comes before its first section, and the sections that have a
    text. A text without any line of tags or time is not curated, and has no sections.

    Raises Invalid when a time can't be read, and when there are too many sections."""
    before: list[str] = []
    found: list[tuple[str, list[tuple[str, bool]]]] = []
    for line, is_code in lines_of(body):
        heading = None if is_code else _SECTION.match(line)
        if heading is not None:
            found.append((heading[1].rstrip("# \t"), []))
        elif found:
            found[-1][1].append((line, is_code))
        else:
            before.append(line)
    sections = [_parse_section(title, lines) for title, lines in found]
    if all(section is None or not (section.tags or section.at) for section in sections):
        return body, []
    if len(sections) > MAX_SECTIONS:
        raise Invalid(f"at most {MAX_SECTIONS} sections")
    return "\n".join(before), [section for section in sections if section is not None]


def names_of(sections: Sequence[Section]) -> list[str]:
    """Name each section by its title, so that it is found again when others come before it. What
    has a title a second time is numbered."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for section in sections:
        name = _NO_WORD.sub("-", section.title.casefold()).strip("-")[:MAX_NAME] or "section"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return names


def _parse_section(title: str, lines: list[tuple[str, bool]]) -> Section | None:
    """Parse a section; None if it has no text."""
    tags: list[str] = []
    at: datetime | None = None
    text: list[str] = []
    for line, is_code in lines:
        if not is_code and (match := _TAGS.fullmatch(line.strip())):
            tags += [tag for each in match[1].split(",") if (tag := each.strip().removeprefix("#"))]
        elif not is_code and (match := _TIME.fullmatch(line.strip())):
            at = _parse_timestamp(match[1].strip(), title)
        else:
            text.append(line)
    content = "\n".join(text).strip()
    return Section(title, content, tuple(dict.fromkeys(tags)), at) if content else None


def _parse_timestamp(text: str, title: str) -> datetime:
    """Parse a time such as `2026-03-02 14:30 CET`; UTC if no zone is named."""
    match = _STAMP.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        clock = (match[2] or "00:00").rjust(5, "0")
        return datetime.fromisoformat(f"{match[1]} {clock}").replace(tzinfo=_parse_zone(match[3]))
    except (ValueError, OSError, KeyError) as exc:
        raise Invalid(
            f"the timestamp of the section {title[:MAX_NAME]!r} must be YYYY-MM-DD HH:MM and a "
            "time zone, such as UTC, +02:00 or Europe/Berlin"
        ) from exc


def _parse_zone(name: str | None) -> tzinfo:
    if name is None or name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(offset if match[1] == "+" else -offset)
    if (hours := _AMERICAN.get(name.upper())) is not None:
        return timezone(timedelta(hours=hours))
    return ZoneInfo(name)

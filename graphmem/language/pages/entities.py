"""The page of an entity (Moltbot 6.2): what notes say of it, line by line, each with its note."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from graphmem.language.pages.escaping import escape_text, inline_text, one_line, unescape_text

FACTS: Final = "## Facts"
TIMELINE: Final = "## Timeline"
QUESTIONS: Final = "## Open Questions"
LISTS: Final = (FACTS, TIMELINE, QUESTIONS)
NAME: Final = 120  # characters of a name
_OPEN: Final = "<!-- gm:"
_CLOSE: Final = "-->"


@dataclass(frozen=True, kw_only=True)
class FactLine:
    """One line of a page: what a note says, its id and, in the timeline, the day of the event."""

    text: str
    note: str | None = None  # None: a line that somebody has written
    day: date | None = None


@dataclass(frozen=True, kw_only=True)
class RelationLine:
    """A relation as the entity sees it: the word, and the name of the other page, or its label."""

    word: str
    page: str | None
    label: str


@dataclass(frozen=True, kw_only=True)
class EntityText:
    """All that the page of an entity shows."""

    slug: str
    type: str
    created: datetime
    updated: datetime
    score: float
    pinned: bool
    access_count: int
    summary: Sequence[str]  # sentences, harmless already
    facts: Sequence[FactLine]
    timeline: Sequence[FactLine]
    questions: Sequence[FactLine]
    relations: Sequence[RelationLine]


def render_entity(page: EntityText) -> str:
    """Return the page of an entity."""
    lists = zip(LISTS, (page.facts, page.timeline, page.questions), strict=True)
    lines = [
        f"# {page.slug}",
        f"<!-- Type: {page.type} | Created: {page.created:%Y-%m-%d} "
        f"| Last updated: {page.updated:%Y-%m-%d} -->",
        f"<!-- Decay score: {page.score:.2f} | Access count: {page.access_count} "
        f"| Pinned: {'yes' if page.pinned else 'no'} -->",
        "## Summary",
        *page.summary,
    ]
    for heading, facts in lists:
        lines += [heading, *map(render_fact, facts)]
    lines += ["## Relations", *map(_render_relation, page.relations)]
    return "\n".join(lines) + "\n"


def render_fact(line: FactLine) -> str:
    """Return a line of a page."""
    day = f"{line.day:%Y-%m-%d}: " if line.day else ""
    mark = f" {_OPEN}{line.note} {_CLOSE}" if line.note else ""
    return f"- {day}{escape_text(line.text)}{mark}"


def _render_relation(line: RelationLine) -> str:
    end = f"[[{line.page}]]" if line.page else inline_text(line.label, NAME)
    return f"- {inline_text(line.word, NAME)}: {end}"


def parse_facts(text: str) -> dict[str, list[FactLine]]:
    """Return the lines of each list of a page, by its heading; other lines mean nothing."""
    found: dict[str, list[FactLine]] = {heading: [] for heading in LISTS}
    heading = ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.rstrip()
        elif heading in found and line[:2] in ("- ", "* "):
            fact = _parse_fact(line[2:].strip(), dated=heading == TIMELINE)
            found[heading] += [fact] if fact.text else []
    return found


def _parse_fact(line: str, *, dated: bool) -> FactLine:
    note = None
    before, mark, after = line.rpartition(_OPEN)
    if mark and after.endswith(_CLOSE) and not before.endswith("\\"):
        line, note = before.rstrip(), after.removesuffix(_CLOSE).strip()
    day = _parse_day(line) if dated else None
    if day is not None:
        line = line[11:].lstrip()
    return FactLine(text=one_line(unescape_text(line)), note=note, day=day)


def _parse_day(line: str) -> date | None:
    if line[10:11] != ":":
        return None
    try:
        return date.fromisoformat(line[:10])
    except ValueError:
        return None


def facts_by_note(lists: Iterable[Sequence[FactLine]]) -> dict[str, FactLine]:
    """Return the lines that have a note, by its id."""
    return {line.note: line for lines in lists for line in lines if line.note}

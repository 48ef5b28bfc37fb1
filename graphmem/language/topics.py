"""Compresses the notes about a topic (TIER-9). Pure and bounded.

Decisions, dates, names, action items and preferences stay, talk goes."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from graphmem.domain.extraction import Extraction
from graphmem.domain.notes import NoteType
from graphmem.language.analysis import analyse
from graphmem.language.comparison.set_phrases import is_set_phrase
from graphmem.language.sentences import sentences
from graphmem.language.text_features import TextFeatures, features_of

OF_A_NOTE: Final = 40  # sentences of one note that are read; the last one is the whole rest
FEWEST_TERMS: Final = 3  # a sentence without a name, number or date counts from this many terms on
LONGEST: Final = 400  # characters of a line
_DAY: Final = " ({:%d %B %Y})"
_DATED: Final = re.compile(r" \((\d{2} \w{3,9} \d{4})\)\Z")
_ITEM: Final = re.compile(r"[-*] (?:\[[ xX]\] )?")
_DONE: Final = re.compile(r"[-*] \[[xX]\] ")
_TO_DO: Final = re.compile(
    r"(?:note: )?(?:we |i |you )?(?:still )?(?:need|needs|have|has|must|should|remember) (?:to )?|"
    r"- \[ \] |to-?do\b",
    re.IGNORECASE,
)


class TopicPart(StrEnum):
    """A part of a topic's note."""

    SUMMARY = "## Summary"
    DECISIONS = "## Key Decisions"
    ACTIONS = "## Action Items"


_BULLETS: Final = {TopicPart.SUMMARY: "- ", TopicPart.DECISIONS: "- ", TopicPart.ACTIONS: "- [ ] "}


@dataclass(frozen=True)
class TopicLine:
    """One line of a topic's note; lines with the least `worth` are dropped first."""

    part: TopicPart
    text: str
    worth: int

    @property
    def same(self) -> str:
        """The key that is equal for lines that say the same, of whatever day."""
        return _DATED.sub("", self.text).casefold().rstrip(".! ")


def lines_of(
    text: str, at: datetime, read: Callable[[str], Extraction], *, spare: bool = False
) -> list[TopicLine]:
    """Return what of a note is worth keeping, with the day of the note.

    `read` extracts what a sentence says. With `spare` the first sentence stays if none would."""
    statements = [" ".join(each.split())[:LONGEST] for each in sentences(text, OF_A_NOTE)]
    statements = [each for each in statements if each and not is_set_phrase(each)]
    found = [line for each in statements if (line := _create_line(each, at, read)) is not None]
    if not found and spare:
        first = statements[0] if statements else " ".join(text.split())[:LONGEST]
        return [TopicLine(TopicPart.SUMMARY, first + _DAY.format(at), 0)]
    return found


def _create_line(text: str, at: datetime, read: Callable[[str], Extraction]) -> TopicLine | None:
    if _DONE.match(text):
        return TopicLine(TopicPart.SUMMARY, _DONE.sub("Done: ", text, count=1) + _DAY.format(at), 1)
    found = read(text)
    bare = _ITEM.sub("", text, count=1) if _ITEM.match(text) else text
    dated = bare + _DAY.format(at)
    if found.type is NoteType.TASK or _TO_DO.match(text):
        return TopicLine(TopicPart.ACTIONS, dated, 3)
    if found.type is NoteType.DECISION:
        return TopicLine(TopicPart.DECISIONS, dated, 3)
    if found.type in (NoteType.PREFERENCE, NoteType.CORRECTION):
        return TopicLine(TopicPart.SUMMARY, dated, 2)
    names = features_of(text) & (TextFeatures.NAMES | TextFeatures.DATED)
    if names or found.entities or found.dates or any(letter.isdigit() for letter in text):
        return TopicLine(TopicPart.SUMMARY, dated, 1)
    talk = found.type is NoteType.EMOTION or text.endswith("?")
    if talk or len(frozenset(analyse(text))) < FEWEST_TERMS:
        return None
    return TopicLine(TopicPart.SUMMARY, dated, 0)


def read_topic(content: str) -> list[TopicLine]:
    """Return the lines of a topic's note, as `topic_text` wrote them.

    Text before its parts belongs to the summary."""
    part, found = TopicPart.SUMMARY, []
    worth = {TopicPart.SUMMARY: 1, TopicPart.DECISIONS: 3, TopicPart.ACTIONS: 3}
    for line in content.splitlines():
        if line in tuple(TopicPart):
            part = TopicPart(line)
        elif _DONE.match(line):
            found.append(TopicLine(TopicPart.SUMMARY, _DONE.sub("Done: ", line, count=1), 1))
        elif text := _ITEM.sub("", line.strip(), count=1):
            found.append(TopicLine(part, text, worth[part]))
    return found


def topic_text(lines: Sequence[TopicLine], budget: int, count: Callable[[str], int]) -> str:
    """Return the lines as one text in parts, within a budget of tokens.

    Of two lines that say the same the later one stays. Lines of least worth go first, the oldest
    of them first; one line stays."""
    last = {line.same: line for line in lines}
    kept = [line for line in lines if last[line.same] is line]
    text = _render(kept)
    while len(kept) > 1 and (over := count(text)) > budget:
        # Several at once while it is far too long; the last ones one by one.
        drop = max(1, (over - budget) * len(kept) // (2 * over))
        order = sorted(range(len(kept)), key=lambda i: (kept[i].worth, i))
        gone = frozenset(order[: min(drop, len(kept) - 1)])
        kept = [line for i, line in enumerate(kept) if i not in gone]
        text = _render(kept)
    return text


def _render(lines: Iterable[TopicLine]) -> str:
    kept = list(lines)
    parts = []
    for part in TopicPart:
        own = [f"{_BULLETS[part]}{line.text}" for line in kept if line.part is part]
        if own:
            parts.append("\n".join([part, *own]))
    return "\n\n".join(parts)

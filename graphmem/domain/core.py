"""Core memory: lines about the user in four blocks, within a token limit (Moltbot 4).

It is not stored as text but rendered from notes: each line stands for a note that the viewer may
read, so nothing is hidden in it and nothing leaks out of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from unicodedata import category

from graphmem.domain.drafts import check_text
from graphmem.domain.notes import MAX_CONTENT
from graphmem.errors import Invalid

TOKEN_CAP = 3_000  # for all blocks (MOLT-4)
MAX_LINES = 1_000  # lines in one text
TITLE: Final = "# Core memory"
CUT: Final = " […]"
_BULLETS = ("- ", "* ", "\u2022 ")

Counter = Callable[[str], int]


class Block(StrEnum):
    """A part of core memory."""

    IDENTITY = "identity"
    CONTEXT = "context"
    PERSONA = "persona"
    CRITICAL = "critical"


class Mark(StrEnum):
    """The reason why a note belongs to core memory without being written for it."""

    IDENTITY = "identity"  # who the user is
    PREFERENCE = "preference"
    WORKING = "working"  # what the user works on or waits for
    DECISION = "decision"
    TASK = "task"
    EVENT = "event"
    EMOTION = "emotion"
    KEPT = "kept"  # pinned or load-bearing
    CRITICAL = "critical"  # its words say never to forget it


BLOCK_OF: Final = {
    Mark.IDENTITY: Block.IDENTITY,
    Mark.PREFERENCE: Block.IDENTITY,
    Mark.WORKING: Block.CONTEXT,
    Mark.DECISION: Block.CONTEXT,
    Mark.TASK: Block.CONTEXT,
    Mark.EVENT: Block.CONTEXT,
    Mark.EMOTION: Block.PERSONA,
    Mark.KEPT: Block.CRITICAL,
    Mark.CRITICAL: Block.CRITICAL,
}
MOST: Final = {  # lines of a mark, and their days (None: no limit)
    Mark.IDENTITY: (20, None),
    Mark.PREFERENCE: (10, None),
    Mark.WORKING: (5, 90),
    Mark.DECISION: (5, None),
    Mark.TASK: (10, 90),
    Mark.EVENT: (5, 30),
    Mark.EMOTION: (2, 14),
    Mark.KEPT: (50, None),
    Mark.CRITICAL: (20, None),
}
IMPORTANT: Final = 0.6  # events from this importance on
HEADINGS: Final = {
    Block.IDENTITY: "## Identity",
    Block.CONTEXT: "## Active Context",
    Block.PERSONA: "## Persona",
    Block.CRITICAL: "## Critical Facts",
}
_SIXTHS: Final = {Block.IDENTITY: 1, Block.CONTEXT: 2, Block.PERSONA: 1, Block.CRITICAL: 2}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line and the note behind it.

    Only the line on how long the user and the agent have worked together has none."""

    block: Block
    text: str
    note: str | None = None  # its id
    at: datetime  # when the note was written
    relevance: float = 0.0  # the note's decay score
    pinned: bool = False
    load_bearing: bool = False
    standing: int = 0  # 2: the newest of its kind; 1: the main lines of a block
    place: int = 0  # among the lines of its note

    @property
    def worth(self) -> tuple[bool, bool, int, int, float, datetime, str]:
        """The sort key for dropping lines: the least goes first."""
        kept = (self.pinned, self.load_bearing, self.standing)
        return (*kept, -self.place, self.relevance, self.at, self.note or "")

    @property
    def item(self) -> str:
        """The line as an item of a list."""
        return f"- {self.text}\n"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A block with the lines shown in it."""

    block: Block
    token_budget: int
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines without the heading."""
        return "".join(line.item for line in self.lines).rstrip()


@dataclass(frozen=True, kw_only=True)
class Core:
    """Core memory as one viewer sees it."""

    parts: tuple[Part, ...]
    token_count: int
    token_cap: int

    @property
    def text(self) -> str:
        """The text of all blocks that have lines, below their headings."""
        return text_of(self.parts)

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines shown, block by block."""
        return tuple(line for part in self.parts for line in part.lines)

    @property
    def has_content(self) -> bool:
        """True if core memory says more than since when the user and the agent have worked
        together."""
        return any(line.note is not None for line in self.lines)


def text_of(parts: Sequence[Part]) -> str:
    """Return the blocks as text; empty without any line."""
    sections = [f"{HEADINGS[part.block]}\n{part.text}" for part in parts if part.lines]
    return "\n\n".join([TITLE, *sections]) if sections else ""


def budget_of(block: Block, cap: int) -> int:
    """Return the tokens of a block: 500, 1,000, 500 and 1,000 of 3,000 (MOLT-5 to 8)."""
    return cap * _SIXTHS[block] // 6


def fit_lines(lines: Sequence[Line], cap: int, count: Counter) -> Core:
    """Return the lines, in order, as far as they fit their blocks and the cap.

    Lines that are too long are cut; then the least relevant ones are dropped, pinned ones only
    if they alone exceed the cap. Lines that say the same appear once."""
    kept: list[Line] = []
    for block in Block:
        room = budget_of(block, cap) - count(f"{HEADINGS[block]}\n\n")
        block_lines = _drop_hopeless(
            _deduplicate([line for line in lines if line.block is block]), cap
        )
        longest = room if len(block_lines) == 1 else room // 2  # one line leaves room for others
        block_lines = [
            replace(line, text=shorten_line(line.text, longest, count)) for line in block_lines
        ]
        kept += _drop_least_relevant(block_lines, room, count, sparing=True)
    headings = sum(count(f"{heading}\n\n") for heading in (TITLE, *HEADINGS.values()))
    kept = _drop_least_relevant(kept, cap - headings, count, sparing=False)
    while (
        kept and count(text_of(_group_by_block(kept, cap))) > cap
    ):  # the joined text may count a little more
        kept.remove(min(kept, key=lambda line: line.worth))
    parts = _group_by_block(kept, cap)
    return Core(parts=parts, token_count=count(text_of(parts)) if kept else 0, token_cap=cap)


def _group_by_block(lines: Sequence[Line], cap: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            block=block,
            token_budget=budget_of(block, cap),
            lines=tuple(line for line in lines if line.block is block),
        )
        for block in Block
    )


def _drop_hopeless(lines: Sequence[Line], cap: int) -> list[Line]:
    """Drop the least relevant lines that can't fit even if two words were one token.

    So tokens are not counted for many long lines in vain."""
    spent, likely = 0, set[int]()
    for i in sorted(range(len(lines)), key=lambda i: lines[i].worth, reverse=True):
        if spent > cap:
            break
        likely.add(i)
        spent += max(len(lines[i].text.split()) // 2, 1)
    return [line for i, line in enumerate(lines) if i in likely]


def _deduplicate(lines: Sequence[Line]) -> list[Line]:
    """Keep the most relevant of the lines with the same text, at the place of the first."""
    best: dict[str, Line] = {}
    for line in lines:
        key = line_key(line.text)
        best[key] = max(best.get(key, line), line, key=lambda each: each.worth)
    return list(best.values())


def line_key(text: str) -> str:
    """Return the key of a line: lines that differ only in case and spaces have the same."""
    return " ".join(text.split()).casefold().rstrip(".")


def _drop_least_relevant(
    lines: Sequence[Line], room: int, count: Counter, *, sparing: bool
) -> list[Line]:
    """Drop the least relevant lines until the rest fits; with `sparing` all pinned ones stay."""
    costs = [count(line.item) for line in lines]
    spent, dropped = sum(costs), set[int]()
    for i in sorted(range(len(lines)), key=lambda i: lines[i].worth):
        if spent <= room or (sparing and lines[i].pinned):
            break  # only pinned ones follow
        dropped.add(i)
        spent -= costs[i]
    return [line for i, line in enumerate(lines) if i not in dropped]


def shorten_line(text: str, room: int, count: Counter) -> str:
    """Return the beginning of a text that is too long for a block, as many words as fit."""
    if count(f"- {text}\n") <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(f"- {text[:middle]}{CUT}\n") <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rsplit(" ", 1)[0] + CUT


def find_repeated(texts: Iterable[str], lines: Sequence[str]) -> dict[str, str]:
    """Return the lines that repeat one of the texts, each with its text.

    A line may be cut as it was shown."""
    known = dict.fromkeys(texts)
    found = {line: line for line in lines if line in known}
    for line in lines:
        if line not in found and line.endswith(CUT):
            begin = line.removesuffix(CUT)
            whole = next((text for text in known if text.startswith(begin)), None)
            found |= {} if whole is None else {line: whole}
    return found


def check_block(name: str) -> Block:
    """Return the block of that name. Raises Invalid."""
    try:
        return Block(name)
    except ValueError as exc:
        raise Invalid(f"no such block; there are {', '.join(Block)}") from exc


def check_lines(block: Block, text: str) -> list[str]:
    """Return the lines of a text for a block. Raises Invalid.

    Bullets and the block's heading are removed; each line occurs once; an empty text has none."""
    text = check_text(text, "text", MAX_CONTENT, empty=True)
    if any(category(letter) == "Cc" and letter not in "\n\r\t" for letter in text):
        raise Invalid("text holds a control character")
    found: dict[str, str] = {}
    for line in text.splitlines():
        line = " ".join(line.split())
        if line in (TITLE, HEADINGS[block]):
            continue
        for bullet in _BULLETS:
            line = line.removeprefix(bullet)
        if line.strip("-*\u2022 "):
            found.setdefault(line_key(line), line)
    if len(found) > MAX_LINES:
        raise Invalid(f"at most {MAX_LINES} lines")
    return list(found.values())

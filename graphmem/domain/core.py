"""Core memory: lines about the user in four blocks, within a number of tokens (Moltbot 4).

It is no text of its own but what a viewer sees of notes: each line stands for a note that the
viewer may read, so nothing is hidden in it and nothing leaks out of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from unicodedata import category

from graphmem.domain.drafts import check_text
from graphmem.domain.notes import MAX_CONTENT
from graphmem.errors import Invalid

TOKEN_CAP = 3_000  # of the whole (MOLT-4)
MAX_LINES = 1_000  # that one text may have
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
    """Why a note belongs to core memory without being written for it."""

    IDENTITY = "identity"  # who the user is
    PREFERENCE = "preference"
    WORKING = "working"  # what the user works on or waits for
    DECISION = "decision"
    TASK = "task"
    EVENT = "event"
    EMOTION = "emotion"
    KEPT = "kept"  # pinned or load-bearing
    CRITICAL = "critical"  # never to be forgotten, by its words


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
MOST: Final = {  # lines of a mark, and for how many days (None: for good)
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
IMPORTANT: Final = 0.6  # from here on an event is
HEADINGS: Final = {
    Block.IDENTITY: "## Identity",
    Block.CONTEXT: "## Active Context",
    Block.PERSONA: "## Persona",
    Block.CRITICAL: "## Critical Facts",
}
_SIXTHS: Final = {Block.IDENTITY: 1, Block.CONTEXT: 2, Block.PERSONA: 1, Block.CRITICAL: 2}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line, and the note behind it; only how long one has worked together has none."""

    block: Block
    text: str
    note: str | None = None  # its id
    at: datetime  # when the note was written
    relevance: float = 0.0  # the note's decay score
    pinned: bool = False
    load_bearing: bool = False
    standing: int = 0  # 2: the first of its kind, as the newest decision; 1: what a block is for
    place: int = 0  # among the lines of its note

    @property
    def worth(self) -> tuple[bool, bool, int, int, float, datetime, str]:
        """What decides which line is dropped first: the one with the least."""
        kept = (self.pinned, self.load_bearing, self.standing)
        return (*kept, -self.place, self.relevance, self.at, self.note or "")

    @property
    def item(self) -> str:
        """The line as an item of a list."""
        return f"- {self.text}\n"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A block with the lines that are shown."""

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
        """All blocks that have lines, below their headings."""
        return text_of(self.parts)

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines that are shown, block by block."""
        return tuple(line for part in self.parts for line in part.lines)

    @property
    def tells(self) -> bool:
        """Whether it says more than since when one has worked together."""
        return any(line.note is not None for line in self.lines)


def text_of(parts: Sequence[Part]) -> str:
    """The blocks as text; empty without any line."""
    told = [f"{HEADINGS[part.block]}\n{part.text}" for part in parts if part.lines]
    return "\n\n".join([TITLE, *told]) if told else ""


def budget_of(block: Block, cap: int) -> int:
    """How many tokens a block has: 500, 1,000, 500 and 1,000 of 3,000 (MOLT-5 to 8)."""
    return cap * _SIXTHS[block] // 6


def fitted(lines: Sequence[Line], cap: int, count: Counter) -> Core:
    """The lines, in their order, as far as they fit their blocks and the cap. What is too long is
    cut; then the least relevant ones are dropped, a pinned one only when pinned ones alone are too
    many for the cap. Lines that say the same are told once."""
    kept: list[Line] = []
    for block in Block:
        room = budget_of(block, cap) - count(f"{HEADINGS[block]}\n\n")
        own = _likely(_once([line for line in lines if line.block is block]), cap)
        longest = room if len(own) == 1 else room // 2  # one line leaves room for others
        own = [replace(line, text=shortened(line.text, longest, count)) for line in own]
        kept += _without_least(own, room, count, sparing=True)
    whole = sum(count(f"{heading}\n\n") for heading in (TITLE, *HEADINGS.values()))
    kept = _without_least(kept, cap - whole, count, sparing=False)
    while kept and count(text_of(_parts(kept, cap))) > cap:  # joined, they may differ a little
        kept.remove(min(kept, key=lambda line: line.worth))
    parts = _parts(kept, cap)
    return Core(parts=parts, token_count=count(text_of(parts)) if kept else 0, token_cap=cap)


def _parts(lines: Sequence[Line], cap: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            block=block,
            token_budget=budget_of(block, cap),
            lines=tuple(line for line in lines if line.block is block),
        )
        for block in Block
    )


def _likely(lines: Sequence[Line], cap: int) -> list[Line]:
    """The lines without the least relevant ones that can't fit even if two words were one token:
    so that many long lines are not counted for nothing."""
    spent, likely = 0, set[int]()
    for i in sorted(range(len(lines)), key=lambda i: lines[i].worth, reverse=True):
        if spent > cap:
            break
        likely.add(i)
        spent += max(len(lines[i].text.split()) // 2, 1)
    return [line for i, line in enumerate(lines) if i in likely]


def _once(lines: Sequence[Line]) -> list[Line]:
    """Of lines with the same text the one that is worth most, at the place of the first."""
    best: dict[str, Line] = {}
    for line in lines:
        key = same(line.text)
        best[key] = max(best.get(key, line), line, key=lambda each: each.worth)
    return list(best.values())


def same(text: str) -> str:
    """What two lines have in common that say the same: their letters but for case and spaces."""
    return " ".join(text.split()).casefold().rstrip(".")


def _without_least(
    lines: Sequence[Line], room: int, count: Counter, *, sparing: bool
) -> list[Line]:
    """The lines without the least relevant ones that are too many; with `sparing` the pinned ones
    all stay."""
    costs = [count(line.item) for line in lines]
    spent, dropped = sum(costs), set[int]()
    for i in sorted(range(len(lines)), key=lambda i: lines[i].worth):
        if spent <= room or (sparing and lines[i].pinned):
            break  # only pinned ones follow
        dropped.add(i)
        spent -= costs[i]
    return [line for i, line in enumerate(lines) if i not in dropped]


def shortened(text: str, room: int, count: Counter) -> str:
    """The beginning of a text that is too long for a block, as many words as fit."""
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


def told_again(texts: Iterable[str], lines: Sequence[str]) -> dict[str, str]:
    """The lines that are one of the texts, perhaps as it was shown, cut; each with its text."""
    known = dict.fromkeys(texts)
    found = {line: line for line in lines if line in known}
    for line in lines:
        if line not in found and line.endswith(CUT):
            begin = line.removesuffix(CUT)
            whole = next((text for text in known if text.startswith(begin)), None)
            found |= {} if whole is None else {line: whole}
    return found


def check_block(name: str) -> Block:
    """The block of that name. Raises Invalid."""
    try:
        return Block(name)
    except ValueError as exc:
        raise Invalid(f"no such block; there are {', '.join(Block)}") from exc


def check_lines(block: Block, text: str) -> list[str]:
    """The lines that a text for a block has, without bullets and the block's own heading, each
    once; none in an empty text. Raises Invalid."""
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
            found.setdefault(same(line), line)
    if len(found) > MAX_LINES:
        raise Invalid(f"at most {MAX_LINES} lines")
    return list(found.values())

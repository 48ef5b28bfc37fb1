"""The pages of the documentation, the blocks of code in them, and what a block's answer must be."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OTHERS = (*ROOT.glob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("bench/**/*.md"))
DOCUMENTS = sorted({*PAGES, *OTHERS})
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
RUN = ("sh", "graphql", "python")
ANSWERS = ("json", "text")
ANYTHING = "…"


@dataclass(frozen=True)
class Block:
    """A block of code; `why` says why it is not run, `answer` is the block right behind it."""

    language: str
    text: str
    why: str | None
    answer: "Block | None" = None


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that are no answers, in their order."""
    text = page.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    for match, behind in zip_longest(found, found[1:]):
        if match["language"] in ANSWERS:
            continue
        answer = None
        at_once = behind and not text[match.end() : behind.start()].strip()
        if behind and at_once and behind["language"] in ANSWERS:
            answer = Block(behind["language"], behind["text"], None)
        yield Block(match["language"], match["text"], match["why"], answer)


def fits(told: Any, answered: Any) -> bool:
    """Whether an answer is the one that is told, in which "…" stands for anything."""
    if isinstance(told, dict) and isinstance(answered, dict):
        return told.keys() == answered.keys() and all(fits(told[k], answered[k]) for k in told)
    if isinstance(told, list) and isinstance(answered, list):
        return len(told) == len(answered) and all(map(fits, told, answered))
    if isinstance(told, str) and ANYTHING in told:
        if not isinstance(answered, str):
            return told == ANYTHING
        pattern = ".*".join(map(re.escape, told.split(ANYTHING)))
        return re.fullmatch(pattern, answered, re.DOTALL) is not None
    return told == answered


def check_answer(block: Block, answered: str) -> None:
    """Raise AssertionError where a block was answered otherwise than the page tells."""
    if block.answer is None:
        return
    told: Any = block.answer.text.strip()
    given: Any = answered.strip()
    if block.answer.language == "json":
        told, given = json.loads(told), json.loads(given)
    assert fits(told, given), f"{block.text}\nwas answered by\n{answered}\ninstead of\n{told}"

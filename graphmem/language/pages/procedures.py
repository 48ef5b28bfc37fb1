"""The parts of a procedure that its file shows below the text: trigger, steps, notes, and where it
was learned (MOLT-22)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphmem.language.pages.escaping import inline_text
from graphmem.language.sentences import sentences

TRIGGER, STEPS, NOTES, LEARNED = "## Trigger", "## Steps", "## Notes", "## Learned From"
MOST_STEPS: Final = 50
MOST_NOTES: Final = 20
LONGEST: Final = 300  # characters of a line
READ: Final = 8_000  # characters of a procedure that are looked through
_STEP: Final = re.compile(r"(?<!\S)(?:step )?(\d{1,2})(?:[.):]|(?= ))[ \t]+(?=\S)", re.IGNORECASE)
_BULLET: Final = re.compile(r"^[ \t]{0,3}[-*][ \t]+(?=\S)", re.MULTILINE)
_AFTER: Final = re.compile(r"\n[ \t]*\n")  # what stands behind an empty line is no step
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)


@dataclass(frozen=True)
class ProcedureText:
    """The parts of a procedure: when to use it, what to do, and other remarks."""

    trigger: str | None
    steps: tuple[str, ...]
    notes: tuple[str, ...]


def parse_procedure(text: str) -> ProcedureText:
    """Return the parts of a procedure in plain words: "how I deploy: 1. test 2. tag".

    Steps are numbered from 1 on, or the entries of a list. What stands before the first one is the
    trigger, if it is one line or ends in a colon; anything else is a note."""
    text = text[:READ]
    marks = _numbered(text) or list(_BULLET.finditer(text))
    if len(marks) < 2:
        return ProcedureText(None, (), ())
    ends = [mark.start() for mark in marks[1:]]
    after = _AFTER.search(text, marks[-1].end())
    ends.append(after.start() if after else len(text))
    steps = [text[mark.end() : end].strip(" \t\n;,") for mark, end in zip(marks, ends, strict=True)]
    head = sentences(_HEADING.sub("", text[: marks[0].start()]))
    rest = sentences(_HEADING.sub("", text[ends[-1] :]))
    trigger = head.pop() if head and (len(head) == 1 or head[-1].endswith(":")) else None
    trigger = trigger.rstrip(" :") if trigger else None
    return ProcedureText(trigger or None, tuple(steps[:MOST_STEPS]), (*head, *rest)[:MOST_NOTES])


def _numbered(text: str) -> list[re.Match[str]]:
    """Return the marks of steps that count up from 1.

    A bare number is one only behind a colon or where a line begins, or if the first one was."""
    found: list[re.Match[str]] = []
    bare = False
    for mark in _STEP.finditer(text):
        if int(mark[1]) != len(found) + 1:
            continue
        is_bare = mark.group().rstrip()[-1:].isdigit() and not mark.group().lower().startswith("s")
        if is_bare and not found:
            before = text[: mark.start()].rstrip(" \t")
            bare = not before or before[-1] in ":\n"
        if not is_bare or bare:
            found.append(mark)
    return found


def render_procedure(
    text: str,
    title: str | None,
    *,
    learned: str,
    used: str,
    score: str,
    accesses: int,
    episodes: Sequence[tuple[str, str]],
) -> list[str]:
    """Return the lines below a procedure. A part of which its text has the heading is left out.

    The title stands for a trigger that the text does not say. `episodes`: what it was learned from,
    each as Markdown and the words that follow it."""
    parsed = parse_procedure(text)
    trigger = parsed.trigger or title
    steps = [f"{number}. {_line(step)}" for number, step in enumerate(parsed.steps, 1)]
    parts = (
        (TRIGGER, [_line(trigger)] if trigger else []),
        (STEPS, steps),
        (NOTES, [f"- {_line(note)}" for note in parsed.notes]),
        (LEARNED, [f"- {where} — {_line(what)}" for where, what in episodes]),
    )
    own = {line.strip().casefold() for line in text.splitlines() if line.startswith("#")}
    lines = [
        f"<!-- Type: procedure | Learned: {learned} | Last used: {used} -->",
        f"<!-- Decay score: {score} | Access count: {accesses} -->",
    ]
    for heading, below in parts:
        if below and heading.casefold() not in own:
            lines += [heading, *below]
    return lines


def _line(text: str) -> str:
    """Return any text as one harmless line, which holds no beginning of a comment either: by one it
    is found where a note ends in its file."""
    return inline_text(text, LONGEST).replace("<!", "< !")

"""Reflections over time: the log of all, and what was learned of learning (Moltbot 10.4, 10.6)."""

from collections.abc import Sequence
from datetime import UTC
from typing import Final

from graphmem.domain.reflection import Reflection, ReflectionStatus
from graphmem.language.pages.escaping import inline_text
from graphmem.language.reflection_text import EVOLUTION, ItemText, part_of

Told = tuple[Reflection, Sequence[ItemText]]  # with the words of its items
LONGEST: Final = 400  # characters of an item
_LEARNED: Final = (ReflectionStatus.APPLIED, ReflectionStatus.PARTIAL)
_DECIDED: Final = {True: "accepted", False: "rejected", None: "open"}


def render_log(found: Sequence[Told]) -> str:
    """Return the reflections with the outcome of each item, in the given order."""
    lines = ["# Reflection Log"]
    for each, words in found:
        lines += [
            f"## Reflection #{each.number} ({each.name}) — {each.at.astimezone(UTC):%Y-%m-%d}",
            f"- Status: {each.status.lower()}",
            f"- Cause: {each.cause}",
            f"- Token budget used: {each.tokens_used} / {each.token_budget}",
            *(
                f"- {_DECIDED[item.accepted]}: {item.kind} — {inline_text(text.summary, LONGEST)}"
                for item, text in zip(each.items, words, strict=True)
            ),
        ]
    return "\n".join([*lines, *(() if found else ["No reflection yet."])]) + "\n"


def render_evolution(found: Sequence[Told]) -> str:
    """Return what applied reflections have found out about learning, below five headings."""
    lines = ["# Evolution"]
    learned = [each for each in found if each[0].status in _LEARNED]
    for title, part in EVOLUTION:
        rows = [
            f"- {each.at.astimezone(UTC):%Y-%m-%d} ({each.name}): "
            f"{inline_text(text.summary, LONGEST)}"
            for each, words in learned
            for item, text in zip(each.items, words, strict=True)
            if part_of(item) == part and item.accepted is not False
        ]
        lines += [f"## {title}", *(rows or ["- None so far"])]
    return "\n".join(lines) + "\n"


def render_pending(found: Sequence[str]) -> str:
    """Return the summaries of reflections that wait for an answer."""
    if not found:
        return "# Reflection Summary\n\nNo reflection waits for an answer.\n"
    return "\n".join(text.replace("<!--", "\\<!--") for text in found)

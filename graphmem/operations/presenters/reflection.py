"""Reflections in words for one reader."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.reflection import ReflectionStatus
from graphmem.services.reflection.reading import Shown


@dataclass(frozen=True, kw_only=True)
class ReflectionItem:
    """One change that a reflection proposes."""

    id: str
    kind: str
    summary: str
    diff: object
    accepted: bool | None


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """The changes that going through the memory proposes."""

    id: str
    number: int
    status: ReflectionStatus
    at: datetime
    items: tuple[ReflectionItem, ...]
    markdown: str
    tokens_used: int
    token_budget: int


def reflection_of(shown: Shown) -> Reflection:
    """Return a reflection."""
    found = shown.reflection
    return Reflection(
        id=found.id,
        number=found.number,
        status=found.status,
        at=found.at,
        items=tuple(
            ReflectionItem(
                id=item.id,
                kind=item.kind,
                summary=words.summary,
                diff=words.diff,
                accepted=item.accepted,
            )
            for item, words in zip(found.items, shown.words, strict=True)
        ),
        markdown=shown.markdown,
        tokens_used=found.tokens_used,
        token_budget=found.token_budget,
    )

"""Reflections: proposals from a review of the memory, and their outcome (Moltbot 10).

An item holds the ids of notes and numbers, never text: its words are made when it is read, from
notes that the reader may read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from graphmem.domain.durations import read_duration
from graphmem.errors import Invalid

TOKEN_BUDGET = 8_000  # tokens in the output of one reflection (MOLT-42)
MILESTONES = (10, 25, 50, 100)  # counts of a maker's reflections (MOLT-49)


class ReflectionStatus(StrEnum):
    """The outcome of a reflection."""

    PENDING = "PENDING"
    APPLIED = "APPLIED"
    PARTIAL = "PARTIAL"
    REJECTED = "REJECTED"
    REVERTED = "REVERTED"


class Cause(StrEnum):
    """The reason for a reflection (MOLT-41)."""

    ASKED = "asked"
    SCHEDULE = "schedule"
    SESSION = "session"  # a long session has ended
    EPISODES = "episodes"  # many episodes that no reflection has seen


class ItemKind(StrEnum):
    """The kind of proposal in an item; the first seven change notes when they are accepted."""

    FACT = "fact"
    PROCEDURE = "procedure"
    SKILL = "skill"
    LINK = "link"
    ARCHIVE = "archive"
    CONTRADICTION = "contradiction"
    CORE = "core"
    INSIGHT = "insight"
    QUESTION = "question"
    MILESTONE = "milestone"
    PROPOSAL = "proposal"  # a deferred proposal


CHANGING = (
    ItemKind.FACT,
    ItemKind.PROCEDURE,
    ItemKind.SKILL,
    ItemKind.LINK,
    ItemKind.ARCHIVE,
    ItemKind.CONTRADICTION,
    ItemKind.CORE,
)


@dataclass(frozen=True, kw_only=True)
class Reflecting:
    """The settings of reflections."""

    token_budget: int = TOKEN_BUDGET
    """the most tokens in the output of one reflection"""
    session_notes: int = 20
    """an ended session with this many local notes is reflected on,"""
    threshold: int = 50
    """and so are this many episodes since the last reflection,"""
    interval: str = "1h"
    """but not sooner after the last one than this"""
    most_an_hour: int = 60
    """reflections that one viewer may ask for per hour"""

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that make no sense."""
        if not 500 <= self.token_budget <= 100_000:
            raise ValueError("token_budget must be from 500 to 100000")
        for name in ("session_notes", "threshold", "most_an_hour"):
            if not 1 <= getattr(self, name) <= 100_000:
                raise ValueError(f"{name} must be from 1 to 100000")
        read_duration(self.interval)

    @property
    def min_interval(self) -> timedelta:
        """`interval` as a timedelta."""
        return read_duration(self.interval)


@dataclass(frozen=True, kw_only=True)
class Item:
    """One proposal of a reflection, about notes of one audience."""

    id: str
    kind: ItemKind
    audience: str | None  # None: it concerns no note
    notes: tuple[tuple[str, int], ...] = ()  # ids with the seen versions, in order
    numbers: Mapping[str, object] = field(default_factory=dict)  # numbers and ids, never text
    accepted: bool | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its notes."""
        return tuple(note for note, _ in self.notes)

    @property
    def size(self) -> int:
        """The number of notes when it was made; some may be destroyed by now."""
        size = self.numbers.get("size", 0)
        return size if isinstance(size, int) else 0

    @property
    def proposal(self) -> str | None:
        """The id of the proposal that it concerns."""
        return str(self.numbers["proposal"]) if self.kind is ItemKind.PROPOSAL else None

    @property
    def archived_at(self) -> int | None:
        """The time when the sweep of decay archived its note, in milliseconds, if it did."""
        at = self.numbers.get("archivedAt")
        return at if isinstance(at, int) else None

    @property
    def changes(self) -> bool:
        """True if accepting it changes anything.

        If its note is archived already, rejecting it changes something: the note comes back."""
        return self.kind in CHANGING and self.archived_at is None

    @property
    def promotes(self) -> bool:
        """True if it puts its note into core memory; other items of that kind take one out."""
        return self.kind is ItemKind.CORE and self.numbers.get("does") == "promote"

    @property
    def archives(self) -> str | None:
        """The note that accepting it archives, if there is one and no note was destroyed."""
        if len(self.notes) < max(self.size, 1) or not self.changes:
            return None
        if self.kind is ItemKind.CONTRADICTION:
            return self.ids[1]
        gone = self.kind is ItemKind.ARCHIVE or (self.kind is ItemKind.CORE and not self.promotes)
        return self.ids[0] if gone else None


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """The proposals from a viewer's review of the memory. Each maker numbers its own."""

    id: str
    number: int
    maker: str | None  # an agent's id; None: the user in person
    status: ReflectionStatus
    at: datetime
    items: tuple[Item, ...]
    numbers: Mapping[str, object]  # notes seen by kind, reflections reviewed
    tokens_used: int
    token_budget: int

    @property
    def cause(self) -> Cause:
        """The reason for it; ASKED if an imported one does not say."""
        return Cause(str(self.numbers.get("cause", Cause.ASKED)))

    @property
    def name(self) -> str:
        """The name, such as r-012, or r-012@sales for an agent's."""
        maker = f"@{self.maker}" if self.maker else ""
        return f"r-{self.number:03}{maker}"

    @property
    def actor(self) -> str:
        """The actor of the changes that its approval makes (MOLT-67)."""
        return f"reflection:{self.name}"


def decide_items(
    found: Reflection, accept: Collection[str], reject: Collection[str] | None
) -> tuple[dict[str, bool], ReflectionStatus]:
    """Return the decision on items by id, and the resulting status. Raises Invalid.

    Accepting none without naming any to reject refuses them all."""
    items = [item.id for item in found.items]
    if not accept and reject is None:
        refused: Collection[str] = items
    else:
        refused = reject or ()
    if unknown := {*accept, *refused} - set(items):
        raise Invalid(f"no such item in this reflection: {min(unknown)}")
    if both := set(accept) & set(refused):
        raise Invalid(f"an item can't be both accepted and rejected: {min(both)}")
    if items and not (accept or refused):
        raise Invalid("name the items to accept or to reject")
    chosen = dict.fromkeys(accept, True) | dict.fromkeys(refused, False)
    if sum(chosen.values()) == len(items) and (accept or reject is None):
        return chosen, ReflectionStatus.APPLIED  # also for an empty reflection
    return chosen, ReflectionStatus.PARTIAL if accept else ReflectionStatus.REJECTED


_FROM_ANY = (ItemKind.FACT, ItemKind.PROCEDURE)


@dataclass(frozen=True)
class ProposedBefore:
    """Earlier proposals, for lookup."""

    whole: frozenset[tuple[ItemKind, frozenset[str]]]  # the notes of each item
    sources: frozenset[tuple[ItemKind, str]]  # each note of a fact or procedure

    def has(self, kind: ItemKind, notes: Collection[str]) -> bool:
        """Check whether the same was proposed before.

        For a fact or procedure, one from any of the same notes."""
        if kind in _FROM_ANY:
            return any((kind, note) in self.sources for note in notes)
        return (kind, frozenset(notes)) in self.whole


def proposed_before(past: Sequence[Reflection]) -> ProposedBefore:
    """Return what must not be proposed again: accepted, rejected and pending items."""
    items = [
        item
        for reflection in past
        for item in reflection.items
        if item.kind in CHANGING
        and (item.accepted is not None or reflection.status is ReflectionStatus.PENDING)
    ]
    return ProposedBefore(
        whole=frozenset((item.kind, frozenset(item.ids)) for item in items),
        sources=frozenset(
            (item.kind, note) for item in items if item.kind in _FROM_ANY for note in item.ids
        ),
    )

"""Who knows what: the evidence, and the confidence that follows from it.

Evidence is a note: who wrote it, when, when it was recalled, and when what it says helped or did
not. It belongs to the note's audience, so a viewer's picture is made of the notes that the viewer
may learn of and of nothing else; no number is kept that sums over notes with other readers.

How sure it is that somebody knows is the mean of a Beta posterior, after A. Jøsang and R. Ismail,
The Beta Reputation System (2002), with their forgetting: each observation counts less with its age.

    confidence = (A + s·w) / (A + B + (s + f)·w),  w = ln(1 + s + f) / (s + f)
    s = Σ r · (WRITTEN · d(written) + RECALLED · Σ d(recall) + HELPED · Σ d(help))
    f = Σ r · FAILED · Σ d(failure)
    d(t) = 2 ^ -(age of t / HALF_LIFE)

The sums go over the notes; `r` is how well a note fits the query, 0 to 1. The notes of one
writer on one thing say much the same, and either all or none of them are about what is asked.
So they are not independent observations, and n of them count as ln(1 + n)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import exp, log1p
from typing import Final

from graphmem.domain.actors import Agent
from graphmem.domain.fields import NOT_SHOWN, shown_as

HALF_LIFE: Final = timedelta(days=60)  # of an observation
A, B = 0.25, 1.0  # of the prior: without evidence the probability is 0.2
WRITTEN, RECALLED, HELPED, FAILED = 0.5, 0.05, 1.0, 1.0  # weights of observations
NEAR: Final = (0.35, 0.08)  # cosine at which a note fits by half, and how steep the step is
WORDS: Final = (0.5, 0.05)  # the same for the share of the query's words
LEAST_FIT: Final = 0.15  # notes that fit less are ignored
LEAST_BEST: Final = 0.3  # if the best note fits less, nobody knows
CAPABLE: Final = 0.5  # weight of a user's note for the agent set up for its domain
TIE: Final = 2  # decimals of the confidence for ordering experts


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A note as evidence of what its writer knows."""

    note: str
    user: str
    author: str | None  # an agent; None: the user in person
    audience: str  # its key
    domain: str
    topics: tuple[str, ...]  # as the note calls them, the most specific first
    written: datetime
    recalled: tuple[datetime, ...] = ()
    helped: tuple[datetime, ...] = ()
    failed: tuple[datetime, ...] = ()
    fit: float = 1.0

    @property
    def writer(self) -> tuple[str, str | None]:
        """The user and the agent who wrote it."""
        return self.user, self.author

    @property
    def newest(self) -> datetime:
        """The last time when its writer showed knowledge."""
        return self.written


@dataclass(frozen=True, kw_only=True)
class Expertise:
    """An agent's knowledge of a topic, as far as the viewer may learn of it."""

    topic: str
    confidence: float
    """how sure it is that it knows, from 0 to 1"""
    evidence: int
    """the number of notes that show this"""
    successes: int
    """how often they helped, or a skill among them worked"""
    failures: int
    """how often they did not"""
    updated_at: datetime
    """when the newest of this happened"""


@dataclass(frozen=True, kw_only=True)
class Expert:
    """A user or agent that knows about a topic; without an agent, the user in person."""

    user: str = field(metadata=shown_as("user_id"))
    agent: Agent | None
    """null: the user in person. Of another user's agent only id and name are shown"""
    topic: str
    confidence: float
    """how sure it is that they know, from 0 to 1"""
    last_active_at: datetime | None
    """when they wrote the newest of the notes that show this"""
    note_ids: tuple[str, ...] = ()
    """of the best 5 notes of evidence, those that the viewer reads"""
    notes: tuple[Evidence, ...] = field(default=(), metadata=NOT_SHOWN)
    """best first, readable or not"""

    @property
    def busy(self) -> bool:
        """True if the agent reports a current task; nothing is reported of others' agents."""
        return self.agent is not None and self.agent.current_task is not None


def fit(similarity: float, coverage: float) -> float:
    """Return how well a note fits the query, 0..1.

    It does so by its cosine, or by the share of the words, each a logistic step. A task is
    worded differently from the notes that show the knowledge, so the step of the cosine is lower
    and wider than that of an answer; `bench.routing` measures it."""
    return 1 - (1 - _logistic(similarity, *NEAR)) * (1 - _logistic(coverage, *WORDS))


def _logistic(value: float, middle: float, width: float) -> float:
    return 1 / (1 + exp((middle - value) / width))


def decay(at: datetime, now: datetime) -> float:
    """Return the weight of an observation now, 0..1."""
    return 0.5 ** max(0.0, (now - at) / HALF_LIFE)


def decayed_counts(
    found: Iterable[Evidence], now: datetime, share: float = 1.0
) -> tuple[float, float]:
    """Return the decayed successes and failures of evidence: s and f of the formula."""
    good = bad = 0.0
    for each in found:
        weight = share * each.fit
        good += weight * (
            WRITTEN * decay(each.written, now)
            + RECALLED * sum(decay(at, now) for at in each.recalled)
            + HELPED * sum(decay(at, now) for at in each.helped)
        )
        bad += weight * FAILED * sum(decay(at, now) for at in each.failed)
    return good, bad


def confidence(good: float, bad: float) -> float:
    """Return the mean of the posterior, 0..1."""
    total = good + bad
    weight = log1p(total) / total if total > 0 else 1.0
    return (A + weight * good) / (A + B + weight * total)


def expertise_of(topic: str, found: Sequence[Evidence], now: datetime) -> Expertise:
    """Return the expertise shown by the notes of one writer about a topic."""
    return Expertise(
        topic=topic,
        confidence=confidence(*decayed_counts(found, now)),
        evidence=len(found),
        successes=sum(len(each.helped) for each in found),
        failures=sum(len(each.failed) for each in found),
        updated_at=max(
            at
            for each in found
            for at in (each.written, *each.recalled, *each.helped, *each.failed)
        ),
    )


def sort_experts(experts: Iterable[Expert]) -> list[Expert]:
    """Return the experts, the surest first.

    Of equally sure ones the free come before the busy, then the last active."""

    def place(expert: Expert) -> tuple[object, ...]:
        active = expert.last_active_at.timestamp() if expert.last_active_at else 0.0
        agent = expert.agent.id if expert.agent else ""
        return (-round(expert.confidence, TIE), expert.busy, -active, expert.user, agent)

    return sorted(experts, key=place)

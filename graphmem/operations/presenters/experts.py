"""Experts, and advice on whom to ask."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain import expertise as domain
from graphmem.domain.actors import Agent
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.recall import Hit, hit_of
from graphmem.services.routing.consulting import Consultation as Consulted
from graphmem.services.routing.routing import RouteAdvice as Advised

EVIDENCE: Final = 5  # notes of an expert that are named


@dataclass(frozen=True, kw_only=True)
class Expert:
    """A user or agent that knows about a topic; without an agent, the user in person."""

    user_id: str
    agent: Agent | None
    """null: the user in person. Of another user's agent only id and name are shown"""
    topic: str
    confidence: float
    """how sure it is that they know, from 0 to 1"""
    last_active_at: datetime | None
    """when they wrote the newest of the notes that show this"""
    note_ids: tuple[str, ...]  # of the best 5 notes of evidence, those that the viewer reads


@dataclass(frozen=True, kw_only=True)
class RouteAdvice:
    """The agent that should do a task; none if nobody is known to know about it."""

    agent: Agent | None
    """null: nobody is known to know about it"""
    confidence: float
    """how sure it is that this agent knows, from 0 to 1"""
    reasoning: str
    relevant_note_count: int
    alternatives: tuple[Expert, ...]


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """The answer to a question, and every step on the way to it."""

    steps: tuple[str, ...]
    expert: Expert | None
    """whose memory answers; null: your own, the commons, or none"""
    hits: tuple[Hit, ...]
    answered: bool
    recall_id: str | None
    """for `feedback`, and for `keepFinding` where an expert answers; null where it is not tracked,
    and where no memory answers"""


def experts_of(found: Iterable[domain.Expert], operation: Operation) -> tuple[Expert, ...]:
    """Return experts, without ids of notes that the viewer does not read."""
    readable = frozenset(operation.access.by_name)
    return tuple(
        Expert(
            user_id=expert.user,
            agent=expert.agent,
            topic=expert.topic,
            confidence=expert.confidence,
            last_active_at=expert.last_active_at,
            note_ids=tuple(
                each.note for each in expert.notes[:EVIDENCE] if each.audience in readable
            ),
        )
        for expert in found
    )


def advice_of(advice: Advised, operation: Operation) -> RouteAdvice:
    """Return advice on a task."""
    best = advice.expert
    return RouteAdvice(
        agent=best.agent if best else None,
        confidence=best.confidence if best else 0.0,
        reasoning=advice.reasoning,
        relevant_note_count=advice.relevant_note_count,
        alternatives=experts_of(advice.alternatives, operation),
    )


def consultation_of(found: Consulted, operation: Operation) -> Consultation:
    """Convert the result of a consultation."""
    experts = experts_of([found.expert] if found.expert else [], operation)
    return Consultation(
        steps=found.steps,
        expert=experts[0] if experts else None,
        hits=tuple(hit_of(hit, operation, explain=False) for hit in found.hits),
        answered=found.answered,
        recall_id=found.recall_id,
    )

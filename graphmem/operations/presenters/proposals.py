"""Proposals."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain import proposals as domain
from graphmem.domain.notes import Kind, Source
from graphmem.domain.proposals import ProposalKind, ProposalStatus
from graphmem.operations.operation import Operation


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A proposal that waits for a decision, or was decided lately."""

    id: str
    kind: ProposalKind
    """`WRITE`: a note; `PROMOTION`: that a team knows what a note says, or has it as a skill;
    `REVISION`: another version of that"""
    status: ProposalStatus
    """`CONFLICT`: it waits, and others that wait say otherwise"""
    content: str
    """the text; of a note that it became, that note's as it is now; of a team, the text that was
    consented to, which is empty for other members once the team has another version"""
    title: str | None
    domain: str
    note_kind: Kind
    """the store of memory that is suggested"""
    source: Source
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    """names that the text holds"""
    confidence: float
    core_worthy: bool
    """whether the note would be part of core memory"""
    at: datetime
    expires_at: datetime
    """the time until which it is shown"""
    reason: str | None
    """the reason that was given with the decision"""
    user_id: str
    author_id: str | None  # an agent; None: the user in person, a job, or an agent of others
    note_id: str | None
    result_id: str | None
    conflict_ids: tuple[str, ...]
    team: str | None
    """the team that is to know it"""
    trigger: str | None
    """when the skill is to be used"""
    renews_id: str | None  # the team's entry that it is another version of


def proposal_of(found: domain.Proposal, operation: Operation) -> Proposal:
    """Return a proposal, without agents of other users."""
    own = found.user == operation.access.viewer.user
    return Proposal(
        id=found.id,
        kind=found.kind,
        status=found.status,
        content=found.content,
        title=found.title,
        domain=found.domain,
        note_kind=found.note_kind,
        source=found.source,
        tags=found.tags,
        entities=found.entities,
        confidence=found.confidence,
        core_worthy=found.core_worthy,
        at=found.at,
        expires_at=found.expires_at,
        reason=found.reason,
        user_id=found.user,
        author_id=found.author if own else None,
        note_id=found.note,
        result_id=found.result,
        conflict_ids=found.conflicts,
        team=found.team,
        trigger=found.trigger,
        renews_id=found.renews,
    )

"""Proposals: a write that waits for a decision (Moltbot 13), or a note that a team is to know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.actors import Agent, AgentRole, Viewer, WritePermission
from graphmem.domain.notes import Kind, Source, WriteMode
from graphmem.errors import Forbidden

AUTO_COMMIT_CONFIDENCE = 0.8
DAYS = 30
MAX_MADE = 1_000  # proposals that an agent makes within the days for which they wait
COMPARED = 200  # of the newest proposals for the same readers, a new one is compared with these
IN_DOUBT = 0.3  # confidence of two notes that contradict each other and are both kept


class ProposalKind(StrEnum):
    """The kinds of proposals: a new note, a note that becomes knowledge of a team, or a version of
    a team's knowledge or skill."""

    WRITE = "WRITE"
    PROMOTION = "PROMOTION"
    REVISION = "REVISION"


class ProposalStatus(StrEnum):
    """How a proposal stands."""

    PENDING = "PENDING"
    AWAITING_OWNER = "AWAITING_OWNER"
    AWAITING_ORCHESTRATOR = "AWAITING_ORCHESTRATOR"
    DEFERRED = "DEFERRED"
    CONFLICT = "CONFLICT"
    COMMITTED = "COMMITTED"
    REJECTED = "REJECTED"


class Decision(StrEnum):
    """What is decided of a proposal."""

    COMMIT = "COMMIT"
    REJECT = "REJECT"
    DEFER = "DEFER"


class ReviewMode(StrEnum):
    """Who reviews what agents propose: the rules, for what is sure (AUTO); the main agent, an
    orchestrator or the user (BATCH); or the user alone (MANUAL)."""

    AUTO = "auto"
    BATCH = "batch"
    MANUAL = "manual"


ENDED = (ProposalStatus.COMMITTED, ProposalStatus.REJECTED)


@dataclass(frozen=True)
class Outcome:
    """The status that a decision gives a proposal, the type of its event, the word for it, and how
    the event names its approval."""

    status: ProposalStatus
    event: str
    word: str
    approval: str


OUTCOMES: Final[Mapping[Decision, Outcome]] = MappingProxyType(
    {
        Decision.COMMIT: Outcome(ProposalStatus.COMMITTED, "COMMIT", "committed", "approved"),
        Decision.REJECT: Outcome(ProposalStatus.REJECTED, "REJECT", "rejected", "rejected"),
        Decision.DEFER: Outcome(ProposalStatus.DEFERRED, "EDIT", "deferred", "deferred"),
    }
)


@dataclass(frozen=True, kw_only=True)
class Reviewing:
    """How proposals are reviewed."""

    mode: ReviewMode = ReviewMode.BATCH
    auto_commit_confidence: float = AUTO_COMMIT_CONFIDENCE
    days: int = DAYS  # for which a proposal waits

    def commits_at_once(self, agent: Agent, confidence: float) -> bool:
        """Whether what the agent proposes is sure enough to be written without a review."""
        trusted = agent.writes is WritePermission.AUTO_COMMIT or self.mode is ReviewMode.AUTO
        sure = confidence >= self.auto_commit_confidence
        return trusted and sure and self.mode is not ReviewMode.MANUAL


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """Something that waits for a decision, as a viewer that may read it sees it. What of it became
    a note is told as that note is now."""

    id: str
    user: str
    author: str | None  # the agent that proposes; None: the user in person, or a job
    kind: ProposalKind
    status: ProposalStatus
    version: int
    audience: str  # the key of the audience that the note would have
    content: str
    title: str | None
    domain: str
    note_kind: Kind
    source: Source
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    confidence: float
    core_worthy: bool
    at: datetime
    expires_at: datetime
    reason: str | None  # of the decision
    note: str | None = None  # which is to be promoted
    result: str | None = None
    conflicts: tuple[str, ...] = ()  # readable proposals that say otherwise
    draft: str = field(default="", repr=False)  # what its writer gave, as text
    mode: WriteMode = WriteMode.CURATED
    team: str | None = None  # that is to know it
    consented: bool = False  # by whose note it is
    renews: str | None = None  # what of a team it is another version of
    base: int | None = None  # the version that it was made of
    trigger: str | None = None  # of a skill


def decides_for_teams(viewer: Viewer) -> bool:
    """Decide if the viewer is an orchestrator that writes by itself: one of a member decides for a
    team."""
    agent = viewer.agent
    if agent is None or agent.role is not AgentRole.ORCHESTRATOR:
        return False
    return agent.writes is WritePermission.DIRECT


def require_reviewer(viewer: Viewer, author: str | None, mode: ReviewMode) -> None:
    """Raise Forbidden unless the viewer may decide what the agent `author` of the same user
    proposes: the user in person may, and, unless reviews are manual, the main agent or an
    orchestrator that writes by itself. Nobody decides what they propose themselves."""
    agent = viewer.agent
    if agent is None:
        return
    if mode is ReviewMode.MANUAL:
        raise Forbidden("only the user decides proposals")
    if agent.id == author:
        raise Forbidden("nobody decides what they propose themselves")
    reviews = agent.role in (AgentRole.ASSISTANT, AgentRole.ORCHESTRATOR)
    if not reviews or agent.writes is not WritePermission.DIRECT:
        raise Forbidden("this agent does not decide proposals")

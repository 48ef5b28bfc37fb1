"""Proposals: writes that wait for a decision (Moltbot 13), and notes offered to a team."""

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
MAX_MADE = 1_000  # proposals that one agent makes within the days for which they wait
COMPARED = 200  # newest proposals for the same readers that a new one is compared with
IN_DOUBT = 0.3  # confidence of two contradicting notes that are both kept


class ProposalKind(StrEnum):
    """The kinds of proposals.

    A new note, a note for a team, or a version of a team's knowledge or skill."""

    WRITE = "WRITE"
    PROMOTION = "PROMOTION"
    REVISION = "REVISION"


class ProposalStatus(StrEnum):
    """The state of a proposal."""

    PENDING = "PENDING"
    AWAITING_OWNER = "AWAITING_OWNER"
    AWAITING_ORCHESTRATOR = "AWAITING_ORCHESTRATOR"
    DEFERRED = "DEFERRED"
    CONFLICT = "CONFLICT"
    COMMITTED = "COMMITTED"
    REJECTED = "REJECTED"


class Decision(StrEnum):
    """The decision on a proposal."""

    COMMIT = "COMMIT"
    REJECT = "REJECT"
    DEFER = "DEFER"


class ReviewMode(StrEnum):
    """The reviewers of agents' proposals.

    AUTO: the rules, for what is sure; BATCH: the main agent, an orchestrator or the user;
    MANUAL: the user alone."""

    AUTO = "auto"
    BATCH = "batch"
    MANUAL = "manual"


ENDED = (ProposalStatus.COMMITTED, ProposalStatus.REJECTED)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a decision.

    It has the proposal's status, the type of its event, the word for it, and how the event names
    its approval."""

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
    """The settings for reviewing proposals."""

    mode: ReviewMode = ReviewMode.BATCH
    auto_commit_confidence: float = AUTO_COMMIT_CONFIDENCE
    days: int = DAYS  # days for which a proposal waits

    def commits_at_once(self, agent: Agent, confidence: float) -> bool:
        """Check whether a proposal of the agent is sure enough to be written without a review."""
        trusted = agent.writes is WritePermission.AUTO_COMMIT or self.mode is ReviewMode.AUTO
        sure = confidence >= self.auto_commit_confidence
        return trusted and sure and self.mode is not ReviewMode.MANUAL


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A proposal as a viewer that may read it sees it.

    If it became a note, it shows that note as it is now."""

    id: str
    user: str
    author: str | None  # the proposing agent; None: the user in person, or a job
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
    reason: str | None  # for the decision
    note: str | None = None  # the note to be promoted
    result: str | None = None
    conflicts: tuple[str, ...] = ()  # readable proposals that contradict it
    draft: str = field(default="", repr=False)  # the writer's draft, as text
    mode: WriteMode = WriteMode.CURATED
    team: str | None = None  # the team that is to learn it
    consented: bool = False  # by the owner of the note
    renews: str | None = None  # id of the team's item that it is a new version of
    base: int | None = None  # the version it is based on
    trigger: str | None = None  # trigger of a skill


def decides_for_teams(viewer: Viewer) -> bool:
    """Check whether the viewer is an orchestrator that writes by itself.

    A member's one decides for a team."""
    agent = viewer.agent
    if agent is None or agent.role is not AgentRole.ORCHESTRATOR:
        return False
    return agent.writes is WritePermission.DIRECT


def require_reviewer(viewer: Viewer, author: str | None, mode: ReviewMode) -> None:
    """Raise Forbidden unless the viewer may decide proposals of the agent `author`.

    The agent belongs to the same user. The user in person may decide, and, unless reviews are
    manual, the main agent or an orchestrator that writes by itself. Nobody decides their own
    proposals."""
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

"""Users, agents and who asks."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

ANYTHING = "*"
MANUAL = "manual"  # the user in person
BOT = "bot:"  # an agent, by its id
COMMIT_FROM = "bot:commit-from:"  # who committed what that agent proposed
SUBAGENT = "subagent:"  # an agent that proposes
SKILL = "skill:"  # the use of a skill, by its name
INIT = "system:init"  # an import
AUDIT = "system:audit"  # the digest of old events
BY_REMEMBER, BY_FORGET = "bot:trigger-remember", "bot:trigger-forget"  # a user's own words
BY_DETECTION = "bot:auto-detect"  # nobody asked for it
BY_COMMAND = frozenset((BY_REMEMBER, BY_FORGET, BY_DETECTION))


class AgentRole(StrEnum):
    """What an agent is for."""

    ASSISTANT = "ASSISTANT"
    ORCHESTRATOR = "ORCHESTRATOR"
    WORKER = "WORKER"


class WritePermission(StrEnum):
    """Whether an agent writes by itself."""

    DIRECT = "DIRECT"
    PROPOSE = "PROPOSE"
    AUTO_COMMIT = "AUTO_COMMIT"


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Software that acts for a user. The defaults are those of an agent nobody set up."""

    id: str
    user: str
    name: str
    role: AgentRole = AgentRole.WORKER
    domains: tuple[str, ...] = (ANYTHING,)
    can_see_private: bool = False
    writes: WritePermission = WritePermission.DIRECT
    status: str = "idle"
    current_task: str | None = None
    last_active_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class User:
    """A person."""

    id: str
    name: str
    default_visibility: str = "SCOPED"


@dataclass(frozen=True, kw_only=True)
class Viewer:
    """Who asks: a user in person (no agent), or an agent of a user; perhaps with admin rights."""

    user: str
    agent: Agent | None = None
    admin: bool = False
    teams: tuple[str, ...] = ()  # that the user is a member of
    acting_as: str | None = None  # the actor to record instead of who asks: bot:auto-detect
    approved: bool = False  # who may has decided that the agent writes this, which it may propose
    decided_by_user: bool = False  # and this was the user in person

    @property
    def in_person(self) -> bool:
        """Whether the user asks, and no agent."""
        return self.agent is None

    @property
    def proposes(self) -> bool:
        """Whether what is written has to be decided by somebody else first."""
        agent = self.agent
        direct = agent is None or agent.writes is WritePermission.DIRECT
        return not (direct or self.approved)

    @property
    def actor(self) -> str:
        """The name under which a change is recorded (MOLT-67, MOLT-68)."""
        return self.acting_as or actor_of(self.agent.id if self.agent else None)


def actor_of(agent: str | None) -> str:
    """The actor that an agent is, or the user in person, among those of one user."""
    return f"{BOT}{agent}" if agent else MANUAL


def agent_of(actor: str) -> str | None:
    """The agent that an actor is, also one whose proposal was committed; None for any other."""
    name = actor.removeprefix(COMMIT_FROM).removeprefix(BOT).removeprefix(SUBAGENT)
    return None if name == actor or actor in BY_COMMAND else name

"""Users, agents and viewers."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graphmem.domain.fields import INTERNAL

ANYTHING = "*"
MANUAL = "manual"  # the user in person
BOT = "bot:"  # followed by the id of an agent
COMMIT_FROM = "bot:commit-from:"  # a committed proposal of that agent
SUBAGENT = "subagent:"  # an agent that proposes
SKILL = "skill:"  # the use of a skill, followed by its name
INIT = "system:init"  # an import
AUDIT = "system:audit"  # the digest of old events
BY_REMEMBER, BY_FORGET = (
    "bot:trigger-remember",
    "bot:trigger-forget",
)  # commands in the user's words
BY_DETECTION = "bot:auto-detect"  # remembered without being asked
BY_COMMAND = frozenset((BY_REMEMBER, BY_FORGET, BY_DETECTION))


class AgentRole(StrEnum):
    """The job of an agent."""

    ASSISTANT = "ASSISTANT"
    ORCHESTRATOR = "ORCHESTRATOR"
    WORKER = "WORKER"


class WritePermission(StrEnum):
    """The way an agent writes: by itself or by proposals."""

    DIRECT = "DIRECT"
    PROPOSE = "PROPOSE"
    AUTO_COMMIT = "AUTO_COMMIT"


@dataclass(frozen=True, kw_only=True)
class Unlisted:
    """The profile of all agents that have none of their own: every domain, and nothing that is
    `PRIVATE`, unless the user sets another one."""

    domains: tuple[str, ...] = (ANYTHING,)
    """the domains that they work in; `*` is every domain"""
    can_see_private: bool = False
    """whether they read notes that are `PRIVATE`"""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Software that acts for a user. The defaults are those of an agent that nobody set up."""

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
    listed: bool = field(default=False, metadata=INTERNAL)  # it has a profile of its own


@dataclass(frozen=True, kw_only=True)
class User:
    """A person."""

    id: str
    name: str
    default_visibility: str = "SCOPED"


@dataclass(frozen=True, kw_only=True)
class Viewer:
    """The asker: a user in person (no agent), or an agent of a user; possibly with admin rights."""

    user: str
    agent: Agent | None = None
    admin: bool = False
    teams: tuple[str, ...] = ()  # teams of the user
    acting_as: str | None = None  # recorded instead of the viewer: bot:auto-detect
    approved: bool = False  # a reviewer approved this write
    decided_by_user: bool = False  # the reviewer was the user in person

    @property
    def in_person(self) -> bool:
        """True if the user asks, not an agent."""
        return self.agent is None

    @property
    def proposes(self) -> bool:
        """True if somebody else must approve what is written."""
        agent = self.agent
        direct = agent is None or agent.writes is WritePermission.DIRECT
        return not (direct or self.approved)

    @property
    def actor(self) -> str:
        """The name under which a change is recorded (MOLT-67, MOLT-68)."""
        return self.acting_as or actor_of(self.agent.id if self.agent else None)


def actor_of(agent: str | None) -> str:
    """Return the actor name of an agent, or of the user in person."""
    return f"{BOT}{agent}" if agent else MANUAL


def agent_of(actor: str) -> str | None:
    """Return the agent of an actor, also one whose proposal was committed.

    None for other actors."""
    name = actor.removeprefix(COMMIT_FROM).removeprefix(BOT).removeprefix(SUBAGENT)
    return None if name == actor or actor in BY_COMMAND else name

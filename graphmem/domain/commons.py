"""The commons, or the personal library of a user alone: skills and standard procedures."""

from dataclasses import dataclass
from datetime import datetime

SKILL_DOMAIN = "skills"
MAX_TRIGGER = 2_000  # characters
MAX_ENTRIES = 1_000  # in one scope of a team's board
MAX_SCOPES = 1_000  # of a team's board that have entries
MAX_EMPTY = 100  # scopes without entries whose events and versions are kept
MAX_SOPS = 1_000  # domains with a standard procedure, of a user or a team
MAX_VALUE = 20_000  # characters of JSON


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A procedure that can be carried out again; in the graph it is a note."""

    id: str
    name: str
    procedure: str
    trigger: str | None  # when to use it
    tags: tuple[str, ...]
    success_count: int
    failure_count: int
    users: int  # number of users who used it with success
    version: int
    last_used_at: datetime | None
    source_agents: tuple[str, ...]  # user/agent for a skill of a team
    team: str | None = None  # None: it is the user's own
    source_user: str | None = None  # original owner of a promoted skill
    proposal: str | None = None  # of another version, that this request has made

    @property
    def trust(self) -> float:
        """The degree to which it has proved itself, 0..1."""
        return trust(self.success_count, self.failure_count, self.users)


@dataclass(frozen=True, kw_only=True)
class Sop:
    """The standard procedure of a domain and all domains below it."""

    domain: str
    content: str
    version: int
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """Knowledge of a team; in the graph it is a note of the team."""

    id: str
    team: str
    content: str
    domain: str
    confidence: float
    verified_by: tuple[str, ...]  # members who confirmed it
    source_user: str  # owner of the original note
    promoted_from: str | None  # id of the original note
    version: int
    score: float | None = None  # how well it fits the query
    proposal: str | None = None  # of another version, that this request has made


@dataclass(frozen=True, kw_only=True)
class BoardEntry:
    """The value of a key in a scope of a team's board.

    The scope is `team`, an agent or a domain."""

    team: str
    scope: str
    """`team`, an agent or a domain: who reads it"""
    key: str
    value: object
    version: int
    actor: str
    updated_at: datetime


def trust(successes: int, failures: int, users: int) -> float:
    """Return the trust of a skill by the rule of succession (DIFF-18).

    (s + 1) / (s + f + 2) · min(1, 0.8 + 0.1 · (users - 1)): reduced for fewer than three users;
    no user counts as one."""
    known = (successes + 1) / (successes + failures + 2)
    return known * min(1.0, 0.8 + 0.1 * (max(users, 1) - 1))


def domain_and_parents(domain: str) -> tuple[str, ...]:
    """Return the domain itself and those above it, the longest first."""
    parts = domain.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts), 0, -1))

"""The commons, for one user alone a personal library: skills and standard procedures."""

from dataclasses import dataclass
from datetime import datetime

SKILL_DOMAIN = "skills"
MAX_TRIGGER = 2_000  # characters
MAX_ENTRIES = 1_000  # of one scope of a team's board
MAX_SCOPES = 1_000  # of a team's board, that have entries
MAX_EMPTY = 100  # scopes that had entries, of which events and versions are kept
MAX_SOPS = 1_000  # domains for which a user or a team has a standard procedure
MAX_VALUE = 20_000  # characters of JSON


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A procedure that can be carried out again; in the graph a note of its own."""

    id: str
    name: str
    procedure: str
    trigger: str | None  # when it is to be used
    tags: tuple[str, ...]
    success_count: int
    failure_count: int
    users: int  # who used it with success
    version: int
    last_used_at: datetime | None
    source_agents: tuple[str, ...]  # of a team's skill with their users: user/agent
    team: str | None = None  # None: it is the user's own
    source_user: str | None = None  # whose procedure it was, of a team's skill that was promoted
    proposal: str | None = None  # of another version, that this request has made

    @property
    def trust(self) -> float:
        """How far it has proved itself, 0..1."""
        return trust(self.success_count, self.failure_count, self.users)


@dataclass(frozen=True, kw_only=True)
class Sop:
    """The standard procedure of a domain and all below it."""

    domain: str
    content: str
    version: int
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What a team knows; in the graph a note of the team."""

    id: str
    team: str
    content: str
    domain: str
    confidence: float
    verified_by: tuple[str, ...]  # members who hold it to be right
    source_user: str  # whose note it was
    promoted_from: str | None  # that note
    version: int
    score: float | None = None  # how well it fits what was asked for
    proposal: str | None = None  # of another version, that this request has made


@dataclass(frozen=True, kw_only=True)
class BoardEntry:
    """What a team's board says under a key of a scope: `team`, an agent or a domain."""

    team: str
    scope: str
    key: str
    value: object
    version: int
    actor: str
    updated_at: datetime


def trust(successes: int, failures: int, users: int) -> float:
    """(s + 1) / (s + f + 2) · min(1, 0.8 + 0.1 · (users - 1)): the rule of succession, less for
    what fewer than three users used; nobody yet counts as one user (DIFF-18)."""
    known = (successes + 1) / (successes + failures + 2)
    return known * min(1.0, 0.8 + 0.1 * (max(users, 1) - 1))


def domains_above(domain: str) -> tuple[str, ...]:
    """The domain itself and those above it, the longest first."""
    parts = domain.split("/")
    return tuple("/".join(parts[:n]) for n in range(len(parts), 0, -1))

"""Users and agents in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.actors import Agent, User
from graphmem.store.graph import Graph, Step
from graphmem.store.times import instant
from graphmem.store.visibility import to_agent, to_user

_RIGHTS = frozenset({"role", "domains", "canSeePrivate", "writes"})


def put_user_step(user: str, name: str | None, now: datetime) -> Step:
    """Register a user, or renames one; its row holds `user`. Stale while the user is erased."""
    return Step("actors/put_user", {"id": user, "name": name, "now": now}, required=True)


def put_agent_step(user: str, agent: str, given: Mapping[str, object], now: datetime) -> Step:
    """Register an agent of a registered user, or sets what is given; its row holds `agent`. Writes
    that go on learn of it when it changes what the agent may read or write."""
    rights = not given.keys().isdisjoint(_RIGHTS)
    return _put_step(user, agent, given, now, rights=rights)


def make_agent_step(user: str, agent: str, given: Mapping[str, object], now: datetime) -> Step:
    """Make a new agent of a registered user, which no write that goes on is by; its row holds
    `agent`."""
    return _put_step(user, agent, given, now, rights=False)


def _put_step(
    user: str, agent: str, given: Mapping[str, object], now: datetime, *, rights: bool
) -> Step:
    parameters = {"user": user, "id": agent, "given": dict(given), "rights": rights}
    return Step("actors/put_agent", {**parameters, "now": now})


async def get_users(graph: Graph, ids: Sequence[str]) -> dict[str, User]:
    """Return the users of the ids."""
    rows = await graph.read("actors/get_users", ids=list(ids))
    return {row["user"]["id"]: to_user(row["user"]) for row in rows}


async def list_agents(graph: Graph, user: str, limit: int = 1000) -> list[Agent]:
    """Return the user's agents by id."""
    rows = await graph.read("actors/list_agents", user=user, limit=limit)
    return [to_agent(user, row["agent"]) for row in rows]


@dataclass(frozen=True, kw_only=True)
class NotesWritten:
    """How many readable notes an agent wrote, and when the newest of them."""

    notes: int = 0
    newest: datetime | None = None


async def count_written(
    graph: Graph, user: str, agents: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, NotesWritten]:
    """Return what each agent wrote, as far as it may be read."""
    rows = await graph.read(
        "actors/count_notes", user=user, ids=list(agents), audiences=list(audiences), now=now
    )
    return {
        row["id"]: NotesWritten(notes=row["notes"], newest=instant(row["newest"])) for row in rows
    }


def report_status_step(user: str, agent: str, status: str, task: str | None, now: datetime) -> Step:
    """Set what an agent says of itself; its row holds `agent`."""
    given = {"user": user, "agent": agent, "status": status, "task": task, "now": now}
    return Step("actors/report_status", given, required=True)

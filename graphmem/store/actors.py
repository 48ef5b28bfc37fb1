"""Users and agents in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.actors import Agent, Unlisted, User
from graphmem.store.graph import Graph, Step
from graphmem.store.times import instant
from graphmem.store.visibility import to_agent, to_user

_PROFILE = frozenset({"domains", "canSeePrivate"})
_RIGHTS = _PROFILE | {"role", "writes"}


def put_user_step(user: str, name: str | None, now: datetime) -> Step:
    """Register a user, or rename one; the row of the step holds `user`. Raises Stale while the user
    is being erased."""
    return Step("actors/put_user", {"id": user, "name": name, "now": now}, required=True)


def put_agent_step(user: str, agent: str, given: Mapping[str, object], now: datetime) -> Step:
    """Register an agent of a registered user, or set the given fields; the row of the step holds
    `agent`. When the change affects what the agent may read or write, writes in progress notice
    it."""
    rights = not given.keys().isdisjoint(_RIGHTS)
    return _put_step(user, agent, given, now, rights=rights)


def make_agent_step(user: str, agent: str, given: Mapping[str, object], now: datetime) -> Step:
    """Create a new agent of a registered user, in whose name no write is in progress; the row of
    the step holds `agent`."""
    return _put_step(user, agent, given, now, rights=False)


def _put_step(
    user: str, agent: str, given: Mapping[str, object], now: datetime, *, rights: bool
) -> Step:
    parameters = {"user": user, "id": agent, "given": dict(given), "rights": rights}
    listed = not given.keys().isdisjoint(_PROFILE)
    return Step("actors/put_agent", {**parameters, "listed": listed, "now": now})


def set_unlisted_step(user: str, unlisted: Unlisted, now: datetime) -> Step:
    """Set the profile of the agents that have none of their own."""
    given = {"domains": list(unlisted.domains), "canSeePrivate": unlisted.can_see_private}
    return Step("actors/set_unlisted", {"user": user, **given, "now": now}, required=True)


async def get_users(graph: Graph, ids: Sequence[str]) -> dict[str, User]:
    """Return the users with these ids, by id."""
    rows = await graph.read("actors/get_users", ids=list(ids))
    return {row["user"]["id"]: to_user(row["user"]) for row in rows}


async def list_agents(graph: Graph, user: str, limit: int = 1000) -> list[Agent]:
    """Return the user's agents by id."""
    rows = await graph.read("actors/list_agents", user=user, limit=limit)
    return [to_agent(user, row["agent"]) for row in rows]


@dataclass(frozen=True, kw_only=True)
class NotesWritten:
    """The number of readable notes that an agent wrote, and the time of the newest one."""

    notes: int = 0
    newest: datetime | None = None


async def count_written(
    graph: Graph, user: str, agents: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, NotesWritten]:
    """Count the readable notes that each agent wrote."""
    rows = await graph.read(
        "actors/count_notes", user=user, ids=list(agents), audiences=list(audiences), now=now
    )
    return {
        row["id"]: NotesWritten(notes=row["notes"], newest=instant(row["newest"])) for row in rows
    }


def report_status_step(user: str, agent: str, status: str, task: str | None, now: datetime) -> Step:
    """Set what an agent reports about itself; the row of the step holds `agent`."""
    given = {"user": user, "agent": agent, "status": status, "task": task, "now": now}
    return Step("actors/report_status", given, required=True)

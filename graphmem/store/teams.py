"""Teams in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.actors import User
from graphmem.domain.promotion import LEFT
from graphmem.domain.teams import INVITED_FOR, MAX_INVITED, Team
from graphmem.store.graph import Graph, Step
from graphmem.store.proposals import OPEN


async def read_teams(graph: Graph, ids: Sequence[str], now: datetime) -> list[Team]:
    """Return the teams with these ids, in their order; for callers who may know of them."""
    if not ids:
        return []
    rows = await graph.read("teams/list", ids=list(ids), since=now - INVITED_FOR)
    return [
        Team(
            id=row["id"],
            name=row["name"],
            members=tuple(row["members"]),
            version=row["version"],
            invited=tuple(row["invited"]),
            joined=row["joined"],
        )
        for row in rows
    ]


async def read_mates(graph: Graph, ids: Sequence[str], teams: Sequence[str]) -> dict[str, User]:
    """Return those of the users who are members of one of the teams, with id and name only."""
    if not ids or not teams:
        return {}
    rows = await graph.read("teams/mates", ids=list(ids), teams=list(teams))
    return {row["user"]["id"]: User(**row["user"]) for row in rows}


async def count_registered(graph: Graph, user: str) -> int:
    """Count the teams that the user has registered."""
    row = await graph.read_one("teams/count_registered", user=user)
    return row["teams"] if row else 0


def put_team_step(
    team: str,
    name: str | None,
    *,
    version: int,
    coming: Sequence[str],
    leaving: Sequence[str],
    invited: Sequence[str] = (),
    renewed: Sequence[str] = (),
    uninvited: Sequence[str] = (),
    asked: str | None = None,
    by: str,
    most: int,
    now: datetime,
) -> Step:
    """Register a team (version 0) or change it. Raises Stale when it has changed since the version
    was read. `coming` are new members in their order, `invited` are invited to become members,
    `renewed` are invited again, `asked` is who joins because of an invitation; `most` is the number
    of teams that `by` may register."""
    states = {user: ("member", place) for place, user in enumerate(coming)}
    states |= dict.fromkeys(leaving, ("gone", None))
    return Step(
        "teams/put",
        {
            "id": team,
            "name": name,
            "version": version,
            "coming": list(coming),
            # Users are locked in one order, whoever sets teams at the same time.
            "changed": [
                {"id": user, "state": states[user][0], "place": states[user][1]}
                for user in sorted(states)
            ],
            "invited": sorted(invited),
            "renewed": sorted(renewed),
            "uninvited": sorted(uninvited),
            "asked": asked,
            "by": by,
            "most": most,
            "mostInvited": MAX_INVITED,
            "since": now - INVITED_FOR,
            "open": list(OPEN),
            "reason": LEFT,
            "now": now,
        },
        required=True,
    )

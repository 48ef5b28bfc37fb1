"""Shared domains in the graph."""

from collections.abc import Sequence
from datetime import datetime

from graphmem.domain.notes import NEVER
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.visibility import Audience, Visibility, audience_of
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.times import instant_from_milliseconds


def share_step(
    user: str, domain: str, team: str, *, until: datetime | None, most: int, now: datetime
) -> Step:
    """Share a domain. Raises Stale when the user is no longer a member or shares too many
    domains."""
    given = {"user": user, "domain": domain, "team": team, "most": most, "now": now}
    return Step("shares/put", {**given, "until": until or NEVER}, required=True)


def unshare_step(user: str, domain: str, team: str) -> Step:
    """Withdraw a share, if there is one."""
    return Step("shares/remove", {"user": user, "domain": domain, "team": team})


async def list_shared(
    graph: Graph, users: Sequence[str], teams: Sequence[str], now: datetime
) -> list[SharedDomain]:
    """Return the domains that the users share with some of the teams, by user, domain and team."""
    if not users or not teams:
        return []
    rows = await graph.read_list("shares/list", users=list(users), teams=list(teams), now=now)
    return [to_shared(row) for row in rows]


def to_shared(row: Row) -> SharedDomain:
    """Build a shared domain from its row."""
    return SharedDomain(
        user=row["user"],
        domain=row["domain"],
        team=row["team"],
        expires_at=instant_from_milliseconds(row["until"]),
    )


async def shared_audiences(
    graph: Graph, user: str, teams: Sequence[str], now: datetime
) -> tuple[Audience, ...]:
    """Return the audiences that members of a user's teams share with the teams."""
    if not teams:
        return ()
    rows = await graph.read_list("shares/told", user=user, teams=list(teams), now=now)
    return tuple(audience_of(owner, Visibility(v), domain) for owner, v, domain in rows)

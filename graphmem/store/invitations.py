"""Invitations to teams, and the blocks of users against invitations, in the graph."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from graphmem.domain.teams import INVITED_FOR, MAX_BLOCKS, MAX_TOLD, Invitation, InvitationBlock
from graphmem.store.graph import Graph, Step
from graphmem.store.times import EPOCH


async def read_invitations(graph: Graph, user: str, now: datetime) -> list[Invitation]:
    """Return the teams that a user is invited to, the newest invitations first; at most 100."""
    rows = await graph.read_list("invitations/list", user=user, since=now - INVITED_FOR)
    return [
        Invitation(
            team=row["team"],
            name=row["name"],
            invited_by=row["by"],
            at=EPOCH + timedelta(milliseconds=row["at"]),
        )
        for row in rows
    ]


async def is_invited(graph: Graph, user: str, team: str, now: datetime) -> bool:
    """Return True if a user is invited to a team, and has neither blocked nor declined that."""
    given = {"user": user, "team": team, "since": now - INVITED_FOR}
    row = await graph.read_one("invitations/standing", **given)
    return bool(row and row["invited"])


async def count_given_invitations(
    graph: Graph, by: str, team: str, users: Sequence[str], now: datetime
) -> tuple[int, list[str]]:
    """Return the number of users that a user has invited lately, and those of `users` who get an
    event about the invitation."""
    row = await graph.read_one(
        "invitations/given",
        by=by,
        team=team,
        users=list(users),
        since=now - INVITED_FOR,
        most=MAX_TOLD,
    )
    return (row["given"], row["told"]) if row else (0, [])


def decline_step(user: str, team: str, now: datetime) -> Step:
    """Decline an invitation. Raises Stale when it is no longer there."""
    return Step("invitations/decline", {"user": user, "team": team, "now": now}, required=True)


def block_step(
    user: str, team: str | None, inviter: str | None, *, block: bool, now: datetime
) -> Step:
    """Block, or with `block` false stop blocking, the invitations to a team, those by a user, or
    all. Raises Stale when that would be one block too many."""
    given = {"user": user, "team": team or "", "inviter": inviter or "", "block": block}
    return Step("invitations/block", {**given, "most": MAX_BLOCKS, "now": now}, required=True)


async def read_blocks(graph: Graph, user: str) -> list[InvitationBlock]:
    """Return the invitations that a user blocks, newest block first."""
    rows = await graph.read_list("invitations/blocks", user=user)
    return [
        InvitationBlock(
            team=row["team"] or None,
            user=row["inviter"] or None,
            at=EPOCH + timedelta(milliseconds=row["at"]),
        )
        for row in rows
    ]

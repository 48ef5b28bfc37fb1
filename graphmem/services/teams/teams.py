"""Teams: who is a member, and who says so.

A team is set by its lead, the member who has been in it longest, or by an admin, always in person;
other members may leave. Whoever is no member is told of no team, not even that it is there."""

from collections.abc import Sequence

from graphmem.domain.actors import User
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_id
from graphmem.domain.teams import MAX_LED, MAX_MEMBERS, Team
from graphmem.errors import Forbidden, Invalid
from graphmem.services.actors import MAX_NAME
from graphmem.services.context import (
    Access,
    Context,
    missing,
    require_in_person,
    user_audience,
)
from graphmem.services.writing.repeating import repeated
from graphmem.store import teams as store
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Step

MAX_LED_BY_ADMIN = 10_000


@repeated
async def register_team(
    context: Context, access: Access, team: str, name: str | None, members: Sequence[str]
) -> Team:
    """Register a team with its members, or set the name and the members of one.

    A user registers only teams that they are a member of, an admin any. Raises Forbidden for an
    agent and for a member who does not lead, unless it leaves alone; NotFound where somebody else's
    team has the id; Invalid."""
    require_in_person(access, "setting a team")
    team = check_id(team, "team id")
    name = None if name is None else check_text(name, "name", MAX_NAME)
    wanted = _check_members(members)
    viewer = access.viewer
    found = await store.read_teams(context.graph, [team])
    known = found[0] if found else None
    if known is None:
        if viewer.user not in wanted and not viewer.admin:
            raise Invalid("be a member of the team that you register")
    else:
        _check_may_set(access, known, name, wanted)
    return await _set(context, access, team, known, name, wanted)


def _check_members(members: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(check_id(member, "member") for member in members))
    if not wanted:
        raise Invalid("members is empty")
    if len(wanted) > MAX_MEMBERS:
        raise Invalid(f"members: at most {MAX_MEMBERS}")
    return wanted


def _check_may_set(access: Access, team: Team, name: str | None, wanted: Sequence[str]) -> None:
    """Raise NotFound for who is no member, Forbidden for one who does more than to leave."""
    user = access.viewer.user
    if access.viewer.admin or user == team.lead:
        return
    if user not in team.members:
        raise missing("team")
    if name is None and set(wanted) == set(team.members) - {user}:
        return
    raise Forbidden("only the first member of a team or an admin says who is in it")


async def leave_team(context: Context, access: Access, team: str) -> bool:
    """Take the user out of a team. What the user gave to its commons stays there.

    Raises Forbidden for an agent, NotFound for who is no member."""
    require_in_person(access, "leaving a team")
    return await _leave(context, access, check_id(team, "team id"))


@repeated
async def _leave(context: Context, access: Access, team: str) -> bool:
    known = await require_team(context, access, team)
    wanted = [member for member in known.members if member != access.viewer.user]
    await _set(context, access, team, known, None, wanted)
    return True


async def _set(
    context: Context,
    access: Access,
    team: str,
    known: Team | None,
    name: str | None,
    wanted: Sequence[str],
) -> Team:
    """Write the team and tell those who come and go."""
    viewer, now = access.viewer, context.clock()
    most = MAX_LED_BY_ADMIN if viewer.admin else MAX_LED
    if known is None and await store.count_registered(context.graph, viewer.user) >= most:
        raise Forbidden(f"a user registers at most {most} teams")
    before = known.members if known else ()
    coming = [member for member in wanted if member not in before]
    leaving = [member for member in before if member not in wanted]
    put = store.put_team_step(
        team,
        name,
        version=known.version if known else 0,
        coming=coming,
        leaving=leaving,
        by=viewer.user,
        most=most,
        now=now,
    )

    def told(user: str) -> Step:
        event = event_row(
            "EDIT",
            f"member of team {team}" if user in wanted else f"no longer a member of team {team}",
            audience=user_audience(user),
            actor=viewer.actor,
            at=now,
            subject_id=team,
            channel="state_change",
        )
        return append_step(user, [event])

    changed = sorted({*coming, *leaving})
    await context.graph.write(put, *map(told, changed))
    for user in changed:
        context.signal(user)
    return (await store.read_teams(context.graph, [team]))[0]


async def require_team(context: Context, access: Access, team: str) -> Team:
    """The team, of which the viewer's user must be a member: else it is not found."""
    if team not in access.viewer.teams:
        raise missing("team")
    found = await store.read_teams(context.graph, [team])
    if not found or access.viewer.user not in found[0].members:
        raise missing("team")
    return found[0]


async def list_teams(context: Context, access: Access) -> list[Team]:
    """The teams of the viewer's user."""
    return await store.read_teams(context.graph, access.viewer.teams)


async def load_mates(context: Context, access: Access, ids: Sequence[str]) -> dict[str, User]:
    """Those of the users who share a team with the viewer's user: their ids and names."""
    return await store.read_mates(context.graph, ids, access.viewer.teams)

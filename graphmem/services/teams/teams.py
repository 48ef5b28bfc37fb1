"""Teams: who is a member, and who decides that.

A team is set by its lead, the member who has been in it longest, or by an admin, always in person;
other members may leave. Those whom an admin names are members; those whom a lead names are invited,
and are members as soon as they agree, in person. Whoever is neither can't see the team, or even
that it exists.
"""

from collections.abc import Sequence

from graphmem.domain.actors import User
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_id
from graphmem.domain.teams import INVITED_FOR, MAX_INVITED, MAX_LED, MAX_MEMBERS, Team
from graphmem.errors import Forbidden, Invalid
from graphmem.services.actors import MAX_NAME
from graphmem.services.context import (
    Access,
    Context,
    missing,
    require_in_person,
    user_audience,
)
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import teams as store
from graphmem.store.events import append_each_step, append_step, event_row
from graphmem.store.invitations import count_given_invitations, decline_step, is_invited
from graphmem.store.rows import EventRow

MAX_LED_BY_ADMIN = 10_000


@repeat_while_stale
async def register_team(
    context: Context, access: Access, team: str, name: str | None, members: Sequence[str]
) -> Team:
    """Register a team with its members, or set the name and the members of one.

    Those whom an admin names are members; those whom a user names are invited, until they join. A
    user registers only teams that they are a member of, an admin any. Raises Forbidden for an agent
    and for a member who does not lead, unless it leaves alone; NotFound where somebody else's team
    has the id; Invalid.
    """
    require_in_person(access, "setting a team")
    team = check_id(team, "team id")
    name = None if name is None else check_text(name, "name", MAX_NAME)
    wanted = _check_members(members)
    viewer = access.viewer
    found = await store.read_teams(context.graph, [team], context.clock())
    known = found[0] if found else None
    if known is None:
        if viewer.user not in wanted and not viewer.admin:
            raise Invalid("be a member of the team that you register")
    else:
        _check_may_set(access, known, name, wanted)
    return await _set_members(context, access, team, known, name, wanted)


def _check_members(members: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(check_id(member, "member") for member in members))
    if not wanted:
        raise Invalid("members is empty")
    if len(wanted) > MAX_MEMBERS:
        raise Invalid(f"members: at most {MAX_MEMBERS}")
    return wanted


def _check_may_set(access: Access, team: Team, name: str | None, wanted: Sequence[str]) -> None:
    """Raise NotFound for a user who is not a member, Forbidden for one who does more than leave."""
    user = access.viewer.user
    if access.viewer.admin or user == team.lead:
        return
    if user not in team.members:
        raise missing("team")
    if name is None and set(wanted) == set(team.members) - {user}:
        return
    raise Forbidden("only the first member of a team or an admin says who is in it")


async def join_team(context: Context, access: Access, team: str) -> Team:
    """Make the user a member of a team that invited them; returns the team.

    Raises Forbidden for an agent, NotFound for a user who is not invited.
    """
    require_in_person(access, "joining a team")
    return await _join(context, access, check_id(team, "team id"))


@repeat_while_stale
async def _join(context: Context, access: Access, team: str) -> Team:
    user = access.viewer.user
    known = await _load_visible_team(context, access, team)
    if user in known.members:
        return known
    return await _write_team(context, access, team, known, coming=[user], asked=user)


async def leave_team(context: Context, access: Access, team: str) -> bool:
    """Take the user out of a team, or decline its invitation.

    What the user gave to its commons stays there. Raises Forbidden for an agent, NotFound for a
    user who is neither a member nor invited.
    """
    require_in_person(access, "leaving a team")
    return await _leave(context, access, check_id(team, "team id"))


@repeat_while_stale
async def _leave(context: Context, access: Access, team: str) -> bool:
    known = await _load_visible_team(context, access, team)
    user = access.viewer.user
    if user in known.members:
        await _write_team(context, access, team, known, leaving=[user])
    else:
        await context.graph.write(decline_step(user, team, context.clock()))
    return True


async def _load_visible_team(context: Context, access: Access, team: str) -> Team:
    """Load a team that the viewer's user is in or invited to. Raises NotFound."""
    user, now = access.viewer.user, context.clock()
    found = await store.read_teams(context.graph, [team], now)
    if found and user in found[0].members:
        return found[0]
    if not found or not await is_invited(context.graph, user, team, now):
        raise missing("team")
    return found[0]


async def _set_members(
    context: Context,
    access: Access,
    team: str,
    known: Team | None,
    name: str | None,
    wanted: Sequence[str],
) -> Team:
    """Write what is wanted: those who are not named leave, and are no longer invited."""
    viewer = access.viewer
    members, invited = (known.members, known.invited) if known else ((), ())
    new = [member for member in wanted if member not in members]
    sets_alone = known is not None and not viewer.admin and viewer.user != known.lead
    return await _write_team(
        context,
        access,
        team,
        known,
        name=name,
        coming=[each for each in new if viewer.admin or each == viewer.user],
        inviting=[
            each for each in new if not viewer.admin and each != viewer.user and each not in invited
        ],
        renewing=[each for each in new if not viewer.admin and each in invited],
        leaving=[each for each in members if each not in wanted],
        uninviting=[each for each in invited if each not in wanted and not sets_alone],
    )


async def _write_team(
    context: Context,
    access: Access,
    team: str,
    known: Team | None,
    *,
    name: str | None = None,
    coming: Sequence[str] = (),
    inviting: Sequence[str] = (),
    renewing: Sequence[str] = (),
    uninviting: Sequence[str] = (),
    leaving: Sequence[str] = (),
    asked: str | None = None,
) -> Team:
    """Write the team, with events for those who come, go and are invited.

    An invited user gets one event for each inviting user, so that nobody is flooded, and nothing
    else of theirs is touched: the answer is the same where nobody has the name.
    """
    viewer, now = access.viewer, context.clock()
    most = MAX_LED_BY_ADMIN if viewer.admin else MAX_LED
    if known is None and await store.count_registered(context.graph, viewer.user) >= most:
        raise Forbidden(f"a user registers at most {most} teams")
    invited: list[str] = []
    if inviting:
        given, invited = await count_given_invitations(
            context.graph, viewer.user, team, inviting, now
        )
        if given + len(inviting) > MAX_INVITED:
            days = INVITED_FOR.days
            raise Forbidden(f"a user invites at most {MAX_INVITED} people within {days} days")
    put = store.put_team_step(
        team,
        name,
        version=known.version if known else 0,
        coming=coming,
        leaving=leaving,
        invited=inviting,
        renewed=renewing,
        uninvited=uninviting,
        asked=asked,
        by=viewer.user,
        most=most,
        now=now,
    )
    words = dict.fromkeys(coming, "member of team")
    words |= dict.fromkeys(leaving, "no longer a member of team")
    words |= dict.fromkeys(invited, "invited to team")

    def make_event(user: str) -> EventRow:
        return event_row(
            "EDIT",
            f"{words[user]} {team}",
            audience=user_audience(user),
            actor=f"user:{viewer.user}",  # read by users other than the actor
            at=now,
            subject_id=team,
            channel="state_change",
        )

    members = (append_step(user, [make_event(user)]) for user in sorted({*coming, *leaving}))
    others = append_each_step({user: make_event(user) for user in invited})
    await context.graph.write(put, *members, *([others] if invited else []))
    for user in sorted(words):
        context.signal(user)
    return (await store.read_teams(context.graph, [team], now))[0]


async def require_team(context: Context, access: Access, team: str) -> Team:
    """Return the team, if the viewer's user is a member of it. Raises NotFound otherwise."""
    if team not in access.viewer.teams:
        raise missing("team")
    found = await store.read_teams(context.graph, [team], context.clock())
    if not found or access.viewer.user not in found[0].members:
        raise missing("team")
    return found[0]


async def list_teams(context: Context, access: Access) -> list[Team]:
    """List the teams of the viewer's user."""
    return await store.read_teams(context.graph, access.viewer.teams, context.clock())


async def load_mates(context: Context, access: Access, ids: Sequence[str]) -> dict[str, User]:
    """Load the users who share a team with the viewer's user: their ids and names."""
    return await store.read_mates(context.graph, ids, access.viewer.teams)

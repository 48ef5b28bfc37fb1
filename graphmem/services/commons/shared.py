"""Common parts of a team's commons: which team, who decides for it, who gets its events."""

from collections.abc import Sequence
from typing import Final

from graphmem.domain.actors import BOT, Viewer
from graphmem.domain.ids import check_id
from graphmem.domain.proposals import decides_for_teams
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Reading, Section, may_read, readable_keys
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, events_step
from graphmem.services.teams.teams import require_team
from graphmem.store.events import append_each_step, event_row
from graphmem.store.graph import Step
from graphmem.store.rows import EventRow
from graphmem.store.visibility import register_step

PERSON: Final = "user:"  # prefix of the actor of a user in person


async def team_of(context: Context, access: Access, team: str | None) -> Team:
    """Return the team that is named, else the only one of the viewer's user.

    Raises Invalid, and NotFound for a team that the user is not in.
    """
    if team is not None:
        return await require_team(context, access, check_id(team, "team id"))
    teams = access.viewer.teams
    if len(teams) != 1:
        raise Invalid("name the team" if teams else "you are in no team")
    return await require_team(context, access, teams[0])


def decides_for_team(viewer: Viewer, team: Team, *, but: str | None = None) -> bool:
    """Return True if the viewer decides what the team knows.

    That is an orchestrator of a member, or in person the team's lead; not the user `but` nor an
    agent of that user, as one person counts once. In a team where nobody else ever was, an
    orchestrator counts as well as its user.
    """
    if viewer.user not in team.members:
        return False
    agent = viewer.agent
    if agent is None:
        return viewer.user == team.lead and viewer.user != but
    return decides_for_teams(viewer) and (viewer.user != but or team.is_of_one)


def keys_of(access: Access, section: Section, domain: str | None = None) -> list[str]:
    """Return the readable audiences of one section of the teams' commons."""
    found = [each for each in access.of_teams if each.section is section]
    return list(readable_keys(access.viewer, found, Reading.BY_NAME, domain=domain))


def may_share(viewer: Viewer, audience: Audience) -> bool:
    """Return True if the viewer reads what a team owns for these readers."""
    return may_read(viewer, audience, Reading.BY_NAME)


def actor_of(viewer: Viewer) -> str:
    """Return the actor for people who have agents of their own with the same names."""
    return actor_named(viewer.user, viewer.agent.id if viewer.agent else None)


def actor_named(user: str, agent: str | None) -> str:
    """Return the same for a user, in person without an agent."""
    return f"{BOT}{user}/{agent}" if agent else f"{PERSON}{user}"


def person_of(actor: str) -> str | None:
    """Return the user of an actor as other users read it; None for any other."""
    if actor.startswith(BOT):
        return actor.removeprefix(BOT).partition("/")[0]
    return actor.removeprefix(PERSON) if actor.startswith(PERSON) else None


def team_event_steps(
    context: Context,
    access: Access,
    team: Team,
    kind: str,
    summary: str,
    audience: Audience,
    *,
    subject_id: str | None = None,
    channel: str = "knowledge_update",
    data: object = None,
) -> list[Step]:
    """Return the last steps of a change: an event to each member of a team.

    Only members who may read the audience will see the event. Stale when memberships, rules or
    profiles of the viewer's user have changed.
    """

    def row() -> EventRow:
        return event_row(
            kind,
            summary,
            audience=audience.key,
            actor=actor_of(access.viewer),
            at=context.clock(),
            subject_id=subject_id,
            domain=audience.domain if audience.section is not Section.BOARD else None,
            channel=channel,
            data=data,
        )

    others = [member for member in team.members if member != access.viewer.user]
    return [
        register_step(audience),
        append_each_step({member: row() for member in others}),
        events_step(access, [row()]),
    ]


def signal(context: Context, members: Sequence[str]) -> None:
    """Wake the subscribers of a team's members."""
    for member in members:
        context.signal(member)

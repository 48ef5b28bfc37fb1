"""Data related to notes, entities and users, read for many at once, as far as the viewer may."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from graphmem.domain import entities as domain
from graphmem.domain.actors import Agent, User, Viewer
from graphmem.domain.entities import Entity, EntityMerge
from graphmem.domain.expertise import Expertise
from graphmem.domain.fields import Between, Input
from graphmem.domain.notes import Link, Note, NoteFilter, Revision, Wording
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Reading, VisibilityRule, may_read
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.commons import Knowledge, Skill, knowledge_of, skill_of
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services import actors, resolution
from graphmem.services.actors import NotesWritten
from graphmem.services.commons import knowledge, team_skills
from graphmem.services.expertise import experts
from graphmem.services.handoffs.lent import load_lent
from graphmem.services.promotion import opting
from graphmem.services.reading import entities, proposals
from graphmem.services.reading import notes as reading
from graphmem.services.reading.history import count_notes_as_of, load_as_of
from graphmem.services.sessions import sessions
from graphmem.services.teams import sharing, teams
from graphmem.services.writing import changing, links

MAX_NESTED: Final = 100
MAX_MERGES: Final = 50
MAX_SUMMARISED: Final = 3  # notes of a summary
MAX_EXCERPT: Final = 200  # characters of a note in a summary


@dataclass(frozen=True, kw_only=True)
class Nested(Input):
    """The size of a list within an answer."""

    first: Annotated[int, Between(1, MAX_NESTED)] = 20
    """how many at most; up to 100"""


@dataclass(frozen=True, kw_only=True)
class NestedRelations(Nested):
    """The number of relations of an entity."""

    first: Annotated[int, Between(1, MAX_NESTED)] = 50
    """how many at most; up to 100"""


async def load_notes(
    operation: Operation, ids: Iterable[str], *, as_of: datetime | None = None
) -> dict[str, Note]:
    """Return the readable notes among the ids, as they were at an instant if one is given."""
    service, access = operation.service, operation.access
    wanted = list(dict.fromkeys(ids))
    found = await reading.load_many(service, access, wanted)
    if access.lent and as_of is None:
        found |= await load_lent(service, access, [each for each in wanted if each not in found])
    if as_of is not None:
        found = await load_as_of(service, access.of_events, found.values(), as_of)
    return {i: found[i] for i in wanted if i in found}


async def count_notes(
    operation: Operation, given: NoteFilter, as_of: datetime | None = None
) -> int:
    """Count the readable notes of a list, now or at an instant."""
    return await count_notes_as_of(operation.service, operation.access, given, as_of)


async def load_entities(
    operation: Operation, ids: Sequence[str], *, past: bool = False
) -> dict[str, Entity]:
    """Return entities by id, as far as readable notes back them; `past`: superseded ones, too."""
    return await entities.load_entities(operation.service, operation.access, ids, past=past)


async def entities_of_notes(operation: Operation, notes: Sequence[str]) -> dict[str, list[str]]:
    """Entity ids by note id."""
    return await entities.entities_of(operation.service, operation.access, notes)


async def links_of_notes(
    operation: Operation, notes: Sequence[str], first: int
) -> Mapping[str, list[Link]]:
    """Return links by note id, strongest first."""
    return await links.links_of(operation.service, operation.access, notes, first)


async def revisions_of_notes(
    operation: Operation, notes: Sequence[str], first: int
) -> Mapping[str, list[Revision]]:
    """Return revisions by note id, newest first."""
    return await changing.revisions_of(operation.service, operation.access, notes, first)


async def wordings_of_notes(
    operation: Operation, notes: Sequence[str], first: int
) -> Mapping[str, list[Wording]]:
    """Return wordings by note id, oldest first."""
    return await changing.wordings_of(operation.service, operation.access, notes, first)


async def lineage_of_notes(
    operation: Operation, notes: Sequence[str]
) -> dict[tuple[str, str], list[str]]:
    """Return readable relatives by (note id, "supersededBy" or "derivedFrom")."""
    return await reading.lineage(operation.service, operation.access, notes)


async def notes_of_entities(
    operation: Operation, ids: Sequence[str], first: int, as_of: datetime | None = None
) -> Mapping[str, list[str]]:
    """Return readable note ids by entity id, newest first."""
    return await entities.notes_of(operation.service, operation.access, ids, first, as_of)


async def relations_of_entities(
    operation: Operation, ids: Sequence[str], first: int, as_of: datetime | None = None
) -> Mapping[str, list[domain.Relation]]:
    """Return relations by entity id, those of the most notes first."""
    return await entities.relations_of(operation.service, operation.access, ids, first, as_of)


async def merges_of_entities(
    operation: Operation, ids: Sequence[str]
) -> Mapping[str, list[EntityMerge]]:
    """Return the merges into each entity, by entity id, newest first; at most 50."""
    return await resolution.merges_of(operation.service, operation.access, ids, MAX_MERGES)


async def agents_of_users(operation: Operation, users: Sequence[str]) -> list[list[Agent]]:
    """Return the agents of each user; only the viewer's own."""
    found = await actors.list_agents(operation.service, operation.access)
    return [found if user == operation.access.viewer.user else [] for user in users]


async def teams_of_users(operation: Operation, users: Sequence[str]) -> list[list[Team]]:
    """Return the teams that each user shares with the viewer's user."""
    found = await teams.list_teams(operation.service, operation.access)
    return [[team for team in found if user in team.members] for user in users]


async def own_teams(operation: Operation, ids: Sequence[str]) -> dict[str, Team]:
    """Return those of the teams that the viewer's user is in, by id."""
    found = await teams.list_teams(operation.service, operation.access)
    return {team.id: team for team in found if team.id in ids}


async def shared_by_users(
    operation: Operation, users: Sequence[str]
) -> Mapping[str, list[SharedDomain]]:
    """Return the domains that each user shares with teams that the viewer's user is in, too."""
    return await sharing.list_shared(operation.service, operation.access, users)


async def load_users(operation: Operation, ids: Sequence[str]) -> dict[str, User]:
    """Return users by id: the viewer's own, and members of the same teams."""
    service, access = operation.service, operation.access
    others = [i for i in ids if i != access.viewer.user]
    found = await teams.load_mates(service, access, others)
    return found | await actors.load_users(service, access, ids)


def members_of(team: Team, found: Sequence[User | None]) -> list[User]:
    """Return a team's members, with the names of those whom the viewer may know. An admin who is
    not a member gets the ids, not the names."""
    named = zip(team.members, found, strict=True)
    return [user or User(id=i, name=i) for i, user in named]


async def count_written(operation: Operation, agents: Sequence[str]) -> dict[str, NotesWritten]:
    """Return the number of readable notes that each agent wrote, and the time of the newest."""
    return await actors.count_written(operation.service, operation.access, agents)


async def expertise_of_agents(
    operation: Operation, agents: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], list[Expertise]]:
    """Return the expertise of each agent, (user, id), as far as the viewer may know it."""
    return await experts.expertise_of_agents(operation.service, operation.access, agents)


def last_activity(agent: Agent, written: NotesWritten) -> datetime | None:
    """Return the time when an agent last reported its status, or wrote the newest of its readable
    notes."""
    times = (agent.last_active_at, written.newest)
    return max((at for at in times if at is not None), default=None)


async def sessions_of_notes(operation: Operation, notes: Sequence[str]) -> Mapping[str, str]:
    """Return the session in which each note was written, by note id."""
    return await sessions.sessions_of(operation.service, operation.access, notes)


async def notes_of_sessions(operation: Operation, ids: Sequence[str]) -> Mapping[str, list[str]]:
    """Return the readable notes that came from sessions, by session id."""
    return await sessions.promoted_of(operation.service, operation.access, ids)


async def load_proposals(operation: Operation, ids: Sequence[str]) -> dict[str, Proposal]:
    """Return the readable proposals among the ids."""
    found = await proposals.load_proposals(operation.service, operation.access, ids)
    return {each.id: proposal_of(each, operation) for each in found.values()}


async def load_skills(operation: Operation, ids: Sequence[str]) -> dict[str, Skill]:
    """Return skills of the viewer's teams by id."""
    found = await team_skills.load(operation.service, operation.access, ids)
    return {each.id: skill_of(each, operation) for each in found.values()}


async def load_knowledge(operation: Operation, ids: Sequence[str]) -> dict[str, Knowledge]:
    """Return those of the ids that the viewer's teams know."""
    found = await knowledge.load(operation.service, operation.access, ids)
    return {each.id: knowledge_of(each) for each in found.values()}


async def opt_outs_of(operation: Operation, user: str) -> list[str]:
    """Return the domains that a user excludes from promotion; none of other users, and none for an
    agent."""
    if user != operation.access.viewer.user:
        return []
    return await opting.opt_outs(operation.service, operation.access)


async def count_waiting(operation: Operation) -> int:
    """Count the readable proposals that wait, up to 500."""
    return await proposals.count_waiting(operation.service, operation.access)


def summary_of(notes: Sequence[Note]) -> str | None:
    """Return the first sentences of an entity's newest readable notes."""
    return " ".join(note.context or note.content[:MAX_EXCERPT] for note in notes) or None


def readers_of(note: Note, agents: Sequence[Agent]) -> list[Agent]:
    """Return those of the user's agents that may see a note without asking explicitly."""
    return [
        agent
        for agent in agents
        if may_read(Viewer(user=note.user, agent=agent), note.audience, Reading.BY_NAME)
    ]


def rules_of(operation: Operation, user: str) -> list[VisibilityRule]:
    """Return the user's rules by domain; none for an agent."""
    access = operation.access
    rules = access.told_rules if access.viewer.user == user else {}
    return [VisibilityRule(domain=d, visibility=v) for d, v in sorted(rules.items())]

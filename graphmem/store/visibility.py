"""The viewer, audiences and rules in the graph."""

from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.actors import Agent, AgentRole, Unlisted, User, WritePermission
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import (
    Audience,
    Section,
    Visibility,
    team_audience,
    wider_visibilities,
)
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import audience_map
from graphmem.store.times import instant


@dataclass(frozen=True, kw_only=True)
class Asker:
    """The viewer as the graph knows it: user and agent if they are registered, the audiences of the
    user's notes and of what the user's teams own, and the user's rules."""

    user: User | None
    agent: Agent | None
    teams: tuple[str, ...]
    audiences: tuple[Audience, ...]
    of_teams: tuple[Audience, ...]
    rules: dict[str, Visibility]
    version: int  # of rules, profiles and memberships
    writes_for: int  # the number of audiences that the viewer has written for
    lent: bool  # notes may be lent to it
    judges: bool  # there is feedback on answers to it
    erasing: bool  # the user is being erased
    unlisted: Unlisted  # the profile of agents that have none of their own


async def read_viewer(graph: Graph, user: str, agent: str | None) -> Asker:
    """Return the viewer with the id of a user and possibly of an agent."""
    row = await graph.read_one("viewer/open", user=user, agent=agent) or {}
    found, profile = row.get("user"), row.get("agent")
    return Asker(
        user=to_user(found) if found else None,
        agent=to_agent(user, profile) if profile else None,
        teams=tuple(row.get("teams", ())),
        audiences=tuple(
            Audience(owner=Owner(user), section=Visibility(v), domain=domain, author=author)
            for v, domain, author in row.get("audiences", ())
        ),
        of_teams=tuple(
            team_audience(team, Section(section), domain)
            for team, section, domain in row.get("ofTeams", ())
        ),
        rules={domain: Visibility(visibility) for domain, visibility in row.get("rules", ())},
        version=row.get("accessVersion", 0),
        writes_for=row.get("writesFor", 0),
        lent=row.get("lent", False),
        judges=bool(row.get("judges")),
        erasing=row.get("erasing", False),
        unlisted=_to_unlisted(found or {}),
    )


def to_user(row: Row) -> User:
    """Build a user from its properties."""
    return User(id=row["id"], name=row["name"], default_visibility=row["defaultVisibility"])


def to_agent(user: str, row: Row) -> Agent:
    """Build an agent from its properties."""
    return Agent(
        id=row["id"],
        user=user,
        name=row["name"],
        role=AgentRole(row["role"]),
        domains=tuple(row["domains"]),
        can_see_private=row["canSeePrivate"],
        writes=WritePermission(row["writes"]),
        status=row["status"],
        current_task=row["currentTask"],
        last_active_at=instant(row["lastActiveAt"]),
        listed=row["listed"],
    )


def _to_unlisted(row: Row) -> Unlisted:
    """Build the profile of a user's agents that have none of their own."""
    if row.get("agentDomains") is None:
        return Unlisted()
    return Unlisted(domains=tuple(row["agentDomains"]), can_see_private=row["agentsSeePrivate"])


def register_step(audience: Audience) -> Step:
    """Register an audience, so that its readers get what is written for it."""
    return Step("visibility/register", {"audience": audience_map(audience)})


def put_rule_step(user: str, domain: str, visibility: Visibility, now: datetime) -> Step:
    """Set the rule of a domain."""
    return Step(
        "visibility/put_rule",
        {"user": user, "domain": domain, "visibility": visibility, "now": now},
    )


def remove_rule_step(user: str, domain: str, now: datetime) -> Step:
    """Remove the rule of a domain. Raises Stale where there is none any more."""
    given = {"user": user, "domain": domain, "now": now}
    return Step("visibility/remove_rule", given, required=True)


def set_default_step(user: str, visibility: Visibility, now: datetime) -> Step:
    """Set the visibility of notes for which nothing else sets it."""
    given = {"user": user, "visibility": visibility, "now": now}
    return Step("visibility/set_default", given, required=True)


@dataclass(frozen=True, kw_only=True)
class NoteBelow:
    """A note of a domain or of a domain below it, with the fields that a rule depends on."""

    id: str
    version: int
    audience: str
    domain: str
    author: str | None
    visibility: Visibility
    by_user: bool  # the user decided upon its readers
    external_id: str | None = None
    text: str = field(default="", repr=False)  # its beginning, if that was asked for


async def notes_below(
    graph: Graph, user: str, domain: str, visibility: Visibility, *, after: str, limit: int
) -> list[NoteBelow]:
    """Return notes of the domain and below with another visibility, by their ids."""
    rows = await graph.read(
        "visibility/notes_below",
        user=user,
        domain=domain,
        below=domain + "/",
        visibility=visibility,
        after=after,
        limit=limit,
    )
    return [_to_below(row) for row in rows]


async def notes_elsewhere(
    graph: Graph,
    user: str,
    domain: str,
    visibility: Visibility,
    *,
    after: str,
    most: int,
    limit: int,
) -> list[NoteBelow]:
    """Return notes outside of the domain with more readers than a visibility gives, by their ids,
    with the first `most` characters of their texts."""
    rows = await graph.read(
        "visibility/notes_elsewhere",
        user=user,
        domain=domain,
        below=domain + "/",
        wider=list(wider_visibilities(visibility)),
        after=after,
        most=most,
        limit=limit,
    )
    return [_to_below(row) for row in rows]


def _to_below(row: Row) -> NoteBelow:
    return NoteBelow(
        id=row["id"],
        version=row["version"],
        audience=row["audience"],
        domain=row["domain"],
        author=row["author"],
        external_id=row["externalId"],
        visibility=Visibility(row["visibility"]),
        by_user=bool(row["byUser"]),
        text=row.get("text", ""),
    )

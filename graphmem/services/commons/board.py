"""The board of a team: what its agents and members post, the blackboard of MUMA 6.2."""

import json

from graphmem.domain.actors import AgentRole
from graphmem.domain.commons import MAX_ENTRIES, MAX_SCOPES, MAX_VALUE, BoardEntry
from graphmem.domain.drafts import MAX_KEY, check_text
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.notes import MAX_NAME
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Section, team_audience
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.services.commons.shared import (
    actor_of,
    keys_of,
    may_share,
    signal,
    team_event_steps,
    team_of,
)
from graphmem.services.context import Access, Context, missing
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_post, strings_in
from graphmem.store import board as store

MAX_PAGE = 500


async def list_board(
    context: Context,
    access: Access,
    *,
    team: str | None,
    scope: str | None,
    prefix: str | None,
    first: int,
) -> list[BoardEntry]:
    """List what the viewer's teams posted for its readers, by team, scope and key.

    Raises Invalid.
    """
    return await store.list_entries(
        context.graph,
        keys_of(access, Section.BOARD),
        team=None if team is None else check_id(team, "team id"),
        scope=None if scope is None else check_text(scope, "scope", MAX_NAME, empty=True),
        prefix="" if prefix is None else check_text(prefix, "prefix", MAX_NAME, empty=True),
        limit=first,
    )


async def post_board(
    context: Context,
    access: Access,
    key: str,
    value: object,
    *,
    scope: str,
    team: str | None,
    expected_version: int | None,
) -> BoardEntry:
    """Post the value of a key in a scope of a team's board: `team`, an agent's id or a domain.

    Whoever changes what somebody else posted gives the version that they have read; orchestrators
    and members in person need not.

    Raises Invalid, NotFound for another's team, Forbidden for an agent that may only propose, may
    not read the scope, or repeats a note that is not for the team, and Conflict with the present
    version: the orchestrators get an alert.
    """
    require_writer(access)
    key = check_text(key, "key", MAX_KEY).strip()
    _check_value(value)
    scope = check_domain(scope)
    found = await team_of(context, access, team)
    await require_may_post(context, access, [key, *strings_in(value)], found.id)
    try:
        return await _write_entry(context, access, found, scope, key, value, expected_version)
    except Conflict as conflict:
        if "currentVersion" in conflict.details:
            await _report_conflict(context, access, found, scope, key)
        raise


def _check_value(value: object) -> None:
    """Raise Invalid for a value that is too long, or that no answer of JSON can hold."""
    try:
        size = len(json.dumps(value, allow_nan=False))
        json.dumps(value, ensure_ascii=False).encode()  # fails for a lone surrogate
    except (ValueError, RecursionError) as exc:
        raise Invalid("value is no JSON: no such number, text or depth") from exc
    if size > MAX_VALUE:
        raise Invalid(f"value is longer than {MAX_VALUE} characters of JSON")


@repeat_while_stale
async def _write_entry(
    context: Context,
    access: Access,
    team: Team,
    scope: str,
    key: str,
    value: object,
    expected: int | None,
) -> BoardEntry:
    audience = team_audience(team.id, Section.BOARD, scope)
    if not may_share(access.viewer, audience):
        raise Forbidden("this agent does not work in the scope")
    place = await store.read_place(context.graph, team.id, scope, key, audience)
    known, removed = place.entry, place.removed
    version = known.version if known else 0
    if known is None:
        _check_room(place)
    if not _may_post(access, known, expected):
        raise Conflict("the board says something else by now", currentVersion=version)
    step = store.put_step(
        team.id,
        scope,
        key,
        value,
        version=version,
        removed=removed,
        audience=audience,
        actor=actor_of(access.viewer),
        now=context.clock(),
    )
    event_steps = team_event_steps(
        context,
        access,
        team,
        "EDIT",
        "posted on the board",
        audience,
        channel="state_change",
        data={"team": team.id, "scope": scope, "key": key, "version": (version or removed) + 1},
    )
    rows = await context.graph.write(step, *event_steps)
    signal(context, team.members)
    return store.to_entry(rows[0][0]["entry"])


async def remove_entry(
    context: Context,
    access: Access,
    key: str,
    *,
    scope: str,
    team: str | None,
    expected_version: int | None,
) -> bool:
    """Take an entry off a team's board.

    Whoever takes off what somebody else posted gives the version that they have read; orchestrators
    and members in person need not.

    Raises Invalid, NotFound where there is no such entry and for another's team, Forbidden for an
    agent that may only propose or may not read the scope, and Conflict with the present version:
    the orchestrators get an alert.
    """
    require_writer(access)
    key, scope = check_text(key, "key", MAX_KEY).strip(), check_domain(scope)
    found = await team_of(context, access, team)
    try:
        return await _remove(context, access, found, scope, key, expected_version)
    except Conflict as conflict:
        if "currentVersion" in conflict.details:
            await _report_conflict(context, access, found, scope, key)
        raise


@repeat_while_stale
async def _remove(
    context: Context, access: Access, team: Team, scope: str, key: str, expected: int | None
) -> bool:
    audience = team_audience(team.id, Section.BOARD, scope)
    if not may_share(access.viewer, audience):
        raise Forbidden("this agent does not work in the scope")
    known = (await store.read_place(context.graph, team.id, scope, key, audience)).entry
    if known is None:
        raise missing("entry of the board")
    if not _may_post(access, known, expected):
        raise Conflict("the board says something else by now", currentVersion=known.version)
    now = context.clock()
    step = store.remove_step(team.id, scope, key, version=known.version, now=now)
    event_steps = team_event_steps(
        context,
        access,
        team,
        "DELETE",
        "taken off the board",
        audience,
        channel="state_change",
        data={"team": team.id, "scope": scope, "key": key, "version": known.version},
    )
    await context.graph.write(step, *event_steps)
    signal(context, team.members)
    return True


def _check_room(place: store.Standing) -> None:
    """Raise Forbidden for one entry too many of a scope, or one scope too many."""
    if place.entries >= MAX_ENTRIES:
        raise Forbidden(f"a scope of the board has at most {MAX_ENTRIES} entries")
    if place.scopes >= MAX_SCOPES:
        raise Forbidden(f"a board has at most {MAX_SCOPES} scopes")


def _may_post(access: Access, known: BoardEntry | None, expected: int | None) -> bool:
    """Return True if nothing is lost that the viewer has not read."""
    if expected is not None:
        return expected == (known.version if known else 0)
    if known is None or known.actor == actor_of(access.viewer):
        return True
    agent = access.viewer.agent
    return agent is None or agent.role is AgentRole.ORCHESTRATOR


async def _report_conflict(
    context: Context, access: Access, team: Team, scope: str, key: str
) -> None:
    """Report that two changes of an entry met."""
    audience = team_audience(team.id, Section.BOARD, scope)
    event_steps = team_event_steps(
        context,
        access,
        team,
        "ALERT",
        "two changes of the board met",
        audience,
        channel="state_change",
        data={"team": team.id, "scope": scope, "key": key},
    )
    await context.graph.write(*event_steps)
    signal(context, team.members)

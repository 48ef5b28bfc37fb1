"""Shared domains: a user lets a team ask for their knowledge of a domain, until taken back."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from graphmem.domain.actors import User
from graphmem.domain.drafts import check_instant
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.sharing import MAX_SHARED, SharedDomain
from graphmem.errors import Conflict, Forbidden, Invalid, Stale
from graphmem.services.actors import load_users
from graphmem.services.context import (
    Access,
    Context,
    missing,
    require_in_person,
    user_audience,
)
from graphmem.services.teams.teams import require_team
from graphmem.store import sharing as store
from graphmem.store.events import append_step, event_row


async def share_domain(
    context: Context,
    access: Access,
    domain: str,
    team: str,
    *,
    share: bool,
    expires_at: datetime | None,
) -> User:
    """Share a domain and all below it with a team; `share` false takes it back.

    It is shared until it is taken back, or until a time if one is given, from the next request on.
    Raises Forbidden for an agent and for one domain too many, NotFound where the user is not a
    member of the team, Invalid.
    """
    require_in_person(access, "sharing a domain")
    domain, team = check_domain(domain), check_id(team, "team id")
    user, now = access.viewer.user, context.clock()
    until = check_instant(expires_at, "expiresAt")
    if until is not None and until <= now:
        raise Invalid("expiresAt is in the past")
    if until is not None and not share:
        raise Invalid("expiresAt is for what is shared")
    await require_team(context, access, team)
    if share:
        step = store.share_step(user, domain, team, until=until, most=MAX_SHARED, now=now)
    else:
        step = store.unshare_step(user, domain, team)
    event = event_row(
        "EDIT",
        f"domain {domain} {'shared' if share else 'no longer shared'} with team {team}",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        subject_id=team,
        domain=domain,
        channel="state_change",
    )
    try:
        await context.graph.write(step, append_step(user, [event]))
    except Stale as exc:
        raise await _refusal_error(context, access, team, exc) from exc
    context.signal(user)
    found = await load_users(context, access, [user])
    if user not in found:
        raise missing("user")
    return found[user]


async def _refusal_error(context: Context, access: Access, team: str, error: Stale) -> Exception:
    """Return why a share was not made. Raises NotFound where the user has just left the team."""
    await require_team(context, access, team)
    user, now = access.viewer.user, context.clock()
    if len(await store.list_shared(context.graph, [user], access.viewer.teams, now)) >= MAX_SHARED:
        return Forbidden(f"a user shares at most {MAX_SHARED} domains")
    return Conflict(error.message)


async def list_shared(
    context: Context, access: Access, users: Sequence[str]
) -> Mapping[str, list[SharedDomain]]:
    """Return what each of the users shares with teams that the viewer's user is in, too."""
    found = await store.list_shared(
        context.graph, list(dict.fromkeys(users)), access.viewer.teams, context.clock()
    )
    return {user: [each for each in found if each.user == user] for user in users}

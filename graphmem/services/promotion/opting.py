"""Keeping domains out of promotion: for the user in person."""

from graphmem.domain.actors import User
from graphmem.domain.ids import check_domain
from graphmem.domain.promotion import MAX_OPT_OUTS
from graphmem.errors import Forbidden
from graphmem.services.context import (
    Access,
    Context,
    events_step,
    require_in_person,
    user_audience,
)
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import promotion as store
from graphmem.store.events import event_row


@repeat_while_stale
async def set_opt_out(context: Context, access: Access, domain: str, *, out: bool) -> User:
    """Keep a domain and all below it out of promotion, or no longer do so.

    Pending proposals of it are rejected, what a team knows already stays. Raises Invalid,
    Forbidden.
    """
    require_in_person(access, "keeping a domain out of promotion")
    domain, user, now = check_domain(domain), access.viewer.user, context.clock()
    known = await opt_outs(context, access)
    if out and domain not in known and len(known) >= MAX_OPT_OUTS:
        raise Forbidden(f"at most {MAX_OPT_OUTS} domains are kept out of promotion")
    event = event_row(
        "EDIT",
        "kept out of promotion" if out else "no longer kept out of promotion",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        domain=domain,
        channel="state_change",
    )
    step = store.opt_out_step(user, domain, out=out, now=now)
    rows = await context.graph.write(step, events_step(access, [event]))
    context.signal(user)
    return store.user_of_opt_out(rows[0])


async def opt_outs(context: Context, access: Access) -> list[str]:
    """Return the domains that the viewer's user keeps out of promotion; in person only."""
    if not access.viewer.in_person:
        return []
    return await store.opt_outs_of(context.graph, access.viewer.user)

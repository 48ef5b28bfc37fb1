"""Readers of proposals follow the rules, as those of notes do."""

from graphmem.domain.visibility import audience_of, in_quarantine, resolve_visibility
from graphmem.errors import Stale
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context, events_step
from graphmem.store import proposals as store
from graphmem.store.events import event_row

PAGE = 500
ATTEMPTS = 50


async def follow_rules(context: Context, access: Access, domain: str) -> None:
    """Give the proposed notes of a domain and below the readers that the present rules give.

    What seems to instruct agents stays with the user alone. A page with something that changes
    meanwhile is read again.
    """
    after, failed = "", 0
    while True:
        access = await reopen_access(context, access)
        user, now = access.viewer.user, context.clock()
        found = await store.proposals_below(context.graph, user, domain, after=after, limit=PAGE)
        if not found:
            return
        moves, events = {}, []
        for each in found:
            if in_quarantine(each.audience):  # until the user has decided it
                continue
            visibility = resolve_visibility(
                domain=each.domain,
                rules=access.rules,
                by_agent=each.asked,
                classified=each.found,
                default=access.default,
            )
            audience = audience_of(user, visibility, each.domain, each.author)
            if audience.key != each.audience:
                moves[each.id] = (each.audience, audience)
                events.append(
                    event_row(
                        "VISIBILITY",
                        "readers changed",
                        audience=audience.key,
                        actor=access.viewer.actor,
                        at=now,
                        subject_id=each.id,
                        domain=each.domain,
                    )
                )
        try:
            if moves:
                await context.graph.write(store.follow_step(moves), events_step(access, events))
        except Stale:
            failed += 1
            if failed == ATTEMPTS:
                raise
            continue
        after = found[-1].id

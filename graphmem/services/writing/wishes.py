"""Carries out a user's wish about the readers of a subject ("keep my location private").

It sets a rule for what is filed there, and gives what was said of it elsewhere the same readers. An
agent passes on what its user said, and nobody can verify that the user said it: so by an agent's
word readers only become fewer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graphmem.domain.ids import check_domain
from graphmem.domain.visibility import (
    Visibility,
    VisibilityRule,
    in_domains,
    narrower_visibility,
    rule_for,
)
from graphmem.errors import Forbidden, Stale
from graphmem.language.subjects import MOST_READ, domains_of, is_about, is_subject
from graphmem.services.actors import open_access, reopen_access
from graphmem.services.context import Access, Context, events_step
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.proposal_readers import follow_rules
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.visibility import (
    MAX_TOLD,
    VisibilityChange,
    narrow_made_of,
    rule_event,
    set_domain_visibility,
    sweep,
)
from graphmem.store.rows import ChangeRow
from graphmem.store.visibility import NoteBelow, notes_elsewhere, put_rule_step

CLOSED: Final = (Visibility.PRIVATE, Visibility.USER_ONLY)


async def carry_out_wish(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> VisibilityChange:
    """Carry out a wish for a subject, named by its domain.

    Only notes that the viewer could read are counted. Raises Forbidden for an agent that would give
    anything more readers, that may only propose, or that does not work there.
    """
    domain = check_domain(domain)
    own, changed = await _open_owner(context, access, domain, visibility), list[ChangeRow]()
    ids: list[str] = []
    for each in domains_of(domain):
        if access.viewer.in_person:
            done = await set_domain_visibility(context, access, each, visibility)
            ids += done.note_ids
            extra = done.updated_count - len(done.note_ids)
        else:
            changed += await _narrow(context, own, each, visibility)
            extra = 0
        ids += [""] * extra  # counted, but not listed
    if visibility in CLOSED and is_subject(domain):
        changed += await _narrow_elsewhere(context, own, domain, visibility)
    readable = frozenset(access.by_name) if access.viewer.agent else None
    ids += [move.id for move in changed if readable is None or move.audience in readable]
    listed = tuple(dict.fromkeys(note for note in ids if note))[:MAX_TOLD]
    rule = VisibilityRule(domain=domain, visibility=visibility)
    return VisibilityChange(updated_count=len(ids), note_ids=listed, rule=rule)


@repeat_while_stale
async def _open_owner(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> Access:
    """Return the access of the user, for whom the viewer speaks.

    Raises Stale where the agent's profile is not the one that was checked any more.
    """
    agent = access.viewer.agent
    if agent is None:
        return access
    require_writer(access)
    if visibility not in CLOSED:
        raise Forbidden("more readers are for the user in person to give, not for an agent")
    if not (is_subject(domain) or in_domains(domain, agent.domains)):
        raise Forbidden("this agent does not work there")
    own = await open_access(context, access.viewer.user, None)
    if own.version != access.version:
        raise Stale
    return replace(own, viewer=replace(own.viewer, acting_as=access.viewer.actor))


async def _narrow(
    context: Context, own: Access, domain: str, visibility: Visibility
) -> Sequence[ChangeRow]:
    """Set a rule and apply it, unless one applies already that leaves no more readers."""
    if not await _put_rule(context, own, domain, visibility):
        return ()
    changed = await sweep(context, own, domain, visibility, narrowing=True)
    ids = [move.id for move in changed]
    await narrow_made_of(context, own, domain, visibility, ids)
    await follow_rules(context, own, domain)
    context.signal(own.viewer.user)
    return changed


@repeat_while_stale
async def _put_rule(context: Context, own: Access, domain: str, visibility: Visibility) -> bool:
    """Set the rule.

    Raises Stale where rules change meanwhile, since one may leave fewer readers.
    """
    there = rule_for(domain, own.rules)
    if (
        there is not None
        and there is not visibility
        and narrower_visibility(there, visibility) is there
    ):
        return False
    user, now = own.viewer.user, context.clock()
    event = rule_event(own, domain, visibility, now)
    step = put_rule_step(user, domain, visibility, now)
    await context.graph.write(events_step(own, [event]), step)
    return True


async def _narrow_elsewhere(
    context: Context, own: Access, domain: str, visibility: Visibility
) -> Sequence[ChangeRow]:
    """Take readers from notes outside of the domain that are about its subject."""
    user, domains = own.viewer.user, domains_of(domain)
    own = await reopen_access(context, own)

    async def read(after: str, limit: int) -> Sequence[NoteBelow]:
        return await notes_elsewhere(
            context.graph, user, domain, visibility, after=after, most=MOST_READ, limit=limit
        )

    changed = await sweep(
        context,
        own,
        domain,
        visibility,
        read=read,
        about=lambda note: is_about(note.text, domains),
    )
    context.signal(user)
    return changed

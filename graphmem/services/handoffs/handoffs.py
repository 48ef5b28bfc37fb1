"""Hands a task off: exactly the named notes are lent for it, and no longer than it takes."""

from collections.abc import Mapping, Sequence

from graphmem.domain.actors import ANYTHING, Agent, AgentRole, Viewer
from graphmem.domain.drafts import check_text
from graphmem.domain.handoffs import LENT, MAX_LENT, MAX_SUMMARY, Handoff
from graphmem.domain.ids import check_id, uuid7
from graphmem.domain.notes import Note
from graphmem.domain.visibility import (
    DEFAULT_DOMAIN,
    Reading,
    Visibility,
    audience_of,
    in_domains,
    may_read,
)
from graphmem.errors import Forbidden, Invalid
from graphmem.services.actors import MAX_AGENTS, check_domains, list_agents
from graphmem.services.context import Access, Context, events_step, missing, user_audience
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_lend, require_may_say
from graphmem.store import actors
from graphmem.store import handoffs as store
from graphmem.store.events import event_row
from graphmem.store.graph import Step
from graphmem.store.rows import EventRow
from graphmem.store.visibility import register_step, to_agent

MAX_PAGE = 100
SPAWNED = "preloaded when the agent was made"
HANDED_OFF = "task handed off"  # the event


@repeat_while_stale
async def hand_off(
    context: Context, access: Access, to: str, summary: str, note_ids: Sequence[str]
) -> Handoff:
    """Hand a task off to another agent of the user, with notes that the viewer reads.

    They are lent until the session ends in which the receiver works on it, at most for a week.

    Raises NotFound for an agent or a note that does not exist for the viewer, Invalid, and
    Forbidden for a note above the receiver's clearance.
    """
    require_writer(access)
    viewer, to = access.viewer, check_id(to, "agent id")
    if viewer.agent is not None and viewer.agent.id == to:
        raise Invalid("hand a task off to another agent")
    summary = check_text(summary, "summary", MAX_SUMMARY)
    notes = await _load_lent_notes(context, access, note_ids)
    agents = {agent.id: agent for agent in await list_agents(context, access)}
    if to not in agents:
        raise missing("agent")
    _check_clearance(agents[to], notes)
    await require_may_lend(context, access, agents[to], notes)
    heard_by = audience_of(viewer.user, Visibility.LOCAL, DEFAULT_DOMAIN, to)
    await require_may_say(context, access, [summary], heard_by)
    handoff = _make_handoff(context, viewer, to, summary)
    await context.graph.write(
        store.create_step(handoff, notes), *_event_steps(access, handoff, HANDED_OFF)
    )
    context.signal(viewer.user)
    return handoff


def _make_handoff(context: Context, viewer: Viewer, to: str, summary: str) -> Handoff:
    now = context.clock()
    return Handoff(
        id=uuid7(now),
        user=viewer.user,
        sender=viewer.agent.id if viewer.agent else None,
        receiver=to,
        summary=summary,
        at=now,
        ended_at=None,
    )


async def _load_lent_notes(context: Context, access: Access, ids: Sequence[str]) -> list[Note]:
    """Load the notes, in their order. Raises NotFound for one that the viewer does not read."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > MAX_LENT:
        raise Invalid(f"noteIds: at most {MAX_LENT}")
    found = await load_many(context, access, wanted)
    if any(each not in found for each in wanted):
        raise missing("note")
    return [found[each] for each in wanted]


def _check_clearance(receiver: Agent, notes: Sequence[Note]) -> None:
    """Raise Forbidden for a note above the receiver's clearance."""
    viewer = Viewer(user=receiver.user, agent=receiver)
    for note in notes:
        if note.visibility is Visibility.USER_ONLY or not (
            note.visibility in LENT or may_read(viewer, note.audience, Reading.BY_NAME)
        ):
            raise Forbidden("a note is above the receiver's clearance")


def _event_steps(access: Access, handoff: Handoff, summary: str, *others: EventRow) -> list[Step]:
    """Return the last steps: an event for receiver and user in person, after other events."""
    readers = audience_of(handoff.user, Visibility.LOCAL, DEFAULT_DOMAIN, handoff.receiver)
    event = event_row(
        "EDIT",
        summary,
        audience=readers.key,
        actor=access.viewer.actor,
        at=handoff.at,
        subject_id=handoff.id,
        channel="state_change",
    )
    return [register_step(readers), events_step(access, [*others, event])]


@repeat_while_stale
async def spawn(
    context: Context,
    access: Access,
    role: AgentRole,
    domains: Sequence[str] | None,
    note_ids: Sequence[str],
) -> Agent:
    """Create a new agent, with notes that are lent to it until its first session ends.

    It is for the user in person, or an assistant or an orchestrator, which creates workers with no
    more rights than its own. Raises Forbidden, Invalid, and NotFound for a note that does not exist
    for the viewer.
    """
    require_writer(access)
    viewer, now = access.viewer, context.clock()
    own = viewer.agent
    most = own.domains if own else access.unlisted.domains
    chosen = check_domains(domains) if domains is not None else list(most)
    if own is not None:
        _check_rights(own, role, chosen)
    if len(await list_agents(context, access)) >= MAX_AGENTS:
        raise Forbidden(f"a user has at most {MAX_AGENTS} agents")
    agent = f"{role.lower()}-{uuid7(now)[-12:]}"
    given: dict[str, object] = {"role": role, "domains": chosen, "canSeePrivate": False}
    if own is not None:
        given["writes"] = own.writes
    new = Agent(id=agent, user=viewer.user, name=agent, role=role, domains=tuple(chosen))
    notes = await _load_lent_notes(context, access, note_ids)
    _check_clearance(new, notes)
    await require_may_lend(context, access, new, notes)
    created = event_row(
        "EDIT",
        f"agent {agent} made",
        audience=user_audience(viewer.user),
        actor=viewer.actor,
        at=now,
        subject_id=agent,
        channel="state_change",
    )
    if notes:
        handoff = _make_handoff(context, viewer, agent, SPAWNED)
        steps = [
            store.create_step(handoff, notes),
            *_event_steps(access, handoff, HANDED_OFF, created),
        ]
    else:
        steps = [events_step(access, [created])]
    rows = await context.graph.write(actors.make_agent_step(viewer.user, agent, given, now), *steps)
    context.signal(viewer.user)
    return to_agent(viewer.user, rows[0][0]["agent"])


def _check_rights(own: Agent, role: AgentRole, domains: Sequence[str]) -> None:
    """Raise Forbidden if an agent would give more rights than it has.

    Otherwise it would raise its own clearance by another agent.
    """
    if own.role is AgentRole.WORKER:
        raise Forbidden("a worker may not create agents")
    if role is not AgentRole.WORKER:
        raise Forbidden("an agent may create only workers")
    everything = ANYTHING in own.domains
    if not all(everything or (d != ANYTHING and in_domains(d, own.domains)) for d in domains):
        raise Forbidden("an agent may give only domains that it works in")


async def list_handoffs(context: Context, access: Access, first: int) -> list[Handoff]:
    """List the handoffs that have not ended, newest first.

    The user in person sees all, an agent those to it and from it.
    """
    agent = access.viewer.agent
    return await store.list_handoffs(
        context.graph,
        access.viewer.user,
        agent.id if agent else None,
        now=context.clock(),
        limit=first,
    )


@repeat_while_stale
async def end(context: Context, access: Access, handoff_id: str) -> Handoff:
    """End a handoff, in person or as one of its two agents. Raises NotFound."""
    viewer, now = access.viewer, context.clock()
    agent = viewer.agent.id if viewer.agent else None
    given = {"now": now, "limit": 1, "ids": [handoff_id]}
    found = await store.list_handoffs(context.graph, viewer.user, agent, **given)
    if not found:
        raise missing("handoff")
    await context.graph.write(
        store.end_step(handoff_id, viewer.user, agent, now),
        *_event_steps(access, found[0], "handoff ended"),
    )
    context.signal(viewer.user)
    return (await store.list_handoffs(context.graph, viewer.user, agent, **given))[0]


async def notes_of(
    context: Context, access: Access, handoffs: Sequence[str]
) -> Mapping[str, list[str]]:
    """Return the notes of handoffs that the viewer reads: by its own gate, or lent to it."""
    now, viewer = context.clock(), access.viewer
    pairs = await store.notes_of(context.graph, viewer.user, handoffs, access.by_name, now)
    if viewer.agent is not None:
        lent = await store.list_lent_notes(
            context.graph,
            viewer.user,
            viewer.agent.id,
            access.by_name,
            handoffs=handoffs,
            now=now,
            limit=MAX_LENT * max(1, len(handoffs)),
        )
        pairs += [(each.handoff, each.note) for each in lent]
    found: dict[str, list[str]] = {}
    for handoff, note in dict.fromkeys(pairs):
        found.setdefault(handoff, []).append(note)
    return found

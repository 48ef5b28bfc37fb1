"""Proposing a note as knowledge of a team (MUMA 7.4).

PRIVATE and USER_ONLY notes and domains that the user keeps out are never proposed, and the text has
nothing that identifies a person.
"""

from datetime import timedelta

from graphmem.domain.actors import AgentRole
from graphmem.domain.commons import SKILL_DOMAIN
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain, name_key, uuid7
from graphmem.domain.notes import MAX_CONTENT, Kind, Note
from graphmem.domain.promotion import OPTED_OUT, PROMOTABLE, TeamText, is_kept_out
from graphmem.domain.proposals import Proposal
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Section, team_audience
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.services.commons.anonymity import team_text_of
from graphmem.services.commons.shared import signal, team_event_steps, team_of
from graphmem.services.context import Access, Context, events_step
from graphmem.services.reading.notes import require_note
from graphmem.services.reading.proposals import load_proposals
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import promotion as store
from graphmem.store.commons import find_skill
from graphmem.store.events import event_row
from graphmem.store.graph import Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import EventRow

PROPOSED = "knowledge proposed"  # the event


@repeat_while_stale
async def propose_knowledge(
    context: Context,
    access: Access,
    note_id: str,
    *,
    domain: str | None = None,
    content: str | None = None,
    team: str | None = None,
) -> Proposal:
    """Propose a readable note as knowledge of a team.

    The user's own proposal is their consent (DIFF-17), an agent's waits for it. A procedure becomes
    a skill of the team, once somebody who did not write it has reported that it worked.

    Raises NotFound; Invalid for a note that is closed, archived or can't be made anonymous;
    Forbidden for a domain that the user keeps out of promotion and for a procedure without such
    evidence, and Conflict when it waits or is known already, or a skill has its name.
    """
    note = await require_note(context, access, note_id)
    found = await team_of(context, access, team)
    readers = shared_audience(found, note.kind, note.domain, domain)
    seen = _seen_by(access)
    await check_promotable(context, note, readers, seen=seen)
    content = None if content is None else check_text(content, "content", MAX_CONTENT)
    text = await team_text_of(context, access, found, note, content)
    await check_name_free(context, readers, text)
    viewer = access.viewer
    consented = viewer.in_person
    author = viewer.agent.id if viewer.agent else None
    proposal, step, own = make_promotion(
        context,
        note,
        readers,
        text,
        author=author,
        actor=viewer.actor,
        consented=consented,
        seen=seen,
    )
    last = [events_step(access, [own])]
    if consented:
        event_steps = team_event_steps(
            context, access, found, "PROPOSE", PROPOSED, readers, subject_id=proposal
        )
        last = [*event_steps, *last]
    await context.graph.write(step, *last)
    signal(context, found.members if consented else [viewer.user])
    made = await load_proposals(context, access, [proposal], fresh=[readers])
    return made[proposal]


def make_promotion(
    context: Context,
    note: Note,
    readers: Audience,
    text: TeamText,
    *,
    author: str | None,
    actor: str,
    consented: bool,
    seen: store.VisibleAudiences,
) -> tuple[str, Step, EventRow]:
    """Return a new proposal: its id, the step that stores it, and the event for readers."""
    now = context.clock()
    proposal = uuid7(now)
    step = store.propose_step(
        proposal,
        note,
        readers,
        text,
        author=author,
        consented=consented,
        seen=seen,
        expires_at=now + timedelta(days=context.reviewing.days),
        now=now,
    )
    event = event_row(
        "PROPOSE",
        PROPOSED,
        audience=note.audience.key,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
        data={"team": readers.owner.id},
    )
    return proposal, step, event


def shared_audience(team: Team, kind: Kind, domain: str, other: str | None = None) -> Audience:
    """Return the readers of knowledge or a skill of a team.

    A fact is read by who works in its domain; a procedure by all of the team's agents. `other`: a
    domain that was asked for. Raises Invalid.
    """
    if kind is Kind.PROCEDURAL:
        if other is not None:
            raise Invalid("a procedure becomes a skill, which takes no domain")
        return team_audience(team.id, Section.SKILLS, SKILL_DOMAIN)
    return team_audience(
        team.id, Section.KNOWLEDGE, domain if other is None else check_domain(other)
    )


def _seen_by(access: Access) -> store.VisibleAudiences:
    """Return what the viewer reads of team knowledge and of proposals that were consented to.

    Other obstacles to a proposal are shown to the owner, in person, whose consent it waits for.
    """
    known = access.by_name_of_teams
    agent = access.viewer.agent
    consents = agent is None or agent.role is AgentRole.ORCHESTRATOR
    return store.VisibleAudiences(shared=known if consents else (), known=known)


async def check_promotable(
    context: Context,
    note: Note,
    readers: Audience,
    *,
    seen: store.VisibleAudiences,
    but: str | None = None,
) -> None:
    """Raise an error for what stands against promoting the note, as far as it is `seen`.

    `but`: a proposal that does not count.
    """
    if note.visibility not in PROMOTABLE:
        raise Invalid("only notes that are OPEN or SCOPED are promoted")
    if note.status not in LIVE_STATUSES:
        raise Invalid("the note is put away")
    found = await store.read_obstacles(
        context.graph, note.user, note.id, readers, context.clock(), seen=seen, but=but
    )
    if is_kept_out(note.domain, found.opt_outs):
        raise Forbidden(OPTED_OUT)
    if found.found:
        raise Forbidden("what was found with somebody else is theirs to propose")
    if found.proposed:
        raise Conflict("it was proposed to the team already")
    if found.known:
        raise Conflict("the team knows it already")
    if note.kind is Kind.PROCEDURAL:
        await require_proof(context, note.id)


async def require_proof(context: Context, id: str) -> store.Proof:
    """Return the results of a procedure, by its id or that of its proposal.

    Raises Forbidden unless it worked for somebody who did not write it, and more often than not.
    """
    proof = await store.proof_of(context.graph, id)
    if proof is None or not proof.elsewhere or proof.successes <= proof.failures:
        raise Forbidden("nobody but its writer has told that the procedure works")
    return proof


async def check_name_free(context: Context, readers: Audience, text: TeamText) -> None:
    """Raise Conflict when another skill of the team has the name."""
    if text.title is None:
        return
    key, keys = name_key(text.title), [readers.key]
    if await find_skill(context.graph, readers.owner.name, key, keys, context.clock()):
        raise Conflict("a skill of the team has this name")

"""Proposing a note as knowledge of a team (MUMA 7.4).

PRIVATE and USER_ONLY notes and domains that the user keeps out are never proposed, and the text has
nothing that identifies a person.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from graphmem.domain.actors import AgentRole
from graphmem.domain.commons import SKILL_DOMAIN
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain, name_key, uuid7
from graphmem.domain.notes import MAX_CONTENT, EntityDraft, Kind, Note
from graphmem.domain.promotion import OPTED_OUT, PROMOTABLE, TeamText, is_kept_out
from graphmem.domain.proposals import Proposal
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Section, team_audience
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.language.anonymisation import (
    Read,
    anonymise,
    identifies_person,
    is_in_doubt,
    visible_text,
)
from graphmem.language.reflection_text import skill_name
from graphmem.services.commons.shared import signal, team_event_steps, team_of
from graphmem.services.context import Access, Context, events_step
from graphmem.services.proposals.reading import load_proposals
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import promotion as store
from graphmem.store.commons import find_skill
from graphmem.store.events import event_row
from graphmem.store.graph import Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import EventRow
from graphmem.store.teams import read_mates

T = TypeVar("T")
IN_DOUBT = "the text may still tell of somebody: give a content that does not, in person"
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
    text = await text_of(context, access, found, note, content)
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


async def text_of(
    context: Context, access: Access, team: Team, note: Note, content: str | None
) -> TeamText:
    """Return the text for a team, without anything about a person.

    It is the note's text made anonymous, or a given one that has to be. A procedure also gets the
    name of its skill. Raises Invalid.
    """
    if content is not None:
        content = await checked_text(context, access, team, content, note)
    names = await _load_names(context, access, team, note)

    def without(text: str, read: Read) -> str:
        return _check_anonymous(
            anonymise(visible_text(text), read, names), read, names, trusted=False
        )

    def work(read: Read) -> TeamText:
        text = without(note.content, read) if content is None else content
        if note.kind is not Kind.PROCEDURAL:
            return TeamText(content=text)
        try:
            title = without(note.title, read) if note.title else None
        except Invalid:  # then the first words of the text, which are about nobody
            title = None
        return TeamText(content=text, title=skill_name(replace(note, content=text, title=title)))

    return await _run_reading(context, work)


async def checked_text(
    context: Context, access: Access, team: Team, content: str, note: Note | None = None
) -> str:
    """Check that a text for a team is about no person, nor about anybody whom its note names.

    In doubt it is refused: only a user in person decides that nothing else in it is. Raises
    Invalid.
    """
    names = await _load_names(context, access, team, note)
    trusted = access.viewer.in_person
    return await _run_reading(
        context, lambda read: _check_anonymous(visible_text(content), read, names, trusted=trusted)
    )


def _check_anonymous(text: str, read: Read, names: Sequence[str], *, trusted: bool) -> str:
    found = identifies_person(text, read, names)
    if found is not None:
        raise Invalid(f"the content still holds a {found} of somebody")
    if not trusted and is_in_doubt(text, read):
        raise Invalid(IN_DOUBT)
    return text


async def _run_reading(context: Context, work: Callable[[Read], T]) -> T:
    """Do work that reads texts, away from the event loop."""
    now = context.clock()

    def read(text: str) -> Iterable[EntityDraft]:
        found = context.extractor(text, title=None, speaker=None, occurred_at=None, now=now)
        return found.entities

    return await context.texts.run(lambda _: work(read))


async def _load_names(context: Context, access: Access, team: Team, note: Note | None) -> list[str]:
    """Return the people that the note mentions, and the ids and names of the team's members."""
    people: list[str] = []
    if note is not None:
        people = await store.people_of(context.graph, note.id, access.by_name, context.clock())
    mates = await read_mates(context.graph, team.members, [team.id])
    return [*people, *team.members, *(each.name for each in mates.values()), access.viewer.user]

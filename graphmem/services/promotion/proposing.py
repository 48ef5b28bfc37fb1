"""Proposing that a team knows what a note says: never what is PRIVATE or USER_ONLY, never a domain
that the user keeps out, and without what tells of a person (MUMA 7.4)."""

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
from graphmem.language.anonymisation import Read, anonymised, is_in_doubt, tells_of, visible
from graphmem.language.reflection_text import skill_name
from graphmem.services.commons.shared import signal, team_of, told_steps
from graphmem.services.context import Access, Context, events_step
from graphmem.services.proposals.reading import load_proposals
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.repeating import repeated
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


@repeated
async def propose_knowledge(
    context: Context,
    access: Access,
    note_id: str,
    *,
    domain: str | None = None,
    content: str | None = None,
    team: str | None = None,
) -> Proposal:
    """Propose that a team knows what a readable note says. The user's own proposal is their consent
    (DIFF-17), an agent's waits for it.

    A procedure becomes a skill of the team, once somebody who did not write it has told that it
    worked.

    Raises NotFound; Invalid for a note that is closed, put away or can't be made anonymous;
    Forbidden for a domain that the user keeps out of promotion and for a procedure without such
    evidence, and Conflict when it waits or is known already, or a skill has its name."""
    note = await require_note(context, access, note_id)
    found = await team_of(context, access, team)
    readers = shared_audience(found, note.kind, note.domain, domain)
    seen = _seen(access)
    await check_promotable(context, note, readers, seen=seen)
    content = None if content is None else check_text(content, "content", MAX_CONTENT)
    text = await text_of(context, access, found, note, content)
    await check_name_free(context, readers, text)
    viewer = access.viewer
    consented = viewer.in_person
    author = viewer.agent.id if viewer.agent else None
    proposal, step, own = proposed(
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
        told = told_steps(context, access, found, "PROPOSE", PROPOSED, readers, subject_id=proposal)
        last = [*told, *last]
    await context.graph.write(step, *last)
    signal(context, found.members if consented else [viewer.user])
    made = await load_proposals(context, access, [proposal], fresh=[readers])
    return made[proposal]


def proposed(
    context: Context,
    note: Note,
    readers: Audience,
    text: TeamText,
    *,
    author: str | None,
    actor: str,
    consented: bool,
    seen: store.Seen,
) -> tuple[str, Step, EventRow]:
    """A new proposal: its id, what keeps it, and the event for those who read the note."""
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
    """Who reads what a team is to know: a fact, who works in its domain; a procedure, all of the
    team's agents. `other`: a domain that was asked for. Raises Invalid."""
    if kind is Kind.PROCEDURAL:
        if other is not None:
            raise Invalid("a procedure becomes a skill, which takes no domain")
        return team_audience(team.id, Section.SKILLS, SKILL_DOMAIN)
    return team_audience(
        team.id, Section.KNOWLEDGE, domain if other is None else check_domain(other)
    )


def _seen(access: Access) -> store.Seen:
    """Give what the viewer reads of team knowledge and of proposals that were consented to: what
    else stands against a proposal is shown to the owner, in person, for whose consent it waits."""
    known = access.by_name_of_teams
    agent = access.viewer.agent
    consents = agent is None or agent.role is AgentRole.ORCHESTRATOR
    return store.Seen(shared=known if consents else (), known=known)


async def check_promotable(
    context: Context,
    note: Note,
    readers: Audience,
    *,
    seen: store.Seen,
    but: str | None = None,
) -> None:
    """Raise what stands against promoting the note, as far as it is `seen`; `but`: a proposal that
    does not count."""
    if note.visibility not in PROMOTABLE:
        raise Invalid("only notes that are OPEN or SCOPED are promoted")
    if note.status not in LIVE_STATUSES:
        raise Invalid("the note is put away")
    found = await store.standing(
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
    """How a procedure went, by its id or that of its proposal. Raises Forbidden unless it worked
    for somebody who did not write it, and more often than not."""
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
    """The text of a note without what tells of a person, or one that was given and has none of it;
    and the name of the skill that a procedure becomes. Raises Invalid."""
    if content is not None:
        content = await checked_text(context, access, team, content, note)
    names = await _names(context, access, team, note)

    def without(text: str, read: Read) -> str:
        return _checked(anonymised(visible(text), read, names), read, names, trusted=False)

    def work(read: Read) -> TeamText:
        text = without(note.content, read) if content is None else content
        if note.kind is not Kind.PROCEDURAL:
            return TeamText(content=text)
        try:
            title = without(note.title, read) if note.title else None
        except Invalid:  # the first words of the text tell of nobody
            title = None
        return TeamText(content=text, title=skill_name(replace(note, content=text, title=title)))

    return await _reading(context, work)


async def checked_text(
    context: Context, access: Access, team: Team, content: str, note: Note | None = None
) -> str:
    """A text for a team, which tells of no person, nor of whom the note names that it is made of.
    In doubt it is refused: only a user in person says that nothing else in it does. Raises
    Invalid."""
    names = await _names(context, access, team, note)
    trusted = access.viewer.in_person
    return await _reading(
        context, lambda read: _checked(visible(content), read, names, trusted=trusted)
    )


def _checked(text: str, read: Read, names: Sequence[str], *, trusted: bool) -> str:
    found = tells_of(text, read, names)
    if found is not None:
        raise Invalid(f"the content still holds a {found} of somebody")
    if not trusted and is_in_doubt(text, read):
        raise Invalid(IN_DOUBT)
    return text


async def _reading(context: Context, work: Callable[[Read], T]) -> T:
    """What is made by reading texts, away from the event loop."""
    now = context.clock()

    def read(text: str) -> Iterable[EntityDraft]:
        found = context.extractor(text, title=None, speaker=None, occurred_at=None, now=now)
        return found.entities

    return await context.texts.run(lambda _: work(read))


async def _names(context: Context, access: Access, team: Team, note: Note | None) -> list[str]:
    """The people that the note mentions, and the ids and names of the team's members."""
    people: list[str] = []
    if note is not None:
        people = await store.people_of(context.graph, note.id, access.by_name, context.clock())
    mates = await read_mates(context.graph, team.members, [team.id])
    return [*people, *team.members, *(each.name for each in mates.values()), access.viewer.user]

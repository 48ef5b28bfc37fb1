"""Deciding promotions: first the owner of the note, then an orchestrator or the team's lead.

Each of the two is one transaction, and the second one creates the knowledge.
"""

from dataclasses import replace

from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Kind, Note, NoteDraft, Source, Validity
from graphmem.domain.promotion import TeamText
from graphmem.domain.proposals import ENDED, OUTCOMES, Decision, Proposal
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Section, Visibility
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.language.keywords import context as one_sentence
from graphmem.language.keywords import keywords
from graphmem.services.commons.anonymity import team_text_of
from graphmem.services.commons.shared import (
    actor_of,
    decides_for_team,
    signal,
    team_event_steps,
    team_of,
)
from graphmem.services.commons.team_skills import skill_note
from graphmem.services.context import Access, Context, events_step
from graphmem.services.promotion.proposing import (
    check_name_free,
    check_promotable,
    require_proof,
    shared_audience,
)
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.words import word_properties
from graphmem.store import commons as skill_store
from graphmem.store import knowledge as knowledge_store
from graphmem.store import promotion as store
from graphmem.store import proposals
from graphmem.store.changes import same_readers_step
from graphmem.store.events import event_row
from graphmem.store.graph import Step


async def decide_promotion(
    context: Context,
    access: Access,
    found: Proposal,
    decision: Decision,
    reason: str | None,
    content: str | None,
    domain: str | None,
) -> None:
    """Decide a readable promotion.

    With the owner's consent another content and domain may be given. Raises Forbidden for a viewer
    who may not decide it now, Conflict when it was decided before, Invalid for a content that is
    about somebody, and Stale when it or its note has changed.
    """
    if found.status in ENDED:
        raise Conflict(f"the proposal is {found.status} already")
    team = await team_of(context, access, found.team)
    viewer = access.viewer
    owns = viewer.in_person and viewer.user == found.user
    own_agent = viewer.agent is not None and viewer.user == found.user
    if own_agent and viewer.agent and viewer.agent.id == found.author:
        raise Forbidden("nobody decides what they propose themselves")
    gate = decides_for_team(viewer, team, but=found.user)
    refuses = decision is Decision.REJECT and owns
    if not (owns if not found.consented else gate or refuses):
        whose = "whose note it is" if not found.consented else "an orchestrator or the team's lead"
        raise Forbidden(f"this is decided by {whose}")
    if decision is not Decision.COMMIT:
        await _close(context, access, team, found, decision, reason)
    elif not found.consented:
        await _record_consent(context, access, team, found, reason, content, domain)
    elif content is not None or domain is not None:
        raise Invalid("what the owner has consented to is not changed")
    else:
        await _commit_promotion(context, access, team, found, reason)


async def _close(
    context: Context,
    access: Access,
    team: Team,
    found: Proposal,
    decision: Decision,
    reason: str | None,
) -> None:
    outcome = OUTCOMES[decision]
    viewer = access.viewer
    owns = viewer.in_person and viewer.user == found.user
    refused = decision is Decision.REJECT and owns
    now, by = context.clock(), actor_of(access.viewer)
    step = proposals.decide_step(found, outcome.status, reason, by=by, now=now)
    data = {"reason": reason} if reason else None
    if found.consented:
        last = team_event_steps(
            context,
            access,
            team,
            outcome.event,
            f"knowledge {outcome.word}",
            shared_audience(team, found.note_kind, found.domain),
            subject_id=found.id,
            data=data,
        )
    else:
        summary = f"knowledge {outcome.word}"
        last = await _own_event(context, access, found, outcome.event, summary, data)
    back = [store.take_back_step(found.id)] if refused else []
    await context.graph.write(step, *back, *last)
    signal(context, team.members)


async def _own_event(
    context: Context, access: Access, found: Proposal, kind: str, summary: str, data: object
) -> list[Step]:
    """Return the last steps: an event for those who read the note, if they still do."""
    note = await require_note(context, access, found.note or "")
    event = event_row(
        kind,
        summary,
        audience=note.audience.key,
        actor=access.viewer.actor,
        at=context.clock(),
        subject_id=note.id,
        domain=note.domain,
        data=data,
    )
    return [same_readers_step({note.id: note.audience.key}), events_step(access, [event])]


async def _record_consent(
    context: Context,
    access: Access,
    team: Team,
    found: Proposal,
    reason: str | None,
    content: str | None,
    domain: str | None,
) -> None:
    readers = shared_audience(team, found.note_kind, found.domain, domain)
    note = await require_note(context, access, found.note or "")
    await check_promotable(context, note, readers, seen=store.VisibleAudiences(), but=found.id)
    text = await team_text_of(context, access, team, note, content or found.content)
    await check_name_free(context, readers, text)
    summary = "the owner consents to what the team is to know"
    data = {"team": team.id, "proposal": found.id}
    own = await _own_event(context, access, found, "PROMOTE", summary, data)
    event_steps = team_event_steps(
        context, access, team, "PROPOSE", summary, readers, subject_id=found.id
    )
    step = store.consent_step(found, text, readers, reason, context.clock())
    await context.graph.write(step, *event_steps, *own)
    signal(context, team.members)


async def _commit_promotion(
    context: Context, access: Access, team: Team, found: Proposal, reason: str | None
) -> None:
    now, actor = context.clock(), actor_of(access.viewer)
    readers = shared_audience(team, found.note_kind, found.domain)
    proof: store.Proof | None = None
    if found.note_kind is Kind.PROCEDURAL:
        proof = await require_proof(context, found.id)
        note, own, before = await _prepare_skill(context, access, team, found, proof)
    else:
        note = _make_knowledge_note(context, access, found, readers)
        own, before = {"verifiedBy": [found.user]}, []
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    properties = {**word_properties(note), "sourceUser": found.user, **own}
    event_steps = team_event_steps(
        context,
        access,
        team,
        "PROMOTE",
        "the team has the skill" if proof else "the team knows it",
        readers,
        subject_id=note.id,
        data={"proposal": found.id},
    )
    await context.graph.write(
        store.commit_step(found, reason, proof, by=access.viewer.user, actor=actor, now=now),
        *before,
        *knowledge_store.create_shared_steps(note, vector, properties, actor=actor, now=now),
        store.tie_step(found.id, note.id, now),
        *event_steps,
    )
    signal(context, team.members)


async def _prepare_skill(
    context: Context, access: Access, team: Team, found: Proposal, proof: store.Proof
) -> tuple[Note, dict[str, object], list[Step]]:
    """Return the note of a team's skill, its further properties, and the step that comes before it.

    The skill begins with the uses that its procedure had.
    """
    audience = shared_audience(team, found.note_kind, found.domain)
    name = found.title or ""
    await check_name_free(context, audience, TeamText(content=found.content, title=name))
    note = skill_note(context, access, team, name, found.content, None, ())
    own = skill_store.skill_properties(None, [f"{found.user}/{each}" for each in proof.writers])
    used = {
        "successCount": proof.successes,
        "failureCount": proof.failures,
        "usedBy": [found.user],
    }
    key, owner = name_key(name), audience.owner.name
    claim = skill_store.claim_team_step(team.id, owner, key, audience.key, context.clock())
    return note, own | used, [claim]


def _make_knowledge_note(
    context: Context, access: Access, found: Proposal, readers: Audience
) -> Note:
    """Return the note of a team's knowledge: no user's visibility, no decay like users' notes."""
    now = context.clock()
    draft = NoteDraft(
        content=found.content,
        domain=found.domain,
        kind=Kind.SEMANTIC,
        source=Source.INFERRED,
        validity=Validity.CONFIRMED,
        confidence=found.confidence,
    )
    return replace(
        note_as_said(access, uuid7(now), draft, now, context.writing.half_life_hours),
        user=readers.owner.name,
        section=Section.KNOWLEDGE,
        author=None,
        context=one_sentence(found.content),
        keywords=tuple(keywords(found.content)[:7]),
        visibility=Visibility.OPEN,
        pinned=True,
        half_life_hours=None,
    )

"""Deciding another version of knowledge or a skill of a team.

For a promoted one, the owner of the note consents first, then an orchestrator or the lead, who must
be somebody else. For a skill that one person added, one other person decides.
"""

from dataclasses import replace

from graphmem.domain.notes import Kind, Note
from graphmem.domain.promotion import LEFT
from graphmem.domain.proposals import ENDED, OUTCOMES, Decision, Proposal
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience
from graphmem.errors import Conflict, Forbidden
from graphmem.language.keywords import context as one_sentence
from graphmem.language.keywords import keywords
from graphmem.services.commons.shared import (
    actor_named,
    actor_of,
    decides_for_team,
    person_of,
    signal,
    team_event_steps,
    team_of,
)
from graphmem.services.commons.skills import keywords_of
from graphmem.services.commons.versions import check_base, require_present
from graphmem.services.context import Access, Context, missing
from graphmem.services.promotion.proposing import shared_audience
from graphmem.services.writing.words import word_properties
from graphmem.store import commons as skill_store
from graphmem.store import proposals
from graphmem.store import versions as store
from graphmem.store.graph import Step
from graphmem.store.knowledge import change_shared_step
from graphmem.store.notes import load_notes
from graphmem.store.versions import Present

OWN = "nobody decides what they propose themselves"


async def decide_version(
    context: Context, access: Access, found: Proposal, decision: Decision, reason: str | None
) -> None:
    """Decide a readable proposal of another version.

    Raises Forbidden for a viewer who may not decide it now, Conflict when it was decided before or
    when the team has another version by now, and Stale when it has changed.
    """
    if found.status in ENDED:
        raise Conflict(f"the proposal is {found.status} already")
    viewer = access.viewer
    if viewer.agent and (viewer.user, viewer.agent.id) == (found.user, found.author):
        raise Forbidden(OWN)
    team = await team_of(context, access, found.team)
    audience = shared_audience(team, found.note_kind, found.domain)
    present = await require_present(context, found.renews or "", audience, None)
    if decision is not Decision.COMMIT:
        _check_may_end(access, team, found, present)
        await _close(context, access, team, found, decision, reason)
        return
    check_base(present, found.base)
    if present.promoted and not found.consented:
        if not (viewer.in_person and viewer.user == present.owner):
            raise Forbidden("this is decided by whose note it was")
        step = store.consent_step(found, reason, context.clock())
        summary = "the owner consents to another version"
        await _write(context, access, team, audience, found, [step], "PROPOSE", summary)
        return
    if not _may_commit(access, team, found, present):
        raise Forbidden("you may not decide this: it waits for somebody else's consent")
    if present.owner is not None and present.owner not in team.members:
        raise Conflict(LEFT)
    steps = await _commit_steps(context, access, found, present, audience, reason)
    await _write(
        context, access, team, audience, found, steps, "PROMOTE", "the team has another version"
    )


def _may_commit(access: Access, team: Team, found: Proposal, present: Present) -> bool:
    """Return True if the viewer is the last one whose consent it waits for."""
    viewer = access.viewer
    if present.promoted:
        return decides_for_team(viewer, team, but=present.owner)
    if not present.agreed and viewer.in_person and present.actors:
        author = person_of(present.actors[0])
        if viewer.user == author:
            return True
    if viewer.user == found.user:
        return False
    wrote = present.agreed and viewer.user in map(person_of, present.actors)
    return decides_for_team(viewer, team) or (viewer.in_person and wrote)


def _check_may_end(access: Access, team: Team, found: Proposal, present: Present) -> None:
    """Raise Forbidden unless the viewer proposes it, wrote what it renews, or gates the team."""
    viewer = access.viewer
    theirs = {found.user, present.owner, *map(person_of, present.actors)}
    if not (decides_for_team(viewer, team) or (viewer.in_person and viewer.user in theirs)):
        raise Forbidden("this is decided by who wrote it, the team's lead or an orchestrator")


async def _close(
    context: Context,
    access: Access,
    team: Team,
    found: Proposal,
    decision: Decision,
    reason: str | None,
) -> None:
    outcome = OUTCOMES[decision]
    by = actor_of(access.viewer)
    step = proposals.decide_step(found, outcome.status, reason, by=by, now=context.clock())
    audience = shared_audience(team, found.note_kind, found.domain)
    summary = f"another version {outcome.word}"
    await _write(context, access, team, audience, found, [step], outcome.event, summary, reason)


async def _write(
    context: Context,
    access: Access,
    team: Team,
    audience: Audience,
    found: Proposal,
    steps: list[Step],
    kind: str,
    summary: str,
    reason: str | None = None,
) -> None:
    about = found.id if kind in ("PROPOSE", "REJECT", "EDIT") else found.renews
    event_steps = team_event_steps(
        context,
        access,
        team,
        kind,
        summary,
        audience,
        subject_id=about,
        data={"proposal": found.id} | ({"reason": reason} if reason else {}),
    )
    await context.graph.write(*steps, *event_steps)
    signal(context, team.members)


async def _commit_steps(
    context: Context,
    access: Access,
    found: Proposal,
    present: Present,
    audience: Audience,
    reason: str | None,
) -> list[Step]:
    """Return the steps that make the proposed version the present one, as its proposer's."""
    now, id = context.clock(), found.renews or ""
    loaded = await load_notes(context.graph, [id], [audience.key], now)
    if id not in loaded:
        raise missing("entry of the commons")
    new, given = await _new_version(context, found, present, loaded[id], audience)
    vector = (await context.embedder.embed_documents([new.reading_text]))[0]
    viewer = access.viewer
    proposer = actor_named(found.user, found.author)
    commit = store.commit_step(
        found,
        reason,
        agreed=viewer.user != found.user,
        by=viewer.user,
        actor=actor_of(viewer),
        now=now,
    )
    change = change_shared_step(
        id, found.base or 0, audience, given, vector, actor=proposer, now=now
    )
    return [commit, change]


async def _new_version(
    context: Context, found: Proposal, present: Present, note: Note, audience: Audience
) -> tuple[Note, dict[str, object]]:
    """Return the note as it will be, and the properties of its node that change."""
    if found.note_kind is Kind.PROCEDURAL:
        words = keywords_of(found.title or "", found.trigger, found.content)
        loaded = await skill_store.load_skills(
            context.graph, [note.id], [audience.key], context.clock()
        )
        if note.id not in loaded:
            raise missing("skill")
        sources = list(loaded[note.id].source_agents)
        if found.author:
            sources.append(f"{found.user}/{found.author}")
        given: dict[str, object] = {
            "trigger": found.trigger,
            "tags": list(found.tags),
            "sourceAgents": list(dict.fromkeys(sources)),
        }
    else:
        words = tuple(keywords(found.content)[:7])
        verified = [present.owner] if present.owner else []
        given = {"verifiedBy": verified, "lastUsedAt": context.clock()}
    new = replace(
        note,
        content=found.content,
        context=one_sentence(found.content),
        keywords=words,
        tags=found.tags if found.note_kind is Kind.PROCEDURAL else note.tags,
    )
    said = {"content": new.content, "context": new.context, "keywords": list(words)}
    return new, {**said, **word_properties(new), **given}

"""Deciding proposals: each decision is one transaction, with the resulting note."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.drafts import check_text
from graphmem.domain.fields import Domain, Input
from graphmem.domain.ids import check_domain, uuid7
from graphmem.domain.notes import MAX_CONTENT, Kind, Note, NoteDraft, WriteMode
from graphmem.domain.proposals import (
    ENDED,
    IN_DOUBT,
    OUTCOMES,
    Decision,
    Proposal,
    ProposalKind,
    ProposalStatus,
    require_reviewer,
)
from graphmem.domain.visibility import Audience, Visibility, audience_of
from graphmem.errors import Conflict, Invalid, Stale
from graphmem.language.comparison import ConflictVerdict
from graphmem.services.actors import open_access, reopen_access
from graphmem.services.context import Access, Context, events_step
from graphmem.services.promotion.deciding import decide_promotion
from graphmem.services.promotion.renewing import decide_version
from graphmem.services.proposals.proposing import as_writer
from graphmem.services.reading.proposals import load_proposals, require_proposal
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.remember import encode, prepare
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_place, require_may_say, texts_of
from graphmem.store import conflicts
from graphmem.store import proposals as store
from graphmem.store.events import event_row
from graphmem.store.graph import Step
from graphmem.store.rows import EventRow
from graphmem.store.sessions import draft_of

MAX_REASON = 2_000  # characters


@dataclass(frozen=True, kw_only=True)
class ProposalChanges(Input):
    """ProposalChanges that are made to a proposal when it is committed."""

    content: str | None = None
    """another text"""
    title: str | None = None
    """another title"""
    domain: Domain | None = None
    """another domain"""
    kind: Kind | None = None
    """another store of memory"""
    tags: tuple[str, ...] | None = None
    """other tags"""
    confidence: float | None = None
    """how sure it is, from 0 to 1"""


@dataclass(frozen=True)
class _Result:
    """The result of a proposal."""

    note_id: str
    note: Note | None  # None: an existing note, which is not changed
    steps: Sequence[Step]


@repeat_while_stale
async def decide_proposal(
    context: Context,
    access: Access,
    proposal_id: str,
    decision: Decision,
    reason: str | None,
    changes: ProposalChanges,
    *,
    keep_both: bool,
) -> Proposal:
    """Decide a readable proposal: commit it, perhaps with changes; reject it; or defer it.

    With `keep_both` what contradicts it is committed with it: both with a low confidence, as an
    open conflict.

    Raises NotFound, Invalid, Forbidden for a viewer who may not decide it, and Conflict when it was
    decided before.
    """
    found = await require_proposal(context, access, proposal_id)
    reason = None if reason is None else check_text(reason, "reason", MAX_REASON, empty=True)
    if (keep_both or changes != ProposalChanges()) and decision is not Decision.COMMIT:
        raise Invalid("changes and keepBoth are for COMMIT")
    if found.kind is ProposalKind.PROMOTION:
        return await _decide_promotion(
            context, access, found, decision, reason, changes, keep_both=keep_both
        )
    if found.kind is ProposalKind.REVISION:
        if keep_both or changes != ProposalChanges():
            raise Invalid("another version is committed as it was proposed")
        await decide_version(context, access, found, decision, reason)
        return await _load_decided(context, access, found, OUTCOMES[decision].status, reason)
    _require_open(context, access, found)
    chosen = [found]
    if keep_both:
        others = await load_proposals(context, access, found.conflicts)
        chosen += [others[i] for i in found.conflicts if i in others]
        for each in chosen[1:]:
            _require_open(context, access, each)
    now, by = context.clock(), access.viewer.actor
    steps: list[Step] = []
    events: list[EventRow] = []
    made: list[str] = []
    for each in sorted(chosen, key=lambda one: one.id):
        steps.append(store.decide_step(each, OUTCOMES[decision].status, reason, by=by, now=now))
        audience = each.audience
        if decision is Decision.COMMIT:
            own = changes if each is found else ProposalChanges()
            written = await _make_note(context, access, each, own, now, in_doubt=keep_both)
            steps += [*written.steps, store.link_result_step(each.id, written.note_id)]
            audience = written.note.audience.key if written.note else audience
            made.append(written.note_id)
        events.append(_event(each, decision, reason, audience, by, now))
    if keep_both and len(made) > 1:
        pairs = [(made[0], other, 1.0) for other in made[1:]]
        verdict = ConflictVerdict.CONTRADICTORY
        steps.append(conflicts.open_step(access.viewer.user, pairs, verdict, now))
    await context.graph.write(*steps, events_step(access, events))
    context.signal(access.viewer.user)
    return await _load_decided(context, access, found, OUTCOMES[decision].status, reason)


async def _decide_promotion(
    context: Context,
    access: Access,
    found: Proposal,
    decision: Decision,
    reason: str | None,
    changes: ProposalChanges,
    *,
    keep_both: bool,
) -> Proposal:
    """Decide a promotion."""
    allowed = ProposalChanges(content=changes.content, domain=changes.domain)
    if keep_both or changes != allowed:
        raise Invalid("of a promotion nothing but content and domain is changed")
    content = (
        None if changes.content is None else check_text(changes.content, "content", MAX_CONTENT)
    )
    domain = None if changes.domain is None else check_domain(changes.domain)
    await decide_promotion(context, access, found, decision, reason, content, domain)
    return await _load_decided(context, access, found, OUTCOMES[decision].status, reason)


def _require_open(context: Context, access: Access, found: Proposal) -> None:
    """Raise Conflict for a decided proposal, Forbidden for a viewer who may not decide it."""
    require_reviewer(access.viewer, found.author, context.reviewing.mode)
    if found.status in ENDED:
        raise Conflict(f"the proposal is {found.status} already")


async def _make_note(
    context: Context,
    access: Access,
    found: Proposal,
    changes: ProposalChanges,
    now: datetime,
    *,
    in_doubt: bool,
) -> _Result:
    """Return the note that a proposal becomes: the agent that proposed it is its author."""
    writer = await open_access(context, found.user, found.author)
    if writer.version != access.version:
        raise Stale  # because the decision was made by other rights
    writer = as_writer(writer, by_user=access.viewer.in_person)
    draft = _apply_changes(draft_of(found.draft), found, changes)
    mode = found.mode
    if in_doubt:
        draft, mode = replace(draft, confidence=IN_DOUBT), WriteMode.VERBATIM
    plan = await context.texts.run(
        lambda _: plan_of(context, writer, 0, uuid7(now), draft, mode, now)
    )
    await require_may_place(context, access, _proposed_audience(found), plan.note.audience)
    await require_may_say(context, access, texts_of(plan.note), plan.note.audience)
    choices, steps = await prepare(context, writer, [plan], encode(context, [plan]), now)
    choice = choices[0]
    if choice.error is not None:
        raise choice.error
    return _Result(choice.note_id, choice.note, steps)


def _proposed_audience(found: Proposal) -> Audience:
    visibility = Visibility(found.audience.split("/")[1])
    return audience_of(found.user, visibility, found.domain, found.author)


def _apply_changes(draft: NoteDraft, found: Proposal, changes: ProposalChanges) -> NoteDraft:
    given = {name: value for name, value in vars(changes).items() if value is not None}
    return replace(draft, **{"content": found.content, **given})


def _event(
    found: Proposal, decision: Decision, reason: str | None, audience: str, by: str, now: datetime
) -> EventRow:
    outcome = OUTCOMES[decision]
    return event_row(
        outcome.event,
        f"proposal {outcome.word}",
        audience=audience,
        actor=by,
        at=now,
        subject_id=found.id,
        domain=found.domain,
        data={"from": found.author, "approval": outcome.approval}
        | ({"reason": reason} if reason else {}),
    )


async def _load_decided(
    context: Context,
    access: Access,
    found: Proposal,
    status: ProposalStatus,
    reason: str | None,
) -> Proposal:
    """Return the proposal as it is now, or the decision for a viewer who may no longer read it."""
    access = await reopen_access(context, access)
    read = await load_proposals(context, access, [found.id])
    if found.id in read:
        return read[found.id]
    return replace(found, status=status, reason=reason, conflicts=())

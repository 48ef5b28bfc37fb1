"""Proposals: notes that are written by an agent that may only propose."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.domain.actors import COMMIT_FROM, SUBAGENT
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Note, NoteDraft, Operation, WriteMode
from graphmem.domain.proposals import MAX_MADE
from graphmem.domain.visibility import Reading, Visibility, may_read
from graphmem.errors import Conflict, Forbidden
from graphmem.language.comparison import TextVerdict, compare
from graphmem.language.extraction import mark_of
from graphmem.services.context import Access, Context, events_step
from graphmem.services.reading.proposals import load_proposals
from graphmem.services.writing import remember as writing
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.mentions import check_names
from graphmem.services.writing.remember import Remembered
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_say, texts_of
from graphmem.services.writing.secrets import FoundSecret
from graphmem.store import proposals as store
from graphmem.store.events import event_row
from graphmem.store.proposals import Compared, NewProposal
from graphmem.store.rows import EventRow

WAITS = "the agent may only propose: the note is written once that is decided"
AGAIN = "the same request proposed it before"
_REUSED = "idempotencyKey was used for another request"
_CONTRADICTING = (TextVerdict.CONTRADICTS, TextVerdict.REPLACES)
_NAMES = 20  # names that a proposal lists


async def propose(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode = WriteMode.CURATED
) -> Remembered:
    """Propose a note as an agent, or write it if it is sure enough not to be reviewed.

    Raises Invalid, and Forbidden for one audience or one proposal too many.
    """
    made, secrets = await _make_proposal(context, access, draft, mode)
    agent = access.viewer.agent
    assert agent is not None
    if context.reviewing.commits_at_once(agent, made.note.confidence):
        return await writing.remember(context, as_writer(access), draft, mode)
    vector = (await context.embedder.embed_documents([made.note.reading_text]))[0]
    proposed = await _propose(context, access, draft, mode, vector)
    return replace(proposed, secrets=secrets)


def as_writer(access: Access, *, by_user: bool = False) -> Access:
    """Return the access of an agent for a decided write; `by_user`: by the user in person."""
    agent = access.viewer.agent
    actor = f"{COMMIT_FROM}{agent.id if agent else ''}"
    viewer = replace(access.viewer, acting_as=actor, approved=True, decided_by_user=by_user)
    return replace(access, viewer=viewer)


async def _make_proposal(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode
) -> tuple[NewProposal, tuple[FoundSecret, ...]]:
    """Return the proposal of a draft, and the secrets that the draft held."""
    now = context.clock()
    check_names([draft])
    plan = await context.texts.run(
        lambda _: plan_of(context, access, 0, uuid7(now), draft, mode, now)
    )
    note = plan.note
    names = [entity.name for entity in plan.draft.entities]
    made = NewProposal(
        note=note,
        draft=replace(plan.given, idempotency_key=None),
        mode=mode,
        entities=list({name_key(name): name for name in names}.values())[:_NAMES],
        core_worthy=mark_of(note) is not None,
        found=await _classify_visibility(context, note, mode, now),
        request_key=plan.request_key,
        request_hash=plan.request_hash,
        expires_at=now + timedelta(days=context.reviewing.days),
    )
    return made, plan.secrets


async def _classify_visibility(
    context: Context, note: Note, mode: WriteMode, now: datetime
) -> Visibility | None:
    """Return the visibility that the text itself asks for."""
    if mode is not WriteMode.CURATED:
        return None
    read = await context.texts.run(
        lambda _: context.extractor(
            note.content,
            title=note.title,
            speaker=note.speaker,
            occurred_at=note.occurred_at,
            now=now,
        )
    )
    return read.visibility


@repeat_while_stale
async def _propose(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode, vector: list[float]
) -> Remembered:
    made, _ = await _make_proposal(context, access, draft, mode)
    note, now = made.note, made.note.created_at
    await require_may_say(context, access, texts_of(note), note.audience)
    user, author = access.viewer.user, note.author or ""
    key = note.audience.key
    known = await store.compare_with(context.graph, user, key, vector, made.request_key, now)
    if known.before is not None:
        if known.before["requestHash"] != made.request_hash:
            raise Conflict(_REUSED)
        return await _to_result(context, access, known.before["id"], note, AGAIN)
    if await store.count_made(context.graph, user, author, now) >= MAX_MADE:
        raise Forbidden(f"an agent may have at most {MAX_MADE} waiting or newly decided proposals")
    contradicted = await context.texts.run(
        lambda _: _find_contradicted(known, note, context.writing.write_k)
    )
    step = store.create_step(
        made, vector=vector, known=known.known, contradicts=contradicted, now=now
    )
    events = _events(access, note, contradicted)
    await context.graph.write(step, events_step(access, events))
    context.signal(user)
    return await _to_result(context, access, note.id, note, WAITS)


def _find_contradicted(known: Compared, note: Note, most: int) -> list[str]:
    """Return the nearest open proposals for the same readers that contradict the note."""
    near = sorted(known.others, key=lambda row: (-row["similarity"], row["id"]))[:most]
    return [
        row["id"]
        for row in near
        if row["title"] == note.title
        and compare(row["content"], note.content, row["similarity"]).verdict in _CONTRADICTING
    ]


def _events(access: Access, note: Note, contradicted: Sequence[str]) -> list[EventRow]:
    agent = access.viewer.agent
    about = {
        "audience": note.audience.key,
        "actor": f"{SUBAGENT}{agent.id}" if agent else access.viewer.actor,
        "at": note.created_at,
        "subject_id": note.id,
        "domain": note.domain,
    }
    rows = [event_row("PROPOSE", "note proposed", **about, data={"kind": note.kind})]
    if contradicted:
        pairs = {"proposals": [note.id, *contradicted]}
        summary = "proposals contradict each other"
        rows.append(event_row("ALERT", summary, **about, data=pairs, channel="memory_conflict"))
    return rows


async def _to_result(
    context: Context, access: Access, proposal: str, note: Note, reason: str
) -> Remembered:
    """Return the proposal as a result, if its writer would read the note."""
    fresh = [note.audience] if may_read(access.viewer, note.audience, Reading.BY_NAME) else []
    found = await load_proposals(context, access, [proposal], fresh=fresh)
    return Remembered(operation=Operation.PROPOSE, reason=reason, proposal=found.get(proposal))

"""Remembering, into the memory of the user or, with a session, into the agent's local memory."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.drafts import check_draft
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import MAX_BATCH, NoteDraft, Operation, Tier, WriteMode
from graphmem.domain.sessions import MAX_LOCAL, Session
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden, GraphmemError, Invalid, TimedOut
from graphmem.services.context import Access, Context, check_audience
from graphmem.services.proposals.proposing import propose
from graphmem.services.writing import remember as writing
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.mentions import check_names
from graphmem.services.writing.remember import Remembered
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.secrets import checked_without_secrets
from graphmem.store import sessions as store

LOCAL_REASON = "kept in the local memory of the session"


async def remember(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode = WriteMode.CURATED
) -> Remembered:
    """Remember one note; with a session, in the local memory until the session closes.

    Notes that are pinned or too important to wait go into the user's memory at once (MUMA 10). What
    is written by an agent that may only propose becomes a proposal.
    """
    if draft.session_id is None:
        return await _share(context, access, draft, mode)
    session = await require_open(context, access, draft.session_id)
    free = replace(draft, session_id=None)
    importance = check_draft(free, context.clock()).importance
    if draft.pinned or (importance or 0.0) >= context.writing.high_value_importance:
        made = await _share(context, access, free, mode)
        if made.note_id is not None:
            rows = {made.note_id: made.operation is Operation.ADD}
            await context.graph.write(store.promote_step(session.id, rows, context.clock()))
        return made
    return await _keep(context, access, session.id, free)


async def remember_many(
    context: Context,
    access: Access,
    drafts: Sequence[tuple[NoteDraft, WriteMode]],
    *,
    until: float | None = None,
) -> list[Remembered]:
    """Remember many notes; those with a session, and proposals, one by one.

    Each of these has an error of its own. None is begun after `until`, a time of the event loop.
    """
    alone = access.viewer.proposes and len(drafts) <= MAX_BATCH
    plain = [i for i, (draft, _) in enumerate(drafts) if not (alone or draft.session_id)]
    given = [drafts[i] for i in plain]
    written = await writing.remember_many(context, access, given, until=until) if given else []
    results = dict(zip(plain, written, strict=True))
    for i, (draft, mode) in enumerate(drafts):
        if i not in results:
            try:
                if until is not None and asyncio.get_running_loop().time() >= until:
                    raise TimedOut(writing.NO_TIME)
                results[i] = await remember(context, access, draft, mode)
            except GraphmemError as error:
                results[i] = Remembered(error=error)
    return [results[i] for i in range(len(drafts))]


async def _share(context: Context, access: Access, draft: NoteDraft, mode: WriteMode) -> Remembered:
    """Write into the memory of the user, at once or once it is decided."""
    if access.viewer.proposes:
        return await propose(context, access, draft, mode)
    return await writing.remember(context, access, draft, mode)


async def share_many(
    context: Context, access: Access, drafts: Sequence[tuple[NoteDraft, WriteMode]]
) -> list[Remembered]:
    """Do the same for many drafts; proposals one by one, each with an error of its own."""
    if not drafts:
        return []
    if not access.viewer.proposes:
        return await writing.remember_many(context, access, drafts)
    results = []
    for draft, mode in drafts:
        try:
            results.append(await propose(context, access, draft, mode))
        except GraphmemError as error:
            results.append(Remembered(error=error))
    return results


async def require_open(context: Context, access: Access, session: str) -> Session:
    """Return the agent's own session, which must be open.

    Raises Invalid, in the same words for a session that does not exist, is another agent's or is
    closed.
    """
    agent = access.viewer.agent
    found = None
    if agent is not None:
        found = await store.get_session(context.graph, access.viewer.user, agent.id, session)
    if found is None or found.closed_at is not None or found.closing:
        raise Invalid("no such session is open")
    return found


@repeat_while_stale
async def _keep(context: Context, access: Access, session: str, draft: NoteDraft) -> Remembered:
    """Keep a note in the local memory: as said, read by nobody but the agent and its user."""
    found = await require_open(context, access, session)
    if found.local >= MAX_LOCAL:
        raise Forbidden(f"the local memory of a session has at most {MAX_LOCAL} notes")
    now = context.clock()
    given, secrets = await context.texts.run(
        lambda _: checked_without_secrets(draft, context.writing.secrets, now, local=True)
    )
    if given.external_id is not None or given.idempotency_key is not None:
        raise Invalid("local memory takes no externalId and no idempotencyKey")
    check_names([given])
    note = replace(
        note_as_said(access, uuid7(now), given, now, context.writing.half_life_hours),
        visibility=Visibility.LOCAL,
        tier=Tier.WORKING,
    )
    check_audience(access, note.audience)
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    working = WorkingNote.new(
        note, "CREATE", "note kept in local memory", draft=given, vector=vector
    )
    add = store.add_note_step(note.user, note.author or "", session, note.id, given, now)
    await apply(context, access, ChangeSet.of(now, [working]), after=[add])
    return Remembered(
        operation=Operation.ADD,
        note=note,
        reason=LOCAL_REASON,
        note_id=note.id,
        secrets=secrets,
    )

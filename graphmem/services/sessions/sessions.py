"""Sessions: opened by an agent for a task, and closed with the local notes that are to stay."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.activation import activation
from graphmem.domain.actors import Agent
from graphmem.domain.alerts import Alert, LostFile
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, NoteDraft, Operation, Status, WriteMode
from graphmem.domain.sessions import MAX_TASK, Session
from graphmem.domain.visibility import default_domain
from graphmem.errors import Forbidden
from graphmem.services.actors import reopen_access
from graphmem.services.alerts import alert_rows, list_alerts, list_lost
from graphmem.services.context import Access, Context, missing, user_audience
from graphmem.services.sessions.remembering import share_many
from graphmem.services.syncing.serving import sync_for
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.purging import purge
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import list_protected
from graphmem.store import handoffs
from graphmem.store import sessions as store
from graphmem.store.alerts import record_alerts_step, record_lost_alerts_step
from graphmem.store.events import append_step, event_row
from graphmem.store.notes import load_notes
from graphmem.store.rows import EventRow

PAGE = 50  # notes that are promoted together


@repeat_while_stale
async def open_session(
    context: Context, access: Access, task: str | None
) -> tuple[Session, list[Alert | LostFile]]:
    """Open a session of the agent that asks; one that is still open is closed first.

    Also returns what changed in the files that agents follow, which each agent gets once. Raises
    Invalid, and Forbidden for the user in person.
    """
    agent = _require_agent(access)
    task = None if task is None else check_text(task, "task", MAX_TASK)
    await sync_for(context, access.viewer.user)  # what was edited by hand counts from the start
    access = await reopen_access(context, access)
    user, now = access.viewer.user, context.clock()
    before = await store.get_session(context.graph, user, agent, None)
    if before is not None:
        await close_session(context, access, before.id)
    session = Session(id=uuid7(now), task=task, opened_at=now, closed_at=None, dropped=0)
    alerts = await list_alerts(context, access, told_to=agent)
    lost = await list_lost(context, access, told_to=agent)
    events = [_event(access, session, "session opened", context), *alert_rows(alerts, lost, now)]
    await context.graph.write(
        store.open_step(user, agent, session.id, task, now),
        handoffs.take_up_step(user, agent, session.id),
        *([record_alerts_step(user, agent, alerts, now)] if alerts else []),
        *([record_lost_alerts_step(user, agent, lost)] if lost else []),
        append_step(user, events),
    )
    context.signal(user)
    return session, [*alerts, *lost]


@repeat_while_stale
async def close_session(context: Context, access: Access, session_id: str) -> Session:
    """Close a session of the agent that asks (MUMA 4.5).

    Its local notes with an activation above the persistence threshold go through the write path,
    the others are archived. So are, afterwards, those that are not the agent's to destroy. Those of
    an agent that may only propose become proposals. A close that was interrupted is continued; one
    that is done returns the same result.

    Raises NotFound, Forbidden for the user in person, and what is retryable where a note could not
    be written for now: it stays, and so does the session until it is closed again.
    """
    agent = _require_agent(access)
    user = access.viewer.user
    session = await store.get_session(context.graph, user, agent, session_id)
    if session is None:
        raise missing("session")
    if session.closed_at is not None:
        return session
    await context.graph.write(store.begin_close_step(user, agent, session.id))
    access = await reopen_access(context, access)
    while page := await _local_notes(context, access, agent, session.id):
        await _close_page(context, access, session.id, page)
        access = await reopen_access(
            context, access
        )  # now includes the audiences of promoted notes
    now = context.clock()
    await context.graph.write(
        store.end_step(session.id, now),
        handoffs.end_with_step(session.id, now),
        append_step(user, [_event(access, session, "session closed", context)]),
    )
    context.signal(user)
    closed = await store.get_session(context.graph, user, agent, session.id)
    assert closed is not None
    return closed


def _require_agent(access: Access) -> str:
    if access.viewer.agent is None:
        raise Forbidden("a session is an agent's")
    return access.viewer.agent.id


def _event(access: Access, session: Session, summary: str, context: Context) -> EventRow:
    return event_row(
        "EDIT",
        summary,
        audience=user_audience(access.viewer.user),
        actor=access.viewer.actor,
        at=context.clock(),
        subject_id=session.id,
        channel="state_change",
    )


async def _local_notes(
    context: Context, access: Access, agent: str, session: str
) -> list[tuple[Note, NoteDraft]]:
    """Load a page of the local memory, with what was given for each note."""
    now = context.clock()
    drafts = await store.list_local(
        context.graph,
        access.viewer.user,
        agent,
        session,
        access.by_name,
        now=now,
        limit=PAGE,
    )
    found = await load_notes(context.graph, list(drafts), access.by_name, now)
    return [(found[i], draft) for i, draft in drafts.items() if i in found]


async def _close_page(
    context: Context, access: Access, session: str, page: Sequence[tuple[Note, NoteDraft]]
) -> None:
    """Promote the notes of a page that are active enough, and archive the others.

    Raises what may succeed later; the note that it is about stays in the local memory.
    """
    now = context.clock()
    stays = [
        (note, draft)
        for note, draft in page
        if activation(note.created_at, note.accesses, note.access_count, now)
        > context.writing.persistence_threshold
    ]
    agent = access.viewer.agent
    drafts = [(_current_draft(note, draft, agent), WriteMode.CURATED) for note, draft in stays]
    results = await share_many(context, access, drafts)
    made = {
        result.note_id: result.operation is Operation.ADD
        for result in results
        if result.note_id is not None
    }
    if made:
        await context.graph.write(store.promote_step(session, made, now))
    done = [note for (note, _), r in zip(stays, results, strict=True) if r.error is None]
    kept = await list_protected(context, access, done)
    if passed_on := [note for note in done if note.id not in kept]:
        await purge(context, access, passed_on)
    if kept:  # an agent must not destroy what the user pinned or changed
        put_away = [note for note in done if note.id in kept]
        await apply(context, access, _archive_changes(put_away, "local note put away", now))
    later = {
        note.id: result.error
        for (note, _), result in zip(stays, results, strict=True)
        if result.error is not None and result.error.retryable
    }
    gone = {note.id for note in done} | later.keys()
    dropped = [note for note, _ in page if note.id not in gone]
    if dropped:
        changes = _archive_changes(dropped, "local note dropped", now)
        await apply(context, access, changes, after=[store.drop_step(session, len(dropped))])
    for error in later.values():
        raise error


def _archive_changes(notes: Sequence[Note], summary: str, now: datetime) -> ChangeSet:
    return ChangeSet.of(
        now,
        [
            WorkingNote.of(note).with_change(
                replace(note, status=Status.ARCHIVED), now, "ARCHIVE", summary
            )
            for note in notes
        ],
    )


def _current_draft(note: Note, draft: NoteDraft, agent: Agent | None) -> NoteDraft:
    """Return what was given for a local note, with what its agent has changed since.

    With its key the same promotion, carried out twice, makes one note.
    """
    domain = draft.domain if note.domain == default_domain(agent) else note.domain
    return replace(
        draft,
        content=note.content,
        title=note.title,
        tags=note.tags,
        domain=domain,
        pinned=draft.pinned or note.pinned,
        idempotency_key=f"local:{note.id}:{note.version}",
    )


async def promoted_of(
    context: Context, access: Access, sessions: Sequence[str]
) -> Mapping[str, list[str]]:
    """Return the readable notes that were promoted from sessions of the viewer's user."""
    return await store.list_promoted_notes(
        context.graph, access.viewer.user, sessions, access.by_name, context.clock()
    )


async def sessions_of(context: Context, access: Access, notes: Sequence[str]) -> Mapping[str, str]:
    """Return the session in which each of some readable notes was written."""
    return await store.sessions_of(context.graph, notes, access.by_name)

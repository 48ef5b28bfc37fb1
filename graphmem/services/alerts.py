"""Alerts about changes of the files that agents follow (Moltbot 12.5).

Each agent gets them at its next session's start, the user until they confirm the change, and at
once when somebody else than the user has changed one.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from graphmem.domain.actors import AUDIT
from graphmem.domain.alerts import KEPT, Alert, LostFile, alert_of, file_of
from graphmem.errors import Forbidden, GraphmemError, Invalid
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import (
    ChangeSet,
    WorkingNote,
    alert_event,
    note_event,
)
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import alerts as store
from graphmem.store.events import append_step, event_row
from graphmem.store.rows import EventRow

USERS: Final = 500  # read by one query
log = structlog.get_logger(__name__)


async def list_alerts(context: Context, access: Access, told_to: str | None = None) -> list[Alert]:
    """List the edits of files that the viewer may read since the user confirmed them.

    With `told_to`, without those that this agent was notified of.
    """
    if not context.critical_alerts:
        return []
    now, user = context.clock(), access.viewer.user
    since = await store.changed_files(context.graph, user, told_to, access.by_name, now)
    if not since:
        return []
    loaded = await load_many(context, access, list(since))
    edits = await store.list_edits(context.graph, since, access.of_events, now, KEPT)
    found = (alert_of(loaded[i], since[i], edits.get(i, ())) for i in since if i in loaded)
    return [each for each in found if each is not None]


async def list_lost(context: Context, access: Access, told_to: str | None = None) -> list[LostFile]:
    """List unconfirmed files that somebody else than the user destroyed.

    They are listed as far as the viewer might read them; with `told_to`, without those that this
    agent was notified of.
    """
    if not context.critical_alerts:
        return []
    user, keys = access.viewer.user, access.by_name
    return await store.lost_files(context.graph, user, told_to, keys, asked=True)


@repeat_while_stale
async def confirm(context: Context, access: Access, note_id: str, version: int) -> None:
    """Confirm in person that a file is as it should be, up to a version, or rightly destroyed.

    Nobody is asked about that any more. Raises Forbidden, NotFound, and Invalid for a version that
    the file does not have.
    """
    if access.viewer.agent is not None:
        raise Forbidden("changes of files are confirmed by the user in person, not by an agent")
    user, now = access.viewer.user, context.clock()
    for lost in await list_lost(context, access):
        if lost.id == note_id:
            event = lost_event(lost, "loss of a file confirmed", access.viewer.actor, now)
            await context.graph.write(
                store.confirm_lost_step(user, lost, now), append_step(user, [event])
            )
            context.signal(user)
            return
    note = (await load_many(context, access, [note_id])).get(note_id)
    if note is None or file_of(note) is None:
        raise missing("file")
    if not 1 <= version <= note.version:
        raise Invalid(f"the file has no such version: {note.version} is that of now")
    since = await store.changed_files(context.graph, user, None, access.by_name, now)
    if note_id in since and since[note_id] < version:
        data = {"file": file_of(note), "version": version}
        event = note_event(
            "ALERT",
            "file confirmed",
            note,
            access.viewer.actor,
            now,
            data,
            channel="state_change",
        )
        await context.graph.write(
            store.confirm_step(user, note, version, now), append_step(user, [event])
        )
        context.signal(user)


def lost_event(lost: LostFile, summary: str, actor: str, now: datetime) -> EventRow:
    """Return an event about a file that was destroyed, for those who could read it."""
    return event_row(
        "ALERT",
        summary,
        audience=lost.audience,
        actor=actor,
        at=now,
        subject_id=lost.id,
        domain=lost.domain,
        channel="state_change",
        data={"file": lost.file, "version": lost.version, "by": lost.by},
    )


def alert_rows(alerts: Sequence[Alert], lost: Sequence[LostFile], now: datetime) -> list[EventRow]:
    """Return the events about an agent's alerts, for those who may read the file."""
    gone = "file destroyed: was this intentional?"
    return [lost_event(each, gone, AUDIT, now) for each in lost] + [
        alert_event(
            alert.note,
            "file changed: was this intentional?",
            now,
            {"from": alert.since, "to": alert.note.version},
        )
        for alert in alerts
    ]


@asynccontextmanager
async def files_checked(context: Context) -> AsyncIterator[None]:
    """Check everybody's files while the body runs."""
    task = asyncio.create_task(check_files(context))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def check_files(context: Context) -> None:
    """Look for files whose text was changed in the database itself, past graphmem.

    Their present text becomes a revision by `system:audit`, with an alert. Raises nothing: a
    service goes on though this fails.
    """
    if not context.critical_alerts:
        return
    try:
        after = ""
        while rows := await store.tampered_files(context.graph, after, context.clock(), USERS):
            for user, notes in rows:
                for note in notes:
                    await _record_change(context, user, note)
            after = rows[-1][0]
    except GraphmemError as error:
        log.warning("files could not be checked", code=error.code)
    # nobody waits for it; only the type, since the message may hold a note's words
    except Exception as error:
        log.error("files could not be checked", error=type(error).__name__)


async def _record_change(context: Context, user: str, note_id: str) -> None:
    access = await open_access(context, user, None)
    access = replace(access, viewer=replace(access.viewer, acting_as=AUDIT))
    note = (await load_many(context, access, [note_id])).get(note_id)
    if note is None:
        return
    now = context.clock()
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    found = WorkingNote.of(note).with_change(
        note,
        now,
        "EDIT",
        "file found changed",
        details={"content": True},
        properties={"content": note.content},
    )
    await apply(context, access, ChangeSet.of(now, [replace(found, vector=vector)]))
    log.warning("a file was changed in the database", file=note.external_id)

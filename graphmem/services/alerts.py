"""Alerts about the files that agents live by: told at the next session's start, and at once when
somebody else than the user has changed one (Moltbot 12.5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from graphmem.domain.actors import AUDIT
from graphmem.domain.alerts import Alert, alert_of
from graphmem.errors import GraphmemError
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, alert_event
from graphmem.store import alerts as store
from graphmem.store.notes import list_revisions
from graphmem.store.rows import EventRow

KEPT: Final = 100  # newest revisions of a file that are looked through
USERS: Final = 500  # looked at by one query
log = structlog.get_logger(__name__)


async def new_alerts(context: Context, access: Access) -> list[Alert]:
    """What was edited of the files that the viewer may read since the user was told of them."""
    if not context.critical_alerts:
        return []
    now, user = context.clock(), access.viewer.user
    told = await store.changed_files(context.graph, user, access.by_name, now)
    if not told:
        return []
    loaded = await load_many(context, access, list(told))
    revisions = await list_revisions(
        context.graph, list(loaded), access.of_events, now=now, limit=KEPT
    )
    found = (alert_of(loaded[i], told[i], revisions.get(i, ())) for i in told if i in loaded)
    return [each for each in found if each is not None]


def told_rows(alerts: Sequence[Alert], now: datetime) -> list[EventRow]:
    """The events of what the user is told, for those who may read the file."""
    return [
        alert_event(
            alert.note,
            "file changed: was this intentional?",
            now,
            {"from": alert.told_version, "to": alert.note.version},
        )
        for alert in alerts
    ]


async def check_files(context: Context) -> None:
    """Look for files whose text was changed in the database itself, past graphmem: what they say
    now becomes a revision by `system:audit`, with an alert. Without an error: a service starts
    though this fails."""
    if not context.critical_alerts:
        return
    try:
        after = ""
        while rows := await store.tampered_files(context.graph, after, context.clock(), USERS):
            for user, notes in rows:
                for note in notes:
                    await _record(context, user, note)
            after = rows[-1][0]
    except GraphmemError as error:
        log.warning("files could not be checked", code=error.code)


async def _record(context: Context, user: str, note_id: str) -> None:
    access = await open_access(context, user, None)
    access = replace(access, viewer=replace(access.viewer, acting_as=AUDIT))
    note = (await load_many(context, access, [note_id])).get(note_id)
    if note is None:
        return
    now = context.clock()
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    found = WorkingNote.of(note).changed(
        note,
        now,
        "EDIT",
        "file found changed",
        told={"content": True},
        properties={"content": note.content},
    )
    await apply(context, access, ChangeSet.of(now, [replace(found, vector=vector)]))
    log.warning("a file was changed in the database", file=note.external_id)

"""Offers notes for review that the sweep of decay archived (Moltbot 9.2).

The sweep runs each hour and archives what has faded before a reflection could propose it, so it is
offered afterwards.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import BEGINNING, Note, Status
from graphmem.domain.reflection import Item, ItemKind
from graphmem.services.context import Access, Context
from graphmem.services.core import automatic
from graphmem.services.reflection.drafts import Draft, Pass
from graphmem.services.writing.change_set import WorkingNote
from graphmem.store import decay as store

LOOKED_AT: Final = 200  # notes, the last ones archived
REVIEWED: Final = timedelta(days=30)  # or since the maker's last reflection, if that is longer ago


async def add_archived(context: Context, access: Access, made: Pass) -> None:
    """Draft an item for each note that the sweep has archived; never for the user's own."""
    since = min([made.now - REVIEWED, *(each.at for each in made.own[:1])])
    found = await store.list_archived(
        context.graph,
        access.viewer.user,
        automatic(access),
        since=since.astimezone(UTC),
        now=made.now,
        limit=LOOKED_AT,
    )
    made.drafts += [
        Draft(
            item=Item(
                id=uuid7(made.now),
                kind=ItemKind.ARCHIVE,
                audience=each.audience,
                notes=((each.id, each.version),),
                numbers={"size": 1, "archivedAt": each.at},
            )
        )
        for each in found
    ]


async def list_still_archived(context: Context, access: Access, items: Iterable[Item]) -> list[str]:
    """Return the notes of items that are still archived by the sweep.

    Nobody has brought them back or archived them in person since.
    """
    ids = sorted({note for item in items for note in item.ids})
    if not ids:
        return []
    found = await store.list_archived(
        context.graph,
        access.viewer.user,
        automatic(access),
        since=BEGINNING,
        now=context.clock(),
        limit=len(ids),
        ids=ids,
    )
    return [each.id for each in found]


def restore_note(note: Note, now: datetime) -> WorkingNote:
    """Return an archived note as restored, which is an access, or it would be archived again."""
    new = replace(note, status=Status.ACTIVE)
    working = WorkingNote.of(note).with_change(new, now, "REVERT", "note kept by a reflection")
    return working.with_accesses([now], 1.0)

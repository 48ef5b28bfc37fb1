"""Exports notes as records of the portable format, oldest notes first.

They are what the user in person owns, or what an agent may read. It is read in pages of bounded
size, each with the rights of that moment. So what is written meanwhile may or may not be in it, and
each note is as it was at one moment.
"""

import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from functools import partial
from importlib.metadata import version
from typing import Final

from graphmem.domain.portable import FORMAT, VERSION, Record
from graphmem.errors import Forbidden
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context, Reopen, user_audience
from graphmem.services.exporting.records import Line, line_of, note_line
from graphmem.store import exporting as store

SMALL: Final = 5_000  # records of one answer
SMALL_LETTERS: Final = 2_000_000  # letters of their JSON


async def export(
    context: Context, reopen: Reopen, *, embeddings: bool = False, only_notes: bool = False
) -> AsyncGenerator[Line]:
    """Yield all records, with a header first and the counts last.

    The user in person gets all that they own; an agent the notes that it may read, with their
    relations and links. No export contains what teams own. `embeddings`: with the vectors of the
    notes; `only_notes`: neither settings nor what else has happened.

    Raises what `reopen` raises, Forbidden when the viewer has changed meanwhile.
    """
    access = await reopen()
    viewer = access.viewer
    counts: Counter[str] = Counter()
    yield {
        "record": Record.HEADER,
        "format": FORMAT,
        "version": VERSION,
        "graphmem": version("graphmem"),
        "user": viewer.user,
        "agent": viewer.agent.id if viewer.agent else None,
        "at": context.clock().isoformat(),
        "embedder": context.embedder.model_id if embeddings else None,
    }
    pages = (_export_settings, _export_notes, _export_ties, _export_history)
    for page in pages:
        if page in (_export_settings, _export_history) and (only_notes or not viewer.in_person):
            continue
        async for line in page(context, reopen, access, embeddings):
            counts[line["record"]] += 1
            yield line
    yield {"record": Record.END, "counts": dict(sorted(counts.items()))}


async def export_in_one_answer(context: Context, access: Access) -> tuple[str, dict[str, object]]:
    """Return a message and all records, if they are few enough for one answer.

    Otherwise the message says how to get them.
    """
    found: list[Line] = []
    letters = 0
    async with aclosing(export(context, partial(reopen_access, context, access))) as lines:
        async for line in lines:
            found.append(line)
            letters += len(json.dumps(line))
            if len(found) > SMALL or letters > SMALL_LETTERS:
                message = "Too much for one answer. `graphmem export` and GET /v1/export give it."
                return message, {"complete": False, "records": []}
    notes = sum(line["record"] == Record.NOTE for line in found)
    what = "1 note" if notes == 1 else f"{notes} notes"
    return f"Here is all: {what}, with what belongs to them.", {"complete": True, "records": found}


async def _export_settings(
    context: Context, reopen: Reopen, access: Access, embeddings: bool
) -> AsyncIterator[Line]:
    user = access.viewer.user
    if found := await store.read_user(context.graph, user):
        yield line_of(Record.USER, found, user)
    async for line in _export_sections(context, access, store.SETTINGS):
        yield line


async def _export_history(
    context: Context, reopen: Reopen, access: Access, embeddings: bool
) -> AsyncIterator[Line]:
    async for line in _export_sections(context, access, store.HISTORY):
        yield line


async def _export_sections(
    context: Context, access: Access, sections: Iterable[Record]
) -> AsyncIterator[Line]:
    user = access.viewer.user
    for record in sections:
        async for row in store.read_section(context.graph, record, user, context.clock()):
            yield line_of(record, row, user)


async def _export_notes(
    context: Context, reopen: Reopen, access: Access, embeddings: bool
) -> AsyncIterator[Line]:
    whole, user, graph = access.viewer.in_person, access.viewer.user, context.graph
    async for ids, audiences in _note_pages(context, reopen, access):
        now = context.clock()
        notes = await store.read_notes(graph, ids, audiences, now, whole=whole, vectors=embeddings)
        for note in notes:
            yield note_line(note, user, whole=whole)
        async for record, row in store.read_past(graph, ids, audiences, now):
            yield line_of(record, row, user)


async def _export_ties(
    context: Context, reopen: Reopen, access: Access, embeddings: bool
) -> AsyncIterator[Line]:
    whole, user = access.viewer.in_person, access.viewer.user
    async for ids, audiences in _note_pages(context, reopen, access):
        found = store.read_ties(context.graph, ids, audiences, context.clock(), whole=whole)
        async for record, row in found:
            yield line_of(record, row, user)


async def _note_pages(
    context: Context, reopen: Reopen, access: Access
) -> AsyncIterator[tuple[list[str], list[str]]]:
    """Yield the ids of notes, page by page, with the audiences that may be read at that moment."""
    place = store.BEFORE_ALL
    while True:
        now_access = await reopen()
        if (now_access.viewer.user, now_access.viewer.in_person) != (
            access.viewer.user,
            access.viewer.in_person,
        ):
            raise Forbidden("who asks has changed")
        audiences = list(now_access.by_name)
        # the owner also sees revisions of times when notes had other readers
        if now_access.viewer.in_person:
            audiences.append(user_audience(now_access.viewer.user))
        ids, place = await store.note_ids(context.graph, audiences, place, context.clock())
        if ids:
            yield ids, audiences
        if len(ids) < store.PAGE:
            return

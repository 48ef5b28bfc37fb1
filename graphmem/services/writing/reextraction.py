"""Reads a revised text again: replaces what the rules found and keeps what the writer gave."""

from collections.abc import Set
from dataclasses import replace
from datetime import datetime

from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, NoteDraft, Status
from graphmem.services.context import Context
from graphmem.services.writing.extraction import add_extracted, extract_note
from graphmem.services.writing.mentions import Written, collect_mentions
from graphmem.store.changes import Mentions
from graphmem.store.reextraction import GivenFields, read_given


async def reextract(
    context: Context, old: Note, new: Note, now: datetime, *, tags_given: bool
) -> tuple[Note, Mentions, str | None]:
    """Return the note `new`, which has another text or title than `old`, with its text read again.

    It gets the context, keywords and tags of its text. Also returned are its mentions and
    relations, and the key of a title that is gone. The words of a note that is stored as said stay
    those that its writer gave.
    """
    given = await read_given(context.graph, old)
    found = None
    if new.context is not None:
        found = await context.texts.run(lambda _: extract_note(context.extractor, new, now))
    if found is not None and new.content != old.content:
        tags = new.tags if tags_given or given.tags is None else given.tags or found.tags
        new = replace(
            new, context=found.context, keywords=given.keywords or found.keywords, tags=tags
        )
    old_title = name_key(old.title) if old.title and old.title != new.title else None
    return (
        new,
        await _find_mentions(context, new, given, found, given.keys - {old_title}),
        old_title,
    )


async def _find_mentions(
    context: Context, new: Note, fields: GivenFields, found: Extraction | None, stays: Set[str]
) -> Mentions:
    read = await collect_mentions(
        context, new.user, [Written(new, _extracted_draft(new, fields, found))]
    )
    rows = [row for row in read.mentions if row.note_id != new.id or row.key not in stays]
    relations = read.relations
    if new.status is Status.SUPERSEDED:  # its relations ended when it was superseded
        relations = [replace(row, valid_to=row.valid_to or new.valid_to) for row in relations]
    return replace(read, mentions=rows, relations=relations)


def _extracted_draft(new: Note, fields: GivenFields, found: Extraction | None) -> NoteDraft:
    """Return the names and relations that the text has besides those that the writer gave."""
    given = NoteDraft(content=new.content, title=new.title)
    if found is None:
        return given
    whole = add_extracted(
        replace(given, entities=fields.entities, relations=fields.relations), found
    )
    return replace(
        given,
        entities=whole.entities[len(fields.entities) :],
        relations=whole.relations[len(fields.relations) :],
    )

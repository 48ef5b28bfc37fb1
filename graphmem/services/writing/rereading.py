"""A revised text is read anew: what the rules made of the old one goes, what the writer gave
stays."""

from dataclasses import replace
from datetime import datetime

from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, NoteDraft, Status
from graphmem.services.context import Context
from graphmem.services.writing.desk import extracted, with_extracted
from graphmem.services.writing.mentions import Written, mentioned
from graphmem.store.graph import Step
from graphmem.store.rereading import Told, mark_step, read_told, sweep_step


async def reread(
    context: Context, old: Note, new: Note, now: datetime, *, tags_given: bool
) -> tuple[Note, list[Step]]:
    """The note `new`, which has another text or title than `old`, with context, keywords and tags
    of its text, and the steps that make its mentions and relations anew. The words of a note that
    is stored as said stay what its writer gave."""
    told = await read_told(context.graph, old)
    found = None
    if new.context is not None:
        found = await context.texts.run(lambda _: extracted(context.extractor, new, now))
    if found is not None and new.content != old.content:
        tags = new.tags if tags_given or told.tags is None else told.tags or found.tags
        new = replace(
            new, context=found.context, keywords=told.keywords or found.keywords, tags=tags
        )
    return new, await _steps(context, old, new, told, found, now)


async def _steps(
    context: Context, old: Note, new: Note, told: Told, found: Extraction | None, now: datetime
) -> list[Step]:
    old_title = name_key(old.title) if old.title and old.title != new.title else None
    stays = told.keys - {old_title}
    read = await mentioned(context, new.user, [Written(new, _read(new, told, found))])
    rows = [row for row in read.mentions if row["noteId"] != new.id or row["key"] not in stays]
    relations = read.relations
    if new.status is Status.SUPERSEDED:  # what it says ended with it
        relations = [row | {"validTo": row["validTo"] or new.valid_to} for row in relations]
    read = replace(read, mentions=rows, relations=relations)
    return [mark_step(new.id, old_title), *read.steps(new.user, now), sweep_step(new.id)]


def _read(new: Note, told: Told, found: Extraction | None) -> NoteDraft:
    """The names and relations that the text has beside those that the writer gave."""
    given = NoteDraft(content=new.content, title=new.title)
    if found is None:
        return given
    whole = with_extracted(replace(given, entities=told.entities, relations=told.relations), found)
    return replace(
        given,
        entities=whole.entities[len(told.entities) :],
        relations=whole.relations[len(told.relations) :],
    )

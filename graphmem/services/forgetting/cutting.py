"""Cuts something out of a note for good, such as a secret or a name: out of its texts, out of what
it said before, and out of the words in which it was written."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import MAX_CONTENT, Note
from graphmem.errors import Stale
from graphmem.services.context import Access, Context
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.reextraction import reextract
from graphmem.store import secrets as store
from graphmem.store.graph import Row
from graphmem.store.notes import load_notes
from graphmem.store.secrets import NoteTexts

_NO_TEXTS: Final = frozenset({"id", "metadata"})
# of the changes of a revision: what a person reads
_CHANGED_TEXTS: Final = frozenset(
    {"content", "title", "context", "keywords", "tags", "metadata", "speaker", "reason"}
)


@dataclass(frozen=True, kw_only=True)
class Cutter:
    """Something to cut out of texts, and who does it."""

    clean: Callable[[Any], Any]
    """returns texts, in lists and mappings too, without it; equal ones where they don't hold it"""
    done: str
    """such as "secrets were cut out", for events"""
    mark: str
    """the text that stands where something was cut out"""
    dropped: frozenset[str] = frozenset()
    """tags and keywords that go, too, such as the words of a name, in lower case"""
    actor: str

    def clean_json(self, text: str | None) -> str | None:
        """Return a text of JSON with clean values; the same text if they are clean."""
        given = json.loads(text or "null")
        clean = self.clean(given)
        return text if clean == given else json.dumps(clean)


async def holds(context: Context, cutter: Cutter, found: NoteTexts) -> bool:
    """Check whether a note has a text that holds what is cut."""
    return await context.bulk_texts.run(
        lambda _: (
            cutter.clean(list(found.texts)) != list(found.texts)
            or cutter.clean_json(found.metadata) != found.metadata
        )
    )


async def holds_or_held(context: Context, cutter: Cutter, found: NoteTexts, note_id: str) -> bool:
    """Check whether a note has or had a text that holds what is cut."""
    if await holds(context, cutter, found):
        return True
    async for _ in _changed_past(context, cutter, note_id):
        return True
    return False


async def cut_note(
    context: Context, cutter: Cutter, access: Access, note_id: str, found: NoteTexts, now: datetime
) -> bool:
    """Cut it out of a note and of its past; returns whether anything held it.

    `now`: the note is left as it is where it has expired by then. Raises Stale when it changes
    meanwhile.
    """
    cut = await cut_past(context, cutter, note_id)
    if await holds(context, cutter, found):
        note = (await load_notes(context.graph, [note_id], [found.audience], now)).get(note_id)
        if note is not None:
            if note.version != found.version:  # it may have other lent tags by now
                raise Stale("the note has changed")
            await _cut_texts(context, cutter, access, note, found)
            cut = True
    return cut


async def cut_past(context: Context, cutter: Cutter, note_id: str) -> bool:
    """Cut it out of what a note said; returns whether anything held it."""
    found = False
    async for revisions, wordings in _changed_past(context, cutter, note_id):
        await store.cut_past(context.graph, note_id, revisions, wordings)
        found = True
    return found


async def _changed_past(
    context: Context, cutter: Cutter, note_id: str
) -> AsyncGenerator[tuple[list[Row], list[Row]]]:
    """Yield the revisions and wordings that hold it, without it."""

    async def clean(rows: list[Row], work: Callable[[Cutter, Row], Row]) -> list[Row]:
        made = await context.bulk_texts.run(lambda _: [work(cutter, row) for row in rows])
        return [new for row, new in zip(rows, made, strict=True) if new != row]

    async for rows in store.pages_of_revisions(context.graph, note_id):
        if changed := await clean(rows, _clean_revision):
            yield changed, []
    async for rows in store.pages_of_wordings(context.graph, note_id):
        if changed := await clean(rows, _clean_wording):
            yield [], changed


async def _cut_texts(
    context: Context, cutter: Cutter, access: Access, note: Note, found: NoteTexts
) -> None:
    now = context.clock()
    names = ("content", "title", "context", "tags", "keywords", "speaker", "metadata")
    clean = {name: cutter.clean(getattr(note, name)) for name in names}
    clean["content"] = clean["content"][:MAX_CONTENT]
    for name in ("tags", "keywords"):
        clean[name] = tuple(_kept_words(cutter, clean[name]))
    new = replace(note, **clean)
    new, said, title = await reextract(context, note, new, now, tags_given=True)
    new = replace(new, keywords=clean["keywords"])  # those that its writer gave hold it, too
    # The revision must not show what was cut as what was changed.
    hidden = {name: True for name in clean if getattr(new, name) != getattr(note, name)}
    own = {} if found.trigger is None else {"trigger": cutter.clean(found.trigger)}
    lent = set(found.lent_tags) - set(found.given_tags)
    working = WorkingNote.of(note).with_change(
        new,
        now,
        "EDIT",
        cutter.done,
        details=hidden,
        properties={
            "curatedKey": None,
            "speaker": new.speaker,
            "givenTags": [tag for tag in new.tags if tag not in lent],
            "givenKeywords": list(new.keywords),
            "lentTags": [tag for tag in found.lent_tags if tag in new.tags],
            **own,
        },
    )
    vector = (await context.embedder.embed_documents([new.reading_text]))[0]
    changes = ChangeSet.of(
        now,
        [replace(working, vector=vector)],
        mentions=said,
        reextracted=((note.id, title),),
    )
    await apply(context, access, changes)


def _clean_revision(cutter: Cutter, row: Row) -> Row:
    """Return a clean revision, also in its list of changes."""
    changes = _clean_changes(cutter, row["changes"])
    return {**row, "content": cutter.clean(row["content"]), "changes": changes}


def _clean_changes(cutter: Cutter, text: str | None) -> str | None:
    given: Mapping[str, Any] = json.loads(text or "{}")
    clean = {
        name: cutter.clean(value) if name in _CHANGED_TEXTS else value
        for name, value in given.items()
    }
    if isinstance(given.get("metadata"), list):  # before and after, as JSON
        clean = {**clean, "metadata": [_clean_if_json(cutter, each) for each in given["metadata"]]}
    for name in ("tags", "keywords"):
        if isinstance(given.get(name), list):
            clean[name] = [_kept_words(cutter, each) for each in clean[name]]
    return text if clean == given else json.dumps(clean)


def _kept_words(cutter: Cutter, words: Any) -> Any:
    """Return tags or keywords without those that go: a mark alone says nothing of what a note is
    about. What is not a list stays as it is."""
    if not isinstance(words, list | tuple):
        return words
    return [each for each in words if each != cutter.mark and each.lower() not in cutter.dropped]


def _clean_if_json(cutter: Cutter, value: Any) -> Any:
    return cutter.clean_json(value) if isinstance(value, str) else cutter.clean(value)


def _clean_wording(cutter: Cutter, row: Row) -> Row:
    texts = cutter.clean({name: value for name, value in row.items() if name not in _NO_TEXTS})
    return {**row, **texts, "metadata": cutter.clean_json(row["metadata"])}

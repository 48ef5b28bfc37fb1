"""Secrets in notes that were written before anybody looked for them, or while nobody did.

A part of the job `maintain_memory`. Each note of a user is looked through once, with what it said
before, and again once it is changed, some in each run. As what is cut out is gone for good, only
secrets that can be nothing else are: what looks like a password or like chance is left. What is no
note of a user is looked through by `other_secrets`."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from graphmem.domain.notes import BEGINNING, MAX_CONTENT, Note
from graphmem.domain.visibility import Visibility, narrower_visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Stale
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.changing import change_note, change_readers
from graphmem.services.writing.reextraction import reextract
from graphmem.services.writing.secrets import redact
from graphmem.store import secrets as store
from graphmem.store.graph import Row
from graphmem.store.notes import load_notes
from graphmem.store.secrets import NoteTexts

FORMS: Final = 2  # grows with the forms of secrets that are known: all is looked through again
PAGE: Final = 200
MOST: Final = 2_000  # notes of a user in a run
MOST_LEFT: Final = 100  # notes that the next run begins with; beyond that it looks through all
OVERLAP: Final = timedelta(minutes=10)  # a write may take so long from its time to its end
COUNTS: Final = ("secretsFound", "secretsLeft")
_NO_TEXTS: Final = frozenset({"id", "metadata"})


@dataclass(frozen=True, kw_only=True)
class Search:
    """The progress of the search through the notes of a user."""

    rule: str
    since: str  # the notes changed since then are looked through
    began: str
    after: str = ""  # the last one by id; empty once all were
    left: Sequence[str] = ()  # those that could not be looked through


async def look_for_secrets(context: Context, beat: JobHeartbeat, access: Access) -> None:
    """Look through the notes of a user that nobody has looked through, and do with what is found
    what the setting says: it is cut out of the note and of its past, or the note becomes one for
    the user alone. `block` cuts it out, too. Where nobody looks, all is looked through later."""
    policy, user, now = context.writing.secrets, access.viewer.user, context.clock()
    seen = await store.read_seen(context.graph, user)
    if policy is Secrets.OFF:
        if seen:
            await store.keep_seen(context.graph, user, None)
        return
    search = go_on(seen, f"{policy}/{FORMS}", now)
    search = replace(search, left=await _settle(context, beat, access, search.left))
    since = datetime.fromisoformat(search.since)
    for _ in range(MOST // PAGE):
        page = await store.list_changed(context.graph, user, since, search.after, PAGE, now)
        left = [*search.left, *await _settle(context, beat, access, page)]
        search = replace(search, left=left, after=page[-1] if len(page) == PAGE else "")
        is_too_much = len(left) > MOST_LEFT and not search.after
        kept = None if is_too_much else json.dumps(asdict(search))
        await store.keep_seen(context.graph, user, kept)
        if not search.after:
            return
        await beat.checkpoint()


def go_on(seen: str | None, rule: str, now: datetime) -> Search:
    """Return the search to go on with: the one that is not done, or one for what was changed since
    the last one; for all where nobody looked by this rule."""
    given = json.loads(seen) if seen and seen.startswith("{") else {}
    if given.get("rule") != rule:
        return Search(rule=rule, since=BEGINNING.isoformat(), began=now.isoformat())
    search = Search(**given)
    if search.after:
        return search
    since = datetime.fromisoformat(search.began) - OVERLAP
    return replace(search, since=since.isoformat(), began=now.isoformat())


async def _settle(
    context: Context, beat: JobHeartbeat, access: Access, notes: Sequence[str]
) -> list[str]:
    """Look through notes, each by itself; returns those that could not be."""
    left: list[str] = []

    async def settle(one: Sequence[str]) -> None:
        try:
            found = await _settle_note(context, access, one[0])
        except Stale:  # somebody changes it
            beat.counts.update(secretsLeft=1)
            left.append(one[0])
        else:
            if found:
                beat.counts.update(secretsFound=1)

    for note in dict.fromkeys(notes):
        left += await beat.each([note], settle)
        await beat.checkpoint()
    return left


async def _settle_note(context: Context, access: Access, note_id: str) -> bool:
    """Look through a note; returns whether something was done."""
    now = context.clock()
    found = await store.read_texts(context.graph, access.viewer.user, note_id, now)
    if found is None:
        return False
    if context.writing.secrets is Secrets.USER_ONLY and not _is_local(found):
        if not await _has_secrets(context, found, note_id):
            return False
        note = (await load_notes(context.graph, [note_id], [found.audience], now)).get(note_id)
        return note is not None and await _close(context, access, note)
    cut = await cut_past(context, note_id)
    if await holds(context, found):
        note = (await load_notes(context.graph, [note_id], [found.audience], now)).get(note_id)
        if note is not None:
            await _cut(context, access, note, found.trigger)
            cut = True
    return cut


def _is_local(found: NoteTexts) -> bool:
    """Return True for the local memory of a session, where nothing is for the user alone."""
    return found.audience.split("/")[1] == Visibility.LOCAL


async def holds(context: Context, found: NoteTexts) -> bool:
    """Check whether a note has a text with a secret."""
    return await context.bulk_texts.run(
        lambda _: (
            bool(cleaned(list(found.texts))[1]) or cleaned_json(found.metadata) != found.metadata
        )
    )


async def _has_secrets(context: Context, found: NoteTexts, note_id: str) -> bool:
    """Check whether a note has or had a text with a secret."""
    if await holds(context, found):
        return True
    async for _ in _dirty_past(context, note_id):
        return True
    return False


async def cut_past(context: Context, note_id: str) -> bool:
    """Cut the secrets out of what a note said; returns whether there were any."""
    found = False
    async for revisions, wordings in _dirty_past(context, note_id):
        await store.cut_past(context.graph, note_id, revisions, wordings)
        found = True
    return found


async def _dirty_past(
    context: Context, note_id: str
) -> AsyncGenerator[tuple[list[Row], list[Row]]]:
    """Yield the revisions and wordings with secrets, without them."""

    async def clean(rows: list[Row], work: Callable[[Row], Row]) -> list[Row]:
        made = await context.bulk_texts.run(lambda _: [work(row) for row in rows])
        return [new for row, new in zip(rows, made, strict=True) if new != row]

    async for rows in store.pages_of_revisions(context.graph, note_id):
        if changed := await clean(rows, _clean_revision):
            yield changed, []
    async for rows in store.pages_of_wordings(context.graph, note_id):
        if changed := await clean(rows, _clean_wording):
            yield [], changed


async def _close(context: Context, access: Access, note: Note) -> bool:
    """Make a note one for the user alone; returns whether it was not."""
    visibility = narrower_visibility(note.visibility, Visibility.USER_ONLY)
    if visibility is note.visibility:
        return False
    new = replace(note, visibility=visibility)
    given, after = await change_readers(context, access, note, new)
    await change_note(
        context, access, note, new, "VISIBILITY", "it holds a secret", after, properties=given
    )
    return True


async def _cut(context: Context, access: Access, note: Note, trigger: str | None) -> None:
    """Cut the secrets out of a note."""
    now = context.clock()
    given = {
        name: getattr(note, name)
        for name in ("content", "title", "context", "tags", "keywords", "speaker", "metadata")
    }
    clean, _ = cleaned(given)
    clean["content"] = clean["content"][:MAX_CONTENT]
    new = replace(note, **clean)
    new, said, title = await reextract(context, note, new, now, tags_given=True)
    new = replace(new, keywords=clean["keywords"])  # those that its writer gave hold it, too
    # The revision must not show the secret as what was changed.
    hidden = {name: True for name in clean if getattr(new, name) != getattr(note, name)}
    own = {} if trigger is None else {"trigger": cleaned(trigger)[0]}
    working = WorkingNote.of(note).with_change(
        new,
        now,
        "EDIT",
        "secrets were cut out",
        details=hidden,
        properties={
            "curatedKey": None,
            "speaker": new.speaker,
            "givenTags": list(new.tags),
            "givenKeywords": list(new.keywords),
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


def cleaned(value: Any) -> tuple[Any, frozenset[str]]:
    """Return texts without the secrets that can be nothing else, and the kinds of these."""
    return redact(value, Secrets.REDACT, sure=True)


def cleaned_json(text: str | None) -> str | None:
    """Return a text of JSON without secrets in its values; the same text if there are none."""
    clean, found = cleaned(json.loads(text or "null"))
    return json.dumps(clean) if found else text


def _clean_revision(row: Row) -> Row:
    """Return a revision without secrets, also in its list of changes."""
    content, _ = cleaned(row["content"])
    return {**row, "content": content, "changes": _clean_changes(row["changes"])}


def _clean_changes(text: str | None) -> str | None:
    given: Mapping[str, Any] = json.loads(text or "{}")
    clean, _ = cleaned(given)
    if isinstance(given.get("metadata"), list):  # before and after, as JSON
        clean = {**clean, "metadata": [_clean_if_json(each) for each in given["metadata"]]}
    return text if clean == given else json.dumps(clean)


def _clean_if_json(value: Any) -> Any:
    return cleaned_json(value) if isinstance(value, str) else cleaned(value)[0]


def _clean_wording(row: Row) -> Row:
    texts, _ = cleaned({name: value for name, value in row.items() if name not in _NO_TEXTS})
    return {**row, **texts, "metadata": cleaned_json(row["metadata"])}

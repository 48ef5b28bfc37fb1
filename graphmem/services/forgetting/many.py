"""Forgets all notes that a filter finds, such as those of one agent, episode or import, and takes
it back."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from graphmem.domain.drafts import MAX_NAME, check_instant, check_text
from graphmem.domain.ids import entity_id, name_key
from graphmem.domain.notes import BEGINNING, Note, NoteFilter, Revision, Status
from graphmem.errors import Invalid, Stale, TimedOut, Unavailable
from graphmem.services.context import Access, Context, require_in_person
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.forgetting.redacting import check_names, name_cutter, words_of
from graphmem.services.reading.identity import filter_entity_names
from graphmem.services.reading.notes import check_filter, filter_audiences
from graphmem.services.writing.changing import restore_note
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import notes as store
from graphmem.store.changes import unchanged_step
from graphmem.store.decay import give_back_step
from graphmem.store.erasing import count_holding
from graphmem.store.notes import Listed

MOST: Final = 1_000  # notes of one call
PAGE: Final = 100  # notes of one transaction
MOST_READ: Final = 10_000  # notes that one query lists


@dataclass(frozen=True, kw_only=True)
class ForgottenMany:
    """The outcome of forgetting the notes that a filter finds, or a preview of it."""

    found: int
    """how many there are, without those that the user has archived unless they are destroyed"""
    forgotten: int
    """how many were archived or destroyed: none without `confirm`; at most 1,000 in one call, and
    those for which there is time"""
    permanent: bool
    at: datetime | None
    """the instant by which `restoreMany` takes it back; null where nothing was archived"""
    remaining: Mapping[str, int] | None = None
    """how much of what you own still holds the words of the filter's `text`, by label; the rest of
    the filter does not narrow it. Null without `text` or `permanent`, or if counting took too
    long"""


async def forget_many(
    context: Context,
    access: Access,
    given: NoteFilter,
    *,
    confirm: bool = False,
    permanent: bool = False,
    until: float | None = None,
) -> ForgottenMany:
    """Archive the notes of the user's own that a filter finds, expired ones too, or destroy them.

    For the user in person. What a job has archived stays so from then on. It works newest first and
    page by page, so that it can be stopped and begun again. A note that changes meanwhile is left
    out, since the filter may no longer find it, and no page is begun that would probably not end
    before `until`, a time of the event loop. Raises Invalid for a filter that restricts nothing.
    """
    require_in_person(access, "forgetting many notes")
    given = check_filter(given)
    if given == NoteFilter():
        raise Invalid("the filter must restrict something")
    given = replace(given, statuses=given.statuses or tuple(Status))
    search: dict[str, Any] = await _search(context, access, given)
    search["unforgotten"] = not permanent
    found = await store.count_notes(context.graph, given, **search)
    at, forgotten = context.clock(), 0
    at_once = replace(context, clock=lambda: at)  # one instant, so that it can be taken back
    if confirm:
        async for page in _pages(context, given, search, until=until):
            forgotten += await _forget(at_once, access, page, permanent=permanent)
    return ForgottenMany(
        found=found,
        forgotten=forgotten,
        permanent=permanent,
        at=at if forgotten and not permanent else None,
    )


async def find_named(
    context: Context, access: Access, names: Sequence[str], *, permanent: bool
) -> list[Listed]:
    """Find the notes of the user's own that mention an entity by one of these names, or whose text
    or title has one, as whole words; newest first.

    For the user in person. `permanent`: those that the user has archived, too. Raises Invalid.
    """
    require_in_person(access, "finding notes to forget")
    names = check_names(names)
    cutter = name_cutter(names, access.viewer.actor)
    found = dict[str, Listed]()
    for name in names:
        by_entity = await _list_own(context, access, NoteFilter(entity=name), permanent=permanent)
        found |= {each.id: each for each in by_entity}
        worded = NoteFilter(text=words_of(name)[0])
        listed = await _list_own(context, access, worded, permanent=permanent)
        for page in _in_pages([each for each in listed if each.id not in found]):
            notes = await _load(context, access, [each.id for each in page])
            texts = {i: [note.title or "", note.content] for i, note in notes.items()}
            found |= {
                each.id: each
                for each in page
                if each.id in texts and cutter.clean(texts[each.id]) != texts[each.id]
            }
    return sorted(found.values(), key=lambda each: (each.at, each.id), reverse=True)


async def load_found(context: Context, access: Access, found: Sequence[Listed]) -> list[Note]:
    """Load notes that were found, expired ones too."""
    loaded = await _load(context, access, [each.id for each in found])
    return [loaded[each.id] for each in found if each.id in loaded]


async def forget_found(
    context: Context, access: Access, found: Sequence[Listed], *, permanent: bool
) -> tuple[int, datetime]:
    """Archive or destroy notes as they were found. Return how many, and the instant that
    `restore_many` needs to undo it.

    Only the user in person may do this. A note that has changed since is left out.
    """
    require_in_person(access, "forgetting many notes")
    at = context.clock()
    at_once = replace(context, clock=lambda: at)
    done = 0
    for page in _in_pages(found):
        done += await _forget(at_once, access, page, permanent=permanent)
    return done, at


async def _list_own(
    context: Context, access: Access, given: NoteFilter, *, permanent: bool
) -> Sequence[Listed]:
    given = replace(check_filter(given), statuses=tuple(Status))
    search: dict[str, Any] = await _search(context, access, given)
    search["unforgotten"] = not permanent
    found, before = list[Listed](), None
    while page := await store.list_notes(
        context.graph, given, **search, before=before, limit=MOST_READ
    ):
        found += page
        before = (page[-1].at, page[-1].id)
    return found


def _in_pages(found: Sequence[Listed]) -> Iterator[Sequence[Listed]]:
    return (found[start : start + PAGE] for start in range(0, len(found), PAGE))


async def _load(context: Context, access: Access, ids: Sequence[str]) -> Mapping[str, Note]:
    return await store.load_notes(context.graph, ids, access.by_name, BEGINNING)


async def count_remaining(
    context: Context, access: Access, names: Sequence[str], *, until: float | None = None
) -> Mapping[str, int] | None:
    """Count what the user owns that holds one of these names in any text, by label.

    For the user in person. None where it can't be counted in time: what was done before it stays
    done, and is to be reported.
    """
    require_in_person(access, "counting what holds a name")
    names = [check_text(each, "name", MAX_NAME) for each in names]
    try:
        async with asyncio.timeout_at(until):
            return await count_holding(context.graph, access.viewer.user, names)
    except (TimedOut, TimeoutError, Unavailable):
        return None


async def restore_many(
    context: Context, access: Access, forgotten_at: datetime, *, until: float | None = None
) -> int:
    """Restore the notes of the user's own that `forget_many` archived at an instant.

    For the user in person. What a job had archived before that is again what the job archived.
    Those that changed or expired since stay as they are. Returns how many
    were restored: at most 1,000 in one call, and those for which there is time before `until`.
    Raises Invalid for an instant that is out of range.
    """
    require_in_person(access, "restoring many notes")
    at = check_instant(forgotten_at, "at") or forgotten_at
    given = NoteFilter(statuses=(Status.ARCHIVED,))
    search = await _search(context, access, given)
    search |= {"now": context.clock(), "forgotten": at}  # what has expired can't be restored
    restored = 0
    async for page in _pages(context, given, search, until=until):
        ids = [each.id for each in page]
        newest = await store.list_revisions(
            context.graph, ids, access.of_events, now=context.clock(), limit=1
        )
        for each in page:
            status = _status_before(newest.get(each.id, ()))
            restored += await _restore(context, access, each, status, at)
    return restored


def _status_before(newest: Sequence[Revision]) -> Status:
    """Return the status that a note gets back: what another note had replaced stays replaced."""
    was = newest[0].changes.get("status") if newest else None
    replaced = was == [Status.SUPERSEDED, Status.ARCHIVED]
    return Status.SUPERSEDED if replaced else Status.ACTIVE


async def _restore(
    context: Context, access: Access, listed: Listed, status: Status, at: datetime
) -> bool:
    """Restore a note as it was listed; False where it is gone or has changed."""
    loaded = await store.load_notes(context.graph, [listed.id], access.by_name, context.clock())
    if not _unchanged([listed], loaded):
        return False
    try:
        note = loaded[listed.id]
        if listed.kept:
            await context.graph.write(unchanged_step([note]), give_back_step([note.id], at))
        else:
            await restore_note(context, access, note, status)
    except Stale:  # it changes right now
        return False
    return True


async def _search(context: Context, access: Access, given: NoteFilter) -> dict[str, Any]:
    about = await filter_entity_names(context, access, given, access.by_name)
    if given.entity is not None and about is not None and not about.names:
        # no note that is in use names it, but archived ones may
        names = (given.entity, entity_id(access.viewer.user, name_key(given.entity)))
        about = replace(about, names=names)
    return {
        "audiences": filter_audiences(access, given),
        "about": about,
        "now": BEGINNING,  # at which nothing has expired
    }


async def _pages(
    context: Context, given: NoteFilter, search: dict[str, Any], *, until: float | None
) -> AsyncIterator[Sequence[Listed]]:
    """Yield what a search finds, newest first, as long as there is time for a page."""
    before, clock = None, asyncio.get_running_loop().time
    for _ in range(MOST // PAGE):
        begun = clock()
        page = await store.list_notes(context.graph, given, **search, before=before, limit=PAGE)
        if not page:
            return
        before = (page[-1].at, page[-1].id)
        yield page
        if until is not None and clock() + 2 * (clock() - begun) > until:
            return


@repeat_while_stale
async def _forget_unchanged(
    context: Context, access: Access, page: Sequence[Listed], *, permanent: bool
) -> int:
    """Forget the notes of a page that are as they were listed; return how many they are."""
    ids = [each.id for each in page]
    loaded = await store.load_notes(context.graph, ids, access.by_name, BEGINNING)
    notes = _unchanged(page, loaded)
    if notes:
        await forget_notes(context, access, notes, permanent=permanent, reason=None)
    return len(notes)


async def _forget(
    context: Context, access: Access, page: Sequence[Listed], *, permanent: bool
) -> int:
    try:
        return await _forget_unchanged(context, access, page, permanent=permanent)
    except Stale:  # notes of it change all the time; the command can be given again
        return 0


def _unchanged(page: Sequence[Listed], loaded: Mapping[str, Note]) -> list[Note]:
    """Return the loaded notes that the search found in this version."""
    return [
        loaded[each.id]
        for each in page
        if each.id in loaded and loaded[each.id].version == each.version
    ]

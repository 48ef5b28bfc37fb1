"""Forgetting: archived notes can be restored; only `permanent` destroys, everywhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphmem.domain.actors import BY_FORGET
from graphmem.domain.alerts import file_of, require_own_files
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import name_key
from graphmem.domain.notes import Note, Status
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.visibility import Reading
from graphmem.errors import Invalid
from graphmem.language.analysis import analyse
from graphmem.language.languages import language_of
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import load_many, require_note
from graphmem.services.recall.recall import MAX_QUERY, recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.purging import purge
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import put_away_by, require_may_destroy
from graphmem.store.changes import unchanged_step
from graphmem.store.decay import keep_archived_step
from graphmem.store.messages import find_tagged

MAX_REASON = 2_000
MATCHES = 20  # notes that one query may forget
LONGEST_TAG = 8  # words
ALIKE = 0.5  # cosine from which a note without the query's words is a match


@dataclass(frozen=True, kw_only=True)
class ForgetOutcome:
    """The notes that were, or would be, forgotten."""

    matches: tuple[Note, ...]
    forgotten: int
    permanent: bool
    needs_confirmation: bool


@repeat_while_stale
async def forget(
    context: Context,
    access: Access,
    *,
    note_id: str | None,
    query: str | None,
    confirm: bool,
    permanent: bool,
    reason: str | None,
) -> ForgetOutcome:
    """Forget a note by id at once, or what a query finds after it was confirmed (DIFF-19)."""
    require_writer(access)
    if (note_id is None) == (query is None):
        raise Invalid("give id or query, one of the two")
    reason = None if reason is None else check_text(reason, "reason", MAX_REASON, empty=True)
    if note_id is not None:
        matches: tuple[Note, ...] = (await require_note(context, access, note_id),)
    else:
        matches = await _find_matches(context, access, query or "")
    if (query is not None and not confirm) or not matches:
        return ForgetOutcome(
            matches=matches,
            forgotten=0,
            permanent=permanent,
            needs_confirmation=bool(matches),
        )
    if query is not None:  # found by a search, not named by their ids
        access = replace(access, viewer=replace(access.viewer, acting_as=BY_FORGET))
    count = await forget_notes(context, access, matches, permanent=permanent, reason=reason)
    shown = (
        matches if permanent else tuple(replace(note, status=Status.ARCHIVED) for note in matches)
    )
    return ForgetOutcome(
        matches=shown, forgotten=count, permanent=permanent, needs_confirmation=False
    )


async def _find_matches(context: Context, access: Access, query: str) -> tuple[Note, ...]:
    """Find notes that hold every word of the query, or are tagged with it or its last words.

    If there are none, those that mean nearly the same.
    """
    check_text(query, "query", MAX_QUERY)
    reading = Reading.EXPLICIT if access.viewer.in_person else Reading.AUTOMATIC
    question = RecallRequest(
        query=query, k=100, profile=Profile.BALANCED, hops=0, track=False, reading=reading
    )
    hits = (await recall(context, access, question)).hits
    readable = frozenset(access.by_name)
    hits = tuple(hit for hit in hits if hit.note.audience.key in readable)
    spoken = language_of(query)
    terms = frozenset(analyse(query, spoken))
    worded = [
        hit.note
        for hit in hits
        if terms and terms <= set(analyse(f"{hit.note.title or ''} {hit.note.content}", spoken))
    ]
    alike = [hit.note for hit in hits if hit.similarity >= ALIKE]
    found = {note.id: note for note in worded[:MATCHES]} | await _find_tagged_notes(
        context, access, query
    )
    return _only_forgettable(access, found.values()) or _only_forgettable(access, alike[:MATCHES])


def _only_forgettable(access: Access, notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes that the viewer may forget: files that agents follow are the user's."""
    in_person = access.viewer.in_person
    return tuple(note for note in notes if in_person or file_of(note) is None)


async def _find_tagged_notes(context: Context, access: Access, query: str) -> dict[str, Note]:
    words = name_key(query).split()
    shortest = min(2, len(words))  # one of several words is not enough to find a tag
    tags = ["-".join(words[i:]) for i in range(len(words) - shortest + 1)]
    ids = await find_tagged(
        context.graph, tags[-LONGEST_TAG:], access.by_name, now=context.clock(), limit=MATCHES
    )
    return await load_many(context, access, ids)


async def forget_notes(
    context: Context,
    access: Access,
    matches: Sequence[Note],
    *,
    permanent: bool,
    reason: str | None,
) -> int:
    """Archive these notes so that no job brings them back, or destroy them for good.

    It takes one transaction and returns how many were archived or destroyed. Raises Stale when one
    of them has changed, and Forbidden for an agent that may not destroy one of them, or where one
    is a file that agents follow.
    """
    require_own_files(access.viewer, matches)
    if permanent:
        await require_may_destroy(context, access, matches)
        return await purge(context, access, matches)
    now = context.clock()
    archived = [note for note in matches if note.status is Status.ARCHIVED]
    matches = [note for note in matches if note.status is not Status.ARCHIVED]
    if archived:  # perhaps by decay, which would bring them back
        by = put_away_by(access.viewer, access.viewer.actor)
        keep = keep_archived_step([note.id for note in archived], by, now)
        await context.graph.write(unchanged_step(archived), keep)
    if not matches:
        return 0
    changed = [
        WorkingNote.of(note).with_change(
            replace(note, status=Status.ARCHIVED),
            now,
            "ARCHIVE",
            "note forgotten",
            {"reason": reason} if reason else None,
            details={"reason": reason},
        )
        for note in matches
    ]
    await apply(context, access, ChangeSet.of(now, changed))
    return len(matches)

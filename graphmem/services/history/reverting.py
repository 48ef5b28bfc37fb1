"""Going back: one note to an earlier version, or all of a user's notes to an earlier time.

The states that are left stay in the revisions, so that going back can itself be undone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from graphmem.domain.drafts import check_instant
from graphmem.domain.notes import Note, Revision, Status
from graphmem.errors import Forbidden, Invalid
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context, missing, require_in_person
from graphmem.services.history.states import crosses_session, is_live, revert_state, state_of
from graphmem.services.reading.notes import load_many, require_note
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, differences
from graphmem.services.writing.changing import narrow_derived_notes
from graphmem.services.writing.reextraction import reextract
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import history as store
from graphmem.store import notes
from graphmem.store.changes import Mentions
from graphmem.store.graph import Step

WINDOW_DAYS = 90
MAX_CHANGED = 10_000  # notes that one call reads
PAGE = 50  # notes in one transaction
KEPT = 1_000  # newest revisions of a note that are read
WHAT = "going back to an earlier state"


@dataclass(frozen=True, kw_only=True)
class _Reversal:
    """A note and the state that it goes back to."""

    note: Note
    new: Note


@repeat_while_stale
async def revert_note(context: Context, access: Access, note_id: str, version: int) -> Note:
    """Make a note what it was at a version: text, title, tags and the like, domain and status.

    It never gets more readers by that. Raises NotFound, and Invalid when it was local to a session.
    """
    require_in_person(access, WHAT)
    note = await require_note(context, access, note_id)
    if note.user != access.viewer.user:
        raise Forbidden("only the user's own notes go back to an earlier version")
    revisions = await _load_revisions(context, access, [note.id])
    past = revisions.get(note.id, ())
    if all(revision.version != version for revision in past):
        raise missing("version")
    then = state_of(note, past, lambda revision: revision.version == version)
    if then is None or crosses_session(note, then):
        raise Invalid("at that version the note was local to a session, or is so now")
    way = _Reversal(
        note=note, new=revert_state(note, then, access.rules, context.writing.half_life_hours)
    )
    if differences(note, way.new):
        await _write_reversals(context, access, [way], {"version": version})
    return await require_note(context, access, note_id)


async def revert_to(context: Context, access: Access, at: datetime, *, dry_run: bool) -> int:
    """Make the user's readable notes what they were at a time, at most 90 days ago.

    Those created since are archived; what was destroyed stays so. Notes are changed page by page,
    each page completely or not at all; when it ends early, the same call again does the rest.
    Returns how many notes change, or would with `dry_run`. Raises Invalid.
    """
    require_in_person(access, WHAT)
    at, now = check_instant(at, "at") or at, context.clock()
    if not now - timedelta(days=WINDOW_DAYS) <= at <= now:
        raise Invalid(f"at must be within the last {WINDOW_DAYS} days")
    ids = await store.changed_since(
        context.graph,
        access.viewer.user,
        access.by_name,
        at,
        now=now,
        limit=MAX_CHANGED + 1,
    )
    if len(ids) > MAX_CHANGED:
        raise Invalid(f"more than {MAX_CHANGED} notes have changed since: choose a later time")
    count = 0
    for start in range(0, len(ids), PAGE):
        count += await _revert_page(context, access, ids[start : start + PAGE], at, dry_run=dry_run)
        if not dry_run:
            access = await reopen_access(context, access)
    return count


@repeat_while_stale
async def _revert_page(
    context: Context, access: Access, ids: Sequence[str], at: datetime, *, dry_run: bool
) -> int:
    ways = await _find_reversals(context, access, ids, at)
    if ways and not dry_run:
        await _write_reversals(context, access, ways, {"at": at.isoformat()})
    return len(ways)


async def _find_reversals(
    context: Context, access: Access, ids: Sequence[str], at: datetime
) -> list[_Reversal]:
    loaded = await load_many(context, access, ids)
    revisions = await _load_revisions(context, access, list(loaded))
    ways: list[_Reversal] = []
    for note in loaded.values():
        if note.created_at > at:
            then = replace(note, status=Status.ARCHIVED) if is_live(note) else note
        else:
            then = state_of(note, revisions.get(note.id, ()), lambda each: each.at <= at)
        if then is None or crosses_session(note, then):
            continue
        new = revert_state(note, then, access.rules, context.writing.half_life_hours)
        if differences(note, new):
            ways.append(_Reversal(note=note, new=new))
    return ways


async def _load_revisions(
    context: Context, access: Access, ids: Sequence[str]
) -> dict[str, list[Revision]]:
    return await notes.list_revisions(
        context.graph, ids, access.of_events, now=context.clock(), limit=KEPT
    )


async def _write_reversals(
    context: Context, access: Access, ways: Sequence[_Reversal], data: dict[str, object]
) -> None:
    now = context.clock()
    after: list[Step] = []
    for way in ways:
        after += await narrow_derived_notes(context, access, way.note, way.new)
    said: list[Mentions] = []
    changed_texts: list[tuple[str, str | None]] = []
    for way in ways:
        if (way.new.content, way.new.title) != (way.note.content, way.note.title):
            _, mentions, title = await reextract(context, way.note, way.new, now, tags_given=True)
            said.append(mentions)
            changed_texts.append((way.note.id, title))
    changes = ChangeSet.of(
        now,
        await _working_notes(context, ways, now, data),
        mentions=_merge_mentions(said),
        reextracted=tuple(changed_texts),
    )
    ended = {
        way.note.id: way.note.valid_to
        for way in ways
        if way.note.valid_to is not None and way.new.valid_to is None
    }
    if ended:
        after.append(store.reopen_step(ended))
    await apply(context, access, changes, after=after)


async def _working_notes(
    context: Context, ways: Sequence[_Reversal], now: datetime, data: dict[str, object]
) -> list[WorkingNote]:
    texts = [way.new for way in ways if way.new.reading_text != way.note.reading_text]
    embedded = await context.embedder.embed_documents([note.reading_text for note in texts])
    vectors = {note.id: vector for note, vector in zip(texts, embedded, strict=True)}
    made = []
    for way in ways:
        old, new = way.note, way.new
        properties: dict[str, object] = {"curatedKey": None}
        if new.visibility is not old.visibility:
            properties["visibilityByUser"] = True
        working = WorkingNote.of(old).with_change(
            new, now, "REVERT", "note reverted", data, properties=properties
        )
        # Tags from a time with other readers are removed when the note gets other readers again.
        lent = tuple(tag for tag in new.tags if tag not in old.tags)
        working = replace(working, vector=vectors.get(new.id), lent_tags=lent)
        if is_live(new) and not is_live(old):  # or it would fade again at once
            working = working.with_accesses([now], 1.0)
        made.append(working)
    return made


def _merge_mentions(said: Iterable[Mentions]) -> Mentions | None:
    every = list(said)
    if not every:
        return None
    return Mentions(
        mentions=[row for each in every for row in each.mentions],
        called=[row for each in every for row in each.called],
        covered=[row for each in every for row in each.covered],
        relations=[row for each in every for row in each.relations],
    )

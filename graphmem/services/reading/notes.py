"""Reading notes by id and in lists, through the gate."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.alerts import names_file
from graphmem.domain.drafts import MAX_KEY, check_instant, check_tags, check_text
from graphmem.domain.ids import check_domain, check_id, key_of_author
from graphmem.domain.notes import MAX_NAME, Note, NoteFilter
from graphmem.domain.visibility import Reading, readable_keys
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading.identity import filter_entity_names
from graphmem.store import notes
from graphmem.store.times import from_milliseconds, to_milliseconds

MAX_PAGE = 500
MAX_IDS = 1000


@dataclass(frozen=True)
class Page:
    """Notes of a list, newest first, with a cursor for each."""

    notes: tuple[Note, ...]
    cursors: tuple[str, ...]
    has_next: bool
    has_previous: bool


def check_filter(given: NoteFilter) -> NoteFilter:
    """Return the filter in normal form. Raises Invalid."""
    return replace(
        given,
        domain=None if given.domain is None else check_domain(given.domain),
        tags=check_tags(given.tags),
        entity=None if given.entity is None else check_text(given.entity, "entity", MAX_NAME),
        author=None if given.author is None else check_id(given.author, "author"),
        episode=None if given.episode is None else check_text(given.episode, "episode", MAX_NAME),
        external_prefix=None
        if given.external_prefix is None
        else check_text(given.external_prefix, "externalPrefix", MAX_KEY),
        text=None if given.text is None else check_text(given.text, "text", MAX_NAME),
        since=check_instant(given.since, "since"),
        until=check_instant(given.until, "until"),
    )


async def get_note(
    context: Context, access: Access, note_id: str | None, external_id: str | None = None
) -> Note:
    """Return one readable note by id or external id.

    Of several authors' notes with the same external id the viewer's own comes first, then the
    oldest; a file that agents follow is the user's own, and no other note replaces it. Raises
    NotFound in the same words whether it does not exist, is expired, or is not for this viewer.
    """
    if (note_id is None) == (external_id is None):
        raise Invalid("give id or externalId, one of the two")
    now = context.clock()
    if external_id is not None:
        agent = access.viewer.agent
        note_id = await notes.find_named(
            context.graph,
            access.viewer.user,
            external_id,
            first=key_of_author(agent.id if agent else None, external_id),
            only=key_of_author(None, external_id) if names_file(external_id) else None,
            audiences=access.by_name,
            now=now,
        )
    return await require_note(context, access, note_id or "")


async def require_note(context: Context, access: Access, note_id: str) -> Note:
    """Return one readable note by id. Raises NotFound."""
    loaded = await notes.load_notes(context.graph, [note_id], access.by_name, context.clock())
    if note_id not in loaded:
        raise missing("note")
    return loaded[note_id]


async def load_many(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Note]:
    """Load the readable notes among the ids."""
    if not ids:
        return {}
    return await notes.load_notes(
        context.graph, list(ids)[:MAX_IDS], access.by_name, context.clock()
    )


async def list_notes(
    context: Context,
    access: Access,
    given: NoteFilter,
    *,
    first: int,
    after: str | None,
    known: datetime | None = None,
) -> Page:
    """Return a page of readable notes, newest first; with `known` those known at that instant.

    The place in the list is a key, not a number, so it stays valid while notes come and go. Raises
    Invalid for a broken cursor.
    """
    place = None if after is None else parse_cursor(after)
    given = check_filter(given)
    found = await notes.list_notes(
        context.graph,
        given,
        filter_audiences(access, given),
        about=await filter_entity_names(context, access, given, access.by_name),
        now=context.clock(),
        before=place,
        limit=first + 1,
        known=known,
    )
    loaded = await load_many(context, access, [each.id for each in found[:first]])
    shown = [each for each in found[:first] if each.id in loaded]
    return Page(
        notes=tuple(loaded[each.id] for each in shown),
        cursors=tuple(cursor(each.at, each.id) for each in shown),
        has_next=len(found) > first,
        has_previous=place is not None,
    )


async def count_notes(context: Context, access: Access, given: NoteFilter) -> int:
    """Count the readable notes that pass the filter."""
    given = check_filter(given)
    return await notes.count_notes(
        context.graph,
        given,
        filter_audiences(access, given),
        about=await filter_entity_names(context, access, given, access.by_name),
        now=context.clock(),
    )


def filter_audiences(access: Access, given: NoteFilter) -> tuple[str, ...]:
    """Return the audiences that the viewer may read and that a filter leaves."""
    return readable_keys(
        access.viewer,
        access.audiences,
        Reading.BY_NAME,
        domain=given.domain,
        visibilities=given.visibilities or None,
    )


def cursor(at: datetime, note_id: str) -> str:
    """Return an opaque place in a list of notes."""
    text = json.dumps([to_milliseconds(at), note_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def parse_cursor(text: str) -> tuple[datetime, str]:
    """Return the place that a cursor stands for. Raises Invalid."""
    try:
        decoded = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        milliseconds, note_id = json.loads(decoded)
        if not (isinstance(note_id, str) and type(milliseconds) is int):
            raise TypeError
        return from_milliseconds(milliseconds), check_id(note_id, "cursor")
    except (ValueError, TypeError, ArithmeticError, OSError, RecursionError, Invalid) as exc:
        raise Invalid("the cursor is broken") from exc


async def lineage(
    context: Context, access: Access, ids: Sequence[str]
) -> dict[tuple[str, str], list[str]]:
    """Return readable relatives of notes by (note id, "supersededBy" or "derivedFrom")."""
    return await notes.list_lineage(context.graph, ids, access.by_name, now=context.clock())

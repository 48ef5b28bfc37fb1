"""The pages of memory/meta that tell of notes, recalls and events."""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from graphmem.domain.activation import BASE_BY_SOURCE
from graphmem.domain.alerts import file_of
from graphmem.domain.events import Event
from graphmem.domain.notes import Note, Tier
from graphmem.language.pages import (
    consolidation_file,
    file_of_event,
    name_files_of_log,
    render_archive,
    render_audit_line,
    render_consolidations,
    top_file,
)
from graphmem.services.context import Access, Context
from graphmem.services.digests import MAX_DIGESTS, list_digests
from graphmem.services.events import list_events
from graphmem.services.recall.coretrieval import list_candidates, list_log_entries
from graphmem.services.syncing.pages.page import MEMORY, META, Page, instant_text, json_page
from graphmem.services.syncing.pages.shelf import Shelf

AUDIT_LOG: Final = META / "audit.log"
MANIFEST: Final = MEMORY / "manifest.json"
MOST_EVENTS: Final = 20_000  # the newest
EVENTS_AT_ONCE: Final = 2_000
MOST_CANDIDATES: Final = 100


def decay_page(context: Context, shelf: Shelf) -> Page:
    """Return how present each note is; a score changes with the calendar day (MOLT-39)."""
    used = [at for note in shelf.notes.values() for at in (note.updated_at, *note.accesses)]
    value = {
        "version": 1,
        "last_updated": instant_text(max(used, default=None)),
        "entries": {
            note.id: _entry(context, shelf, note)
            for note in sorted(shelf.notes.values(), key=lambda note: note.id)
        },
    }
    return json_page(META / "decay-scores.json", value)


def _entry(context: Context, shelf: Shelf, note: Note) -> dict[str, object]:
    kind = "core" if note.tier is Tier.FOUNDATIONAL else note.kind
    return {
        "store": note.kind.lower(),
        "base_relevance": BASE_BY_SOURCE[note.source],
        "created": instant_text(note.created_at),
        "last_accessed": instant_text(note.last_accessed_at),
        "access_count": note.access_count,
        "type_weight": context.ranking.decay.weight(kind),
        "current_score": shelf.score(context, note),
        "status": note.status.lower(),
        "pinned": note.pinned,
    }


def manifest_page(shelf: Shelf) -> Page:
    """Return the topics of short-term and long-term memory (TIER-6).

    A topic is a note of those tiers that has a title; `name_files` tells its file."""
    topics = [
        {
            "topic": note.title,
            "tier": note.tier.lower().replace("_", "-"),
            "file": None,
            "note": note.id,
            "updated": instant_text(note.updated_at),
            "recalls": note.access_count,
        }
        for note in sorted(shelf.notes.values(), key=lambda note: (note.title or "", note.id))
        if note.tier in (Tier.SHORT_TERM, Tier.LONG_TERM) and note.title
    ]
    return json_page(MANIFEST, {"version": 1, "topics": topics})


async def recalls_page(context: Context, access: Access) -> Page:
    """Return the newest tracked recalls, the oldest of them first, and pairs that stand out.

    An agent's recalls are counted by themselves: their numbers among the user's would tell how many
    others there were."""
    entries = list(reversed(await list_log_entries(context, access)))
    if not access.viewer.in_person:
        entries = [replace(entry, cycle=number) for number, entry in enumerate(entries, 1)]
    pairs = await list_candidates(context, access, MOST_CANDIDATES)
    value = {
        "max_entries": context.ranking.co_retrieval.max_entries,
        "entries": [
            {
                "timestamp": instant_text(entry.at),
                "query_domain": entry.domain,
                "memory_ids": list(entry.notes),
                "cycle": entry.cycle,
            }
            for entry in entries
        ],
        "cluster_candidates": [
            {
                "memory_ids": list(pair.notes),
                "co_retrieval_count": pair.count,
                "first_seen": instant_text(pair.first_seen),
                "last_seen": instant_text(pair.last_seen),
            }
            for pair in pairs
        ],
    }
    return json_page(META / "co_retrieval_log.json", value)


async def read_events(context: Context, access: Access) -> list[Event]:
    """Return the newest events that the viewer may know of and no digest counts, oldest first."""
    since = context.clock() - timedelta(days=context.audit_retention_days)
    found: deque[Event] = deque(maxlen=MOST_EVENTS)
    after, page = 0, [None]
    while page:
        page = await list_events(
            context,
            access,
            after=after,
            types=None,
            actor=None,
            subject_id=None,
            since=since,
            until=None,
            first=EVENTS_AT_ONCE,
        )
        found.extend(page)
        after = page[-1].seq if page else after
    return list(found)


def audit_page(events: Sequence[Event], shelf: Shelf) -> Page:
    """Return a line for each event, oldest first (MOLT-69)."""
    top = {note.id: top_file(file) for note in shelf.notes.values() if (file := file_of(note))}
    lines = (render_audit_line(event, file_of_event(event, top)) for event in events)
    return Page(AUDIT_LOG, "".join(lines))


def name_files(pages: Iterable[Page], files: Mapping[str, str]) -> list[Page]:
    """Return the pages, where those that name notes' own files have them as they are now.

    `files` has the paths of the notes' files by the notes' ids."""
    return [_name_files(page, files) for page in pages]


def _name_files(page: Page, files: Mapping[str, str]) -> Page:
    if page.path == AUDIT_LOG:
        return replace(page, text=name_files_of_log(page.text, files))
    if page.path == MANIFEST:
        value = json.loads(page.text)
        for topic in value["topics"]:
            topic["file"] = files.get(topic["note"])
        return json_page(MANIFEST, value)
    return page


async def archive_page(context: Context, access: Access) -> Page:
    """Return the digests of older months, which are for the user in person (MOLT-75)."""
    digests = await list_digests(context, access, MAX_DIGESTS)
    return Page(META / "audit-archive.md", render_archive(digests))


def consolidation_pages(events: Iterable[Event]) -> list[Page]:
    """Return the reports of the nights, a page for each day that has one (MUMA-77)."""
    runs: dict[str, list[tuple[datetime, Mapping[str, int]]]] = {}
    for event in events:
        if isinstance(event.data, Mapping) and event.data.get("event") == "consolidation":
            counts = {str(k): v for k, v in event.data.items() if type(v) is int}
            runs.setdefault(consolidation_file(event.at), []).append((event.at, counts))
    return [
        Page(MEMORY / "daily" / path.rpartition("/")[2], render_consolidations(_day(each), each))
        for path, each in sorted(runs.items())
    ]


def _day(runs: Sequence[tuple[datetime, Mapping[str, int]]]) -> str:
    return f"{runs[0][0].astimezone(UTC):%Y-%m-%d}"

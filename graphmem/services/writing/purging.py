"""Destroys notes for good, with what they gave to others and what this process keeps of them."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.alerts import file_of, is_expected, is_flagged, require_own_files
from graphmem.domain.linking import without_topics
from graphmem.domain.notes import BEGINNING, Note
from graphmem.services.caches import forget_texts
from graphmem.services.context import Access, Context, events_step
from graphmem.services.writing.change_set import flag_event, note_event
from graphmem.services.writing.rights import list_protected
from graphmem.store import purging as store
from graphmem.store.alerts import record_lost_files_step
from graphmem.store.archiving import ChosenNote, restore_row
from graphmem.store.changes import change_step, unchanged_step
from graphmem.store.events import event_row
from graphmem.store.notes import load_notes
from graphmem.store.rows import ChangeRow, EventRow, RevisionRow

NAMELESS = "both are about the same"  # the reason of a link that was based on a tag that is gone


async def purge(
    context: Context, access: Access, notes: Sequence[Note], *, actor: str | None = None
) -> int:
    """Destroy notes in one transaction, as the viewer or another actor; returns their number.

    What jobs have made of them holds their texts, so it goes with them, except for what the user
    protects from the agent that asks; and what was archived for it comes back. Raises Stale when
    one of them, or a note that took tags of theirs, has changed meanwhile.

    Tombstones are the events that stay: they come after the purge, which takes every event about
    the notes.
    """
    now, user = context.clock(), access.viewer.user
    actor = actor or access.viewer.actor
    require_own_files(access.viewer, notes)
    asked = len(notes)
    made = await _load_made(context, [note.id for note in notes])
    kept = await list_protected(context, access, made)
    notes = [*notes, *(note for note in made if note.id not in kept)]
    ids = [note.id for note in notes]
    gone = [note_event("DELETE", "note destroyed for good", note, actor, now) for note in notes]
    if context.critical_alerts:
        gone += [flag_event(note, actor, now) for note in notes if is_flagged(note, actor)]
    found = await store.list_borrowers(context.graph, ids)
    archived = await store.list_archived_for(context.graph, ids)
    events = [_event("EDIT", "a tag was taken back", each, actor, now) for each in found]
    events += [_event("REVERT", "note restored", each, actor, now) for each in archived]
    given = sum(each.straight for each in found)
    back = [_without_lost_tags(each) for each in found]
    agent = access.viewer.agent.id if access.viewer.agent else None
    steps = [
        unchanged_step(notes),
        store.check_no_new_copies_step([*ids, *kept]),
        store.take_back_step(ids, back, given=given, reason=NAMELESS),
    ]
    rows = _merge_rows(
        [_change_row(each) for each in found], [restore_row(each) for each in archived]
    )
    if rows:
        steps.append(change_step(rows, user=user, agent=agent, actor=actor, now=now))
    if lost := [note for note in notes if file_of(note) is not None]:
        steps.append(
            record_lost_files_step(user, lost, actor=actor, expected=is_expected(actor), now=now)
        )
    try:
        await context.graph.write(
            *steps, store.purge_step(ids), events_step(access, [*gone, *events])
        )
    finally:
        forget_texts(context.embedder)
    context.signal(user)
    return asked


def _event(
    kind: str, summary: str, note: store.Borrower | ChosenNote, actor: str, now: datetime
) -> EventRow:
    return event_row(
        kind,
        summary,
        audience=note.audience,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
    )


def _merge_rows(rows: Sequence[ChangeRow], more: Sequence[ChangeRow]) -> list[ChangeRow]:
    """Merge both changes of a note into one."""
    found = {row.id: row for row in rows}
    for row in more:
        if (other := found.get(row.id)) is not None:
            both = {**other.revisions[0].changes, **row.revisions[0].changes}
            revision = RevisionRow(version=row.version + 1, changes=both)
            given = {**other.given, **row.given}
            found[row.id] = replace(other, given=given, revisions=[revision])
        else:
            found[row.id] = row
    return list(found.values())


async def _load_made(context: Context, ids: Sequence[str]) -> list[Note]:
    """Load the notes that jobs have made of these, also expired ones."""
    made = await store.list_derived_notes(context.graph, ids)
    found = await load_notes(context.graph, list(made), sorted(set(made.values())), BEGINNING)
    return list(found.values())


def _lost_tags(found: store.Borrower) -> list[str]:
    """Return the tags that a note loses: one that its own writer gave, too, stays."""
    return [tag for tag in found.gave if tag not in found.given_tags]


def _without_lost_tags(found: store.Borrower) -> store.TakenBack:
    """Return the revisions and links of a note that took tags, without the lost ones."""
    gone = _lost_tags(found)
    revisions = {
        version: _redact_revision(changes, gone) for version, changes in found.revisions.items()
    }
    return store.TakenBack(id=found.id, revisions=revisions, links=found.links)


def _change_row(found: store.Borrower) -> ChangeRow:
    gone = _lost_tags(found)
    tags = [tag for tag in found.tags if tag not in gone]
    return ChangeRow(
        id=found.id,
        version=found.version,
        audience=found.audience,
        given={
            "tags": tags,
            "lentTags": [tag for tag in found.lent_tags if tag in tags],
            "context": without_topics(found.context, gone),
        },
        revisions=[RevisionRow(version=found.version + 1, changes={"tags": True, "context": True})],
    )


def _redact_revision(changes: str, gone: Collection[str]) -> str:
    """Return the changes of a revision without the tags that are gone.

    They are [before, after] of each field.
    """
    fields = json.loads(changes)
    if isinstance(tags := fields.get("tags"), list):
        fields["tags"] = [[tag for tag in each or () if tag not in gone] for each in tags]
    if isinstance(context := fields.get("context"), list):
        fields["context"] = [without_topics(each, gone) for each in context]
    return json.dumps(fields)

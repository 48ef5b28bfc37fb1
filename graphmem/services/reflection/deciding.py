"""Decides a reflection and reverts an applied one: for the user in person.

Each takes one transaction. Nothing is ever applied by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Kind, Note, NoteType, Status, Tier
from graphmem.domain.profiles.recency import RELATED
from graphmem.domain.reflection import (
    Item,
    ItemKind,
    Reflection,
    ReflectionStatus,
    decide_items,
)
from graphmem.errors import Conflict, Stale
from graphmem.language.comparison import ConflictVerdict
from graphmem.language.extraction import mark_of
from graphmem.language.reflection_text import content_of, shared_of, skill_name, steps_of
from graphmem.services.actors import reopen_access
from graphmem.services.context import (
    Access,
    Context,
    events_step,
    require_in_person,
    user_audience,
)
from graphmem.services.reflection.archived import list_still_archived, restore_note
from graphmem.services.reflection.reading import Shown, get_reflection, load_all, show
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, note_event
from graphmem.services.writing.construct import derive_note
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import commons, conflicts, links
from graphmem.store import reflection as store
from graphmem.store.changes import unchanged_step
from graphmem.store.conflicts import ConflictState
from graphmem.store.events import event_row
from graphmem.store.graph import Step
from graphmem.store.rights import not_put_away_step
from graphmem.store.rows import EventRow

IMPORTANCE = 0.6  # least importance of a note made of several episodes


@dataclass(kw_only=True)
class AcceptedChanges:
    """All changes that follow from the accepted items."""

    found: Reflection
    user: str
    now: datetime
    read: Collection[Note] = ()  # the notes that it was decided upon
    made: list[tuple[Item, Note, Sequence[Note]]] = field(default_factory=list)
    linked: list[tuple[Item, str, Sequence[Note]]] = field(default_factory=list)  # link id, ends
    archived: list[tuple[Item, Note]] = field(default_factory=list)
    promoted: list[tuple[Item, Note]] = field(default_factory=list)
    conflicts: list[ConflictState] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    restored: list[Note] = field(default_factory=list)


@repeat_while_stale
async def decide_reflection(
    context: Context,
    access: Access,
    reflection_id: str,
    accept: Collection[str],
    reject: Collection[str] | None,
) -> Shown:
    """Apply the accepted items, all or none.

    What is named in neither list stays undecided; to accept none without naming any to reject
    refuses the whole. Raises Forbidden, NotFound, Invalid, and Conflict when it was decided before,
    or a note of an accepted item has changed since it was proposed: then nothing is changed, and
    the details name those items by their places.
    """
    require_in_person(access, "deciding a reflection")
    found = await get_reflection(context, access, reflection_id)
    _require_status(found, ReflectionStatus.PENDING)
    chosen, status = decide_items(found, accept, reject)
    accepted = [item for item in found.items if chosen.get(item.id) and item.changes]
    if stale := await changed_places(context, found, accepted):
        places = ", ".join(str(place) for place in stale)
        raise Conflict(
            f"notes of item {places} have changed since the reflection; decide without it",
            items=places,
        )
    change = await _collect_changes(context, access, found, accepted)
    refused = [i for i in found.items if chosen.get(i.id) is False and i.archived_at is not None]
    back = await load_all(context, access, await list_still_archived(context, access, refused))
    change.restored = list(back.values())
    await _apply(context, access, change, chosen, status)
    return (await show(context, access, [await get_reflection(context, access, found.id)]))[0]


def _require_status(found: Reflection, *wanted: ReflectionStatus) -> None:
    if found.status not in wanted:
        states = " or ".join(wanted)
        raise Conflict(f"the reflection is {found.status}; it must be {states}")


async def changed_places(context: Context, found: Reflection, items: Sequence[Item]) -> list[int]:
    """Return the places (from 1) of those items whose notes have changed since they were seen."""
    rows = store.locked_rows([item for item in items if item.changes])
    gone = {i.id for i in items if i.changes and len(i.notes) < i.size}
    gone |= await store.changed_items(context.graph, rows, context.clock())
    wanted = {item.id for item in items}
    return [p for p, i in enumerate(found.items, 1) if i.id in wanted and i.id in gone]


async def _collect_changes(
    context: Context, access: Access, found: Reflection, accepted: Sequence[Item]
) -> AcceptedChanges:
    change = AcceptedChanges(found=found, user=access.viewer.user, now=context.clock())
    loaded = await load_all(context, access, sorted({n for i in accepted for n in i.ids}))
    change.read = loaded.values()
    for item in accepted:
        if any(note not in loaded for note in item.ids):
            raise Conflict("a note of an accepted item has gone meanwhile")
        about = [loaded[note] for note in item.ids]
        match item.kind:
            case ItemKind.FACT | ItemKind.PROCEDURE | ItemKind.SKILL:
                make = partial(_make_note, context, item, about, change.now)
                note = await context.texts.run(lambda _, make=make: make())
                change.made.append((item, note, about))
                change.kept |= set(item.ids)
            case ItemKind.LINK:
                change.linked.append((item, uuid7(change.now), about))
                change.kept |= set(item.ids)
            case ItemKind.CONTRADICTION:
                change.conflicts.append(_conflict_state(item))
                change.kept.add(about[0].id)
            case ItemKind.CORE if item.promotes:
                change.promoted.append((item, about[0]))
                change.kept.add(about[0].id)
            case _:
                pass
        if item.archives is not None:
            change.archived.append((item, loaded[item.archives]))
    change.kept -= {note.id for _, note in change.archived}
    return change


def _conflict_state(item: Item) -> ConflictState:
    keep, other = item.ids
    return ConflictState(
        one=keep,
        other=other,
        similarity=float(str(item.numbers["similarity"])),
        verdict=ConflictVerdict(str(item.numbers["verdict"])),
        open=False,
        resolution=f"{keep} stays; decided in a reflection",
    )


def _make_note(context: Context, item: Item, about: Sequence[Note], now: datetime) -> Note:
    """Return the note that repeated episodes become, for the same readers as theirs."""
    content = content_of(item, about)
    said = context.extractor(content, title=None, speaker=None, occurred_at=None, now=now)
    fact = item.kind is ItemKind.FACT
    skill = item.kind is ItemKind.SKILL
    return replace(
        derive_note(about[0], now),
        content=content,
        title=skill_name(about[0]) if skill else None,
        context=said.context,
        keywords=said.keywords,
        tags=said.tags,
        kind=Kind.SEMANTIC if fact else Kind.PROCEDURAL,
        type=said.type if fact else NoteType.FACT,
        importance=max(IMPORTANCE, *(note.importance for note in about)),
        confidence=max(note.confidence for note in about),
        tier=Tier.DAILY,
        half_life_hours=context.writing.half_life_hours,
    )


async def _apply(
    context: Context,
    access: Access,
    change: AcceptedChanges,
    chosen: Mapping[str, bool],
    status: ReflectionStatus,
) -> None:
    found, now, user = change.found, change.now, change.user
    made = {item.id: link for item, link, _ in change.linked}
    items = [store.DecidedItem(id=i, accepted=said, link=made.get(i)) for i, said in chosen.items()]
    by = access.viewer.actor
    steps = [store.decide_step(found.id, user, items, status, actor=by, now=now)]
    accepted = [i for i in found.items if chosen.get(i.id) and i.changes]
    after: list[Step] = []
    if accepted or change.restored:
        read = {note.id: note for note in (*change.read, *change.restored)}
        steps.insert(0, unchanged_step(read.values()))  # notes are locked before anything else
        steps += [not_put_away_step(note.id, now) for note in change.restored]
    if accepted:
        steps.append(store.lock_step(store.locked_rows(accepted), now))
        steps += _backup_steps(change)
        for note in _list_skills(change):
            key = name_key(note.title or "")
            steps.append(commons.claim_step(user, key, access.by_name, now))
        after = _result_steps(change)
    decision = event_row(
        "REJECT" if status is ReflectionStatus.REJECTED else "COMMIT",
        f"reflection {status.lower()}",
        audience=user_audience(user),
        actor=by,
        at=now,
        subject_id=found.id,
        data={
            "reflection": found.name,
            "accepted": sum(chosen.values()),
            "rejected": len(chosen) - sum(chosen.values()),
        },
    )
    changes = ChangeSet(now=now, notes=await _working_notes(context, change))
    events = [decision, *_link_events(change)]
    await apply(
        context, access, changes, actor=found.actor, before=steps, after=after, events=events
    )


def _backup_steps(change: AcceptedChanges) -> list[Step]:
    """Return the steps that store the old state of notes on the items that change them.

    They come before the notes are changed.
    """
    archived = [(item.id, note.id) for item, note in change.archived]
    promoted = [(item.id, note.id, str(item.numbers["block"])) for item, note in change.promoted]
    return [
        *([store.archive_step(archived)] if archived else []),
        *([store.promote_step(promoted)] if promoted else []),
    ]


async def _working_notes(context: Context, change: AcceptedChanges) -> dict[str, WorkingNote]:
    """Return the notes that are made, archived or put into core memory."""
    notes, now = await _make_notes(context, change), change.now
    notes |= {note.id: restore_note(note, now) for note in change.restored}
    for item, note in change.promoted:
        block = item.numbers["block"]
        notes[note.id] = WorkingNote.of(note).with_change(
            note,
            now,
            "EDIT",
            "line put into core memory",
            {"block": block},
            details={"coreBlock": [None, block]},
            properties={"coreBlock": block},
        )
    for _, note in change.archived:
        working = notes.get(note.id) or WorkingNote.of(note)
        notes[note.id] = working.with_change(
            replace(working.note, status=Status.ARCHIVED),
            now,
            "ARCHIVE",
            "note archived by a reflection",
            details={"reason": "decided in a reflection"},
        )
    return notes


async def _make_notes(context: Context, change: AcceptedChanges) -> dict[str, WorkingNote]:
    texts = [note.reading_text for _, note, _ in change.made]
    vectors = await context.embedder.embed_documents(texts) if texts else []
    return {
        note.id: WorkingNote.new(
            note,
            "CREATE",
            "note made by a reflection",
            {"kind": note.kind, "type": note.type, "from": [each.id for each in about]},
            vector=vector,
            properties={"coreMark": mark_of(note), "givenTags": [], "givenKeywords": []}
            | _skill_properties(item, about),
        )
        for (item, note, about), vector in zip(change.made, vectors, strict=True)
    }


def _skill_properties(item: Item, about: Sequence[Note]) -> dict[str, object]:
    if item.kind is not ItemKind.SKILL:
        return {}
    return commons.skill_properties(None, [note.author for note in about if note.author])


def _list_skills(change: AcceptedChanges) -> list[Note]:
    return [note for item, note, _ in change.made if item.kind is ItemKind.SKILL]


def _result_steps(change: AcceptedChanges) -> list[Step]:
    found, now, user, actor = change.found, change.now, change.user, change.found.actor
    steps: list[Step] = []
    if change.made:
        ties = [
            store.Origin(
                item=item.id,
                note=note.id,
                sources=[each.id for each in about],
                tellers=[each.id for each in _tellers(item, about)],
            )
            for item, note, about in change.made
        ]
        steps.append(store.make_step(ties, now))
        steps += [commons.mark_step(note.id) for note in _list_skills(change)]
    steps += [_link_step(change, *each) for each in change.linked]
    if change.conflicts:
        steps.append(conflicts.close_step(user, change.conflicts, actor=actor, now=now))
    if change.kept:
        steps.append(store.keep_step(found.id, sorted(change.kept), now))
    return steps


def _link_step(change: AcceptedChanges, item: Item, link: str, ends: Sequence[Note]) -> Step:
    one, other = ends
    return links.create_step(
        link,
        one.id,
        other.id,
        RELATED,
        user=change.user,
        reason=shared_of(item),
        strength=float(str(item.numbers["strength"])),
        actor=change.found.actor,
        now=change.now,
    )


def _tellers(item: Item, about: Sequence[Note]) -> Sequence[Note]:
    alone = item.kind in (ItemKind.FACT, ItemKind.SKILL)
    return about[:1] if alone else steps_of(item, about)


def _link_events(change: AcceptedChanges) -> list[EventRow]:
    return [
        note_event("LINK", "note linked", one, change.found.actor, change.now, {"to": [other.id]})
        for _, _, (one, other) in change.linked
    ]


@repeat_while_stale
async def revert_reflection(context: Context, access: Access, reflection_id: str) -> Shown:
    """Revert what an applied reflection changed, except what others have changed since.

    A note that it made and that has changed or got links since is archived, and what was restored
    or settled again does not change. Raises Forbidden, NotFound, and Conflict unless it is applied.
    """
    require_in_person(access, "reverting a reflection")
    found = await get_reflection(context, access, reflection_id)
    _require_status(found, ReflectionStatus.APPLIED, ReflectionStatus.PARTIAL)
    now, user, by = context.clock(), access.viewer.user, access.viewer.actor
    accepted = [i for i in found.items if i.accepted and i.changes]
    closed = [str(i.numbers["conflict"]) for i in accepted if i.kind is ItemKind.CONTRADICTION]
    ids = sorted({n for i in accepted for n in i.ids})
    loaded = await load_all(context, access, ids, by_name=True)  # some are USER_ONLY by now
    if len(loaded) < len(ids) and await _has_new_audiences(context, access):
        raise Stale  # a missing note has moved to readers that this request does not know
    events = [
        note_event("REVERT", "change by a reflection reverted", loaded[note], by, now)
        for note in dict.fromkeys(_list_reverted(accepted))
        if note in loaded
    ]
    reverted = event_row(
        "REVERT",
        "reflection reverted",
        audience=user_audience(user),
        actor=by,
        at=now,
        subject_id=found.id,
        data={"reflection": found.name},
    )
    done = await store.read_done(context.graph, found.id)
    await context.graph.write(
        unchanged_step(loaded.values()),
        *store.revert_steps(found, user, done, closed, actor=by, now=now),
        events_step(access, [reverted, *events]),
    )
    context.signal(user)
    return (await show(context, access, [await get_reflection(context, access, found.id)]))[0]


async def _has_new_audiences(context: Context, access: Access) -> bool:
    fresh = await reopen_access(context, access)
    return not frozenset(fresh.by_name).issubset(access.by_name)


def _list_reverted(items: Sequence[Item]) -> list[str]:
    """Return the notes whose readers get an event about the reversion."""
    return [item.archives or item.ids[0] for item in items if item.notes]

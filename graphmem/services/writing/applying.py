"""Writes a change set in one transaction.

It is guarded by the versions and the readers that the change was decided upon, and its last step
writes the events.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.alerts import is_flagged, needs_confirmation, require_own_files
from graphmem.domain.notes import Note
from graphmem.domain.visibility import Audience
from graphmem.language.comparison import ConflictVerdict
from graphmem.language.extraction import mark_of
from graphmem.services.context import Access, Context, check_audience, events_step
from graphmem.services.writing.building import REINFORCED
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, flag_event, note_event
from graphmem.services.writing.mentions import LookedUp, Written, collect_mentions
from graphmem.services.writing.passages import passage_steps
from graphmem.services.writing.refinement_queue import may_wait, pending_properties, task_of
from graphmem.services.writing.rights import keep_decisions, put_away_by
from graphmem.services.writing.words import COUNTED, word_properties
from graphmem.store import conflicts, deciding, entities, links, notes
from graphmem.store.changes import Mentions, change_step, create_step, same_readers_step
from graphmem.store.graph import Step
from graphmem.store.rows import ChangeRow, CreateRow, EventRow


async def apply(
    context: Context,
    access: Access,
    changes: ChangeSet,
    *,
    actor: str | None = None,
    before: Sequence[Step] = (),
    after: Sequence[Step] = (),
    events: Sequence[EventRow] = (),
) -> None:
    """Write a change set, between the steps `before` and `after`, with its events and `events`.

    `actor`: who makes the change, by default the viewer. Raises Forbidden for one audience too many
    and for a copy of a note that the user lets fewer read, Stale when a note, the rules or the
    profiles have changed since it was decided.
    """
    for working in changes.notes.values():
        if working.before is not None and working.before.audience != working.audience:
            check_audience(access, working.audience)
    changes = await keep_decisions(context, access, changes)
    steps = await steps_of(
        context, access, changes, actor=actor, before=before, after=after, events=events
    )
    await context.graph.write(*steps)
    context.signal(access.viewer.user)


async def steps_of(
    context: Context,
    access: Access,
    changes: ChangeSet,
    *,
    looked_up: LookedUp | None = None,
    actor: str | None = None,
    before: Sequence[Step] = (),
    after: Sequence[Step] = (),
    events: Sequence[EventRow] = (),
) -> list[Step]:
    """Return the steps that write a change set; none when nothing changes.

    `looked_up`: names that were read already.
    """
    user, by, now = access.viewer.user, actor or access.viewer.actor, changes.now
    owner = changes.owner or user
    agent = access.viewer.agent.id if access.viewer.agent else None
    words = await _new_word_properties(context, changes)
    steps: list[Step] = []
    if changes.released:
        steps.append(notes.release_step(changes.released))
    if elsewhere := _conflicts_across_readers(changes):
        steps.append(same_readers_step(elsewhere))
    changed = [working for working in changes.notes.values() if working.is_changed]
    require_own_files(access.viewer, (each.before for each in changed if each.before))
    if changed:  # first, because a superseded note gives its key away
        away = put_away_by(access.viewer, by)
        rows = [_change_row(working, words.get(working.id), away) for working in changed]
        steps.append(change_step(rows, user=user, agent=agent, actor=by, now=now))
    # Before any link: a link takes a shared lock on a note with many links, which can't become the
    # note's own lock while another writer holds one, too; both would wait for each other.
    steps += _reinforcement_steps(changes)
    steps += await _creation_steps(context, access, changes, owner, words, looked_up, by)
    steps += await passage_steps(
        context, (each.note for each in changes.notes.values() if each.vector is not None)
    )
    steps += _connection_steps(changes, owner, by)
    if new_wordings := [(i, said) for i, each in changes.notes.items() for said in each.wordings]:
        steps.append(deciding.add_wordings_step(new_wordings, actor=by, now=now))
    rows = [*events, *_events(changes, by)]
    if context.critical_alerts:
        rows += _flag_events(changes, by)
    steps = [*before, *steps, *after]
    if rows:
        steps.append(events_step(access, rows, _new_readers(changes)))
    return steps


def _new_readers(changes: ChangeSet) -> list[Audience]:
    return [
        working.audience
        for working in changes.notes.values()
        if working.before is None or working.before.audience != working.audience
    ]


async def _new_word_properties(
    context: Context, changes: ChangeSet
) -> dict[str, dict[str, object]]:
    """Return the stored properties of the words of new texts, by the ids of their notes."""
    texts = [each.note for each in changes.notes.values() if each.vector is not None]
    kept = await context.texts.each(
        word_properties, texts, lambda note: min(len(note.content), COUNTED)
    )
    return {note.id: words for note, words in zip(texts, kept, strict=True)}


def _change_row(
    working: WorkingNote, words: dict[str, object] | None, away: str | None
) -> ChangeRow:
    old, new = working.before, working.note
    assert old is not None
    given = working.changed_properties(away)
    return ChangeRow(
        id=new.id,
        version=old.version,
        audience=old.audience.key,
        readers=new.audience,
        given=given if words is None else given | words,
        revisions=working.revisions,
        given_tags=working.given_tags,
        given_keywords=working.given_keywords,
        lent_tags=working.lent_tags,
        vector=working.vector,
        ended_at=None if new.valid_to == old.valid_to else new.valid_to,
    )


async def _creation_steps(
    context: Context,
    access: Access,
    changes: ChangeSet,
    owner: str,
    words: dict[str, dict[str, object]],
    looked_up: LookedUp | None,
    actor: str,
) -> list[Step]:
    """Return the steps that write the new notes, and what notes mention and say of entities."""
    now = changes.now
    rows = [
        _create_row(context, access, working, words[working.id])
        for working in changes.notes.values()
        if working.before is None
    ]
    said = await _collect_mentions(context, owner, changes, looked_up)
    steps = [entities.mark_step(i, title) for i, title in changes.reextracted]
    steps += [
        entities.forget_mentions_step(working.id)
        for working in changes.notes.values()
        if working.before is not None and working.draft is not None and working.vector is not None
    ]
    if rows or said:  # names are spelled for it, which takes a while for many
        steps.append(
            await context.texts.run(
                lambda _: create_step(rows, said, user=owner, actor=actor, now=now)
            )
        )
    return [*steps, *(entities.sweep_step(i) for i, _ in changes.reextracted)]


def _create_row(
    context: Context, access: Access, working: WorkingNote, words: dict[str, object]
) -> CreateRow:
    return CreateRow(
        note=working.note,
        properties={
            **words,
            "visibilityByUser": False,
            **_plan_properties(context, access, working),
            **working.properties,
        },
        embedding=working.vector or (),
        revisions=working.revisions,
    )


def _plan_properties(context: Context, access: Access, working: WorkingNote) -> dict[str, object]:
    """Return the properties of a note's node that come from its plan and draft."""
    plan, note = working.plan, working.note
    if plan is None:
        return {}
    is_original = working.is_live and working.is_as_told
    properties: dict[str, object] = {
        "curatedKey": plan.curated_key if is_original else None,
        "coreMark": mark_of(note),
        "visibilityByUser": plan.decided
        or (plan.given.visibility is not None and note.author is None),
        "byHand": access.viewer.decided_by_user or None,
        "ruledElsewhere": plan.decided or None,
        "externalKey": plan.external_key,
        "lentTags": list(working.lent_tags) or None,
        "idempotencyKey": plan.request_key,
        "requestOperation": plan.operation if plan.request_key else None,
        "requestHash": plan.request_hash if plan.request_key else None,
    }
    if context.refiner is not None and is_original and may_wait(note):
        task = task_of(access, note, plan.given, compare=plan.curated)
        properties |= pending_properties(task, note.created_at)
    if note.context is not None:  # all words of other notes were given
        properties["givenTags"] = list(working.given_tags)
        properties["givenKeywords"] = list(working.given_keywords)
    return properties


async def _collect_mentions(
    context: Context, owner: str, changes: ChangeSet, looked_up: LookedUp | None
) -> Mentions:
    """Collect what new and grown notes mention and say of entities."""
    if changes.mentions is not None:
        return changes.mentions
    written = [
        Written(
            working.note if working.draft.content else _without_text(working.note), working.draft
        )
        for working in changes.notes.values()
        if working.draft is not None
    ]
    return await collect_mentions(context, owner, written, looked_up) if written else Mentions()


def _without_text(note: Note) -> Note:
    """Return the note for names that were given when it was repeated: its text is read already."""
    return replace(note, title=None, content="")


def _connection_steps(changes: ChangeSet, owner: str, actor: str) -> list[Step]:
    """Return the steps that write links, supersessions and conflicts."""
    steps, now = [], changes.now
    if changes.superseded:
        steps.append(deciding.supersede_step(changes.superseded, now))
    if changes.links:
        steps.append(links.create_many_step(changes.links, user=owner, actor=actor, now=now))
    if changes.conflicts:
        verdict = ConflictVerdict.CONTRADICTORY
        steps.append(conflicts.open_step(owner, changes.conflicts, verdict, now))
    if changes.derived:
        steps.append(deciding.derive_step(changes.derived, now))
    return steps


def _conflicts_across_readers(changes: ChangeSet) -> dict[str, str]:
    """Return the audiences of stored notes in conflict with a new note that has other readers.

    The event about them goes to the readers that they had.
    """
    found = dict[str, str]()
    for old, new, _ in changes.conflicts:
        before, by = changes.notes[old].before, changes.notes[new]
        if before is not None and before.audience != by.audience:
            found[old] = before.audience.key
    return found


def _reinforcement_steps(changes: ChangeSet) -> list[Step]:
    """Return the step that adds accesses and half-lives to what others count at the same time."""
    times, factors = dict[str, list[datetime]](), dict[str, float]()
    for working in changes.notes.values():
        if working.before is not None and (working.accesses or working.factor != 1.0):
            times[working.id], factors[working.id] = [*working.accesses], working.factor
    for note, count in Counter(changes.strengthened).items():
        times.setdefault(note, []).extend([changes.now] * count)
        factors[note] = factors.get(note, 1.0) * REINFORCED**count
    return [notes.reinforce_step(times, factors)] if times else []


def _events(changes: ChangeSet, actor: str) -> list[EventRow]:
    now = changes.now
    rows = [row for each in changes.notes.values() for row in each.event_rows(actor, now)]
    linked: dict[str, list[str]] = defaultdict(list)
    for link in changes.links:
        one, other = changes.notes[link.source], changes.notes[link.target]
        if one.audience == other.audience:  # nobody may learn of a note it can't read
            linked[link.source].append(link.target)
    for note, others in linked.items():
        said = changes.notes[note].note
        rows.append(note_event("LINK", "note linked", said, actor, now, {"to": others}))
    for old, new, _ in changes.conflicts:
        note, before = changes.notes[new].note, changes.notes[old].note
        summary, data = "two notes contradict each other", {"notes": [old, new]}
        row = note_event("ALERT", summary, note, actor, now, data, "memory_conflict", other=before)
        rows.append(row)
    return rows


def _flag_events(changes: ChangeSet, actor: str) -> list[EventRow]:
    """Return alerts about files that were edited by an actor they do not belong to (MOLT-72)."""
    return [
        flag_event(each.note, actor, changes.now)
        for each in changes.notes.values()
        if each.is_changed
        and is_flagged(each.note, actor)
        and any(needs_confirmation(revision.changes, actor) for revision in each.revisions)
    ]

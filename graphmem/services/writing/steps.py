"""Writing what was decided: the desk of a call as the steps of one transaction."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note
from graphmem.language.comparison import ConflictVerdict
from graphmem.language.extraction import mark_of
from graphmem.services.context import Access, Context, events_step, room_steps
from graphmem.services.refinement.queue import may_wait, task_of, waiting_properties
from graphmem.services.writing.changing import note_event
from graphmem.services.writing.deciding import Choice
from graphmem.services.writing.desk import REINFORCED, Desk, Held
from graphmem.services.writing.mentions import LookedUp, Written, mentioned
from graphmem.services.writing.words import COUNTED, words_of
from graphmem.store import conflicts, deciding, entities, links, notes
from graphmem.store.changes import change_step
from graphmem.store.graph import Row, Step
from graphmem.store.notes import audience_map


async def steps_of(
    context: Context,
    access: Access,
    choices: Sequence[Choice],
    desk: Desk,
    looked_up: LookedUp,
) -> list[Step]:
    """The steps that write what was decided; none when nothing changes. `looked_up`: names that
    were read beside the notes."""
    user, actor, now = access.viewer.user, access.viewer.actor, desk.now
    choosing = {choice.plan.note.id: choice for choice in choices}
    added = [held for held in desk.held.values() if held.before is None]
    changed = [held for held in desk.held.values() if held.given()]
    texts = [held.note for held in desk.held.values() if held.vector is not None]
    indexes = await context.texts.each(
        words_of, texts, lambda note: min(len(note.content), COUNTED)
    )
    words = {note.id: index for note, index in zip(texts, indexes, strict=True)}
    steps: list[Step] = []
    if released := [note for choice in choices for note in choice.release]:
        steps.append(Step("notes/release", {"ids": released}))
    if changed:  # first, for what is superseded gives its key away
        rows = [_change_row(held, words.get(held.note.id)) for held in changed]
        steps.append(change_step(rows, actor=actor, now=now))
    # Before any link: a link's lock on a note with many can't become the note's own when another
    # writer holds one, too, and both would wait for each other.
    steps += _reinforced(desk)
    if added:
        rows = [
            _create_row(context, access, held, choosing[held.note.id], words[held.note.id])
            for held in added
        ]
        agent = access.viewer.agent.id if access.viewer.agent else None
        steps.append(notes.create_step(rows, user=user, agent=agent, actor=actor, now=now))
    steps += await _mentions(context, user, desk, looked_up, now)
    chained = [{"id": h.note.id, "episode": h.note.episode} for h in added if h.note.episode]
    if chained:
        steps.append(entities.chain_step(chained, user=user, now=now))
    steps += _between(desk, user, actor)
    if told := [(held.note.id, said) for held in desk.held.values() for said in held.told]:
        steps.append(deciding.tell_step(told, actor=actor, now=now))
    if events := _events(choices, desk, actor):
        steps.append(events_step(access, events))
        steps += room_steps(access, {held.note.audience for held in added})
    return steps


def _create_row(context: Context, access: Access, held: Held, choice: Choice, words: bytes) -> Row:
    plan = choice.plan
    properties = notes.note_properties(held.note) | {
        "words": words,
        "curatedKey": held.curated_key if held.is_live and held.is_as_told else None,
        "coreMark": mark_of(held.note),
        "visibilityByUser": plan.given.visibility is not None and held.note.author is None,
        "externalKey": plan.external_key,
        "lentTags": list(held.lent_tags) or None,
        "idempotencyKey": plan.request_key,
        "requestOperation": choice.operation if plan.request_key else None,
        "requestHash": plan.request_hash if plan.request_key else None,
    }
    if context.refiner is not None and held.is_live and held.is_as_told and may_wait(held.note):
        task = task_of(access, held.note, plan.given, compare=plan.curated)
        properties |= waiting_properties(task, held.note.created_at)
    if held.note.context is not None:  # of others all words are given
        properties["givenTags"] = list(held.given_tags)
        properties["givenKeywords"] = list(held.given_keywords)
    return {
        "properties": properties,
        "embedding": held.vector or (),
        "audience": audience_map(held.note.audience),
        "revisions": held.revisions,
    }


def _change_row(held: Held, words: bytes | None) -> Row:
    assert held.before is not None
    given = held.given()
    return {
        "id": held.note.id,
        "version": held.before.version,
        "audience": held.before.audience.key,
        "given": given if words is None else given | {"words": words},
        "givenTags": list(held.given_tags),
        "givenKeywords": list(held.given_keywords),
        "lentTags": list(held.lent_tags),
        "revisions": held.revisions,
        "embedding": held.vector,
        "endedAt": held.note.valid_to,
    }


async def _mentions(
    context: Context, user: str, desk: Desk, looked_up: LookedUp, now: datetime
) -> list[Step]:
    """What new and grown notes mention and say of entities."""
    written = []
    steps: list[Step] = []
    for held in desk.held.values():
        if held.draft is None:
            continue
        if held.before is not None and held.vector is not None:
            steps.append(entities.forget_mentions_step(held.note.id))
        note = held.note if held.draft.content else _without_text(held.note)
        written.append(Written(note, held.draft))
    if not written:
        return []
    found = await mentioned(context, user, written, looked_up)
    # Names are spelled for it, which takes a while where there are many.
    return [*steps, *await context.texts.run(lambda _: found.steps(user, now))]


def _without_text(note: Note) -> Note:
    """The note for names that were given with another telling: its text is read already."""
    return replace(note, title=None, content="")


def _between(desk: Desk, user: str, actor: str) -> list[Step]:
    """Links, supersessions and conflicts."""
    steps = []
    if desk.superseded:
        steps.append(deciding.supersede_step(desk.superseded, desk.now))
    ids = sorted(uuid7(desk.now) for _ in desk.links)  # equal ones show in one order
    rows = [
        {
            "id": link,
            "source": one.note.id,
            "target": other.note.id,
            "kind": found.kind,
            "strength": found.strength,
            "reason": found.reason,
            "gave": desk.gave.get((one.note.id, other.note.id)),
        }
        for link, (one, other, found) in zip(ids, desk.links, strict=True)
    ]
    if rows:
        steps.append(links.create_many_step(rows, user=user, actor=actor, now=desk.now))
    if desk.conflicts:
        pairs = [(old.note.id, new.note.id, near) for old, new, near in desk.conflicts]
        steps.append(conflicts.open_step(user, pairs, ConflictVerdict.CONTRADICTORY, desk.now))
    return steps


def _reinforced(desk: Desk) -> list[Step]:
    """Accesses and half-lives; added to what others count at the same time."""
    groups: dict[tuple[float, int], dict[str, list[datetime]]] = defaultdict(dict)
    for held in desk.held.values():
        if held.before is not None and (held.accesses or held.factor != 1.0):
            groups[held.factor, len(held.accesses)][held.note.id] = held.accesses
    unread: dict[str, list[datetime]] = defaultdict(list)
    for note in desk.strengthened:
        unread[note].append(desk.now)
    for note, times in unread.items():
        groups[REINFORCED ** len(times), len(times)][note] = times
    return [notes.reinforce_step(times, factor) for (factor, _), times in sorted(groups.items())]


def _events(choices: Sequence[Choice], desk: Desk, actor: str) -> list[Row]:
    rows = []
    for held in desk.held.values():
        if held.before is None:
            data = {"kind": held.note.kind, "type": held.note.type}
            rows.append(note_event("CREATE", "note remembered", held.note, actor, desk.now, data))
        for kind, summary, data in held.events:
            rows.append(note_event(kind, summary, held.note, actor, desk.now, data))
    linked: dict[str, list[str]] = defaultdict(list)
    for one, other, _ in desk.links:
        if one.note.audience == other.note.audience:  # nobody hears of a note it can't read
            linked[one.note.id].append(other.note.id)
    for note, others in linked.items():
        held = desk.held[note]
        rows.append(note_event("LINK", "note linked", held.note, actor, desk.now, {"to": others}))
    for old, new, _ in desk.conflicts:
        rows.append(
            note_event(
                "ALERT",
                "two notes contradict each other",
                new.note,
                actor,
                desk.now,
                {"notes": [old.note.id, new.note.id]},
                channel="memory_conflict",
            )
        )
    return rows

"""Core memory: what a viewer's notes say about the user, made again each time it is asked for.

Nothing of it is stored as a text: a line that somebody writes is a note with readers of its own,
and the others are existing notes. So the gate of the notes is the gate of core memory.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.domain.consolidation import MOST_ACTIVE
from graphmem.domain.core import (
    BLOCK_OF,
    IMPORTANT,
    MOST,
    Block,
    Core,
    Line,
    Mark,
    check_block,
    check_lines,
    find_repeated,
    fit_lines,
)
from graphmem.domain.decay import Decay
from graphmem.domain.drafts import check_instant
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, NoteDraft, Status, Tier, Validity, WriteMode
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.strength import activation_of, relevance_of
from graphmem.domain.visibility import Reading, readable_keys
from graphmem.errors import Forbidden
from graphmem.language.extraction import core_line, core_lines, mark_of
from graphmem.services.context import Access, Context
from graphmem.services.reading.history import every_note_as_of
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.deciding import may_reread
from graphmem.services.writing.plans import Plan
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import core as store

_DATED = {
    Mark.DECISION: "Decided",
    Mark.TASK: "To do, as of",
    Mark.EVENT: "Event of",
    Mark.EMOTION: "Mood on",
}
TENURE = "Working together since"


async def core_memory(context: Context, access: Access, audiences: Sequence[str]) -> Core:
    """Return the core memory of the notes of these audiences, within the cap.

    The viewer may read these audiences.
    """
    await context.embedder.ready()  # it counts the tokens
    now = context.clock()
    parts = await store.read_parts(context.graph, audiences, now)
    lines: list[Line] = []
    if parts.since is not None:
        text = f"{TENURE} {parts.since:%Y-%m-%d}"
        lines.append(Line(block=Block.PERSONA, text=text, at=parts.since, standing=2))
    decay = context.ranking.decay
    lines += [*_written_lines(parts.written, now, decay), *derive_lines(parts.marked, now, decay)]
    shown = {line.note for line in lines}
    lines += _active_lines([n for n in parts.active if n.id not in shown], now, context.ranking)
    return fit_lines(lines, context.core_token_cap, context.embedder.count_tokens)


async def core_memory_as_of(
    context: Context, access: Access, audiences: Sequence[str], as_of: datetime | None
) -> Core:
    """Return the core memory of these audiences as it was at an instant.

    It is made of the notes that existed then, as they were, as far as the viewer could read them
    then. What consolidation chose later is not among them, nor what it has given up since. Raises
    Invalid.
    """
    at = check_instant(as_of, "asOf")
    if at is None:
        return await core_memory(context, access, audiences)
    await context.embedder.ready()
    parts, kept, every = await asyncio.gather(
        store.read_parts(context.graph, audiences, context.clock()),
        store.read_kept(context.graph, audiences, at),
        every_note_as_of(context, access, at),
    )
    readable = frozenset(audiences)
    found = [
        replace(note, content=note.content[: store.LETTERS])
        for note in reversed(every)
        if note.audience.key in readable and note.id not in kept.skills and _was_true(note, at)
    ]
    lines: list[Line] = []
    if parts.since is not None and parts.since <= at:
        text = f"{TENURE} {parts.since:%Y-%m-%d}"
        lines.append(Line(block=Block.PERSONA, text=text, at=parts.since, standing=2))
    decay = context.ranking.decay
    lines += _written_lines(
        [(kept.blocks[n.id], n) for n in found if n.id in kept.blocks], at, decay
    )
    others = [n for n in found if n.id not in kept.blocks and n.validity is not Validity.DEPRECATED]
    lines += derive_lines([(m, n) for n in others if (m := mark_of(n)) is not None], at, decay)
    shown = {line.note for line in lines}
    active = [n for n in others if n.id in kept.chosen and n.id not in shown]
    lines += _active_lines(active, at, context.ranking)
    return fit_lines(lines, context.core_token_cap, context.embedder.count_tokens)


def _was_true(note: Note, at: datetime) -> bool:
    """Return True if a note was true at an instant, and had not expired."""
    begun = note.valid_from is None or note.valid_from <= at
    ends = (note.valid_to, note.expires_at)
    return begun and all(end is None or end > at for end in ends)


def automatic(access: Access) -> tuple[str, ...]:
    """Return the audiences that go into a prompt unasked: none that is USER_ONLY."""
    return readable_keys(access.viewer, access.audiences, Reading.AUTOMATIC)


def _written_lines(
    written: Iterable[tuple[Block, Note]], now: datetime, decay: Decay
) -> list[Line]:
    return [
        _line(block, " ".join(note.content.split()), note, now, decay, standing=1)
        for block, note in written
    ]


def _line(
    block: Block, text: str, note: Note, now: datetime, decay: Decay, *, standing: int
) -> Line:
    return Line(
        block=block,
        text=text,
        note=note.id,
        at=note.created_at,
        relevance=relevance_of(note, now, decay),
        pinned=note.pinned,
        load_bearing=note.load_bearing,
        standing=standing,
    )


def derive_lines(marked: Iterable[tuple[Mark, Note]], now: datetime, decay: Decay) -> list[Line]:
    """Return the lines of notes that belong to core memory by their content, mark by mark."""
    groups: dict[Mark, list[Note]] = {mark: [] for mark in Mark}
    for mark, note in marked:
        if mark_of(note) is mark and _is_current(mark, note, now):
            groups[mark].append(note)
    lines = []
    for mark, found in groups.items():
        best = sorted(found, key=lambda note: _sort_key(mark, note, now, decay), reverse=True)
        best = best[: MOST[mark][0]]
        first = best[:1]
        if mark not in _DATED:  # in the order in which they were written
            best.sort(key=lambda note: note.id)
        for note in best:
            standing = 2 if note in first else int(mark is Mark.IDENTITY)
            for place, text in enumerate(_lines_of(mark, note)):
                worth = 0 if place else standing
                line = _line(BLOCK_OF[mark], text, note, now, decay, standing=worth)
                lines.append(replace(line, place=place))
    return lines


def _active_lines(found: Sequence[Note], now: datetime, ranking: Ranking) -> list[Line]:
    """Return the lines of the most active knowledge, as consolidation has chosen it; best first."""
    d, decay = ranking.act_r.d, ranking.decay
    best = sorted(found, key=lambda note: (-activation_of(note, now, d), note.content, note.id))
    return [
        _line(Block.CONTEXT, " ".join(note.content.split()), note, now, decay, standing=0)
        for note in best[:MOST_ACTIVE]
    ]


def _is_current(mark: Mark, note: Note, now: datetime) -> bool:
    """Return True if a note is current, as far as that matters for its mark."""
    days = MOST[mark][1]
    recent = days is None or abs(now - _time_of(note)) <= timedelta(days=days)
    if mark is Mark.EVENT and not note.importance >= IMPORTANT:
        return False
    return recent and (note.status is not Status.DORMANT or mark is Mark.KEPT)


def _sort_key(
    mark: Mark, note: Note, now: datetime, decay: Decay
) -> tuple[bool, float, datetime, str]:
    """Return the sort key: notes with a day by the newest, others by the most relevant."""
    score = 0.0 if MOST[mark][1] or mark in _DATED else relevance_of(note, now, decay)
    return (note.pinned, score, _time_of(note), note.id)


def _time_of(note: Note) -> datetime:
    return note.occurred_at or note.created_at


def _lines_of(mark: Mark, note: Note) -> list[str]:
    """Return the lines of a note; those of a file of T0 are its own."""
    if note.tier is Tier.FOUNDATIONAL:
        return core_lines(note, whole=len(note.content) < store.LETTERS)
    text = core_line(note, mark)
    return [f"{_DATED[mark]} {_time_of(note):%Y-%m-%d}: {text}" if mark in _DATED else text]


@repeat_while_stale
async def set_core_block(context: Context, access: Access, name: str, text: str) -> None:
    """Make the lines of a text the written ones of a block, as far as the viewer can read them.

    Existing lines stay, missing ones are archived, new ones are written, each a note of its own.
    What the viewer can't read does not change; nor does, for an agent, what the user wrote in
    person, is pinned or load-bearing. Lines that notes give stay as long as the notes do.

    Raises Invalid, and Forbidden for an agent that may only propose, and for any agent and the
    block of what must never be forgotten: the user sets those rules in person.
    """
    block = _require_editor(access, name)
    wanted = check_lines(block, text)
    now = context.clock()
    parts = await store.read_parts(context.graph, access.by_name, now)
    there = [note for of, note in parts.written if of is block]
    decay = context.ranking.decay
    written = _written_lines(((block, note) for note in there), now, decay)
    lines = [*written, *derive_lines(parts.marked, now, decay)]
    known = find_repeated((line.text for line in lines if line.block is block), wanted)
    new = [line for line in wanted if line not in known]
    stay = frozenset(known.values())
    gone = [note for note, line in zip(there, written, strict=True) if line.text not in stay]
    await _write_lines(context, access, block, gone, new)


@repeat_while_stale
async def edit_core_lines(
    context: Context, access: Access, name: str, removed: Sequence[str], added: Sequence[str]
) -> tuple[int, int]:
    """Archive some of the written lines of a block and write others, and leave the rest as it is.

    A line is removed as it was shown, perhaps cut. What an agent may not remove stays, and so do
    lines that other notes give. Returns how many lines were written, and how many archived. Raises
    what `set_core_block` raises.
    """
    block = _require_editor(access, name)
    now = context.clock()
    parts = await store.read_parts(context.graph, access.by_name, now)
    there = [note for of, note in parts.written if of is block]
    decay = context.ranking.decay
    written = _written_lines(((block, note) for note in there), now, decay)
    shown = [*written, *derive_lines(parts.marked, now, decay)]
    known = find_repeated((line.text for line in shown if line.block is block), added)
    out = frozenset(find_repeated((line.text for line in written), removed).values())
    gone = [note for note, line in zip(there, written, strict=True) if line.text in out]
    new = [line for line in check_lines(block, "\n".join(added)) if line not in known]
    return await _write_lines(context, access, block, gone, new)


def _require_editor(access: Access, name: str) -> Block:
    """Return the block of that name, if the viewer may write it."""
    require_writer(access)
    block = check_block(name)
    if block is Block.CRITICAL and not access.viewer.in_person:
        raise Forbidden("the critical block is set by the user in person, not by an agent")
    return block


async def _write_lines(
    context: Context, access: Access, block: Block, gone: Sequence[Note], new: Sequence[str]
) -> tuple[int, int]:
    """Archive lines as far as the viewer may, and write new ones; returns both counts."""
    now = context.clock()
    changed = [_remove_line(block, note, now) for note in gone if _may_remove(access, note)]
    archived = len(changed)
    if new:
        changed += await _add_lines(context, access, block, new, now)
    if changed:
        await apply(context, access, ChangeSet.of(now, changed))
    return len(new), archived


def _may_remove(access: Access, note: Note) -> bool:
    kept = note.author is None or note.pinned or note.load_bearing
    return access.viewer.in_person or not kept


def _remove_line(block: Block, note: Note, now: datetime) -> WorkingNote:
    return WorkingNote.of(note).with_change(
        replace(note, status=Status.ARCHIVED),
        now,
        "EDIT",
        "line taken from core memory",
        {"block": block},
        details={"coreBlock": [block, None]},
    )


async def _add_lines(
    context: Context, access: Access, block: Block, lines: Sequence[str], now: datetime
) -> list[WorkingNote]:
    """Return the lines as new notes.

    Raises Forbidden when the writer could not read one of them.
    """
    ids = sorted(uuid7(now) for _ in lines)
    plans = await context.texts.each(
        lambda i: _plan_line(context, access, i, ids[i], lines[i], now),
        range(len(lines)),
        lambda i: len(lines[i]),
    )
    made = [replace(plan.note, tier=Tier.FOUNDATIONAL, half_life_hours=None) for plan in plans]
    vectors = await context.embedder.embed_documents([note.reading_text for note in made])
    return [
        WorkingNote.new(
            note,
            "EDIT",
            "line written into core memory",
            {"block": block},
            draft=plan.draft,
            vector=vector,
            properties={"coreBlock": block, "givenTags": [], "givenKeywords": []},
        )
        for note, plan, vector in zip(made, plans, vectors, strict=True)
    ]


def _plan_line(
    context: Context, access: Access, index: int, note_id: str, line: str, now: datetime
) -> Plan:
    """Return a line as a note, with the readers that any note of this text would have.

    Where its writer would not be one of them, it goes into the writer's own domain.
    """
    draft = NoteDraft(content=line)
    plan = plan_of(context, access, index, note_id, draft, WriteMode.CURATED, now)
    agent = access.viewer.agent
    if agent is None or may_reread(access, plan.note):
        return plan
    for domain in agent.domains:
        draft = replace(draft, domain=domain)
        plan = plan_of(context, access, index, note_id, draft, WriteMode.CURATED, now)
        if may_reread(access, plan.note):
            return plan
    raise Forbidden("this agent could not read the line that it writes")

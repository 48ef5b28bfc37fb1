"""The job `move_tiers` (Tiered Memory): moves notes to the tier of their age and recalls."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.domain.tiers import TIERS, Move, bounds_of
from graphmem.domain.visibility import in_quarantine
from graphmem.errors import Stale
from graphmem.plugins import Moving
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.job_runs.batches import run_job_statement
from graphmem.services.job_runs.failure_isolation import ABOUT_THE_RUN, in_order_of, next_unreadable
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.jobs.compression import compress
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.purging import purge
from graphmem.store import tiers as store
from graphmem.store.archiving import runs_of
from graphmem.store.batches import BatchSize, run_statement
from graphmem.store.jobs import next_note
from graphmem.store.tiers import TierCandidate

NAME: Final = "move_tiers"
MOVER: Final = store.MAKER  # the actor; no user or agent has a colon in its id
PAGE: Final = 500  # notes read by one query
MOST_TOPICS: Final = 20_000  # most topics whose episodes wait for more at the same time
TAKEN: Final = 4  # episodes that one transaction adds to the note of their topic
COUNTS: Final = {
    Move.TO_SHORT_TERM: "settled",
    Move.COMPRESS: "compressed",
    Move.PROMOTE: "promoted",
    Move.ARCHIVE: "archived",
    Move.PURGE: "purged",
    Move.CLEAN: "cleaned",
}
# what `jobs/move_tiers.cypher` carries out; the rest is carried out here
BY_STATEMENT: Final = (Move.TO_SHORT_TERM, Move.PROMOTE, Move.ARCHIVE, Move.CLEAN)
_NOWHERE: Final = "NONE"  # the tier of a note that is destroyed


async def move_tiers(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Go through the notes that are old enough for another tier; returns the counts of the run.

    Whether a note moves depends on its age, its own recalls, and the plugins, which are asked about
    each note; nobody is asked about CLEAN. A note that somebody changes meanwhile is left for the
    next run, and so is what is already in its tier.
    """
    beat.counts.update(dict.fromkeys(COUNTS.values(), 0))
    for move in Move:
        if move in BY_STATEMENT and not (context.hooks and move is not Move.CLEAN):
            await _run_statement(context, beat, move)
        elif _is_on(context, move) and await _is_anything_due(context, move):
            await _carry_out_move(context, beat, move)
            await beat.checkpoint(f"move:{move}")  # never a user's id
    return beat.counts


def _is_on(context: Context, move: Move) -> bool:
    return move is not Move.PURGE or context.ranking.tiered.t4_deletion_enabled


async def _run_statement(context: Context, beat: JobHeartbeat, move: Move) -> None:
    """Carry out a move of all notes that are due for it."""
    now = context.clock()
    bounds = {move: bounds_of(move, context.ranking.tiered, now)}
    given = store.parameters_of_moves(bounds, now)
    await run_job_statement(
        context, beat, NAME, given, after="", count=lambda name: COUNTS[Move(name)]
    )


async def _is_anything_due(context: Context, move: Move) -> bool:
    try:
        return bool(await _reader(context, move)("", limit=1))
    except ABOUT_THE_RUN:
        raise
    except Exception:  # about a note that can't be read; the move leaves out that one alone
        return True


def _reader(context: Context, move: Move) -> Callable[..., Awaitable[list[TierCandidate]]]:
    """Return a function that reads the notes for a move, as far as they are known now."""
    now = context.clock()
    bounds = {move: bounds_of(move, context.ranking.tiered, now)}
    plugins = bool(context.hooks)
    return partial(store.candidates, context.graph, bounds, now=now, plugins=plugins)


async def _carry_out_move(context: Context, beat: JobHeartbeat, move: Move) -> None:
    now, graph = context.clock(), context.graph
    read = _reader(context, move)
    topics = _Topics()

    async def carry_out(groups: Iterable[Sequence[TierCandidate]]) -> None:
        for together in groups:
            await beat.checkpoint()
            await beat.each(together, write)

    async def write(together: Sequence[TierCandidate]) -> None:
        moved = await _move_notes(context, move, together, now)
        beat.counts[COUNTS[move]] += len(moved)
        await _notify_plugins(context, move, moved)

    async for _, page in beat.pages(
        in_order_of(lambda after, limit: read(after, limit=limit), lambda note: note.id),
        PAGE,
        after="",
        step_over=lambda after: next_unreadable(
            after, lambda up_to: read(after, limit=1, last=up_to), partial(next_note, graph)
        ),
    ):
        chosen = await _choose(context, move, page)
        if move is Move.COMPRESS:
            # notes in quarantine have one audience, whoever may read them once they are released
            apart = [note for note in chosen if not in_quarantine(note.audience)]
            await carry_out(topics.full(apart))
        else:
            for run in runs_of(chosen):
                await carry_out(beat.pace.batches(move, run))
    await carry_out(topics.rest())


class _Topics:
    """Episodes by topic, compressed a few at a time, each group in one transaction.

    Neither the groups nor the order depend on where a page of everybody's notes ends: hidden notes
    lie in it. Only where more than MOST_TOPICS wait, the one that waits longest is taken as it
    stands.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], list[TierCandidate]] = {}

    def full(self, notes: Sequence[TierCandidate]) -> Iterator[Sequence[TierCandidate]]:
        """Yield the groups that these notes complete; the others wait for the next page."""
        for note in notes:
            key = note.audience, name_key(note.topic)
            group = self._waiting.setdefault(key, [])
            group.append(note)
            if len(group) == TAKEN:
                yield self._waiting.pop(key)
            elif len(self._waiting) > MOST_TOPICS:
                yield self._waiting.pop(next(iter(self._waiting)))

    def rest(self) -> Iterator[Sequence[TierCandidate]]:
        """Yield the groups that still wait after the last page."""
        yield from self._waiting.values()


async def _choose(
    context: Context, move: Move, notes: Sequence[TierCandidate]
) -> list[TierCandidate]:
    """Return the notes that move: those that are due, unless a plugin decides otherwise."""
    if not context.hooks:
        return [note for note in notes if note.due]

    def ask() -> list[TierCandidate]:
        said = [context.hooks.before(_to_moving(note), *_tiers(move)) for note in notes]
        return [
            note
            for note, verdict in zip(notes, said, strict=True)
            if verdict == "force" or (note.due and verdict == "proceed")
        ]

    return await asyncio.to_thread(ask)


async def _notify_plugins(context: Context, move: Move, moved: Sequence[TierCandidate]) -> None:
    """Notify the plugins of the moves that are done."""

    def tell() -> None:
        for note in moved:
            context.hooks.after(_to_moving(note), *_tiers(move))

    if context.hooks and moved:
        await asyncio.to_thread(tell)


async def _move_notes(
    context: Context, move: Move, notes: Sequence[TierCandidate], now: datetime
) -> Sequence[TierCandidate]:
    """Move some notes of a user in one transaction; returns those that moved."""
    user = notes[0].user
    try:
        if move is Move.PURGE:
            return await _purge(context, user, notes)
        if move is Move.COMPRESS:
            moved = await compress(context, notes, now)
        else:
            moved = await _move_chosen(context, move, notes, now)
    except Stale:  # somebody changed one of them; the next run looks again
        return ()
    context.signal(user)
    return moved


async def _move_chosen(
    context: Context, move: Move, notes: Sequence[TierCandidate], now: datetime
) -> Sequence[TierCandidate]:
    """Move notes that plugins have chosen."""
    ids = sorted(note.id for note in notes)
    bounds = {move: bounds_of(move, context.ranking.tiered, now)}
    chosen = {note.id: note.version for note in notes}
    done = await run_statement(
        context.graph,
        NAME,
        store.parameters_of_moves(bounds, now) | {"chosen": chosen},
        ids[0][:-1],  # before the first
        len(ids),
        BatchSize(batch=len(ids), most=1),  # they have the same readers
        last=ids[-1],
    )
    if done.failed:
        raise RuntimeError("a note can't be moved")
    for user in done.told:
        context.signal(user)
    return [note for note in notes if note.id in done.notes]


async def _purge(
    context: Context, user: str, notes: Sequence[TierCandidate]
) -> Sequence[TierCandidate]:
    """Destroy notes, with an event for each. One that has changed since it was chosen stays."""
    access = await open_access(context, user, None)
    found = await load_many(context, access, [note.id for note in notes])
    chosen = [note for note in notes if note.id in found and found[note.id].version == note.version]
    if chosen:
        await purge(context, access, [found[note.id] for note in chosen], actor=MOVER)
    return chosen


def _tiers(move: Move) -> tuple[str, str]:
    if move is Move.PURGE:
        return "LONG_TERM", _NOWHERE
    before, to = TIERS[move]
    return str(before), str(to)


def _to_moving(note: TierCandidate) -> Moving:
    return Moving(
        id=note.id,
        user=note.user,
        domain=note.domain,
        kind=note.kind,
        title=note.title,
        tags=note.tags,
        due=note.due,
    )

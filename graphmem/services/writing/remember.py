"""The write path: drafts become notes, those of a group in one transaction.

EXTRACT and CONSTRUCT make a note of each draft (`construct`), RETRIEVE and DECIDE compare it to the
existing notes (`deciding`), LINK and EVOLVE connect it (`linking`), and here all of it is written
at once. Two round trips for one note: one reads, one writes. What needs no vector is read while the
model still encodes the texts.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import structlog

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import MAX_BATCH, Note, NoteDraft, Operation, WriteMode
from graphmem.domain.proposals import Proposal
from graphmem.domain.visibility import Audience
from graphmem.errors import Conflict, GraphmemError, Invalid, TimedOut
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context
from graphmem.services.text_work import in_pieces
from graphmem.services.writing.applying import steps_of
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.deciding import (
    Vectors,
    decide,
    may_reread,
    own_audiences,
    pieces,
)
from graphmem.services.writing.mentions import Written, check_names, look_up
from graphmem.services.writing.plans import Choice, Plan
from graphmem.services.writing.refinement_queue import may_wait
from graphmem.services.writing.secrets import FoundSecret
from graphmem.store import notes
from graphmem.store.graph import Step

ATTEMPTS = 6  # attempts while other writers are first with an id, a key, a text or a change
# About how many notes and characters are written together; of notes no more than `recall.UNSORTED`.
# This way a batch of long notes, too, makes progress in time on a busy machine.
GROUP, GROUP_CHARS = 50, 40_000
WRITING = 0.25  # share of a group's time that its transaction takes, at most
SLOWER = 2  # times the longest group before: so long the next may take where much else is done
NO_TIME = "no time was left for this note; send it again"
EVOLVING_ATTEMPTS = 2  # attempts after which linked notes are no longer refined

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Remembered:
    """The result of one draft: an operation with its note, or an error."""

    operation: Operation | None = None
    note: Note | None = None  # None also when a replay's note may not be read any more
    reason: str = ""
    error: GraphmemError | None = None
    note_id: str | None = None  # the note that a write came to, readable or not
    affected: tuple[Note, ...] = ()  # other notes that changed with it
    # if the note has to be decided first; for those who may read it
    proposal: Proposal | None = None
    secrets: tuple[FoundSecret, ...] = ()  # found in the draft, and what was done


def audiences_of(done: Iterable[Remembered]) -> Iterator[Audience]:
    """Return the audiences of the notes that a write came to."""
    return (result.note.audience for result in done if result.note is not None)


_Planned = tuple[list[Plan], dict[int, Remembered]]


async def remember(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode = WriteMode.CURATED
) -> Remembered:
    """Remember one note. Raises what `remember_many` reports for it."""
    result = (await remember_many(context, access, [(draft, mode)]))[0]
    if result.error is not None:
        raise result.error
    return result


async def remember_many(
    context: Context,
    access: Access,
    drafts: Sequence[tuple[NoteDraft, WriteMode]],
    *,
    until: float | None = None,
) -> list[Remembered]:
    """Remember up to 500 notes, with the same result as one by one.

    They are written in groups of at most 50 notes, each group in one transaction. A bad draft
    becomes an error of its own and changes nothing for the others. No group begins that would
    probably not end before `until`, a time of the event loop, and none is written that is not
    decided in time for that: its drafts get TimedOut as their error. Any other failure after the
    first group becomes the error of the remaining drafts. Raises Invalid when there are too many,
    Forbidden when the agent may only propose, and whatever ends the first group.
    """
    if len(drafts) > MAX_BATCH:
        raise Invalid(f"at most {MAX_BATCH} notes at once")
    now = context.clock()
    ids = sorted(uuid7(now) for _ in drafts)  # sorted: lists and episodes keep the order given

    async def planned(group: Sequence[int], access: Access) -> _Planned:
        require_writer(access)
        check_names(draft for draft, _ in drafts)
        return await _make_plans(context, access, drafts, group, ids, now)

    results = await _write_groups(context, access, _groups(drafts), planned, now, until)
    done = [results[index] for index in range(len(drafts))]
    refined = await _submit_to_refiner(context, done, ids)
    # Only for those who may read it: the LLM refines the note in the graph, where others may have
    # changed it.
    return [
        new if new.note is None or may_reread(access, new.note) else old
        for old, new in zip(done, refined, strict=True)
    ]


def _groups(drafts: Sequence[tuple[NoteDraft, WriteMode]]) -> list[Sequence[int]]:
    """Return the places of the drafts that are written together; one empty group without drafts."""

    def size(place: int) -> int:
        return max(len(drafts[place][0].content), GROUP_CHARS // GROUP)

    return list(in_pieces(range(len(drafts)), size, GROUP_CHARS)) or [()]


async def _write_groups(
    context: Context,
    access: Access,
    groups: Sequence[Sequence[int]],
    planned: Callable[[Sequence[int], Access], Awaitable[_Planned]],
    now: datetime,
    until: float | None,
) -> dict[int, Remembered]:
    """Write group after group; meanwhile the texts of the next one are read and encoded."""

    async def read(group: Sequence[int]) -> tuple[list[Plan], dict[int, Remembered], Vectors]:
        plans, errors = await planned(group, access)
        return plans, errors, encode(context, plans)  # texts do not depend on rules

    results: dict[int, Remembered] = {}
    loop = asyncio.get_running_loop()
    longest, begun, grown = 0.0, loop.time(), False
    ready = None if until is None else until - (until - begun) * WRITING
    ahead = [asyncio.create_task(read(groups[0]))]
    try:
        for place, group in enumerate(groups):
            if place + 1 < len(groups):
                ahead.append(asyncio.create_task(read(groups[place + 1])))
            try:
                if place and until is not None:
                    ready = until - SLOWER * longest * WRITING
                    if begun + SLOWER * longest > until:
                        raise TimedOut(NO_TIME)
                if grown:  # this group may meet the notes of those before it
                    access = await _reload_audiences(context, access)
                async with _time_limit(ready):
                    plans, errors, vectors = await ahead[place]
                plan_again = partial(planned, group)
                results |= await _write_until_done(
                    context, access, plan_again, plans, errors, vectors, now, ready
                )
            except Exception as error:
                if place == 0 and not isinstance(error, TimedOut):
                    raise
                return results | _errors_of(groups[place:], error)
            grown = any(plan.note.audience not in access.audiences for plan in plans)
            longest, begun = max(longest, loop.time() - begun), loop.time()
    finally:
        for task in ahead:
            task.cancel()
            task.add_done_callback(_cancel_encoding)
    return results


@asynccontextmanager
async def _time_limit(ready: float | None) -> AsyncIterator[None]:
    """Raise TimedOut if the body does not end by `ready`, before anything is written."""
    limit = asyncio.timeout_at(ready)
    try:
        async with limit:
            yield
    except TimeoutError as exc:
        if not limit.expired():
            raise
        raise TimedOut(NO_TIME) from exc


def _errors_of(groups: Sequence[Sequence[int]], error: Exception) -> dict[int, Remembered]:
    """Return the same error for every draft of these groups.

    An unforeseen one is replaced, since its words may be those of a note.
    """
    if not isinstance(error, GraphmemError):
        log.error("notes could not be written", error=type(error).__name__)
        error = GraphmemError()
    return {index: Remembered(error=error) for group in groups for index in group}


async def _reload_audiences(context: Context, access: Access) -> Access:
    """Return the access with the present audiences.

    All else is as it was when the group was planned: where rules or the profile have changed since,
    its write is Stale.
    """
    return replace(access, audiences=(await reopen_access(context, access)).audiences)


def _cancel_encoding(task: asyncio.Task[tuple[list[Plan], dict[int, Remembered], Vectors]]) -> None:
    """Stop encoding the texts of a group that is not written."""
    if not task.cancelled() and task.exception() is None:
        for piece in task.result()[2]:
            piece.cancel()


async def _make_plans(
    context: Context,
    access: Access,
    drafts: Sequence[tuple[NoteDraft, WriteMode]],
    group: Sequence[int],
    ids: Sequence[str],
    now: datetime,
) -> _Planned:
    """Return the plans of the good drafts of a group, and the errors of the others by place."""

    def plan(index: int) -> Plan | GraphmemError:
        draft, mode = drafts[index]
        try:
            return plan_of(context, access, index, ids[index], draft, mode, now)
        except GraphmemError as error:
            return error

    read = await context.texts.each(plan, group, lambda i: len(drafts[i][0].content))
    plans = [each for each in read if isinstance(each, Plan)]
    errors = zip(group, read, strict=True)
    return plans, {i: Remembered(error=e) for i, e in errors if isinstance(e, GraphmemError)}


async def _write_until_done(
    context: Context,
    access: Access,
    planned: Callable[[Access], Awaitable[_Planned]],
    plans: list[Plan],
    errors: dict[int, Remembered],
    vectors: Vectors,
    now: datetime,
    ready: float | None,
) -> dict[int, Remembered]:
    """Decide by `ready`, and write; repeated when another writer was first.

    A repetition goes by the rights and rules of then.
    """
    if not plans:
        return errors
    for attempt in range(ATTEMPTS - 1):
        evolving = attempt < EVOLVING_ATTEMPTS
        with suppress(Conflict):
            return errors | await _write(
                context, access, plans, vectors, now, ready, evolving=evolving
            )
        fresh = await reopen_access(context, access)
        if (fresh.version, fresh.writes_for) != (access.version, access.writes_for):
            known = [plan.index for plan in plans]
            plans, errors = await planned(fresh)
            if [plan.index for plan in plans] != known:
                vectors = encode(context, plans)
        access = fresh
    return errors | await _write(context, access, plans, vectors, now, ready, evolving=False)


def encode(context: Context, plans: Sequence[Plan]) -> Vectors:
    """Start encoding the texts of the plans."""
    texts = [[plan.note.reading_text for plan in piece] for piece in pieces(plans)]
    return [asyncio.ensure_future(context.embedder.embed_documents(piece)) for piece in texts]


async def _write(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Vectors,
    now: datetime,
    ready: float | None,
    *,
    evolving: bool,
) -> dict[int, Remembered]:
    async with _time_limit(ready):
        choices, steps = await prepare(context, access, plans, vectors, now, evolving=evolving)
    if steps:
        await context.graph.write(*steps)
        context.signal(access.viewer.user)
    return await results_of(context, access, choices, now)


async def prepare(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Vectors,
    now: datetime,
    *,
    evolving: bool = True,
) -> tuple[list[Choice], list[Step]]:
    """Return the choice for each plan, and the steps of the one transaction that writes it."""
    written = [Written(plan.note, plan.draft) for plan in plans]
    (choices, changes), names = await asyncio.gather(
        decide(context, access, plans, vectors, now, evolving=evolving),
        look_up(context, access.viewer.user, written),
    )
    return choices, await steps_of(context, access, changes, looked_up=names)


async def results_of(
    context: Context, access: Access, choices: Sequence[Choice], now: datetime
) -> dict[int, Remembered]:
    """Return the notes as the write left them, or as they are now if the write did not read them.

    The latter only for those who may read them now. A replay is answered without the note
    otherwise.
    """
    there = {c.note_id for c in choices if c.error is None and c.note is None}
    keys = own_audiences(access, [choice.plan for choice in choices])
    loaded = await notes.load_notes(context.graph, sorted(there), keys, now) if there else {}
    results = {}
    for choice in choices:
        note = choice.note or loaded.get(choice.note_id)
        if choice.error is None and (note is not None or choice.replay):
            result = Remembered(
                operation=choice.operation,
                note=note,
                reason=choice.reason,
                note_id=choice.note_id,
                affected=choice.affected,
                secrets=choice.plan.secrets,
            )
        else:
            result = Remembered(error=choice.error or Conflict("the note has changed since"))
        results[choice.plan.index] = result
    return results


async def _submit_to_refiner(
    context: Context, results: Sequence[Remembered], ids: Sequence[str]
) -> list[Remembered]:
    """Submit the new notes among `results` to the refiner, if there is one.

    The notes wait in the graph already; `ids` are those of the new notes. Returns the results,
    refined as far as there was time to wait.
    """
    refiner = context.refiner
    if refiner is None:
        return list(results)
    fresh = {
        index: result.note.id
        for index, result in enumerate(results)
        if result.note is not None and result.note.id == ids[index] and may_wait(result.note)
    }
    refined = await refiner.submit(list(fresh.values()))
    by_index = dict(zip(fresh, refined, strict=True))
    return [replace(r, note=by_index.get(i) or r.note) for i, r in enumerate(results)]

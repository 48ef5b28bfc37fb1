"""The write path: drafts become notes, all of a call in one transaction.

EXTRACT and CONSTRUCT make a note of each draft (`construct`), RETRIEVE and DECIDE find what becomes
of it beside the notes that are there (`deciding`), LINK and EVOLVE connect it (`linking`), and here
all of it is written at once. Two round trips for one note: one reads, one writes. What needs no
vector is read while the model still encodes the texts."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.actors import WritePermission
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import MAX_BATCH, Note, NoteDraft, Operation, WriteMode
from graphmem.errors import Conflict, Forbidden, GraphmemError, Invalid
from graphmem.services.construct import plan_of
from graphmem.services.context import Access, Context
from graphmem.services.deciding import Choice, Plan, Vectors, decide, pieces
from graphmem.services.mentions import Written, look_up
from graphmem.services.refining import refine_added
from graphmem.services.writing import steps_of
from graphmem.store import notes
from graphmem.store.graph import Step

ATTEMPTS = 6  # when another writer was first with an external id, a key, a text or a change
EVOLVING_ATTEMPTS = 2  # after these, linked notes are left as they are


@dataclass(frozen=True)
class Remembered:
    """What became of one draft: an operation with its note, or an error."""

    operation: Operation | None = None
    note: Note | None = None
    reason: str = ""
    error: GraphmemError | None = None
    affected: tuple[Note, ...] = ()  # other notes that changed with it


async def remember(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode = WriteMode.CURATED
) -> Remembered:
    """Remember one note. Raises what `remember_many` reports for it."""
    result = (await remember_many(context, access, [(draft, mode)]))[0]
    if result.error is not None:
        raise result.error
    return result


async def remember_many(
    context: Context, access: Access, drafts: Sequence[tuple[NoteDraft, WriteMode]]
) -> list[Remembered]:
    """Remember up to 500 notes in one transaction, with the same outcome as one by one.

    A bad draft becomes an error of its own and changes nothing for the others. Raises Invalid when
    there are too many, Forbidden when the agent may only propose."""
    if len(drafts) > MAX_BATCH:
        raise Invalid(f"at most {MAX_BATCH} notes at once")
    agent = access.viewer.agent
    if agent is not None and agent.writes is WritePermission.PROPOSE:
        raise Forbidden("this agent may not write by itself")
    now = context.clock()
    results: dict[int, Remembered] = {}
    ids = sorted(uuid7(now) for _ in drafts)  # so that lists and episodes keep the order given
    plans = []
    for index, (draft, mode) in enumerate(drafts):
        try:
            plans.append(plan_of(access, index, ids[index], draft, mode, now, context.extractor))
        except GraphmemError as error:
            results[index] = Remembered(error=error)
    results |= await _write_until_done(context, access, plans, now)
    done = [results[index] for index in range(len(drafts))]
    return await refine_added(context, done, ids)


async def _write_until_done(
    context: Context, access: Access, plans: Sequence[Plan], now: datetime
) -> dict[int, Remembered]:
    """Decide and write; anew when another writer was first."""
    if not plans:
        return {}
    vectors = encode(context, plans)
    try:
        for attempt in range(ATTEMPTS - 1):
            evolving = attempt < EVOLVING_ATTEMPTS
            with suppress(Conflict):
                return await _write(context, access, plans, vectors, now, evolving=evolving)
        return await _write(context, access, plans, vectors, now, evolving=False)
    finally:
        for piece in vectors:
            piece.cancel()


def encode(context: Context, plans: Sequence[Plan]) -> Vectors:
    """Begin to encode the texts of the plans."""
    texts = [[plan.note.reading_text for plan in piece] for piece in pieces(plans)]
    return [asyncio.ensure_future(context.embedder.embed_documents(piece)) for piece in texts]


async def _write(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Vectors,
    now: datetime,
    *,
    evolving: bool,
) -> dict[int, Remembered]:
    choices, steps = await prepare(context, access, plans, vectors, now, evolving=evolving)
    if steps:
        await context.graph.write(*steps)
        context.signal(access.viewer.user)
    return await _results(context, access, choices, now)


async def prepare(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Vectors,
    now: datetime,
    *,
    evolving: bool = True,
) -> tuple[list[Choice], list[Step]]:
    """What becomes of each plan, and the steps of the one transaction that writes it."""
    written = [Written(plan.note, plan.draft) for plan in plans]
    (choices, desk), names = await asyncio.gather(
        decide(context, access, plans, vectors, now, evolving=evolving),
        look_up(context, access.viewer.user, written),
    )
    return choices, await steps_of(context, access, choices, desk, names)


async def _results(
    context: Context, access: Access, choices: Sequence[Choice], now: datetime
) -> dict[int, Remembered]:
    """Notes as the write left them; those that it did not read as they are now."""
    there = {c.note_id for c in choices if c.error is None and c.note is None}
    keys = {*access.by_name, *(choice.plan.note.audience.key for choice in choices)}
    loaded = (
        await notes.load_notes(context.graph, sorted(there), sorted(keys), now) if there else {}
    )
    results = {}
    for choice in choices:
        note = choice.note or loaded.get(choice.note_id)
        if choice.error is None and note is not None:
            result = Remembered(
                operation=choice.operation,
                note=note,
                reason=choice.reason,
                affected=choice.affected,
            )
        else:
            result = Remembered(error=choice.error or Conflict("the note has changed since"))
        results[choice.plan.index] = result
    return results

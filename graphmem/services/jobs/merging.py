"""The jobs `merge_entities` and `merge_notes`: merge what rules have held to be one for long
enough, and nobody has refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from graphmem.services.actors import open_access
from graphmem.services.conflicts import merge_copies
from graphmem.services.context import Context
from graphmem.services.job_runs.batches import run_job_statement
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.job_runs.users import pages_of_users, user_of
from graphmem.store import conflicts
from graphmem.store.graph import Row
from graphmem.store.jobs import next_verdict
from graphmem.store.resolution import parameters_of_merges

MERGER: Final = "system:merging"  # of notes; no user or agent has a colon in its id
USERS: Final = 20  # read by one query


async def merge_entities(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Merge what rules hold to be one and nobody has refused; returns the counts of the run.

    A merge is for the readers by whose notes the rules hold so, and can be undone. A verdict whose
    names are in no note of its readers any more is dropped.
    """
    beat.counts.update(merged=0, dropped=0)
    given = parameters_of_merges(context.clock())
    await run_job_statement(context, beat, "merge_entities", given, step=next_verdict)
    return beat.counts


async def merge_notes(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Merge the notes that rules hold to be copies, if by their present texts they still are, and
    nobody has refused; returns the counts of the run.

    A verdict that no longer stands is dropped. Each merge can be undone, as one by hand can.
    """
    beat.counts.update(users=0, merged=0, dropped=0)
    now = context.clock()

    async def read(after: str, limit: int) -> list[Row]:
        return await conflicts.users_with_copies(context.graph, after, now=now, limit=limit)

    async for last, rows in pages_of_users(context, beat, read, USERS, user_of):
        for row in rows:
            beat.counts.update(users=1)
            with beat.isolate_user():
                await _merge_copies_of(context, beat, row)
        await beat.checkpoint(last, of=last)
    return beat.counts


async def _merge_copies_of(context: Context, beat: JobHeartbeat, row: Row) -> None:
    access = await open_access(context, row["user"], None)
    known = {audience.key: audience for audience in access.audiences}
    viewer = replace(access.viewer, acting_as=MERGER)

    async def merge_one(one: Sequence[Any]) -> None:
        [(copy, note, key, cosine)] = one
        if key not in known:  # nobody has these notes, nor can anybody refuse
            await conflicts.drop_copies(context.graph, copy, note)
            beat.counts.update(dropped=1)
            return
        # Rights decide nothing here, so a change of them stops nothing.
        alone = replace(access, viewer=viewer, audiences=(known[key],), version=None)
        merged = await merge_copies(context, alone, copy, note, cosine)
        beat.counts.update(["merged" if merged else "dropped"])

    for pair in row["pairs"]:
        await beat.checkpoint()
        await beat.each([pair], merge_one)

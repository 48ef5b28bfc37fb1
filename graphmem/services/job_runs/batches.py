"""Runs a job whose file of `jobs/` does the work, page by page."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from graphmem.services.context import Context
from graphmem.services.job_runs import pace
from graphmem.services.job_runs.failure_isolation import NextPlace, next_unreadable
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.batches import Batches, BatchSize
from graphmem.store.jobs import next_note

RunPage = Callable[[str, int, BatchSize], Awaitable[Batches]]


def one_by_one(
    context: Context,
    run: Callable[..., Awaitable[Batches]],
    step: Callable[..., Awaitable[str | None]] = next_note,
) -> NextPlace:
    """Return the step over what can't be read, for a job whose places are ids, of notes unless
    there is another `step` from one to the next."""

    async def step_over(after: str) -> str:
        return await next_unreadable(
            after,
            lambda last: run(after, 1, pace.ALONE, last=last),
            partial(step, context.graph),
        )

    return step_over


async def run_pages(
    context: Context,
    beat: JobHeartbeat,
    run: RunPage,
    *,
    step_over: NextPlace,
    after: str | None = None,
    owner_of: Callable[[str], str | None] = lambda place: None,
    count: Callable[[str], str] = str,
) -> None:
    """Run the file of a job on page after page, and count what it did, each change as `count` of
    its name. It begins after a place, or where the run goes on.

    A page goes on until nothing in it is due. Where a transaction fails, each of its notes has one
    of its own, and one that fails alone is left out.
    """

    async def finish(after: str, limit: int) -> tuple[str | None, Mapping[str, int]]:
        limit = min(limit, beat.pace.page())
        left_out: list[str] = []
        first: Batches | None = None
        alone, more = False, True
        while more:
            size = replace(beat.pace.batch_size(), left_out=left_out)
            done = await run(after, limit, replace(size, batch=1) if alone else size)
            beat.counts.update({count(name): times for name, times in done.changed.items()})
            for user in done.told:
                context.signal(user)
            if alone and done.failed:
                left_out += done.failed
                for _each in done.failed:
                    beat.skip(RuntimeError("what is due can't be changed"))
            left_out += done.passed
            again = bool(done.failed) and not alone
            more = again or (done.more and bool(done.changed or done.failed or done.passed))
            alone = bool(done.failed)
            first = first or done
            if more:
                await beat.checkpoint()
        return (None, {}) if first is None else (first.place, first.counts)

    begin = beat.place if after is None else after
    async for place, counts in beat.pages(finish, pace.PAGE, after=begin, step_over=step_over):
        beat.counts.update(counts)
        await beat.checkpoint(place, of=owner_of(place))

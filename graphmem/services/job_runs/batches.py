"""Runs a job whose file of `jobs/` does the work, page by page."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from graphmem.services.context import Context
from graphmem.services.job_runs import pace
from graphmem.services.job_runs.failure_isolation import NextPlace, next_unreadable
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.batches import Batches, BatchSize, run_statement
from graphmem.store.jobs import next_note
from graphmem.store.rows import LAST_ID

RunPage = Callable[[str, int, BatchSize], Awaitable[Batches]]


async def run_job_statement(
    context: Context,
    beat: JobHeartbeat,
    job: str,
    parameters: Mapping[str, object],
    *,
    step: Callable[..., Awaitable[str | None]] = next_note,
    most: int = pace.PAGE,
    larger: int = 1,
    after: str | None = None,
    owner_of: Callable[[str], str | None] = lambda place: None,
    count: Callable[[str], str] = str,
) -> None:
    """Run the file of a job whose places are ids, of notes unless there is another `step` from one
    to the next, on page after page; see `run_pages`. Its transactions are `larger` than those that
    change notes, so many times."""

    async def run(after: str, limit: int, size: BatchSize, last: str = LAST_ID) -> Batches:
        size = replace(size, batch=size.batch * larger if size.batch > 1 else 1)
        return await run_statement(context.graph, job, parameters, after, limit, size, last)

    async def step_over(after: str) -> str:
        return await next_unreadable(
            after, lambda last: run(after, 1, pace.ALONE, last=last), partial(step, context.graph)
        )

    await run_pages(
        context,
        beat,
        run,
        step_over=step_over,
        after=after,
        most=most,
        owner_of=owner_of,
        count=count,
    )


async def run_pages(
    context: Context,
    beat: JobHeartbeat,
    run: RunPage,
    *,
    step_over: NextPlace,
    after: str | None = None,
    most: int = pace.PAGE,
    owner_of: Callable[[str], str | None] = lambda place: None,
    count: Callable[[str], str] = str,
) -> None:
    """Run the file of a job on page after page, of `most` at most, and count what it did, each
    change as `count` of its name. It begins after a place, or where the run goes on."""

    async def finish(after: str, limit: int) -> tuple[str | None, Mapping[str, int]]:
        done = await finish_page(context, beat, run, after, limit, count=count)
        return done.place, done.counts

    begin = beat.place if after is None else after
    async for place, counts in beat.pages(finish, most, after=begin, step_over=step_over):
        beat.counts.update(counts)
        await beat.checkpoint(place, of=owner_of(place))


async def finish_page(
    context: Context,
    beat: JobHeartbeat,
    run: RunPage,
    after: str,
    limit: int,
    *,
    count: Callable[[str], str] = str,
) -> Batches:
    """Run the file of a job on one page until nothing in it is due; returns what it did first, with
    the place and the counts of the page.

    Where a transaction fails, each of its notes has one of its own, and one that fails alone is
    left out.
    """
    limit = min(limit, beat.pace.page())
    left_out: list[str] = []
    first: Batches | None = None
    alone = False
    while True:
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
        alone = bool(done.failed)
        first = first or done
        if not again and not (done.more and (done.changed or done.failed or done.passed)):
            return first
        await beat.checkpoint()

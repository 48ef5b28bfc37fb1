"""The users whom a job goes through, page by page."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from graphmem.services.context import Context
from graphmem.services.job_runs.failure_isolation import Item, in_order_of
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store.graph import Row
from graphmem.store.jobs import next_user


def user_of(row: Row) -> str:
    """Return the user whom a row is about."""
    return row["user"]


def pages_of_users(
    context: Context,
    beat: JobHeartbeat,
    read: Callable[[str, int], Awaitable[Sequence[Item]]],
    most: int,
    user: Callable[[Item], str],
) -> AsyncGenerator[tuple[str, Sequence[Item]]]:
    """Return pages of at most `most` rows with the last user of each, from the run's place on.

    `read` gives rows after a user; one that can't be read is left out.
    """
    return beat.pages(
        in_order_of(read, user),
        most,
        after=beat.place,
        step_over=lambda after: next_user(context.graph, after),
    )

"""Repeats a change that was decided on outdated notes.

It is decided again, with the present notes and the present rights of its viewer.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from graphmem.errors import Stale
from graphmem.services.actors import reopen_access
from graphmem.services.context import Access, Context

ATTEMPTS = 10
P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Context, Access, P], Awaitable[T]]


def repeat_while_stale(work: Work[P, T]) -> Work[P, T]:
    """Repeat the use case, from its first read on, while its write is Stale.

    After ATTEMPTS times the Stale is raised, which is a Conflict for the caller.
    """

    @wraps(work)
    async def carry_out(context: Context, access: Access, *args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(ATTEMPTS - 1):
            try:
                return await work(context, access, *args, **kwargs)
            except Stale:
                if access.version is None:  # it stands for one fixed audience
                    raise
                access = await reopen_access(context, access)
        return await work(context, access, *args, **kwargs)

    return carry_out

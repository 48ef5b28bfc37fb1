"""The memory of a user, for commands that work on the graph itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from graphmem.errors import NotFound, Unauthenticated
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.services.context import Context, Reopen


@asynccontextmanager
async def open_memory(
    settings: Settings, user: str, agent: str | None
) -> AsyncIterator["tuple[Context, Reopen]"]:
    """Open the graph, and yield it with what opens the access of a user, or of an agent of theirs.

    Raises NotFound."""
    from graphmem.app import open_context
    from graphmem.services.actors import open_access

    async with open_context(settings) as context:
        reopen = partial(open_access, context, user, agent)
        try:
            await reopen()
        except Unauthenticated as exc:
            raise NotFound("no such user or agent") from exc
        yield context, reopen

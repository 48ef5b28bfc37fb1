"""Reading the digests of old events, for the user in person (MOLT-75)."""

from typing import Final

from graphmem.domain.digests import Digest
from graphmem.services.context import Access, Context, require_in_person
from graphmem.store import digests as store

MAX_DIGESTS: Final = 120  # ten years


async def list_digests(context: Context, access: Access, first: int) -> list[Digest]:
    """List the user's digests, newest first.

    Raises Forbidden for an agent: they count what it may not read.
    """
    require_in_person(access, "the audit's digests")
    return await store.list_digests(context.graph, access.viewer.user, limit=first)

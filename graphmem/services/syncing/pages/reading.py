"""Reading all generated pages of what one viewer may read."""

from collections.abc import Iterable

from graphmem.domain.notes import Note
from graphmem.services.context import Access, Context
from graphmem.services.syncing.pages.config import config_page
from graphmem.services.syncing.pages.conflicts import conflict_pages
from graphmem.services.syncing.pages.core import core_page
from graphmem.services.syncing.pages.graph import graph_pages, read_topology
from graphmem.services.syncing.pages.meta import (
    archive_page,
    audit_page,
    consolidation_pages,
    decay_page,
    manifest_page,
    read_events,
    recalls_page,
)
from graphmem.services.syncing.pages.page import Page
from graphmem.services.syncing.pages.shelf import fill_shelf
from graphmem.services.syncing.pages.thoughts import proposals_page, reflection_pages


async def read_pages(context: Context, access: Access, notes: Iterable[Note]) -> list[Page]:
    """Return all generated pages of what the viewer may read, in the order of their paths.

    `notes`: all that count and that the viewer may read. The same graph gives the same bytes on the
    same calendar day: with the day, decay scores change. What is for the user in person is left out
    for an agent.
    """
    shelf = fill_shelf(notes, context.clock())
    events = await read_events(context, access)
    pages = [
        await core_page(context, access),
        decay_page(context, shelf),
        manifest_page(shelf),
        audit_page(events, shelf),
        await recalls_page(context, access),
        await proposals_page(context, access),
        *await reflection_pages(context, access),
        *await conflict_pages(context, access),
        *consolidation_pages(events),
    ]
    if access.viewer.in_person:
        pages += [await config_page(context, access), await archive_page(context, access)]
    # Last, as it adds notes to the shelf that are older than those of the other pages.
    pages += await graph_pages(context, access, shelf, await read_topology(context, access))
    return sorted(pages, key=lambda page: page.path)

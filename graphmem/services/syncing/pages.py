"""Pages that are made of the graph, such as those of entities."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from graphmem.services.context import Access, Context


@dataclass(frozen=True)
class Page:
    """A file of the folder as the graph would write it, by its path below the folder."""

    path: PurePosixPath
    text: str
    editable: bool = False


async def read_pages(context: Context, access: Access) -> list[Page]:
    """Return all pages that are made of the graph: of the same graph, the same bytes."""
    return []


async def apply_edit(
    context: Context, access: Access, page: Page, base: str, edited: str
) -> list[str]:
    """Carry an edit by hand of an editable page into the graph, and say what was done."""
    return []

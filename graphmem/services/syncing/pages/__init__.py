"""Pages of a synced folder that are made from the graph: what they show, and what an edit does."""

from graphmem.services.syncing.pages.editing import apply_edit
from graphmem.services.syncing.pages.meta import name_files
from graphmem.services.syncing.pages.page import Page, may_be_page
from graphmem.services.syncing.pages.reading import read_pages
from graphmem.services.syncing.pages.snapshot import (
    is_outdated,
    last_purge,
    read_snapshot,
    snapshot_path,
)

__all__ = [
    "Page",
    "apply_edit",
    "is_outdated",
    "last_purge",
    "may_be_page",
    "name_files",
    "read_pages",
    "read_snapshot",
    "snapshot_path",
]

"""Carrying a hand edit of a page into the graph."""

from dataclasses import replace

from graphmem.domain.actors import MANUAL
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.syncing.pages.config import edit_config
from graphmem.services.syncing.pages.conflicts import edit_conflict
from graphmem.services.syncing.pages.core import edit_core
from graphmem.services.syncing.pages.entity_edits import edit_entity
from graphmem.services.syncing.pages.page import CONFIG, CONFLICTS, CORE, ENTITIES, Page


async def apply_edit(
    context: Context, access: Access, page: Page, base: str, edited: str
) -> list[str]:
    """Carry a hand edit of a page into the graph and return in words what was done.

    `page` is the page as it is now, `base` its text when it was written last. What the user in
    person edits is recorded as `manual`; an agent's edit by its name. Raises Invalid where the edit
    means nothing, and what the use cases raise that it stands for.
    """
    if not page.editable:
        raise Invalid("this file is made again by each sync; what is written there is dropped")
    if access.viewer.in_person:  # an agent never acts in the user's name
        access = replace(access, viewer=replace(access.viewer, acting_as=MANUAL))
    if page.path == CORE:
        return await edit_core(context, access, base, edited)
    if page.path == CONFIG:
        return await edit_config(context, access, base, edited)
    if page.path.parent == CONFLICTS:
        return await edit_conflict(context, access, page, base, edited)
    if page.path.parent == ENTITIES:
        return await edit_entity(context, access, page, base, edited)
    raise Invalid("this file can't be edited")

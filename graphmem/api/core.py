"""Core memory in the API."""

import strawberry

from graphmem.api.context import Info
from graphmem.domain.core import Core
from graphmem.services import core


@strawberry.type
class CoreBlock:
    """A part of core memory: identity, context, persona or critical; `pinned` are those of its
    lines that never decay."""

    name: str
    text: str
    token_budget: int
    pinned: list[str]


@strawberry.type
class CoreMemory:
    """What is always known of the user, as the viewer may read it; for the start of a prompt."""

    text: str
    token_count: int
    token_cap: int
    blocks: list[CoreBlock]


@strawberry.type
class CoreQuery:
    """Reading core memory."""

    @strawberry.field
    async def core_memory(self, info: Info) -> CoreMemory:
        """Who the user is, what is going on, how to work together, what must never be forgotten:
        lines that were written (setCoreBlock), and what readable notes tell of it."""
        context = info.context
        return _shaped(
            await core.core_memory(context.service, context.access, context.access.by_name)
        )


@strawberry.type
class CoreMutation:
    """Writing core memory."""

    @strawberry.mutation
    async def set_core_block(self, info: Info, name: str, text: str) -> CoreMemory:
        """Write the lines of a block (identity, context, persona, critical). Each is a note: those
        that are there stay, those that are missing in the text are archived, as far as the viewer
        can read them. Lines that other notes give stay as long as the notes do."""
        context = info.context
        await core.set_core_block(context.service, context.access, name, text)
        await context.refresh()
        return _shaped(
            await core.core_memory(context.service, context.access, context.access.by_name)
        )


def _shaped(found: Core) -> CoreMemory:
    return CoreMemory(
        text=found.text,
        token_count=found.token_count,
        token_cap=found.token_cap,
        blocks=[
            CoreBlock(
                name=part.block,
                text=part.text,
                token_budget=part.token_budget,
                pinned=[line.text for line in part.lines if line.pinned],
            )
            for part in found.parts
        ],
    )

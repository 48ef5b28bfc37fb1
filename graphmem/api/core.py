"""Core memory in the API."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.operations.commands.core import GetCoreMemory, SetCoreBlock


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
    """The facts about the user that are always present, as far as the viewer may read them; for the
    start of a prompt."""

    text: str
    token_count: int
    token_cap: int
    blocks: list[CoreBlock]


@strawberry.type
class CoreQuery:
    """Reading core memory."""

    core_memory = query_of(GetCoreMemory, CoreMemory)


@strawberry.type
class CoreMutation:
    """Writing core memory."""

    set_core_block = mutation_of(SetCoreBlock, CoreMemory)

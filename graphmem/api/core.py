"""Core memory in the API."""

import strawberry

from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import object_type
from graphmem.operations.commands.core import GetCoreMemory, SetCoreBlock
from graphmem.operations.presenters import core

CoreBlock = object_type(core.CoreBlock)
CoreMemory = object_type(core.CoreMemory, blocks=CoreBlock)


@strawberry.type
class CoreQuery:
    """Reading core memory."""

    core_memory = query_of(GetCoreMemory, CoreMemory)


@strawberry.type
class CoreMutation:
    """Writing core memory."""

    set_core_block = mutation_of(SetCoreBlock, CoreMemory)

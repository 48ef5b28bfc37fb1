"""Erasing the user who asks, in the API."""

import strawberry

from graphmem.api.fields import mutation_of
from graphmem.api.object_types import object_type
from graphmem.domain import erasing
from graphmem.operations.commands.erasure import EraseUser

Erased = object_type(erasing.ErasureProgress, "Erased", user=strawberry.ID)


@strawberry.type
class ErasureMutation:
    """Erasing a user."""

    erase_user = mutation_of(EraseUser, Erased)

"""Erasing the user who asks, in the API."""

import strawberry

from graphmem.api.fields import mutation_of
from graphmem.api.scalars import JSON
from graphmem.operations.commands.erasure import EraseUser


@strawberry.type
class Erased:
    """The progress of the erasure of a user. An incomplete erasure continues by itself."""

    user: strawberry.ID
    complete: bool
    """nothing names the user any more"""
    destroyed: JSON
    """nodes that this call destroyed, by label"""
    unnamed: int
    """nodes of others that lost the user's name"""
    remaining: JSON
    """nodes that still name the user, by label"""


@strawberry.type
class ErasureMutation:
    """Erasing a user."""

    erase_user = mutation_of(EraseUser, Erased)

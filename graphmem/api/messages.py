"""Commands in everyday words in the API."""

import strawberry

from graphmem.api import payloads, types
from graphmem.api.fields import mutation_of
from graphmem.api.reflection import Reflection
from graphmem.api.scalars import JSON
from graphmem.operations.commands.messages import CarryOutMessage


@strawberry.type
class CommandPayload:
    """The intent of a message and the result; fields that do not belong to the intent are null."""

    intent: str
    message: str
    note: types.Note | None
    forget: payloads.ForgetPayload | None
    recall: payloads.Recall | None
    reflection: Reflection | None
    visibility: payloads.SetVisibilityPayload | None
    stats: payloads.Stats | None
    data: JSON | None


@strawberry.type
class CommandMutation:
    """Asking in everyday words."""

    command = mutation_of(CarryOutMessage, CommandPayload)

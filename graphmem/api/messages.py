"""Commands in everyday words in the API."""

import strawberry

from graphmem.api import payloads, types
from graphmem.api.fields import mutation_of
from graphmem.api.object_types import object_type
from graphmem.api.reflection import Reflection
from graphmem.api.scalars import JSON
from graphmem.operations.commands.messages import CarryOutMessage
from graphmem.operations.presenters import messages

CommandPayload = object_type(
    messages.CommandPayload,
    note=types.Note,
    forget=payloads.ForgetPayload,
    recall=payloads.Recall,
    reflection=Reflection,
    visibility=payloads.SetVisibilityPayload,
    stats=payloads.Stats,
    data=JSON | None,
)


@strawberry.type
class CommandMutation:
    """Asking in everyday words."""

    command = mutation_of(CarryOutMessage, CommandPayload)

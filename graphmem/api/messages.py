"""Commands in everyday words in the API."""

from __future__ import annotations

import strawberry

from graphmem.api import payloads, types
from graphmem.api.context import Info
from graphmem.api.reflection import Reflection, reflection_of
from graphmem.api.scalars import JSON
from graphmem.services import messages as commands


@strawberry.type
class CommandPayload:
    """What a message asked for and what came of it; what the intent does not give is null."""

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

    @strawberry.mutation
    async def command(self, info: Info, text: str) -> CommandPayload:
        """Carry out a message such as "remember that ..."; one that is no command changes nothing,
        unless it tells something worth keeping."""
        context = info.context
        done = await commands.command(context.service, context.access, text)
        await context.refresh()
        return CommandPayload(
            intent=done.intent,
            message=done.message,
            note=types.note_of(done.note, info) if done.note else None,
            forget=payloads.forgotten_of(done.forgotten, info) if done.forgotten else None,
            recall=payloads.recall_of(done.recalled, info) if done.recalled else None,
            reflection=reflection_of(done.reflection) if done.reflection else None,
            visibility=payloads.moved_of(done.moved) if done.moved else None,
            stats=payloads.stats_of(done.stats) if done.stats else None,
            data=None if done.data is None else JSON(done.data),
        )

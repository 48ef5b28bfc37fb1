"""The result of a message in everyday words."""

from dataclasses import dataclass

from graphmem.domain.stats import Stats
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.notes import (
    ForgetPayload,
    Note,
    SetVisibilityPayload,
    forgotten_of,
    moved_of,
    note_of,
)
from graphmem.operations.presenters.recall import Recall, recall_of
from graphmem.operations.presenters.reflection import Reflection, reflection_of
from graphmem.services.messages import MessageOutcome


@dataclass(frozen=True, kw_only=True)
class CommandPayload:
    """The intent of a message and the result; fields that do not belong to the intent are null."""

    intent: str
    message: str
    note: Note | None
    forget: ForgetPayload | None
    recall: Recall | None
    reflection: Reflection | None
    visibility: SetVisibilityPayload | None
    stats: Stats | None
    data: dict[str, object] | None


def done_of(done: MessageOutcome, operation: Operation) -> CommandPayload:
    """Return the result of a message."""
    return CommandPayload(
        intent=done.intent,
        message=done.message,
        note=note_of(done.note, operation) if done.note else None,
        forget=forgotten_of(done.forgotten, operation) if done.forgotten else None,
        recall=recall_of(done.recalled, operation) if done.recalled else None,
        reflection=reflection_of(done.reflection) if done.reflection else None,
        visibility=moved_of(done.moved) if done.moved else None,
        stats=done.stats,
        data=done.data,
    )

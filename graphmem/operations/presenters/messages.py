"""The result of a message in everyday words."""

from dataclasses import dataclass, replace

from graphmem.domain.notes import Note
from graphmem.domain.stats import Stats
from graphmem.operations.presenters.reflection import Reflection, reflection_of
from graphmem.services.forgetting.forgetting import ForgetOutcome
from graphmem.services.messages import MessageOutcome
from graphmem.services.recall.recall import RecallResult, without_reasons
from graphmem.services.writing.visibility import VisibilityChange


@dataclass(frozen=True, kw_only=True)
class CommandPayload:
    """The intent of a message and the result; fields that do not belong to the intent are null."""

    intent: str
    message: str
    note: Note | None
    forget: ForgetOutcome | None
    recall: RecallResult | None
    reflection: Reflection | None
    visibility: VisibilityChange | None
    stats: Stats | None
    data: dict[str, object] | None


def done_of(done: MessageOutcome) -> CommandPayload:
    """Return the result of a message."""
    found = done.recalled
    return CommandPayload(
        intent=done.intent,
        message=done.message,
        note=done.note,
        forget=done.forgotten,
        recall=None if found is None else replace(found, hits=without_reasons(found.hits)),
        reflection=reflection_of(done.reflection) if done.reflection else None,
        visibility=done.moved,
        stats=done.stats,
        data=done.data,
    )

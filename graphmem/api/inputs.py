"""The input types of the API: the fields of commands under the contract's names."""

from graphmem.api.fields import input_of
from graphmem.domain import notes as drafts
from graphmem.operations.commands import actors, notes, recall


@input_of(drafts.EntityDraft)
class EntityInput:
    """A thing that a note is about."""


@input_of(drafts.RelationDraft)
class RelationInput:
    """A statement of a note about two things."""


@input_of(notes.Remember, entities=EntityInput, relations=RelationInput)
class RememberInput:
    """A note to remember. Its `externalId` and `idempotencyKey` are the writer's own, unique for
    the user in person and for each agent: the same id by two writers stands for two notes."""


@input_of(notes.RememberMany, notes=RememberInput)
class RememberManyInput:
    """Up to 500 notes."""


@input_of(drafts.NoteFilter)
class NoteFilter:
    """A filter of notes."""


@input_of(recall.Recall, filter=NoteFilter)
class RecallInput:
    """A question."""


@input_of(recall.MakeContext)
class ContextInput:
    """A task that needs a context package."""


@input_of(actors.RegisterAgent)
class AgentInput:
    """The fields of an agent's profile that are set; those left out stay unchanged."""

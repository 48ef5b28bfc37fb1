"""Going back to an earlier state, in GraphQL."""

import strawberry

from graphmem.api import types
from graphmem.api.fields import mutation_of
from graphmem.operations.commands.history import RevertNote, RevertTo


@strawberry.type
class HistoryMutation:
    """Undoing what was changed."""

    revert_note = mutation_of(RevertNote, types.Note)
    revert_to = mutation_of(RevertTo, int)

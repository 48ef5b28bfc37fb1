"""Feedback on recalls in the API."""

import strawberry

from graphmem.api.fields import mutation_of
from graphmem.operations.commands.recall import GiveFeedback


@strawberry.type
class FeedbackMutation:
    """Saying how useful a recall was."""

    feedback = mutation_of(GiveFeedback, bool)

"""Feedback on recalls in the API."""

import strawberry

from graphmem.api import inputs
from graphmem.api.context import Info
from graphmem.services.recall.feedback import give_feedback


@strawberry.type
class FeedbackMutation:
    """Telling what a recall was worth."""

    @strawberry.mutation
    async def feedback(
        self,
        info: Info,
        recall_id: strawberry.ID,
        used: list[strawberry.ID],
        helpful: bool | None = True,
    ) -> bool:
        """Say which notes of a recall, or of a context package, were used and whether they helped:
        those that did get stronger, the others lose what that recall gave them. `used` empty: the
        recall as a whole. The last word counts; saying it again changes nothing."""
        context = info.context
        await give_feedback(
            context.service,
            context.access,
            recall_id,
            used,
            helpful=inputs.or_default(helpful, True),
        )
        await context.refresh()
        return True

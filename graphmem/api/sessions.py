"""Agents at work, in the API."""

import strawberry

from graphmem.api.actors import Agent, agent_of
from graphmem.api.context import Info
from graphmem.services import actors


@strawberry.type
class SessionMutation:
    """What agents say of their work."""

    @strawberry.mutation
    async def report_status(
        self, info: Info, status: str, current_task: str | None = None
    ) -> Agent:
        """Tell one's status and what one works on, as an agent. All agents of the user read it."""
        context = info.context
        done = await actors.report_status(context.service, context.access, status, current_task)
        await context.refresh()
        return agent_of(done)

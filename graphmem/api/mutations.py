"""The mutations: each parses, calls one use case, and shapes the answer."""

import strawberry

from graphmem.api import inputs, payloads, types
from graphmem.api.commons import CommonsMutation
from graphmem.api.conflicts import ConflictMutation
from graphmem.api.context import Info
from graphmem.api.core import CoreMutation
from graphmem.api.enums import AgentRole, Validity, Visibility, WriteMode, WritePermission
from graphmem.api.feedback import FeedbackMutation
from graphmem.api.jobs import JobMutation
from graphmem.api.messages import CommandMutation
from graphmem.api.reflection import ReflectionMutation
from graphmem.api.resolution import ResolutionMutation
from graphmem.api.teams import TeamMutation
from graphmem.domain.notes import MAX_BATCH
from graphmem.errors import Invalid
from graphmem.services import actors
from graphmem.services.context import missing
from graphmem.services.forgetting import forgetting
from graphmem.services.writing import changing as notes
from graphmem.services.writing import links, remember, visibility


@strawberry.input
class AgentInput:
    """What is set of an agent's profile; what is left out stays."""

    id: strawberry.ID
    """the id of the agent"""
    name: str | None = strawberry.UNSET
    """a name for people"""
    role: AgentRole | None = strawberry.UNSET
    """what it does; the threshold of `ACT_R` goes by it"""
    domains: list[str] | None = strawberry.UNSET
    """the domains that it works in; `*` is every domain"""
    can_see_private: bool | None = strawberry.UNSET
    """whether it reads notes that are `PRIVATE`"""
    writes: WritePermission | None = strawberry.UNSET
    """whether it may write at once"""


@strawberry.type
class Mutation(
    CommandMutation,
    CommonsMutation,
    ConflictMutation,
    CoreMutation,
    FeedbackMutation,
    JobMutation,
    ReflectionMutation,
    ResolutionMutation,
    TeamMutation,
):
    """Changing the memory."""

    @strawberry.mutation
    async def remember(self, info: Info, input: inputs.RememberInput) -> payloads.RememberPayload:
        """Remember one note."""
        context = info.context
        mode = inputs.or_default(input.mode, WriteMode.CURATED)
        result = await remember.remember(
            context.service, context.access, inputs.draft_of(input), mode
        )
        await context.refresh()
        return payloads.remembered_of(result, info)

    @strawberry.mutation
    async def remember_many(
        self, info: Info, input: inputs.RememberManyInput
    ) -> payloads.RememberManyPayload:
        """Remember up to 500 notes, in groups of at most 100 that are written whole or not at all.
        A note that is bad, or for which no time was left, becomes an error of its own."""
        context = info.context
        if len(input.notes) > MAX_BATCH:
            raise Invalid(f"at most {MAX_BATCH} notes at once")
        mode = inputs.or_default(input.mode, WriteMode.CURATED)
        drafts = [
            (inputs.draft_of(note), inputs.or_default(note.mode, mode)) for note in input.notes
        ]
        results = await remember.remember_many(
            context.service, context.access, drafts, until=context.ends
        )
        await context.refresh()
        return payloads.RememberManyPayload(
            results=[payloads.result_of(i, result, info) for i, result in enumerate(results)]
        )

    @strawberry.mutation
    async def revise(
        self,
        info: Info,
        id: strawberry.ID,
        content: str | None = None,
        title: str | None = None,
        tags: list[str] | None = None,
        domain: str | None = None,
        importance: float | None = None,
        validity: Validity | None = None,
        expected_version: int | None = None,
    ) -> types.Note:
        """Change a note; its old text stays in a revision."""
        context = info.context
        change = notes.Change(
            content=content,
            title=title,
            tags=None if tags is None else tuple(tags),
            domain=domain,
            importance=importance,
            validity=validity,
        )
        note = await notes.revise(context.service, context.access, id, change, expected_version)
        await context.refresh()
        return types.note_of(note, info)

    @strawberry.mutation
    async def forget(
        self,
        info: Info,
        id: strawberry.ID | None = None,
        query: str | None = None,
        confirm: bool | None = False,
        permanent: bool | None = False,
        reason: str | None = None,
    ) -> payloads.ForgetPayload:
        """Archive a note by id, or what a query finds once confirmed; `permanent` destroys."""
        context = info.context
        done = await forgetting.forget(
            context.service,
            context.access,
            note_id=id,
            query=query,
            confirm=bool(confirm),
            permanent=bool(permanent),
            reason=reason,
        )
        await context.refresh()
        return payloads.forgotten_of(done, info)

    @strawberry.mutation
    async def restore(self, info: Info, id: strawberry.ID) -> types.Note:
        """Bring an archived note back."""
        context = info.context
        note = await notes.restore(context.service, context.access, id)
        await context.refresh()
        return types.note_of(note, info)

    @strawberry.mutation
    async def pin(
        self,
        info: Info,
        id: strawberry.ID,
        pinned: bool | None = True,
        visibility: Visibility | None = None,
    ) -> types.Note:
        """Pin a note, so that it never decays, or let it decay again."""
        context = info.context
        note = await notes.pin(
            context.service, context.access, id, inputs.or_default(pinned, True), visibility
        )
        await context.refresh()
        return types.note_of(note, info)

    @strawberry.mutation
    async def set_visibility(
        self,
        info: Info,
        visibility: Visibility,
        id: strawberry.ID | None = None,
        domain: str | None = None,
    ) -> payloads.SetVisibilityPayload:
        """Say who may read a note, or the notes of a domain from now on and those there are."""
        context = info.context
        done = await set_visibility(context.service, context.access, id, domain, visibility)
        await context.refresh()
        return payloads.moved_of(done)

    @strawberry.mutation
    async def link(
        self,
        info: Info,
        source: strawberry.ID,
        target: strawberry.ID,
        kind: str,
        reason: str | None = None,
    ) -> types.Link:
        """Link two notes."""
        context = info.context
        made = await links.link(context.service, context.access, source, target, kind, reason)
        await context.refresh()
        shown = await types.links_of(info, [made])
        if not shown:  # one of the notes has gone since, for this viewer
            raise missing("link")
        return shown[0]

    @strawberry.mutation
    async def unlink(self, info: Info, id: strawberry.ID) -> bool:
        """Remove a link."""
        context = info.context
        done = await links.unlink(context.service, context.access, id)
        await context.refresh()
        return done

    @strawberry.mutation
    async def register_user(
        self, info: Info, id: strawberry.ID, name: str | None = None
    ) -> types.User:
        """Register a user or rename one."""
        context = info.context
        user = await actors.register_user(context.service, context.access, id, name)
        await context.refresh()
        return types.user_of(user)

    @strawberry.mutation
    async def register_agent(self, info: Info, input: AgentInput) -> types.Agent:
        """Set up an agent of the user."""
        context = info.context
        agent = await actors.register_agent(
            context.service,
            context.access,
            input.id,
            name=inputs.given(input.name),
            role=inputs.given(input.role),
            domains=inputs.given(input.domains),
            can_see_private=inputs.given(input.can_see_private),
            writes=inputs.given(input.writes),
        )
        await context.refresh()
        return types.agent_of(agent)


# The resolver's own name would hide the use case inside the class.
set_visibility = visibility.set_visibility

"""The queries: each parses, calls one use case, and shapes the answer."""

from datetime import datetime
from typing import Annotated

import strawberry

from graphmem.api import inputs, payloads, types
from graphmem.api.commons import CommonsQuery
from graphmem.api.conflicts import ConflictQuery
from graphmem.api.context import Info
from graphmem.api.core import CoreQuery
from graphmem.api.coretrieval import CoRetrievalQuery
from graphmem.api.enums import Scope
from graphmem.api.jobs import JobQuery
from graphmem.api.reflection import ReflectionQuery
from graphmem.api.resolution import ResolutionQuery
from graphmem.api.scalars import Long
from graphmem.domain.drafts import check_instant
from graphmem.services import actors, events
from graphmem.services.reading import entities, history, stats
from graphmem.services.reading import notes as reading
from graphmem.services.recall import packages, recall
from graphmem.services.sessions import remembering


@strawberry.type
class Query(
    CommonsQuery,
    ConflictQuery,
    CoreQuery,
    CoRetrievalQuery,
    JobQuery,
    ReflectionQuery,
    ResolutionQuery,
):
    """Reading the memory."""

    @strawberry.field
    async def viewer(self, info: Info) -> payloads.Viewer:
        """Who asks."""
        access = info.context.access
        viewer = access.viewer
        found = await actors.load_users(info.context.service, access, [viewer.user])
        user = found.get(viewer.user)
        return payloads.Viewer(
            user=types.user_of(user) if user else None,
            agent=types.agent_of(viewer.agent) if viewer.agent else None,
            admin=viewer.admin,
            audiences=len(access.by_name),
        )

    @strawberry.field
    async def note(
        self,
        info: Info,
        id: strawberry.ID | None = None,
        external_id: str | None = None,
        as_of: datetime | None = None,
    ) -> types.Note | None:
        """One note by id or externalId, perhaps as it was at an instant; NOT_FOUND when it is not
        there or not for the viewer. Of an externalId the viewer's own note comes first, then the
        oldest."""
        context = info.context
        found = await history.get_note_as_of(
            context.service, context.access, id, external_id, as_of
        )
        return types.note_of(found, info)

    @strawberry.field
    async def notes(
        self,
        info: Info,
        filter: inputs.NoteFilter | None = None,
        first: int | None = 50,
        after: str | None = None,
    ) -> payloads.NoteConnection:
        """Readable notes, newest first."""
        context, wanted = info.context, inputs.filter_of(filter)
        page = await reading.list_notes(
            context.service,
            context.access,
            wanted,
            first=inputs.or_default(first, 50),
            after=after,
        )
        return payloads.connection_of(page, wanted, info)

    @strawberry.field
    async def recall(self, info: Info, input: inputs.RecallInput) -> payloads.Recall:
        """What of the readable memory answers a question."""
        context, question = info.context, inputs.question_of(input)
        if session := inputs.given(input.session_id):
            await remembering.require_open(context.service, context.access, session)
        answer = await recall.recall(
            context.service,
            context.access,
            question,
            local=inputs.or_default(input.scope, Scope.USER) is Scope.LOCAL,
        )
        return payloads.recall_of(answer, info, explain=inputs.or_default(input.explain, False))

    @strawberry.field
    async def context(self, info: Info, input: inputs.ContextInput) -> payloads.ContextPackage:
        """The best of the memory for a task, within a number of tokens."""
        made = await packages.package(
            info.context.service,
            info.context.access,
            input.task,
            token_budget=inputs.or_default(input.token_budget, 1700),
            profile=inputs.profile_of(input.profile),
            scope=inputs.or_default(input.scope, Scope.USER),
        )
        return payloads.ContextPackage(
            text=made.text,
            hits=[payloads.hit_of(hit, info, explain=False) for hit in made.hits],
            token_count=made.token_count,
            recall_id=strawberry.ID(made.recall_id),
            confidence=made.confidence,
            suggested_scope=made.suggested_scope,
            suggested_domains=list(made.suggested_domains),
        )

    @strawberry.field
    async def entity(
        self,
        info: Info,
        id: strawberry.ID | None = None,
        name: str | None = None,
        as_of: datetime | None = None,
    ) -> types.Entity | None:
        """One entity by id, or by a name or alias; its notes and relations perhaps as of then."""
        context = info.context
        found = await entities.get_entity(
            context.service, context.access, id, name, past=as_of is not None
        )
        return types.entity_of(found, check_instant(as_of, "asOf"))

    @strawberry.field
    async def entities(
        self, info: Info, search: str | None = None, first: int | None = 50
    ) -> list[types.Entity]:
        """Entities by name."""
        context = info.context
        found = await entities.list_entities(
            context.service, context.access, search, inputs.or_default(first, 50)
        )
        return [types.entity_of(entity) for entity in found]

    @strawberry.field
    async def paths(
        self,
        info: Info,
        start: Annotated[str, strawberry.argument(name="from")],
        end: Annotated[str, strawberry.argument(name="to")],
        max_hops: int | None = 4,
        first: int | None = 5,
    ) -> list[payloads.Path]:
        """The shortest paths between two entities, by name or id."""
        found = await entities.paths(
            info.context.service,
            info.context.access,
            start,
            end,
            inputs.or_default(max_hops, 4),
            inputs.or_default(first, 5),
        )
        return [
            payloads.Path(
                nodes=[
                    payloads.PathNode(id=strawberry.ID(n.id), label=n.label, kind=n.kind)
                    for n in path.nodes
                ],
                relationships=list(path.relationships),
            )
            for path in found
        ]

    @strawberry.field
    async def agents(self, info: Info) -> list[types.Agent]:
        """The agents of the viewer's user."""
        found = await actors.list_agents(info.context.service, info.context.access)
        return [types.agent_of(agent) for agent in found]

    @strawberry.field
    async def events(
        self,
        info: Info,
        after: Long | None = None,
        types: list[str] | None = None,
        actor: str | None = None,
        subject_id: strawberry.ID | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        first: int | None = 50,
    ) -> list[payloads.Event]:
        """What changed, oldest first."""
        found = await events.list_events(
            info.context.service,
            info.context.access,
            after=after or 0,
            types=types,
            actor=actor,
            subject_id=subject_id,
            since=since,
            until=until,
            first=inputs.or_default(first, 50),
        )
        return [payloads.event_of(event) for event in found]

    @strawberry.field
    async def stats(self, info: Info) -> payloads.Stats:
        """How much the viewer can read."""
        found = await stats.stats(info.context.service, info.context.access)
        return payloads.stats_of(found)

"""Entities, the paths between them, and merging those that are the same."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from graphmem.domain.drafts import check_instant
from graphmem.domain.entities import Entity, Path
from graphmem.domain.fields import AtMost, Between, Id, Named
from graphmem.domain.neighbourhood import Neighbourhood, NodeKind
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.services import resolution
from graphmem.services.neighbourhood import neighbourhood as around
from graphmem.services.reading import entities


@dataclass(frozen=True, kw_only=True)
class GetEntity(Command[Entity]):
    """One entity by id, or by a name or alias; its notes and relations as of `asOf` if that is
    given."""

    id: Id | None = None
    name: str | None = None
    as_of: datetime | None = None

    async def run(self, operation: Operation) -> Entity:
        """Read it."""
        found = await entities.get_entity(
            operation.service, operation.access, self.id, self.name, past=self.as_of is not None
        )
        return replace(found, as_of=check_instant(self.as_of, "asOf"))


@dataclass(frozen=True, kw_only=True)
class ListEntities(Command[list[Entity]]):
    """Entities by name."""

    search: str | None = None
    first: Annotated[int, Between(1, entities.MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[Entity]:
        """Read them."""
        return await entities.list_entities(
            operation.service, operation.access, self.search, self.first
        )


@dataclass(frozen=True, kw_only=True)
class FindPaths(Command[list[Path]]):
    """The shortest paths between two entities, by name or id; with asOf, over what was known and
    true at that instant."""

    start: Annotated[str, Named("from")]
    end: Annotated[str, Named("to")]
    max_hops: Annotated[int, Between(1, entities.MAX_HOPS)] = 4
    first: Annotated[int, Between(1, entities.MAX_PATHS)] = 5
    as_of: datetime | None = None

    async def run(self, operation: Operation) -> list[Path]:
        """Find them."""
        return await entities.paths(
            operation.service,
            operation.access,
            self.start,
            self.end,
            self.max_hops,
            self.first,
            self.as_of,
        )


@dataclass(frozen=True, kw_only=True)
class GetNeighbourhood(Command[Neighbourhood]):
    """Read what lies up to `depth` steps around a note or an agent (by id), an entity (by id or
    name) or a topic: at most `first` nodes, the nearest first. `kinds` leaves other kinds of nodes
    out, `since` and `until` notes that happened (or, without a time, were written) at other
    times."""

    kind: NodeKind
    of: str
    depth: Annotated[int, Between(1, around.MAX_DEPTH)] = 1
    first: Annotated[int, Between(1, around.MAX_NODES)] = 50
    kinds: Annotated[tuple[NodeKind, ...] | None, AtMost(len(NodeKind))] = None
    since: datetime | None = None
    until: datetime | None = None

    async def run(self, operation: Operation) -> Neighbourhood:
        """Read it."""
        wanted = around.Around(
            depth=self.depth,
            first=self.first,
            kinds=self.kinds or (),
            since=self.since,
            until=self.until,
        )
        return await around.neighbourhood(
            operation.service, operation.access, self.kind, self.of, wanted
        )


@dataclass(frozen=True, kw_only=True)
class ListEntityReviews(Command[list[resolution.EntityReview]]):
    """Pairs of entities that may be the same, at most 100; those that the rules will merge come
    first."""

    first: Annotated[int, Between(1, resolution.MAX_REVIEWS)] = 20

    async def run(self, operation: Operation) -> list[resolution.EntityReview]:
        """Read them."""
        return await resolution.list_reviews(operation.service, operation.access, self.first)


@dataclass(frozen=True, kw_only=True)
class MergeEntities(Change[Entity]):
    """Make one entity a part of another; it can be undone."""

    keep: Id
    merge: Id

    async def run(self, operation: Operation) -> Entity:
        """Merge them."""
        return await resolution.merge_entities(
            operation.service, operation.access, self.keep, self.merge
        )


@dataclass(frozen=True, kw_only=True)
class UndoEntityMerge(Change[Entity]):
    """Undo a merge: each of the two names has its own statements again. The answer is the entity
    that was kept."""

    id: Id

    async def run(self, operation: Operation) -> Entity:
        """Undo it."""
        return await resolution.undo_merge(operation.service, operation.access, self.id)


@dataclass(frozen=True, kw_only=True)
class RefuseEntityMerge(Change[Entity]):
    """Keep that two entities are not the same: no review asks about them any more, and no rule
    merges them. They can still be merged by hand. The answer is the first."""

    one: Id
    other: Id

    async def run(self, operation: Operation) -> Entity:
        """Refuse it."""
        return await resolution.refuse_merge(
            operation.service, operation.access, self.one, self.other
        )

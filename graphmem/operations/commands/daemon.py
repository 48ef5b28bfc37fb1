"""The operations of the memory daemon's document for an agent: on its own memories, apart from all
others.

A memory is a note that is PRIVATE to the agent and stored as said; its score is the cosine."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from graphmem.domain.fields import AtMost, Between, Id, Json, Name
from graphmem.domain.notes import MAX_TAGS, WriteMode
from graphmem.domain.notes import NoteFilter as Wanted
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden
from graphmem.operations.command import Change, Command
from graphmem.operations.commands.actors import ListAgents
from graphmem.operations.commands.notes import Forget, GetNote, NoteFilter, Remember
from graphmem.operations.commands.recall import Recall
from graphmem.operations.operation import Operation
from graphmem.operations.related import count_notes, count_written
from graphmem.services.context import missing
from graphmem.services.recall.request import MAX_K

PROJECTS = "projects"  # the domain above those of projects


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A memory that was stored."""

    success: bool
    id: str
    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """A memory that was found; the score is the cosine of its vector and that of the question."""

    id: str
    text: str
    score: float
    tags: tuple[str, ...]
    metadata: object
    created_at: datetime
    project_id: str | None
    """the project that it was stored for"""


@dataclass(frozen=True, kw_only=True)
class Memories:
    """The memories that were found, best first."""

    results: tuple[Memory, ...]
    count: int


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """The confirmation that a memory was forgotten."""

    success: bool
    message: str


@dataclass(frozen=True, kw_only=True)
class AgentCount:
    """An agent, and the number of readable notes that it wrote."""

    agent_id: str
    count: int


@dataclass(frozen=True, kw_only=True)
class AgentCounts:
    """Agents with their counts."""

    agents: tuple[AgentCount, ...]
    count: int


@dataclass(frozen=True, kw_only=True)
class Status:
    """The state of the service, `ready` or `degraded`, and of its database; `memories` counts the
    notes that the viewer can read, and is None while the database does not answer."""

    status: str
    neo4j: str
    memories: int | None


DEGRADED = Status(status="degraded", neo4j="disconnected", memories=None)


@dataclass(frozen=True, kw_only=True)
class GetStatus(Command[Status]):
    """The state of the service and of its database."""

    async def run(self, operation: Operation) -> Status:
        """Count the notes, which needs the database."""
        count = await count_notes(operation, Wanted())
        return Status(status="ready", neo4j="connected", memories=count)


@dataclass(frozen=True, kw_only=True)
class StoreMemory(Change[Stored]):
    """Store a memory of an agent as it is said."""

    checks_secrets = quarantines = True

    agent_id: Name
    """whose memory it is"""
    text: str
    """1 to 50,000 characters"""
    tags: Annotated[tuple[str, ...], AtMost(MAX_TAGS)] = ()
    """at most 50"""
    metadata: Json | None = None
    """anything of yours, as JSON"""
    ttl: int | None = None
    """seconds after which it is gone"""
    project_id: str | None = None
    """the project that it belongs to; the note's domain is `projects/` and this"""

    async def run(self, operation: Operation) -> Stored:
        """Store it."""
        require_agent(operation, self.agent_id)
        if operation.access.viewer.proposes:
            raise Forbidden("this agent may only propose, which it does by /v1/remember")
        domain = None if self.project_id is None else f"{PROJECTS}/{self.project_id}"
        command = Remember(
            content=self.text,
            tags=self.tags,
            metadata=self.metadata,
            ttl_seconds=self.ttl,
            domain=domain,
            visibility=Visibility.PRIVATE,
            mode=WriteMode.VERBATIM,
        )
        note = (await command.run(operation)).note
        assert note is not None  # without an idempotency key each write makes a note
        return Stored(success=True, id=note.id, text=note.content, tags=note.tags)


@dataclass(frozen=True, kw_only=True)
class SearchMemories(Command[Memories]):
    """Search an agent's own memories by meaning."""

    agent_id: Name
    """whose memories to search"""
    query: str
    """the question"""
    limit: Annotated[int, Between(1, MAX_K)] = Recall.k
    """how many at most"""
    min_score: float | None = None
    """no memory with a lower score"""

    async def run(self, operation: Operation) -> Memories:
        """Search."""
        require_agent(operation, self.agent_id)
        command = Recall(
            query=self.query,
            k=self.limit,
            min_score=self.min_score,
            profile=Profile.SIMILARITY,
            filter=NoteFilter(author=self.agent_id),
        )
        hits = (await command.run(operation)).hits
        found = tuple(
            Memory(
                id=hit.note.id,
                text=hit.note.content,
                score=hit.score,
                tags=hit.note.tags,
                metadata=hit.note.metadata,
                created_at=hit.note.created_at,
                project_id=_project_of(hit.note.domain),
            )
            for hit in hits
        )
        return Memories(results=found, count=len(found))


def _project_of(domain: str) -> str | None:
    """Return the project that a memory was stored for, None if there is none."""
    first, slash, project = domain.partition("/")
    return project if slash and first == PROJECTS else None


@dataclass(frozen=True, kw_only=True)
class ForgetMemory(Change[Forgotten]):
    """Forget a memory: one of the agent that asks, or any of the user in person."""

    id: Id
    agent_id: Name | None = None
    """whose memory it is"""

    async def run(self, operation: Operation) -> Forgotten:
        """Forget it."""
        if self.agent_id is not None:
            require_agent(operation, self.agent_id)
        agent = operation.access.viewer.agent
        note = await GetNote(id=self.id).run(operation)
        if agent is not None and note.author != agent.id:
            raise missing("memory")
        await Forget(id=self.id).run(operation)
        return Forgotten(success=True, message="memory forgotten")


@dataclass(frozen=True, kw_only=True)
class CountAgents(Command[AgentCounts]):
    """The user's agents, each with the number of notes that it wrote; an agent sees only itself."""

    async def run(self, operation: Operation) -> AgentCounts:
        """Count."""
        own = operation.access.viewer.agent
        ids = [each.id for each in await ListAgents().run(operation)]
        ids = [each for each in ids if own is None or each == own.id]
        counts = await count_written(operation, ids)
        found = tuple(
            AgentCount(agent_id=i, count=counts[i].notes if i in counts else 0) for i in ids
        )
        return AgentCounts(agents=found, count=len(found))


def require_agent(operation: Operation, agent_id: str) -> None:
    """Raise Forbidden unless this agent asks."""
    agent = operation.access.viewer.agent
    if agent is None or agent.id != agent_id:
        raise Forbidden("agentId must be the agent that asks")

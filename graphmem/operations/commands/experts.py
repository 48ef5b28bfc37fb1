"""Finding out who knows what, and whom to ask."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.expertise import Expert
from graphmem.domain.fields import Between, Domain, Id
from graphmem.domain.notes import Note
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.services.expertise import experts
from graphmem.services.reading.notes import MAX_PAGE
from graphmem.services.recall.request import MAX_K, RecallRequest
from graphmem.services.routing import consulting, keeping, routing
from graphmem.services.routing.consulting import Consultation
from graphmem.services.routing.routing import RouteAdvice


@dataclass(frozen=True, kw_only=True)
class ListExperts(Command[list[Expert]]):
    """The experts on a topic, most certain first: agents of your user as far as you may read their
    notes, members of your teams as far as they share a domain with one."""

    topic: str
    first: Annotated[int, Between(1, MAX_PAGE)] = 5

    async def run(self, operation: Operation) -> list[Expert]:
        """Find them."""
        return await experts.list_experts(
            operation.service, operation.access, self.topic, self.first
        )


@dataclass(frozen=True, kw_only=True)
class Route(Command[RouteAdvice]):
    """The agent that should do a task, and why; no agent if nobody is known to know about it."""

    task: str

    async def run(self, operation: Operation) -> RouteAdvice:
        """Find it."""
        return await routing.route(operation.service, operation.access, self.task)


@dataclass(frozen=True, kw_only=True)
class Consult(Command[Consultation]):
    """Ask your own memory, then the experts, as far as they share theirs, then the commons. Nothing
    of it becomes a note of yours unless `keepFinding` keeps it."""

    question: str
    topic: str | None = None
    """what an expert should know about; the question itself if left out"""
    k: Annotated[int, Between(1, MAX_K)] = 10
    """how many hits at most; up to 100"""
    track: bool = RecallRequest.track
    """note it, so that `feedback` and `keepFinding` can be given its `recallId`; an answer of your
    own memory counts as a use of the notes"""

    async def run(self, operation: Operation) -> Consultation:
        """Ask."""
        return await consulting.consult(
            operation.service,
            operation.access,
            self.question,
            self.topic,
            self.k,
            tracked=self.track,
        )


@dataclass(frozen=True, kw_only=True)
class KeepFinding(Change[Note]):
    """Keep something that `consult` found with others as a note of your own, `PRIVATE`, with its
    origin. It stays when its owner no longer shares it; a team never learns it through you. Doing
    it again returns the same note."""

    recall_id: Id
    """of the consultation"""
    note_id: Id
    """what it found"""
    domain: Domain | None = None
    """where it belongs; that of what was found if left out"""

    async def run(self, operation: Operation) -> Note:
        """Keep it."""
        kept = await keeping.keep(
            operation.service, operation.access, self.recall_id, self.note_id, self.domain
        )
        operation.add_written_audiences([kept.audience])
        return kept

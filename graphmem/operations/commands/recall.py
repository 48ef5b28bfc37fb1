"""Questions: recall, context packages, feedback, and notes that are recalled together."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.ranking import MAX_HOPS
from graphmem.domain.scopes import Scope
from graphmem.operations.command import Change, Command
from graphmem.operations.commands.notes import NoteFilter
from graphmem.operations.fields import Between, Id
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.recall import (
    ClusterCandidate,
    ContextPackage,
    candidates_of,
    package_of,
    recall_of,
)
from graphmem.operations.presenters.recall import Recall as Answer
from graphmem.operations.related import load_notes
from graphmem.services import feedback, packages
from graphmem.services.commons.recalling import with_team
from graphmem.services.handoffs.lent import with_lent
from graphmem.services.reading.notes import MAX_PAGE
from graphmem.services.recall import coretrieval, recall
from graphmem.services.recall.question import Question
from graphmem.services.sessions.remembering import require_open


@dataclass(frozen=True, kw_only=True)
class Recall(Command[Answer]):
    """The notes of the readable memory that answer a question."""

    query: str
    """the question, in plain words"""
    k: Annotated[int, Between(1, recall.MAX_K)] = Question.k
    """how many hits at most; up to 100"""
    scope: Scope = Scope.USER
    """how far to look: `TEAM` also among what your teams know"""
    profile: Profile = Question.profile
    """how to rank"""
    filter: NoteFilter | None = None
    """only among these notes"""
    hops: Annotated[int | None, Between(0, MAX_HOPS)] = None
    """how many steps to follow the graph; up to 3; as `GRAPHMEM_GRAPH_DEPTH` says where it is not
    given"""
    deep: bool = Question.deep
    """also among what is dormant, archived or long-term"""
    explicit: bool = Question.explicit
    """also among what is `USER_ONLY`, for who may read it"""
    as_of: datetime | None = None
    """as it was at this instant"""
    min_score: float | None = None
    """no hit with a lower score"""
    explain: bool = False
    """say in `why` what made each score"""
    random_seed: int | None = None
    """`ACT_R`: draw the same noise each time"""
    session_id: Id | None = None
    """an open session of the agent, else the recall is refused; `scope` says how far to look"""
    track: bool = Question.track
    """count it as a use of the notes"""

    async def run(self, operation: Operation) -> Answer:
        """Ask."""
        if self.session_id is not None:
            await require_open(operation.service, operation.access, self.session_id)
        question = Question(
            query=self.query,
            k=self.k,
            profile=self.profile,
            filter=(self.filter or NoteFilter()).wanted,
            hops=operation.service.graph_depth if self.hops is None else self.hops,
            deep=self.deep,
            explicit=self.explicit,
            as_of=self.as_of,
            min_score=self.min_score,
            random_seed=self.random_seed,
            track=self.track,
            session=self.session_id,
        )
        answer = await recall.recall(
            operation.service, operation.access, question, local=self.scope is Scope.LOCAL
        )
        if operation.access.lent:
            answer = await with_lent(operation.service, operation.access, question, answer)
        if self.scope is Scope.TEAM:
            answer = await with_team(operation.service, operation.access, question, answer)
        return recall_of(answer, operation, explain=self.explain)


@dataclass(frozen=True, kw_only=True)
class MakeContext(Command[ContextPackage]):
    """The best of the memory for a task, within a number of tokens."""

    task: str
    """what is to be done, in plain words"""
    token_budget: Annotated[int, Between(1, packages.MAX_BUDGET)] = 1700
    """tokens of the notes, besides core memory"""
    scope: Scope = Recall.scope
    """how far to look"""
    profile: Profile = Question.profile
    """how to rank"""
    as_of: datetime | None = None
    """what was known and true then; such a look back is no use of the notes"""

    async def run(self, operation: Operation) -> ContextPackage:
        """Compose it."""
        made = await packages.make_package(
            operation.service,
            operation.access,
            self.task,
            token_budget=self.token_budget,
            profile=self.profile,
            scope=self.scope,
            as_of=self.as_of,
        )
        return package_of(made, operation)


@dataclass(frozen=True, kw_only=True)
class GiveFeedback(Change[bool]):
    """Say which notes of a recall, or of a context package, were used and whether they helped:
    helpful notes get stronger, the others lose what that recall gave them. With `used` empty, the
    feedback is about the whole recall. The last feedback counts; repeating it changes nothing."""

    recall_id: Id
    used: tuple[Id, ...]
    helpful: bool = True

    async def run(self, operation: Operation) -> bool:
        """Note it."""
        await feedback.give_feedback(
            operation.service, operation.access, self.recall_id, self.used, helpful=self.helpful
        )
        return True


@dataclass(frozen=True, kw_only=True)
class ListClusterCandidates(Command[list[ClusterCandidate]]):
    """Pairs of readable notes that were recalled together more than 5 times, most frequent first;
    an agent sees its own recalls."""

    first: Annotated[int, Between(1, MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[ClusterCandidate]:
        """Read them."""
        found = await coretrieval.list_candidates(operation.service, operation.access, self.first)
        ids = [note for each in found for note in each.notes]
        return candidates_of(found, await load_notes(operation, ids))

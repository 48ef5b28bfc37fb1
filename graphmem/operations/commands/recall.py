"""Questions: recall, context packages, feedback, and notes that are recalled together."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from graphmem.domain.fields import Between, Id
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.scopes import Scope
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.recall import ClusterCandidate, candidates_of
from graphmem.operations.related import load_notes
from graphmem.services import feedback, packages
from graphmem.services.commons.recalling import with_team
from graphmem.services.handoffs.lent import with_lent
from graphmem.services.packages import ContextPackage
from graphmem.services.reading.notes import MAX_PAGE
from graphmem.services.recall import coretrieval, recall
from graphmem.services.recall.recall import RecallResult, without_reasons
from graphmem.services.recall.request import RecallRequest
from graphmem.services.sessions.remembering import require_open


@dataclass(frozen=True, kw_only=True)
class Recall(RecallRequest, Command[RecallResult]):
    """The notes of the readable memory that answer a question."""

    scope: Scope = Scope.USER
    """how far to look: `TEAM` also among what your teams know"""
    explain: bool = False
    """say in `why` what made each score"""

    async def run(self, operation: Operation) -> RecallResult:
        """Ask."""
        service, access = operation.service, operation.access
        if self.session_id is not None:
            await require_open(service, access, self.session_id)
        answer = await recall.recall(service, access, self, local=self.scope is Scope.LOCAL)
        if access.lent:
            answer = await with_lent(service, access, self, answer)
        if self.scope is Scope.TEAM:
            answer = await with_team(service, access, self, answer)
        return answer if self.explain else replace(answer, hits=without_reasons(answer.hits))


@dataclass(frozen=True, kw_only=True)
class MakeContext(Command[ContextPackage]):
    """The best of the memory for a task, within a number of tokens."""

    task: str
    """what is to be done, in plain words"""
    token_budget: Annotated[int, Between(1, packages.MAX_BUDGET)] = 1700
    """tokens of the notes, besides core memory"""
    scope: Scope = Recall.scope
    """how far to look"""
    profile: Profile = RecallRequest.profile
    """how to rank"""
    as_of: datetime | None = None
    """what was known and true then; such a look back is no use of the notes"""

    async def run(self, operation: Operation) -> ContextPackage:
        """Compose it."""
        return await packages.make_package(
            operation.service,
            operation.access,
            self.task,
            token_budget=self.token_budget,
            profile=self.profile,
            scope=self.scope,
            as_of=self.as_of,
        )


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

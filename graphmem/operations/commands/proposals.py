"""Proposals: listing them, and deciding them."""

from dataclasses import dataclass, field
from typing import Annotated

from graphmem.domain.fields import Between, Id, Named
from graphmem.domain.proposals import Decision, ProposalStatus
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services.proposals import deciding
from graphmem.services.proposals.deciding import ProposalChanges
from graphmem.services.reading import proposals as reading


@dataclass(frozen=True, kw_only=True)
class ListProposals(Command[list[Proposal]]):
    """Proposals that wait for a decision or were decided lately, newest first; with `status`, only
    those with it. A proposal is read by those who would read the note that it would become."""

    status: ProposalStatus | None = None
    first: Annotated[int, Between(1, reading.MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[Proposal]:
        """Read them."""
        found = await reading.list_proposals(
            operation.service, operation.access, self.status, self.first
        )
        return [proposal_of(each, operation) for each in found]


@dataclass(frozen=True, kw_only=True)
class DecideProposal(Change[Proposal]):
    """Decide a proposal, in person, or as the main agent or an orchestrator that may read it;
    nobody decides their own proposals. `COMMIT` writes the note, with the changes if there are any,
    and with `keepBoth` also those that contradict it: all with a low confidence, as open
    conflicts."""

    id: Id
    decision: Decision
    reason: str | None = None
    edits: Annotated[ProposalChanges, Named("changes")] = field(default_factory=ProposalChanges)
    keep_both: bool = False

    async def run(self, operation: Operation) -> Proposal:
        """Decide it."""
        done = await deciding.decide_proposal(
            operation.service,
            operation.access,
            self.id,
            self.decision,
            self.reason,
            self.edits,
            keep_both=self.keep_both,
        )
        return proposal_of(done, operation)

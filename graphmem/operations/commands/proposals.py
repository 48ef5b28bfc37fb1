"""Proposals: listing them, and deciding them."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.notes import Kind
from graphmem.domain.proposals import Decision, ProposalStatus
from graphmem.operations.command import Change, Command, Input
from graphmem.operations.commands.notes import given_of
from graphmem.operations.fields import Between, Domain, Id, Named
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services.proposals import deciding, reading


@dataclass(frozen=True, kw_only=True)
class ListProposals(Command[list[Proposal]]):
    """What waits for a decision or was decided lately, newest first, perhaps with one status.
    Who reads a proposal is who would read the note that it would be."""

    status: ProposalStatus | None = None
    first: Annotated[int, Between(1, reading.MAX_PAGE)] = 50

    async def run(self, operation: Operation) -> list[Proposal]:
        """Read them."""
        found = await reading.list_proposals(
            operation.service, operation.access, self.status, self.first
        )
        return [proposal_of(each, operation) for each in found]


@dataclass(frozen=True, kw_only=True)
class ProposalChanges(Input):
    """With what a proposal is committed, where that is not as it was proposed."""

    content: str | None = None
    """another text"""
    title: str | None = None
    """another title"""
    domain: Domain | None = None
    """another domain"""
    kind: Kind | None = None
    """another store of memory"""
    tags: tuple[str, ...] | None = None
    """other tags"""
    confidence: float | None = None
    """how sure it is, from 0 to 1"""


@dataclass(frozen=True, kw_only=True)
class DecideProposal(Change[Proposal]):
    """Decide a proposal, in person, or as the main agent or an orchestrator that may read it;
    nobody decides what they propose themselves. `COMMIT` writes the note, perhaps with changes, and
    with `keepBoth` also those that contradict it: all with a low confidence, as open conflicts."""

    id: Id
    decision: Decision
    reason: str | None = None
    edits: Annotated[ProposalChanges | None, Named("changes")] = None
    keep_both: bool = False

    async def run(self, operation: Operation) -> Proposal:
        """Decide it."""
        changes = deciding.Changes(**given_of(self.edits or ProposalChanges()))
        done = await deciding.decide_proposal(
            operation.service,
            operation.access,
            self.id,
            self.decision,
            self.reason,
            changes,
            keep_both=self.keep_both,
        )
        return proposal_of(done, operation)

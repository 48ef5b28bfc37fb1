"""Promotion: proposing that a team knows what a note says, and excluding domains from it."""

from dataclasses import dataclass

from graphmem.domain.actors import User
from graphmem.domain.fields import Domain, Id, Name
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.proposals import Proposal, proposal_of
from graphmem.services.promotion import opting, proposing


@dataclass(frozen=True, kw_only=True)
class ProposeKnowledge(Change[Proposal]):
    """Propose that a team knows what a note says, without names, addresses, numbers and ids of
    people: a text in doubt is refused. First the owner of the note consents, in person; then an
    orchestrator or the team's lead decides. A procedure becomes a skill of the team, once somebody
    who did not write it has reported that it worked."""

    note_id: Id
    domain: Domain | None = None
    content: str | None = None
    team: Name | None = None

    async def run(self, operation: Operation) -> Proposal:
        """Propose it."""
        made = await proposing.propose_knowledge(
            operation.service,
            operation.access,
            self.note_id,
            domain=self.domain,
            content=self.content,
            team=self.team,
        )
        return proposal_of(made, operation)


@dataclass(frozen=True, kw_only=True)
class SetPromotionOptOut(Change[User]):
    """Exclude a domain and everything below it from promotion, and reject the proposals from it
    that are waiting; only the user in person may do this. With `optOut: false` it is no longer
    excluded."""

    domain: Domain
    opt_out: bool = True

    async def run(self, operation: Operation) -> User:
        """Exclude it, or include it again."""
        return await opting.set_opt_out(
            operation.service, operation.access, self.domain, out=self.opt_out
        )

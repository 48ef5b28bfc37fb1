"""Proposals in the API."""

import strawberry

from graphmem.api.actors import User
from graphmem.api.commons_types import Proposal
from graphmem.api.fields import input_of, mutation_of, query_of
from graphmem.operations.commands import proposals as commands
from graphmem.operations.commands.promotion import ProposeKnowledge, SetPromotionOptOut


@input_of(commands.ProposalChanges)
class ProposalChanges:
    """Changes that are made to a proposal when it is committed."""


@strawberry.type
class ProposalQuery:
    """Reading proposals."""

    proposals = query_of(commands.ListProposals, list[Proposal])


@strawberry.type
class ProposalMutation:
    """Proposing knowledge for a team, and deciding proposals."""

    propose_knowledge = mutation_of(ProposeKnowledge, Proposal)
    set_promotion_opt_out = mutation_of(SetPromotionOptOut, User)
    decide_proposal = mutation_of(commands.DecideProposal, Proposal, edits=ProposalChanges)

"""The tools of `orchestrator` that review proposals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.mcp.answers import page, place_of, word
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.proposals import DecideProposal, ListProposals
from graphmem.operations.presenters.proposals import Proposal


@dataclass(frozen=True, kw_only=True)
class ShownProposal:
    """A proposal that waits, or was decided lately. `kind` write: a note, promotion: that a team
    knows it. Without `from_agent_id` the user or a job proposes it."""

    proposal_id: str
    kind: str
    status: str
    content: str
    truncated: bool | None = None
    title: str | None = None
    domain: str
    confidence: float
    from_agent_id: str | None = None
    team: str | None = None
    conflicts_with: tuple[str, ...]
    reason: str | None = None
    at: datetime
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Proposals(OfMemory):
    """Proposals, newest first."""

    proposals: tuple[ShownProposal, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Decided:
    """The result of a decision."""

    proposal_id: str
    status: str
    result_id: str | None = None


async def list_proposals(tool: Tool, call: Call) -> Proposals:
    """Return the proposals that wait, or were decided lately."""
    found = [_to_shown(each) for each in await carry_out(tool, call)]
    shown = page(found, call.tokens, place_of(call.cursor))
    return Proposals(proposals=shown.items, next_cursor=shown.next_cursor)


async def decide(tool: Tool, call: Call) -> Decided:
    """Decide a proposal."""
    done = await carry_out(tool, call)
    return Decided(proposal_id=done.id, status=word(done.status), result_id=done.result_id)


def _to_shown(found: Proposal) -> ShownProposal:
    return ShownProposal(
        proposal_id=found.id,
        kind=word(found.kind),
        status=word(found.status),
        content=found.content,
        title=found.title,
        domain=found.domain,
        confidence=round(found.confidence, 3),
        from_agent_id=found.author_id,
        team=found.team,
        conflicts_with=found.conflict_ids,
        reason=found.reason,
        at=found.at,
        expires_at=found.expires_at,
    )


REVIEWING: Final = (
    Tool(
        name="agent.list_proposals",
        title="What waits for review",
        about="List the proposals that wait for a decision: what agents that may only propose want "
        "to write, and what a team is to know. Call it when a session begins or ends.",
        command=ListProposals,
        answer=Proposals,
        run=list_proposals,
        params=(
            Param(name="status", of="status"),
            Param(name="limit", of="first", about="How many proposals at most."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="agent.decide_proposal",
        title="Approve or reject a proposal",
        about="Decide a proposal of another agent: commit it, reject it with a reason, or defer "
        "it. Nobody decides what they propose themselves.",
        command=DecideProposal,
        answer=Decided,
        run=decide,
        params=(
            Param(name="proposal_id", of="id", about="As agent.list_proposals told."),
            Param(name="decision", of="decision"),
            Param(name="reason", of="reason"),
            Param(name="content", of="changes.content", about="commit: another text."),
            Param(name="domain", of="changes.domain", about="commit: another domain."),
            Param(name="keep_both", of="keepBoth", about="commit: also what contradicts it."),
        ),
    ),
)

"""Proposals that were left for a reflection (Moltbot 13.3): which it shows, and to whom.

An item holds the id of its proposal; the proposal's text is read through the gate each time.
"""

from collections.abc import Sequence
from typing import Final

from graphmem.domain.ids import uuid7
from graphmem.domain.proposals import Proposal, ProposalStatus
from graphmem.domain.reflection import Item, ItemKind, Reflection, ReflectionStatus
from graphmem.services.context import Access, Context
from graphmem.services.core import automatic
from graphmem.services.reading.proposals import MAX_PAGE as MAX_PROPOSALS
from graphmem.services.reading.proposals import list_own
from graphmem.services.reflection.drafts import Pass

DEFERRED: Final = 15  # proposals that one reflection shows
MOST_PROPOSALS: Final = 200  # proposals that are read for that


async def deferred_items(context: Context, access: Access, pass_: Pass) -> list[Item]:
    """Return items for proposals that were left for a reflection, newest first.

    Those that a pending reflection shows already are left out.
    """
    shown = {
        item.proposal
        for each in pass_.past
        for item in each.items
        if each.status is ReflectionStatus.PENDING
    }
    found = await list_own(
        context,
        access,
        automatic(access),
        statuses=[ProposalStatus.DEFERRED],
        limit=MOST_PROPOSALS,
    )
    return [
        Item(
            id=uuid7(pass_.now),
            kind=ItemKind.PROPOSAL,
            audience=each.audience,
            numbers={"proposal": each.id},
        )
        for each in found
        if each.id not in shown
    ][:DEFERRED]


async def load_deferred(
    context: Context, access: Access, found: Sequence[Reflection]
) -> dict[str, Proposal]:
    """Load the proposals that reflections are about, as far as they may go into one."""
    ids = sorted({item.proposal for each in found for item in each.items if item.proposal})
    audiences = automatic(access)
    read: dict[str, Proposal] = {}
    for i in range(0, len(ids), MAX_PROPOSALS):
        some = ids[i : i + MAX_PROPOSALS]
        page = await list_own(context, access, audiences, ids=some, limit=len(some))
        read |= {each.id: each for each in page}
    return read

"""Reading proposals, through the gate."""

from collections.abc import Iterable, Sequence

from graphmem.domain.actors import AgentRole
from graphmem.domain.proposals import Proposal, ProposalStatus, decides_for_teams
from graphmem.domain.visibility import Audience
from graphmem.services.context import Access, Context, missing
from graphmem.store import proposals as store

MAX_PAGE = 500


async def list_proposals(
    context: Context, access: Access, status: ProposalStatus | None, first: int
) -> list[Proposal]:
    """List the proposals that the viewer may read, newest first.

    A proposal is read by those who would read its note; a promotion, once the owner consents, by
    the team's members in person and by orchestrators.
    """
    statuses = None if status is None else [status]
    return await _read(context, access, limit=first, statuses=statuses)


async def load_proposals(
    context: Context, access: Access, ids: Sequence[str], *, fresh: Sequence[Audience] = ()
) -> dict[str, Proposal]:
    """Load the readable proposals among the ids.

    `fresh`: audiences that the viewer reads in addition to those of the access, added since.
    """
    if not ids:
        return {}
    found = await _read(context, access, limit=len(ids), ids=ids, fresh=fresh)
    return {each.id: each for each in found}


async def require_proposal(context: Context, access: Access, proposal: str) -> Proposal:
    """Return a readable proposal. Raises NotFound."""
    found = await load_proposals(context, access, [proposal])
    if proposal not in found:
        raise missing("proposal")
    return found[proposal]


async def list_own(
    context: Context,
    access: Access,
    audiences: Sequence[str],
    *,
    limit: int,
    ids: Sequence[str] | None = None,
    statuses: Sequence[ProposalStatus] | None = None,
) -> list[Proposal]:
    """List the proposals to the viewer's user for some of the audiences that the viewer reads.

    They come newest first, without those of a team.
    """
    return await _list(
        context, access, (), audiences, shared=(), limit=limit, ids=ids, statuses=statuses
    )


async def count_waiting(context: Context, access: Access) -> int:
    """Count the readable proposals that wait, at most MAX_PAGE."""
    return len(await _read(context, access, limit=MAX_PAGE, statuses=store.OPEN))


async def _read(
    context: Context,
    access: Access,
    *,
    limit: int,
    ids: Sequence[str] | None = None,
    statuses: Sequence[ProposalStatus] | None = None,
    fresh: Sequence[Audience] = (),
) -> list[Proposal]:
    viewer = access.viewer
    consents = viewer.agent is None or viewer.agent.role is AgentRole.ORCHESTRATOR
    audiences = {*access.by_name, *(each.key for each in fresh)}
    if consents:
        audiences.update(access.by_name_of_teams)
    return await _list(
        context,
        access,
        viewer.teams if consents else (),
        audiences,
        shared=access.by_name_of_teams,
        limit=limit,
        ids=ids,
        statuses=statuses,
    )


async def _list(
    context: Context,
    access: Access,
    teams: Iterable[str],
    audiences: Iterable[str],
    *,
    shared: Iterable[str],
    limit: int,
    ids: Sequence[str] | None,
    statuses: Sequence[ProposalStatus] | None,
) -> list[Proposal]:
    viewer = access.viewer
    return await store.list_proposals(
        context.graph,
        viewer.user,
        tuple(teams),
        sorted(audiences),
        shared=sorted(shared),
        agent=viewer.agent.id if viewer.agent else "",
        decides=decides_for_teams(viewer),
        ids=ids,
        statuses=statuses,
        now=context.clock(),
        limit=limit,
    )

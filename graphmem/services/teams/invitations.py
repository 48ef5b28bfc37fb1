"""Invitations to teams, for those invited: to read, decline and block them, in person.

An invitation names somebody and does nothing else: it creates no user, and the inviting user can't
see whether that name exists, whether they block the invitation, or whether they declined one
lately, which they are not shown again.
"""

from graphmem.domain.ids import check_id
from graphmem.domain.teams import MAX_BLOCKS, Invitation, InvitationBlock
from graphmem.errors import Forbidden
from graphmem.services.context import Access, Context, missing, require_in_person
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import invitations as store


async def list_invitations(context: Context, access: Access) -> list[Invitation]:
    """List the teams that the user is invited to, the newest first; none for an agent."""
    if not access.viewer.in_person:
        return []
    return await store.read_invitations(context.graph, access.viewer.user, context.clock())


async def decline(context: Context, access: Access, team: str) -> bool:
    """Decline the invitation to a team.

    Raises Forbidden for an agent, NotFound for a user who is not invited.
    """
    require_in_person(access, "declining an invitation")
    return await _decline(context, access, check_id(team, "team id"))


@repeat_while_stale
async def _decline(context: Context, access: Access, team: str) -> bool:
    user, now = access.viewer.user, context.clock()
    if not await store.is_invited(context.graph, user, team, now):
        raise missing("invitation")
    await context.graph.write(store.decline_step(user, team, now))
    return True


async def block(
    context: Context, access: Access, team: str | None, user: str | None, *, block: bool
) -> list[InvitationBlock]:
    """Block the invitations to a team, by a user, both together, or all; or no longer do so.

    Returns what is blocked. Nobody learns of it, and it does not matter whether team or user exist.
    Raises Invalid, and Forbidden for an agent and for one block too many.
    """
    require_in_person(access, "blocking invitations")
    team = None if team is None else check_id(team, "team id")
    user = None if user is None else check_id(user, "user id")
    return await _block(context, access, team, user, block=block)


@repeat_while_stale
async def _block(
    context: Context, access: Access, team: str | None, user: str | None, *, block: bool
) -> list[InvitationBlock]:
    viewer, graph = access.viewer.user, context.graph
    known = await store.read_blocks(graph, viewer)
    is_known = any((each.team, each.user) == (team, user) for each in known)
    if block and not is_known and len(known) >= MAX_BLOCKS:
        raise Forbidden(f"a user blocks at most {MAX_BLOCKS} teams and users")
    await graph.write(store.block_step(viewer, team, user, block=block, now=context.clock()))
    return await store.read_blocks(graph, viewer)


async def list_blocks(context: Context, access: Access) -> list[InvitationBlock]:
    """List whose invitations the user blocks, the newest blocks first; none for an agent."""
    if not access.viewer.in_person:
        return []
    return await store.read_blocks(context.graph, access.viewer.user)

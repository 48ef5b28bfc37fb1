"""Further versions of what a team has.

Only its author renews it while nobody else has agreed on it; any other version is proposed, and
waits for as many people as the first one did.
"""

from datetime import timedelta

from graphmem.domain.actors import Viewer
from graphmem.domain.ids import uuid7
from graphmem.domain.proposals import ProposalStatus
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience
from graphmem.errors import Conflict, Stale
from graphmem.services.commons.shared import actor_of, person_of, signal, team_event_steps
from graphmem.services.context import Access, Context, missing
from graphmem.store import versions as store
from graphmem.store.versions import Present, Words

PROPOSED = "another version proposed"  # the event


async def require_present(
    context: Context, id: str, audience: Audience, version: int | None
) -> Present:
    """Return the origin of the version that was read.

    Raises NotFound, and Stale when there is another version by now.
    """
    found = await store.present_of(context.graph, id, audience, context.clock())
    if found is None:
        raise missing("entry of the commons")
    if version is not None and found.version != version:
        raise Stale
    return found


def may_renew(viewer: Viewer, present: Present) -> bool:
    """Return True if the viewer may renew it alone.

    That is who wrote the present version, or in person whose agent did, while nobody else has
    agreed on it.
    """
    if present.agreed or not present.actors:
        return False
    author = present.actors[0]
    return author == actor_of(viewer) or (viewer.in_person and person_of(author) == viewer.user)


async def propose_version(
    context: Context,
    access: Access,
    team: Team,
    audience: Audience,
    of: tuple[str, int],
    present: Present,
    words: Words,
) -> str:
    """Propose another version `of` a thing by its id and version; returns the proposal's id.

    Raises Stale when it has another one by now.
    """
    viewer, now = access.viewer, context.clock()
    proposal = uuid7(now)
    if not present.promoted:
        status = ProposalStatus.PENDING
    elif viewer.in_person and viewer.user == present.owner:
        status = ProposalStatus.AWAITING_ORCHESTRATOR
    else:
        status = ProposalStatus.AWAITING_OWNER
    step = store.propose_step(
        proposal,
        of,
        audience,
        words,
        user=viewer.user,
        author=viewer.agent.id if viewer.agent else None,
        status=status,
        expires_at=now + timedelta(days=context.reviewing.days),
        now=now,
    )
    event_steps = team_event_steps(
        context, access, team, "PROPOSE", PROPOSED, audience, subject_id=proposal
    )
    await context.graph.write(step, *event_steps)
    signal(context, team.members)
    return proposal


def check_base(present: Present, base: int | None) -> None:
    """Raise Conflict when a proposal was made of an earlier version than the present one."""
    if base != present.version:
        raise Conflict(
            "the team has another version by now: propose it again", currentVersion=present.version
        )

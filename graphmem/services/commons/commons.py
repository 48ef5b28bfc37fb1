"""The commons: standard procedures, of a user or of a team."""

from graphmem.domain.actors import MANUAL
from graphmem.domain.commons import MAX_SOPS, Sop, domain_and_parents
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import MAX_CONTENT
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import (
    Reading,
    Section,
    audience_of,
    may_read,
    resolve_visibility,
    team_audience,
)
from graphmem.errors import Forbidden
from graphmem.services.commons.shared import (
    PERSON,
    actor_of,
    decides_for_team,
    may_share,
    signal,
    team_event_steps,
    team_of,
)
from graphmem.services.context import Access, Context, events_step, user_audience
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_post, require_may_say
from graphmem.store import commons as store
from graphmem.store.events import event_row


async def get_sop(context: Context, access: Access, domain: str) -> Sop | None:
    """Return the standard procedure that holds in a domain; None where there is none.

    It is the domain's own, else that of the nearest domain above that the viewer may read; in one
    domain the user's own comes before those of teams. Raises Invalid.
    """
    domain = check_domain(domain)
    owner = user_audience(access.viewer.user)
    above = domain_and_parents(domain)
    places = [(owner, each) for each in above if _may_follow(access, each, domain)]
    for team in access.viewer.teams:
        key = Owner(team, is_team=True).key
        # As for one's own: a procedure holds for those who work in the domain, not only for the
        # domain above.
        if may_share(access.viewer, team_audience(team, Section.SOPS, domain)):
            places += [(key, each) for each in above]
    return await store.get_sop(context.graph, places)


@repeat_while_stale
async def set_sop(
    context: Context, access: Access, domain: str, content: str, team: str | None = None
) -> Sop:
    """Set the standard procedure of a domain: one's own, or that of a team.

    A team's is set by its lead or an orchestrator. Raises Invalid, NotFound for another's team, and
    Forbidden for an agent that may only propose, may not read what is said about the domain or
    would replace what was set in person, for a viewer who does not decide for the team, and for one
    procedure too many.
    """
    require_writer(access)
    domain = check_domain(domain)
    content = check_text(content, "content", MAX_CONTENT)
    if team is not None:
        return await _set_team_sop(context, access, team, domain, content)
    if not _may_follow(access, domain, domain):
        raise Forbidden("this agent does not work in the domain")
    user, actor, now = access.viewer.user, access.viewer.actor, context.clock()
    visibility = resolve_visibility(domain=domain, rules=access.rules, default=access.default)
    await require_may_say(context, access, [content], audience_of(user, visibility, domain))
    owner = user_audience(user)
    event = event_row(
        "EDIT",
        "standard procedure set",
        audience=owner,
        actor=actor,
        at=now,
        domain=domain,
        channel="knowledge_update",
    )
    version = await _check_replaceable(context, access, owner, domain)
    step = store.put_sop_step(owner, domain, content, version=version, actor=actor, now=now)
    rows = await context.graph.write(step, events_step(access, [event]))
    context.signal(user)
    return store.to_sop(rows[0][0]["sop"])


async def _set_team_sop(
    context: Context, access: Access, team: str, domain: str, content: str
) -> Sop:
    found = await team_of(context, access, team)
    audience = team_audience(found.id, Section.SOPS, domain)
    if not decides_for_team(access.viewer, found):
        raise Forbidden("a team's procedures are set by its lead or an orchestrator")
    if not may_share(access.viewer, audience):
        raise Forbidden("this agent does not work in the domain")
    await require_may_post(context, access, [content], found.id)
    actor, now = actor_of(access.viewer), context.clock()
    owner = audience.owner.key
    version = await _check_replaceable(context, access, owner, domain)
    step = store.put_sop_step(owner, domain, content, version=version, actor=actor, now=now)
    event_steps = team_event_steps(
        context, access, found, "EDIT", "standard procedure set", audience
    )
    rows = await context.graph.write(step, *event_steps)
    signal(context, found.members)
    return store.to_sop(rows[0][0]["sop"])


async def _check_replaceable(context: Context, access: Access, owner: str, domain: str) -> int:
    """Return the version of the procedure that is to be replaced.

    Raises Forbidden for an agent where somebody in person has set it, and for one too many.
    """
    version, actor, sops = await store.sop_standing(context.graph, owner, domain)
    if version == 0 and sops >= MAX_SOPS:
        raise Forbidden(f"there are at most {MAX_SOPS} standard procedures")
    in_person = actor is not None and (actor == MANUAL or actor.startswith(PERSON))
    if in_person and not access.viewer.in_person:
        raise Forbidden("this procedure was set in person: an agent does not replace it")
    return version


def _may_follow(access: Access, above: str, domain: str) -> bool:
    """Return True if the viewer may read a domain's procedure for its work in `domain`.

    It may if it may read a note of `domain` that has the visibility which the rules give the
    procedure of the domain above.
    """
    visibility = resolve_visibility(domain=above, rules=access.rules, default=access.default)
    audience = audience_of(access.viewer.user, visibility, domain)
    return may_read(access.viewer, audience, Reading.BY_NAME)

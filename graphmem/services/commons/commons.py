"""The commons. Without a team it is the user's own library: skills and standard procedures are
there, what only several users can make (knowledge, the board, experts) is empty."""

from typing import Never

from graphmem.domain.commons import Sop, domains_above
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import MAX_CONTENT, MAX_NAME
from graphmem.domain.visibility import Reading, audience_of, may_read, resolve
from graphmem.errors import Forbidden
from graphmem.services.context import Access, Context, events_step, user_audience
from graphmem.services.recall.recall import MAX_QUERY
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeated
from graphmem.store import commons as store
from graphmem.store.events import event_row


def list_knowledge(topic: str, domain: str | None) -> list[Never]:
    """What the viewer's teams know of a topic: nothing without a team. Raises Invalid."""
    check_text(topic, "topic", MAX_QUERY)
    if domain is not None:
        check_domain(domain)
    return []


def list_board(scope: str | None, prefix: str | None) -> list[Never]:
    """What the viewer's teams posted: nothing without a team. Raises Invalid."""
    for name, text in (("scope", scope), ("prefix", prefix)):
        if text is not None:
            check_text(text, name, MAX_NAME, empty=True)
    return []


async def get_sop(context: Context, access: Access, domain: str) -> Sop | None:
    """The standard procedure that holds in a domain: its own, else that of the nearest domain above
    that the viewer may read; None where there is none. Raises Invalid."""
    domain = check_domain(domain)
    readable = [each for each in domains_above(domain) if _may_follow(access, each, domain)]
    return await store.get_sop(context.graph, user_audience(access.viewer.user), readable)


@repeated
async def set_sop(context: Context, access: Access, domain: str, content: str) -> Sop:
    """Set the standard procedure of a domain. Raises Invalid, and Forbidden for an agent that may
    only propose or may not read what is told of the domain."""
    require_writer(access)
    domain = check_domain(domain)
    content = check_text(content, "content", MAX_CONTENT)
    if not _may_follow(access, domain, domain):
        raise Forbidden("this agent does not work in the domain")
    user, actor, now = access.viewer.user, access.viewer.actor, context.clock()
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
    step = store.put_sop_step(owner, domain, content, actor=actor, now=now)
    rows = await context.graph.write(step, events_step(access, [event]))
    context.signal(user)
    return store.to_sop(rows[0][0]["sop"])


def _may_follow(access: Access, above: str, domain: str) -> bool:
    """Whether the viewer may read, for its work in `domain`, the procedure of a domain above: as
    it may read a note of the domain that has the visibility which the rules give the procedure."""
    visibility = resolve(domain=above, rules=access.rules, default=access.default)
    audience = audience_of(access.viewer.user, visibility, domain)
    return may_read(access.viewer, audience, Reading.BY_NAME)

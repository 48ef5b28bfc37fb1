"""Links between notes."""

from collections.abc import Sequence

from graphmem.domain.drafts import check_text
from graphmem.domain.ids import uuid7
from graphmem.domain.linking import UPDATES
from graphmem.domain.notes import Link
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, events_step, missing
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_say
from graphmem.store import links as store
from graphmem.store.changes import same_readers_step
from graphmem.store.events import event_row

MAX_KIND = 100
MAX_REASON = 2_000
MAX_LINKS = 100


@repeat_while_stale
async def link(
    context: Context, access: Access, source: str, target: str, kind: str, reason: str | None
) -> Link:
    """Link two readable notes; linking them again with the same kind returns the existing link."""
    require_writer(access)
    kind = check_text(kind, "kind", MAX_KIND).strip()
    if kind == UPDATES:  # recall shows the newer note first
        raise Invalid(f"links of the kind {UPDATES} are made when a note is written")
    reason = None if reason is None else check_text(reason, "reason", MAX_REASON, empty=True)
    if source == target:
        raise Invalid("a note can't be linked to itself")
    one = await require_note(context, access, source)
    other = await require_note(context, access, target)
    for each in (one, other):
        await require_may_say(context, access, [reason or ""], each.audience)
    now, actor = context.clock(), access.viewer.actor
    step = store.create_step(
        uuid7(now),
        one.id,
        other.id,
        kind,
        user=one.user,
        reason=reason,
        strength=1.0,
        actor=actor,
        now=now,
    )
    event = event_row(
        "LINK",
        "note linked",
        audience=one.audience.key,
        actor=actor,
        at=now,
        subject_id=one.id,
        domain=one.domain,
        other=(other.id, other.audience.key),
    )
    unchanged = same_readers_step({note.id: note.audience.key for note in (one, other)})
    rows = await context.graph.write(unchanged, step, events_step(access, [event]))
    context.signal(one.user)
    return store.to_link(rows[1][0])


@repeat_while_stale
async def unlink(context: Context, access: Access, link_id: str) -> bool:
    """Remove a link whose two ends are readable. Raises NotFound."""
    require_writer(access)
    now = context.clock()
    found = await store.get_link(context.graph, link_id, access.by_name, now)
    if found is None:
        raise missing("link")
    event = event_row(
        "LINK",
        "link removed",
        audience=found.audience,
        actor=access.viewer.actor,
        at=now,
        subject_id=found.source,
        domain=found.domain,
        other=(found.target, found.target_audience),
    )
    unchanged = same_readers_step(
        {found.source: found.audience, found.target: found.target_audience}
    )
    await context.graph.write(unchanged, store.delete_step(link_id), events_step(access, [event]))
    context.signal(access.viewer.user)
    return True


async def links_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> dict[str, list[Link]]:
    """Return the links of readable notes to readable notes, strongest first."""
    return await store.links_of_notes(
        context.graph, ids, access.of_events, context.clock(), min(limit, MAX_LINKS)
    )

"""DISTILL: core memory shows the most active knowledge of each audience (MUMA 7.2).

The choice is stored as notes, so core memory always shows their present text, to those who may read
them; lines of people, agents and reflections do not change.
"""

from typing import Final

from graphmem.domain.activation import activation
from graphmem.domain.consolidation import MOST_ACTIVE
from graphmem.services.context import Access, Context, events_step
from graphmem.store import consolidation as store
from graphmem.store.consolidation import Used
from graphmem.store.events import event_row

PAGE: Final = 2_000  # notes read by one query
MOST_NOTES: Final = 20_000  # the newest of an audience


async def distil(context: Context, access: Access, audience: str) -> bool:
    """Choose the most active knowledge of an audience; return True if the choice changed."""
    now = context.clock()
    found: list[Used] = []
    async for page in store.active_notes(
        context.graph, audience, now=now, page=PAGE, most=MOST_NOTES
    ):
        found += page

    def best() -> list[str]:
        scored = [
            (activation(each.created_at, each.accesses, each.access_count, now), each.id)
            for each in found
        ]
        least = context.writing.persistence_threshold
        return [note for score, note in sorted(scored, reverse=True) if score > least]

    chosen = (await context.bulk_texts.run(lambda _: best()))[:MOST_ACTIVE]
    if set(chosen) == set(await store.list_core_notes(context.graph, audience)):
        return False
    event = event_row(
        "EDIT",
        "core memory tells the most active knowledge",
        audience=audience,
        actor=access.viewer.actor,
        at=now,
        data={"notes": sorted(chosen)},
    )
    step = store.set_core_notes_step(audience, chosen, now)
    await context.graph.write(step, events_step(access, [event]))
    context.signal(access.viewer.user)
    return True

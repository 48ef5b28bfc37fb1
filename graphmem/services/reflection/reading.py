"""Reading reflections: those that a viewer made, and for the user those of the agents too.

A stored reflection holds no text. Its words are made here, from notes that the reader may read; an
item with a note that the reader may not read says only that it is gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import Note
from graphmem.domain.reflection import Reflection, ReflectionStatus
from graphmem.language.reflection_text import ItemText, item_text, markdown
from graphmem.services.context import Access, Context, missing
from graphmem.services.core import automatic
from graphmem.services.job_runs.times import next_run_of
from graphmem.services.reading.notes import MAX_IDS
from graphmem.services.reflection.deferred import load_deferred
from graphmem.store import reflection as store
from graphmem.store.notes import load_notes

MAX_PAGE = 50
NIGHTLY: Final = "reflect_memory"  # the job that reflects as the user in person


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A reflection with its words for one reader."""

    reflection: Reflection
    words: tuple[ItemText, ...]  # one text for each item
    next_at: datetime | None = None  # time of the job's next reflection, if its maker has one

    @property
    def markdown(self) -> str:
        """The summary for people."""
        return markdown(self.reflection, self.words, self.next_at)


def maker_of(access: Access) -> str | None:
    """Return the name under which a viewer reflects: an agent's id, None for the user in person."""
    return access.viewer.agent.id if access.viewer.agent else None


async def list_reflections(
    context: Context,
    access: Access,
    *,
    status: ReflectionStatus | None,
    first: int,
    own: bool = False,
) -> list[Shown]:
    """List the viewer's own reflections, newest first.

    The user in person also sees those of the agents, unless only `own` ones are asked for.
    """
    maker = maker_of(access)
    found = await store.list_reflections(
        context.graph,
        access.viewer.user,
        maker=maker or store.IN_PERSON if own else maker,
        statuses=(status,) if status else tuple(ReflectionStatus),
        limit=first,
    )
    return await show(context, access, found)


async def get_reflection(context: Context, access: Access, reflection_id: str) -> Reflection:
    """Return one reflection that the viewer may see. Raises NotFound."""
    found = await store.list_reflections(
        context.graph,
        access.viewer.user,
        maker=maker_of(access),
        reflection_id=reflection_id,
        limit=1,
    )
    if not found:
        raise missing("reflection")
    return found[0]


async def show(context: Context, access: Access, found: Sequence[Reflection]) -> list[Shown]:
    """Return reflections in words that the viewer may read."""
    ids = {note for each in found for item in each.items for note in item.ids}
    notes = await load_all(context, access, sorted(ids))
    proposals = await load_deferred(context, access, found)
    nightly = next_run_of(NIGHTLY, context.schedule, context.clock())
    return [
        Shown(
            reflection=each,
            words=tuple(item_text(item, notes, proposals) for item in each.items),
            next_at=None if each.maker else nightly,  # the job never reflects as an agent
        )
        for each in found
    ]


async def load_all(
    context: Context, access: Access, ids: Sequence[str], *, by_name: bool = False
) -> dict[str, Note]:
    """Load those of any number of notes that may go into a reflection.

    USER_ONLY notes are left out, which are read by id, in lists and when asked for by name
    (DIFF-16); `by_name` includes them.
    """
    found: dict[str, Note] = {}
    audiences = access.by_name if by_name else automatic(access)
    now = context.clock()
    for i in range(0, len(ids), MAX_IDS):
        found |= await load_notes(context.graph, ids[i : i + MAX_IDS], audiences, now)
    return found

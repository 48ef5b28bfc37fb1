"""The pages of memory/meta that tell of reflections and proposals."""

from collections.abc import Sequence
from typing import Final

from graphmem.domain.proposals import ENDED
from graphmem.domain.reflection import ReflectionStatus
from graphmem.language.pages import render_evolution, render_log, render_pending, render_proposals
from graphmem.services.context import Access, Context
from graphmem.services.reading.proposals import MAX_PAGE as MOST_PROPOSALS
from graphmem.services.reading.proposals import list_proposals
from graphmem.services.reflection.reading import Shown, list_reflections
from graphmem.services.syncing.pages.page import META, Page

MOST_REFLECTIONS: Final = 200  # the newest


async def reflection_pages(context: Context, access: Access) -> list[Page]:
    """Return the log of reflections, those that wait, and what they found out about learning."""
    newest = await list_reflections(context, access, status=None, first=MOST_REFLECTIONS)
    shown = list(reversed(newest))
    told = [(each.reflection, each.words) for each in shown]
    return [
        Page(META / "reflection-log.md", render_log(told)),
        Page(META / "pending-reflection.md", render_pending(_pending(newest))),
        Page(META / "evolution.md", render_evolution(told)),
    ]


def _pending(newest: Sequence[Shown]) -> list[str]:
    waiting = ReflectionStatus.PENDING
    return [each.markdown for each in newest if each.reflection.status is waiting]


async def proposals_page(context: Context, access: Access) -> Page:
    """Return the proposals that wait for a decision, oldest first."""
    newest = await list_proposals(context, access, None, MOST_PROPOSALS)
    waiting = [each for each in reversed(newest) if each.status not in ENDED]
    return Page(META / "pending-memories.md", render_proposals(waiting))

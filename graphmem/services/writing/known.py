"""Finds what drafts repeat: external ids, requests of their writer, and texts in the graph."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Operation
from graphmem.errors import Conflict
from graphmem.services.context import Access, Context
from graphmem.services.writing.building import ChangeSetBuilder
from graphmem.services.writing.plans import Choice, Plan
from graphmem.services.writing.rights import CopyCheck, check_copies, texts_of
from graphmem.store import notes
from graphmem.store.notes import ExternalId, WrittenBefore

_TAKEN = "externalId belongs to another text already; revise that note instead"
_REUSED = "idempotencyKey was used for another request"


@dataclass
class Known:
    """External ids, requests and texts that are in use already."""

    external: dict[str, ExternalId]  # key: key of the external id
    requests: dict[str, WrittenBefore]
    texts: dict[str, WrittenBefore]
    copies: CopyCheck  # result for the plans' notes


async def read_known(
    context: Context, access: Access, plans: Sequence[Plan], by_name: Sequence[str], now: datetime
) -> Known:
    """Load which of the plans' ids, requests and texts are in use, in the audiences `by_name`."""
    user = access.viewer.user
    external, written, copies = await asyncio.gather(
        notes.find_external(
            context.graph,
            user,
            [plan.external_key for plan in plans if plan.external_key],
            by_name,
            now,
        ),
        notes.find_written(
            context.graph,
            user,
            [plan.request_key for plan in plans if plan.request_key],
            [plan.curated_key for plan in plans if plan.curated_key],
            now,
        ),
        check_copies(context, access, [(plan.note, _texts(plan)) for plan in plans]),
    )
    return Known(
        external,
        {each.key: each for each in written if each.by_request},
        {each.key: each for each in written if not each.by_request},
        copies,
    )


def _texts(plan: Plan) -> list[str]:
    """Return all texts that the readers of a plan's note will read."""
    names = [name for each in plan.given.entities for name in (each.name, *each.aliases)]
    ends = [end for each in plan.given.relations for end in (each.subject, each.object)]
    return [*texts_of(plan.note), *names, *ends]


def find_repetition(changes: ChangeSetBuilder, known: Known, plan: Plan) -> Choice | None:
    """Return the choice for a request, an external id of the writer, or a text that exists already.

    A note that the writer may no longer read does not count.
    """
    request = known.requests.get(plan.request_key or "")
    if request is not None and request.live:
        if request.request_hash != plan.request_hash:
            return Choice(plan, error=Conflict(_REUSED))
        reason = "the same request was carried out before"
        return Choice(plan, request.operation, request.note, reason, replay=True)
    named = known.external.get(plan.external_key or "")
    if named is not None and named.live:
        if named.says != plan.note.content:
            return Choice(plan, error=Conflict(_TAKEN))
        reason = "the note with this externalId says the same"
        return Choice(plan, Operation.NOOP, named.note, reason, replay=True)
    text = known.texts.get(plan.curated_key or "")
    if text is not None and text.live and text.note not in changes.notes:
        changes.strengthened.append(text.note)
        reason = "a note with the same text is there and was strengthened"
        return Choice(plan, Operation.NOOP, text.note, reason)
    return None

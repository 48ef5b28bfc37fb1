"""Whether a draft is a new note: what the graph, and the drafts before it, hold already."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Note, NoteDraft, Operation
from graphmem.domain.visibility import Reading, may_read
from graphmem.errors import Conflict, GraphmemError
from graphmem.services.context import Access, Context
from graphmem.store import notes
from graphmem.store.graph import Row

_TAKEN = "externalId belongs to another text already; revise that note instead"
_REUSED = "idempotencyKey was used for another request"


@dataclass(frozen=True)
class Plan:
    """A checked draft on its way to a note."""

    index: int
    draft: NoteDraft
    note: Note
    curated_key: str | None
    request_key: str | None
    request_hash: str


@dataclass(frozen=True)
class Choice:
    """What is to be done with a plan."""

    plan: Plan
    operation: Operation = Operation.ADD
    note_id: str = ""
    reason: str = ""
    new: bool = False  # the note is made by this choice
    reinforce: bool = False
    release: tuple[str, ...] = ()  # expired notes that must give their external id or key away
    error: GraphmemError | None = None


async def decide(
    context: Context, access: Access, plans: Sequence[Plan], now: datetime
) -> list[Choice]:
    """One choice for each plan, the earlier plans of the call counting as written."""
    user = access.viewer.user
    external, written = await asyncio.gather(
        notes.find_external(
            context.graph,
            user,
            [plan.note.external_id for plan in plans if plan.note.external_id],
            own_audiences(access, plans),
            now,
        ),
        notes.find_written(
            context.graph,
            user,
            [plan.request_key for plan in plans if plan.request_key],
            [plan.curated_key for plan in plans if plan.curated_key],
            now,
        ),
    )
    requests = {row["key"]: row for row in written if row["kind"] == "request"}
    texts = {row["key"]: row for row in written if row["kind"] == "text"}
    choices = []
    for plan in plans:
        choice = _choose(plan, external, requests, texts)
        choices.append(choice)
        if choice.new:
            _count_as_written(plan, external, requests, texts)
    return choices


def own_audiences(access: Access, plans: Sequence[Plan]) -> list[str]:
    """What the viewer may read, with the audiences that came up since the access was opened: those
    of the notes about to be written, as far as their writer may read them."""
    fresh = {plan.note.audience.key for plan in plans if may_reread(access, plan.note)}
    return sorted(fresh.union(access.by_name))


def may_reread(access: Access, note: Note) -> bool:
    """Whether the writer of a note may read notes of its audience; agents write for others, too."""
    return may_read(access.viewer, note.audience, Reading.BY_NAME)


def _choose(
    plan: Plan, external: dict[str, Row], requests: dict[str, Row], texts: dict[str, Row]
) -> Choice:
    request = requests.get(plan.request_key or "")
    if request is not None and request["live"]:
        if request["requestHash"] != plan.request_hash:
            return Choice(plan, error=Conflict(_REUSED))
        return Choice(
            plan, Operation.ADD, request["id"], reason="the same request was carried out before"
        )
    named = external.get(plan.note.external_id or "")
    if named is not None and named["live"]:
        if not named["readable"] or named["content"] != plan.note.content:
            return Choice(plan, error=Conflict(_TAKEN))
        return Choice(
            plan, Operation.NOOP, named["id"], reason="the note with this externalId says the same"
        )
    text = texts.get(plan.curated_key or "")
    if text is not None and text["live"]:
        return Choice(
            plan,
            Operation.NOOP,
            text["id"],
            reason="a note with the same text is there and was strengthened",
            reinforce=True,
        )
    stale = dict.fromkeys(row["id"] for row in (named, request) if row is not None)
    return Choice(
        plan,
        Operation.ADD,
        plan.note.id,
        reason="no note says the same",
        new=True,
        release=tuple(stale),
    )


def _count_as_written(
    plan: Plan, external: dict[str, Row], requests: dict[str, Row], texts: dict[str, Row]
) -> None:
    row: Row = {
        "id": plan.note.id,
        "content": plan.note.content,
        "readable": True,
        "live": True,
        "requestHash": plan.request_hash,
    }
    if plan.note.external_id:
        external[plan.note.external_id] = row
    if plan.request_key:
        requests[plan.request_key] = row
    if plan.curated_key:
        texts[plan.curated_key] = row

"""Handoffs in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.handoffs import DAYS, LENT, MAX_WAITING, Handoff
from graphmem.domain.notes import Note
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import EPOCH, instant_from_milliseconds
from graphmem.store.vectors import to_vector


@dataclass(frozen=True)
class Lent:
    """A note that is lent to an agent, and its cosine with a question (0 without a question)."""

    handoff: str
    note: str
    audience: str
    similarity: float


def create_step(handoff: Handoff, notes: Sequence[Note]) -> Step:
    """Create a handoff. Raises Stale when a note has other readers by now or the receiver has no
    room."""
    rows = [
        {"id": note.id, "audience": note.audience.key, "place": i} for i, note in enumerate(notes)
    ]
    return Step(
        "handoffs/create",
        {
            "id": handoff.id,
            "user": handoff.user,
            "sender": handoff.sender,
            "receiver": handoff.receiver,
            "summary": handoff.summary,
            "notes": rows,
            "most": MAX_WAITING,
            "expiresAt": handoff.at + timedelta(days=DAYS),
            "now": handoff.at,
        },
        required=True,
    )


async def list_handoffs(
    graph: Graph,
    user: str,
    agent: str | None,
    *,
    ids: Sequence[str] | None = None,
    now: datetime,
    limit: int,
) -> list[Handoff]:
    """Return the handoffs of a user that have not ended, or of one agent if it is given; or some by
    id."""
    rows = await graph.read_list(
        "handoffs/list",
        user=user,
        agent=agent,
        ids=None if ids is None else list(ids),
        now=now,
        limit=limit,
    )
    return [_to_handoff(row) for row in rows]


def _to_handoff(row: Row) -> Handoff:
    return Handoff(
        id=row["id"],
        user=row["user"],
        sender=row["sender"],
        receiver=row["receiver"],
        summary=row["summary"],
        at=EPOCH + timedelta(milliseconds=row["at"]),
        ended_at=instant_from_milliseconds(row["endedAt"]),
    )


async def list_lent_notes(
    graph: Graph,
    user: str,
    agent: str,
    audiences: Sequence[str],
    *,
    ids: Sequence[str] | None = None,
    handoffs: Sequence[str] | None = None,
    vector: Sequence[float] | None = None,
    now: datetime,
    limit: int,
) -> list[Lent]:
    """Return the notes that are lent to an agent; if ids or handoffs are given, only those of
    them."""
    rows = await graph.read_list(
        "handoffs/lent",
        user=user,
        agent=agent,
        audiences=list(audiences),
        lent=list(LENT),
        ids=None if ids is None else list(ids),
        handoffs=None if handoffs is None else list(handoffs),
        vector=None if vector is None else to_vector(vector),
        statuses=list(LIVE_STATUSES),
        now=now,
        limit=limit,
    )
    return [Lent(r["handoff"], r["note"], r["audience"], r["similarity"]) for r in rows]


async def notes_of(
    graph: Graph, user: str, handoffs: Sequence[str], audiences: Sequence[str], now: datetime
) -> list[tuple[str, str]]:
    """Return the readable notes of some handoffs as (handoff, note)."""
    rows = await graph.read_list(
        "handoffs/notes",
        user=user,
        handoffs=list(handoffs),
        audiences=list(audiences),
        now=now,
    )
    return [(handoff, note) for handoff, note in rows]


def take_up_step(user: str, agent: str, session: str) -> Step:
    """Make the handoffs that wait for an agent the tasks of its new session."""
    return Step("handoffs/take_up", {"user": user, "agent": agent, "session": session})


def end_with_step(session: str, now: datetime) -> Step:
    """End the tasks of a session."""
    return Step("handoffs/end_with", {"session": session, "now": now})


def end_step(handoff: str, user: str, agent: str | None, now: datetime) -> Step:
    """End a handoff; the step returns no row when the agent, or the user in person, has no such
    one."""
    given = {"id": handoff, "user": user, "agent": agent, "now": now}
    return Step("handoffs/end", given)

"""Feedback on recalls, in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.feedback import FeedbackChange
from graphmem.store.graph import Graph, Step


@dataclass(frozen=True, kw_only=True)
class Returned:
    """A readable note that a recall returned."""

    user: str  # whose it is
    helpful: bool | None  # what feedback says; None: nothing yet
    audience: str
    domain: str
    consulted: bool = False  # found in a memory that others share


@dataclass(frozen=True, kw_only=True)
class Logged:
    """A recall of the log: what feedback says of it, and its readable notes by id, best first."""

    helpful: bool | None
    notes: Mapping[str, Returned]


async def get_logged(
    graph: Graph,
    recall_id: str,
    user: str,
    agent: str | None,
    audiences: Sequence[str],
    shared: Sequence[str],
    now: datetime,
) -> Logged | None:
    """A recall of the user, for an agent only its own; None when there is none. `shared`: what
    others share with the user by now."""
    row = await graph.read_one(
        "feedback/get",
        recall=recall_id,
        user=user,
        agent=agent,
        audiences=list(audiences),
        shared=list(shared),
        now=now,
    )
    if row is None:
        return None
    notes = {
        each["id"]: Returned(
            user=each["user"],
            helpful=each["helpful"],
            audience=each["audience"],
            domain=each["domain"],
            consulted=each["consulted"],
        )
        for each in row["notes"]
    }
    return Logged(helpful=row["helpful"], notes=notes)


def give_step(
    recall_id: str,
    helpful: bool,
    changes: Sequence[FeedbackChange],
    audiences: Sequence[str],
    now: datetime,
) -> Step:
    """Keeps feedback; changes nothing when somebody gave other feedback in the meantime."""
    rows = [
        {
            "id": each.note,
            "old": each.old,
            "helpful": each.new,
            "accesses": each.accesses,
            "factor": each.factor,
        }
        for each in sorted(changes, key=lambda each: each.note)
    ]
    return Step(
        "feedback/give",
        {
            "recall": recall_id,
            "helpful": helpful,
            "rows": rows,
            "audiences": list(audiences),
            "now": now,
        },
        required=True,
    )

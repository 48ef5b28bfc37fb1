"""Feedback on recalls, in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.feedback import LIKE, FeedbackChange
from graphmem.store.graph import Graph, Step
from graphmem.store.vectors import to_vector


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
    """A recall of the log: its feedback, and its readable notes by id, best first."""

    helpful: bool | None
    notes: Mapping[str, Returned]
    query: str | None  # None: a note of the answer was destroyed
    user: str
    agent: str | None  # None: the user asked in person


async def get_logged(
    graph: Graph,
    recall_id: str,
    user: str,
    agent: str | None,
    audiences: Sequence[str],
    shared: Sequence[str],
    now: datetime,
) -> Logged | None:
    """Return a recall of the user (for an agent only its own), None when there is none. `shared`
    are the audiences that others share with the user by now."""
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
    return Logged(
        helpful=row["helpful"],
        notes=notes,
        query=row["query"],
        user=row["user"],
        agent=row["agent"],
    )


@dataclass(frozen=True, kw_only=True)
class JudgedQuestion:
    """A question that got feedback, stored so that similar questions can find it."""

    user: str
    agent: str | None  # None: the user asked in person
    vector: Sequence[float]


def _asker_key(user: str, agent: str | None) -> str:
    return f"{user}/{agent or ''}"


def give_step(
    recall_id: str,
    helpful: bool,
    changes: Sequence[FeedbackChange],
    audiences: Sequence[str],
    question: JudgedQuestion | None,
    now: datetime,
) -> Step:
    """Store feedback and its question. Raises Stale, changing nothing, when somebody gave other
    feedback in the meantime."""
    asked: dict[str, object] | None = None
    if question is not None:
        asked = {
            "asker": _asker_key(question.user, question.agent),
            "vector": to_vector(question.vector),
        }
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
            "question": asked,
            "rows": rows,
            "audiences": list(audiences),
            "now": now,
        },
        required=True,
    )


async def list_feedback_on_similar(
    graph: Graph, question: JudgedQuestion, audiences: Sequence[str], now: datetime
) -> dict[str, list[tuple[float, bool]]]:
    """Return the feedback on readable notes, by id, in answers to the same viewer: for each of the
    newest 100 judged questions that is similar to this one, its cosine (above `LIKE`), and whether
    the note helped."""
    rows = await graph.read_list(
        "feedback/like_questions",
        asker=_asker_key(question.user, question.agent),
        vector=to_vector(question.vector),
        audiences=list(audiences),
        least=LIKE,
        now=now,
    )
    return {each["id"]: [(near, helped) for near, helped in each["given"]] for each in rows}


def set_vectors_step(vectors: Mapping[str, Sequence[float]]) -> Step:
    """Give judged questions, by id, their vectors."""
    rows = [{"id": id, "vector": to_vector(vector)} for id, vector in sorted(vectors.items())]
    return Step("feedback/set_vectors", {"rows": rows})

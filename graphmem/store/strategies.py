"""The reads that only some questions need."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from graphmem.store.graph import Graph, Row
from graphmem.store.recall import LABEL, Bounds, Candidate, to_candidate
from graphmem.store.times import EPOCH
from graphmem.store.vectors import to_vector

NAMES_LIKE = 100
TRIGGERED = 20


async def names_like(graph: Graph, bounds: Bounds, keys: Mapping[str, Sequence[str]]) -> list[Row]:
    """Return names under any of the keys that the viewer may know: key, id, name, type of an
    entity."""
    return await graph.read_list(
        "entities/like",
        user=bounds.user,
        audiences=list(bounds.audiences),
        statuses=list(bounds.statuses),
        now=bounds.now,
        limit=NAMES_LIKE,
        **{kind: list(each) for kind, each in keys.items()},
    )


async def find_triggered_skills(
    graph: Graph, bounds: Bounds, vector: Sequence[float], words: Sequence[str]
) -> list[tuple[Candidate, str]]:
    """Return skills whose trigger or name contains one of the words, each with its trigger."""
    rows = await graph.read_list(
        "recall/triggers",
        **bounds.parameters(),
        vector=to_vector(vector),
        words=list(words),
        start=LABEL,
        limit=TRIGGERED,
    )
    return [(to_candidate(row["note"]), row["trigger"] or "") for row in rows]


async def dates_of(graph: Graph, bounds: Bounds, ids: Sequence[str]) -> dict[str, datetime]:
    """Return when the notes happened or, if that is unknown, when they were written."""
    rows = await graph.read_list("recall/dated", ids=list(ids), audiences=list(bounds.audiences))
    return {row["id"]: EPOCH + timedelta(milliseconds=row["at"]) for row in rows}

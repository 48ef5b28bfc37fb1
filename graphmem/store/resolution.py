"""Merges of entities, and the evidence for more of them, in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.identity import RULES
from graphmem.domain.ids import uuid7
from graphmem.store.graph import Graph, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import LAST_ID
from graphmem.store.times import from_milliseconds

WAIT = timedelta(days=3)  # from when rules hold entities to be one until they are merged
MAX_VERDICTS = 1_000
_ONE = "="  # between two ids of entities, which have none


@dataclass(frozen=True, kw_only=True)
class SameEntity:
    """A verdict of the rules that the two entities of a pair are the same, based on what readers of
    some audience may read. `at` is the time since which the rules have held this."""

    whole: str
    part: str
    by: str
    score: float
    at: datetime

    @property
    def merges_at(self) -> datetime:
        """The time at which the job merges the two unless somebody refuses."""
        return self.at + WAIT


def merge_step(
    pair: tuple[str, str],
    merge: str,
    *,
    audiences: Sequence[str] | None,
    user: str,
    actor: str,
    score: float,
    now: datetime,
) -> Step:
    """Make the second entity of a pair a part of the first; `audiences` are those that its maker
    may read, None for everything of the user."""
    parameters = {
        "keep": pair[0],
        "merge": pair[1],
        "id": merge,
        "audiences": None if audiences is None else list(audiences),
        "user": user,
        "actor": actor,
        "score": score,
        "now": now,
    }
    return Step("resolution/merge", parameters, required=True)


def part_step(
    merge: str,
    *,
    by: str,
    score: float,
    user: str,
    actor: str,
    everywhere: bool,
    now: datetime,
) -> Step:
    """Undo a merge; `by` and `score` are those of the note that says so. A merge by rules is undone
    for other readers of the two, too, if `everywhere`."""
    parameters = {
        "id": merge,
        "by": by,
        "score": score,
        "user": user,
        "actor": actor,
        "now": now,
    }
    if (whole := whole_of_form(merge)) is not None:
        pair = {"whole": whole, "part": merge.partition(_ONE)[2]}
        return Step("resolution/part_form", {**parameters, **pair}, required=True)
    given = {"everywhere": everywhere, "rules": RULES}
    return Step("resolution/part", parameters | given, required=True)


def refuse_step(
    refused: Sequence[SameEntity],
    *,
    audiences: Sequence[str] | None,
    user: str,
    actor: str,
    now: datetime,
) -> Step:
    """Keep that entities are not one; `audiences` as in `merge_step`."""
    rows = [
        {
            "id": uuid7(now),
            "whole": each.whole,
            "part": each.part,
            "by": each.by,
            "score": each.score,
        }
        for each in refused
    ]
    parameters = {
        "rows": rows,
        "audiences": None if audiences is None else list(audiences),
        "user": user,
        "actor": actor,
        "now": now,
    }
    return Step("resolution/refuse", parameters, required=True)


async def keep_verdicts(
    graph: Graph,
    user: str,
    audience: str,
    pairs: Sequence[tuple[str, str, float]],
    now: datetime,
) -> None:
    """Keep which entities, (whole, part, score), rules hold to be one by what readers of an
    audience may read, instead of those that they held before."""
    rows = [
        {"id": uuid7(now), "whole": whole, "part": part, "score": score}
        for whole, part, score in pairs
    ]
    await graph.write_one(
        "resolution/judge", user=user, audience=audience, rows=rows, actor=RULES, now=now
    )


async def list_verdicts(
    graph: Graph, user: str, audiences: Sequence[str], *, ids: Sequence[str] | None = None
) -> list[SameEntity]:
    """Return which entities rules hold to be one, by what the viewer may read, those first that are
    merged first; with `ids`, whose first entity is one of these."""
    rows = await graph.read_list(
        "resolution/verdicts",
        user=user,
        ids=None if ids is None else list(ids),
        audiences=list(audiences),
        limit=MAX_VERDICTS,
    )
    return [SameEntity(**row | {"at": from_milliseconds(row["at"])}) for row in rows]


def parameters_of_merges(now: datetime) -> dict[str, object]:
    """Return the parameters of `jobs/merge_entities.cypher` for all verdicts."""
    return {"until": now - WAIT, "now": now, "actor": RULES, "after": "", "last": LAST_ID}


def whole_of_form(merge: str) -> str | None:
    """Return the first of two entities whose names share one form, by the id of that tie; None for
    any other id."""
    whole, one, _ = merge.partition(_ONE)
    return whole if one else None


async def find_merge(graph: Graph, user: str, merge: str) -> str | None:
    """Return the id of the entity that a merge kept."""
    row = await graph.read_one("resolution/find", user=user, id=merge)
    return row["id"] if row else None


async def likely_pairs(
    graph: Graph, user: str, audiences: Sequence[str], now: datetime, limit: int
) -> list[tuple[str, str]]:
    """Return pairs of ids of entities whose names have something in common."""
    rows = await graph.read(
        "resolution/likely",
        user=user,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        limit=limit,
    )
    return [(row["one"], row["other"]) for row in rows]


async def load_neighbours(
    graph: Graph, user: str, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, frozenset[str]]:
    """Return the neighbours of each entity: those that readable notes relate to it or introduce
    with it."""
    rows = await graph.read(
        "resolution/around",
        user=user,
        ids=list(ids),
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
    )
    return {row["id"]: frozenset(row["around"]) for row in rows}

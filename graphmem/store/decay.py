"""The sweep of decay: its places and parameters, and what it has archived."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.activation import BASE_BY_SOURCE
from graphmem.domain.decay import (
    COMMONS_PEOPLE,
    DORMANT_BELOW,
    FADING_BELOW,
    PRUNE_HALF_LIVES,
    Decay,
)
from graphmem.domain.notes import BEGINNING, Kind
from graphmem.domain.owners import Owner
from graphmem.store.batches import Batches, BatchSize, size_parameters, to_batches
from graphmem.store.graph import Graph, Step

FIRST = ("", "", "")  # before all notes
NONE, LAST = "", "\uffff"  # no audience has such a key; all are before the last
DECAYED = "system:decay"  # the actor that archived notes which come back when they are used


async def sweep(
    graph: Graph,
    after: str,
    limit: int,
    size: BatchSize,
    *,
    now: datetime,
    d: float,
    decay: Decay,
) -> Batches:
    """Give notes after a place, at most `limit`, the status that fits their strength, at most as
    many as the size allows. A place is a JSON list of audience, time of creation and id, the last
    two empty at the end of an audience; any other text stands for the place before all notes. A
    page has notes of one audience, up to its end, or of the audiences after it, up to the one that
    the limit cuts."""
    audience, created_at, _ = place_of = _parse_place(after)
    given = size_parameters(size, limit) | parameters_of_sweep(now, d, decay)
    given |= _place_parameters(place_of)
    found = to_batches(await graph.run_batches("job:sweep_decay", **given))
    if found.place is not None:
        return replace(found, place=json.dumps(found.place))
    return replace(found, place=json.dumps([audience, "", ""]) if created_at else None)


def parameters_of_sweep(now: datetime, d: float, decay: Decay) -> dict[str, object]:
    """Return the parameters of `jobs/sweep_decay.cypher` that are the same for all notes."""
    return {
        "now": now,
        "actor": DECAYED,
        "d": d,
        "rate": decay.rate,
        "base": dict(BASE_BY_SOURCE),
        "weights": {str(kind): decay.weight(kind) for kind in Kind},
        "core": decay.weight("core"),
        "fadingBelow": FADING_BELOW,
        "dormantBelow": DORMANT_BELOW,
        "archivedBelow": decay.archive_threshold,
        "pruneBelow": decay.prune_threshold,
        "pruneHours": decay.min_age,
        "hardBelow": decay.hard_prune_threshold,
        "hardHours": decay.max_age,
        "halfLives": PRUNE_HALF_LIVES,
        "commonsHalfLife": decay.commons_half_life,
        "commonsPeople": COMMONS_PEOPLE,
    }


def parameters_of_whole_sweep(now: datetime, d: float, decay: Decay) -> dict[str, object]:
    """Return the parameters of a sweep from the first note on."""
    return _place_parameters(FIRST) | parameters_of_sweep(now, d, decay)


async def next_place(graph: Graph, after: str) -> str | None:
    """Return the place of the note after a place, or None."""
    audience, created_at, _ = place_of = _parse_place(after)
    row = await graph.read_one("jobs/next_swept", **_place_parameters(place_of))
    if row is not None:
        return json.dumps(row["place"])
    return json.dumps([audience, "", ""]) if created_at else None


def _parse_place(after: str) -> tuple[str, str, str]:
    """Parse the audience, time of creation and id of a place."""
    return tuple(json.loads(after)) if after.startswith("[") else FIRST


def _place_parameters(place: tuple[str, str, str]) -> dict[str, str]:
    """Return the parameters of a query that continues after a place."""
    audience, created_at, note = place
    return {
        "audience": audience if created_at else NONE,
        "createdAt": created_at or BEGINNING.isoformat(),
        "id": note,
        "beyond": LAST if created_at else audience,
    }


def owner_of(place: str) -> str:
    """Return the name of the owner whose audience a place (see `sweep`) names."""
    return Owner.of_audience(json.loads(place)[0]).name


def keep_archived_step(ids: Sequence[str], by: str | None, now: datetime) -> Step:
    """Keep archived notes archived even if they are used; `by` is who asks for it, None for the
    user in person, who can take it back by the instant."""
    return Step("notes/keep_archived", {"ids": sorted(ids), "by": by, "now": now})


def give_back_step(ids: Sequence[str], at: datetime) -> Step:
    """Give notes that the user forgot at an instant back to what had archived them before."""
    return Step("notes/give_back", {"ids": sorted(ids), "at": at})


@dataclass(frozen=True, kw_only=True)
class SweptNote:
    """A note that the sweep of decay has archived; `at` is in milliseconds."""

    id: str
    version: int
    audience: str
    at: int


async def list_archived(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    *,
    since: datetime,
    now: datetime,
    limit: int,
    ids: Sequence[str] | None = None,
) -> list[SweptNote]:
    """Return the readable notes that the sweep of decay has archived since a time, latest first;
    with `ids`, only those among them."""
    rows = await graph.read(
        "reflection/list_archived",
        user=user,
        by=DECAYED,
        audiences=list(audiences),
        since=since,
        now=now,
        ids=None if ids is None else list(ids),
        limit=limit,
    )
    return [SweptNote(**row) for row in rows]

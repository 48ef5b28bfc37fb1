"""The reads of the sweep of decay."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.domain.activation import BASE_BY_SOURCE
from graphmem.domain.decay import (
    COMMONS_PEOPLE,
    DORMANT_BELOW,
    FADING_BELOW,
    PRUNE_HALF_LIVES,
    Decay,
)
from graphmem.domain.notes import BEGINNING, Kind, Status
from graphmem.domain.owners import Owner
from graphmem.store.graph import Graph, Row, Step

FIRST = ("", "", "")  # before all notes
NONE, LAST = "", "\uffff"  # no audience has such a key; all are before the last
DECAYED = "system:decay"  # the actor that archived notes which come back when they are used


@dataclass(frozen=True, kw_only=True)
class Weak:
    """A note whose status does not fit its strength, with its strength."""

    id: str
    user: str
    version: int
    audience: str
    domain: str
    status: Status
    fitting: Status
    strength: Mapping[str, float]  # activation, retention, relevance


@dataclass(frozen=True, kw_only=True)
class Swept:
    """The notes of one user on a page."""

    user: str
    counts: Mapping[str, int]
    weak: tuple[Weak, ...]


async def sweep(
    graph: Graph, after: str, *, now: datetime, d: float, decay: Decay, limit: int, most: int
) -> tuple[str | None, list[Swept]]:
    """Return the notes after a place, at most `limit`, user by user, with at most `most` weak ones
    of each; and the next place, None when there are no more. A place is a JSON list of audience,
    time of creation and id, the last two empty at the end of an audience; any other text stands for
    the place before all notes. A page has notes of one audience, up to its end, or of the audiences
    after it, up to the one that the limit cuts."""
    audience, created_at, _ = place_of = _parse_place(after)
    row = await graph.read_one(
        "job:sweep_decay",
        **_place_parameters(place_of),
        limit=limit,
        most=most,
        now=now,
        actor=DECAYED,
        d=d,
        rate=decay.rate,
        base=BASE_BY_SOURCE,
        weights={kind: decay.weight(kind) for kind in Kind},
        core=decay.weight("core"),
        fadingBelow=FADING_BELOW,
        dormantBelow=DORMANT_BELOW,
        archivedBelow=decay.archive_threshold,
        pruneBelow=decay.prune_threshold,
        pruneHours=decay.min_age,
        hardBelow=decay.hard_prune_threshold,
        hardHours=decay.max_age,
        halfLives=PRUNE_HALF_LIVES,
        commonsHalfLife=decay.commons_half_life,
        commonsPeople=COMMONS_PEOPLE,
    )
    found = [] if row is None else [_to_swept(each) for each in row["users"]]
    if row is not None and row["last"] is not None:
        return json.dumps(row["last"]), found
    return (json.dumps([audience, "", ""]) if created_at else None), found


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


def keep_archived_step(ids: Sequence[str], by: str | None) -> Step:
    """Keep archived notes archived even if they are used; `by` is who asks for it, None for the
    user in person."""
    return Step("notes/keep_archived", {"ids": sorted(ids), "by": by})


def _to_swept(row: Mapping[str, Any]) -> Swept:
    weak = tuple(_to_weak(row["user"], each) for each in row["weak"])
    return Swept(user=row["user"], counts=row["counts"], weak=weak)


def _to_weak(user: str, row: Row) -> Weak:
    return Weak(
        id=row["id"],
        user=user,
        version=row["version"],
        audience=row["audience"],
        domain=row["domain"],
        status=Status(row["status"]),
        fitting=Status(row["fitting"]),
        strength={name: row[name] for name in ("activation", "retention", "relevance")},
    )


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

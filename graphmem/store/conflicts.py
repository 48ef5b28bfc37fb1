"""Conflicts between notes in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.copies import WAIT, NoteCopy
from graphmem.domain.ids import uuid7
from graphmem.domain.linking import CONTRADICTS, UPDATES
from graphmem.language.comparison import ConflictFound, ConflictVerdict
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.times import from_milliseconds, instant_from_milliseconds

CLASHED = "sync_files"  # the maker of a note that holds a text of another one
NEAREST = 6  # a note itself and its five nearest (L3-14)
MOST_COPIES = 200  # pairs of a user that one run merges
MOST_NOTES = 1_000  # newest changed notes whose neighbours one sweep reads, some ms each


@dataclass(frozen=True, kw_only=True)
class ConflictState:
    """The state of a conflict between two notes: still open, or ended by a resolution; `one` is the
    note that stays, if only one does."""

    one: str
    other: str
    similarity: float
    verdict: ConflictVerdict
    open: bool
    resolution: str | None


def open_step(
    user: str, pairs: Sequence[tuple[str, str, float]], verdict: ConflictVerdict, now: datetime
) -> Step:
    """Record conflicts of (note, note, cosine), once for each pair; a row gives its `id`."""
    rows = [
        {
            "id": uuid7(now),
            "pair": _pair(one, other),
            "one": one,
            "other": other,
            "similarity": similarity,
            "verdict": verdict,
        }
        for one, other, similarity in pairs
    ]
    return Step("conflicts/open", {"rows": rows, "user": user, "now": now})


def _pair(one: str, other: str) -> str:
    return "|".join(sorted((one, other)))


def close_step(user: str, states: Sequence[ConflictState], *, actor: str, now: datetime) -> Step:
    """Record the state of conflicts; do nothing when one of them has ended before."""
    rows = [
        {
            "id": uuid7(now),
            "pair": _pair(each.one, each.other),
            "one": each.one,
            "other": each.other,
            "similarity": each.similarity,
            "verdict": each.verdict,
            "open": each.open,
            "resolution": each.resolution,
        }
        for each in states
    ]
    parameters = {"rows": rows, "user": user, "actor": actor, "now": now, "clashed": CLASHED}
    return Step("conflicts/close", parameters, required=True)


def unlink_step(one: str, other: str) -> Step:
    """Remove the links that say that two notes contradict each other."""
    kinds = [CONTRADICTS, UPDATES]
    return Step("conflicts/unlink", {"one": one, "other": other, "kinds": kinds})


async def list_conflicts(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    is_open: Sequence[bool],
    conflict_id: str | None = None,
    limit: int,
    alike: bool = False,
) -> list[ConflictFound]:
    """Return conflicts between readable notes, newest first; with `alike`, only those between notes
    with the same readers."""
    rows = await graph.read(
        "conflicts/list",
        user=user,
        audiences=list(audiences),
        now=now,
        open=list(is_open),
        id=conflict_id,
        limit=limit,
        alike=alike,
    )
    return [_to_conflict(row) for row in rows]


def _to_conflict(row: Row) -> ConflictFound:
    at = instant_from_milliseconds(row["at"])
    assert at is not None
    return ConflictFound(
        id=row["id"],
        notes=tuple(row["notes"]),
        similarity=row["similarity"],
        verdict=ConflictVerdict(row["verdict"]),
        open=row["open"],
        resolution=row["resolution"],
        at=at,
    )


async def find_pairs_of(
    graph: Graph, note_id: str, audience: str, now: datetime, *, similarity: float
) -> list[tuple[str, float]]:
    """Return the notes that are similar to a note of the audience as (id, cosine), most similar
    first; pairs that already have a conflict are left out."""
    rows = await graph.read(
        "conflicts/pairs_of",
        id=note_id,
        audience=audience,
        now=now,
        statuses=list(LIVE_STATUSES),
        similarity=similarity,
        near=NEAREST,
    )
    return [(row["other"], row["similarity"]) for row in rows]


async def find_pairs(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    similarity: float,
    limit: int,
) -> list[tuple[str, str, float]]:
    """Return pairs of similar readable notes as (id, id, cosine), most similar first,
    without those that wait to be merged."""
    rows = await graph.read(
        "conflicts/pairs",
        user=user,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        similarity=similarity,
        near=NEAREST,
        most=MOST_NOTES,
        limit=limit,
    )
    return [(row["one"], row["other"], row["similarity"]) for row in rows]


async def hold_as_copies(graph: Graph, copies: Sequence[NoteCopy], now: datetime) -> None:
    """Keep which notes rules hold to be copies, each since when they first did; not of those that
    somebody has put away or settled meanwhile."""
    rows = [
        {
            "copy": each.copy,
            "note": each.note,
            "pair": _pair(each.copy, each.note),
            "cosine": each.cosine,
            "rule": each.rule,
        }
        for each in copies
    ]
    await graph.write_one(
        "conflicts/hold_as_copies", rows=rows, statuses=list(LIVE_STATUSES), now=now
    )


async def drop_copies(graph: Graph, one: str, other: str) -> None:
    """Keep no longer that rules hold two notes to be copies."""
    await graph.write_one("conflicts/drop_copies", one=one, other=other)


async def list_copies(
    graph: Graph,
    user: str,
    audiences: Sequence[str],
    now: datetime,
    *,
    ids: Sequence[str] | None = None,
    limit: int,
) -> list[NoteCopy]:
    """Return which notes rules hold to be copies of others, as far as both are readable, newest
    first; with `ids` only between these."""
    rows = await graph.read_list(
        "conflicts/copies",
        user=user,
        audiences=list(audiences),
        now=now,
        statuses=list(LIVE_STATUSES),
        ids=None if ids is None else list(ids),
        limit=limit,
    )
    return [NoteCopy(**row | {"at": from_milliseconds(row["at"])}) for row in rows]


async def users_with_copies(graph: Graph, after: str, *, now: datetime, limit: int) -> list[Row]:
    """Return users in the order of their ids, after one: `user`, and `pairs` of copies that are
    due, as [id of the copy, id of the other note, audience, cosine]."""
    return await graph.read(
        "job:merge_notes", after=after, until=now - WAIT, most=MOST_COPIES, limit=limit
    )

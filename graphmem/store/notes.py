"""Notes in the graph: one function for each query; rows become dataclasses here."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from graphmem.domain.notes import (
    BEGINNING,
    NEVER,
    Kind,
    Note,
    NoteFilter,
    NoteType,
    Operation,
    Revision,
    Status,
    Tier,
)
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import to_note
from graphmem.store.times import from_milliseconds
from graphmem.store.vectors import to_vector

LIVE_STATUSES = (Status.ACTIVE, Status.FADING, Status.DORMANT)


class Loaded(NamedTuple):
    """A note, with its cosine with a vector if that was asked for."""

    note: Note
    similarity: float | None


class Stamped(NamedTuple):
    """A note's id, when it was created, and what is equal only as long as the note does not
    change."""

    id: str
    created_at: datetime
    stamp: tuple[object, ...]


class Reached(NamedTuple):
    """The fields that the last stage of a recall needs of a note that only the graph reached, among
    others its cosine with the question, the index of its words and its traits."""

    title: str | None
    speaker: str | None
    episode: str | None
    status: Status
    similarity: float
    words: bytes
    traits: int | None


async def load_notes(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, Note]:
    """Return the readable, unexpired notes among the ids."""
    return {i: each.note for i, each in (await load_near(graph, ids, audiences, now)).items()}


async def load_near(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    near: Sequence[str] = (),
    vector: Sequence[float] | None = None,
) -> dict[str, Loaded]:
    """Return the readable, unexpired notes among the ids, each of those in `near` with its cosine
    with `vector`."""
    return (await _load(graph, ids, audiences, now, near=near, reached=(), vector=vector))[0]


async def load_reached(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    reached: Sequence[str],
    vector: Sequence[float],
) -> tuple[dict[str, Loaded], dict[str, Reached]]:
    """Return the readable, unexpired notes among the ids, and the fields that the last stage needs
    of those in `reached`, in one round trip: reading only these fields costs less than half as much
    as the note. A note that is destroyed meanwhile is missing in the second mapping."""
    return await _load(graph, ids, audiences, now, near=reached, reached=reached, vector=vector)


async def _load(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    near: Sequence[str],
    reached: Sequence[str],
    vector: Sequence[float] | None,
) -> tuple[dict[str, Loaded], dict[str, Reached]]:
    row = await graph.read_one(
        "notes/load",
        ids=list(ids),
        audiences=list(audiences),
        now=now.isoformat(),
        near=list(near),
        reached=list(reached),
        vector=None if vector is None or not near else to_vector(vector),
    )
    assert row is not None  # the query always returns one row
    return (
        {each["id"]: Loaded(to_note(each), each["similarity"]) for each in row["rows"]},
        {each["id"]: _to_reached(each) for each in row["reached"] if each["status"] is not None},
    )


def _to_reached(row: Row) -> Reached:
    return Reached(
        title=row["title"],
        speaker=row["speaker"],
        episode=row["episode"],
        status=Status(row["status"]),
        similarity=row["similarity"] or 0.0,
        words=row["words"] or b"",
        traits=row["traits"],
    )


def filter_parameters(given: NoteFilter, statuses: Iterable[str]) -> dict[str, object]:
    """Return the parameters of a filter that the vector index can apply as well."""
    return {
        "statuses": list(given.statuses or statuses),
        "tiers": list(given.tiers or Tier),
        "kinds": list(given.kinds or Kind),
        "types": list(given.types or NoteType),
        "since": given.since or BEGINNING,
        "until": given.until or NEVER,
    }


@dataclass(frozen=True)
class About:
    """The names that the entity of a filter has for a viewer: their ids, and the audiences of the
    notes that introduce them."""

    names: tuple[str, ...]
    readable: tuple[str, ...]


def scan_parameters(given: NoteFilter, about: About | None) -> dict[str, object]:
    """Return the parameters of a filter that only a scan can apply."""
    return {
        "tags": list(given.tags) or None,
        "author": given.author,
        "episode": given.episode,
        "externalPrefix": given.external_prefix,
        "text": given.text.lower() if given.text else None,
        "entities": None if about is None else list(about.names),
        "readable": [] if about is None else list(about.readable),
        "live": list(LIVE_STATUSES),
    }


@dataclass(frozen=True)
class Listed:
    """A note of a list: its id, the instant it was written, and its version.

    `kept`: something else had archived it before the user forgot it at the instant asked for."""

    id: str
    at: datetime
    version: int
    kept: bool


async def list_notes(
    graph: Graph,
    given: NoteFilter,
    audiences: Sequence[str],
    *,
    about: About | None,
    now: datetime,
    before: tuple[datetime, str] | None,
    limit: int,
    known: datetime | None = None,
    forgotten: datetime | None = None,
    unforgotten: bool = False,
) -> list[Listed]:
    """Return readable notes, newest first, at most `limit`.

    `known`: only those that were known at this instant; `forgotten`: only those that the user in
    person forgot at this one and that have not changed since; `unforgotten`: none that the user in
    person has archived."""
    rows = await graph.read_list(
        "notes/list",
        **filter_parameters(given, LIVE_STATUSES),
        **scan_parameters(given, about),
        audiences=list(audiences),
        now=now,
        upTo=min(known or NEVER, before[0] if before else NEVER),
        forgotten=forgotten,
        unforgotten=unforgotten,
        beforeAt=before[0] if before else None,
        beforeId=before[1] if before else None,
        limit=limit,
    )
    return [
        Listed(row["id"], from_milliseconds(row["at"]), row["version"], row["kept"]) for row in rows
    ]


async def list_stamps(
    graph: Graph,
    audiences: Sequence[str],
    *,
    now: datetime,
    before: tuple[datetime, str] | None,
    limit: int,
) -> list[Stamped]:
    """Return what tells if readable notes that count have changed, newest first, at most `limit`.
    A session's own notes are left out."""
    rows = await graph.read_list(
        "notes/stamps",
        audiences=list(audiences),
        statuses=list(LIVE_STATUSES),
        now=now,
        upTo=before[0] if before else NEVER,
        beforeAt=before[0] if before else None,
        beforeId=before[1] if before else None,
        limit=limit,
    )
    return [Stamped(row[0], from_milliseconds(row[1]), tuple(row[2:])) for row in rows]


async def count_notes(
    graph: Graph,
    given: NoteFilter,
    audiences: Sequence[str],
    *,
    about: About | None,
    now: datetime,
    unforgotten: bool = False,
) -> int:
    """Count the readable notes that pass the filter; `unforgotten` as in `list_notes`."""
    row = await graph.read_one(
        "notes/count",
        **filter_parameters(given, LIVE_STATUSES),
        **scan_parameters(given, about),
        audiences=list(audiences),
        unforgotten=unforgotten,
        now=now,
    )
    return row["total"] if row else 0


@dataclass(frozen=True)
class ExternalId:
    """An external id of a note: its key, which includes who gave it, whether the note is still
    stored, and the text that its writer knows it to have (None: archived)."""

    key: str
    note: str
    live: bool
    says: str | None


@dataclass(frozen=True)
class WrittenBefore:
    """A note that the same request made before, or that has the same text, and what that write
    did."""

    key: str
    note: str
    operation: Operation
    request_hash: str | None
    live: bool
    by_request: bool


async def find_external(
    graph: Graph, user: str, keys: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, ExternalId]:
    """Return the notes with external ids, by the keys that combine the id and who gave it."""
    if not keys:
        return {}
    rows = await graph.read(
        "notes/find_external", user=user, keys=list(keys), audiences=list(audiences), now=now
    )
    return {row["key"]: ExternalId(row["key"], row["id"], row["live"], row["says"]) for row in rows}


async def find_named(
    graph: Graph,
    user: str,
    external_id: str,
    *,
    first: str,
    only: str | None,
    audiences: Sequence[str],
    now: datetime,
) -> str | None:
    """Return the readable note with an external id: preferably that with the key `first`, then the
    oldest; with `only`, none but that with this key."""
    given = {"user": user, "externalId": external_id, "first": first, "only": only, "now": now}
    row = await graph.read_one("notes/find_named", **given, audiences=list(audiences))
    return row["id"] if row else None


async def find_written(
    graph: Graph,
    user: str,
    idempotency_keys: Sequence[str],
    curated_keys: Sequence[str],
    now: datetime,
) -> list[WrittenBefore]:
    """Return the notes that the same request made before, or that have the same text."""
    if not (idempotency_keys or curated_keys):
        return []
    rows = await graph.read(
        "notes/find_written",
        user=user,
        idempotencyKeys=list(idempotency_keys),
        curatedKeys=list(curated_keys),
        now=now,
    )
    return [
        WrittenBefore(
            key=row["key"],
            note=row["id"],
            operation=Operation(row["operation"]),
            request_hash=row["requestHash"],
            live=row["live"],
            by_request=row["kind"] == "request",
        )
        for row in rows
    ]


def release_step(ids: Sequence[str]) -> Step:
    """Remove the external id and the idempotency key from expired notes, so that new ones can have
    them."""
    return Step("notes/release", {"ids": list(ids)})


def reinforce_step(
    times: Mapping[str, Sequence[datetime]], factor: float | Mapping[str, float]
) -> Step:
    """Count accesses; `times` maps note ids to the instants, `factor` multiplies half-lives: one
    for all notes, or one for each."""
    rows = [
        {
            "id": i,
            "times": [each.isoformat() for each in at],
            "factor": factor[i] if isinstance(factor, Mapping) else factor,
        }
        for i, at in sorted(times.items())
    ]
    return Step("notes/reinforce", {"rows": rows})


async def list_revisions(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], *, now: datetime, limit: int
) -> dict[str, list[Revision]]:
    """Return the newest revisions of each readable note, newest first."""
    rows = await graph.read(
        "notes/revisions", ids=list(ids), audiences=list(audiences), now=now, limit=limit
    )
    return revisions_of(rows)


def revisions_of(rows: Sequence[Row]) -> dict[str, list[Revision]]:
    """Return the revisions in the rows, by note, in their order."""
    found: dict[str, list[Revision]] = {}
    for row in rows:
        found.setdefault(row["id"], []).append(
            Revision(
                version=row["version"],
                at=row["at"].to_native(),
                actor=row["actor"],
                content=row["content"],
                changes=json.loads(row["changes"]),
            )
        )
    return found


async def list_lineage(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], *, now: datetime
) -> dict[tuple[str, str], list[str]]:
    """Return readable relatives by (note id, "supersededBy" or "derivedFrom")."""
    rows = await graph.read("notes/lineage", ids=list(ids), audiences=list(audiences), now=now)
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        found.setdefault((row["id"], row["kind"]), []).append(row["other"])
    return found

"""Notes in the graph: one function for each query; rows become dataclasses here."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from graphmem.domain.ids import name_key
from graphmem.domain.notes import (
    BEGINNING,
    NEVER,
    Kind,
    Note,
    NoteFilter,
    NoteType,
    Revision,
    Source,
    Status,
    Tier,
    Validity,
)
from graphmem.domain.visibility import Audience, Visibility, owner_token
from graphmem.language.text_features import features_of
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.times import EPOCH, moment
from graphmem.store.vectors import sent

LIVE_STATUSES = (Status.ACTIVE, Status.FADING, Status.DORMANT)


def audience_map(audience: Audience) -> dict[str, str]:
    """The properties of an :Audience node."""
    return {
        "key": audience.key,
        "token": audience.token,
        "owner": audience.owner.name,
        "section" if audience.owner.is_team else "visibility": audience.section,
        "domain": audience.domain,
        "author": audience.author,
    }


def audience_token(audience: Audience) -> str:
    """What a note's full-text entry says of its readers: the audience's word and the owner's."""
    return f"{audience.token} {owner_token(audience.owner)}"


def note_properties(note: Note) -> dict[str, object]:
    """A note as properties of its node, without the vector."""
    return {
        "id": note.id,
        "user": note.user,
        "author": note.author,
        "externalId": note.external_id,
        "version": note.version,
        "content": note.content,
        "traits": int(features_of(note.content)),
        "title": note.title,
        "titleKey": name_key(note.title) if note.title else None,
        "context": note.context,
        "keywords": list(note.keywords),
        "tags": list(note.tags),
        "kind": note.kind,
        "type": note.type,
        "source": note.source,
        "validity": note.validity,
        "importance": note.importance,
        "confidence": note.confidence,
        "loadBearing": note.load_bearing,
        "pinned": note.pinned,
        "domain": note.domain,
        "visibility": note.visibility,
        "audience": note.audience.key,
        "audienceToken": audience_token(note.audience),
        "tier": note.tier,
        "status": note.status,
        "halfLifeHours": note.half_life_hours,
        "accessCount": note.access_count,
        "accessTimes": list(note.accesses),
        "createdAt": note.created_at,
        "updatedAt": note.updated_at,
        "occurredAt": note.occurred_at,
        "happenedAt": note.occurred_at or note.created_at,
        "validFrom": note.valid_from or BEGINNING,
        "validTo": note.valid_to or NEVER,
        "expiresAt": note.expires_at or NEVER,
        "episode": note.episode,
        "speaker": note.speaker,
        "metadata": None if note.metadata is None else json.dumps(note.metadata),
    }


def to_note(row: Mapping[str, Any]) -> Note:
    """A note from the properties that notes/load returns."""
    return Note(
        id=row["id"],
        user=row["user"],
        author=row["author"],
        external_id=row["externalId"],
        version=row["version"],
        content=row["content"],
        title=row["title"],
        context=row["context"],
        keywords=tuple(row["keywords"]),
        tags=tuple(row["tags"]),
        kind=Kind(row["kind"]),
        type=NoteType(row["type"]),
        source=Source(row["source"]),
        validity=Validity(row["validity"]),
        importance=row["importance"],
        confidence=row["confidence"],
        load_bearing=row["loadBearing"],
        pinned=row["pinned"],
        domain=row["domain"],
        visibility=Visibility(row["visibility"]),
        tier=Tier(row["tier"]),
        status=Status(row["status"]),
        half_life_hours=row["halfLifeHours"],
        access_count=row["accessCount"],
        accesses=tuple(EPOCH + timedelta(milliseconds=t) for t in row["accessTimes"]),
        created_at=EPOCH + timedelta(milliseconds=row["createdAt"]),
        updated_at=EPOCH + timedelta(milliseconds=row["updatedAt"]),
        occurred_at=moment(row["occurredAt"]),
        valid_from=moment(row["validFrom"]),
        valid_to=moment(row["validTo"]),
        expires_at=moment(row["expiresAt"]),
        episode=row["episode"],
        speaker=row["speaker"],
        metadata=None if row["metadata"] is None else json.loads(row["metadata"]),
    )


async def load_notes(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, Note]:
    """The readable, unexpired notes among the ids."""
    return {i: note for i, (note, _) in (await load_near(graph, ids, audiences, now)).items()}


async def load_near(
    graph: Graph,
    ids: Sequence[str],
    audiences: Sequence[str],
    now: datetime,
    *,
    near: Sequence[str] = (),
    vector: Sequence[float] | None = None,
) -> dict[str, tuple[Note, float | None]]:
    """The same, each with its cosine with `vector` if it is among `near`, else None."""
    rows = await graph.read_list(
        "notes/load",
        ids=list(ids),
        audiences=list(audiences),
        now=now.isoformat(),
        near=list(near),
        vector=None if vector is None or not near else sent(vector),
    )
    return {row["id"]: (to_note(row), row["similarity"]) for row in rows}


def create_step(
    rows: Sequence[Row], *, user: str, agent: str | None, actor: str, now: datetime
) -> Step:
    """Creates notes; a row holds properties, embedding (a sequence of floats) and audience."""
    # A time costs the driver as much as twenty texts, and most notes have the same: sent once.
    times = {"createdAt": now, "updatedAt": now, "happenedAt": now}
    usual = times | {"validFrom": BEGINNING, "validTo": NEVER, "expiresAt": NEVER}
    others = [
        row | {"properties": _but(usual, row["properties"]), "embedding": sent(row["embedding"])}
        for row in rows
    ]
    return Step(
        "notes/create",
        {"rows": others, "usual": usual, "user": user, "agent": agent, "actor": actor, "now": now},
    )


def _but(usual: Mapping[str, object], properties: Mapping[str, object]) -> dict[str, object]:
    """What of the properties is not as usual."""
    return {
        name: value
        for name, value in properties.items()
        if name not in usual or value != usual[name]
    }


def filter_parameters(given: NoteFilter, statuses: Iterable[str]) -> dict[str, object]:
    """The parameters of a filter that the vector index can apply too."""
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
    """The names that the entity of a filter has for a viewer: their ids, and the audiences whose
    notes introduce them."""

    names: tuple[str, ...]
    readable: tuple[str, ...]


def scan_parameters(given: NoteFilter, about: About | None) -> dict[str, object]:
    """The parameters of a filter that only a scan can apply."""
    return {
        "tags": list(given.tags) or None,
        "author": given.author,
        "episode": given.episode,
        "text": given.text.lower() if given.text else None,
        "entities": None if about is None else list(about.names),
        "readable": [] if about is None else list(about.readable),
        "live": list(LIVE_STATUSES),
    }


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
) -> list[tuple[str, datetime]]:
    """Ids and creation times of readable notes, newest first, at most `limit`; of those that were
    known at an instant if one is given."""
    rows = await graph.read_list(
        "notes/list",
        **filter_parameters(given, LIVE_STATUSES),
        **scan_parameters(given, about),
        audiences=list(audiences),
        now=now,
        known=known or NEVER,
        beforeAt=before[0] if before else None,
        beforeId=before[1] if before else None,
        limit=limit,
    )
    return [(row["id"], row["at"].to_native()) for row in rows]


async def count_notes(
    graph: Graph,
    given: NoteFilter,
    audiences: Sequence[str],
    *,
    about: About | None,
    now: datetime,
) -> int:
    """How many readable notes pass the filter."""
    row = await graph.read_one(
        "notes/count",
        **filter_parameters(given, LIVE_STATUSES),
        **scan_parameters(given, about),
        audiences=list(audiences),
        now=now,
    )
    return row["total"] if row else 0


async def find_external(
    graph: Graph, user: str, keys: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, Row]:
    """What is known of external ids, by the keys of them and of who gave them: id, live, and what
    its writer knows that it says (None: put away)."""
    if not keys:
        return {}
    rows = await graph.read(
        "notes/find_external", user=user, keys=list(keys), audiences=list(audiences), now=now
    )
    return {row["key"]: row for row in rows}


async def find_named(
    graph: Graph,
    user: str,
    external_id: str,
    *,
    first: str,
    audiences: Sequence[str],
    now: datetime,
) -> str | None:
    """The readable note with an external id; that of the key `first` before others, then the
    oldest."""
    given = {"user": user, "externalId": external_id, "first": first, "now": now}
    row = await graph.read_one("notes/find_named", **given, audiences=list(audiences))
    return row["id"] if row else None


async def find_written(
    graph: Graph,
    user: str,
    idempotency_keys: Sequence[str],
    curated_keys: Sequence[str],
    now: datetime,
) -> list[Row]:
    """Notes made before by the same request (kind "request") or of the same text ("text")."""
    if not (idempotency_keys or curated_keys):
        return []
    return await graph.read(
        "notes/find_written",
        user=user,
        idempotencyKeys=list(idempotency_keys),
        curatedKeys=list(curated_keys),
        now=now,
    )


def reinforce_step(times: Mapping[str, Sequence[datetime]], factor: float) -> Step:
    """Counts accesses; `times` maps note ids to the instants, `factor` multiplies half-lives."""
    rows = [
        {"id": i, "times": [each.isoformat() for each in at]} for i, at in sorted(times.items())
    ]
    return Step("notes/reinforce", {"rows": rows, "factor": factor})


async def list_revisions(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], *, now: datetime, limit: int
) -> dict[str, list[Revision]]:
    """The newest revisions of each readable note, newest first."""
    rows = await graph.read(
        "notes/revisions", ids=list(ids), audiences=list(audiences), now=now, limit=limit
    )
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
    """Readable relatives by (note id, "supersededBy" or "derivedFrom")."""
    rows = await graph.read("notes/lineage", ids=list(ids), audiences=list(audiences), now=now)
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        found.setdefault((row["id"], row["kind"]), []).append(row["other"])
    return found

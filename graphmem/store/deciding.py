"""The notes that a write is compared with, and its changes to existing notes."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, Wording
from graphmem.domain.visibility import WIDEST_FIRST, readers_of
from graphmem.domain.writing import NEAREST
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import to_note
from graphmem.store.times import instant_from_milliseconds
from graphmem.store.vectors import to_vector

NEAR = NEAREST  # notes of the same audience; verbatim ones are only linked
FAR = 10  # notes of other audiences with the same readers, for links
MAX_GROUPS = 64  # groups of readers whose notes are compared, widest first


@dataclass(frozen=True)
class Wanted:
    """A new note's vector, and where to look: its own audience, and others that the writer may
    read."""

    index: int
    vector: Sequence[float]
    audience: str
    others: Sequence[str]


@dataclass(frozen=True)
class NearNotes:
    """The notes near each new note as (id, cosine); these notes with the keys of the entities that
    they mention; and the keywords of notes whose writers gave some."""

    near: Mapping[int, Sequence[tuple[str, float]]]
    notes: Mapping[str, tuple[Note, tuple[str, ...]]]
    given_keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def by_readers(audiences: Iterable[str]) -> list[list[str]]:
    """Group audiences by their readers, into at most 64 groups, those with the most readers first,
    so that audiences of few readers never displace those of many."""
    groups: dict[str, list[str]] = {}
    for audience in sorted(audiences, key=lambda key: (_width_rank(key), key)):
        groups.setdefault(readers_of(audience), []).append(audience)
    return list(groups.values())[:MAX_GROUPS]


def _width_rank(audience: str) -> int:
    return [str(each) for each in WIDEST_FIRST].index(audience.split("/")[1])


async def find_nearest(
    graph: Graph, wanted: Sequence[Wanted], now: datetime, *, except_ids: Collection[str] = ()
) -> NearNotes:
    """Find the notes that new notes are compared with and linked to, except `except_ids`: the
    nearest of the same audience, and the nearest of each group with other readers
    (`by_readers`)."""
    if not wanted:
        return NearNotes({}, {})
    rows: list[dict[str, Any]] = [
        {
            "index": each.index,
            "vector": to_vector(each.vector),
            "audience": each.audience,
            "others": by_readers(each.others),
        }
        for each in wanted
    ]
    groups = chain.from_iterable(row["others"] for row in rows)
    alone = {group[0] for group in groups if len(group) == 1}
    answer = await graph.read_one(
        "deciding/nearest",
        rows=rows,
        alone=sorted(alone),
        statuses=list(LIVE_STATUSES),
        now=now,
        near=NEAR,
        far=FAR,
        most=MAX_GROUPS * FAR,
        exceptIds=list(except_ids),
    )
    assert answer is not None  # the query always returns one row
    near: dict[int, list[tuple[str, float]]] = {each.index: [] for each in wanted}
    for pair in answer["pairs"]:
        near[pair["index"]].append((pair["id"], pair["similarity"]))
    found = {row["id"]: (to_note(row), tuple(row["names"])) for row in answer["notes"]}
    given = {
        row["id"]: tuple(row["givenKeywords"]) for row in answer["notes"] if row["givenKeywords"]
    }
    return NearNotes(near, found, given)


def supersede_step(pairs: Sequence[tuple[str, str, str]], now: datetime) -> Step:
    """Record which notes supersede others, as (id of the new note, id of the old one, reason)."""
    rows = [{"by": by, "id": old, "reason": reason} for by, old, reason in pairs]
    return Step("deciding/supersede", {"rows": rows, "now": now})


def derive_step(pairs: Sequence[tuple[str, str]], now: datetime) -> Step:
    """Record merged notes, as (id of the note that stays, id of the one that became part of it)."""
    rows = [{"kept": kept, "part": part} for kept, part in pairs]
    return Step("deciding/derive", {"rows": rows, "now": now})


def add_wordings_step(drafts: Sequence[tuple[str, Note]], *, actor: str, now: datetime) -> Step:
    """Store, by note id, other wordings of existing notes: drafts (as notes) that say the same."""
    ids = sorted(uuid7(now) for _ in drafts)  # sorted ids keep the wordings in their order
    rows = [
        {
            "id": note,
            "wording": {
                "id": wording,
                "noteId": said.id,  # id of a note that became part of this one, else of none
                "at": now,
                "actor": actor,
                "content": said.content,
                "title": said.title,
                "speaker": said.speaker,
                "occurredAt": said.occurred_at,
                "metadata": None if said.metadata is None else json.dumps(said.metadata),
            },
        }
        for wording, (note, said) in zip(ids, drafts, strict=True)
    ]
    return Step("deciding/tell", {"rows": rows})


async def list_wordings(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], *, now: datetime, limit: int
) -> dict[str, list[Wording]]:
    """Return the wordings of each readable note, oldest first."""
    rows = await graph.read(
        "deciding/wordings", ids=list(ids), audiences=list(audiences), now=now, limit=limit
    )
    return {row["id"]: [_to_wording(each) for each in row["wordings"]] for row in rows}


def _to_wording(row: Row) -> Wording:
    at = instant_from_milliseconds(row["at"])
    assert at is not None
    return Wording(
        at=at,
        actor=row["actor"],
        content=row["content"],
        speaker=row["speaker"],
        occurred_at=instant_from_milliseconds(row["occurredAt"]),
    )

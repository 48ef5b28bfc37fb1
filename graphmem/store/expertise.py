"""Evidence of what writers know, and the index of topics, in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.expertise import (
    FAILED,
    HALF_LIFE,
    HELPED,
    RECALLED,
    WRITTEN,
    A,
    B,
    Evidence,
)
from graphmem.domain.notes import Note, Status
from graphmem.language.topic_keys import topics_of
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import LAST_ID
from graphmem.store.times import EPOCH

ALIVE = (Status.ACTIVE, Status.FADING)  # notes that show what their writer knows
KEPT = 20  # uses of a skill that count, as many as accesses of a note


@dataclass(frozen=True, kw_only=True)
class UnindexedNote:
    """A note whose indexed topics are not those of its present version."""

    id: str
    version: int
    audience: str
    topics: tuple[str, ...]  # keys


async def read_evidence(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str], now: datetime
) -> list[Evidence]:
    """Return the evidence that some notes give about their writers, as far as they may be read."""
    if not ids:
        return []
    rows = await graph.read_list(
        "expertise/evidence",
        ids=list(ids),
        **_readable_parameters(audiences, now),
    )
    return [_to_evidence(row) for row in rows]


async def read_written(
    graph: Graph,
    agents: Sequence[tuple[str, str]],
    audiences: Sequence[str],
    now: datetime,
    limit: int,
) -> list[Evidence]:
    """Return the evidence of the newest `limit` notes of each agent (user, id), as far as they may
    be read."""
    rows = await graph.read_list(
        "expertise/written",
        agents=_agent_rows(agents),
        **_readable_parameters(audiences, now),
        limit=limit,
    )
    return await read_evidence(graph, [row["id"] for row in rows], audiences, now)


async def notes_about(
    graph: Graph, topics: Sequence[str], audiences: Sequence[str], now: datetime, limit: int
) -> list[tuple[str, str]]:
    """Return the newest `limit` notes about each of the topics, as (note, topic)."""
    if not topics or not audiences:
        return []
    rows = await graph.read_list(
        "expertise/about",
        topics=list(topics),
        **_readable_parameters(audiences, now),
        limit=limit,
    )
    return [(note, topic) for note, topic in rows]


async def read_names(
    graph: Graph, agents: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], str]:
    """Return the names of agents by (user, id)."""
    if not agents:
        return {}
    rows = await graph.read_list("expertise/agents", agents=_agent_rows(agents))
    return {(user, agent): name for user, agent, name in rows}


async def unread_notes(
    graph: Graph, after: str, limit: int
) -> tuple[str | None, list[UnindexedNote]]:
    """Return those of the `limit` notes after an id whose topics have to be indexed; and the id of
    the last of these notes, None when there is none."""
    row = await graph.read_one("expertise/unread", after=after, limit=limit)
    if row is None or row["last"] is None:
        return None, []
    return row["last"], [
        UnindexedNote(
            id=each["id"],
            version=each["version"],
            audience=each["audience"],
            topics=tuple(topics_of(each["names"], each["tags"], each["domain"])),
        )
        for each in row["rows"]
    ]


def index_step(notes: Sequence[UnindexedNote]) -> Step:
    """Set the topics of notes; notes that changed meanwhile are left alone."""
    rows = [
        {
            "id": note.id,
            "version": note.version,
            "audience": note.audience,
            "topics": sorted(note.topics),
        }
        for note in sorted(notes, key=lambda note: note.id)
    ]
    return Step("expertise/index", {"rows": rows})


def parameters_of_knowledge(now: datetime, since: datetime) -> dict[str, object]:
    """Return the parameters of `jobs/update_expertise.cypher` for all audiences.

    `since`: the time up to which changes of notes are surely taken into account."""
    return {
        "now": now,
        "since": since,
        "statuses": list(ALIVE),
        "kept": KEPT,
        "halfLife": HALF_LIFE / timedelta(milliseconds=1),
        "written": WRITTEN,
        "recalled": RECALLED,
        "helped": HELPED,
        "failed": FAILED,
        "priorA": A,
        "priorB": B,
        "after": "",
        "last": LAST_ID,
    }


def keep_step(kept: str, found: Note, recall: str, now: datetime) -> Step:
    """Connect a note with what a consultation found. Raises Stale when that has changed since."""
    given = {"source": found.id, "audience": found.audience.key, "version": found.version}
    return Step(
        "expertise/keep", {"recall": recall, "kept": kept, **given, "now": now}, required=True
    )


async def delete_unused_topics(graph: Graph, limit: int) -> int:
    """Delete at most `limit` topics that no note is about; return the number deleted."""
    row = await graph.write_one("expertise/sweep", limit=limit)
    return row["deleted"] if row else 0


def _readable_parameters(audiences: Sequence[str], now: datetime) -> dict[str, object]:
    """Return the parameters by which queries leave out notes that may not be read or no longer
    count."""
    return {"audiences": list(audiences), "statuses": list(ALIVE), "now": now.isoformat()}


def _agent_rows(agents: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"user": user, "id": agent} for user, agent in agents]


def _to_evidence(row: Row) -> Evidence:
    used = [row["used"]]
    return Evidence(
        note=row["id"],
        user=row["user"],
        author=row["author"],
        audience=row["audience"],
        domain=row["domain"],
        topics=tuple(topics_of(row["names"], row["tags"], row["domain"]).values()),
        written=_to_time(row["written"]),
        recalled=tuple(map(_to_time, row["recalled"])),
        helped=tuple(map(_to_time, (*row["helped"], *used * min(row["successes"], KEPT)))),
        failed=tuple(map(_to_time, (*row["failed"], *used * min(row["failures"], KEPT)))),
    )


def _to_time(milliseconds: int) -> datetime:
    return EPOCH + timedelta(milliseconds=milliseconds)

"""The reads of a recall."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from operator import itemgetter
from typing import Any, NamedTuple

from graphmem.domain.coretrieval import LogEntry
from graphmem.domain.notes import NoteFilter, Status, Tier
from graphmem.domain.passages import likeness
from graphmem.errors import IndexMissing
from graphmem.store.graph import Graph, Row
from graphmem.store.notes import About, filter_parameters, scan_parameters
from graphmem.store.rows import complete_rows
from graphmem.store.times import EPOCH, as_text, instant_from_milliseconds
from graphmem.store.vectors import to_vector

# With 60 and 100 another 100,000 notes of the same user cost 6 % of R@10, with these 4 %.
VECTOR_LIMIT = 100
NEAR_EXACT = 400  # if 100 are wanted, an approximate index misses at most the last few
PASSAGES = 0.5  # times as many passages: more make recall slower and find no more
KEYWORD_LIMIT = 200
SCAN_LIMIT = 300
ENTITY_FAN = 20  # entities of a note that are followed, of the better half of the notes
LESSER_FAN = 10  # entities of the other notes: more change no figure of the benches
NOTE_FAN = 12  # notes of one entity
MENTION_FAN = 24  # newest mentions of an entity that are read to find these notes
RELATION_FAN = 8
LINK_FAN = 10
LABEL = 80  # characters that serve as the name of a note without a title
# Neo4j reads the relationships of a node newest first, but for the first 50 of a node that has more
# (`db.relationship_grouping_threshold`): these come last, the oldest first. What one transaction
# adds it reads in any order; that is no more than 50 (`remember.GROUP`), but for a new name that
# older notes have. With 50 more than are wanted, the newest readable ones are always among those
# read, whatever else the node has.
UNSORTED = 50


class Neighbour(NamedTuple):
    """The readable note before or after another in its episode."""

    id: str
    is_before: bool
    traits: int | None  # of `domain.traits`
    words: bytes  # the index of its words


class Candidate(NamedTuple):
    """A note that the question may mean. The queries return these fields in this order, as lists,
    which take a third of the time of maps to read."""

    id: str
    title: str | None
    speaker: str | None
    occurred_at: datetime | None
    start: str  # the beginning of its text, as long as was asked for
    similarity: float  # cosine, -1..1
    words: bytes  # the index of its words
    episode: str | None = None
    traits: int | None = None  # None: destroyed while it was read
    around: tuple[Neighbour, ...] = ()  # readable neighbours in the episode
    sources: tuple[str, ...] = ()  # ids of the notes that a job made it from, at most 25
    parts: tuple[tuple[float, bytes], ...] = ()
    """The nearest passages of a long note, nearest first, at most 5: what it would be like, and the
    words that it would have, if this one stood for it. The first one does."""

    @property
    def before(self) -> Neighbour | None:
        """The note before it in the episode."""
        found = None
        for each in self.around:
            if each.is_before and (found is None or each < found):
                found = each
        return found


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The conditions for notes to count: the audiences, the filter and the times."""

    user: str
    audiences: tuple[str, ...]
    filter: NoteFilter
    statuses: tuple[str, ...]
    tiers: tuple[str, ...]
    now: datetime
    at: datetime
    about: About | None = None

    @property
    def plain(self) -> bool:
        """True if everything that is readable and live now counts: no filter, no past instant."""
        given = self.filter
        narrowed = given.kinds or given.types or given.since or given.until
        return not narrowed and self.at == self.now

    @property
    def current(self) -> bool:
        """True if each note counts that is active now and has no end: such a note has the label
        Current, and a query need not check its status, tier and times."""
        usual = frozenset(Tier) - {Tier.LONG_TERM}
        return usual.issubset(self.tiers) and Status.ACTIVE in self.statuses and self.at == self.now

    def parameters(self) -> dict[str, object]:
        """Return the parameters of a query that applies all conditions."""
        given = filter_parameters(self.filter, self.statuses)
        if not self.filter.tiers:
            given["tiers"] = list(self.tiers)
        return given | {"audiences": list(self.audiences), "now": self.now, "at": self.at}

    def graph_parameters(self) -> dict[str, object]:
        """Return the parameters of a walk: the filter applies to hits, not to what leads to
        them."""
        return {
            "user": self.user,
            "audiences": list(self.audiences),
            "statuses": list(self.statuses),
            "tiers": list(self.tiers),
            "now": self.now,
            "at": self.at,
        }


async def find_candidates(
    graph: Graph,
    bounds: Bounds,
    vector: Sequence[float],
    lucene: Sequence[str] = (),
    names: Sequence[str] = (),
    *,
    start: int = LABEL,
    nearest: int | None = None,
) -> tuple[list[Candidate], dict[str, Row]]:
    """Return the `nearest` notes by vector (None: VECTOR_LIMIT) and those that words find, each
    with its first `start` characters; and, by those of the names that exist, whether or not the
    viewer may know of them, the entity: its id, and `tied` if it may have other names. When a
    filter needs an exact search, words find no notes; when the vector index is missing, only words
    do."""
    if bounds.filter.needs_scan:
        found = await graph.read(
            "recall/scan",
            user=bounds.user,
            keys=list(names),
            **bounds.parameters(),
            **scan_parameters(bounds.filter, bounds.about),
            vector=to_vector(vector),
            vectorLimit=SCAN_LIMIT,
            start=start,
        )
    else:
        by_words: dict[str, object] = {
            **as_text(bounds.parameters()),
            "user": bounds.user,
            "keys": list(names),
            "lucene": list(lucene),
            "keywordLimit": KEYWORD_LIMIT,
            "start": start,
            "plain": bounds.plain,
            "current": bounds.current,
        }
        most = nearest or VECTOR_LIMIT
        by_vector = {
            "vector": to_vector(vector),
            "vectorLimit": most,
            "passageLimit": ceil(PASSAGES * most),
        }
        try:
            found = await graph.read("recall/candidates", **by_words, **by_vector)
        except IndexMissing:  # words still find notes while another model's vectors are made
            found = await graph.read("recall/candidates_by_words", **by_words)
    return _sort_candidates(found[0]["rows"]), {row["key"]: row for row in found[0]["named"]}


def _sort_candidates(rows: Iterable[list[Any]]) -> list[Candidate]:
    there = complete_rows(rows, 0, 4, 5, 6)
    return [to_candidate(row) for row in sorted(there, key=itemgetter(0))]


def to_candidate(row: list[Any]) -> Candidate:
    """Build a candidate from its fields as a query returns them."""
    i, title, speaker, at, start, similarity, words, episode, traits, around, sources, *more = row
    parts = tuple[tuple[float, bytes], ...]()
    if more and more[0] is not None:
        passages, found = more[0]
        parts = tuple([(likeness(similarity, near, passages), own) for near, own in found])
        similarity, words = parts[0]
    near = tuple([Neighbour(*each) for each in complete_rows(around, 0, 3)])
    at = instant_from_milliseconds(at)
    return Candidate(
        i,
        title,
        speaker,
        at,
        start,
        similarity,
        words,
        episode,
        traits,
        near,
        tuple(sources),
        parts,
    )


async def neighbourhood(
    graph: Graph,
    bounds: Bounds,
    *,
    notes: Sequence[str],
    named: Sequence[Row],
    known: Collection[str] = (),
) -> Row:
    """Return one step of the graph around notes, best first, and named entities: `entities`, each
    with what named it, the notes whose title it is or that mention it, its relations; and `links`
    as [note, note, kind, weight]. Of `known` entities, which an earlier step read, only what named
    them is read."""
    rows = await graph.read(
        "recall/neighbourhood",
        **as_text(bounds.graph_parameters()),
        notes=list(notes),
        named=[{"id": each["id"], "surface": each["surface"]} for each in named],
        known=sorted(known),
        current=bounds.current,
        better=len(notes) // 2,
        entityFan=ENTITY_FAN,
        lesserFan=LESSER_FAN,
        noteFan=NOTE_FAN,
        mentionFan=MENTION_FAN,
        relationFan=RELATION_FAN,
        unsorted=UNSORTED,
        linkFan=LINK_FAN,
    )
    return rows[0]


async def find_nearest(
    graph: Graph, bounds: Bounds, vectors: Sequence[Sequence[float]], limit: int
) -> dict[str, float]:
    """Return the `limit` nearest notes of each vector, each with its highest cosine."""
    if bounds.filter.needs_scan:
        return await _nearest_of_scan(graph, bounds, vectors, limit)
    rows = await graph.read_list(
        "recall/nearest",
        **bounds.parameters(),
        vectors=[{"vector": to_vector(vector)} for vector in vectors],
        limit=limit,
        passageLimit=ceil(PASSAGES * limit),
    )
    return {
        row["id"]: row["similarity"]
        if row["part"] is None
        else likeness(row["similarity"], row["part"], row["parts"])
        for row in rows
    }


async def _nearest_of_scan(
    graph: Graph, bounds: Bounds, vectors: Sequence[Sequence[float]], limit: int
) -> dict[str, float]:
    best: dict[str, float] = {}
    for vector in vectors:
        found, _ = await find_candidates(graph, bounds, vector)
        for each in sorted(found, key=lambda c: (-c.similarity, c.id))[:limit]:
            best[each.id] = max(each.similarity, best.get(each.id, -1.0))
    return best


async def list_links(
    graph: Graph,
    bounds: Bounds,
    notes: Sequence[str],
    *,
    kind: str | None = None,
    among: Sequence[str] | None = None,
) -> list[tuple[str, str, str]]:
    """Return the notes that these are linked with, as (note, other note, kind)."""
    given = bounds.graph_parameters()
    del given["user"]
    rows = await graph.read_list(
        "recall/linked",
        **given,
        notes=list(notes),
        kind=kind,
        among=None if among is None else list(among),
        linkFan=LINK_FAN,
    )
    return [(source, target, kind) for source, target, kind in rows]


async def list_log_entries(
    graph: Graph,
    user: str,
    agent: str | None,
    audiences: Sequence[str],
    *,
    now: datetime,
    limit: int,
) -> list[LogEntry]:
    """Return the newest tracked recalls of the user, newest first, or only those of an agent, with
    only their readable notes."""
    rows = await graph.read_list(
        "recall/entries",
        user=user,
        agent=agent,
        audiences=list(audiences),
        now=now,
        limit=limit,
    )
    return [
        LogEntry(
            at=EPOCH + timedelta(milliseconds=row["at"]),
            domain=row["domain"],
            cycle=row["cycle"],
            notes=tuple(row["notes"]),
        )
        for row in rows
    ]

"""The graph around the best candidates: read hop by hop, and walked by PageRank."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import log2

from graphmem.domain.ids import name_key
from graphmem.domain.linking import UPDATES
from graphmem.domain.ranking import Balanced
from graphmem.language.relation_words import share_asked
from graphmem.services.recall.pagerank import personalised_pagerank
from graphmem.store import recall as store
from graphmem.store.graph import Graph, Row

MAX_NODES = 2_000
LOOK_ROUNDS = 3  # enough to choose what to read next
BEST = 10  # notes; another hop is read only if one of them is new


@dataclass(frozen=True)
class PathStep:
    """One step of the path that led to a note."""

    relationship: str
    label: str
    note_id: str | None = None
    entity_id: str | None = None


@dataclass
class _Area:
    """The part of the graph read so far: edges by direction, with their relationships."""

    edges: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)  # without those of mentions
    updates: set[tuple[str, str]] = field(default_factory=set)  # pairs of notes linked by UPDATES
    labels: dict[str, str] = field(default_factory=dict)  # entity → a name that the viewer may know
    entities: set[str] = field(default_factory=set)  # also those at the far end of a relation
    members: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    titled: dict[str, list[str]] = field(default_factory=dict)  # entity → notes with that title
    # entity → weight of its best relation with a predicate that the question asks for
    asked: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    changed: set[str] = field(
        default_factory=set
    )  # Entities whose notes are not connected up to date.

    def join(self, one: str, other: str, weight: float, kind: str) -> None:
        if weight <= 0:
            return
        for a, b in ((one, other), (other, one)):
            ends = self.edges[a]
            if weight > ends.get(b, 0.0):
                ends[b] = weight
            self.kinds.setdefault((a, b), kind)


@dataclass(frozen=True)
class Neighbourhood:
    """The notes that the graph reached, with their share of the walk and the path to each."""

    shares: Mapping[str, float] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    edges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    kinds: Mapping[tuple[str, str], str] = field(default_factory=dict)
    updates: frozenset[tuple[str, str]] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()
    titled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each entity, the notes whose title is its name."""
    named_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each note whose title is an entity's name, the notes that mention the entity."""

    def path(self, note_id: str, notes: Mapping[str, str]) -> tuple[PathStep, ...]:
        """Return the path from the question to the note; `notes` holds labels of readable notes."""
        nodes = [note_id]
        while (parent := self.parents.get(nodes[-1])) and parent not in nodes:
            nodes.append(parent)
        nodes.reverse()
        steps = []
        for i, node in enumerate(nodes):
            before = nodes[i - 1] if i else None
            if node in self.entities:
                kind = "NAMES" if before is None else self._kind(before, node)
                steps.append(PathStep(kind, self.labels.get(node, ""), entity_id=node))
            else:
                kind = "MATCHES" if before is None else self._kind(before, node)
                steps.append(PathStep(kind, notes.get(node, ""), note_id=node))
        return tuple(steps)

    def _kind(self, before: str, node: str) -> str:
        """Return the relationship that led from one node to the next."""
        if (kind := self.kinds.get((before, node))) is not None:
            return kind
        if node in self.entities:
            return "MENTIONS"
        return "TITLES" if node in self.titled.get(before, ()) else "MENTIONED_IN"


def label_of(title: str | None, content: str) -> str:
    """Return the label of a note in a path: its title, or else the start of its content."""
    return title or content[: store.LABEL]


async def explore(
    graph: Graph,
    bounds: store.Bounds,
    scores: Mapping[str, float],
    named: Sequence[Row],
    hops: int,
    given: Balanced,
    terms: frozenset[str] = frozenset(),
) -> Neighbourhood:
    """Walk the graph around the best-scored notes and the named entities, `hops` steps wide.

    `terms` are the stems of the question's words; they show which relations the question names.
    """
    area = _Area()
    restart = _restart_weights(scores, given)
    done: set[str] = set()
    asked = cache(partial(share_asked, terms))  # many relations have the same predicate
    frontier = sorted(restart, key=lambda i: (-restart[i], i))[: given.frontier]
    wanted = list(named)
    for hop in range(1, hops + 1):
        if not (frontier or wanted) or len(area.edges) > MAX_NODES:
            break
        read = await store.neighbourhood(
            graph, bounds, notes=frontier, named=wanted, known=area.members.keys()
        )
        done.update(frontier)
        _add_to_area(area, read, restart, given, asked)
        wanted = []
        frontier = _choose_next(area, restart, given, done) if hop < hops else []
    shares = _walk(area, restart, given, given.rounds)
    notes = {i: share for i, share in shares.items() if i not in area.entities}
    return Neighbourhood(
        shares=notes,
        parents=_parents(area, shares, restart, scores, given),
        edges=area.edges,
        kinds=area.kinds,
        updates=frozenset(area.updates),
        labels=area.labels,
        entities=frozenset(area.entities),
        titled=area.titled,
        named_in=_find_naming_notes(area),
    )


def _find_naming_notes(area: _Area) -> dict[str, frozenset[str]]:
    found = defaultdict[str, set[str]](set)
    for entity, notes in area.titled.items():
        for note in notes:
            found[note].update(other for other in area.members[entity] if other != note)
    return {note: frozenset(others) for note, others in found.items()}


def _choose_next(
    area: _Area, restart: Mapping[str, float], given: Balanced, done: set[str]
) -> list[str]:
    """Choose the notes to read next, best first.

    Return none if the walk puts no new note among the best, because what is around the other notes
    can hardly get there.
    """
    shares = _walk(area, restart, given, LOOK_ROUNDS)
    order = sorted((i for i in shares if i not in area.entities), key=lambda i: (-shares[i], i))
    if done.issuperset(order[:BEST]):
        return []
    return [i for i in order if i not in done][: given.further]


def _restart_weights(scores: Mapping[str, float], given: Balanced) -> dict[str, float]:
    """Return the restart weights: a power of the reciprocal rank of each candidate."""
    ranked = sorted(scores, key=lambda i: (-scores[i], i))
    return {i: rank**-given.sharpness for rank, i in enumerate(ranked, 1)}


def _add_to_area(
    area: _Area,
    read: Row,
    restart: dict[str, float],
    given: Balanced,
    asked: Callable[[str], float],
) -> None:
    named = [name_key(name) for row in read["entities"] for by, name in row["by"] if by is None]
    for row in read["entities"]:
        entity = row["entity"]
        members = area.members[entity]
        area.entities.add(entity)
        area.changed.add(entity)
        for source, name in row["by"]:
            area.labels.setdefault(entity, name)
            if source is None:
                # Of the names that the viewer may know, those inside a longer one don't count.
                key = f" {name_key(name)} "
                inside = any(key in f" {other} " and key != f" {other} " for other in named)
                restart[entity] = 0.0 if inside else given.named
            else:
                members.setdefault(source, 1.0)
        for note in row["mentioned"]:
            members.setdefault(note, 1.0)
        for note in row["titled"]:
            members[note] = given.titled
        area.titled.setdefault(entity, row["titled"])
        _relate(area, entity, row["related"], given, asked)
    for source, target, kind, strength in read["links"]:
        weight = given.next_weight if strength is None else given.link_weight * strength
        area.join(source, target, weight, kind)
        if kind == UPDATES:
            area.updates.add((min(source, target), max(source, target)))


def _relate(
    area: _Area,
    entity: str,
    related: Sequence[tuple[str, str, float, str]],
    given: Balanced,
    asked: Callable[[str], float],
) -> None:
    """Join an entity to those it is related to.

    The note that backs a relation which the question asks for is joined more closely than others.
    """
    members = area.members[entity]
    for other, predicate, confidence, backing in related:
        area.entities.add(other)
        area.join(entity, other, given.relation_weight * confidence, predicate)
        part = confidence * asked(predicate)
        if part and backing in members:  # members alone passed the gate
            members[backing] = max(members[backing], 1 + given.predicate_weight * part)
        for end in (entity, other):
            if part > area.asked[end]:
                area.asked[end] = part
                area.changed.add(end)


def _walk(
    area: _Area, restart: Mapping[str, float], given: Balanced, rounds: int
) -> dict[str, float]:
    """Run PageRank over what was read.

    The more notes name an entity, the less it gives to each (fan).
    """
    for entity in [entity for entity in area.members if entity in area.changed]:
        if entity in area.labels:
            _connect(area, entity, area.members[entity], given)
    area.changed.clear()
    return personalised_pagerank(area.edges, restart, damping=given.damping, rounds=rounds)


def _connect(area: _Area, entity: str, members: Mapping[str, float], given: Balanced) -> None:
    """Join the notes that mention an entity through it.

    Each is also joined to the note whose title is the entity's name, so that the walk goes straight
    on. An end of a relation that the question asks for counts more.
    """
    titled = area.titled.get(entity, [])
    asked = 1 + given.predicate_weight * area.asked[entity]
    specific = given.mention_weight * asked / log2(1 + max(1, len(members)))
    for note, weight in members.items():
        area.edges[note][entity] = specific
        area.edges[entity][note] = weight
        for target in titled:
            if target != note:
                area.join(note, target, given.title_weight * asked, "MENTIONS")
                area.kinds[target, note] = "MENTIONED_IN"


def _parents(
    area: _Area,
    shares: Mapping[str, float],
    restart: Mapping[str, float],
    scores: Mapping[str, float],
    given: Balanced,
) -> dict[str, str]:
    """Find, for each node that the question did not find itself, its most generous neighbour."""
    strong = frozenset(sorted(scores, key=lambda i: (-scores[i], i))[: given.frontier])
    origins = strong | {i for i in restart if i in area.labels}
    order = [*sorted(origins)]
    parents: dict[str, str] = {}
    seen = set(origins)
    while order:
        order.sort(key=lambda i: (-shares.get(i, 0.0), i))
        ahead = []
        for node in order:
            fresh = [i for i in area.edges.get(node, ()) if i not in seen and i in shares]
            for target in sorted(fresh):
                seen.add(target)
                parents[target] = node
                ahead.append(target)
        order = ahead
    return parents

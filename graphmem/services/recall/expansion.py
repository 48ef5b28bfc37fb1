"""The graph around the best candidates: read hop by hop, and walked by PageRank."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import log2
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.domain.linking import UPDATES
from graphmem.domain.ranking import Balanced
from graphmem.language.relation_words import share_asked, terms_of
from graphmem.services.recall.pagerank import personalised_pagerank
from graphmem.store import recall as store
from graphmem.store.graph import Graph, Row

MAX_NODES = 2_000
LOOK_ROUNDS = 3  # enough to choose what to read next
BEST = 10  # notes; a further hop is read only if one of them is new


@dataclass(frozen=True)
class PathStep:
    """One step of the path that led to a note."""

    relationship: str
    label: str
    note_id: str | None = None
    entity_id: str | None = None


@dataclass
class _Area:
    """What was read so far: edges by direction with the relationship that made them."""

    edges: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)  # but those of mentions
    updates: set[tuple[str, str]] = field(default_factory=set)  # pairs of notes linked so
    labels: dict[str, str] = field(default_factory=dict)  # entity → a name that may be told
    entities: set[str] = field(default_factory=set)  # also those at the far end of a relation
    members: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    titled: dict[str, list[str]] = field(default_factory=dict)  # entity → notes with that title
    asked: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # by a predicate
    changed: set[str] = field(
        default_factory=set
    )  # entities whose notes are not joined as they are

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
    """Notes that the graph reached: their share of the walk, and the way there."""

    shares: Mapping[str, float] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    edges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    kinds: Mapping[tuple[str, str], str] = field(default_factory=dict)
    updates: frozenset[tuple[str, str]] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()
    titled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of entities, the notes that are called like them."""
    named_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Of notes that are called like an entity, those that name it."""

    def path(self, note_id: str, notes: Mapping[str, str]) -> tuple[PathStep, ...]:
        """From the question to the note; `notes` holds the labels of readable notes."""
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
        """The relationship that led from one node to the next."""
        if (kind := self.kinds.get((before, node))) is not None:
            return kind
        if node in self.entities:
            return "MENTIONS"
        return "TITLES" if node in self.titled.get(before, ()) else "MENTIONED_IN"


def label_of(title: str | None, content: str) -> str:
    """What a note is called in a path."""
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
    """Walk the graph around the best-scored notes and the named entities, `hops` steps wide;
    `terms`: the stems of the question's words, for the relations that it names."""
    area = _Area()
    restart = _restart(scores, given)
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
        _add(area, read, restart, given, asked)
        wanted = []
        frontier = _ahead(area, restart, given, done) if hop < hops else []
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
        named_in=_named_in(area),
    )


def _named_in(area: _Area) -> dict[str, frozenset[str]]:
    found = defaultdict[str, set[str]](set)
    for entity, notes in area.titled.items():
        for note in notes:
            found[note].update(other for other in area.members[entity] if other != note)
    return {note: frozenset(others) for note, others in found.items()}


def _ahead(area: _Area, restart: Mapping[str, float], given: Balanced, done: set[str]) -> list[str]:
    """The notes to read next, best first: none where the walk puts nothing new among the best, as
    what is around the others can hardly get there."""
    look = _walk(area, restart, given, LOOK_ROUNDS)
    order = sorted((i for i in look if i not in area.entities), key=lambda i: (-look[i], i))
    if done.issuperset(order[:BEST]):
        return []
    return [i for i in order if i not in done][: given.further]


def _restart(scores: Mapping[str, float], given: Balanced) -> dict[str, float]:
    """The walk restarts at candidates by a power of the reciprocal of their rank."""
    ranked = sorted(scores, key=lambda i: (-scores[i], i))
    return {i: rank**-given.sharpness for rank, i in enumerate(ranked, 1)}


def _add(
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
    """Joins an entity to those it is related to, the note that backs a relation which the question
    asks for closer than others."""
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
    """PageRank over what was read; an entity that many notes name leads to each the less (fan)."""
    for entity in [entity for entity in area.members if entity in area.changed]:
        if entity in area.labels:
            _connect(area, entity, area.members[entity], given)
    area.changed.clear()
    return personalised_pagerank(area.edges, restart, damping=given.damping, rounds=rounds)


def _connect(area: _Area, entity: str, members: Mapping[str, float], given: Balanced) -> None:
    """Joins the notes that name an entity through it, and each to the note that it is the title
    of: there the walk goes straight on. At an end of a relation that the question asks for, the
    more."""
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
    """For each node that the question itself did not find, the neighbour that gave it most."""
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


CACHES: Final = (terms_of,)
"""What is kept of texts; see `services/caches`."""

"""The graph around the best candidates: read hop by hop, and walked by PageRank."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log2

from graphmem.domain.notes import Note
from graphmem.domain.ranking import personalised_pagerank
from graphmem.store import recall as store
from graphmem.store.graph import Graph, Row

FRONTIER = 20  # notes whose surroundings one hop reads
MAX_NODES = 2_000
TITLED = 3.0  # the note that an entity is the title of counts more than one that names it
NAMED = 1.0  # the share of the restart that an entity named in the question gets
NEXT_WEIGHT = 0.2
_LABEL = 80  # characters


@dataclass(frozen=True)
class Step:
    """One step of the path that led to a note."""

    relationship: str
    label: str
    note_id: str | None = None
    entity_id: str | None = None


@dataclass
class _Area:
    """What was read so far: edges by direction with the relationship that made them."""

    edges: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)  # entity → a name that may be told
    similarities: dict[str, float] = field(default_factory=dict)
    members: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))

    def join(self, one: str, other: str, weight: float, kind: str) -> None:
        for a, b in ((one, other), (other, one)):
            self.edges[a][b] = max(self.edges[a].get(b, 0.0), weight)
            self.kinds.setdefault((a, b), kind)


@dataclass(frozen=True)
class Neighbourhood:
    """Notes that the graph reached: their likeness, their share of the walk, and the way there."""

    similarities: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[tuple[str, str], str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    seeds: Mapping[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> frozenset[str]:
        """The notes that the filtered search itself found."""
        return frozenset(self.seeds)

    def path(self, note_id: str, note: Note) -> tuple[Step, ...]:
        """From the question to the note."""
        nodes = [note_id]
        while (parent := self.parents.get(nodes[-1])) and parent not in nodes:
            nodes.append(parent)
        nodes.reverse()
        steps = []
        for i, node in enumerate(nodes):
            before = nodes[i - 1] if i else None
            kind = self.kinds.get((before, node), "MENTIONS") if before else "MATCHES"
            if node in self.labels:
                kind = "NAMES" if before is None else kind
                steps.append(Step(kind, self.labels[node], entity_id=node))
            else:
                label = note.title or note.content[:_LABEL] if node == note_id else ""
                steps.append(Step(kind, label, note_id=node))
        return tuple(steps)


async def explore(
    graph: Graph,
    bounds: store.Bounds,
    vector: Sequence[float],
    scores: Mapping[str, float],
    named: Sequence[Row],
    hops: int,
) -> Neighbourhood:
    """Walk the graph around the best-scored notes and the named entities, `hops` steps wide."""
    area = _Area()
    restart = _restart(scores)
    done: set[str] = set()
    frontier = sorted(restart, key=lambda i: (-restart[i], i))[:FRONTIER]
    wanted = list(named)
    shares: dict[str, float] = dict(restart)
    for _ in range(hops):
        if not (frontier or wanted) or len(area.edges) > MAX_NODES:
            break
        rows = await store.neighbourhood(graph, bounds, vector, notes=frontier, named=wanted)
        done.update(frontier)
        _add(area, rows, restart)
        shares = _walk(area, restart)
        wanted = []
        ahead = [i for i in shares if i not in done and i not in area.labels]
        frontier = sorted(ahead, key=lambda i: (-shares[i], i))[:FRONTIER]
    notes = {i: share for i, share in shares.items() if i not in area.labels}
    return Neighbourhood(
        similarities=area.similarities,
        shares=notes,
        parents=_parents(area, shares, restart, scores),
        kinds=area.kinds,
        labels=area.labels,
        seeds=scores,
    )


def _restart(scores: Mapping[str, float]) -> dict[str, float]:
    """The walk restarts at candidates by the reciprocal of their rank."""
    ranked = sorted(scores, key=lambda i: (-scores[i], i))
    return {i: 1 / rank for rank, i in enumerate(ranked, 1)}


def _add(area: _Area, rows: Sequence[Row], restart: dict[str, float]) -> None:
    named = [row for row in rows if row["kind"] == "named"]
    for row in named:
        restart[row["target"]] = NAMED / len(named)
    for row in rows:
        kind, source, target = row["kind"], row["source"], row["target"]
        if row["similarity"] is not None:
            area.similarities[target] = row["similarity"]
        match kind:
            case "named":
                area.labels[target] = row["label"]
            case "mention":
                area.labels.setdefault(target, row["label"])
                area.members[target].setdefault(source, 1.0)
            case "titled":
                area.members[source][target] = TITLED
            case "mentioned":
                area.members[source].setdefault(target, 1.0)
            case "relation":
                area.join(source, target, row["weight"], row["label"])
            case "link":
                area.join(source, target, row["weight"], row["label"])
            case _:
                area.join(source, target, NEXT_WEIGHT, "NEXT")


def _walk(area: _Area, restart: Mapping[str, float]) -> dict[str, float]:
    """PageRank over what was read; an entity that many notes name leads to each the less (fan)."""
    for entity, members in area.members.items():
        if entity not in area.labels:
            continue
        specific = 1 / log2(1 + len(members))
        for note, weight in members.items():
            area.edges[note][entity] = specific
            area.edges[entity][note] = weight
            area.kinds.setdefault((note, entity), "MENTIONS")
            area.kinds.setdefault((entity, note), "TITLES" if weight == TITLED else "MENTIONED_IN")
    edges = {
        node: {t: w for t, w in targets.items() if t in area.edges}
        for node, targets in area.edges.items()
    }
    return personalised_pagerank(edges, restart)


def _parents(
    area: _Area,
    shares: Mapping[str, float],
    restart: Mapping[str, float],
    scores: Mapping[str, float],
) -> dict[str, str]:
    """For each node that the question itself did not find, the neighbour that gave it most."""
    strong = frozenset(sorted(scores, key=lambda i: (-scores[i], i))[:FRONTIER])
    origins = strong | {i for i in restart if i in area.labels}
    order = [*sorted(origins)]
    parents: dict[str, str] = {}
    seen = set(origins)
    while order:
        order.sort(key=lambda i: (-shares.get(i, 0.0), i))
        ahead = []
        for node in order:
            for target in sorted(area.edges.get(node, {})):
                if target not in seen and (target in shares):
                    seen.add(target)
                    parents[target] = node
                    ahead.append(target)
        order = ahead
    return parents

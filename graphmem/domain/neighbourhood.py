"""What lies around a note, an entity, an agent or a topic."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class NodeKind(StrEnum):
    """The kind of a node of a neighbourhood."""

    NOTE = "NOTE"
    ENTITY = "ENTITY"
    AGENT = "AGENT"
    TOPIC = "TOPIC"


class NodeKey(NamedTuple):
    """The kind and the id of a node: an agent may have the same id as a topic."""

    kind: NodeKind
    id: str


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A node, and how many steps it is away from the one in the middle."""

    id: str
    kind: NodeKind
    label: str
    hops: int


@dataclass(frozen=True, kw_only=True)
class NeighbourEdge:
    """A tie between two nodes, each named by its place among the nodes."""

    source: int
    target: int
    kind: str


@dataclass(frozen=True, kw_only=True)
class Neighbourhood:
    """Nodes and what ties them; the first is the one in the middle. `more`: there are others
    around it, which had no place."""

    nodes: tuple[Neighbour, ...]
    edges: tuple[NeighbourEdge, ...]
    more: bool

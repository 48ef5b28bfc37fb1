"""Verifying: checks that what is copied or derived from a note agrees with it, above all who may
read it. It shows what somebody changed by hand, or a disk damaged."""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Audience, Section, Visibility, audience_of
from graphmem.store import reindexing, verifying
from graphmem.store.graph import Graph, Row
from graphmem.store.rows import audience_token

EXAMPLES: Final = 10  # ids that are named of each kind


class Fault(StrEnum):
    """A kind of disagreement in the graph."""

    AUDIENCE = "AUDIENCE"
    READERS = "READERS"
    COPY = "COPY"
    CURRENT = "CURRENT"
    VECTOR = "VECTOR"
    RELATION = "RELATION"
    PASSAGE = "PASSAGE"
    REVISION = "REVISION"
    SYSTEM = "SYSTEM"


MEANINGS: Final = MappingProxyType(
    {
        Fault.AUDIENCE: "its audience does not follow from its visibility, domain and author, so "
        "the wrong readers may find it",
        Fault.READERS: "it is tied to another audience than it has, so the graph shows other "
        "readers than count",
        Fault.COPY: "its passages or relations have another audience, status or tier",
        Fault.CURRENT: "the label Current is there though it must not be, or is missing",
        Fault.VECTOR: "it or a passage has no vector of the length of the model in use, so it is "
        "not found by meaning, or one of a model that is not kept with it",
        Fault.RELATION: "a relation of a note that is not there",
        Fault.PASSAGE: "a passage of a note that is not there",
        Fault.REVISION: "a revision of a note that is not there",
        Fault.SYSTEM: "a node that the service keeps for itself has no label System, or another "
        "node has it",
    }
)


@dataclass(frozen=True)
class Found:
    """A fault with the number of its cases, and the ids of the first notes that have it."""

    fault: Fault
    count: int
    ids: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """The fault in words."""
        return MEANINGS[self.fault]


@dataclass(frozen=True)
class Verified:
    """The number of notes that were compared, and the faults found."""

    notes: int
    found: tuple[Found, ...]


async def verify(graph: Graph) -> Verified:
    """Compare all notes with what is derived from them; changes nothing.

    A service may write meanwhile, so what does not agree is read once more, and counts if it still
    does not."""
    notes, found = await _verify_once(graph)
    if any(found.values()):
        kept = {fault: set(ids) for fault, ids in (await _verify_once(graph))[1].items()}
        found = {fault: [i for i in ids if i in kept[fault]] for fault, ids in found.items()}
    faults = [Found(f, len(ids), tuple(ids[:EXAMPLES])) for f, ids in found.items() if ids]
    for row in await verifying.find_orphans(graph, EXAMPLES):
        if row["count"]:
            faults.append(Found(Fault(row["what"]), row["count"], tuple(row["ids"])))
    return Verified(notes, tuple(faults))


async def _verify_once(graph: Graph) -> tuple[int, dict[Fault, list[str]]]:
    """Read all notes; their number, and by fault the ids of those that have it."""
    slots = await reindexing.read_slots(graph)
    graph = graph.in_slot(slots.in_use)
    used, other = slots.used, slots.held.get(slots.in_use.other)
    dimension = used.embedding.dimension if used is not None and used.filled else None
    other_dimension = other.embedding.dimension if other is not None else None
    found: dict[Fault, list[str]] = {fault: [] for fault in Fault}
    after, notes = "", 0
    while rows := await verifying.notes_after(graph, after):
        for row in rows:
            for fault in _faults_of(row, dimension, other_dimension):
                found[fault].append(row["id"])
        after, notes = rows[-1]["id"], notes + len(rows)
    return notes, found


def _faults_of(row: Row, dimension: int | None, other_dimension: int | None) -> list[Fault]:
    audience = _audience_of(row)
    vectors = [row["dimension"], *row["passageDimensions"]]
    others = [row["otherDimension"], *row["otherPassageDimensions"]]
    wrong = set() if dimension is None else {*vectors} - {dimension}
    wrong |= {*others} - {None, other_dimension}
    checks = {
        Fault.AUDIENCE: audience is None
        or (row["audience"], row["audienceToken"]) != (audience.key, audience_token(audience)),
        Fault.READERS: row["readers"] != [row["audience"]],
        Fault.COPY: row["passages"] > 0 or row["relations"] > 0,
        Fault.CURRENT: row["current"] is not row["alive"],
        Fault.VECTOR: len(wrong) > 0,
    }
    return [fault for fault, is_wrong in checks.items() if is_wrong]


def _audience_of(row: Row) -> Audience | None:
    """Return who may read a note by what it says of itself; None where that is no audience."""
    try:
        if row["section"] is not None:
            owner = Owner.named(row["user"])
            return Audience(owner=owner, section=Section(row["section"]), domain=row["domain"])
        visibility = Visibility(row["visibility"])
        return audience_of(row["user"], visibility, row["domain"], row["author"])
    except (ValueError, TypeError, AttributeError):
        return None

"""Verifying: checks that the parts of the graph agree that graphmem keeps equal, above all who may
read a note. What an analyst changed by hand, or a disk, shows here."""

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Audience, Section, Visibility, audience_of
from graphmem.store import meta, verifying
from graphmem.store.graph import Graph, Row
from graphmem.store.rows import audience_token

EXAMPLES: Final = 10  # ids that are named of each kind


class Fault(StrEnum):
    """What does not agree."""

    AUDIENCE = "AUDIENCE"
    READERS = "READERS"
    COPY = "COPY"
    CURRENT = "CURRENT"
    VECTOR = "VECTOR"
    RELATION = "RELATION"
    PASSAGE = "PASSAGE"
    REVISION = "REVISION"


MEANINGS: Final = MappingProxyType(
    {
        Fault.AUDIENCE: "its audience does not follow from its visibility, domain and author, so "
        "the wrong readers may find it",
        Fault.READERS: "it is not tied to its audience, so its readers do not find it",
        Fault.COPY: "its passages or relations have another audience, status or tier",
        Fault.CURRENT: "the label Current is there though it must not be, or is missing",
        Fault.VECTOR: "it has no vector of the model in use, so it is not found by meaning",
        Fault.RELATION: "a relation of a note that is not there",
        Fault.PASSAGE: "a passage of a note that is not there",
        Fault.REVISION: "a revision of a note that is not there",
    }
)


@dataclass(frozen=True)
class Found:
    """How often there is a fault, and the ids of the first notes that have it, if they have one."""

    fault: Fault
    count: int
    ids: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """What the fault is, in words."""
        return MEANINGS[self.fault]


@dataclass(frozen=True)
class Verified:
    """How many notes were looked at, and what does not agree."""

    notes: int
    found: tuple[Found, ...]


async def verify(graph: Graph) -> Verified:
    """Compare all notes with what is derived from them; changes nothing.

    A service may run meanwhile: each note is read at one moment. Costs some 20 ms for each 1,000
    notes."""
    recorded = await meta.get_embedding(graph)
    dimension = recorded.dimension if recorded is not None and recorded.target is None else None
    ids: defaultdict[Fault, list[str]] = defaultdict(list)
    after, notes = "", 0
    while rows := await verifying.notes_after(graph, after):
        for row in rows:
            for fault in _faults_of(row, dimension):
                ids[fault].append(row["id"])
        after, notes = rows[-1]["id"], notes + len(rows)
    found = [Found(fault, len(each), tuple(each[:EXAMPLES])) for fault, each in ids.items()]
    for row in await verifying.find_orphans(graph, EXAMPLES):
        if row["count"]:
            found.append(Found(Fault(row["what"]), row["count"], tuple(row["ids"])))
    order = [*Fault]
    return Verified(notes, tuple(sorted(found, key=lambda each: order.index(each.fault))))


def _faults_of(row: Row, dimension: int | None) -> list[Fault]:
    audience = _audience_of(row)
    vectors = [row["dimension"], *row["passageDimensions"]]
    checks = {
        Fault.AUDIENCE: audience is None
        or (row["audience"], row["audienceToken"]) != (audience.key, audience_token(audience)),
        Fault.READERS: row["readers"] != [row["audience"]],
        Fault.COPY: row["passages"] > 0 or row["relations"] > 0,
        Fault.CURRENT: row["current"] is not row["alive"],
        Fault.VECTOR: dimension is not None and any(each != dimension for each in vectors),
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

"""Which names are of one entity for a reader: decided from ties that readable notes back.

A note that gives an entity another name ties the two. A name is another name of one entity only, of
the first that got it. What an agent says ties no name that other notes had introduced before; that
is asked instead. Two entities that somebody merged are tied, too, and so are two whose names are
one by form; and where a tie was undone, neither notes nor forms tie the two again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class TieKind(StrEnum):
    """What ties two entities: the types of the relationships in the graph."""

    CALLED = "ALSO_CALLED"
    MERGED = "ABSORBED"
    PARTED = "HAD_ABSORBED"
    FORMED = "SAME_FORM"  # of no relationship: their names are one by form


@dataclass(frozen=True, kw_only=True)
class Tie:
    """A tie of two entities that a reader may know of; `part` became a part of `whole`."""

    kind: TieKind
    id: str
    whole: str
    part: str
    at: int  # milliseconds
    note: str = ""  # the note that says so
    agent: str | None = None  # who wrote it; None: the user in person
    introduced: int | None = None  # when another readable note introduced the part first
    actor: str | None = None
    score: float | None = None

    @property
    def counts(self) -> bool:
        """Whether a note's word is enough: the user's is, an agent's for a name new with it."""
        return self.agent is None or self.introduced is None or self.introduced >= self.at


@dataclass(frozen=True)
class Groups:
    """The names of each entity: every member's id to the id that stands for all of them."""

    of: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def stands_for(self, entity: str) -> str:
        """The id of the entity that a name belongs to."""
        return self.of.get(entity, entity)

    def names_of(self, entity: str) -> tuple[str, ...]:
        """The ids of all names of the entity that a name belongs to."""
        return self.members.get(self.stands_for(entity), (entity,))


def in_order(tie: Tie) -> tuple[int, str, str, str]:
    """When it came about; of one instant by the names, as an id tells nothing."""
    return tie.at, tie.whole, tie.part, tie.id


def effective(ties: Iterable[Tie]) -> list[Tie]:
    """The ties that make entities one."""
    ties = sorted(ties, key=in_order)
    parted = {frozenset((tie.whole, tie.part)) for tie in ties if tie.kind is TieKind.PARTED}
    named: set[str] = set()
    found = []
    for tie in ties:
        whole_and_part = frozenset((tie.whole, tie.part))
        if tie.kind is TieKind.MERGED or (
            tie.kind is TieKind.FORMED and whole_and_part not in parted
        ):
            found.append(tie)
        elif (
            tie.kind is TieKind.CALLED
            and tie.counts
            and tie.part not in named
            and whole_and_part not in parted
        ):
            named.add(tie.part)
            found.append(tie)
    return found


def groups_of(ties: Sequence[Tie]) -> Groups:
    """The groups that ties make. The id of a group is that of a name which is no part of another
    in it, the first by id where there are several, or none."""
    joining = effective(ties)
    group: dict[str, set[str]] = {}
    for tie in joining:
        both = group.get(tie.whole, {tie.whole}) | group.get(tie.part, {tie.part})
        for member in both:
            group[member] = both
    parts = {tie.part for tie in joining}
    of: dict[str, str] = {}
    members: dict[str, tuple[str, ...]] = {}
    for member, both in group.items():
        if member not in of:
            stands = min(both, key=lambda each: (each in parts, each))
            members[stands] = tuple(sorted(both))
            of |= dict.fromkeys(both, stands)
    return Groups(of, members)

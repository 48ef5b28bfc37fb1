"""Decides which names belong to one entity for a reader, by ties that readable notes back.

A note that gives an entity another name ties the two. A name is another name of only one entity,
the first that got it. An agent's note does not tie a name that other notes had introduced
before; the user is asked instead. Two entities that somebody merged are tied, too, and so are
two that rules merged, and two whose names have the same form; where a tie was undone, neither
notes nor rules nor forms tie the two again."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

RULES: Final = "system:resolution"  # the actor; no user or agent has a colon in its id


class TieKind(StrEnum):
    """The reason for a tie of two entities: the types of the relationships in the graph."""

    CALLED = "ALSO_CALLED"
    MERGED = "ABSORBED"
    PARTED = "HAD_ABSORBED"
    FORMED = "SAME_FORM"  # without a relationship: their names have the same form


@dataclass(frozen=True, kw_only=True)
class AliasEvidence:
    """A tie of two entities that a reader may know of; `part` became a part of `whole`."""

    kind: TieKind
    id: str
    whole: str
    part: str
    at: int  # milliseconds
    note: str = ""  # the note that states it
    agent: str | None = None  # the note's writer; None: the user in person
    introduced: int | None = None  # when another readable note introduced the part first
    actor: str | None = None
    score: float | None = None
    everywhere: bool = False  # of what somebody said: for all readers of notes from before that

    @property
    def by_rules(self) -> bool:
        """True if rules merged the two, and nobody."""
        return self.kind is TieKind.MERGED and self.actor == RULES

    @property
    def counts(self) -> bool:
        """True if the note alone is enough: a user's is, an agent's only for a name new with it."""
        return self.agent is None or self.introduced is None or self.introduced >= self.at


@dataclass(frozen=True)
class Groups:
    """The names of each entity: maps every member's id to the id that represents all of them."""

    of: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def stands_for(self, entity: str) -> str:
        """Return the id of the entity that a name belongs to."""
        return self.of.get(entity, entity)

    def names_of(self, entity: str) -> tuple[str, ...]:
        """Return the ids of all names of the entity that a name belongs to."""
        return self.members.get(self.stands_for(entity), (entity,))


def tie_order_key(tie: AliasEvidence) -> tuple[int, str, str, str]:
    """Return the sort key of a tie: its time, then the names, since an id reveals nothing."""
    return tie.at, tie.whole, tie.part, tie.id


def joining_ties(ties: Iterable[AliasEvidence]) -> list[AliasEvidence]:
    """Return the ties that make entities one. Rules join no two of which any names were parted."""
    ties = sorted(ties, key=tie_order_key)
    parted = {frozenset((tie.whole, tie.part)) for tie in ties if tie.kind is TieKind.PARTED}
    named: set[str] = set()
    found = []
    for tie in ties:
        whole_and_part = frozenset((tie.whole, tie.part))
        if tie.by_rules:
            continue
        if tie.kind in (TieKind.MERGED, TieKind.FORMED):
            if whole_and_part not in parted or tie.kind is TieKind.MERGED:
                found.append(tie)
        elif (
            tie.kind is TieKind.CALLED
            and tie.counts
            and tie.part not in named
            and whole_and_part not in parted
        ):
            named.add(tie.part)
            found.append(tie)
    return [*found, *_joining_rules(ties, _members_of(found), parted)]


def _joining_rules(
    ties: Iterable[AliasEvidence],
    group: dict[str, set[str]],
    parted: Collection[frozenset[str]],
) -> Iterator[AliasEvidence]:
    """Yield the ties of rules that join what was not parted; `group` is what others have joined."""
    apart: dict[str, set[str]] = {}
    for pair in parted:
        for name in pair:
            apart.setdefault(name, set()).update(pair - {name})
    for tie in ties:
        if tie.by_rules:
            whole, part = group.get(tie.whole, {tie.whole}), group.get(tie.part, {tie.part})
            fewer, more = sorted((whole, part), key=len)
            if whole is part or all(more.isdisjoint(apart.get(name, ())) for name in fewer):
                _join(group, tie)
                yield tie


def _members_of(joining: Iterable[AliasEvidence]) -> dict[str, set[str]]:
    """Return the names of each entity, by each of its names."""
    group: dict[str, set[str]] = {}
    for tie in joining:
        _join(group, tie)
    return group


def _join(group: dict[str, set[str]], tie: AliasEvidence) -> None:
    both = group.get(tie.whole, {tie.whole}) | group.get(tie.part, {tie.part})
    group.update(dict.fromkeys(both, both))


def groups_of(ties: Sequence[AliasEvidence]) -> Groups:
    """Return the groups that ties make.

    The id of a group is that of a name which is not part of another one in it; the first by id
    if there are several such names or none."""
    joining = joining_ties(ties)
    group = _members_of(joining)
    parts = {tie.part for tie in joining}
    of: dict[str, str] = {}
    members: dict[str, tuple[str, ...]] = {}
    for member, both in group.items():
        if member not in of:
            stands = min(both, key=lambda each: (each in parts, each))
            members[stands] = tuple(sorted(both))
            of |= dict.fromkeys(both, stands)
    return Groups(of, members)

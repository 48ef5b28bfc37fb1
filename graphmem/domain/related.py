"""Finds notes that are related because they share tags (L3, component 5)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from graphmem.domain.profiles.parameters import RelatedMemories

NEAR: Final = 50  # notes under a tag, on either side of a note in time, that are compared with it
_FAR, _BOTH = 4 * NEAR, 2
_WEIGHT, _MOST_WEIGHT = 0.1, 0.5  # shared tags count less than similar meaning


@dataclass(frozen=True, slots=True)
class Tagged:
    """A note of an audience with its tags."""

    id: str
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Related:
    """Two notes, in the order of their ids, and the number of tags they share."""

    one: str
    other: str
    shared: int

    @property
    def strength(self) -> float:
        """The strength: 0.1 for each tag, at most 0.5."""
        return min(_MOST_WEIGHT, round(_WEIGHT * self.shared, 3))

    @property
    def reason(self) -> str:
        """The reason, for people; it names no tag, since a tag may be destroyed with its note."""
        return f"{self.shared} shared tags"


def sort_pair(one: str, other: str) -> tuple[str, str]:
    """Return the pair in the order of the ids, the same for both orders."""
    return (one, other) if one < other else (other, one)


def related_pairs(
    notes: Sequence[Tagged],
    linked: Collection[tuple[str, str]],
    rules: RelatedMemories,
    check: Callable[[], None] = lambda: None,
) -> list[Related]:
    """Return the pairs to link among the notes of one audience, which come newest first.

    Two notes are linked when each is among the best partners of the other: those with the most
    shared tags, then those next to it in time, where the newest note comes next to the oldest, so
    that in a group of equals each note gets links. `linked` are pairs that somebody else linked
    already: they count, and are not chosen. `check` is called for each note; an exception it raises
    ends the work. `jobs/relate_notes.cypher` does the same."""
    most, links = rules.max_related_per_memory, Counter(note for pair in linked for note in pair)
    able = [
        note
        for note in notes
        if len(note.tags) >= rules.tag_overlap_threshold and links[note.id] < most
    ]
    chosen = Counter[Related]()
    partners = _find_partners(able, rules.tag_overlap_threshold)
    for i, note in enumerate(able):
        check()
        ranked = [
            (-len(note.tags & able[j].tags), near, j)
            for j, near in partners[i].items()
            if sort_pair(note.id, able[j].id) not in linked
        ]
        fitting = (each for each in ranked if -each[0] >= rules.tag_overlap_threshold)
        for less, _, j in nsmallest(most - links[note.id], fitting):
            chosen[Related(*sort_pair(note.id, able[j].id), -less)] += 1
    both = [pair for pair, sides in chosen.items() if sides == _BOTH]
    return sorted(both, key=lambda pair: -pair.shared)


def _find_partners(notes: Sequence[Tagged], threshold: int) -> list[dict[int, int]]:
    """Return, for the place of each note, the places of those that may share enough tags with it,
    with how near they are.

    Two notes that share three of a note's five tags share one of its three rarest, so only these
    are used to look for partners (prefix filtering; Chaudhuri, Ganti and Kaushik 2006)."""
    many = Counter(tag for note in notes for tag in note.tags)
    places: dict[str, list[int]] = defaultdict(list)
    for i, note in enumerate(notes):
        rare = sorted(note.tags, key=lambda tag: (many[tag], tag))
        for tag in rare[: len(rare) - threshold + 1]:
            places[tag].append(i)
    partners: list[dict[int, int]] = [{} for _ in notes]
    for under in places.values():
        for p, i in enumerate(under):
            for off in range(1, min(len(under) // 2, NEAR) + 1):
                j = under[(p + off) % len(under)]
                # Of the two at the same distance, each note prefers the one that prefers it, too.
                near = min(2 * off + p // off % 2, partners[i].get(j, _FAR))
                partners[i][j] = partners[j][i] = near
    return partners

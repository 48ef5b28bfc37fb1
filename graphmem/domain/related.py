"""Finds notes that are related because they share tags (L3, component 5)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from graphmem.domain.profiles.parameters import RelatedMemories

NOTES_PER_TAG: Final = 100  # notes with a tag, next to a note in time, that are compared with it
CANDIDATES: Final = 30  # partners considered for a note
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

    Pairs with more shared tags go first. Among equal ones a note takes those that have the
    fewest links so far, then the newest, so that in a large group each note gets links. `linked`
    are pairs that somebody else linked already: they count, and are not chosen. `check` is
    called for each note; an exception it raises ends the work."""
    most = rules.max_related_per_memory
    links = Counter(note for pair in linked for note in pair)
    chosen: list[Related] = []
    for shared, partners in sorted(
        _group_by_shared(notes, linked, rules, check).items(), reverse=True
    ):
        taken: set[tuple[int, int]] = set()
        for i in sorted(partners):
            check()
            free = [j for j in partners[i] if (min(i, j), max(i, j)) not in taken]
            for j in sorted(free, key=lambda j: (links[notes[j].id], j)):
                one, other = sort_pair(notes[i].id, notes[j].id)
                if max(links[one], links[other]) < most:
                    links.update((one, other))
                    taken.add((min(i, j), max(i, j)))
                    chosen.append(Related(one, other, shared))
    return chosen


def _group_by_shared(
    notes: Sequence[Tagged],
    linked: Collection[tuple[str, str]],
    rules: RelatedMemories,
    check: Callable[[], None],
) -> dict[int, dict[int, set[int]]]:
    """Return, by the number of shared tags, the places of notes and of their partners."""
    found: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for i, shared, j in _find_candidates(notes, rules.tag_overlap_threshold, check):
        if sort_pair(notes[i].id, notes[j].id) not in linked:
            found[shared][i].add(j)
            found[shared][j].add(i)
    return found


def _find_candidates(
    notes: Sequence[Tagged], threshold: int, check: Callable[[], None]
) -> Iterator[tuple[int, int, int]]:
    """Yield place, number of shared tags and place of each note's best partners.

    Two notes that share three of a note's five tags share one of its three rarest, so only these
    are used to look for partners (prefix filtering; Chaudhuri, Ganti and Kaushik 2006)."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, note in enumerate(notes):
        for tag in note.tags:
            places[tag].append(i)
    before: Counter[str] = Counter()  # newer notes with the tag
    for i, note in enumerate(notes):
        check()
        rare = sorted(note.tags, key=lambda tag: (len(places[tag]), tag))
        near: set[int] = set()
        for tag in rare[: max(len(rare) - threshold + 1, 0)]:
            first = max(before[tag] - NOTES_PER_TAG // 2, 0)
            near.update(places[tag][first : first + NOTES_PER_TAG])
        near.discard(i)
        before.update(note.tags)
        shared = ((-len(note.tags & notes[j].tags), abs(i - j), j) for j in near)
        fitting = (each for each in shared if -each[0] >= threshold)
        for less, _, j in nsmallest(CANDIDATES, fitting):
            yield i, -less, j

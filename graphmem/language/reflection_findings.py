"""Finds near duplicates, repeated sequences, fading notes and frequent topics for a reflection.

Pure; all of it is bounded, and each finding stays inside one audience."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.activation import relevance
from graphmem.domain.decay import DORMANT_BELOW, Decay
from graphmem.domain.notes import Kind
from graphmem.language.comparison.sentence_rules import TextVerdict
from graphmem.language.comparison.texts import compare, is_repeated_by

FADES_BELOW = DORMANT_BELOW  # relevance (Moltbot 9.2)
LONGEST = 1_000  # characters of a text that may be one fact
FEWEST_TERMS = 3  # terms of such a text
RARE = 4  # terms of a text that are used to find similar ones
HEADS = 30  # newest texts with a term that are compared
ALIKE = 0.3  # share of common terms from which two texts are compared
COMPARED = 4  # most similar texts that one is compared with
SHORTEST_RUN, LONGEST_RUN = 3, 8  # steps of a procedure


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteSummary:
    """The part of a note that a reflection reads."""

    id: str
    version: int
    audience: str
    kind: Kind
    source: str
    tags: frozenset[str]
    things: frozenset[str]  # ids of entities
    domain: str
    created_at: datetime
    happened_at: datetime
    last_used_at: datetime
    access_count: int
    importance: float
    pinned: bool
    load_bearing: bool
    episode: str | None
    core_block: str | None  # the block of core memory it was written for
    is_core: bool  # it belongs to core memory by its content
    is_foundational: bool  # it has the weight of core memory
    is_proven: bool  # a procedure used with success that has not failed since

    @property
    def topics(self) -> frozenset[str]:
        """The topics: its tags and entities, else its domain."""
        return self.tags | self.things or frozenset((self.domain,))

    def relevance(self, now: datetime, decay: Decay) -> float:
        """Return the decay score."""
        return relevance(
            self.source,
            self.kind,
            pinned=self.pinned,
            last_used_at=self.last_used_at,
            access_count=self.access_count,
            now=now,
            core=self.is_foundational,
            decay=decay,
        )


@dataclass(frozen=True, kw_only=True)
class NoteText:
    """A note with its text, for comparison."""

    note: NoteSummary
    text: str
    terms: frozenset[str]


@dataclass
class DuplicateGroup:
    """Notes of one audience that say the same; the first is the one that the others resemble."""

    members: list[NoteText] = field(default_factory=list)

    @property
    def known(self) -> bool:
        """True if a note that is not an episode already says it."""
        return any(member.note.kind is not Kind.EPISODIC for member in self.members)

    @property
    def newest(self) -> NoteText:
        """The last note of the group."""
        return max(self.members, key=lambda told: (told.note.happened_at, told.note.id))


def topic_counts(notes: Iterable[NoteSummary], since: datetime | None) -> Counter[str]:
    """Count the notes about each topic; those since the last reflection count twice."""
    counts: Counter[str] = Counter()
    for note in notes:
        weight = 2 if since is not None and note.created_at > since else 1
        counts.update(dict.fromkeys(note.topics, weight))
    return counts


def fading_notes(
    notes: Iterable[NoteSummary], now: datetime, below: float, decay: Decay
) -> list[tuple[NoteSummary, float]]:
    """Return the notes with a relevance below a bound, the faintest first.

    Pinned and load-bearing notes and lines of core memory are never among them."""
    found = [
        (note, score)
        for note in notes
        if not (note.pinned or note.load_bearing or note.core_block)
        and (score := note.relevance(now, decay)) < below
    ]
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))


def often_used(notes: Iterable[NoteSummary], times: int) -> list[NoteSummary]:
    """Return notes with that many accesses, the most used first.

    Pinned notes and those in core memory are not among them."""
    found = [
        note
        for note in notes
        if note.access_count >= times and not (note.pinned or note.is_core or note.core_block)
    ]
    return sorted(found, key=lambda note: (-note.access_count, note.id))


def stale_lines(
    notes: Iterable[NoteSummary], block: str, now: datetime, decay: Decay
) -> list[tuple[NoteSummary, float]]:
    """Return the lines written for a block of core memory that have faded, the faintest first."""
    found = [
        (note, score)
        for note in notes
        if note.core_block == block
        and not (note.pinned or note.load_bearing)
        and (score := note.relevance(now, decay)) < FADES_BELOW
    ]
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))


def near_duplicates(
    told: Sequence[NoteText], check: Callable[[], None] = lambda: None
) -> list[DuplicateGroup]:
    """Return notes that say the same as another of their audience, in groups, the largest first.

    A text without an exact copy is compared with the most similar of those that share one of its
    rarest terms; whether two say the same is decided as for a new note. `check` is called for
    each; an exception it raises ends the work."""
    spread = Counter(term for each in told for term in each.terms)
    heads: dict[tuple[str, str], list[DuplicateGroup]] = defaultdict(list)
    letters: dict[tuple[str, str], DuplicateGroup] = {}
    groups = []
    order = sorted(
        told, key=lambda t: (t.note.kind is Kind.EPISODIC, t.note.happened_at, t.note.id)
    )
    for each in order:
        check()
        rare = sorted(each.terms, key=lambda term: (spread[term], term))[:RARE]
        places = [heads[each.note.audience, term] for term in rare]
        key = each.note.audience, each.text.casefold().rstrip(".! ")
        group = letters.get(key)
        group = group or _find_group(each, [head for place in places for head in place[-HEADS:]])
        if group is None:
            group = DuplicateGroup()
            groups.append(group)
            for place in places:
                place.append(group)
        group.members.append(each)
        letters.setdefault(key, group)
    found = [group for group in groups if len(group.members) > 1]
    return sorted(found, key=lambda g: (-len(g.members), g.members[0].note.id))


def _find_group(each: NoteText, heads: Sequence[DuplicateGroup]) -> DuplicateGroup | None:
    likely = {}
    for group in heads:
        terms = group.members[0].terms
        share = len(terms & each.terms) / max(len(terms | each.terms), 1)
        if share >= ALIKE:
            likely[id(group)] = (share, group)
    best = sorted(likely.values(), key=lambda pair: -pair[0])[:COMPARED]
    for _, group in best:
        if is_repeated_by(group.members[0].text, each.text):
            return group
    return None


def is_outdated(older: NoteText, newer: NoteText) -> bool:
    """Check whether the later note says otherwise."""
    if older.note.audience != newer.note.audience or not older.terms & newer.terms:
        return False
    found = compare(older.text, newer.text).verdict
    return found in (TextVerdict.REPLACES, TextVerdict.CONTRADICTS)


@dataclass(frozen=True)
class RepeatedSequence:
    """Steps that followed each other in the same order in several episodes."""

    steps: tuple[NoteText, ...]  # as in the newest of the episodes
    others: tuple[NoteText, ...]
    episodes: int


def repeated_sequences(groups: Sequence[DuplicateGroup]) -> list[RepeatedSequence]:
    """Return what was done step by step more than once, the longest first; no note is in two.

    A sequence has three to eight repeated notes in the same order in at least two episodes."""
    chains: dict[tuple[str, str], list[tuple[int, NoteText]]] = defaultdict(list)
    for number, group in enumerate(groups):
        for member in group.members:
            if member.note.episode is not None:
                chains[member.note.audience, member.note.episode].append((number, member))
    found: dict[tuple[int, ...], list[list[NoteText]]] = defaultdict(list)
    for chain in chains.values():
        chain.sort(key=lambda pair: (pair[1].note.happened_at, pair[1].note.id))
        for steps in _list_runs(chain):
            found[tuple(number for number, _ in steps)].append([member for _, member in steps])
    runs, taken = [], set[int]()
    for numbers in sorted(found, key=lambda n: (-len(n), -len(found[n]), n)):
        if len(found[numbers]) < 2 or taken & set(numbers):
            continue
        taken |= set(numbers)
        *others, newest = sorted(found[numbers], key=lambda steps: steps[0].note.happened_at)
        rest = tuple(member for steps in others for member in steps)
        runs.append(RepeatedSequence(tuple(newest), rest, len(found[numbers])))
    return runs


def _list_runs(chain: Sequence[tuple[int, NoteText]]) -> Iterable[Sequence[tuple[int, NoteText]]]:
    for begin in range(len(chain)):
        for size in range(SHORTEST_RUN, LONGEST_RUN + 1):
            steps = chain[begin : begin + size]
            if len(steps) == size == len({number for number, _ in steps}):
                yield steps


def comparable_texts(
    notes: Iterable[NoteSummary],
    texts: dict[str, str],
    analyse: Callable[[str], Iterable[str]],
    check: Callable[[], None] = lambda: None,
) -> list[NoteText]:
    """Return the notes whose texts may be one fact, with their terms.

    `check` is called for each; an exception it raises ends the work."""
    found = []
    for note in notes:
        check()
        text = " ".join(texts.get(note.id, "").split())
        if 0 < len(text) <= LONGEST:
            found.append(NoteText(note=note, text=text, terms=frozenset(analyse(text))))
    return found

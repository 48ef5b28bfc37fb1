"""Chooses the near notes worth a link, and what a note takes from one it is linked to."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from graphmem.domain.notes import Note

CONTRADICTS = "contradicts"  # kind of a link between two notes that can't both be true
UPDATES = "updates"  # the same if the newer may replace the older; set by writes
MAX_LINKS = 10  # links made by one write
MAX_EVOLUTIONS = 5  # notes refined by one write
EVOLVES_FROM = 0.5  # strength of a link from which the other note is refined
MAX_TAGS = 8  # a note with that many takes no more
MAX_RELATED = 3  # topics that a context names after its sentence
TOO_FAR = 0.1  # cosine below which shared words are chance
RELATED_MARK = " (related: "  # precedes what a context took from other notes
_RELATED = re.compile(r" \(related: ([^()]*)\)$")
_GENERAL = frozenset(
    "fact preference decision task event emotion correction episodic semantic procedural general "
    "personal business note memory user project work team".split()
)


@dataclass(frozen=True)
class Facets:
    """The parts of a note that a link can be based on; names as keys."""

    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    entities: tuple[str, ...]

    @cached_property
    def things(self) -> frozenset[str]:
        """The keys of the entities."""
        return frozenset(self.entities)

    @cached_property
    def words(self) -> frozenset[str]:
        """Keywords and tags with a specific meaning."""
        return frozenset(word.lower() for word in (*self.keywords, *self.tags)) - _GENERAL


@dataclass(frozen=True)
class Connection:
    """A link to be made."""

    kind: str  # shares-entity, same-topic, CONTRADICTS or UPDATES
    strength: float  # 0 to 1
    reason: str
    shared: tuple[str, ...]


def connect(one: Facets, other: Facets, similarity: float) -> Connection | None:
    """Return the link between two near notes, None if they have too little in common.

    They must mention the same thing, or share two words about their subject. The strength is
    half the cosine, a quarter for the first thing both mention and a tenth for each other shared
    thing or word, at most 1."""
    if similarity < TOO_FAR:
        return None
    both = one.things & other.things
    words = sorted((one.words & other.words) - both)
    things = sorted(both)
    if not things and len(words) < 2:
        return None
    strength = 0.5 * similarity + 0.15 * bool(things) + 0.1 * (len(things) + len(words))
    reasons = []
    if things:
        reasons.append(f"both mention {', '.join(things[:3])}")
    if words:
        reasons.append(f"both are about {', '.join(words[:3])}")
    return Connection(
        kind="shares-entity" if things else "same-topic",
        strength=round(min(1.0, strength), 3),
        reason="; ".join(reasons),
        shared=(*things, *words),
    )


def evolve(note: Note, by: Note, shared: Sequence[str]) -> tuple[tuple[str, ...], str] | None:
    """Return tags and context of a note that got linked to the newer note `by`; None if unchanged.

    It takes the first tag of that note that it lacks, and its context names that tag as related."""
    if note.context is None:
        return None  # stored verbatim
    have = {tag.lower() for tag in note.tags} | _GENERAL
    fresh = [tag for tag in by.tags if tag.lower() not in have and tag.lower() not in set(shared)]
    if not fresh or len(note.tags) >= MAX_TAGS:
        return None
    found = _RELATED.search(note.context)
    topics = found[1].split(", ") if found else []
    if fresh[0] in topics:
        return None
    topics = [*topics, fresh[0]][-MAX_RELATED:]
    sentence = note.context[: found.start()] if found else note.context
    return (*note.tags, fresh[0]), f"{sentence} (related: {', '.join(topics)})"


def without_topics(context: str | None, gone: Collection[str]) -> str | None:
    """Return a context without these related topics, which `evolve` had added."""
    if context is None or not any(tag in context for tag in gone):
        return context
    sentence, mark, topics = context.rpartition(RELATED_MARK)
    if not mark:
        return context
    kept = [topic for topic in topics.removesuffix(")").split(", ") if topic not in gone]
    rest = f"{sentence}{mark}{', '.join(kept)})" if kept else sentence
    # A tag may contain the separator or a bracket: then all topics are removed.
    return sentence if any(tag in rest[len(sentence) :] for tag in gone) else rest

"""Finds the topics of a text, and from them its domain and who should be able to read it.

Sensitive personal matters are PRIVATE, work product is SCOPED, preferences and general facts are
OPEN (MUMA 5.3). In unclear cases the rules decide nothing, and the system's default holds."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from graphmem.domain.notes import EntityDraft, NoteType
from graphmem.domain.visibility import Visibility
from graphmem.language.lexicon import TOPICS
from graphmem.language.tokenizer import Tokens, tokens_in

_BUSINESS = "business/"
_CODING = "business/coding"
_SENSITIVE: Final = frozenset(
    "personal/health personal/finance personal/relationships personal/security personal/legal "
    "personal/beliefs".split()
)
_TECHNICAL_ENOUGH = 2  # coding words that give a weak personal word another meaning
_OWN: Final = frozenset(
    "i i'm i've i'd i'll my me mine myself he she his her him hers their we're our we us".split()
)
_PUBLIC: Final = frozenset({"place", "tool", "product", "concept", "url"})
_FIRST_PERSON: Final = frozenset("i i'm i've i'd i'll my me mine myself".split())
_WE: Final = frozenset("we we're we've we'll our ours us".split())
LOCATION: Final = "personal/location"
CONTACT: Final = "personal/contact"
_PLACES: Final = MappingProxyType(  # where somebody can be found, by domain
    {
        LOCATION: re.compile(
            r"\b(?:(?:I|user|we(?= (?:both |now |still |all )?liv))(?:'m| am| is|'ve| have| has)?"
            r" (?:also |now |currently |just |still |recently |both |all )*+"
            r"(?:lives? (?:in|at|on|near|with|by|next to|close to)|based (?:in|at)|from"
            r"|living (?:in|at|on|near)|moved (?:in|to)|grew up in|resides? (?:in|at|on)"
            r"|staying (?:in|at|with)|relocated to|settled in|(?:was )?born in)"
            r"|(?:my|user's) (?:new |old |current |exact |home |postal |private )*+"
            r"(?:hometown|address|whereabouts|residence|postcode|postal code|zip code"
            r"|(?:house|flat|apartment|home|place) is (?:in|at|on|near|number)))\b",
            re.IGNORECASE,
        ),
        CONTACT: re.compile(
            r"\b(?:(?:my|user's) (?:new |old |private |personal |work |home )*+(?:phone|telephone"
            r"|mobile|cell(?:phone)?|whatsapp|e-?mail|fax)(?: address| number)?(?: is|:|'s)"
            r"|my (?:new )?number is|(?:call|text|reach|phone|e-?mail) me (?:at|on|under|via))\s",
            re.IGNORECASE,
        ),
    }
)
_PROFILE = re.compile(
    r"\b(?:(?:I|user)(?:'m| am| is)? (?:also |now |currently )?speaks? |(?:my|user's) "
    r"(?:name|time ?zone|birthday|pronouns|native language|job|role) )",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Topics:
    """The topics of a text."""

    scores: Counter[str]  # topic → number of its words in the text
    sensitive: frozenset[str]  # topics of words that are sensitive by themselves
    words: frozenset[str]  # all words, lower case
    unsure: frozenset[str] = frozenset()  # topics of one ambiguous word

    @property
    def best(self) -> str | None:
        """The topic with the most words; on a tie, the one found first."""
        return max(self.scores, key=lambda topic: self.scores[topic], default=None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Up to two words for the topics, best first."""
        return tuple(topic.split("/")[1] for topic, _ in self.scores.most_common(2))


def topics_of(text: str, entities: tuple[EntityDraft, ...]) -> Topics:
    """Return the topics of a text, given its entities."""
    words = [word.lower().replace("’", "'") for word in tokens_in(text, Tokens.TOPIC)]  # noqa: RUF001
    bare = (word.removesuffix("'s") for word in words if word.endswith("'s"))
    terms = [*words, *bare, *(f"{one} {two}" for one, two in pairwise(words))]
    scores: Counter[str] = Counter()
    sensitive = set()
    shown = defaultdict[str, set[str]](set)
    for term in terms:
        found = TOPICS.get(term)
        if found is not None:
            scores[found.topic] += 2 if found.sensitive else 1
            shown[found.topic].add(term)
            if found.sensitive:
                sensitive.add(found.topic)
    unsure = {
        topic
        for topic, seen in shown.items()
        if len(seen) == 1 and all(TOPICS[term].ambiguous for term in seen)
    }
    for topic in unsure:
        del scores[topic]
    technical = sum(1 for entity in entities if entity.type in ("tool", "code", "file"))
    if technical:
        scores[_CODING] += technical
    return Topics(scores, frozenset(sensitive), frozenset(words), frozenset(unsure))


def domain_of(found: Topics, type_: NoteType, text: str) -> str | None:
    """Return the domain of a text, None if unclear. Sensitive topics come before frequent ones."""
    if found.sensitive:
        return max(sorted(found.sensitive), key=lambda topic: found.scores[topic])
    if type_ is NoteType.PREFERENCE and (own := _own_affair(found)) is not None:
        return own
    if type_ is NoteType.PREFERENCE and found.words & (_FIRST_PERSON | {"user", "user's"}):
        return "personal/preferences"
    if place := place_of(text):
        return place
    if _PROFILE.search(text):
        return "personal/profile"
    if type_ is NoteType.PREFERENCE and not _is_business(found):
        return "personal/preferences"
    best = found.best
    if best is None:
        return None
    if best in _SENSITIVE and not is_own(found):
        rest = [topic for topic, _ in found.scores.most_common() if topic.startswith(_BUSINESS)]
        return rest[0] if rest else None
    return best


def visibility_of(
    found: Topics, domain: str | None, type_: NoteType, entities: tuple[EntityDraft, ...]
) -> Visibility | None:
    """Return who should read it; None if the rules don't decide."""
    if found.sensitive or domain in _SENSITIVE:
        return Visibility.PRIVATE
    if type_ is NoteType.EMOTION and found.words & _FIRST_PERSON and not _is_business(found):
        return Visibility.PRIVATE
    if _own_affair(found) is not None:
        return Visibility.PRIVATE
    if domain in ("personal/preferences", "personal/profile", LOCATION):
        return Visibility.OPEN
    unsure = domain is None and any(topic.startswith(_BUSINESS) for topic in found.unsure)
    if unsure or (domain is not None and domain.startswith(_BUSINESS)):
        return Visibility.SCOPED
    public = bool(entities) and all(entity.type in _PUBLIC for entity in entities)
    own = found.words & (_OWN | _WE)
    general = type_ is NoteType.FACT and domain is None and not own
    if general and public and not _is_business(found) and found.words:
        return Visibility.OPEN
    return None


def _own_affair(found: Topics) -> str | None:
    """Return the sensitive topic of a text about somebody's own affairs."""
    sensitive = [topic for topic, _ in found.scores.most_common() if topic in _SENSITIVE]
    return sensitive[0] if sensitive and is_own(found) else None


def place_of(text: str) -> str | None:
    """Return the domain of where somebody can be found, if a text says that."""
    return next((domain for domain, pattern in _PLACES.items() if pattern.search(text)), None)


def _is_business(found: Topics) -> bool:
    return any(topic.startswith(_BUSINESS) for topic in (*found.scores, *found.unsure))


def is_own(found: Topics) -> bool:
    """Check whether somebody's own affairs are meant: my knee, not the health of a server."""
    return bool(found.words & _OWN) and found.scores[_CODING] < _TECHNICAL_ENOUGH

"""The subjects of somebody's own life that a command can name ("keep my location private").

Each has the domain where it is filed. Notes and commands are matched by the same words, so that
a command reaches what was said about its subject, wherever that was filed."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from graphmem.domain.ids import is_within, name_key
from graphmem.domain.visibility import Visibility, narrower_visibility, rule_for
from graphmem.language.extraction.topics import CONTACT, LOCATION, is_own, place_of, topics_of
from graphmem.language.lexicon import SUBJECTS, TOPICS

MOST_READ: Final = 10_000  # characters of a text
_WITH: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"personal/family": ("personal/relationships",)}
)
_FILLERS = re.compile(
    r"^(?:(?:everything|anything|all|what|that|you|we|know|knew|have|about|of|on|regarding|my|our"
    r"|the|any|own|exact|current|home(?= (?:phone|tele)))\s+)+"
    r"|\s+(?:information|info|data|details|memories|notes|records|situation|matters?|stuff|status"
    r"|history|things?)$",
    re.IGNORECASE,
)
_KEYS: Final = MappingProxyType({name_key(name): domain for name, domain in SUBJECTS.items()})


def named_subject(phrase: str) -> str | None:
    """Return the domain of a subject that a phrase names, and nothing more."""
    phrase = phrase.strip()
    while (shorter := _FILLERS.sub("", phrase)) != phrase:
        phrase = shorter
    key = name_key(phrase)
    found = _KEYS.get(key) or _KEYS.get(key.removesuffix("s"))
    if found is None and (word := TOPICS.get(phrase.lower())) is not None:
        found = word.topic if word.topic.startswith("personal/") else None
    return found


def is_subject(domain: str) -> bool:
    """Check whether a domain is that of a subject of somebody's own life, or contains some."""
    return any(is_within(each, domain) for each in _OWN)


def domains_of(domain: str) -> tuple[str, ...]:
    """Return the domain of a subject, with the others where statements about it are filed."""
    return (domain, *_WITH.get(domain, ()))


def is_about(text: str, domains: Iterable[str]) -> bool:
    """Check whether a text is about a subject of one of the domains."""
    subjects = subjects_in(text)
    return any(is_within(each, domain) for domain in domains for each in subjects)


def subjects_in(text: str) -> frozenset[str]:
    """Return the domains of all subjects of somebody's own life that a text is about."""
    text = text[:MOST_READ]
    found = topics_of(text, ())
    domains = set(found.sensitive)
    if is_own(found):
        domains |= {topic for topic in found.scores if topic in _KEYS.values()}
    if place := place_of(text):
        domains.add(place)
    return frozenset(topic for topic in domains if topic.startswith("personal/"))


def narrowed_by_subject(
    text: str, visibility: Visibility, rules: Mapping[str, Visibility]
) -> Visibility:
    """Return the visibility of a text, or of a rule for its subject, if that has fewer readers.

    So the rule also holds for what is filed in another domain."""
    if not any(map(is_subject, rules)):
        return visibility
    for subject in sorted(subjects_in(text)):
        rule = rule_for(subject, rules)
        visibility = visibility if rule is None else narrower_visibility(visibility, rule)
    return visibility


_OWN: Final = frozenset(
    {LOCATION, CONTACT, *(topic for topic in SUBJECTS.values() if topic.startswith("personal/"))}
)

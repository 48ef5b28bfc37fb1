"""Takes out of a text what tells of a person: names, addresses, numbers, ids (MUMA 7.4).

Rules can't tell all that does. So what is left is looked at again, and where a text may still tell
of somebody, it is in doubt."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.domain.notes import EntityDraft

PERSON, ADDRESS, NUMBER, ID = "[person]", "[address]", "[number]", "[id]"
_PERSON_TYPE: Final = "person"
_STREETS: Final = (
    "street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|square|sq|court|ct|place|pl"
)
_PATTERNS: Final = (
    (ADDRESS, re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    (ADDRESS, re.compile(r"\b(?:https?|ftp|ssh)://\S{1,2000}", re.IGNORECASE)),
    (ADDRESS, re.compile(r"\bwww\.\S{1,2000}", re.IGNORECASE)),
    (ID, re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    (ID, re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")),
    (ADDRESS, re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")),
    (
        ADDRESS,
        re.compile(
            rf"\b\d{{1,5}}[a-zA-Z]? (?:[A-Z][\w'-]{{1,40}} ){{1,3}}(?:{_STREETS})\b\.?", re.I
        ),
    ),
    (
        ADDRESS,
        re.compile(
            r"\b[A-ZÄÖÜ]?[\wäöüß-]{2,40}(?:stra(?:ß|ss)e|str\.|gasse|weg|platz|allee)"
            r" \d{1,4}[a-z]?\b",
            re.IGNORECASE,
        ),
    ),
    (ID, re.compile(r"(?<![\w@])@\w[\w.-]{1,60}")),
    (
        ID,
        re.compile(
            r"\b(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9]{2,30}(?:-[A-Za-z0-9]{2,30})*-?\d{3,20}\b"
        ),
    ),
    (NUMBER, re.compile(r"(?<![\w.])\+?\(?\d(?:[ ./()-]{0,2}\d){6,20}(?!\w)")),
    (NUMBER, re.compile(r"(?<![\w.])\d(?:,?\d){4,20}(?![\w])")),
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|me|my|mine|myself)\b|\bI'", re.IGNORECASE)
MOST_NAMES = 500  # of people who are taken out

Read = Callable[[str], Iterable[EntityDraft]]


def anonymised(text: str, read: Read, names: Sequence[str]) -> str:
    """The text without addresses, numbers and ids, and without the people that it names: those
    that `read` finds and those of `names`."""
    people = [entity.name for entity in read(text) if entity.type == _PERSON_TYPE]
    for sign, pattern in _PATTERNS:
        text = pattern.sub(sign, text)
    for name in _longest_first([*people, *names]):
        text = _pattern_of(name).sub(PERSON, text)
    return text


def tells_of(text: str, read: Read, names: Sequence[str]) -> str | None:
    """What of a person a text tells, in a word: a name, an address, a number or an id; None if the
    rules find nothing."""
    for sign, pattern in _PATTERNS:
        if pattern.search(text):
            return sign.strip("[]")
    people = any(entity.type == _PERSON_TYPE for entity in read(text))
    if people or any(_pattern_of(name).search(text) for name in _longest_first(names)):
        return PERSON.strip("[]")
    return None


def is_in_doubt(text: str, read: Read) -> bool:
    """Whether a text may tell of somebody: it speaks of its writer, or has a name of which the
    rules can't say what it is the name of."""
    signs = {sign.strip("[]") for sign in (PERSON, ADDRESS, NUMBER, ID)}
    unknown = any(e.type is None and name_key(e.name) not in signs for e in read(text))
    return unknown or bool(_FIRST_PERSON.search(text))


def _longest_first(names: Iterable[str]) -> list[str]:
    """Whole names and their parts, so that a first name alone is found, too."""
    parts = {part for name in names for part in (name, *re.split(r"[\s._@-]+", name))}
    useful = [part for part in parts if len(part) > 2 and not part.isdigit()]
    return sorted(useful, key=lambda part: (-len(part), part))[:MOST_NAMES]


def _pattern_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)

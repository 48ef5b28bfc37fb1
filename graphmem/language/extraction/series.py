"""Finds things that are distinguished by their number: Kiln 4, Room 12, Line 7B, Gate B."""

import re
from typing import Final

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.lexicon import NAME_WORDS

UNITS: Final = frozenset(
    "am bags boxes bytes cents cm crates days degrees dollars euros feet g gb grams hours inches "
    "kg kilos kilometres km kwh l litres liters m mb metres miles million minutes ml mm months "
    "more ms of others p parts pages people percent persons pieces plates pm points pounds "
    "seconds steps thousand times to tons tonnes units weeks years".split()
)
"""Words that follow a number that counts or measures, in lower case."""
_PLACES: Final = NAME_WORDS["numbered places"]
_THINGS: Final = NAME_WORDS["numbered things"]
_NUMBERED = re.compile(
    r"(?<![\w'’.@/-])([^\W\d_]{3,12}) (?:(?:[Nn]o\.?|[Nn]r\.?|[Nn]umber) |# ?)?"  # noqa: RUF001
    r"(\d{1,5}[A-Za-z]?|[A-HJ-Z]\d{0,4})(?![\w%°€$]|[.,:/–-]\d)(?: ([^\W\d_]+))?"  # noqa: RUF001
)


def series_names(sentence: str) -> list[NameSpan]:
    """Return the numbered things of a sentence in order.

    A number that counts the next word is not one: the kiln 4 hours later."""
    found = []
    for match in _NUMBERED.finditer(sentence):
        noun, number, after = match.groups()
        kind = _series_type(noun)
        lettered = not number[0].isdigit()
        if kind is None or (lettered and not _is_letter(noun, number, after)):
            continue
        if after and after.lower() in UNITS and not lettered:
            continue
        found.append(NameSpan(match.start(), match.end(2), _join_name(match), kind or None))
    return found


def _series_type(noun: str) -> str | None:
    """Return the type of a numbered noun, "" if it is only known to be a thing; else None."""
    if noun[1:] != noun[1:].lower():
        return None
    if noun.lower() in _PLACES:
        return "place"
    return "" if noun.lower() in _THINGS else None


def _is_letter(noun: str, letter: str, after: str | None) -> bool:
    """Check whether a capital letter is that of a series: Gate B, but not the gate A said."""
    return noun[0].isupper() and not (letter == "A" and after is not None and after.islower())


def _join_name(match: re.Match[str]) -> str:
    return f"{match[1]} {match[2]}"

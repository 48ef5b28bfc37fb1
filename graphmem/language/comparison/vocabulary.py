"""The words with which `statements` reads a sentence, by their function in it."""

from types import MappingProxyType
from typing import Final

from graphmem.language.lexicon import ANTONYMS, GRAMMAR, IRREGULAR_VERBS, STATES, SYNONYMS
from graphmem.language.lexicon import numbers_and_dates as dates

__all__ = ("ANTONYMS", "IRREGULAR_VERBS", "STATES", "SYNONYMS")

NUMBERS: Final = MappingProxyType({word: str(number) for word, number in dates.NUMBERS.items()})
MONTHS: Final = MappingProxyType({word: f"{number:02}" for word, number in dates.MONTHS.items()})
WEEKDAYS: Final = MappingProxyType(
    {form: name[:3] for name in dates.WEEKDAYS for form in (name, f"{name}s")}
)
VERBS: Final = GRAMMAR["verbs"]
PAST_FORMS: Final = GRAMMAR["past forms"]
CHANGES: Final = GRAMMAR["verbs of change"]
UNIQUE_EVENTS: Final = GRAMMAR["unique events"]
MODALS: Final = GRAMMAR["modals"]
NEGATORS: Final = GRAMMAR["negations"]
RESTRICTING: Final = GRAMMAR["restrictions"]
DROPPED: Final = GRAMMAR["fillers"]
DETERMINERS: Final = GRAMMAR["determiners"]
DEFINITE: Final = GRAMMAR["definite determiners"]
MARKERS: Final = GRAMMAR["prepositions"]
CLAUSES: Final = GRAMMAR["conjunctions"]
PLACELESS: Final = GRAMMAR["date prepositions"]
NOW: Final = GRAMMAR["now"]
SEASONS: Final = GRAMMAR["seasons"]
CHANGING: Final = GRAMMAR["changing attributes"]
UNIQUE_ROLES: Final = GRAMMAR["unique roles"]
NAME_NOUNS: Final = frozenset(["project"])  # "the Halden project" is Halden

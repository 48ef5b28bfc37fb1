"""The words for numbers, months and weekdays, and parts of patterns for dates."""

from types import MappingProxyType
from typing import Final

MONTH_NAMES: Final = (
    "january february march april may june july august september october november december"
).split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split()

MONTHS: Final = MappingProxyType(
    {form: n for n, name in enumerate(MONTH_NAMES, 1) for form in (name, name[:3])} | {"sept": 9}
)
"""Names of months and their short forms, with their numbers from 1."""
WEEKDAYS: Final = MappingProxyType({name: n for n, name in enumerate(_WEEKDAYS)})
"""Days of the week, with their numbers from 0 for Monday."""
NUMBERS: Final = MappingProxyType(
    {word: n for n, word in enumerate(_NUMBERS)}
    | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
)
ORDINALS: Final = MappingProxyType({word: n for n, word in enumerate(_ORDINALS, 1)})
ROMAN: Final = MappingProxyType({numeral: n for n, numeral in enumerate(_ROMAN, 1)})

# Parts of patterns, for texts in any case.
MONTH: Final = rf"(?:{'|'.join(MONTH_NAMES)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
YEAR: Final = r"(?:19|20)\d\d"

"""The features of a note's text for the re-ranking of a recall, computed when it is written."""

import re
import unicodedata
from enum import IntFlag
from typing import Final

from graphmem.domain.ids import digest
from graphmem.language.languages import Language, is_foreign, is_in_latin_script, language_of
from graphmem.language.lexicon.numbers_and_dates import MONTH_NAMES, WEEKDAYS

SHORTEST: Final = 20  # letters and digits; shorter texts recur by chance


class TextFeatures(IntFlag):
    """The features of a text; kept with its note as a number."""

    ASKS = 1  # a question mark
    DATED = 2  # a word of time: a month, a weekday, a year, "yesterday", "ago"
    FIRST_PERSON = 4  # "I", "we", "my"
    NAMES = 8  # a capital letter inside a sentence


_DATED: Final = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|night"
    rf"|{'|'.join((*MONTH_NAMES, *WEEKDAYS))}"
    r"|weekends?"
    r"|days?|weeks?|months?|years?|(?:19|20)[0-9][0-9])\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\b")
_ASKS: Final = re.compile("[?\uff1f\u061f\u037e]")
_NO_LETTER_OR_DIGIT: Final = re.compile(r"[^a-z0-9]+")
_NAMES: Final = re.compile(r"(?<=[^.!?\s] )[A-Z][a-z]")
_PATTERNS: Final = (
    (TextFeatures.DATED, _DATED),
    (TextFeatures.FIRST_PERSON, _FIRST_PERSON),
    (TextFeatures.NAMES, _NAMES),
)


def features_of(text: str) -> TextFeatures:
    """Return the features of a text; in another language only those that depend on no word."""
    spoken = language_of(text)
    if is_foreign(spoken):
        return _foreign_features(text, spoken)
    found = TextFeatures.ASKS if "?" in text else TextFeatures(0)
    for trait, pattern in _PATTERNS:
        if pattern.search(text):
            found |= trait
    return found


def _foreign_features(text: str, spoken: Language) -> TextFeatures:
    found = TextFeatures.ASKS if _ASKS.search(text) else TextFeatures(0)
    if is_in_latin_script(spoken) and spoken is not Language.GERMAN and _NAMES.search(text):
        found |= TextFeatures.NAMES
    return found


def _normalise_digit(character: str) -> str:
    """Return a digit of any script as one of 0 to 9; every other character unchanged."""
    digit = unicodedata.digit(character, None)
    return character if digit is None else str(digit)


def text_key(text: str) -> str | None:
    """Return the key of texts with the same letters and digits; None if too short to be a copy.

    Case, accents, spaces and punctuation do not count."""
    if text.isascii():  # the same in a quarter of the time
        kept = _NO_LETTER_OR_DIGIT.sub("", text.lower())
    else:
        plain = unicodedata.normalize("NFKD", text.casefold())
        kept = "".join(_normalise_digit(character) for character in plain if character.isalnum())
    return digest(kept) if len(kept) >= SHORTEST else None

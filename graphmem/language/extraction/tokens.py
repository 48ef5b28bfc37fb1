"""Cuts a sentence into tokens for finding names, each with what its spelling and the lists show."""

import re
from dataclasses import dataclass
from typing import Final

from graphmem.language.lexicon import (
    COMMON_WORDS,
    FIRST_NAMES,
    FUNCTION_WORDS,
    INTERJECTIONS,
    NAME_WORDS,
    NATIONALITIES,
    NEVER_NAMES,
    ORGANISATIONS,
    PLACES,
    PRODUCTS,
    TOOLS,
)
from graphmem.language.tokenizer import Tokens, token_matches

_DRAWN_OUT = re.compile(r"(\w)\1\1+")
_POSSESSIVES = ("'s", "’s", "'S")  # noqa: RUF001
_SMALL_WORDS: Final = FUNCTION_WORDS | INTERJECTIONS
_LEGAL_FORMS: Final = NAME_WORDS["legal forms"]
_SINGLE_NAMES: Final = frozenset(
    name for names in (PLACES, TOOLS, PRODUCTS, ORGANISATIONS) for name in names if " " not in name
)
# Hebrew, Arabic, kana, ideographs, Hangul: in a text of other letters such a word is a name.
_UNCASED = re.compile(r"[\u05d0-\u05ea\u0621-\u064a\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign. `text` has no possessive ending, `end` is before that."""

    text: str
    start: int
    end: int
    stop: int  # after the possessive ending
    word: bool
    capital: bool  # may belong to a name: a capital letter, or a script without case
    common: bool  # ordinarily in lower case
    listed: bool  # a place, tool, product or organisation of the lists
    person: bool  # a given name
    never: bool  # days, months, peoples, office abbreviations, function words

    @property
    def possessive(self) -> bool:
        """True if it ends in 's."""
        return self.stop > self.end


def tokenize(sentence: str) -> list[Token]:
    """Return the tokens of a sentence in order."""
    return [_create_token(match) for match in token_matches(sentence, Tokens.NAME)]


def _create_token(match: re.Match[str]) -> Token:
    text = match.group()
    start, stop = match.span()
    if not text[0].isalnum():
        return Token(text, start, stop, stop, False, False, False, False, False, False)
    end = stop
    if text.endswith(_POSSESSIVES) and text not in _SINGLE_NAMES:
        end = stop - 2
        text = text[:-2]
    lower = text.lower().replace("’", "'")  # noqa: RUF001
    listed = text in _SINGLE_NAMES
    first = text[0]
    small = lower in _SMALL_WORDS and text not in _LEGAL_FORMS
    never = text in NEVER_NAMES or small or _is_people(text)
    return Token(
        text,
        start,
        end,
        stop,
        True,
        first.isupper() or listed or _has_odd_capital(text) or _UNCASED.match(text) is not None,
        lower in COMMON_WORDS,
        listed,
        text in FIRST_NAMES,
        never or (first.isupper() and _is_drawn_out(lower)),
    )


def _is_drawn_out(lower: str) -> bool:
    """Check for a drawn-out word: Awwww, yesss, Sooo."""
    if _DRAWN_OUT.search(lower) is None or len(set(lower)) == 1:
        return False  # III is a number
    short = (_DRAWN_OUT.sub(end, lower) for end in (r"\1", r"\1\1"))
    return any(word in _SMALL_WORDS or word in COMMON_WORDS for word in short)


def _is_people(text: str) -> bool:
    """Check for peoples joined by a hyphen: British-American."""
    return "-" in text and NATIONALITIES.issuperset(text.split("-"))


def _has_odd_capital(text: str) -> bool:
    """Check for a name that begins with one small letter: iPhone, eBay, d'Orsay."""
    if text[1:2] in ("'", "’"):  # noqa: RUF001
        return text[0] in "dl" and text[2:3].isupper()
    return len(text) > 3 and text[0] in "ie" and text[1].isupper()

"""Keeps those names that are safe of the ones a sentence in another language seems to have."""

from collections.abc import Sequence
from typing import Final

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.name_types import TITLES
from graphmem.language.languages import Language
from graphmem.language.lexicon import (
    COMMON_WORDS,
    FIRST_NAMES,
    NAME_WORDS,
    ORGANISATIONS,
    PLACES,
    PRODUCTS,
    TOOLS,
)

_LEGAL: Final = NAME_WORDS["legal forms"]
_LITERAL: Final = frozenset(("url", "email", "file", "code"))
_OPENING: Final = "\"“«„‚'‘"  # noqa: RUF001
_CLOSING: Final = "\"”»“‘'’"  # noqa: RUF001
_ENDS: Final = ".!?…:;•*#>|-–—"  # noqa: RUF001


def safe_names(sentence: str, found: Sequence[NameSpan], language: Language) -> list[NameSpan]:
    """Return the names that hold whatever the words of a language mean.

    These are literal or quoted ones, ones with a title or a legal form, known ones, people with
    a given name; and in a language with lower-case nouns, words with a capital inside a
    sentence."""
    return [span for span in found if _is_safe(sentence, span, language)]


def _is_safe(sentence: str, span: NameSpan, language: Language) -> bool:
    words = span.name.split()
    if span.type in _LITERAL or _is_known(span.name) or _is_quoted(sentence, span):
        return True
    if len(words) > 1 and (words[0].rstrip(".") in TITLES or words[-1].rstrip(".") in _LEGAL):
        return True
    if len(words) > 1 and words[0] in FIRST_NAMES and words[0].lower() not in COMMON_WORDS:
        return True
    if language is Language.GERMAN:
        return False
    return _has_case(span.name) and _is_inside(sentence, span)


def _is_known(name: str) -> bool:
    listed = any(name in names for names in (PLACES, ORGANISATIONS, TOOLS, PRODUCTS))
    return (listed or name in FIRST_NAMES) and name.lower() not in COMMON_WORDS


def _is_quoted(sentence: str, span: NameSpan) -> bool:
    before, after = sentence[span.start - 1 : span.start], sentence[span.end : span.end + 1]
    return bool(before and after) and before in _OPENING and after in _CLOSING


def _has_case(name: str) -> bool:
    return name.lower() != name.upper()


def _is_inside(sentence: str, span: NameSpan) -> bool:
    before = sentence[: span.start].rstrip(" \"'“‘([«")  # noqa: RUF001
    return bool(before) and before[-1] not in _ENDS

"""The identifying words of a sentence: names, initials, numbers and ids.

Two sentences that say the same have the same identifying words, letter by letter."""

import re
from typing import Final

from graphmem.language.comparison import vocabulary as w
from graphmem.language.tokenizer import Tokens, token_matches

_INITIAL = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"([-−]?\d+(?:[.,]\d+)*)(st|nd|rd|th|[^\W\d_]{1,3})?")  # noqa: RUF001
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FLATS: Final = frozenset("abcdef")  # 14a Orchard Street; any other letter may be a unit: 30s
TITLES: Final = frozenset(
    "mr mrs ms miss mx dr prof sir dame lady lord st saint rev fr sister brother aunt uncle "
    "doctor professor captain madam mme frau herr".split()
)
_NO_NAMES: Final = (
    w.DROPPED | w.DETERMINERS | w.MARKERS | w.MODALS | w.NOW | w.NEGATORS
    | w.RESTRICTING | w.SEASONS | frozenset(w.MONTHS) | frozenset(w.WEEKDAYS)
    | frozenset(
        "i you he she we they me him us them it everyone everybody all every each some many one "
        "is are was were be has have had do does did and or that's here i'm nobody nothing "
        "nowhere".split()
    )
)  # fmt: skip
_ACTS: Final = frozenset("has had is was were does did".split()) | w.PAST_FORMS


def identifiers_of(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names, initials and numbers of a sentence, and all its words in lower case.

    A capitalised word is a name, unless it begins the sentence and the next word shows
    otherwise."""
    found = [(match[0], match.end()) for match in token_matches(sentence, Tokens.IDENTIFIER)]
    words = [word for word, _ in found]
    marks, literal = set[str](), set[str]()
    for at, (_, end) in enumerate(found):
        dotted = sentence[end : end + 1] == "."
        compared, is_mark = _compare_form(words, at, dotted=dotted and end + 1 < len(sentence))
        literal.update(compared)
        if is_mark:
            marks.update(compared)
    return frozenset(marks), frozenset(literal)


def _compare_form(words: list[str], at: int, *, dotted: bool) -> tuple[list[str], bool]:
    """Return a word as it is compared, and whether it is an identifier."""
    word = words[at].replace("’", "'").removesuffix("'s")  # noqa: RUF001
    lower = word.lower()
    if day := _DAY.fullmatch(word):
        return [day[1], str(int(day[3]))], True
    if any(letter.isdigit() for letter in word):
        return _normalise_number(word), True
    if lower in w.NUMBERS:
        return [w.NUMBERS[lower]], True
    capital = word[:1].isupper()
    if capital and word != "I" and _INITIAL.fullmatch(word) and (at or dotted):
        return [word.replace(".", "")], True
    before = words[at - 1] if at else ""
    titled = before.lower() in TITLES or (before.isupper() and len(before) == 1 and before != "I")
    plain = lower in _NO_NAMES or lower.split("'")[0] in _NO_NAMES
    named = capital and (titled or not plain) and (at > 0 or not _is_opener(words, lower))
    return [lower], named


def _normalise_number(word: str) -> list[str]:
    number = _NUMBER.fullmatch(_THOUSANDS.sub("", word))
    if number is None:
        return [word.lower()]
    digits, unit = number[1], (number[2] or "").lower()
    if unit in ("st", "nd", "rd", "th", ""):
        return [digits]
    return [word.lower()] if unit in _FLATS else [digits, unit]


def _is_opener(words: list[str], lower: str) -> bool:
    """Check whether the first word of a sentence is likely a verb or a thing, not a name."""
    if lower not in w.SYNONYMS and lower not in w.IRREGULAR_VERBS and lower not in w.VERBS:
        return False
    after = words[1].lower() if len(words) > 1 else ""
    return after not in _ACTS and not after.endswith("ed")

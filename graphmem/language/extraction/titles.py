"""Finds titles of books, films, games and songs in a sentence: quoted, or by their capitals."""

import re
from collections.abc import Sequence
from typing import Final

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.name_types import ORGANISATION_ENDINGS, TITLES
from graphmem.language.extraction.tokens import Token
from graphmem.language.lexicon import NAME_WORDS, PLACES
from graphmem.language.lexicon.numbers_and_dates import NUMBERS, ROMAN

ARTICLES: Final = frozenset({"The", "A", "An"})
_LONGEST: Final = 10  # words of a quoted title
_SMALL: Final = NAME_WORDS["title words"]
_LINKS: Final = NAME_WORDS["title links"]
_OFFICES: Final = NAME_WORDS["posts"]
_PARTS: Final = NAME_WORDS["title parts"]
_NUMBERS: Final = frozenset(word.title() for word, n in NUMBERS.items() if 0 < n <= 10)
_NUMERALS: Final = frozenset(each for each, n in ROMAN.items() if n < 10) - {"I"}
_CUE = re.compile(
    r"\b(?:books?|novels?|stor(?:y|ies)|read|reads|reading|movies?|films?|watch(?:ed|es|ing)?|"
    r"bing(?:ed|ing)|series|shows?|episodes?|seasons?|finale|songs?|albums?|listen(?:ed|ing)?|sang|"
    r"sing(?:s|ing)?|games?|gam(?:er|ing)|play(?:ed|s|ing)?|trilogy|saga|sequel|prequel|franchise|"
    r"anime|manga|comics?|musical|opera|podcast|soundtrack|titled|entitled|bestseller|cinema|"
    r"author|directed|starring|published|memoir|poems?|fantasy|sci-fi)\b",
    re.IGNORECASE,
)
_DOUBLE = re.compile('["“”]([^"“”\n]{2,90})["“”]')
_SINGLE = re.compile(r"(?<![\w'‘’])['‘]((?:[^'‘’\n]|(?<=\w)['’](?=\w)){2,90}+)['’](?!\w)")  # noqa: RUF001
_SAID = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|sign|signs|poster|banner|reads|shout(?:ed|s|ing)?|chant(?:ed|s|ing)?|"
    r"quote|motto|slogan|whisper(?:ed|s)?|yell(?:ed|s|ing)?|ask(?:ed|s)|told|repl(?:y|ied)|"
    r"answered|thought|like)[,:]? $",
    re.IGNORECASE,
)


def mentions_works(sentence: str) -> bool:
    """Check whether it speaks of books, films, games or music."""
    return _CUE.search(sentence) is not None


def quoted_titles(sentence: str, words: Sequence[Token]) -> list[NameSpan]:
    """Return the titles in quotes: two words or more that are capitalised as titles are."""
    found = [*_DOUBLE.finditer(sentence)] if '"' in sentence or "“" in sentence else []
    if "'" in sentence or "‘" in sentence:  # noqa: RUF001
        found += _SINGLE.finditer(sentence)
    spans = []
    for match in found:
        start, end = match.span(1)
        inside = [token for token in words if start <= token.start and token.end <= end]
        if inside and _is_title(inside) and not _is_said(sentence, match, words):
            name = sentence[inside[0].start : inside[-1].stop]
            kind = "work" if mentions_works(sentence) else None
            spans.append(NameSpan(inside[0].start, inside[-1].stop, name, kind))
    return spans


def _is_title(inside: Sequence[Token]) -> bool:
    """Check whether the words are capitalised as in a title, and not all of them as in a name."""
    named = [token for token in inside if token.word]
    first, last = inside[0], inside[-1]
    if not 2 <= len(named) <= _LONGEST or not first.capital or last is not named[-1]:
        return False
    if not all(t.capital or t.text.isdigit() or t.text in _SMALL for t in named):
        return False
    capital = sum(1 for token in named if token.capital)
    shown = any(token.common or token.text in _SMALL or token.possessive for token in named)
    plain = all(token.word or token.text in ":,&!-'." for token in inside)
    small = any(token.text in _SMALL for token in named)
    whole = (last.capital and (small or not last.never)) or last.text.isdigit()
    return capital > 1 and shown and plain and whole


def _is_said(sentence: str, match: re.Match[str], words: Sequence[Token]) -> bool:
    """Check whether the quotes hold direct speech, or a nickname between two names."""
    before = sentence[max(0, match.start() - 24) : match.start()]
    after = next((token for token in words if token.start >= match.end()), None)
    between = before[-1:] == " " and after is not None and after.start == match.end() + 1
    if between and after is not None and after.capital and not after.never:
        last = next((token for token in reversed(words) if token.stop < match.start()), None)
        return last is not None and last.capital and not last.never
    return _SAID.search(before) is not None


def title_extension(words: Sequence[Token], first: int, end: int, sentence: str) -> int:
    """Count how many more words from `end` on belong to the title that began at `first`; 0 if none.

    «of the» and a word that is not a name always extend it; everything else only if the sentence
    speaks of works: Dune: Part Two, Pride and Prejudice, Toy Story 3."""
    last, token = words[end - 1], words[end]
    gap = sentence[last.stop : token.start]
    if token.text == ":" and gap == "":
        return _count_subtitle(words, first, end, sentence)
    if gap != " " or not last.capital or (first == end - 1 and _is_common_start(last, sentence)):
        return 0
    if last.text in _PARTS and token.text in _NUMBERS:
        return 1
    if token.text.isdigit() or token.text in _NUMERALS:
        return _count_number(words, first, end, sentence)
    if last.possessive:
        return _count_owned(words, first, end, sentence)
    return _count_linked(words, first, end, sentence)


def _count_owned(words: Sequence[Token], first: int, end: int, sentence: str) -> int:
    """Return 1 if a word after 's belongs to a title, else 0. A person's property does not."""
    last, token = words[end - 1], words[end]
    if not token.capital or not _is_plain(token) or last.listed:
        return 0
    joined = first < end - 2 and words[end - 2].text == "the"
    sole = first == end - 1 and not last.person
    return 1 if joined or (sole and mentions_works(sentence)) else 0


def _count_linked(words: Sequence[Token], first: int, end: int, sentence: str) -> int:
    """Count the words taken in by «of the» and the like, with the word after it."""
    last, token = words[end - 1 : end + 1]
    if token.text not in _LINKS:
        return 0
    step = 2 if end + 1 < len(words) and words[end + 1].text in ("the", "a", "an", "my") else 1
    if end + step >= len(words) or last.listed or last.text in _OFFICES:
        return 0
    after = words[end + step]
    if not after.capital or not _is_plain(after) or sentence[after.start - 1] != " ":
        return 0
    if _is_group(words, end + step):
        return 0
    if token.text == "of":
        sure = last.common and _is_plain(last) and not words[first].person
        sole = first == end - 1 and not last.person
        return step + 1 if sure or (sole and mentions_works(sentence)) else 0
    if token.text == "and" and step == 2 and after.possessive and _is_plain_capital(words, end + 3):
        return 3  # and the Philosopher's Stone
    if token.text == "and" and step == 1:
        alone = first == end - 1 and not _is_plain_capital(words, end + 2)
        sure = alone and after.common and last.common
    else:
        sure = after.common or token.text == "and"
    return step + 1 if sure and mentions_works(sentence) else 0


def _is_plain_capital(words: Sequence[Token], place: int) -> bool:
    """Check whether there is a capitalised word that is not a name by itself."""
    return place < len(words) and words[place].capital and _is_plain(words[place])


def _is_group(words: Sequence[Token], place: int) -> bool:
    """Check whether an organisation, a place, or somebody with a title begins there."""
    if words[place].text in TITLES:
        return True
    end = place + 1
    while end < len(words) and words[end].capital and end < place + 6:
        end += 1
    if " ".join(token.text for token in words[place : place + 2]) in PLACES:
        return True
    return end > place + 1 and words[end - 1].text in ORGANISATION_ENDINGS


def _count_subtitle(words: Sequence[Token], first: int, end: int, sentence: str) -> int:
    """Count the words of a subtitle after a colon: 2, 3 with an article, else 0."""
    if end + 2 >= len(words) or words[end].start == 0 or words[end - 1].possessive:
        return 0
    after, then = words[end + 1 : end + 3]
    if after.start != words[end].end + 1 or then.start != after.end + 1:
        return 0
    of = then.text == "of" and after.text not in ARTICLES
    if not after.text[0].isupper() or after.person or after.listed or not (then.capital or of):
        return 0
    if first == end - 1 and _is_common_start(words[first], sentence):
        return 0
    opens = words[first].start == 0
    cased = after.text in ARTICLES or not after.never
    if not cased or (then.person and not then.common):
        return 0
    likely = mentions_works(sentence) or not opens
    return (3 if after.text in ARTICLES else 2) if likely else 0


def _count_number(words: Sequence[Token], first: int, end: int, sentence: str) -> int:
    """Return 1 if a number belongs to a title, since no counted things follow, else 0."""
    last, token = words[end - 1 : end + 1]
    after = words[end + 1] if end + 1 < len(words) else None
    counts = after is not None and after.word and not after.never
    if len(token.text) > 4 or counts or not _is_plain(last) or (first == end - 1 and last.common):
        return 0
    return 1 if mentions_works(sentence) else 0


def _is_plain(token: Token) -> bool:
    """Check whether a word is not a name by itself: neither listed nor a given name nor a day."""
    return not (token.listed or token.never or (token.person and not token.common))


def _is_common_start(token: Token, sentence: str) -> bool:
    """Check whether an ordinary word is capitalised because the sentence begins with it."""
    return (token.common or token.never) and _begins_sentence(sentence, token)


def _begins_sentence(sentence: str, token: Token) -> bool:
    """Check whether a sentence, a quotation or an item of a list begins with a word."""
    before = sentence[: token.start].rstrip(" \"'“‘([")  # noqa: RUF001
    return not before or before[-1] in ".!?…:;•*#>|-–—。"  # noqa: RUF001


def whole_title(sentence: str, words: Sequence[Token], first: int, end: int) -> tuple[int, bool]:
    """Return where a title that ends before `end` begins, with its article, and whether it is one.

    It is if small words join its words, a number ends it, or its article has a capital inside a
    sentence."""
    joined = any(token.text in _LINKS or token.text == ":" for token in words[first + 1 : end])
    numbered = end - first > 1 and words[end - 1].text.isdigit()
    before = words[first - 1] if first else None
    if before is None or before.text not in ARTICLES:
        return first, joined or numbered
    if sentence[before.stop : words[first].start] != " ":
        return first, joined or numbered
    inside = first > 1 and not _begins_sentence(sentence, before)
    if inside or joined or numbered:
        return first - 1, True
    return first, False

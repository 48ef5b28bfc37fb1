"""Finds the names of people, organisations, places, tools and projects in a sentence, by spelling.

Precision goes before recall: a word that is capitalised only because it begins a sentence or a
heading is not a name unless the lists or its neighbours say so."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.name_types import (
    HEADS,
    ORGANISATION_ENDINGS,
    PLACE_ENDINGS,
    TITLES,
    by_what_follows,
    has_role,
    is_actor,
    is_initials,
    type_of,
)
from graphmem.language.extraction.series import UNITS, series_names
from graphmem.language.extraction.titles import (
    ARTICLES,
    mentions_works,
    quoted_titles,
    title_extension,
    whole_title,
)
from graphmem.language.extraction.tokens import Token, tokenize
from graphmem.language.lexicon import NAME_WORDS, PLACES, PRODUCTS

LONGEST_NAME = 8  # words
_JOINERS: Final = NAME_WORDS["particles"]
_OF_HEADS: Final = NAME_WORDS["followed by of"]
_OFFICES: Final = NAME_WORDS["offices"]
_LEGAL_FORMS: Final = NAME_WORDS["legal forms"]
_ENDINGS: Final = ORGANISATION_ENDINGS | PLACE_ENDINGS
_PARTS: Final = NAME_WORDS["abbreviations"]
_FOREIGN = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|ein|eine|einen|mit|für|auf|ich|wir|sie|im|zum|zur|hat)\b"
)
_ALIAS = re.compile(
    r"\s*\((?:aka |a\.k\.a\. |also |or |short |called )?[\"“]?([^\W_][\w.&'’-]{0,30}(?: [\w.&'’-]{1,30}){0,3})[\"”]?\)"  # noqa: RUF001,E501
)
_KNOWN_AS = re.compile(
    r",? (?:\()?(?:also known as|known as|better known as|also called|a\.?k\.?a\.?|nicknamed|"
    r"goes by|who goes by|formerly|or just) [\"“]?([A-Z][\w'’-]{1,30}(?: [A-Z][\w'’-]{1,30}){0,3})[\"”]?,?\)?"  # noqa: RUF001,E501
)
_PROJECT = re.compile(
    r" (?:(?P<sure>project|initiative|programme)|app|service|platform|repo|repository|demo)\b"
)
_ARTICLE = re.compile(r"\b(?:the|our|my|their|his|her|its|on|in|of|for) $", re.IGNORECASE)
_MEASURED = re.compile(r"[%°€$]|[.,:/–-]\d| (?:--|[–-]) \d|(?:st|nd|rd|th)\b")  # noqa: RUF001
_WORDS_APART = re.compile(r"[\s-]+")
_PROJECT_WORDS: Final = frozenset({"project", "operation", "initiative"})


def names(sentence: str, literal: Sequence[NameSpan]) -> list[NameSpan]:
    """Return the names of a sentence in order, apart from its literal ones; none inside another."""
    words = tokenize(sentence)
    shouting = _is_shouting(words) or _is_foreign(sentence)
    titles = [*quoted_titles(sentence, words), *series_names(sentence)]
    titles = [t for t in titles if all(t.end <= s.start or s.end <= t.start for s in literal)]
    found: list[NameSpan] = []
    place = 0
    blocked = [(span.start, span.end) for span in (*literal, *titles)]
    while place < len(words):
        token = words[place]
        if not token.capital or any(b <= token.start < e for b, e in blocked):
            place += 1
            continue
        end = _find_run_end(words, place, sentence)
        spans = _find_names_of_run(sentence, words, place, end, shouting)
        found += spans
        place = end
    return _merge_aliases(sentence, sorted((*found, *titles), key=lambda span: span.start))


def _is_shouting(words: Sequence[Token]) -> bool:
    """Check whether ordinary words are capitalised here, as in headings.

    Capitals then mean nothing."""
    odd = [
        place
        for place, t in enumerate(words)
        if place and t.capital and t.common and not t.listed and t.text != "I"
    ]
    if len(odd) < 3:
        return False
    capital = sum(1 for place in odd if words[place].never or not _is_next_to_name(words, place))
    small = sum(1 for t in words if t.word and not t.capital)
    return capital >= 3 and capital >= small


def _is_next_to_name(words: Sequence[Token], place: int) -> bool:
    """Check whether a word that is not an ordinary one stands before or after."""
    neighbours = (*words[place - 1 : place], *words[place + 1 : place + 2])
    return any(t.capital and not t.common and not t.never for t in neighbours)


def _is_foreign(sentence: str) -> bool:
    """Check whether it looks German, where every noun has a capital."""
    return len(_FOREIGN.findall(sentence[:400])) >= 2


def _find_run_end(words: Sequence[Token], place: int, sentence: str) -> int:
    """Return the index after the last word of the capitalised run that begins at `place`."""
    end = place + 1
    while end < len(words) and end - place < LONGEST_NAME:
        last = words[end - 1]
        if last.never and not last.listed:
            break
        step = _count_joined(words, end, sentence) or title_extension(words, place, end, sentence)
        if not step:
            break
        end += step
    return end


def _count_joined(words: Sequence[Token], end: int, sentence: str) -> int:
    """Count how many more words from `end` on belong to the name; 0 if it ends there."""
    last, token = words[end - 1], words[end]
    if last.possessive:
        return 0
    gap = sentence[last.stop : token.start]
    if token.text == "." and gap == "" and _takes_full_stop(last) and end + 1 < len(words):
        after = words[end + 1]
        return 2 if after.capital and after.start - token.end <= 1 and not after.never else 0
    if gap != " ":
        return 0
    if token.capital:
        return 0 if token.never and not token.listed else 1
    if token.text.isdigit() and len(token.text) <= 4:
        return 1 if _is_numbered(words, end, sentence) else 0
    return _count_linked(words, end)


def _is_numbered(words: Sequence[Token], end: int, sentence: str) -> bool:
    """Check whether a number belongs to the name before it: Apollo 11, but not Ann 3 times."""
    last, token = words[end - 1 : end + 1]
    if len(token.text) <= 2 and (last.text in PRODUCTS or last.text == "Model"):
        return True
    if last.common or last.never or last.listed or last.person or last.text.isupper():
        return False
    if (len(token.text) == 4 and token.text[:2] in ("18", "19", "20")) or token.text[0] == "0":
        return False
    if _MEASURED.match(sentence, token.stop) or not _is_inside(sentence, last):
        return False
    after = words[end + 1] if end + 1 < len(words) else None
    if after is None or after.start - token.stop != 1:
        return True
    counted = after.text.islower() and after.text.endswith("s") and len(after.text) > 3
    return not (counted or after.capital or after.text in UNITS)


def _count_linked(words: Sequence[Token], end: int) -> int:
    """Count the words taken in by a small word between two parts of a name: Bank of England."""
    if end + 1 >= len(words):
        return 0
    last, token, after = words[end - 1 : end + 2]
    if token.text == "&" or (token.text in _JOINERS and not after.never):
        return 2 if after.capital else 0
    if token.text == "of" and last.text.lower() in _OF_HEADS:
        if after.capital and not after.never:
            return 2
        if after.text == "the" and end + 2 < len(words) and words[end + 2].capital:
            return 3
    return 0


def _takes_full_stop(token: Token) -> bool:
    """Check whether a full stop after it belongs to the name: initials and titles."""
    short = len(token.text) == 1 and token.text.isalpha()
    return short or token.text in TITLES or token.text in ("St", "Mt") or is_initials(token.text)


def _find_names_of_run(
    sentence: str, words: Sequence[Token], place: int, end: int, shouting: bool
) -> list[NameSpan]:
    """Return the names in one capitalised run.

    There are none, one, or two if a listed name ends the first."""
    first = place
    if place == 0 or not _is_inside(sentence, words[place]):
        first = _skip_opening(words, place, end)
    elif words[place].never and not words[place].listed:
        first = place + 1
    if first >= end:
        return []
    run = words[first:end]
    opens = first == place and (place == 0 or not _is_inside(sentence, words[place]))
    name = sentence[run[0].start : run[-1].end]
    kind = "project" if _is_project(run, sentence) else type_of(name, run, sentence)
    start, titled = whole_title(sentence, words, first, end)
    if titled and not shouting and kind in (None, "person"):
        return [_create_title_span(sentence, words[start:end])]
    if kind is None and (shouting or not _is_name(run, sentence, opens)):
        return []
    if kind == "":
        return []
    if kind is None and len(run) == 1:
        kind = by_what_follows(sentence, run[-1].stop)
    return [_create_span(sentence, run, name, kind)]


def _is_inside(sentence: str, token: Token) -> bool:
    """Check whether a word stands inside a sentence: a word or a comma precedes it."""
    before = sentence[: token.start].rstrip(" \"'“‘([")  # noqa: RUF001
    return bool(before) and before[-1] not in ".!?…:;•*#>|-–—。"  # noqa: RUF001


def _skip_opening(words: Sequence[Token], place: int, end: int) -> int:
    """Return where a run at the start of a sentence begins without ordinary first words."""
    first = place
    if end - place > 1 and words[end - 1].text in _LEGAL_FORMS and not words[place].never:
        return place
    while first < end:
        token = words[first]
        if token.text in TITLES or token.text.lower() in HEADS:
            break
        if token.listed and (not token.common or _is_counted(words, first, end)):
            break
        if not (token.never or token.common or _is_verb_form(token)):
            break
        rest = words[first + 1 : end]
        if not rest:
            return first + 1 if token.never or not (token.listed or token.person) else first
        if token.person and not token.never and not rest[0].person:
            break
        if not token.never and len(rest) == 1 and _may_follow(rest[0]):
            break
        if not token.never and len(rest) == 1 and rest[0].text in _ENDINGS:
            break
        first += 1
    return first


def _is_counted(words: Sequence[Token], place: int, end: int) -> bool:
    """Check whether the next word of the run begins with a digit, as in Pixel 8."""
    return place + 1 < end and words[place + 1].text[0].isdigit()


def _may_follow(token: Token) -> bool:
    """Check whether it may be the second word of a name of two ordinary words: Golden Dragon."""
    return token.common and not token.person and token.text not in TITLES


def _is_verb_form(token: Token) -> bool:
    text = token.text
    return len(text) > 4 and text.endswith(("ing", "ed", "ly")) and not token.person


def _is_name(run: Sequence[Token], sentence: str, opens: bool) -> bool:
    """Check whether a run of no known type is a name nevertheless."""
    if len(run) > 1:
        if not all(token.common or token.never for token in run):
            return True
        office = run[-1].text in _OFFICES
        return not opens and not office and not any(token.never for token in run)
    token = run[0]
    if token.never or len(token.text) < 2 or not any(letter.isalpha() for letter in token.text):
        return False
    if token.text.isupper() and token.text.isascii():
        return False  # an unexplained abbreviation
    if "-" in token.text and token.text.split("-", 1)[1].islower():
        return False
    if token.common or token.text in _PARTS or token.text in TITLES:
        return False
    if any(letter.isupper() for letter in token.text[1:]):
        return True
    if not opens:
        return True
    return not _is_verb_form(token) and (
        is_actor(sentence, token.stop)
        or has_role(sentence, token.stop)
        or (token.possessive and not token.text.endswith("s"))
    )


def _is_project(run: Sequence[Token], sentence: str) -> bool:
    """Check whether it reads as in «the Atlas project»."""
    if run[-1].possessive or any(token.never for token in run):
        return False
    following = _PROJECT.match(sentence, run[-1].stop)
    if following is None or (run[0].listed and not run[0].common and not following["sure"]):
        return False
    if run[0].listed and not run[0].common and run[0].text not in PLACES:
        return False
    return bool(_ARTICLE.search(sentence[max(0, run[0].start - 8) : run[0].start]))


def _create_title_span(sentence: str, run: Sequence[Token]) -> NameSpan:
    """Return the title of a work, with an alias without its article."""
    name = sentence[run[0].start : run[-1].end]
    article = run[0].text in ARTICLES
    aliases = (sentence[run[1].start : run[-1].end],) if article and len(run) > 2 else ()
    of = any(t.text == "of" and n.capital for t, n in pairwise(run))
    shown = article or not of or any(t.text in (":", "the") for t in run)
    kind = "work" if shown and mentions_works(sentence) else None
    return NameSpan(run[0].start, run[-1].end, name, kind, aliases)


def _create_span(sentence: str, run: Sequence[Token], name: str, kind: str | None) -> NameSpan:
    start, end = run[0].start, run[-1].end
    aliases: tuple[str, ...] = ()
    if len(run) > 2 and run[0].text in TITLES and kind == "person" and not run[1].never:
        bare = [token for token in run[1:] if token.text != "."]
        if len(bare) > 1 and len(bare[0].text) > 1:
            name = sentence[bare[0].start : end]
    if run[0].text.lower() in _PROJECT_WORDS and len(run) > 1:
        kind = "project"
        aliases = (sentence[run[1].start : end],)
    if kind == "project" and run[-1].text.lower() in _PROJECT_WORDS and len(run) > 1:
        name, end = sentence[start : run[-2].end], run[-2].end
    return NameSpan(start, end, name, kind, aliases)


def _merge_aliases(sentence: str, found: Sequence[NameSpan]) -> list[NameSpan]:
    """Return names with the aliases that the sentence gives them.

    Those are not names of their own."""
    merged: list[NameSpan] = []
    skip_to = 0
    for span in found:
        if span.start < skip_to:
            continue
        match = _ALIAS.match(sentence, span.end) or _KNOWN_AS.match(sentence, span.end)
        if match and _is_alias(span.name, match):
            aliases = tuple(dict.fromkeys((*span.aliases, match.group(1))))
            span = NameSpan(span.start, match.end(), span.name, span.type, aliases)
            skip_to = match.end()
        merged.append(span)
    return merged


def _is_alias(name: str, match: re.Match[str]) -> bool:
    """Check whether the words in parentheses are a shorter name: initials or words of the name."""
    other = match.group(1)
    if other == name or other.lower() in ("him", "her", "me", "it", "us"):
        return False
    if match.re is _KNOWN_AS:
        return True
    words = [word for word in _WORDS_APART.split(name) if word]
    initials = "".join(word[0] for word in words if word[0].isupper())
    letters = [letter for letter in other if letter.isupper()]
    shorter = other[0].isupper() and set(other.split()) <= set(words)
    return shorter or (len(letters) > 1 and "".join(letters) in (initials, initials[: len(other)]))

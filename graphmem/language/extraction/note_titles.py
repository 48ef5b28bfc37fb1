"""Decides which titles of notes are names, and which contain one.

Examples: Quarry Lane, Call with Ann Lee."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.language.extraction.foreign import safe_names
from graphmem.language.extraction.literals import NameSpan, literals
from graphmem.language.extraction.names import LONGEST_NAME, names
from graphmem.language.extraction.tokens import Token, tokenize
from graphmem.language.languages import Language, is_foreign, language_of
from graphmem.language.lexicon import NAME_WORDS, NATIONALITIES, STOP_WORDS

LONGEST_TITLE = 200  # characters of a title that are searched for names
_MOST_READ = 10_000  # characters of a text that are searched for its title
_SMALL: Final = NAME_WORDS["title words"]
_DOCUMENTS: Final = NAME_WORDS["documents"]
_PLAIN_WORDS: Final = STOP_WORDS["names"]
_OF_HEADS: Final = NAME_WORDS["followed by of"]
_ENDINGS: Final = NAME_WORDS["organisation endings"] | NAME_WORDS["place endings"]
_NOUN_ENDINGS: Final = tuple(
    "tion sion ment ness ity ance ence ure ism ist ing ship logy ics hood sis up off out".split()
)
_PARENTHESES = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")
_DEFINES = re.compile(r'["”]?(?: ?\([^()]{0,200}\))?,? (?:is|was|are|were|refers to) ')
_STARTS: Final = ".!?…:;•*#>|-–—\n"  # noqa: RUF001
_Find = Callable[[str], list[NameSpan]]


def title_names(title: str, text: str = "") -> tuple[str, ...]:
    """Return the names that the title of a text is: itself and itself without closing parentheses.

    Empty if it only says what the text is about. At most eight words."""
    base = _PARENTHESES.sub("", title).strip()
    if not _is_name(base, _find_closing(title), text[:_MOST_READ]):
        return ()
    found = dict.fromkeys((title.strip(), base))
    return tuple(name for name in found if _is_short(name))


def names_in_title(title: str, text: str, find: _Find) -> list[NameSpan]:
    """Return the names in a title that is not a name itself."""
    if title_names(title, text):
        return []
    title = title[:LONGEST_TITLE]
    found = [_trim_name(span) for span in find(title)]
    opening = _find_opening(title, found, text[:_MOST_READ])
    return [*([opening] if opening else []), *(span for span in found if _is_rare(span, text))]


def _is_short(name: str) -> bool:
    key = name_key(name)
    return len(key) > 1 and key.count(" ") < LONGEST_NAME and key not in _PLAIN_WORDS


def _is_name(base: str, closing: str, text: str) -> bool:
    if not _is_short(base):
        return False
    named = [token for token in tokenize(base) if token.word]
    if not any(letter.isalpha() for letter in base):
        return False
    if " " not in base and base.count("-") + base.count("_") > 1:
        return True  # deploy-to-production
    language = language_of(text)
    if is_foreign(language) and not _capitals_show_names(language):
        return _spans_title(base, safe_names(base, names(base, literals(base)), language))
    if len(named) == 1 and not closing:
        return _is_single_name(named[0], base, text)
    if not _is_titled(named):
        return _is_defined(base, text) and any(t.capital and not _is_plain(t) for t in named)
    head, comma, _ = base.partition(",")
    if comma and len([t for t in named if t.end <= len(head) and not _is_plain(t)]) > 1:
        return True  # Ann Lee, 4th Earl of Halden
    if closing or any(_is_used(each, text) or _is_defined(each, text) for each in (base, head)):
        return True
    return _is_name_by_words(named, base, head, text)


def _find_closing(title: str) -> str:
    """Return the words in parentheses that distinguish a title from others: Halden (project)."""
    match = _PARENTHESES.search(title)
    inside = match.group().strip(" ()") if match else ""
    words = inside.lower().split()
    return inside if words and not _DOCUMENTS.intersection(words) and inside[-1].isalpha() else ""


def _is_titled(named: Sequence[Token]) -> bool:
    """Check whether all words but small ones have capitals."""
    first = named[0]
    return (first.capital or first.text[0].isdigit()) and all(
        t.capital or t.text in _SMALL or t.text[0].isdigit() or _has_capital_part(t) for t in named
    )


def _has_capital_part(token: Token) -> bool:
    """Check whether a word is one such as al-Habib."""
    return any(part[:1].isupper() for part in token.text.split("-"))


def _is_name_by_words(named: Sequence[Token], base: str, head: str, text: str) -> bool:
    """Check by its words whether a title with capitals is a name.

    It is if some of them are known to be one, or its text calls something so; but not if they
    describe the text or its participants."""
    if named[-1].text.lower() in _DOCUMENTS or any(t.possessive and t.person for t in named):
        return False
    if _spans_title(base, names(base, literals(base))):
        return True
    joined = next((i for i, t in enumerate(named) if i and t.text in _SMALL), len(named))
    rare = [token for token in named[:joined] if not _is_plain(token)]
    if any(token.listed or token.person for token in rare):
        return True
    if named[0].text.lower() in _OF_HEADS and named[1].text == "of" and named[-1].capital:
        return True
    if len(named) > 2 and (named[-1].text in _ENDINGS or base in text):
        return named[0].text.lower() not in _DOCUMENTS and base.lower() not in text
    if any(token.text in NATIONALITIES for token in named):
        return True  # Roman Empire
    return any(
        t.text.lower() not in text and not t.text.lower().endswith(_NOUN_ENDINGS) for t in rare
    )


def _is_single_name(token: Token, base: str, text: str) -> bool:
    if (token.listed or token.person) and not _is_plain(token):
        return True
    if _is_used(base, text):
        return True
    if _is_plain(token) or is_foreign(language_of(text)) or base.lower() in text:
        return False
    return base in text or not base.endswith(_NOUN_ENDINGS)


def _capitals_show_names(language: Language) -> bool:
    """Check whether in this language a capital inside a text shows a name."""
    return language not in (Language.GERMAN, Language.OTHER)


def _is_plain(token: Token) -> bool:
    """Check whether a word is an ordinary one, also in its plural or a form of a verb."""
    small = token.text.partition("-")[2][:1].islower()  # stand-up
    if token.common or token.never or small:
        return not token.listed or token.common
    return _is_inflected(token.text)


def _is_inflected(word: str) -> bool:
    lower = word.lower()
    stems = [lower.removesuffix(end) for end in ("s", "es", "ing", "ed", "er") if lower != end]
    return any(
        each.common
        for stem in stems
        if stem != lower and len(stem) > 2
        for form in (stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else stem)
        for each in tokenize(form)
    )


def _is_used(base: str, text: str) -> bool:
    """Check whether a text has a title verbatim inside a sentence."""
    if not any(letter.isupper() for letter in base):
        return False
    place, tries = text.find(base), 20
    while place >= 0 and tries:
        before = text[max(0, place - 3) : place].rstrip(" \"'“‘(")  # noqa: RUF001
        after = text[place + len(base) : place + len(base) + 1]
        whole = not text[max(0, place - 1) : place].isalnum() and not after.isalnum()
        if whole and before and before[-1] not in _STARTS:
            return True
        place, tries = text.find(base, place + 1), tries - 1
    return False


def _is_defined(base: str, text: str) -> bool:
    """Check whether a text says what its title is: Home Alone is a film.

    Spaces and capitals may differ if the text begins with it."""
    place = text[:300].find(base)
    if place >= 0:
        return _DEFINES.match(text, place + len(base)) is not None
    wanted = "".join(base.lower().split())
    ends = accumulate(0 if letter.isspace() else 1 for letter in text[:300])
    end = next((i for i, had in enumerate(ends, 1) if had == len(wanted)), 0)
    begins = "".join(text[:end].lower().split()) == wanted
    return begins and _DEFINES.match(text, end) is not None


def _spans_title(base: str, found: Sequence[NameSpan]) -> bool:
    """Check whether one name is all of a title except an article."""
    return len(found) == 1 and found[0].start <= 4 and found[0].end >= len(base) - 1


def _trim_name(span: NameSpan) -> NameSpan:
    """Return a name of a title without the words that describe the text: Kestrel Migration Plan."""
    words = span.name.split()
    if span.type in (None, "person") and words and words[-1].lower() in _DOCUMENTS:
        while words and (words[-1].lower() in _DOCUMENTS or _is_common(words[-1])):
            words.pop()
        return replace(span, name=" ".join(words), aliases=())
    return span


def _is_rare(span: NameSpan, text: str) -> bool:
    """Check whether a name in a title is more than ordinary words."""
    if span.type is not None:
        return bool(name_key(span.name))
    words = span.name.split()
    if all(_is_common(word) for word in words):
        return False
    return len(words) > 1 or span.name.lower() not in text


def _is_common(word: str) -> bool:
    return all(_is_plain(token) for token in tokenize(word))


def _find_opening(title: str, found: Sequence[NameSpan], text: str) -> NameSpan | None:
    """Return the first word of a title if its text capitalises it, too: Halden and the roof."""
    token = next((each for each in tokenize(title) if each.word), None)
    if token is None or not token.capital or any(s.start <= token.start < s.end for s in found):
        return None
    if _is_plain(token) or language_of(text) in (Language.GERMAN, Language.OTHER):
        return None
    if not (token.listed or token.person or _is_used(token.text, text)):
        return None
    kind = "person" if token.person else None
    return NameSpan(token.start, token.end, token.text, kind)

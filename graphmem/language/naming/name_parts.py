"""Splits a name into title, core words, legal form and number, and makes its blocking keys."""

import re
import unicodedata
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.language.lexicon import SHORT_FIRST_NAMES
from graphmem.language.lexicon.numbers_and_dates import NUMBERS, ORDINALS, ROMAN
from graphmem.language.naming.forms import plain_words

_LEGAL: Final = frozenset(
    "inc corp ltd llc llp plc gmbh ag kg sa spa srl bv nv oy ab as co company pty kk sarl".split()
)
_SAME_LEGAL: Final = MappingProxyType({"company": "co"})
_TITLES: Final = frozenset("dr prof mr mrs ms miss sir dame rev".split())
_ARTICLES: Final = frozenset(("the",))
_SMALL: Final = frozenset("and of the for de la du und et in on".split())
_KINDS: Final = frozenset(("project",))  # "Project Halden" is Halden
_SERIES: Final = frozenset("jr sr junior senior alpha beta gamma pro max mini plus".split())
_NUMBERS: Final = MappingProxyType(
    {
        word.lower(): str(n)
        for words in (NUMBERS, ORDINALS, ROMAN)
        for word, n in words.items()
        if n <= 10
    }
)
_ROMAN: Final = re.compile(r"x{0,3}(?:l|xl|x)?x{0,3}(?:ix|iv|v?i{1,3})|xl|l[ivx]+")
_ABBREVIATIONS: Final = MappingProxyType(
    {
        "st": ("saint", "street"),
        "mt": ("mount",),
        "ft": ("fort",),
        "ln": ("lane",),
        "rd": ("road",),
        "ave": ("avenue",),
        "dept": ("department",),
        "univ": ("university",),
        "intl": ("international",),
        "bros": ("brothers",),
        "govt": ("government",),
        "assn": ("association",),
        "color": ("colour",),
        "harbor": ("harbour",),
        "center": ("centre",),
        "sharp": ("#",),
    }
)


@dataclass(frozen=True)
class NameParts:
    """The parts of a name."""

    words: tuple[str, ...]  # of its key
    core: tuple[str, ...]  # without article, title, legal form
    joined: str  # the core without spaces and small words
    article: bool
    title: str
    legal: str
    comma: bool
    acronym: bool  # one word of capitals, or spelled letters
    plural_acronym: bool  # OKRs


def parts_of(name: str) -> NameParts:
    """Split a name into its parts."""
    words = tuple(name_key(name).split())
    core = list(words)
    article = title = legal = ""
    if len(core) > 1 and core[0] in _ARTICLES:
        article = core.pop(0)
    if len(core) > 1 and core[0] in _TITLES:
        title = core.pop(0)
    while len(core) > 1 and core[-1] in _LEGAL:
        last = core.pop()
        legal = f"{_SAME_LEGAL.get(last, last)} {legal}".strip()
    if len(core) > 1 and core[-1] == "and":  # Tiffany & Co.
        core.pop()
    for place in (0, -1):
        if len(core) > 1 and core[place] in _KINDS:
            core.pop(place)
    letters = [letter for letter in name if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    plural = capitals == len(letters) - 1 > 1 and bool(letters) and letters[-1] == "s"
    one = len(core) == 1 or all(len(word) == 1 for word in core if word not in _SMALL)
    return NameParts(
        words=words,
        core=tuple(core),
        joined="".join(word for word in core if word not in _SMALL) or "".join(core),
        article=bool(article),
        title=title,
        legal=legal,
        comma="," in name,
        acronym=one and len(letters) > 1 and (capitals == len(letters) or plural),
        plural_acronym=plural,
    )


def designators(form: NameParts) -> tuple[str, ...]:
    """Return what distinguishes the members of a series.

    These are numbers in digits, words or Roman numerals, Jr. and Sr., and a letter at the end.
    "v" before a number is ignored."""
    found = []
    if all(len(word) == 1 for word in form.words):
        return ()  # spelled letters
    for place, word in enumerate(form.words):
        last = place == len(form.words) - 1
        ahead = form.words[place + 1] if not last else ""
        if word == "v" and ahead.isdigit():
            continue
        number = _NUMBERS.get(word) or (word if _ROMAN.fullmatch(word) else None)
        if word.lstrip("-").isdigit() or word.endswith(("+", "#")):
            found.append(word)
        elif number and (place or len(word) > 1):
            found.append(number)
        elif word in _SERIES and place:
            found.append({"junior": "jr", "senior": "sr"}.get(word, word))
        elif place and len(word) == 1 and word != "s" and (last or form.words[place - 1].isdigit()):
            found.append(word)
    return tuple(found)


def initials_of(form: NameParts) -> frozenset[str]:
    """Return the acronyms of a name of several words, with and without the small words."""
    large = [word for word in form.core if word not in _SMALL]
    parts = form.core if len(form.core) > 1 else ()
    return frozenset(
        letters
        for words in (parts, large if len(large) > 1 else ())
        if (letters := "".join(word[0] for word in words))
    )


def numeronym_of(form: NameParts) -> str:
    """Return the first letter, the number of those left out, and the last: k8s."""
    word = form.joined
    return f"{word[0]}{len(word) - 2}{word[-1]}" if len(word) > 4 else ""


def first_name(word: str) -> str:
    """Return the full form of a short first name; the word itself if it is not one."""
    return SHORT_FIRST_NAMES.get(word, word)


def same_word(one: str, other: str) -> bool:
    """Check whether two words are equal.

    An abbreviation, or the accents of a short word, may differ."""
    if one == other or other in _ABBREVIATIONS.get(one, ()) or one in _ABBREVIATIONS.get(other, ()):
        return True
    return not (one.isascii() and other.isascii()) and _strip_accents(one) == _strip_accents(other)


def _strip_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def edits(one: str, other: str, most: int) -> int:
    """Return the number of edits between two words, at most `most` + 1.

    An edit inserts, drops, changes or swaps letters (optimal string alignment)."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        # Cells further from the diagonal than `most` take more than `most` edits.
        last, row, earlier = row, [i, *[most + 1] * len(other)], before
        for j in range(max(1, i - most), min(len(other), i + most) + 1):
            b = other[j - 1]
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row[j] = cost
        before = last
    return min(row[-1], most + 1)


def blocking_keys(name: str) -> dict[str, str]:
    """Return what a name has in common with names that may mean the same thing.

    It is stored with the name in the graph, each key under an index. Names that share none of
    them are never compared."""
    form = parts_of(name)
    if not form.core:
        return {}
    found = {"joined": form.joined, "consonants": _consonants(form.joined)}
    if len(form.core) > 1:
        large = [word for word in form.core if word not in _SMALL] or list(form.core)
        found |= {"joined": "".join(w for w in plain_words(form.core) if w not in _SMALL)}
        found |= {"head": form.core[0], "tail": form.core[-1]}
        found |= {"initials": "".join(word[0] for word in large)}
        found |= {"person": f"{form.core[-1]} {first_name(form.core[0])[0]}"}
    elif number := numeronym_of(form):
        found["initials"] = number
    return found


def _consonants(word: str) -> str:
    """Return the first letter and the other consonants, each once, in alphabetical order.

    Most typos leave them unchanged."""
    rest = sorted({letter for letter in word[1:] if letter not in "aeiouyäöüéèáàíóúåøæ"})
    return word[0] + "".join(rest)

"""Reduces a name to the forms that its spellings share: Mt. Ida and Mount Ida, J.R. and JR Moreau.

Two names are one by form alone if they have a form in common. That is more than having one key
(`ids.name_key`), which is kept in the graph and found in texts: a form considers capitals, dots
and places, and a name may have two, so that Müller is Mueller and Muller, which are not each
other."""

import re
import unicodedata
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.language.lexicon.numbers_and_dates import NUMBERS, ORDINALS, ROMAN
from graphmem.language.tokenizer import Tokens, tokens_in

_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\.?")  # J.R.
_DOTS = re.compile(r"(?:[^\W\d_]\.)+")  # the J.R. of J.R. Moreau, or its beginning
_INSIDE = re.compile(r"['’.]")  # noqa: RUF001
_RUN = re.compile(r"[^\W\d_]+|\d+|[+#]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_ORDINAL = re.compile(r"(?<!\d)(\d++)(?:st|nd|rd|th)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LAST_FIRST = re.compile(r"([^\W\d_]+), ([^\W\d_]+(?: [^\W\d_]+\.?)?)")
_SPELLED_OUT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
    | {"Ø": "Oe", "Å": "Aa"}
)
_TITLES: Final = frozenset("mr mrs ms dr st mt ft".split())  # not initials, even in capitals
_LEGAL: Final = frozenset(
    "inc corp ltd llc llp plc gmbh ag kg sa spa srl bv nv oy ab as co company pty kk sarl".split()
)
_FIRST: Final = MappingProxyType(
    {"mt": "mount", "st": "saint", "ft": "fort", "dr": "doctor", "prof": "professor"}
    | {"capt": "captain", "rev": "reverend", "sgt": "sergeant", "gen": "general"}
)
_LAST: Final = MappingProxyType(
    {"st": "street", "rd": "road", "ln": "lane", "ave": "avenue", "blvd": "boulevard"}
    | {"sq": "square", "hwy": "highway", "jr": "junior", "sr": "senior", "company": "co"}
)
_ANYWHERE: Final = MappingProxyType(
    {"st": "saint", "mt": "mount", "univ": "university", "dept": "department"}
    | {"intl": "international", "natl": "national", "bros": "brothers", "govt": "government"}
    | {"assn": "association", "assoc": "association", "inst": "institute", "colour": "color"}
    | {"harbour": "harbor", "centre": "center", "theatre": "theater", "&": "and"}
)
_NUMBERS: Final = MappingProxyType({w: str(n) for w, n in NUMBERS.items() if 0 < n <= 12})
_ORDINALS: Final = MappingProxyType({word: f"{n}." for word, n in ORDINALS.items()})
_ROMAN: Final = MappingProxyType(
    {numeral: str(n) for numeral, n in ROMAN.items() if len(numeral) > 1}
)  # an I or V may be a letter
_BEFORE_NUMBERS: Final = frozenset("v ver version no nr num number #".split())
_MOVED: Final = "project"  # Project Aurora, the Aurora project
_COMMON: Final = frozenset(  # a project manager is not a "manager project"
    "board budget charter group house lead leader lab management manager meeting member office "
    "owner phase plan planning room scope sponsor staff start status team work".split()
)
_TENS: Final = MappingProxyType(
    {w: n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
)
_LONG_LEGAL: Final = frozenset(("incorporated", "corporation", "limited"))
_ADDRESS = re.compile(r"(?:https?://(?:www\.)?|www\.)(?=[^/\s]+\.)", re.IGNORECASE)
_LETTERS = re.compile(r"(?<!\S)[^\W\d_](?: [^\W\d_])+(?!\S)")  # n v
_MOST_LETTERS = 200  # letters of a name that are used


def forms_of(name: str) -> frozenset[str]:
    """Return the forms of a name: with its letters bare, and with ä, ö and ü spelled out."""
    name = unicodedata.normalize("NFKC", name).strip()[:_MOST_LETTERS]
    spelled = name.translate(_SPELLED_OUT)
    return frozenset(form for each in {name, spelled} if (form := _create_form(each)))


def plain_words(words: Sequence[str]) -> list[str]:
    """Return the words of a key as most forms of the name have them; capitals and dots are lost."""
    found: list[str] = []
    for at, word in enumerate(words):
        if at and word in ("st", "nd", "rd", "th") and found[-1].isdigit():
            found[-1] += "."
        else:
            found.append(_ROMAN.get(word.upper(), word) if at else word)
    found = [word for at, word in enumerate(found) if not _is_redundant(found, at)]
    return _join_compounds([_normalise_word(word, at, len(found)) for at, word in enumerate(found)])


def loose_key(key: str) -> str:
    """Return the key under which names that may have a form in common are looked up.

    They are compared after that. It is made of a name's own key alone, so that it reveals
    nothing about notes."""
    words = key.split()
    while len(words) > 1 and words[0] in ("http", "https", "www"):
        words = words[1:]
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    plain = " ".join(plain_words(words))
    words = _LETTERS.sub(lambda run: run[0].replace(" ", ""), plain).split()
    while len(words) > 1 and words[-1] in _LEGAL:
        words = words[:-1]
    if len(words) > 1 and words[0] == _MOVED:
        words = [*words[1:], _MOVED]
    bare = "".join(words)
    for two, one in (("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a")):
        bare = bare.replace(two, one)
    return bare


def without_legal_form(name: str) -> tuple[str, str]:
    """Return the name without a legal form at its end, and that form.

    Without one it is the name itself and "". Acme Inc. becomes Acme, inc."""
    words = name_key(name).split()
    if len(words) > 1 and words[-1] in _LEGAL:
        return " ".join(words[:-1]), _ANYWHERE.get(words[-1], _LAST.get(words[-1], words[-1]))
    return name, ""


def _create_form(name: str) -> str:
    name = _THOUSANDS.sub("", name)
    if _ADDRESS.match(name):
        name = _ADDRESS.sub("", name, count=1)
    if "." in name and " " not in name:
        name = name.rstrip("/")
    if (turned := _LAST_FIRST.fullmatch(name)) and turned[2].lower().rstrip(".") not in (
        _LEGAL | _LONG_LEGAL | _LAST.keys()
    ):
        name = f"{turned[2]} {turned[1]}"
    words = _join_initials(tokens_in(name, Tokens.NAME_PART))
    if len(words) > 2 and words[0].lower() == "the":
        words = words[1:]
    words = [part for at, word in enumerate(words) for part in _split_chunk(word, at, len(words))]
    words = [word for at, word in enumerate(words) if not _is_redundant(words, at)]
    words = _join_compounds(
        [_normalise_word(word, at, len(words)) for at, word in enumerate(words)]
    )
    return " ".join(_move_project_last(words, name))


def _join_initials(chunks: list[str]) -> list[str]:
    """Join separate initials: J. R. as J.R."""
    found: list[str] = []
    for chunk in chunks:
        single = len(chunk) == 2 and chunk[0].isupper() and chunk[1] == "."
        if single and found and _DOTS.fullmatch(found[-1]):
            found[-1] += chunk
        else:
            found.append(chunk)
    return found


def _split_chunk(chunk: str, at: int, count: int) -> list[str]:
    """Split a chunk between two spaces into words: Vue.js, rememberMany, GPT4."""
    if chunk in ("&", "-"):
        return [chunk]
    if _DOTTED.fullmatch(chunk):
        letters = chunk.replace(".", "")
        short = at == 0 and len(letters) == 2
        return [letters.upper() if short else letters.lower()]
    bare = chunk.rstrip(".")
    if at == 0 and len(bare) == 2 and bare.isupper() and bare.isalpha():
        return [bare if bare.lower() not in _TITLES else bare.lower()]
    if ordinal := _ORDINAL.fullmatch(bare):
        return [f"{ordinal[1]}."]
    if at and bare.lower() in _LEGAL:
        return [bare.lower()]  # GmbH
    if bare in _ROMAN and at:
        return [_ROMAN[bare]]
    if bare[:1] == "V" and (bare == "V" or bare[1:2].isdigit()) and at:
        return ["V", *_split_humps(bare[1:])]  # a V8 is not a version
    pieces = _INSIDE.split(bare)
    if len(pieces) == 2 and len(pieces[0]) == 1 and "." not in bare:
        pieces = ["".join(pieces)]  # O'Brien
    return [word for piece in pieces for word in _split_humps(piece)]


def _split_humps(piece: str) -> list[str]:
    words = []
    for run in _RUN.findall(piece):
        humps = _HUMPS.findall(run) if run.isalpha() and not run.isupper() else [run]
        if len(humps) > 1 and len(humps[0]) == 1:
            humps = [humps[0] + humps[1], *humps[2:]]  # iPhone, OBrien
        if "".join(humps) != run:
            humps = [run]
        words += humps
    return [key for word in words if (key := word if word[0] in "+#" else name_key(word))]


def _is_redundant(words: list[str], at: int) -> bool:
    """Check for a "version" or "No." before a number, which can be ignored."""
    ahead = words[at + 1][:1] if at + 1 < len(words) else ""
    return at > 0 and words[at] in _BEFORE_NUMBERS and ahead.isdigit()


def _normalise_word(word: str, at: int, count: int) -> str:
    word = {"incorporated": "inc", "corporation": "corp", "limited": "ltd"}.get(word, word)
    if at == 0 and count > 1 and word in _FIRST:
        return _FIRST[word]
    if at and at == count - 1 and word in _LAST:
        return _LAST[word]
    if count > 1 and word in _ORDINALS:
        return _ORDINALS[word]
    if at and word in _NUMBERS:
        return _NUMBERS[word]
    if word.endswith(("isation", "isations")):
        return word.replace("isation", "ization")
    return _ANYWHERE.get(word, word) if count > 1 else word


def _join_compounds(words: list[str]) -> list[str]:
    """Join compound numbers: Twenty-first as 21st."""
    found: list[str] = []
    for word in words:
        ten = _TENS.get(found[-1]) if found else None
        if ten is not None and len(digit := word.rstrip(".")) == 1 and digit in "123456789":
            found[-1] = f"{ten}{word}"
        else:
            found.append(word)
    return found


def _move_project_last(words: list[str], name: str) -> list[str]:
    rest = words[1:]
    if not words or words[0] != _MOVED or not rest or rest[0] in _COMMON:
        return words
    named = rest[0].isalpha() and all(word.isdigit() for word in rest[1:])
    capital = any(part[:1].isupper() for part in name.split()[1:2])
    return [*rest, _MOVED] if named and capital else words

"""The words of texts in other languages than English, by the rules of their own language or script.

A word has the stem that its language gives it, without accents. In scripts without blanks
between words, each two consecutive characters form a term; so also in Korean, whose words have
endings. A long word of a language that joins nouns also has its parts as terms."""

import re
import threading
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import Final

import Stemmer

from graphmem.language.languages import Language, is_foreign, is_in_latin_script
from graphmem.language.lexicon import LANGUAGES
from graphmem.language.scripts import RUNS, UNSPACED, Script, has_other_script
from graphmem.language.tokenizer import APOSTROPHES, Tokens, token_matches, tokens_in

LONGEST: Final = 64  # characters of a word that is stemmed; a longer one is not

_STEMMERS: Final = MappingProxyType(
    {
        Language.GERMAN: "german",
        Language.FRENCH: "french",
        Language.SPANISH: "spanish",
        Language.ITALIAN: "italian",
        Language.PORTUGUESE: "portuguese",
        Language.DUTCH: "dutch",
        Language.SWEDISH: "swedish",
        Language.DANISH: "danish",
        Language.NORWEGIAN: "norwegian",
        Language.POLISH: "polish",
        Language.CZECH: "czech",
        Language.TURKISH: "turkish",
        Language.FINNISH: "finnish",
        Language.HUNGARIAN: "hungarian",
        Language.ROMANIAN: "romanian",
        Language.INDONESIAN: "indonesian",
        Language.PERSIAN: "persian",
    }
)
_STEMMER_OF_SCRIPT: Final = MappingProxyType(
    {
        Script.CYRILLIC: "russian",  # for the others, too: a question is often too short to decide
        Script.GREEK: "greek",
        Script.ARABIC: "arabic",
        Script.DEVANAGARI: "hindi",
        Script.TAMIL: "tamil",
        Script.ARMENIAN: "armenian",
    }
)
_ELIDING: Final = frozenset({Language.FRENCH, Language.ITALIAN})
_ELIDED: Final = frozenset(
    "l d j m t s c n qu jusqu lorsqu puisqu quelqu un dell all nell sull dall quell quest bell "
    "sant senz com dov".split()
)
_JOINING: Final = frozenset(
    {
        Language.GERMAN,
        Language.DUTCH,
        Language.SWEDISH,
        Language.DANISH,
        Language.NORWEGIAN,
        Language.FINNISH,
        Language.HUNGARIAN,
    }
)
_SHORTEST_JOINED: Final = 9  # letters of a word that may be two joined words
_SHORTEST_PART: Final = 4
MOST_PARTS: Final = 12  # parts of a word
_LONGEST_PIECE: Final = 8  # characters of a script without blanks that may be a keyword
_VOWEL: Final = re.compile("[aeiouyäöüåæøáéíóúőű]")
# Possible beginnings of a word, so that words are not cut in impossible places.
_BEGINNING: Final = re.compile(
    r"(?:[bcfgkpv][lr]|[dtw]r|kn|gn|pf[lr]?|sch[lmnrw]?|s[cfjklmnptvw]|s[cpt][jrl]|st[rj]?|zw|qu|ch|[fh]j"
    r"|[bcdfghjklmnpqrstvwxzß])?[aeiouyäöüåæøáéíóúőű]"
)
# The joint of two nouns if the first one has such an ending: Wohnung-s-schlüssel.
_JOINT: Final = re.compile(r"(?:ung|heit|keit|schaft|tät|ion|ling|tum|ing|het|skap)s(?=\w{3})")
_PLAIN: Final = str.maketrans(
    {
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ł": "l",
        "đ": "d",
        "\u0131": "i",
        "ß": "ss",
        "þ": "th",
        "ð": "d",
    }
)
_DOT: Final = "\u0307"  # of a Turkish capital
_CYRILLIC: Final = str.maketrans("ёіїєґў", "еииегу")
_HEBREW: Final = str.maketrans("ךםןףץ", "כמנפצ")
_HEBREW_PREFIXES: Final = "והבכלמש"
_HEBREW_ENDINGS: Final = ("ימ", "ות")
_NO_SIGNS: Final = re.compile("[\u0640\u064b-\u0652\u0670\u0591-\u05c7]")
_CLUSTER: Final = re.compile(
    r".[\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]*"
)
_KOREAN_ENDINGS: Final = tuple(
    "에서는 에서도 으로는 에게서 이라고 에서 에게 까지 부터 으로 하고 이나 처럼 보다 "
    "은 는 이 가 을 를 에 의 도 로 와 과 만 나".split()
)
_IN_PAIRS: Final = UNSPACED | {Script.HANGUL}
_KATAKANA: Final = re.compile("[\u30a1-\u30ff]+")
_LONG_SOUND: Final = "\u30fc"
_HIRAGANA: Final = re.compile("[\u3041-\u309f]")


def _read_left_out() -> Mapping[Language, frozenset[str]]:
    """Return the words of each language that don't show what a text is about."""
    return MappingProxyType(
        {
            language: LANGUAGES.get(language, frozenset[str]())
            | LANGUAGES.get(f"{language} more", frozenset[str]())
            for language in Language
        }
    )


LEFT_OUT: Final = _read_left_out()


class _ThreadStemmers(threading.local):
    """The stemmers of each thread, as a stemmer keeps a buffer of its own."""

    def __init__(self) -> None:
        self._made: dict[str, Stemmer.Stemmer] = {}

    def stem(self, algorithm: str, word: str) -> str:
        if algorithm not in self._made:
            self._made[algorithm] = Stemmer.Stemmer(algorithm)
        return self._made[algorithm].stemWord(word)


_STEMMERS_HERE: Final = _ThreadStemmers()


def has_own_terms(text: str, language: Language) -> bool:
    """Check whether a text has words that the English rules do not fit."""
    return is_foreign_latin(language) or has_other_script(text)


def is_foreign_latin(language: Language) -> bool:
    """Check whether a language is written in the Latin script and is not English."""
    return language is not Language.ENGLISH and is_in_latin_script(language)


def own_terms(
    text: str, language: Language, *, parts: bool = False
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the words of a text that its language or script has rules for, and the terms of each.

    The words are in lower case. `parts`: also the terms of the words that a long one may consist
    of, for a text that is searched for."""
    lower = unicodedata.normalize("NFKC", text).lower().replace(_DOT, "")
    if is_foreign_latin(language):
        for token in tokens_in(lower, Tokens.INDEX):
            if token[0] < "\u0250" or "\u1e00" <= token[0] <= "\u1eff":
                yield token, _latin_terms(token, language, parts)
    if has_other_script(lower):
        for run in RUNS.finditer(lower):
            yield run[0], _run_terms(run[0], Script(run.lastgroup or ""), language)


def spelled_words(text: str, language: Language) -> list[str]:
    """Return the words of a text as they are spelled, three letters or more.

    In a script without blanks these are pieces between words of grammar, of at most eight
    characters."""
    if not has_other_script(text):
        return tokens_in(text, Tokens.KEYWORD)
    found = list[tuple[int, str]]()
    for run in RUNS.finditer(text):
        script = Script(run.lastgroup or "")
        if script in (Script.KANA, Script.HAN, *UNSPACED):
            found += [(run.start(), part) for part in _split_unspaced(run[0], script, language)]
        elif len(run[0]) > 2 or script is Script.HANGUL:
            found.append((run.start(), run[0]))
    latin = token_matches(RUNS.sub(_blanks, text), Tokens.KEYWORD)
    found += [(match.start(), match[0]) for match in latin]
    return [word for _, word in sorted(found, key=itemgetter(0))]


def _blanks(run: re.Match[str]) -> str:
    return " " * len(run[0])


def _split_unspaced(run: str, script: Script, language: Language) -> list[str]:
    if script is Script.KANA:
        return [word for word in _KATAKANA.findall(run) if len(word) > 1]
    for word in sorted(LEFT_OUT[language], key=len, reverse=True):
        run = run.replace(word, " ")
    return [part for part in run.split() if 1 < len(part) <= _LONGEST_PIECE]


def is_left_out(token: str, language: Language) -> bool:
    """Check whether a lower-case token of a text doesn't show what it is about.

    In a script without blanks, and in Korean, whose words have endings, a token does not count
    by itself unless it is an ideograph."""
    if is_foreign(language) and token in LEFT_OUT[language]:
        return True
    if token.isascii():
        return False
    if len(token) == 1 and _HIRAGANA.match(token):
        return True
    run = RUNS.match(token)
    return run is not None and run.lastgroup in _IN_PAIRS


@lru_cache(maxsize=1 << 16)
def _latin_terms(token: str, language: Language, parts: bool) -> tuple[str, ...]:
    word = _strip_elision(token, language)
    if word in LEFT_OUT[language] or not word.strip("_"):
        return ()
    if len(word) > LONGEST:
        return (word,)
    found = [_stem(word, language)]
    if language in _JOINING and word.isalpha():
        if joint := _JOINT.search(word, 2):
            ends = word[: joint.end() - 1], word[joint.end() :]
            found += [_stem(end, language) for end in ends]
        if parts:
            found += [_stem(part, language) for part in _split_compound(word)]
    return tuple(dict.fromkeys(found))


def _strip_elision(token: str, language: Language) -> str:
    """Return a word without an elided article, or without the ending after an apostrophe.

    Examples: l'école, Ankara'da."""
    for mark in APOSTROPHES:
        before, _, after = token.partition(mark)
        if not after:
            continue
        if language in _ELIDING and before in _ELIDED:
            return after
        if language is Language.TURKISH:
            return before
    return token


def _stem(word: str, language: Language) -> str:
    algorithm = _STEMMERS.get(language)
    return _strip_accents(_STEMMERS_HERE.stem(algorithm, word) if algorithm else word)


def _strip_accents(word: str) -> str:
    """Return a word without accents."""
    if word.isascii():
        return word
    spread = unicodedata.normalize("NFD", word.translate(_PLAIN))
    return "".join(letter for letter in spread if not unicodedata.combining(letter))


def _split_compound(word: str) -> list[str]:
    """Return the beginnings and ends of a long word that may be words themselves."""
    found = list[str]()
    if len(word) < _SHORTEST_JOINED:
        return found
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, second = word[:place], word[place:]
        if _VOWEL.search(first) and _BEGINNING.match(second):
            found += [first, second]
    return found[:MOST_PARTS]


def _run_terms(run: str, script: Script, language: Language) -> tuple[str, ...]:
    if script in (Script.KANA, Script.HAN):
        return _character_terms(run, language)
    if script is Script.HANGUL:
        return _korean_terms(run)
    if script in UNSPACED:
        return _cluster_terms(run, language)
    return _word_terms(run, script, language)


def _character_terms(run: str, language: Language) -> tuple[str, ...]:
    """Return each two consecutive characters, except mere grammar.

    Of katakana, which is used for foreign words, also the whole word."""
    ignored = LEFT_OUT[language]
    pairs = (one + other for one, other in pairwise(run))
    words = tuple(word.rstrip(_LONG_SOUND) for word in _KATAKANA.findall(run))
    return tuple(chain(words, (pair for pair in pairs if pair not in ignored)))


@lru_cache(maxsize=1 << 14)
def _korean_terms(word: str) -> tuple[str, ...]:
    ignored = LEFT_OUT[Language.KOREAN]
    if word in ignored:
        return ()
    pairs = [one + other for one, other in pairwise(word)]
    ending = next((e for e in _KOREAN_ENDINGS if word.endswith(e) and word != e), "")
    bare = word.removesuffix(ending)
    return tuple([pair for pair in pairs if pair not in ignored] + [bare][: len(bare) == 1])


def _cluster_terms(run: str, language: Language) -> tuple[str, ...]:
    """Return each two consecutive letters, each with its signs."""
    for word in LEFT_OUT[language]:
        run = run.replace(word, " ")
    found = list[str]()
    for part in run.split():
        letters = _CLUSTER.findall(part)
        found += [one + other for one, other in pairwise(letters)] or letters
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str, script: Script, language: Language) -> tuple[str, ...]:
    bare = _NO_SIGNS.sub("", word).strip("\u200c\u200d")
    if not bare or word in LEFT_OUT[language] or bare in LEFT_OUT[language]:
        return ()
    if len(bare) > LONGEST:
        return (bare,)
    if script is Script.HEBREW:
        return _hebrew_terms(bare)
    if script is Script.CYRILLIC:
        bare = bare.translate(_CYRILLIC)
    algorithm = _STEMMERS.get(language) if language is Language.PERSIAN else None
    algorithm = algorithm or _STEMMER_OF_SCRIPT.get(script)
    stem = _STEMMERS_HERE.stem(algorithm, bare) if algorithm else bare
    return (_strip_accents(stem) if script is Script.GREEK else stem,)


def _hebrew_terms(word: str) -> tuple[str, ...]:
    """Return a word, and its forms without prefixes, all without the ending of a plural."""
    word = word.translate(_HEBREW)
    forms = [word]
    if len(word) > 3 and word[0] in _HEBREW_PREFIXES:
        forms.append(word[1:])
        if len(word) > 4 and word[1] in _HEBREW_PREFIXES:
            forms.append(word[2:])
    found = [f[:-2] if len(f) > 4 and f.endswith(_HEBREW_ENDINGS) else f for f in forms]
    return tuple(dict.fromkeys(found))


CACHES: Final = (_latin_terms, _korean_terms, _word_terms)
"""Caches that hold parts of texts; see `services/caches`."""

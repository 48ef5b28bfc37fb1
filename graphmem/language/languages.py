"""Guesses the language of a text by its function words and its script."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from graphmem.language.lexicon import LANGUAGES
from graphmem.language.scripts import RUNS, Script, is_mostly_latin, scripts_of
from graphmem.language.tokenizer import Tokens, tokens_in

MOST_READ = 800  # characters
_LEAST = 2  # function words that show a language


class Language(StrEnum):
    """A language by its primary tag (BCP 47)."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
    ITALIAN = "it"
    PORTUGUESE = "pt"
    DUTCH = "nl"
    SWEDISH = "sv"
    DANISH = "da"
    NORWEGIAN = "no"
    POLISH = "pl"
    CZECH = "cs"
    TURKISH = "tr"
    FINNISH = "fi"
    HUNGARIAN = "hu"
    ROMANIAN = "ro"
    VIETNAMESE = "vi"
    INDONESIAN = "id"
    RUSSIAN = "ru"
    UKRAINIAN = "uk"
    BULGARIAN = "bg"
    SERBIAN = "sr"
    GREEK = "el"
    ARABIC = "ar"
    PERSIAN = "fa"
    URDU = "ur"
    HEBREW = "he"
    HINDI = "hi"
    MARATHI = "mr"
    NEPALI = "ne"
    BENGALI = "bn"
    PUNJABI = "pa"
    GUJARATI = "gu"
    TAMIL = "ta"
    TELUGU = "te"
    KANNADA = "kn"
    MALAYALAM = "ml"
    ARMENIAN = "hy"
    GEORGIAN = "ka"
    THAI = "th"
    LAO = "lo"
    KHMER = "km"
    BURMESE = "my"
    KOREAN = "ko"
    JAPANESE = "ja"
    CHINESE = "zh"
    OTHER = "other"
    """an unlisted language in another script"""
    UNKNOWN = "unknown"
    """too little text, or an unlisted language"""


@dataclass(frozen=True)
class Guess:
    """A language, and whether nothing suggests another one."""

    language: Language
    sure: bool


_IN_LATIN: Final = tuple(Language)[: tuple(Language).index(Language.RUSSIAN)]
# The first one is assumed if nothing shows which.
_OF_SCRIPT: Final = MappingProxyType(
    {
        Script.CYRILLIC: (
            Language.RUSSIAN,
            Language.UKRAINIAN,
            Language.BULGARIAN,
            Language.SERBIAN,
        ),
        Script.GREEK: (Language.GREEK,),
        Script.ARABIC: (Language.ARABIC, Language.PERSIAN, Language.URDU),
        Script.HEBREW: (Language.HEBREW,),
        Script.DEVANAGARI: (Language.HINDI, Language.MARATHI, Language.NEPALI),
        Script.BENGALI: (Language.BENGALI,),
        Script.GURMUKHI: (Language.PUNJABI,),
        Script.GUJARATI: (Language.GUJARATI,),
        Script.TAMIL: (Language.TAMIL,),
        Script.TELUGU: (Language.TELUGU,),
        Script.KANNADA: (Language.KANNADA,),
        Script.MALAYALAM: (Language.MALAYALAM,),
        Script.ARMENIAN: (Language.ARMENIAN,),
        Script.GEORGIAN: (Language.GEORGIAN,),
        Script.THAI: (Language.THAI,),
        Script.LAO: (Language.LAO,),
        Script.KHMER: (Language.KHMER,),
        Script.BURMESE: (Language.BURMESE,),
        Script.HANGUL: (Language.KOREAN,),
    }
)
# Letters that a language has and its neighbours do not. They count as one word, so that a name
# alone shows no language.
_LETTERS: Final = MappingProxyType(
    {
        language: frozenset(letters)
        for language, letters in (
            (Language.GERMAN, "ßäöü"),
            (Language.FRENCH, "çœéèêëîû"),
            (Language.SPANISH, "ñ¿¡"),
            (Language.ITALIAN, "ìòù"),
            (Language.PORTUGUESE, "ãõ"),
            (Language.SWEDISH, "åäö"),
            (Language.DANISH, "åæø"),
            (Language.NORWEGIAN, "åæø"),
            (Language.POLISH, "ąćęłńśźż"),
            (Language.CZECH, "ěřůďťň"),
            (Language.TURKISH, "ğışİ"),
            (Language.FINNISH, "äö"),
            (Language.HUNGARIAN, "őű"),
            (Language.ROMANIAN, "ățș"),
            (Language.VIETNAMESE, "đơưạảấầậắặẹếềệịọốồộớờợụứừựỳỹ"),
            (Language.RUSSIAN, "ыэё"),
            (Language.UKRAINIAN, "іїєґ"),
            (Language.BULGARIAN, "ъ"),
            (Language.SERBIAN, "ђјљњћџ"),
            (Language.PERSIAN, "پچژگ"),
            (Language.URDU, "ٹڈڑںےہ"),
        )
    }
)
_NO_LETTERS: Final = frozenset[str]()
_SPELLED_SO: Final = frozenset(
    {
        Language.POLISH,
        Language.CZECH,
        Language.TURKISH,
        Language.HUNGARIAN,
        Language.ROMANIAN,
        Language.VIETNAMESE,
    }
)
# Together with a function word, such an ending shows a language that has few function words.
_ENDINGS: Final = MappingProxyType(
    {
        Language.FINNISH: re.compile("(?:...(?:ss|st|ll|lt)[aä]|...(?:aa|ää|ee|uu)n|ttu|mme|nen)$"),
        Language.TURKISH: re.compile("...(?:l[ae]r|[iuü\u0131]yor|d[ae]n|[ae]cek|[ae]cak)$"),
        Language.HUNGARIAN: re.compile("...(?:ban|ben|nak|nek|val|vel|ról|ről)$"),
    }
)
_ONLY_CHINESE: Final = re.compile("[的了是在这這们們吗嗎呢吧和也就都很与與没沒给給]")
_NO_WORD: Final[tuple[Language, ...]] = ()


def _index_words(languages: Iterable[Language]) -> Mapping[str, tuple[Language, ...]]:
    found = dict[str, tuple[Language, ...]]()
    for language in languages:
        for word in LANGUAGES.get(language, ()):
            found[word] = (*found.get(word, ()), language)
    return MappingProxyType(found)


_LATIN_WORDS: Final = _index_words(_IN_LATIN)
_ONLY_ENGLISH: Final = frozenset(
    word for word, languages in _LATIN_WORDS.items() if languages == (Language.ENGLISH,)
)
_NOTHING: Final = Guess(Language.UNKNOWN, sure=False)
_WORDS_OF_SCRIPT: Final = MappingProxyType(
    {script: _index_words(languages) for script, languages in _OF_SCRIPT.items()}
)


def language_of(text: str, title: str | None = None) -> Language:
    """Return the language of a text, by its first 800 characters.

    If these show none, its title counts, too. English unless another language has more function
    words."""
    return guess(text, title).language


def tag_of(text: str, title: str | None = None) -> str | None:
    """Return the primary tag (BCP 47) of a text's language; None if it is not sure.

    Nothing is cached, as a note that was just destroyed is shown once more."""
    found = _guess_with(_guess.__wrapped__, text, title)
    return str(found.language) if found.sure else None


def is_foreign(language: Language) -> bool:
    """Check whether a text is known not to be English."""
    return language not in (Language.ENGLISH, Language.UNKNOWN)


def is_in_latin_script(language: Language) -> bool:
    """Check whether a language is known and written in the Latin script."""
    return language in _IN_LATIN


def are_in_english(*texts: str) -> bool:
    """Check whether none of the texts is known to be in another language."""
    return not any(is_foreign(language_of(text)) for text in texts)


def guess(text: str, title: str | None = None) -> Guess:
    """Return the most likely language of a text, by its first 800 characters, or also its title.

    The title counts if these characters show none."""
    return _guess_with(_guess, text, title)


def _guess_with(read: Callable[[str], Guess], text: str, title: str | None) -> Guess:
    found = read(text[:MOST_READ])
    if title and found.language is Language.UNKNOWN:
        return read(f"{title}\n{text}"[:MOST_READ])
    return found


@lru_cache(maxsize=4096)  # several places ask for the same text
def _guess(head: str) -> Guess:
    if not is_mostly_latin(head):
        return _guess_by_script(head)
    words = tokens_in(head.lower(), Tokens.RUN)
    votes = _count_votes(head, words, _LATIN_WORDS, _IN_LATIN)
    (language, most), second = _choose_best(votes)
    if language is Language.ENGLISH:
        # One short word, such as "on", may belong to an unlisted language, or to a name.
        plain = most >= _LEAST or any(
            len(word) > _LEAST for word in _ONLY_ENGLISH.intersection(words)
        )
        return Guess(language, sure=plain and most > second)
    english = votes[Language.ENGLISH]
    # An English sentence may contain a title or a name with function words of another language.
    if most <= 2 * english and not _ONLY_ENGLISH.isdisjoint(words):
        return Guess(Language.ENGLISH, sure=False)
    if _count_evidence(words, language, most) < _LEAST:
        return _NOTHING
    return Guess(language, sure=most > second)


def _count_evidence(words: Sequence[str], language: Language, votes: int) -> int:
    """Count the different non-English words, letters and endings that show a language.

    An address such as example.com that occurs twice does not show one."""
    known = [each for word in words if language in (each := _LATIN_WORDS.get(word, _NO_WORD))]
    own = {
        word
        for word in words
        if language in (of := _LATIN_WORDS.get(word, _NO_WORD)) and Language.ENGLISH not in of
    }
    return len(own) + votes - len(known)


def _count_votes(
    head: str,
    words: Sequence[str],
    known: Mapping[str, tuple[Language, ...]],
    among: Iterable[Language],
) -> Counter[Language]:
    """Count the words of a text that are function words of each language.

    A letter that only some of them have counts only together with a word, as a name may come
    from anywhere."""
    votes = Counter[Language]()
    for word in words:
        for language in known.get(word, _NO_WORD):
            votes[language] += 1
    if not head.isascii():
        _count_letters(votes, head, among)
    if max(votes.values(), default=0) < _LEAST:
        for language, endings in _ENDINGS.items():
            if votes[language] or not _LETTERS[language].isdisjoint(head):
                votes[language] += min(_LEAST, sum(endings.search(w) is not None for w in words))
    return votes


def _count_letters(votes: Counter[Language], head: str, among: Iterable[Language]) -> None:
    """Count the letters that only some languages have.

    They count together with a function word or, for letters that no English word has, in words
    without a capital, as a name may come from anywhere."""
    lower = head.lower()
    small = [word for word in tokens_in(head, Tokens.RUN) if word == word.lower()]
    for language in among:
        letters = _LETTERS.get(language, _NO_LETTERS)
        if votes[language] and not letters.isdisjoint(lower):
            votes[language] += 1
        elif language in _SPELLED_SO:
            votes[language] += min(_LEAST, sum(not letters.isdisjoint(word) for word in small))


def _choose_best(votes: Counter[Language]) -> tuple[tuple[Language, int], int]:
    """Return the language with most votes, with their number, and the votes of the next one.

    The first listed one of equals wins."""
    order = sorted(votes.items(), key=lambda item: -item[1])
    if not order or not order[0][1]:
        return (Language.UNKNOWN, 0), 0
    highest = order[0][1]
    first = min((each for each, count in order if count == highest), key=_place)
    return (first, highest), order[1][1] if len(order) > 1 else 0


def _place(language: Language) -> int:
    return _PLACES[language]


_PLACES: Final = MappingProxyType({language: i for i, language in enumerate(Language)})


def _guess_by_script(head: str) -> Guess:
    found = scripts_of(head)
    if not found:
        return Guess(Language.OTHER, sure=False)
    han, kana = found[Script.HAN], found[Script.KANA]
    script, most = max(found.items(), key=lambda item: item[1])
    if han + kana >= most:
        if kana:
            return Guess(Language.JAPANESE, sure=True)
        return Guess(Language.CHINESE, sure=_ONLY_CHINESE.search(head) is not None)
    among = _OF_SCRIPT[script]
    if len(among) == 1:
        return Guess(among[0], sure=True)
    words = [run[0] for run in RUNS.finditer(head.lower())]
    (language, votes), second = _choose_best(
        _count_votes(head, words, _WORDS_OF_SCRIPT[script], among)
    )
    if not votes:
        return _guess_by_letters(head, among)
    return Guess(language, sure=votes > second)


def _guess_by_letters(head: str, among: tuple[Language, ...]) -> Guess:
    """Guess the language of a few words by letters that only one language of the script has."""
    lower = head.lower()
    having = [
        language for language in among if not _LETTERS.get(language, _NO_LETTERS).isdisjoint(lower)
    ]
    if len(having) == 1:
        return Guess(having[0], sure=False)
    return Guess(among[0], sure=False)


CACHES: Final = (_guess,)
"""Caches that hold parts of texts; see `services/caches`."""

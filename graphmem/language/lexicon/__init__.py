"""Word lists of the English rules: each is a text file of this folder, whose first line says what
it holds. They are read once, when they are imported, and never change."""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple

_DEFINITION = re.compile(r"([A-Z]+) = (.+)")


def _lines(name: str) -> Iterator[str]:
    """The lines of a file without comments and empty lines."""
    for line in (files(__name__) / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def _words(name: str, divider: str | None = None) -> frozenset[str]:
    """The entries of a list; `divider` None: any white space."""
    entries = " ".join(_lines(name)).split(divider)
    return frozenset(entry.strip() for entry in entries if entry.strip())


def _groups(lines: Iterable[str]) -> Mapping[str, str]:
    """Each word of a line, and the first word of that line."""
    split = [line.split() for line in lines]
    return MappingProxyType({word: line[0] for line in split for word in line})


def _sections(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lines below each [heading] of a file. <NAME> in a line stands for what a line NAME = …
    above it says."""
    defined: dict[str, str] = {}
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(name):
        for word, text in defined.items():
            line = line.replace(f"<{word}>", text)
        if definition := _DEFINITION.fullmatch(line):
            defined[definition[1]] = definition[2]
        elif line.startswith("["):
            found[line.strip("[]")] = ()
        else:
            found[[*found][-1]] += (line,)
    return MappingProxyType(found)


def _words_by_heading(name: str) -> Mapping[str, frozenset[str]]:
    lines = _sections(name).items()
    return MappingProxyType({heading: frozenset(" ".join(own).split()) for heading, own in lines})


def _pattern(lines: Iterable[str]) -> re.Pattern[str]:
    """One pattern for the regular expressions of some lines, for whole words in any case; one that
    begins with "^" stands at the beginning of a sentence."""
    opening = "|".join(line[1:] for line in lines if line.startswith("^"))
    inside = "|".join(line for line in lines if not line.startswith("^"))
    parts = [rf"\A\W*(?:{opening})"] if opening else []
    if inside:
        parts.append(rf"(?<!\w)(?:{inside})(?!\w)")
    return re.compile("|".join(parts), re.IGNORECASE)


class TopicWord(NamedTuple):
    """A word or a pair of words by which the topic of a text is known."""

    topic: str
    sensitive: bool  # by itself, in any company
    ambiguous: bool  # one of them alone tells nothing


def _topics() -> Mapping[str, TopicWord]:
    """Each word or pair of words of a topic."""
    found: dict[str, TopicWord] = {}
    for topic, mark, word in _topic_lines():
        if mark != "=":
            found.setdefault(word, TopicWord(topic, mark == "!", mark == "~"))
    return MappingProxyType(found)


def _subjects() -> Mapping[str, str]:
    """The domain of each name by which a command calls a subject."""
    found: dict[str, str] = {}
    for topic, mark, word in _topic_lines():
        if mark == "=":
            found.setdefault(word, topic)
    return MappingProxyType(found)


def _topic_lines() -> Iterator[tuple[str, str, str]]:
    for line in _lines("topics"):
        topic, mark, words = line.split(" ", 2)
        yield from ((topic, mark, word.strip()) for word in words.split(","))


FIRST_NAMES: Final = _words("first_names")
SHORT_FIRST_NAMES: Final = _groups(_lines("short_first_names"))
PLACES: Final = _words("places", ",")
TOOLS: Final = _words("tools", ",")
PRODUCTS: Final = _words("products", ",")
ORGANISATIONS: Final = _words("organisations", ",")
NAME_WORDS: Final = _words_by_heading("name_words")
NATIONALITIES: Final = _words("nationalities")
NEVER_NAMES: Final = _words("acronyms") | _words("calendar") | NATIONALITIES

COMMON_WORDS: Final = _words("common_words")
INTERJECTIONS: Final = _words("interjections")
ABBREVIATIONS: Final = _words_by_heading("abbreviations")
STOP_WORDS: Final = _words_by_heading("stop_words")
FUNCTION_WORDS: Final = STOP_WORDS["never names"]
LANGUAGES: Final = _words_by_heading("languages")

GRAMMAR: Final = _words_by_heading("grammar")
STATES: Final = tuple(frozenset(line.split()) for line in _sections("grammar")["states"])
ANTONYMS: Final = frozenset(frozenset(line.split()) for line in _sections("grammar")["antonyms"])
SYNONYMS: Final = _groups(_lines("synonyms"))
IRREGULAR_VERBS: Final = _groups(_lines("irregular_verbs"))
SET_PHRASES: Final = frozenset(tuple(phrase.split()) for phrase in _words("set_phrases", ";"))

CUE_PHRASES: Final = MappingProxyType(
    {heading: _pattern(lines) for heading, lines in _sections("cue_phrases").items()}
)
TOPICS: Final = _topics()
SUBJECTS: Final = _subjects()

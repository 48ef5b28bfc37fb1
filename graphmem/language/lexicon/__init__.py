"""Word lists of the English rules.

Each is a text file in this folder, whose first line describes it. They are read once, on import,
and never change."""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple

_DEFINITION = re.compile(r"([A-Z]+) = (.+)")


def _read_lines(name: str) -> Iterator[str]:
    """Yield the lines of a file without comments and empty lines."""
    for line in (files(__name__) / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def _words(name: str, divider: str | None = None) -> frozenset[str]:
    """Return the entries of a list; `divider` None: any white space."""
    entries = " ".join(_read_lines(name)).split(divider)
    return frozenset(entry.strip() for entry in entries if entry.strip())


def _read_groups(lines: Iterable[str]) -> Mapping[str, str]:
    """Map each word of a line to the first word of that line."""
    split = [line.split() for line in lines]
    return MappingProxyType({word: line[0] for line in split for word in line})


def _read_sections(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the lines below each [heading] of a file.

    <NAME> in a line stands for the text of a line NAME = … above it."""
    defined: dict[str, str] = {}
    found: dict[str, tuple[str, ...]] = {}
    for line in _read_lines(name):
        for word, text in defined.items():
            line = line.replace(f"<{word}>", text)
        if definition := _DEFINITION.fullmatch(line):
            defined[definition[1]] = definition[2]
        elif line.startswith("["):
            found[line.strip("[]")] = ()
        else:
            found[[*found][-1]] += (line,)
    return MappingProxyType(found)


def _read_words_by_heading(name: str) -> Mapping[str, frozenset[str]]:
    lines = _read_sections(name).items()
    return MappingProxyType({heading: frozenset(" ".join(own).split()) for heading, own in lines})


def _pattern(lines: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for the regular expressions of some lines, for whole words in any case.

    One that begins with "^" matches at the beginning of a sentence."""
    opening = "|".join(line[1:] for line in lines if line.startswith("^"))
    inside = "|".join(line for line in lines if not line.startswith("^"))
    parts = [rf"\A\W*(?:{opening})"] if opening else []
    if inside:
        parts.append(rf"(?<!\w)(?:{inside})(?!\w)")
    return re.compile("|".join(parts), re.IGNORECASE)


class TopicWord(NamedTuple):
    """A word or a pair of words that shows the topic of a text."""

    topic: str
    sensitive: bool  # by itself, in any context
    ambiguous: bool  # one of them alone shows nothing


def _read_topics() -> Mapping[str, TopicWord]:
    """Return each word or pair of words of a topic."""
    found: dict[str, TopicWord] = {}
    for topic, mark, word in _read_topic_lines():
        if mark != "=":
            found.setdefault(word, TopicWord(topic, mark == "!", mark == "~"))
    return MappingProxyType(found)


def _read_subjects() -> Mapping[str, str]:
    """Return the domain of each name of a subject in commands."""
    found: dict[str, str] = {}
    for topic, mark, word in _read_topic_lines():
        if mark == "=":
            found.setdefault(word, topic)
    return MappingProxyType(found)


def _read_topic_lines() -> Iterator[tuple[str, str, str]]:
    for line in _read_lines("topics"):
        topic, mark, words = line.split(" ", 2)
        yield from ((topic, mark, word.strip()) for word in words.split(","))


FIRST_NAMES: Final = _words("first_names")
SHORT_FIRST_NAMES: Final = _read_groups(_read_lines("short_first_names"))
PLACES: Final = _words("places", ",")
TOOLS: Final = _words("tools", ",")
PRODUCTS: Final = _words("products", ",")
ORGANISATIONS: Final = _words("organisations", ",")
NAME_WORDS: Final = _read_words_by_heading("name_words")
NATIONALITIES: Final = _words("nationalities")
NEVER_NAMES: Final = _words("acronyms") | _words("calendar") | NATIONALITIES

COMMON_WORDS: Final = _words("common_words")
INTERJECTIONS: Final = _words("interjections")
ABBREVIATIONS: Final = _read_words_by_heading("abbreviations")
STOP_WORDS: Final = _read_words_by_heading("stop_words")
FUNCTION_WORDS: Final = STOP_WORDS["never names"]
LANGUAGES: Final = _read_words_by_heading("languages")

GRAMMAR: Final = _read_words_by_heading("grammar")
STATES: Final = tuple(frozenset(line.split()) for line in _read_sections("grammar")["states"])
ANTONYMS: Final = frozenset(
    frozenset(line.split()) for line in _read_sections("grammar")["antonyms"]
)
SYNONYMS: Final = _read_groups(_read_lines("synonyms"))
IRREGULAR_VERBS: Final = _read_groups(_read_lines("irregular_verbs"))
SET_PHRASES: Final = frozenset(tuple(phrase.split()) for phrase in _words("set_phrases", ";"))

CUE_PHRASES: Final = MappingProxyType(
    {heading: _pattern(lines) for heading, lines in _read_sections("cue_phrases").items()}
)
TOPICS: Final = _read_topics()
SUBJECTS: Final = _read_subjects()

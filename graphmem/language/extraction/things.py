"""The things that a sentence names by common nouns, such as a nine-frame extractor or hive 5.

They are the ends of relations whose other end is a name. It reads a dependency parse with the
labels of spaCy's English models."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.lexicon import NAME_WORDS

_BREAKS: Final = frozenset({"PRP$", "POS", "DT", "CC", ",", ":", "``", "''"})
MOST_WORDS = 4  # of a thing; longer phrases describe one occasion
_SHORTEST = 3  # letters of its noun


class Word(NamedTuple):
    """A word of a parsed sentence.

    `head` is the index of the word that it depends on, its own for the root; `start` and `end`
    are characters of the sentence."""

    text: str
    lemma: str
    tag: str  # of the Penn Treebank
    dep: str
    head: int
    start: int
    end: int


_NO_THINGS: Final = frozenset(
    "thing way lot bit kind sort type part piece half rest time day night morning afternoon "
    "evening week weekend month year hour minute second moment today tomorrow yesterday tonight "
    "noon midnight spring summer autumn winter fall season date age while people person man "
    "woman guy everybody anybody someone something anything nothing everything everyone anyone "
    "nobody stuff idea reason problem question answer chance turn look go help fun favour favor "
    "fact case matter point end start beginning beginner middle top bottom side front back left "
    "right number amount percent metre meter kilo gram litre liter tonne ton euro pound dollar "
    "pence penny cent hundred thousand million dozen couple pair few news luck sense word name "
    "issue example difference pain star dream shame mess joke idiot genius mystery pleasure "
    "surprise disaster legend fan one home place result change trouble mind eye hand head face "
    "heart life love hope fear worry care attention advice information sure course job "
    "interview prize meeting call appointment event talk party north south east west northeast "
    "northwest southeast southwest loan leave proof diet".split()
)
"""Nouns for what a graph can't hold: times, measures, judgements."""

_REFUSED: Final = frozenset(
    "no any every each some what which whose another other such many much more most few several "
    "same next last first this that these those both either neither enough".split()
)
"""Words before a noun that make it one of many, or none."""

_ROLES: Final = NAME_WORDS["roles"]


def is_role(noun: str) -> bool:
    """Check whether a noun in lower case says what somebody does or is for others."""
    return noun in _ROLES


def thing_at(
    i: int, words: Sequence[Word], below: Mapping[int, Sequence[int]], names: Mapping[int, object]
) -> NameSpan | None:
    """Return the thing that a common noun is, with its distinguishing words.

    Examples: "label printer", "hive 5". None for a time, a measure, a number of things, or one
    that is described too vaguely."""
    if i in names or not _is_noun(i, words):
        return None
    first = i
    for j in sorted(below[i]):
        other = words[j]
        if j > i:
            continue
        if j in names or other.dep == "nummod" or other.text.lower() in _REFUSED:
            return None
        if _is_modifier(other):
            first = min(first, j)
    while first > 1 and words[first - 1].text == "-":
        first -= 2  # nine-frame
    last = _find_last(i, words)
    inner = words[first : last + 1]
    if len(inner) > MOST_WORDS or any(each.tag in _BREAKS for each in inner):
        first = i
    inner = words[first : last + 1]
    text = " ".join(_uncapitalise(i, words) for i in range(first, last + 1)).replace(" - ", "-")
    return NameSpan(inner[0].start, inner[-1].end, text, "concept")


def _is_noun(i: int, words: Sequence[Word]) -> bool:
    word, text = words[i], _uncapitalise(i, words)
    plain = text.islower() and text.replace("-", "").isalpha() and len(text) >= _SHORTEST
    return plain and word.tag in ("NN", "NNS", "NNP") and word.lemma.lower() not in _NO_THINGS


def _uncapitalise(i: int, words: Sequence[Word]) -> str:
    """Return a word without the capital it has as the first of its sentence."""
    word = words[i]
    opens = not i or words[i - 1].text in (".", ":", ";", "(", '"', "-")
    return word.text.lower() if opens and word.text[1:].islower() else word.text


def _is_modifier(word: Word) -> bool:
    if not word.text.replace("-", "").isalpha():
        return word.dep == "compound" and word.text.isalnum()
    return word.dep == "compound" or (word.dep == "amod" and word.tag in ("JJ", "NN", "VBN"))


def _find_last(i: int, words: Sequence[Word]) -> int:
    """Return the index of the distinguishing number after a noun; else that of the noun."""
    if i + 1 < len(words):
        after = words[i + 1]
        close = after.start == words[i].end + 1 and after.tag == "CD" and after.text.isdigit()
        if close and after.dep == "nummod" and after.head == i:
            return i + 1
    return i

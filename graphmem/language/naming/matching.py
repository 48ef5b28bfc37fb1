"""Finds known names in a text: which runs of words may be names, and which are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphmem.domain.ids import NAME_WORD, join_name, name_key
from graphmem.language.lexicon import STOP_WORDS

LONGEST_NAME = 8  # words
MAX_CANDIDATES = 20_000  # in one text; prose never has as many
_LONGEST_PLAIN = 2  # words of a name without capitals
_PLAIN_WORDS: Final = STOP_WORDS["names"]


@dataclass(frozen=True)
class NameCandidate:
    """A run of words in a text that may be a name."""

    key: str
    surface: str
    start: int  # index of its first word
    end: int  # index after its last word
    cased: bool  # begins with a capital letter or a digit


def is_cased(name: str) -> bool:
    """Check whether a name begins with a capital, a digit or a letter without case."""
    first = next((letter for letter in name if letter.isalnum()), "a")
    return not first.islower()


def name_candidates(text: str) -> list[NameCandidate]:
    """Return every run of words in `text` that may be a name; the first 20,000.

    A run has up to eight words from a capital or a digit, or up to three plain words that
    neither begin nor end with a function word."""
    words = [
        (m.start(), m.end(), m.group()) for m in NAME_WORD.finditer(text)
    ]  # Ann's contains Ann
    key_of = {word: name_key(word) for word in {word for _, _, word in words}}
    keys = [key_of[word] for _, _, word in words]
    joined = join_name if sum(len(key) == 1 for key in keys) > 2 else " ".join  # the faster one
    found = []
    for i, (start, _, first) in enumerate(words):
        if len(found) >= MAX_CANDIDATES:
            break
        cased = is_cased(first)
        if not cased and keys[i] in _PLAIN_WORDS:
            continue
        for j in range(i, min(i + (LONGEST_NAME if cased else _LONGEST_PLAIN), len(words))):
            if j > i and "\n" in text[words[j - 1][1] : words[j][0]]:
                break
            if keys[j] in _PLAIN_WORDS and (j == i or not is_cased(words[j][2])):
                continue
            key = joined(keys[i : j + 1])
            found.append(NameCandidate(key, text[start : words[j][1]], i, j + 1, cased))
    return found


@dataclass(frozen=True)
class NameMatch:
    """A known name in a text. It depends on the text and the name alone, except `within`."""

    surface: str  # the first one
    count: int
    plain: bool  # the text has it in lower case only
    within: tuple[str, ...]  # capitalised known names that contain every place of this one


def find_names(found: Iterable[NameCandidate], known: Mapping[str, bool]) -> dict[str, NameMatch]:
    """Return the known names among the runs of a text, by key.

    `known` maps name keys to whether the name is capitalised; such a name is not found in lower
    case. If the text has a name with a capital, only these places count."""
    hits: dict[str, list[NameCandidate]] = {}
    for run in found:
        if run.key in known and (run.cased or not known[run.key]):
            hits.setdefault(run.key, []).append(run)
    uses = {key: [run for run in each if run.cased] or each for key, each in hits.items()}
    starts: dict[int, list[NameCandidate]] = {}
    for each in uses.values():
        for run in each:
            starts.setdefault(run.start, []).append(run)
    return {
        key: NameMatch(
            surface=each[0].surface,
            count=len(each),
            plain=not each[0].cased,
            within=_find_containing(each, starts),
        )
        for key, each in uses.items()
    }


def _find_containing(
    uses: Sequence[NameCandidate], starts: Mapping[int, Sequence[NameCandidate]]
) -> tuple[str, ...]:
    """Return the names that contain every one of these places and more.

    Names in lower case are left out: who knows such a name only with capitals does not find it
    here."""
    common: set[str] | None = None
    for use in uses:
        around = {
            run.key
            for start in range(max(0, use.end - LONGEST_NAME), use.start + 1)
            for run in starts.get(start, ())
            if run.cased and run.end >= use.end and run.end - run.start > use.end - use.start
        }
        common = around if common is None else common & around
        if not common:
            return ()
    return tuple(sorted(common or ()))

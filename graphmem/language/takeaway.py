"""Summarises several notes in a few of their own sentences, and checks if that covers a note.

Pure and bounded."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from graphmem.language.analysis import analyse
from graphmem.language.comparison.normalisation import capitalised_words
from graphmem.language.comparison.sentence_rules import TextVerdict
from graphmem.language.comparison.set_phrases import is_set_phrase
from graphmem.language.comparison.texts import compare, holds_values
from graphmem.language.lasting import is_lasting
from graphmem.language.sentences import sentences
from graphmem.language.text_features import TextFeatures, features_of
from graphmem.language.tokenizer import Tokens, tokens_in

_DIGIT: Final = re.compile(r"\d")
MOST_SENTENCES: Final = 5  # sentences of a takeaway
OF_A_NOTE: Final = 20  # sentences of one note that are read; the last one is the whole rest
LONGEST: Final = 400  # characters of a sentence that may be used
SHARED: Final = 2  # notes that share a word about their common subject
IN_COMMON: Final = 2  # words of two sentences about the same thing
AGREEING: Final = 3  # notes that make one sentence a takeaway


@dataclass(frozen=True, kw_only=True)
class ToldSentence:
    """One sentence of a note."""

    text: str
    speaker: str | None = None
    at: datetime | None = None  # when the event of the note happened

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of the sentence."""
        return frozenset(analyse(self.text))

    @cached_property
    def dated(self) -> bool:
        """True if it needs a day to be understood, as "yesterday" does."""
        return bool(features_of(self.text) & TextFeatures.DATED)

    @property
    def shown(self) -> str:
        """The sentence with its speaker, and the day if it needs one."""
        text = self.text if self.text[-1:] in ".!?…" else f"{self.text}."
        speaker = f"{self.speaker}: " if self.speaker else ""
        day = f" ({self.at:%d %B %Y})" if self.dated and self.at else ""
        return f"{speaker}{text}{day}"


def statements_of(text: str, speaker: str | None, at: datetime | None) -> tuple[ToldSentence, ...]:
    """Return the sentences of a note that state anything."""
    found = (" ".join(each.split()) for each in sentences(text, OF_A_NOTE))
    return tuple(
        ToldSentence(text=each, speaker=speaker, at=at)
        for each in found
        if each and not is_set_phrase(each)
    )


def takeaway(
    notes: Sequence[Sequence[ToldSentence]], check: Callable[[], None] = lambda: None
) -> list[ToldSentence]:
    """Return the statements of lasting value that notes make about one thing, at most five.

    They are in the order of the notes; none if there is no such thing. The turns of a
    conversation give none, since what somebody says there depends on what was said before. They
    are chosen one by one, by how many notes are about those words that no chosen one has,
    relative to its length. `check` is called for each choice; an exception it raises ends the
    work."""
    usable = [[each for each in note if _is_usable(each)] for note in notes]
    about = _find_common_subject(usable, check)
    spread = Counter(
        term for note in about for term in frozenset[str]().union(*(each.terms for each in note))
    )
    candidates = [each for note in about for each in note]
    places = {id(each): place for place, each in enumerate(candidates)}
    chosen: list[ToldSentence] = []
    known = frozenset[str]()
    while candidates and len(chosen) < MOST_SENTENCES:
        check()
        best = max(candidates, key=lambda each: (_worth(each, known, spread), -places[id(each)]))
        if chosen and _worth(best, known, spread) <= 0:
            break
        chosen.append(best)
        known |= best.terms
        candidates = [each for each in candidates if not each.terms <= known]
    if len(chosen) < 2 and sum(map(bool, about)) < AGREEING:
        return []  # only one sentence that shares words with another by chance
    return sorted(chosen, key=lambda each: places[id(each)])


def _is_usable(sentence: ToldSentence) -> bool:
    if sentence.speaker is not None or len(sentence.text) > LONGEST:
        return False
    return is_lasting(sentence.text)


def _find_common_subject(
    notes: Sequence[Sequence[ToldSentence]], check: Callable[[], None]
) -> list[list[ToldSentence]]:
    """Return of each note the sentences that share words with one and the same sentence.

    It is the sentence for which most notes have such sentences."""
    best: list[list[ToldSentence]] = []
    for place, note in enumerate(notes):
        for one in note:
            check()
            like = [
                [one]
                if other == place
                else [e for e in own if len(e.terms & one.terms) >= IN_COMMON]
                for other, own in enumerate(notes)
            ]
            if sum(map(bool, like)) > max(sum(map(bool, best)), 1):
                best = like
    return best


def _worth(sentence: ToldSentence, known: frozenset[str], spread: Counter[str]) -> float:
    """Return how much a sentence adds to what is known, of what several notes are about."""
    new = sum(spread[term] for term in sentence.terms - known if spread[term] >= SHARED)
    return new / max(len(sentence.terms), 4) ** 0.5


def is_faithful(text: str, sources: Iterable[str]) -> bool:
    """Check whether a text made of others has no number or name that they lack."""
    known = frozenset(word for each in sources for word in tokens_in(each.lower(), Tokens.SPELLED))
    numbers = frozenset(
        word for word in tokens_in(text.lower(), Tokens.SPELLED) if _DIGIT.search(word)
    )
    return numbers <= known and capitalised_words(text) <= known


def summary_of(chosen: Iterable[ToldSentence]) -> str:
    """Join the sentences of a summary, each with its speaker and day."""
    return " ".join(each.shown for each in chosen)


def context_of(count: int, summary: str) -> str:
    """Introduce a summary of so many notes (MUMA-71)."""
    return f"Based on these {count} interactions, the key takeaway is: {summary}"


def is_captured(told: Sequence[ToldSentence], summary: Sequence[ToldSentence]) -> bool:
    """Check whether a summary says all that a note says.

    It must have each of its sentences, with every number, date, name and negation. A note that
    states nothing is not captured."""
    return bool(told) and all(any(_covers(more, each) for more in summary) for each in told)


def _covers(more: ToldSentence, less: ToldSentence) -> bool:
    if more.speaker is not None and less.speaker is not None and more.speaker != less.speaker:
        return False
    if more.speaker is None and less.speaker is not None:
        return False
    if less.dated and (more.at is None or less.at is None or more.at.date() != less.at.date()):
        return False
    if more.text == less.text:
        return True
    if not less.terms & more.terms or not holds_values(more.text, less.text):
        return False
    verdict = compare(more.text, less.text).verdict
    otherwise = verdict in (TextVerdict.REPLACES, TextVerdict.CONTRADICTS)
    return verdict is TextVerdict.SAME or (less.terms <= more.terms and not otherwise)

"""What several notes tell together, in a few of their own sentences; and whether that says all that
one of them says. Pure and bounded."""

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
MOST_SENTENCES: Final = 5  # of a takeaway
OF_A_NOTE: Final = 20  # sentences of one note that are read; the last one is the whole rest
LONGEST: Final = 400  # characters of a sentence that may be told
SHARED: Final = 2  # notes that have a word which is about what they have in common
IN_COMMON: Final = 2  # words of two sentences about the same thing
AGREEING: Final = 3  # notes that make one sentence a takeaway


@dataclass(frozen=True, kw_only=True)
class ToldSentence:
    """One sentence as a note tells it."""

    text: str
    speaker: str | None = None
    at: datetime | None = None  # when the note happened

    @cached_property
    def terms(self) -> frozenset[str]:
        """What it is about."""
        return frozenset(analyse(self.text))

    @cached_property
    def dated(self) -> bool:
        """Whether it needs a day to be understood, as "yesterday" does."""
        return bool(features_of(self.text) & TextFeatures.DATED)

    @property
    def shown(self) -> str:
        """The sentence with who said it, and the day where it needs one."""
        text = self.text if self.text[-1:] in ".!?…" else f"{self.text}."
        speaker = f"{self.speaker}: " if self.speaker else ""
        day = f" ({self.at:%d %B %Y})" if self.dated and self.at else ""
        return f"{speaker}{text}{day}"


def told_by(text: str, speaker: str | None, at: datetime | None) -> tuple[ToldSentence, ...]:
    """The sentences of a note that say anything."""
    found = (" ".join(each.split()) for each in sentences(text, OF_A_NOTE))
    return tuple(
        ToldSentence(text=each, speaker=speaker, at=at)
        for each in found
        if each and not is_set_phrase(each)
    )


def takeaway(
    notes: Sequence[Sequence[ToldSentence]], check: Callable[[], None] = lambda: None
) -> list[ToldSentence]:
    """The statements of lasting value that notes make about one thing, at most five, in the order
    of the notes; none where there is no such thing. The turns of a conversation make none, since
    what somebody says there hangs on what was said before. Chosen one by one, by how many notes are
    about its words that no chosen one has, for its length. `check` is called for each choice; what
    it raises ends the work."""
    kept = [[each for each in note if _is_usable(each)] for note in notes]
    about = _about_one_thing(kept, check)
    spread = Counter(
        term for note in about for term in frozenset[str]().union(*(each.terms for each in note))
    )
    left = [each for note in about for each in note]
    places = {id(each): place for place, each in enumerate(left)}
    chosen: list[ToldSentence] = []
    known = frozenset[str]()
    while left and len(chosen) < MOST_SENTENCES:
        check()
        best = max(left, key=lambda each: (_worth(each, known, spread), -places[id(each)]))
        if chosen and _worth(best, known, spread) <= 0:
            break
        chosen.append(best)
        known |= best.terms
        left = [each for each in left if not each.terms <= known]
    if len(chosen) < 2 and sum(map(bool, about)) < AGREEING:
        return []  # one sentence that a second one happens to share words with
    return sorted(chosen, key=lambda each: places[id(each)])


def _is_usable(sentence: ToldSentence) -> bool:
    if sentence.speaker is not None or len(sentence.text) > LONGEST:
        return False
    return is_lasting(sentence.text)


def _about_one_thing(
    notes: Sequence[Sequence[ToldSentence]], check: Callable[[], None]
) -> list[list[ToldSentence]]:
    """Of each note the sentences that share words with one and the same sentence: with that of
    which most notes have such sentences."""
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


def _worth(told: ToldSentence, known: frozenset[str], spread: Counter[str]) -> float:
    """How much of what several notes are about a sentence adds to what is known."""
    new = sum(spread[term] for term in told.terms - known if spread[term] >= SHARED)
    return new / max(len(told.terms), 4) ** 0.5


def is_faithful(text: str, sources: Iterable[str]) -> bool:
    """Whether a text that somebody else made of others has no number and no name that they lack."""
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


def captured(told: Sequence[ToldSentence], summary: Sequence[ToldSentence]) -> bool:
    """Whether a summary says all that a note says: each of its sentences, with every number, date,
    name and negation. A note that says nothing is not."""
    return bool(told) and all(any(_says(more, each) for more in summary) for each in told)


def _says(more: ToldSentence, less: ToldSentence) -> bool:
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

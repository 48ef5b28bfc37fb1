"""Creates the keywords, the tags and the one-sentence context of a note from its text."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from graphmem.domain.notes import MAX_NAME
from graphmem.language.languages import language_of
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.naming.matching import is_cased
from graphmem.language.own_terms import LEFT_OUT, has_own_terms, spelled_words
from graphmem.language.scripts import has_other_script
from graphmem.language.sentences import sentences
from graphmem.language.tokenizer import Tokens, tokens_in

_SMALL_TALK = re.compile(
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening)|thanks?|thank you|ok|okay|wow|"
    r"great|sure|cool|nice|cheers|congrats|congratulations)\b",
    re.IGNORECASE,
)
MAX_CONTEXT = 240  # characters
MOST_KEYWORDS: Final = 7
FEWEST: Final = 3  # keywords and tags of a text of eight words or more (MUMA 5.3)
MOST_TAGS: Final = 5


def keywords(text: str, most: int = MOST_KEYWORDS) -> tuple[str, ...]:
    """Return up to `most` words by salience: how often, whether a name, how early. Lower case.

    If the text has fewer than three such words, its other words fill up."""
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    names: set[str] = set()
    found, left_out = _split_words(text)
    for place, word in enumerate(found):
        key = word.lower()
        if len(key) <= MAX_NAME and key not in left_out:
            counts[key] += 1
            first.setdefault(key, place)
            if place and is_cased(word):
                names.add(key)
    score = {
        key: count + 0.5 * (key in names) + 0.5 / (1 + first[key]) + 0.02 * min(len(key), 12)
        for key, count in counts.items()
    }
    best = sorted(score, key=lambda key: (-score[key], first[key]))[:most]
    if len(best) < FEWEST and not has_other_script(text):
        spelled = tokens_in(text, Tokens.SPELLED)
        spare = [word.lower() for word in spelled if len(word) <= MAX_NAME]
        if len(spare) >= 8:
            best = list(dict.fromkeys((*best, *sorted(spare, key=len, reverse=True))))[:FEWEST]
    return tuple(best)


def _split_words(text: str) -> tuple[Sequence[str], Collection[str]]:
    """Return the words of a text that may be keywords, and those of its language that may not."""
    language = language_of(text)
    if not has_own_terms(text, language):
        return tokens_in(text, Tokens.KEYWORD), STOP_WORDS["keywords"]
    return spelled_words(text, language), LEFT_OUT[language] | STOP_WORDS["keywords"]


def tags(labels: Iterable[str], names: Iterable[str], words: Iterable[str]) -> tuple[str, ...]:
    """Return three to five tags, in lower case.

    First the labels of topics, then names of things, then keywords until there are three (as far
    as the text has them)."""
    chosen = list(dict.fromkeys(label.lower() for label in labels))[:3]
    for name in names:
        if len(chosen) < MOST_TAGS and name.lower() not in chosen:
            chosen.append(name.lower())
    for word in words:
        if len(chosen) < FEWEST and not any(word in tag.split() for tag in chosen):
            chosen.append(word)
    for word in words:
        if len(chosen) < FEWEST and word not in chosen:
            chosen.append(word)
    return tuple(chosen[:MOST_TAGS])


def context(text: str) -> str:
    """Return the first sentence that is more than a greeting, at most 240 characters."""
    found = sentences(text[:4000])
    candidates = (each for each in found if not (_SMALL_TALK.match(each) and each.count(" ") < 5))
    sentence = next(candidates, found[0] if found else "")
    return sentence if len(sentence) <= MAX_CONTEXT else sentence[: MAX_CONTEXT - 1].rstrip() + "…"

"""Reads which items of a reflection a message accepts and which it rejects (Moltbot 10.6).

It never guesses: unclear words decide nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.domain.reflection import ItemKind
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.tokenizer import Tokens, tokens_in

_VERB = re.compile(
    r"\b(?:(?P<no>reject|decline|refuse|skip|drop|except(?: for)?|all but|but not|without|leave out"
    r"|not|don't|dont|do not|never)|(?P<yes>approve|accept|apply))\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"\b(\d{1,4})(?:\s*(?:-|to)\s*(\d{1,4}))?\b")
_OF_A_REFLECTION = re.compile(r"\breflection\s*+#?\s*+(?:r-)?(\d{1,6})\b", re.IGNORECASE)
_MOST = 500  # items of a reflection; a longer range includes a missing one
_CHANGED = re.compile(r"\bpartial|\bwith changes\b", re.IGNORECASE)
_BY_KIND = {
    "archive": ItemKind.ARCHIVE,
    "archival": ItemKind.ARCHIVE,
    "link": ItemKind.LINK,
    "connect": ItemKind.LINK,
    "connection": ItemKind.LINK,
    "connections": ItemKind.LINK,
    "learn": ItemKind.FACT,
    "fact": ItemKind.FACT,
    "facts": ItemKind.FACT,
    "procedure": ItemKind.PROCEDURE,
    "skill": ItemKind.SKILL,
    "core": ItemKind.CORE,
    "contradiction": ItemKind.CONTRADICTION,
    "contradictions": ItemKind.CONTRADICTION,
}


@dataclass(frozen=True)
class ItemChoice:
    """Places of items (from 1) that are accepted and rejected; the others stay undecided."""

    accept: tuple[int, ...] = ()
    reject: tuple[int, ...] = ()
    why_not: str | None = None  # the words could not be understood: nothing is decided


def number_of(text: str) -> int | None:
    """Return the number of the reflection that a sentence names, if it does."""
    match = _OF_A_REFLECTION.search(text)
    return int(match[1]) if match else None


def parse_decision(text: str, items: Sequence[tuple[ItemKind, str]]) -> ItemChoice:
    """Return the decision on items, each given as its kind and summary.

    It reads sentences such as "approve 1, 3", "approve all but 2", "reject" or "approve with
    changes: don't archive the CSS bug"."""
    text = _OF_A_REFLECTION.sub(" ", text.replace("’", "'"))  # noqa: RUF001
    every = tuple(range(1, len(items) + 1))
    parts = _split_by_verbs(text)
    if not any(yes for yes, _ in parts):
        if any(_find_places(part) for _, part in parts):
            return ItemChoice(why_not="say which items to approve, or `approve all but` some")
        return ItemChoice(reject=every)
    named, refused = list[int](), list[int]()
    for yes, part in parts:
        places = _find_places(part)
        if not yes and not places and (words := _find_words(part)):
            places = _find_meant(words, items)
            if not places:
                phrase = " ".join(part.split())
                return ItemChoice(why_not=f"I can't tell which item is meant by {phrase!r}")
        (named if yes else refused).extend(places)
    if wrong := sorted({*named, *refused} - set(every)):
        return ItemChoice(why_not=f"there is no item {wrong[0]}")
    if both := sorted(set(named) & set(refused)):
        return ItemChoice(why_not=f"item {both[0]} can't be both approved and rejected")
    words = {word for yes, part in parts if yes for word in _find_words(part)}
    if not named and (words or (_CHANGED.search(text) and not refused)):
        return ItemChoice(why_not="name the items by their numbers")
    chosen = named or [place for place in every if place not in refused]
    return ItemChoice(tuple(sorted(set(chosen))), tuple(sorted(set(refused))))


def _split_by_verbs(text: str) -> list[tuple[bool, str]]:
    """Split the sentence into pieces: whether each approves, and what follows its verb."""
    verbs = list(_VERB.finditer(text))
    ends = [verb.start() for verb in verbs[1:]] + [len(text)]
    return [
        (bool(verb["yes"]), text[verb.end() : end]) for verb, end in zip(verbs, ends, strict=True)
    ]


def _find_places(text: str) -> list[int]:
    found = []
    for first, last in _NUMBERS.findall(text):
        found += range(int(first), min(int(last or first), int(first) + _MOST) + 1)
    return found


def _find_words(text: str) -> list[str]:
    return [
        word
        for word in _long_words(text)
        if word not in STOP_WORDS["decisions"] and not word.isdigit()
    ]


def _long_words(text: str) -> list[str]:
    """Return its words of two letters or more, in lower case."""
    return [word.lower() for word in tokens_in(text, Tokens.RUN) if len(word) > 1]


def _find_meant(words: Sequence[str], items: Sequence[tuple[ItemKind, str]]) -> list[int]:
    """Return the places of the items that contain most of the words.

    A word for a kind of item, such as "archive", means only items of that kind."""
    kinds = {_BY_KIND[word] for word in words if word in _BY_KIND}
    rest = {word for word in words if word not in _BY_KIND}
    fitting = [
        (place, rest.intersection(_long_words(summary)))
        for place, (kind, summary) in enumerate(items, 1)
        if not kinds or kind in kinds
    ]
    if not rest:
        return [place for place, _ in fitting]
    most = max((len(found) for _, found in fitting), default=0)
    return [place for place, found in fitting if most and len(found) == most]

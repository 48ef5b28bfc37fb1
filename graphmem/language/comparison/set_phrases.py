"""Set phrases: greetings, thanks, closings and signatures.

They state nothing, so two texts that share one have nothing in common by it, and a text with one
more says no more. A phrase missing from the list prevents a merge but never causes a wrong one:
whatever is not a set phrase counts as a statement, which must be repeated before two notes
become one."""

import re
from typing import Final

from graphmem.language.lexicon import SET_PHRASES
from graphmem.language.tokenizer import Tokens, tokens_in

_FOLLOWERS: Final = frozenset(  # may follow a phrase: thanks and bye; best, your Ida; hi all
    "and from your all everyone everybody team folks guys friends colleagues both sir madam".split()
)
_LONGEST: Final = max(map(len, SET_PHRASES))
_MOST_WORDS: Final = 16  # words of a piece that is checked
_MOST_NAMES: Final = 3  # words of a piece that is only a name
_KNOWN: Final = frozenset(word for phrase in SET_PHRASES for word in phrase) | _FOLLOWERS
_SIGN = re.compile(r"[^\w\s.,;:!?…\"'()*’‘“”–—-]")  # noqa: RUF001  an emoji may state something
_BETWEEN = re.compile(r" ?[,:;!] | [–—-]+ |[–—] ")  # noqa: RUF001


def is_set_phrase(piece: str) -> bool:
    """Check whether a piece of a text consists of set phrases and names only: Best regards, Ida."""
    words = _words(piece)
    if len(words) > _MOST_WORDS or _SIGN.search(piece):
        return False
    return not words or _is_name(words) or _are_phrases(words, names=True)


def names_in_phrase(piece: str) -> frozenset[str]:
    """Return the words of a piece that belong to no set phrase, in lower case.

    These are the names of people who are greeted or who sign."""
    words = _words(piece)
    if _are_phrases(words, names=False):
        return frozenset()
    return frozenset(
        word.lower()
        for at, word in enumerate(words, 1)
        if word[0].isupper() and (at == len(words) or word.lower() not in _KNOWN)
    )


def split_set_phrases(sentence: str) -> list[str]:
    """Split off the set phrases at the beginning and end of a sentence.

    "Hi Ida, it is open, thanks" is three pieces."""
    sentence = " ".join(sentence.split())
    cuts = [(found.start(), found.end()) for found in _BETWEEN.finditer(sentence)]
    if not cuts or is_set_phrase(sentence):
        return [sentence]
    head, tail = [], []
    begin, end = 0, len(sentence)
    for cut, next_begin in cuts[:_MOST_NAMES]:
        if not _is_phrase(sentence[begin:cut]):
            break
        head.append(sentence[begin:cut])
        begin = next_begin
    for cut, last_begin in reversed(cuts[-_MOST_NAMES:]):
        if cut <= begin or not _is_phrase(sentence[last_begin:end]):
            break
        tail.insert(0, sentence[last_begin:end])
        end = cut
    return [*head, sentence[begin:end], *tail]


def _words(piece: str) -> list[str]:
    found = []
    for word in tokens_in(piece[: 20 * _MOST_WORDS], Tokens.PLAIN):
        found.append(word.replace("’", "'"))  # noqa: RUF001
        if len(found) > _MOST_WORDS:
            break
    return found


def _is_phrase(piece: str) -> bool:
    words = _words(piece)
    return 0 < len(words) <= _MOST_WORDS and _are_phrases(words, names=True)


def _is_name(words: list[str]) -> bool:
    """Check for one to three words with capitals, as under a letter."""
    return len(words) <= _MOST_NAMES and all(map(_is_capitalised, words))


def _are_phrases(words: list[str], *, names: bool) -> bool:
    """Check whether words are set phrases, with `names` allowed after them."""
    plain = [word.lower() for word in words]
    reached = {0}
    for at in range(len(words)):
        if at not in reached:
            continue
        ends = range(at + 1, min(at + _LONGEST, len(words)) + 1)
        reached |= {end for end in ends if tuple(plain[at:end]) in SET_PHRASES}
        if at and (plain[at] in _FOLLOWERS or (names and _is_capitalised(words[at]))):
            reached.add(at + 1)
    return len(words) in reached


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() and not any(letter.isdigit() for letter in word)

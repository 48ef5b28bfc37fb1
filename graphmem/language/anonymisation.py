"""Removes from a text what identifies a person: names, addresses, numbers, ids (MUMA 7.4).

Rules can't find all of it, so the result is checked again, and a text that may still identify
somebody is in doubt."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.domain.notes import EntityDraft
from graphmem.language.lexicon import FIRST_NAMES, STOP_WORDS
from graphmem.language.tokenizer import Tokens, token_matches, tokens_in

PERSON, ADDRESS, NUMBER, ID = "[person]", "[address]", "[number]", "[id]"
LONGEST_NAME = 8  # words
MOST_NAMES = 2_000  # names of people to remove, with their parts
LEAST_NAME = 3  # characters of a part of a name that also counts in small letters
LEAST_JOINED, MOST_JOINED = 5, 60  # characters of a name found within a longer word
LONG_NUMBER = 5  # digits
LONGEST_NUMBER = 24  # groups of digits
_ACCENTS: Final = ("\u0300", "\u036f")
_PERSON_TYPE: Final = "person"
_CHUNK: Final = re.compile(r"\S+")  # a piece of a text without white space in it
_FIRST_PERSON: Final = frozenset(("i", "me", "my", "mine", "myself"))
_LINK: Final = ("://", "www.", "mailto:")
_STREETS: Final = frozenset(
    "street st road rd avenue ave lane ln drive boulevard blvd square court".split()
)
_STREET_ENDS: Final = ("strasse", "straße", "gasse", "platz", "allee")
_AROUND: Final = ".,;:!?()[]{}<>\"'"
_PHONE: Final = frozenset("+0123456789()-/.")
_SMALL_WORDS: Final = STOP_WORDS["names"] - {name.lower() for name in FIRST_NAMES}

Read = Callable[[str], Iterable[EntityDraft]]


def visible_text(text: str) -> str:
    """Return the text as a reader sees it.

    Characters that nobody sees and lines through letters are removed, and each letter has its
    usual form. Otherwise a name could be hidden from the rules."""
    seen = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return "".join(map(_normalise_letter, unicodedata.normalize("NFC", seen)))


def _normalise_letter(letter: str) -> str:
    """Return a letter in its usual form, such as A for a wide one.

    Empty for an accent that is not part of a letter, such as a line through it."""
    if _ACCENTS[0] <= letter <= _ACCENTS[1]:
        return ""
    if not letter.isascii() and unicodedata.category(letter) in ("Lu", "Ll"):
        usual = unicodedata.normalize("NFKC", letter)
        return usual if usual.isalpha() else letter
    return letter


def anonymise(text: str, read: Read, names: Sequence[str]) -> str:
    """Return the text without addresses, numbers and ids, and without the people that it names.

    These are those that `read` finds and those of `names`."""
    people = [entity.name for entity in read(text) if entity.type == _PERSON_TYPE]
    found = [
        *_find_identifiers(text),
        *((*span, PERSON) for span in _find_names(text, [*people, *names])),
    ]
    pieces, end = list[str](), 0
    for start, stop, placeholder in sorted(found, key=lambda each: (each[0], -each[1])):
        if start >= end:
            pieces += (text[end:start], placeholder)
            end = stop
    return "".join((*pieces, text[end:]))


def identifies_person(text: str, read: Read, names: Sequence[str]) -> str | None:
    """Return what of a person a text contains: a person, an address, a number or an id.

    None if the rules find nothing."""
    for _, _, placeholder in _find_identifiers(text):
        return placeholder.strip("[]")
    people = any(entity.type == _PERSON_TYPE for entity in read(text))
    named = next(iter(_find_names(text, names)), None)
    return PERSON.strip("[]") if people or named is not None else None


def is_in_doubt(text: str, read: Read) -> bool:
    """Check whether a text may identify somebody.

    It may if it speaks of its writer, or has a name of unknown type."""
    placeholders = {placeholder.strip("[]") for placeholder in (PERSON, ADDRESS, NUMBER, ID)}
    unknown = any(e.type is None and name_key(e.name) not in placeholders for e in read(text))
    return unknown or any(
        word[0].lower() in _FIRST_PERSON for word in token_matches(text, Tokens.RUN)
    )


def _find_identifiers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield addresses, numbers and ids: where each begins and ends, and its placeholder."""
    chunks = list(_CHUNK.finditer(text))
    at = 0
    while at < len(chunks):
        start, chunk = chunks[at].start(), chunks[at][0]
        bare = chunk.strip(_AROUND)
        begins = start + chunk.find(bare) if bare else start
        many = _count_phone_pieces(chunks, at)
        if many:
            last = chunks[at + many - 1]
            lead = len(chunk) - len(chunk.lstrip(",;:!?\"'"))
            yield start + lead, last.start() + len(last[0].rstrip(_AROUND)), NUMBER
            at += many
            continue
        if placeholder := _placeholder_of(bare):
            yield begins, begins + len(bare), placeholder
        elif street := _count_street_pieces(chunks, at):
            last = chunks[at + street - 1]
            yield begins, last.start() + len(last[0].rstrip(_AROUND)), ADDRESS
            at += street
            continue
        at += 1


def _placeholder_of(chunk: str) -> str | None:
    """Return the placeholder of one piece of a text: an address, a number or an id."""
    lower = chunk.lower()
    if any(link in lower for link in _LINK) or "@" in chunk[1:]:
        return ADDRESS
    if chunk.startswith("@"):
        return ID
    parts = chunk.split(".")
    if len(parts) == 4 and all(part.isdigit() for part in parts):
        return ADDRESS
    digits = sum(letter.isdigit() for letter in chunk)
    letters = sum(letter.isalpha() for letter in chunk)
    if digits >= LONG_NUMBER and not letters:
        return NUMBER
    return ID if letters and digits >= LONG_NUMBER else None


def _count_phone_pieces(chunks: Sequence[re.Match[str]], at: int) -> int:
    """Count the pieces from one on that form one long number written in groups; 0 if none do."""
    digits, count = 0, 0
    for each in chunks[at : at + LONGEST_NUMBER]:
        piece = each[0].strip(",;:!?\"'")
        if not piece or not all(letter in _PHONE for letter in piece):
            break
        own = sum(letter.isdigit() for letter in piece)
        if not own and count == 0 and not piece.startswith(("+", "(")):
            break
        digits, count = digits + own, count + 1
    return count if count > 1 and digits >= LONG_NUMBER + 2 else 0


def _count_street_pieces(chunks: Sequence[re.Match[str]], at: int) -> int:
    """Count the pieces from one on that form a street with a number; 0 if none do."""
    words = [each[0].strip(_AROUND).lower() for each in chunks[at : at + 5]]
    if words[0].rstrip("abcdef").isdigit():
        for place in range(2, len(words)):
            if words[place] in _STREETS:
                return place + 1
    if words[0].endswith(_STREET_ENDS) and len(words) > 1 and words[1].rstrip("abcdef").isdigit():
        return 2
    return 0


def _find_names(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where a text has one of the names, or a part of one; a first name alone is enough.

    Of several that begin at the same word it is the longest."""
    known = _split_names(names)
    joined = _join_names(names)
    sizes = sorted({len(name) for name in joined}, reverse=True)
    lengths = sorted({len(name) for name in known}, reverse=True)
    found = list(token_matches(text, Tokens.RUN)) if known else []
    words = [word[0].casefold() for word in found]
    for at, first in enumerate(found):
        for length in lengths:
            name = tuple(words[at : at + length])
            if name in known and not (_is_short(name) and first[0].islower()):
                yield first.start(), found[min(at + length, len(found)) - 1].end()
                break
        else:
            for start, end in _find_inside_word(words[at], first[0], known, joined, sizes):
                yield first.start() + start, first.start() + end


def _find_inside_word(
    word: str,
    written: str,
    known: frozenset[tuple[str, ...]],
    joined: frozenset[str],
    sizes: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Yield the place of a name in a longer word.

    It is the whole word, such as AdaKessler7 or Kesslers; in a script without small letters or
    spaces between words, the name alone."""
    part = (word[:-1],)
    if word.endswith("s") and part in known and not (_is_short(part) and written.islower()):
        yield 0, len(written)
        return
    at = 0
    while sizes and at < len(word):
        size = next((size for size in sizes if word[at : at + size] in joined), 0)
        if size and not _is_caseless(word[at : at + size]):
            yield 0, len(written)
            return
        if size:
            yield at, at + size
        at += size or 1


def _is_caseless(name: str) -> bool:
    """Check whether a name in small letters is in a script that has none."""
    return name.isalpha() and name == name.upper()


def _is_short(name: tuple[str, ...]) -> bool:
    """Return True for a name so short that it counts only when capitalised."""
    return len(name) == 1 and len(name[0]) < LEAST_NAME


def _join_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names that also count within a longer word.

    These are words that follow each other in a name, joined, and names in a script without small
    letters."""
    found = set()
    for name in names[:MOST_NAMES]:
        words = [
            word.casefold() for word in tokens_in(visible_text(name), Tokens.RUN)[:LONGEST_NAME]
        ]
        several = (
            "".join(words[i:j]) for i in range(len(words)) for j in range(i + 2, len(words) + 1)
        )
        found.update(each for each in several if LEAST_JOINED <= len(each) <= MOST_JOINED)
        whole = "".join(words)
        if _is_caseless(whole) and 2 <= len(whole) <= MOST_JOINED:
            found.add(whole)
    return frozenset(found)


def _split_names(names: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Return the words of each name and of each part of one, without case.

    A small word of a name, such as "the", is not a part by itself, and a single letter is not a
    name."""
    found: set[tuple[str, ...]] = set()
    for name in names[:MOST_NAMES]:
        words = tokens_in(visible_text(name), Tokens.RUN)[:LONGEST_NAME]
        parts = [[word] for word in words if len(words) == 1 or word.lower() not in _SMALL_WORDS]
        for part in (words, ["".join(words)], *parts):
            if not part or part[0].isdigit() or part == [part[0][:1]]:
                continue
            folded = tuple(word.casefold() for word in part)
            if not (_is_short(folded) and folded[0] in STOP_WORDS["names"]):
                found.add(folded)
    return frozenset(found)

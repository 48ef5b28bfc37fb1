"""Ids and names: UUIDv7, the letters allowed in ids and domains, normalised names."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final
from uuid import UUID

from graphmem.errors import Invalid

MAX_ID_LENGTH = 200
MAX_DOMAIN_LENGTH = 500
_ID = re.compile(r"[_.@-]*+[^\W_][\w.@-]*+")
# C++ and C# differ from C, and level -1 from level 1.
NAME_WORD = re.compile(r"&|(?:(?<!\S)-(?=\d))?[^\W_]+(?:\+\+|[+#](?![^\W_]))?")
_DIGITS_APART = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_SPELLED = re.compile(r"(?<!\S)[a-z](?: [a-z]){2,}(?!\S)")
_LETTERS: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_LEAST_FOLDED = 4  # shorter words keep their accents: "bär" must not become "bar"
_SPELLINGS: Final = MappingProxyType(
    {"&": "and", "incorporated": "inc", "corporation": "corp", "limited": "ltd"}
)


def uuid7(now: datetime) -> str:
    """Return a UUIDv7 (RFC 9562) of the instant `now`: sorts by time, 74 random bits."""
    milliseconds = int(now.timestamp() * 1000)
    value = (milliseconds & 0xFFFFFFFFFFFF) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=value))


def check_id(text: str, what: str) -> str:
    """Return `text` as an id of `what`, or raise Invalid.

    An id has letters and digits of any script and ._@-, at least one letter or digit, and at
    most 200 characters."""
    text = unicodedata.normalize("NFC", text)
    if len(text) > MAX_ID_LENGTH or not _ID.fullmatch(text):
        raise Invalid(
            f"{what} must be 1 to {MAX_ID_LENGTH} letters, digits or any of ._@- "
            "and hold a letter or digit"
        )
    return text


def check_domain(text: str) -> str:
    """Return `text` as a domain: ids joined by "/", no empty parts. Raises Invalid."""
    text = unicodedata.normalize("NFC", text)
    parts = text.split("/")
    if len(text) > MAX_DOMAIN_LENGTH or not all(_ID.fullmatch(part) for part in parts):
        raise Invalid(
            "domain must be a path such as business/sales: non-empty parts of letters, digits "
            f"and ._@-, each with a letter or digit, at most {MAX_DOMAIN_LENGTH} characters"
        )
    return text


def is_within(domain: str, ancestor: str) -> bool:
    """Check whether `domain` is `ancestor` or lies below it, by whole path parts."""
    return domain == ancestor or domain.startswith(ancestor + "/")


def name_key(name: str) -> str:
    """Return the form in which a name is compared, its words joined by one space.

    NFKC, case folded, "&" as "and", Incorporated, Corporation and Limited short, Latin letters
    without accents, digits separated from letters (GPT4 is GPT-4), three or more spelled letters as
    one word (U.S.A. is USA).

    Names of one form are one name for every reader, so only rules that never confuse two things
    belong here: they look at nothing but the name, and each word is changed by itself, so that a
    name inside a text has the same form."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return join_name([_word_key(word) for word in NAME_WORD.findall(folded)])


def _word_key(word: str) -> str:
    word = _SPELLINGS.get(word, word)
    if word.isalpha():
        return _fold_accents(word)
    return " ".join(map(_fold_accents, _DIGITS_APART.split(word)))


def _fold_accents(letters: str) -> str:
    if letters.isascii() or len(letters) < _LEAST_FOLDED:
        return letters
    apart = unicodedata.normalize("NFD", letters.translate(_LETTERS))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return bare if bare.isascii() else letters


def join_name(keys: Sequence[str]) -> str:
    """Return the key of the name whose words have these keys."""
    key = " ".join(keys)
    return _SPELLED.sub(lambda run: run[0].replace(" ", ""), key)


def entity_id(user: str, key: str) -> str:
    """Return the id of the entity of a name key: it reveals no note, nor when one was written."""
    return f"{user}:{key}"


def key_of_author(author: str | None, given: str) -> str:
    """Return the key for an id that an author gave, so ids of two authors are never equal.

    `author` is an agent's id, which never contains "|"; None or "" for the user in person."""
    return f"{author or ''}|{given}"


def digest(text: str, length: int = 32) -> str:
    """Return the first `length` hex digits of the SHA-256 of `text`; lone surrogates count."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]

"""The checks of `secrets`: is a text a secret, or a word, a name, a path or a call?"""

import itertools
import math
import re
from collections.abc import Callable
from typing import Final

_BETWEEN_WORDS: Final = re.compile(r"[^A-Za-z0-9]+")
_WORD: Final = re.compile(r"[A-Za-z]*\d{0,2}|v?\d{1,4}")
_PLACEHOLDER: Final = re.compile(r"[$%{(*/~.&]|\w+://|\w+(?:\.\w+)*[(\[]|[A-Za-z]:\\")


def _is_ordinary(text: str) -> bool:
    """Check whether a text is a path, a call, a placeholder, or a name made of words."""
    parts = _BETWEEN_WORDS.split(text)
    return bool(_PLACEHOLDER.match(text)) or (len(parts) > 1 and all(map(_WORD.fullmatch, parts)))


def is_chance(text: str) -> bool:
    """Check whether a text looks made by chance: of many letters, and no word."""
    return (
        _classes(text) >= 2
        and any(map(str.isdigit, text))
        and _entropy(text) >= 3.0
        and not _is_ordinary(text)
    )


def has_long_part(text: str) -> bool:
    """Check whether a text has a part that is longer than those of names made of words."""
    return any(
        len(part) >= 22 or (len(part) >= 16 and not (part.isalpha() or part.isdigit()))
        for part in _BETWEEN_WORDS.split(text)
    )


def is_long_chance(text: str) -> bool:
    """Check the same for a text that nothing names: small and great letters, and digits."""
    plain = text.rstrip("=")
    kinds = (str.islower, str.isupper, str.isdigit)
    return (
        all(any(map(kind, plain)) for kind in kinds)
        and _entropy(plain) >= 4.3
        and _changes(plain) >= 0.4 * len(plain)  # words in a row have fewer
    )


def is_password(text: str) -> bool:
    """Check whether a text that stands after a password's name is one, and no word or name."""
    if text.isdigit():
        return len(text) >= 6
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and not _is_ordinary(text)


def is_quoted_password(text: str) -> bool:
    """Check the same for a text in quotes, which may have signs in the place of digits."""
    plain = text.rstrip("!?:.*=")
    is_chance = len(plain) >= 10 and _changes(plain) >= 0.35 * len(plain)
    return is_password(text) or ((is_chance or _classes(plain) >= 2) and not _is_ordinary(text))


def is_login(text: str) -> bool:
    """Check whether the name and password of an address are no examples such as `user:pass`."""
    password = text.partition(":")[2]
    return not password.startswith(("$", "%", "{", "<", "*", "[")) and not _EXAMPLE.fullmatch(
        password
    )


_EXAMPLE: Final = re.compile(r"(?i)(?:my|your)?[_-]?(?:password|passwd|pass|pw|pwd|secret|token)")


def _classes(text: str) -> int:
    kinds: tuple[Callable[[str], bool], ...] = (
        str.isalpha,
        str.isdigit,
        lambda letter: letter in "!@#$%^&*_+=~?",
    )
    return sum(any(map(kind, text)) for kind in kinds)


def _entropy(text: str) -> float:
    """Return the bits for each character of a text."""
    counts = (text.count(letter) for letter in set(text))
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _changes(text: str) -> int:
    """Return how often small letters, great letters and digits take turns."""
    kinds = [(letter.islower(), letter.isdigit()) for letter in text]
    return sum(one != other for one, other in itertools.pairwise(kinds))


_CARDS: Final = re.compile(
    r"3[47]\d{13}|4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|6(?:011|5\d\d)\d{12}"
    r"|35\d{14}|3(?:0[0-5]|[68]\d)\d{11}"
)


def is_card(text: str) -> bool:
    """Check the issuer and the last digit (Luhn) of a card's number."""
    digits = text.replace(" ", "").replace("-", "")
    if _CARDS.fullmatch(digits) is None or len(set(digits)) < 2:
        return False
    doubled = (int(each) * 2 for each in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(n // 10 + n % 10 for n in doubled)) % 10 == 0

"""Cuts texts into the tokens of the default model, as BERT does (Devlin et al. 2019).

A text is put into small letters without accents and cut at spaces; marks and Chinese signs stand by
themselves; and each of these words is cut, from its begin, into the longest pieces that the
vocabulary has (WordPiece). The numbers are those of the library tokenizers, as a test compares, but
for texts with some letters of rare scripts that Unicode got after 2015, of which that library does
not know."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

_UNKNOWN, _BEGIN, _END = "[UNK]", "[CLS]", "[SEP]"
_WRITTEN_OUT: Final = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")  # tokens of their own in a text
_INNER: Final = "##"  # before a piece that begins no word
_LONGEST_WORD: Final = 100  # letters; a longer one is unknown
_KEPT: Final = 0x2E80  # only letters below this are cached: there are too many above
_REPLACEMENT: Final = 0xFFFD
_LEFT_OUT: Final = {"Cc", "Cf", "Co", "Cs"}  # categories of Unicode
_CHINESE: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPieces:
    """The vocabulary of a model; safe in any number of threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """Take the number of each piece."""
        self._numbers = vocabulary
        self._longest = max(map(len, vocabulary))
        self._unknown = vocabulary[_UNKNOWN]
        self._letters = _Letters()

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        if "[" not in text:
            return self._numbers_of_words(text)
        parts = enumerate(_WRITTEN_OUT.split(text))
        found = (
            [self._numbers[part]] if at % 2 else self._numbers_of_words(part) for at, part in parts
        )
        return list(chain.from_iterable(found))

    def with_marks(self, *texts: str) -> list[int]:
        """Return the numbers of texts that are read together, each with a mark behind it."""
        end = self._numbers[_END]
        found = chain.from_iterable((*self.numbers(text), end) for text in texts)
        return [self._numbers[_BEGIN], *found]

    def _numbers_of_words(self, text: str) -> list[int]:
        found: list[int] = []
        for word in text.translate(self._letters).split():
            number = self._numbers.get(word)
            if number is None:
                found += self._numbers_of_pieces(word)
            else:
                found.append(number)
        return found

    def _numbers_of_pieces(self, word: str) -> list[int]:
        """Return the numbers of the pieces of a word; that of the unknown if a part has none."""
        pieces = list(self._pieces(word)) if len(word) <= _LONGEST_WORD else [None]
        return [self._unknown] if pieces[-1] is None else [each for each in pieces if each]

    def _pieces(self, word: str) -> Iterator[int | None]:
        """Give the number of each piece, up to None for a part that has none."""
        begin, number = 0, self._unknown
        while begin < len(word) and number is not None:
            mark, number = _INNER if begin else "", None
            end = min(len(word), begin + self._longest)
            while end > begin and number is None:
                number = self._numbers.get(mark + word[begin:end])
                end -= number is None
            yield number
            begin = end


class _Letters(dict[int, str]):
    """A map from letters to their replacements, filled as letters are looked up."""

    def __missing__(self, code: int) -> str:
        """Return what stands in place of a letter."""
        replaced = _replaced(chr(code))
        if code < _KEPT:
            self[code] = replaced
        return replaced


def _replaced(letter: str) -> str:
    code, kind = ord(letter), unicodedata.category(letter)
    if letter in "\t\n\r" or kind[0] == "Z":
        return " "
    if code == _REPLACEMENT or kind in _LEFT_OUT:
        return ""
    plain = (each for each in unicodedata.normalize("NFD", letter) if not _is_accent(each))
    small = "".join(f" {e} " if _is_mark(e) else e.lower() for e in plain)
    return f" {small} " if _is_chinese(code) else small


def _is_accent(letter: str) -> bool:
    return unicodedata.category(letter) == "Mn"


def _is_mark(letter: str) -> bool:
    """Check for punctuation, and for what of ASCII is a sign for Unicode, such as +."""
    kind = unicodedata.category(letter)[0]
    return kind == "P" or (kind == "S" and letter.isascii())


def _is_chinese(code: int) -> bool:
    return any(first <= code <= last for first, last in _CHINESE)

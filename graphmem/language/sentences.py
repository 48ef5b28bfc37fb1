"""Finds where one sentence of a text ends and the next one begins."""

import re
from collections.abc import Iterator

from graphmem.language.lexicon import ABBREVIATIONS, FUNCTION_WORDS

_BREAK = re.compile(
    r"(?<![.!?…。！？؟।])[.!?…。！？؟।]++[\"'”’)\]]{0,3}(?:\s++|(?<=[。！？]))|\n\s*+"  # noqa: RUF001
)
_LAST_WORD = re.compile(r"\S{1,20}\Z")
_WORD = re.compile(r"[^\W\d_]+")
_CLOSING = frozenset("\"'”’)")  # noqa: RUF001
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*+[^\W\d_]")


def sentences(text: str, at_most: int | None = None) -> list[str]:
    """Return the sentences and lines of a text in order.

    With `at_most`, the last one is the whole rest. The dot of an abbreviation, an initial or the
    number of a step does not end one (Mrs. Bellini, J. Moreau, No. 5)."""
    found: list[str] = []
    begin = 0
    for end in sentence_ends(text):
        if at_most is not None and len(found) >= at_most - 1:
            break
        found.append(text[begin:end].strip())
        begin = end
    rest = text[begin:].strip()
    return [*found, rest] if rest else found


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the places after the sentences and lines of a text and the spaces after each.

    A last one without a mark or a line end has none."""
    begin = 0
    for stop in _BREAK.finditer(text):
        if _ends_sentence(text, begin, stop) and text[begin : stop.end()].strip():
            begin = stop.end()
            yield begin


def _ends_sentence(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Check whether a sentence that begins at `begin` ends with a mark or a new line."""
    mark, after = stop.group(), text[stop.end() : stop.end() + 1]
    if mark[0] == "\n" or mark.count("\n") > 1:
        return True
    if mark[0] != ".":
        return not (mark.rstrip()[-1] in _CLOSING and after.islower())  # "Is it?" he asked
    before = _LAST_WORD.search(text, max(begin, stop.start() - 20), stop.start())
    word = before.group().lstrip("([\"'") if before else ""
    lower = word.lower()
    if lower in ABBREVIATIONS["never last"]:
        return False
    if lower in ABBREVIATIONS["before numbers"] and after.isdigit():
        return False
    if lower in ABBREVIATIONS["seldom last"]:
        return after.isupper()
    if word.isupper() and _INITIALS.fullmatch(word) and "\n" not in mark:
        return word == "I" or _begins_sentence(text, stop.end())  # J.R. Moreau
    if word.isdigit() and len(word) < 3 and (before is None or before.start() == begin):
        return False  # the number of a step
    return not (mark.startswith("..") and after.islower())


def _begins_sentence(text: str, place: int) -> bool:
    """Check whether there is a capitalised function word."""
    word = _WORD.match(text, place)
    return word is not None and word[0][0].isupper() and word[0].lower() in FUNCTION_WORDS

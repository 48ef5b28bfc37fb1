"""Merges two texts that were made of the same one, line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Merged:
    """The merged text; `clashes`: the number of places where both sides had changed the same
    lines in different ways, of which the first side's stand in the text."""

    text: str
    clashes: int = 0


@dataclass(frozen=True)
class _Stretch:
    """Lines that all three texts have, or that differ in at least one."""

    same: bool
    base: Sequence[str]
    one: Sequence[str]
    other: Sequence[str]


def merge_texts(base: str, one: str, other: str) -> Merged:
    """Merge what two texts changed of a base. Where they clash, the lines of `one` stand."""
    if one == other or base == other:
        return Merged(one)
    if base == one:
        return Merged(other)
    found: list[str] = []
    clashes = 0
    for part in _stretches(_lines(base), _lines(one), _lines(other)):
        if part.same or part.one == part.other or part.base == part.other:
            found += part.one
        elif part.base == part.one:
            found += part.other
        else:
            clashes += 1
            found += part.one
    return Merged("\n".join(found), clashes)


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _stretches(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> Iterator[_Stretch]:
    """Divide three texts at the runs of lines that all of them have."""
    at_base = at_one = at_other = 0
    for start, in_one, in_other, size in _common(base, one, other):
        before = (base[at_base:start], one[at_one:in_one], other[at_other:in_other])
        if any(before):
            yield _Stretch(False, *before)
        at_base, at_one, at_other = start + size, in_one + size, in_other + size
        kept = base[start:at_base]
        yield _Stretch(True, kept, kept, kept)
    rest = (base[at_base:], one[at_one:], other[at_other:])
    if any(rest):
        yield _Stretch(False, *rest)


def _common(
    base: Sequence[str], one: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Give the runs of the base that both others have: place in each, and length."""
    in_one = SequenceMatcher(None, base, one).get_matching_blocks()
    in_other = SequenceMatcher(None, base, other).get_matching_blocks()
    i = j = 0
    while i < len(in_one) and j < len(in_other):
        first, second = in_one[i], in_other[j]
        start = max(first.a, second.a)
        end = min(first.a + first.size, second.a + second.size)
        if start < end:
            yield start, first.b + start - first.a, second.b + start - second.a, end - start
        if first.a + first.size < second.a + second.size:
            i += 1
        else:
            j += 1

"""Cuts long texts into passages, at the ends of sentences, turns and lines."""

from collections.abc import Callable, Iterator

from graphmem.domain.passages import LONGEST, MOST, Passage
from graphmem.language.sentences import sentence_ends

_SHORTEST = 16  # shorter pieces are not cut further, however many tokens they have


def passages(text: str, count: Callable[[str], int], longest: int = LONGEST) -> list[Passage]:
    """Return the passages of a text in order, at most MOST.

    Each has about as many of the tokens that `count` counts, at most `longest`; a sentence
    longer than that is cut between words."""
    parts = [
        (begin, end, count(text[begin:end]))
        for start, stop in _sentence_places(text)
        for begin, end in _halve(text, start, stop, count, longest)
    ]
    together = sum(tokens for _, _, tokens in parts)
    aim = together / max(1, -(-together // longest))
    found: list[Passage] = []
    start = last = held = 0
    for begin, end, tokens in parts:
        if held and (held + tokens > longest or held + tokens / 2 > aim):
            found.append(_trim(text, start, last))
            start, held = begin, 0
        held, last = held + tokens, end
    found.append(_trim(text, start, len(text)))
    return [passage for passage in found if passage.text][:MOST]


def _sentence_places(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for end in sentence_ends(text):
        yield begin, end
        begin = end
    if begin < len(text):
        yield begin, len(text)


def _halve(
    text: str, start: int, stop: int, count: Callable[[str], int], longest: int
) -> Iterator[tuple[int, int]]:
    """Yield a sentence in halves, or halves of halves, that are short enough."""
    if stop - start <= _SHORTEST or count(text[start:stop]) <= longest:
        yield start, stop
        return
    middle = (start + stop) // 2
    space = text.rfind(" ", start + 1, middle)
    cut = space + 1 if space > start + (middle - start) // 2 else middle
    yield from _halve(text, start, cut, count, longest)
    yield from _halve(text, cut, stop, count, longest)


def _trim(text: str, start: int, end: int) -> Passage:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return Passage(part.strip(), start, start + len(part.strip()))

"""Answers with what must differ between two worlds replaced: ids by the order in which they come
up, the users' names, numbers of events by their order."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

# A UUID, a hash, and the end of a UUID in the id of an agent that was spawned.
ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
    r"|(?<=[a-z]-)[0-9a-f]{12}\b"
)
CURSORS = frozenset(
    ("cursor", "startCursor", "endCursor", "start_cursor", "end_cursor", "next_cursor")
)
NUMBERS = frozenset(("seq",))
COUNTING = 1_000_000_000  # a smaller number of an event counts events, so it is left as it is


class Canonical:
    """One viewer's answers in one world."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names`: words that stand for the same in the other world, such as the users' ids."""
        self._names = sorted(names, key=len, reverse=True)
        self._ids: dict[str, str] = {}

    def plain(self, answer: Any) -> Any:
        """The answer as it can be compared. Numbers of events become their rank among its own."""
        ranks = {number: i for i, number in enumerate(sorted(set(numbers_in(answer))))}
        return self._plain(answer, "", ranks)

    def _plain(self, value: Any, name: str, ranks: dict[int, int]) -> Any:
        match value:
            case dict():
                return {key: self._plain(each, key, ranks) for key, each in value.items()}
            case list():
                each_plain = [self._plain(each, name, ranks) for each in value]
                return sorted(each_plain, key=json.dumps) if name == "errors" else each_plain
            case str():
                return self._text(_opened(value) if name in CURSORS else value)
            case float():
                return round(value, 9)
            case int() if name in NUMBERS and value > COUNTING:
                return f"number {ranks[value]}"
        return value

    def _text(self, text: str) -> str:
        for i, name in enumerate(self._names):
            text = text.replace(name, f"<name {i}>")
        return ID.sub(lambda found: self._id(found[0]), text)

    def _id(self, text: str) -> str:
        """The id by its place, with the time that a UUIDv7 tells: it is the same in both worlds."""
        told = f" of {text[:13]}" if text[13:15] == "-7" else ""
        return self._ids.setdefault(text, f"<id {len(self._ids)}{told}>")


def numbers_in(value: Any, name: str = "") -> Iterator[int]:
    """The numbers of events in an answer."""
    match value:
        case dict():
            for key, each in value.items():
                yield from numbers_in(each, key)
        case list():
            for each in value:
                yield from numbers_in(each, name)
        case int() if name in NUMBERS:
            yield value


def _opened(cursor: str) -> str:
    """What a cursor is made of, since it holds an id."""
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return cursor


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """The first place where two answers differ, with both values; None when they are equal."""
    if type(one) is type(other) is dict:
        for key in [*one, *(k for k in other if k not in one)]:
            if key not in one or key not in other:
                return f"{path}.{key}: {one.get(key, '-')!r} | {other.get(key, '-')!r}"
            if found := difference(one[key], other[key], f"{path}.{key}"):
                return found
        return None
    if type(one) is type(other) is list:
        for i, (left, right) in enumerate(zip(one, other, strict=False)):
            if found := difference(left, right, f"{path}[{i}]"):
                return found
        if len(one) != len(other):
            i = min(len(one), len(other))
            more = (one if len(one) > i else other)[i]
            return f"{path}: {len(one)} | {len(other)} elements; more: {json.dumps(more)[:400]}"
        return None
    return None if one == other and type(one) is type(other) else f"{path}: {one!r} | {other!r}"

"""Durations as settings write them: `48h`, `7d`."""

import re
from datetime import timedelta

_LENGTH = re.compile(r"(\d{1,5}) ?(s|m|h|d)")
_NAMES = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def read_duration(text: str) -> timedelta:
    """Parse a number of seconds, minutes, hours or days. Raises ValueError."""
    found = _LENGTH.fullmatch(text.strip())
    if found is None:
        raise ValueError("a length of time is written as 90s, 15m, 48h or 7d")
    return timedelta(**{_NAMES[found[2]]: int(found[1])})


def read_often(text: str) -> tuple[int, timedelta]:
    """Parse a count and a duration, as in `3 recalls in 7d`. Raises ValueError."""
    count, recalls, length = text.strip().partition(" recalls in ")
    if not (recalls and count.isdecimal() and 1 <= int(count) <= 1_000):
        raise ValueError("a threshold is written as 3 recalls in 7d")
    return int(count), read_duration(length)


def read_days(value: object) -> object:
    """Parse the days of a duration such as `90d`. Anything else is returned unchanged.

    Raises ValueError for a duration that is not a whole number of days."""
    if not isinstance(value, str) or value.strip().isdecimal():
        return value
    days, rest = divmod(read_duration(value), timedelta(days=1))
    if rest:
        raise ValueError("give whole days, such as 90d")
    return days


def read_hours(value: object) -> object:
    """Parse the hours of a duration such as `720h` or `30d`. Anything else is returned unchanged.

    Raises ValueError for a text that ends in a unit and is no duration."""
    if not isinstance(value, str) or not value.strip().endswith(("s", "m", "h", "d")):
        return value
    return read_duration(value) / timedelta(hours=1)

"""How long a key is valid, as it is given to `graphmem keys create --expires`."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
import typer

from graphmem.cli.keys import parse_expiry


@pytest.mark.parametrize(
    ("text", "life"),
    [
        ("30s", timedelta(seconds=30)),
        ("15m", timedelta(minutes=15)),
        ("2h", timedelta(hours=2)),
        ("90d", timedelta(days=90)),
        (" 90D ", timedelta(days=90)),
        ("4w", timedelta(days=28)),
        ("1y", timedelta(days=365.25)),
    ],
)
def test_a_time(text: str, life: timedelta):
    assert parse_expiry(text) == life


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2030-01-31", datetime(2030, 1, 31, tzinfo=UTC)),
        ("2030-01-31T09:30", datetime(2030, 1, 31, 9, 30, tzinfo=UTC)),
        ("2030-01-31 09:30:15Z", datetime(2030, 1, 31, 9, 30, 15, tzinfo=UTC)),
        (
            "2030-01-31T09:30+05:30",
            datetime(2030, 1, 31, 9, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        ),
    ],
)
def test_an_instant(text: str, instant: datetime):
    assert parse_expiry(text) == instant


def test_none_is_until_revoked():
    assert parse_expiry(None) is None


WRONG = """
h|15|15 m|-15m|1.5h|15min|999999999y|tomorrow|2030-13-01|2030-01-31T25:00|20300131|2030-W05|٣d
15m 15m|2030-01-31T09:00:00+99:00|
"""


@pytest.mark.parametrize("text", re.split(r"[|\n]", WRONG.strip()))
def test_anything_else_is_told_how(text: str):
    with pytest.raises(typer.BadParameter, match=r"such as 30s, 15m, 12h, 90d, 4w or 1y, or an"):
        parse_expiry(text)

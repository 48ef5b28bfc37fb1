"""Dates in texts, resolved against the instant that the text was said."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from graphmem.language.extraction.dates import date_mentions
from graphmem.language.extraction.pipeline import extract

WEDNESDAY = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("on 2026-03-15", "2026-03-15", "2026-03-16"),
        ("at 2026-03-15T10:00Z", "2026-03-15", "2026-03-16"),
        ("1 March 2026", "2026-03-01", "2026-03-02"),
        ("March 1st, 2026", "2026-03-01", "2026-03-02"),
        ("31/12/2026", "2026-12-31", "2027-01-01"),
        ("12/31/2026", "2026-12-31", "2027-01-01"),
        ("3.4.2026", "2026-04-03", "2026-04-04"),
        ("5 May", "2026-05-05", "2026-05-06"),
        ("Dec 24", "2025-12-24", "2025-12-25"),
        ("March 2024", "2024-03-01", "2024-04-01"),
        ("2024-05", "2024-05-01", "2024-06-01"),
        ("Q3 2026", "2026-07-01", "2026-10-01"),
        ("since 2025", "2025-01-01", "2026-01-01"),
        ("today", "2026-03-04", "2026-03-05"),
        ("Yesterday", "2026-03-03", "2026-03-04"),
        ("the day after tomorrow", "2026-03-06", "2026-03-07"),
        ("last night", "2026-03-03", "2026-03-04"),
        ("last Tuesday", "2026-03-03", "2026-03-04"),
        ("last Wednesday", "2026-02-25", "2026-02-26"),
        ("next Friday", "2026-03-06", "2026-03-07"),
        ("this Friday", "2026-03-06", "2026-03-07"),
        ("by Friday", "2026-03-06", "2026-03-07"),
        ("last week", "2026-02-23", "2026-03-02"),
        ("this weekend", "2026-03-07", "2026-03-09"),
        ("next month", "2026-04-01", "2026-05-01"),
        ("next quarter", "2026-04-01", "2026-07-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("last March", "2025-03-01", "2025-04-01"),
        ("in two weeks", "2026-03-18", "2026-03-19"),
        ("3 days ago", "2026-03-01", "2026-03-02"),
        ("a week ago", "2026-02-25", "2026-02-26"),
        ("a couple of months ago", "2026-01-01", "2026-02-01"),
        ("two years ago", "2024-01-01", "2025-01-01"),
        ("five days from now", "2026-03-09", "2026-03-10"),
    ],
)
def test_a_date_is_a_span_of_utc_days(text: str, start: str, end: str) -> None:
    (found,) = date_mentions(f"We met {text}.", WEDNESDAY)
    assert found.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert found.end == datetime.fromisoformat(end).replace(tzinfo=UTC)
    assert found.surface in f"We met {text}."


@pytest.mark.parametrize(
    "text",
    ["3/4/2026", "30 February 2026", "2025-13-45", "Friday", "1.2.3", "2026", "room 2026-1", "",
     "in 2 days of work", "may I", "99999999999 days ago", "0 March 2026"],
)  # fmt: skip
def test_what_has_no_one_reading_is_left_out(text: str) -> None:
    assert date_mentions(text, WEDNESDAY) == ()


def test_the_zone_of_the_instant_counts() -> None:
    late = datetime(2026, 3, 4, 1, tzinfo=timezone(timedelta(hours=5)))
    (found,) = date_mentions("today", late)
    assert found.start == datetime(2026, 3, 3, tzinfo=UTC)


def test_dates_out_of_range_are_left_out() -> None:
    early = datetime(50, 1, 1, tzinfo=UTC)
    assert date_mentions("999 years ago and in 999 months", early.replace(year=9990)) != ()
    assert date_mentions("999 years ago", early) == ()


def test_a_note_counts_from_when_it_happened_else_from_now() -> None:
    said = datetime(2025, 1, 10, tzinfo=UTC)
    for occurred_at, day in ((said, 9), (None, 3)):
        found = extract(
            "Yesterday it rained.", title=None, speaker=None, occurred_at=occurred_at, now=WEDNESDAY
        )
        assert [d.start.day for d in found.dates] == [day]


def test_each_surface_comes_once_and_the_number_is_bounded() -> None:
    assert len(date_mentions("today and today", WEDNESDAY)) == 1
    assert len(date_mentions(" ".join(f"2026-01-{d:02}" for d in range(1, 29)), WEDNESDAY)) == 20

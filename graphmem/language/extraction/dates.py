"""Finds the dates in a text, absolute and relative ones, as half-open spans in UTC.

Relative ones count from the instant the text was said. Ambiguous ones (03/04/2026, a bare Friday
that may be past or to come) are left out. Days and weeks from now give a day, months from now a
month, years from now a year."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from graphmem.domain.extraction import DateMention
from graphmem.language.lexicon.numbers_and_dates import MONTH, MONTHS, NUMBERS, WEEKDAY, WEEKDAYS

MOST_DATES = 20
_COUNTS: Final = MappingProxyType(
    {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}
    | {word: n for word, n in NUMBERS.items() if 0 < n <= 12}
)
_MONTH = rf"{MONTH}\.?"
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNIT = r"(?:day|week|month|year)s?"
_PATTERN = re.compile(
    r"(?<![\w./-])(?:"
    r"(?P<iso>(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2}))(?=T\d|[^\w-]|-\D|-?\Z)"
    r"|(?P<iso_month>(?P<imy>(?:19|20)\d{2})-(?P<imm>\d{2}))(?![\w-])"
    r"|(?P<slashed>(?P<sa>\d{1,2})(?P<sign>[/.])(?P<sb>\d{1,2})(?P=sign)(?P<sy>(?:19|20)\d\d))"
    r"(?!\w)"
    rf"|(?P<day_first>(?P<da>\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?(?P<db>{_MONTH}),?(?: (?P<dy>(?:19|20)\d{{2}}))?)(?!\w)"  # noqa: E501
    rf"|(?P<month_first>(?P<ma>{_MONTH}) (?P<mb>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<my>(?:19|20)\d{{2}}))?)(?![\w:])"  # noqa: E501
    rf"|(?P<month_year>(?P<na>{_MONTH}),? (?:of )?(?P<ny>(?:19|20)\d{{2}}))(?!\w)"
    r"|(?P<quarter>q(?P<qn>[1-4])(?:,? (?:of )?(?P<qy>(?:19|20)\d{2})))(?!\w)"
    r"|(?P<year>(?:in|since|until|during|by|before|after|of) (?P<yy>(?:19|20)\d\d))"
    r"(?![\w,.]*\d)(?![-/]\d)"
    r"|(?P<near>the day before yesterday|the day after tomorrow|yesterday|today|tonight|tomorrow|"
    r"last night|this morning|this afternoon|this evening)(?!\w)"
    rf"|(?P<ago>(?P<an>{_NUMBER}) (?P<au>{_UNIT}) (?:ago|earlier))(?!\w)"
    rf"|(?P<ahead>(?:in|within) (?P<hn>{_NUMBER}) (?P<hu>{_UNIT}))(?!\w)(?! (?:of|or)\b)"
    rf"|(?P<hence>(?P<fn>{_NUMBER}) (?P<fu>{_UNIT}) from (?:now|today))(?!\w)"
    rf"|(?P<named>(?P<which>last|next|this|past|coming) (?P<what>{WEEKDAY}|weekend|week|month|year|quarter|{_MONTH}))(?!\w)"  # noqa: E501
    rf"|(?P<due>(?:by|until|till|due|due on|before) (?P<dueday>{WEEKDAY}))(?!\w)"
    r")",
    re.IGNORECASE,
)
_DAY = timedelta(days=1)


def date_mentions(text: str, said_at: datetime) -> tuple[DateMention, ...]:
    """Return the dates of a text in order, each surface once, at most 20; `said_at` is aware."""
    today = said_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found: dict[str, DateMention] = {}
    for match in _PATTERN.finditer(text):
        if len(found) == MOST_DATES:
            break
        span = _resolve(match, today)
        surface = match.group().rstrip(",")
        if span is not None:
            found.setdefault(surface, DateMention(surface=surface, start=span[0], end=span[1]))
    return tuple(found.values())


def _resolve(match: re.Match[str], today: datetime) -> tuple[datetime, datetime] | None:
    """Return the span of a match; None if there is no such day."""
    form = next(name for name in _RULES if match[name] is not None)
    try:
        return _RULES[form](match, today)
    except (ValueError, OverflowError):
        return None


def _day_span(year: int, month: int, day: int) -> tuple[datetime, datetime]:
    start = datetime(year, month, day, tzinfo=UTC)
    return start, start + _DAY


def _month_span(year: int, month: int, count: int = 1) -> tuple[datetime, datetime]:
    """Return `count` months from a month on; `month` may lie outside 1 to 12."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + count
    return (
        datetime(first // 12, first % 12 + 1, 1, tzinfo=UTC),
        datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC),
    )


def _month_number(word: str) -> int:
    return MONTHS[word.lower().rstrip(".")]


def _resolve_slashed(m: re.Match[str], today: datetime) -> tuple[datetime, datetime] | None:
    """Resolve a date with slashes if it has one reading.

    31/12/2026 and 12/31/2026 have one, 3/4/2026 has two; 3.4.2026 is day first."""
    one, two, year = int(m["sa"]), int(m["sb"]), int(m["sy"])
    if m["sign"] == "." or one > 12 or one == two:
        return _day_span(year, two, one)
    return _day_span(year, one, two) if two > 12 else None


def _in_year(month: int, day: int, year: str | None, today: datetime) -> tuple[datetime, datetime]:
    """Return a day of a month; without a year the one that is nearest to today."""
    if year:
        return _day_span(int(year), month, day)
    near = []
    for each in (today.year - 1, today.year, today.year + 1):
        try:
            near.append(_day_span(each, month, day))
        except ValueError:
            continue
    return min(near, key=lambda span: abs(span[0] - today))


def _resolve_near(m: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    word = m["near"].lower()
    days = {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(word, 0)
    days = {"the day before yesterday": -2, "the day after tomorrow": 2}.get(word, days)
    return today + days * _DAY, today + (days + 1) * _DAY


def _resolve_distance(
    number: str, unit: str, today: datetime, sign: int
) -> tuple[datetime, datetime]:
    count = sign * (_COUNTS[n] if (n := number.lower()) in _COUNTS else int(n))
    match unit.lower().rstrip("s"):
        case "day" | "week" as each:
            start = today + count * (7 if each == "week" else 1) * _DAY
            return start, start + _DAY
        case "month":
            return _month_span(today.year, today.month + count)
        case _:
            return _month_span(today.year + count, 1, 12)


def _resolve_named(m: re.Match[str], today: datetime) -> tuple[datetime, datetime] | None:
    """Resolve last Tuesday, next month, this weekend; weeks begin on Monday."""
    which = {"last": -1, "past": -1, "next": 1, "coming": 1}.get(m["which"].lower(), 0)
    what = m["what"].lower().rstrip(".")
    monday = today - today.weekday() * _DAY
    match what:
        case "week":
            return monday + which * 7 * _DAY, monday + (which + 1) * 7 * _DAY
        case "weekend":
            saturday = monday + (5 + 7 * which) * _DAY
            return saturday, saturday + 2 * _DAY
        case "month":
            return _month_span(today.year, today.month + which)
        case "year":
            return _month_span(today.year + which, 1, 12)
        case "quarter":
            return _month_span(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * which, 3)
    if what in WEEKDAYS:
        return _weekday(WEEKDAYS[what], which, today)
    month = MONTHS[what]
    year = today.year + (which if (month - today.month) * which <= 0 else 0)
    return _month_span(year, month)


def _weekday(weekday: int, which: int, today: datetime) -> tuple[datetime, datetime]:
    """Return the day for a weekday.

    last: the newest before today; next: the first after today; this: of this week."""
    if which < 0:
        start = today - ((today.weekday() - weekday - 1) % 7 + 1) * _DAY
    elif which > 0:
        start = today + ((weekday - today.weekday() - 1) % 7 + 1) * _DAY
    else:
        start = today + (weekday - today.weekday()) * _DAY
    return start, start + _DAY


_Rule = Callable[[re.Match[str], datetime], tuple[datetime, datetime] | None]
_RULES: Final[dict[str, _Rule]] = {
    "iso": lambda m, _: _day_span(int(m["iy"]), int(m["im"]), int(m["id"])),
    "iso_month": lambda m, _: _checked_month(int(m["imy"]), int(m["imm"])),
    "slashed": _resolve_slashed,
    "day_first": lambda m, today: _in_year(_month_number(m["db"]), int(m["da"]), m["dy"], today),
    "month_first": lambda m, today: _in_year(_month_number(m["ma"]), int(m["mb"]), m["my"], today),
    "month_year": lambda m, _: _month_span(int(m["ny"]), _month_number(m["na"])),
    "quarter": lambda m, _: _month_span(int(m["qy"]), 3 * int(m["qn"]) - 2, 3),
    "year": lambda m, _: _month_span(int(m["yy"]), 1, 12),
    "near": _resolve_near,
    "ago": lambda m, today: _resolve_distance(m["an"], m["au"], today, -1),
    "ahead": lambda m, today: _resolve_distance(m["hn"], m["hu"], today, 1),
    "hence": lambda m, today: _resolve_distance(m["fn"], m["fu"], today, 1),
    "named": _resolve_named,
    "due": lambda m, today: _weekday(WEEKDAYS[m["dueday"].lower()], 1, today),
}


def _checked_month(year: int, month: int) -> tuple[datetime, datetime] | None:
    return _month_span(year, month) if 1 <= month <= 12 else None

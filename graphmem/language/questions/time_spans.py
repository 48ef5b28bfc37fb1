"""Finds the spans of time that a question asks about, from the dates that it names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from graphmem.domain.extraction import DateMention
from graphmem.domain.notes import BEGINNING, NEVER
from graphmem.language.lexicon.numbers_and_dates import MONTH, MONTHS, NUMBERS, WEEKDAY, YEAR

DateReader = Callable[[str, datetime], Sequence[DateMention]]

MAX_TIME_SPANS = 3
_ABOUT = timedelta(days=3)  # "two weeks ago" is not an exact day
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_TO = r"(?P<to> ?[-–] ?| (?:and|to|until|till|through) (?:the )?)"  # noqa: RUF001
_NUMBERS: Final = {word: n for word, n in NUMBERS.items() if 1 < n <= 12} | {
    "few": 4,
    "couple of": 2,
    "several": 5,
}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNITS: Final = {"day": 1, "weekend": 7, "week": 7, "month": 31, "year": 366}  # days, at most
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|plan(?:s|ned|ning)?|upcoming|coming|next|due|scheduled?|'ll)\b", re.I
)
_SAME_MONTH = re.compile(
    rf"\b(?P<one>{_DAY}){_TO}(?P<other>{_DAY} (?:of )?)(?P<rest>{MONTH}(?:,? {YEAR})?)", re.I
)
_MONTH_DAYS = re.compile(
    rf"\b(?P<month>{MONTH}) (?P<one>{_DAY}){_TO}(?P<other>{_DAY})(?P<year>,? {YEAR})?(?!\w)", re.I
)
_SAME_YEAR = re.compile(
    rf"\b(?P<one>(?:{_DAY} )?{MONTH}(?: {_DAY})?){_TO}"
    rf"(?P<other>(?:{_DAY} )?{MONTH}(?: {_DAY})?,?) (?P<year>{YEAR})\b",
    re.I,
)
_OF_YEAR = re.compile(rf"\b(?P<month>{MONTH}) (?:of )?(?P<which>last|this|next) year\b", re.I)
_TWO_MONTHS = re.compile(
    rf"\b(?P<word>between|from) (?P<one>{MONTH}){_TO}(?P<other>{MONTH})(?!,? ?\d)", re.I
)
_BARE_MONTH = re.compile(
    r"\b(?P<word>in|during|since|until|till|before|after|early|late|mid) "
    rf"(?P<month>{MONTH})(?!,? (?:of )?\d|\w)",
    re.I,
)
_BARE_DAY = re.compile(
    rf"\b(?:(?P<first>{_DAY}) (?:of )?)?(?P<month>{MONTH})(?(first)| (?P<day>{_DAY}))"
    rf"(?!\w)(?!:\d)(?!,? (?:of )?{YEAR})",
    re.I,
)
_BARE_YEARS = re.compile(
    rf"\b(?P<word>between|from) (?P<one>{YEAR}){_TO}(?P<other>{YEAR})\b(?!-)", re.I
)
_UNIT_BEFORE = re.compile(r"\blast (?P<unit>day|weekend|week|month|year) (?P<side>before)\b", re.I)
_BARE_WEEKDAY = re.compile(rf"\b(?P<word>on|since) (?P<day>{WEEKDAY})\b", re.I)
_LAST_UNITS = re.compile(
    rf"\b(?:(?:in|over|during|within|for) )?(?:the |these )?(?:last|past) (?P<n>{_COUNT}) "
    r"(?P<unit>day|week|month|year)s\b",
    re.I,
)
_LEAD = 40  # characters before a date that are considered
_FILL = r"(?:the |on |in |early |late |mid-?|about |around )*$"
_SINCE = re.compile(rf"\b(?:since|from|starting) {_FILL}", re.I)
_AFTER = re.compile(rf"\bafter {_FILL}", re.I)
_BEFORE = re.compile(rf"\b(?:before|prior to|earlier than) {_FILL}", re.I)
_UNTIL = re.compile(rf"\b(?:until|till|up to|by) {_FILL}", re.I)
_NEAR_DATE = re.compile(
    rf"\b(?:(?P<n>{_COUNT}) )?(?P<unit>day|weekend|week|month|year)s? "
    rf"(?P<side>before|after) {_FILL}",
    re.I,
)
_PAIR = re.compile(r" ?(?:[-–]|,?\b(?:and|to|until|till|through)\b) ?(?:the |on |in )*", re.I)  # noqa: RUF001
_BETWEEN = re.compile(rf"\bbetween {_FILL}", re.I)
_OWN_WORD = re.compile(r"(?:in|since|until|during|by|before|after|of) ", re.I)
_WEEKS_AGO = re.compile(r"\bweeks? (?:ago|earlier)$", re.I)


@dataclass(frozen=True)
class TimeSpan:
    """Instants from `start` up to, not including, `end`, in UTC."""

    start: datetime
    end: datetime

    def holds(self, mention: DateMention) -> bool:
        """Check whether a date named in a text lies entirely within this span."""
        return self.start <= mention.start and mention.end <= self.end


@dataclass(frozen=True)
class _Placed:
    """A date of the question with its place."""

    mention: DateMention
    start: int
    end: int


def time_spans(text: str, now: datetime, read: DateReader) -> tuple[TimeSpan, ...]:
    """Return the times that a question asks about, in its order, at most three.

    Empty if it names no existing date. `read` finds the dates of a text said at an instant. A
    month without a year is the last one, or the next one if the question is about the future; so
    is a weekday. "since", "before" and the like open a span to one side."""
    plain = spell_out_dates(text, now)
    placed = _place_dates(plain, read(plain, now))
    found: dict[TimeSpan, None] = {}
    i = 0
    while i < len(placed):
        pair = i + 1 < len(placed) and _are_ends(plain, placed[i], placed[i + 1])
        span = _join_span(placed[i], placed[i + 1]) if pair else _create_span(plain, placed[i], now)
        if span is not None:
            found.setdefault(span)
        i += 2 if pair else 1
    return tuple(found)[:MAX_TIME_SPANS]


def spell_out_dates(text: str, now: datetime) -> str:
    """Return the question with every date in full: "between May and July 2023" names May 2023."""
    coming = _FUTURE.search(text) is not None

    def month(name: str) -> str:
        number = MONTHS[name.lower()]
        if number == now.month:
            return f"this {name}"
        if coming:
            return f"next {name}"
        return f"{'this' if number < now.month else 'last'} {name}"

    def year_of(number: int, day: int) -> int:
        if coming:
            return now.year + ((number, day) < (now.month, now.day))
        return now.year - ((number, day) > (now.month, now.day))

    def dated(m: re.Match[str]) -> str:
        day = int((m["first"] or m["day"]).rstrip("stndrh"))
        return f"{m.group()} {year_of(MONTHS[m['month'].lower()], day)}"

    def days(m: re.Match[str]) -> str:
        year = m["year"] or ""
        return f"{m['month']} {m['one']}{year}{m['to']}{m['month']} {m['other']}{year}"

    text = _SAME_MONTH.sub(
        lambda m: f"{m['one']} {m['rest']}{m['to']}{m['other']}{m['rest']}", text
    )
    text = _MONTH_DAYS.sub(days, text)
    text = _SAME_YEAR.sub(
        lambda m: f"{m['one']} {m['year']}{m['to']}{m['other']} {m['year']}", text
    )
    years = {"last": now.year - 1, "this": now.year, "next": now.year + 1}
    text = _OF_YEAR.sub(lambda m: f"{m['month']} {years[m['which'].lower()]}", text)
    text = _TWO_MONTHS.sub(
        lambda m: f"{m['word']} {month(m['one'])}{m['to']}{month(m['other'])}", text
    )
    text = _BARE_DAY.sub(dated, text)
    text = _BARE_MONTH.sub(lambda m: f"{m['word']} {month(m['month'])}", text)
    text = _BARE_YEARS.sub(lambda m: f"{m['word']} in {m['one']}{m['to']}in {m['other']}", text)
    text = _UNIT_BEFORE.sub(r"\g<unit> \g<side>", text)
    which = "next" if coming else "last"
    text = _BARE_WEEKDAY.sub(lambda m: f"{m['word']} {which} {m['day']}", text)
    return _LAST_UNITS.sub(lambda m: f"since {_parse_count(m['n'])} {m['unit']}s ago", text)


def _parse_count(word: str) -> int:
    return _NUMBERS.get(word.lower()) or int(word)


def _place_dates(text: str, mentions: Sequence[DateMention]) -> list[_Placed]:
    placed, at = [], 0
    for mention in mentions:
        start = text.find(mention.surface, at)
        if start >= 0:
            own = _OWN_WORD.match(mention.surface)  # "in 2023" is found with its "in"
            at = start + len(mention.surface)
            placed.append(_Placed(mention, start + own.end() if own else start, at))
    return placed


def _are_ends(text: str, one: _Placed, other: _Placed) -> bool:
    """Check whether two dates are the ends of one span: between A and B, A to B."""
    gap = _PAIR.fullmatch(text, one.end, other.start)
    if gap is None:
        return False
    return "and" not in gap.group().lower() or _match_before(_BETWEEN, text, one) is not None


def _match_before(by: re.Pattern[str], text: str, date: _Placed) -> re.Match[str] | None:
    return by.search(text[max(0, date.start - _LEAD) : date.start])


def _join_span(one: _Placed, other: _Placed) -> TimeSpan:
    early, late = sorted((one.mention, other.mention), key=lambda mention: mention.start)
    return TimeSpan(early.start, max(early.end, late.end))


def _create_span(text: str, date: _Placed, now: datetime) -> TimeSpan | None:
    mention = date.mention
    start = now if mention.start > now else BEGINNING  # by Friday: from now on
    if near := _match_before(_NEAR_DATE, text, date):
        return _span_next_to(mention, near)
    if _match_before(_SINCE, text, date):
        return TimeSpan(mention.start, NEVER)
    if _match_before(_AFTER, text, date):
        return TimeSpan(mention.end, NEVER)
    if _match_before(_BEFORE, text, date):
        return TimeSpan(start, mention.start)
    if _match_before(_UNTIL, text, date):
        return TimeSpan(start, mention.end)
    if _WEEKS_AGO.search(mention.surface):
        return TimeSpan(mention.start - _ABOUT, mention.end + _ABOUT)
    return TimeSpan(mention.start, mention.end)


def _span_next_to(mention: DateMention, near: re.Match[str]) -> TimeSpan | None:
    """Return the span up to a date, or from it on: the week before it, three days after it."""
    away = timedelta(
        days=_UNITS[near["unit"].lower()] * (_parse_count(near["n"]) if near["n"] else 1)
    )
    try:
        if near["side"].lower() == "before":
            return TimeSpan(mention.start - away, mention.start)
        return TimeSpan(mention.end, mention.end + away)
    except OverflowError:
        return None

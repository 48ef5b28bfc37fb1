"""What a question asks for, by its words."""

from datetime import UTC, datetime
from functools import partial

import pytest
from growth import is_steep

from graphmem.domain.notes import BEGINNING, NEVER
from graphmem.language.extraction.dates import date_mentions
from graphmem.language.naming.lookup import LEAST_FIT, fit
from graphmem.language.questions.time_spans import time_spans
from graphmem.language.questions.understanding import (
    QuestionIntent,
    Strategy,
    topic_of,
    understand,
    without_courtesy,
)

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)  # a Wednesday


def asked(text: str) -> QuestionIntent:
    return understand(text, NOW, date_mentions)


def days(text: str) -> list[str]:
    """The spans of a question as first..last day; open ends are empty."""
    found = []
    for span in time_spans(text, NOW, date_mentions):
        start = "" if span.start == BEGINNING else f"{span.start:%Y-%m-%d}"
        end = "" if span.end == NEVER else f"{span.end:%Y-%m-%d}"
        found.append(f"{start}..{end}")
    return found


@pytest.mark.feature("MOLT-56")
@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("When did we sign last March?", "2025-03-01..2025-04-01"),
        ("WHAT HAPPENED IN MAY 2023", "2023-05-01..2023-06-01"),
        ("what did I do yesterday?", "2026-03-03..2026-03-04"),
        ("who called on 5 June 2023", "2023-06-05..2023-06-06"),
        ("What came on June 5th, 2023?", "2023-06-05..2023-06-06"),
        ("anything on 2023-06-05?", "2023-06-05..2023-06-06"),
        ("what was said two weeks ago", "2026-02-15..2026-02-22"),
        ("what was said 3 days ago", "2026-03-01..2026-03-02"),
        ("between 3 and 5 June 2023", "2023-06-03..2023-06-06"),
        ("from June 3 to 5, 2023", "2023-06-03..2023-06-06"),
        ("from May 3 to June 7, 2023", "2023-05-03..2023-06-08"),
        ("between 5th and 9th of May", "2025-05-05..2025-05-10"),
        ("between May and July 2023", "2023-05-01..2023-08-01"),
        ("between May and July", "2025-05-01..2025-08-01"),
        ("between 2024-05-01 and 2023-04-01", "2023-04-01..2024-05-02"),
        ("from 2021 to 2023", "2021-01-01..2024-01-01"),
        ("in Q2 2025", "2025-04-01..2025-07-01"),
        ("since March 2025", "2025-03-01.."),
        ("since last Monday", "2026-03-02.."),
        ("after 5 May 2025", "2025-05-06.."),
        ("before 2024", "..2024-01-01"),
        ("until 5 May 2025", "..2025-05-06"),
        ("what is due by Friday", "2026-03-04..2026-03-07"),
        ("the week before August 3, 2023", "2023-07-27..2023-08-03"),
        ("two weeks before August 11, 2023", "2023-07-28..2023-08-11"),
        ("last weekend before April 10, 2023", "2023-04-03..2023-04-10"),
        ("3 days after 1 May 2023", "2023-05-02..2023-05-05"),
        ("in the last 3 days", "2026-03-01.."),
        ("over the past few weeks", "2026-02-04.."),
        ("what did we do in April", "2025-04-01..2025-05-01"),
        ("what did we do in February", "2026-02-01..2026-03-01"),
        ("what will we do in April", "2026-04-01..2026-05-01"),
        ("what is planned for 24 December", "2026-12-24..2026-12-25"),
        ("what did we eat on 24 December", "2025-12-24..2025-12-25"),
        ("in May last year", "2025-05-01..2025-06-01"),
        ("who came on Monday", "2026-03-02..2026-03-03"),
        ("who will come on Monday", "2026-03-09..2026-03-10"),
        ("early in May 2024", "2024-05-01..2024-06-01"),
    ],
)
def test_a_time_becomes_a_span(text: str, span: str) -> None:
    assert days(text) == [span]
    assert asked(text).strategy is Strategy.TEMPORAL


def test_several_times_are_several_spans() -> None:
    assert days("Compare March 2023 and June 2024.") == [
        "2023-03-01..2023-04-01",
        "2024-06-01..2024-07-01",
    ]
    assert len(days("1 May 2020, 2 May 2021, 3 May 2022, 4 May 2023, 5 May 2024")) == 3
    assert days("in May 2023 or, again, in May 2023") == ["2023-05-01..2023-06-01"]


@pytest.mark.parametrize(
    "text",
    ["When did we ship on 30 February 2025?", "may I march in?", "march on", "31/31/2025", "",
     "between and", "the 3rd", "May Lin called", "room 2023", "1.2.3 since", "at 10:30",
     "between 2 pm and 4 pm"],
)  # fmt: skip
def test_what_is_no_date_is_no_time(text: str) -> None:
    assert days(text) == []


def test_spans_at_the_ends_of_the_calendar() -> None:
    assert time_spans("999 years before 1 May 1900", NOW, date_mentions)
    assert time_spans("999 years after 1 May 2099", NOW, date_mentions)
    early = NOW.replace(year=1)
    assert time_spans("who came 5 years ago", early, date_mentions) == ()
    assert time_spans("999 years after tomorrow", NOW.replace(year=9998), date_mentions) == ()
    time_spans("last year, on Monday, in June", early, date_mentions)
    time_spans(
        "next year, in June 2 weeks ago", NOW.replace(year=9999, month=12, day=31), date_mentions
    )


@pytest.mark.feature("MOLT-56", "MOLT-57", "MOLT-58", "MOLT-59", "MOLT-60")
@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("When did we ship?", Strategy.TEMPORAL),
        ("so, when was the release?", Strategy.TEMPORAL),
        ("What day did Ruta leave?", Strategy.TEMPORAL),
        ("How long ago did we meet?", Strategy.TEMPORAL),
        ("What do you know about Halden since May 2025?", Strategy.TEMPORAL),
        ("what's the latest from last week?", Strategy.TEMPORAL),
        ("How do I ship?", Strategy.PROCEDURAL),
        ("how do we usually ship in May 2025", Strategy.PROCEDURAL),
        ("Please tell me how to ship", Strategy.PROCEDURAL),
        ("Can you remind me how to bake bread?", Strategy.PROCEDURAL),
        ("What's the usual process for a release?", Strategy.PROCEDURAL),
        ("steps to release", Strategy.PROCEDURAL),
        ("What's the latest on Halden?", Strategy.LATEST),
        ("what\u2019s new with the kiln", Strategy.LATEST),
        ("Any updates on the kiln?", Strategy.LATEST),
        ("the most recent version", Strategy.LATEST),
        ("status of the kiln?", Strategy.LATEST),
        ("When did we last see Ruta?", Strategy.LATEST),
        ("What have we been doing lately?", Strategy.LATEST),
        ("Where are the spare keys now?", Strategy.LATEST),
        ("Who leads Harbour these days, and since when?", Strategy.LATEST),
        ("Does Ann still work at Halden?", Strategy.LATEST),
        ("Which oil does the kiln use at present?", Strategy.LATEST),
        ("What is the current price of a jar?", Strategy.LATEST),
        ("I am tired now. What did we say about it?", Strategy.HYBRID),
        ("Would Ann still want the job?", Strategy.HYBRID),
        ("What did Ruta paint recently?", Strategy.HYBRID),
        ("What do you know about Halden?", Strategy.ENTITY),
        ("who is Ruta Moen?", Strategy.ENTITY),
        ("the memory project", Strategy.ENTITY),
        ("Tell me everything you know about the kiln, please.", Strategy.ENTITY),
        ("Who am I?", Strategy.HYBRID),
        ("Who is the mother of the director?", Strategy.HYBRID),
        ("Who is responsible for billing?", Strategy.HYBRID),
        ("What do you know?", Strategy.HYBRID),
        ("What do you know about it?", Strategy.HYBRID),
        ("kiln relay", Strategy.HYBRID),
        ("How did Ruta feel about the kiln?", Strategy.HYBRID),
        ("How does the kiln work?", Strategy.HYBRID),
        ("What is the when-did table?", Strategy.HYBRID),
        ("The landlord came by and told us that the lease he gave us yesterday was not the one "
         "that he wanted us to have.", Strategy.HYBRID),
        ("I am so much happier at home these days.", Strategy.HYBRID),
        ("", Strategy.HYBRID),
        ("???", Strategy.HYBRID),
    ],
)  # fmt: skip
def test_words_choose_the_strategy(text: str, strategy: Strategy) -> None:
    for each in (text, text.upper(), f"  {text}\n"):
        assert asked(each).strategy is strategy


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("What do you know about the memory project?", "memory project"),
        ("what do we know so far about Halden", "Halden"),
        ("Tell me about my sister's dog, please!", "sister's dog"),
        ("Who was Ruta Moen again?", "Ruta Moen"),
        ("everything about C++", "C++"),
        ("anything you remember about St. Olav's Gate?", "St. Olav's Gate"),
        ("describe the University of Bergen", "University of Bergen"),
        ("what do you know about a b c d e f g h i j", ""),
    ],
)
def test_the_thing_asked_about(text: str, thing: str) -> None:
    assert asked(text).thing == thing


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Could you please tell me when Ann went to Rome?", "when Ann went to Rome?"),
        ("Please remind us what the kiln costs, thanks!", "what the kiln costs"),
        ("I was wondering whether the deal with Acme closed", "the deal with Acme closed"),
        ("Hey, do you happen to know who owns the kiln?", "who owns the kiln?"),
        ("I\u2019d like to know Ada's plan", "Ada's plan"),
        ("What\u2019s Ann\u2019s plan?", "What\u2019s Ann\u2019s plan?"),
        ("What did Ann tell me about Bob?", "What did Ann tell me about Bob?"),
        ("Will you marry me?", "Will you marry me?"),
        ("Tell us everything, please", "Tell us everything, please"),
        ("tell me about " * 90, "tell me about " * 90),
        ("", ""),
    ],
)
def test_courtesy_is_no_part_of_a_question(text: str, plain: str) -> None:
    assert without_courtesy(text) == plain


def test_the_topic_is_what_is_left() -> None:
    assert topic_of("What did we decide on the lease in May 2023?") == ("lease",)
    assert topic_of("What happened last week?") == ()
    assert asked("how do I usually ship").topic == ("ship",)


def _repeated(part: str, size: int) -> str:
    return (part * size)[:size]


def test_a_long_text_takes_no_longer() -> None:
    for part in ("what do you know about a ", "when did last ", "between 3 and ", "in may ", "a"):
        text = _repeated(part, 10_000)
        assert asked(text) == QuestionIntent()
        assert not is_steep(
            lambda text: time_spans(text, NOW, date_mentions), partial(_repeated, part), len(text)
        )


@pytest.mark.feature("MOLT-61")
@pytest.mark.parametrize(
    ("thing", "name", "kind"),
    [
        ("memory project", "project--moltbot-memory", None),
        ("memory project", "Moltbot Memory", "Project"),
        ("the memory project", "Moltbot Memory", None),
        ("MOLTBOT", "moltbot memory", None),
        ("moltbot-memory", "Moltbot Memory", None),
        ("moltbotmemory", "Moltbot Memory", None),
        ("Haldn", "Halden", None),
        ("deploy tool", "Deploybot", "tool"),
        ("Mr. Olsen", "Olsen", "PERSON"),
        ("new moltbot memory", "Moltbot Memory", None),
        ("Müller", "Mueller Muller", None),
    ],
)
def test_a_description_fits_a_name(thing: str, name: str, kind: str | None) -> None:
    assert fit(thing, name, kind) >= LEAST_FIT


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        ("memory project", "Halden"),
        ("Ann", "Anna"),
        ("GPT 4", "GPT 5"),
        ("kiln", "king"),
        ("the", "The Band"),
        ("red memory stick", "Moltbot Memory"),
        ("Olsen", ""),
        ("", "Olsen"),
    ],
)
def test_another_name_does_not_fit(thing: str, name: str) -> None:
    assert fit(thing, name) < LEAST_FIT


def test_the_closer_name_fits_better() -> None:
    assert fit("memory", "Memory") > fit("memory", "Moltbot Memory") > fit("memory", "A B Memory")
    assert fit("Halden", "Halden Bank") > fit("Haldn", "Halden Bank")

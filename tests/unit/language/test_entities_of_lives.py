"""Which things are read out of notes of four lives, their titles included."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from graphmem.domain.ids import name_key
from graphmem.language.extraction import extract, title_names
from tests.fakes.lives import SET_ASIDE, WRITTEN_WITH, Row

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


def read(title: str, text: str) -> dict[str, str]:
    """The keys of the things in a note, with their types."""
    found = extract(text, title=title or None, speaker=None, occurred_at=None, now=NOW)
    things = {name_key(each.name): each.type or "thing" for each in found.entities}
    for name in title_names(title, text)[:1]:
        things.setdefault(name_key(name), "thing")
    return things


def figures(rows: Sequence[Row]) -> tuple[int, int, int, int]:
    """How many names there are, how many are found, with the right type, and found in vain."""
    wanted = found = typed = vain = 0
    for title, text, names in rows:
        things, right = read(title, text), {name_key(name): types for name, types in names.items()}
        both = things.keys() & right.keys()
        wanted, found = wanted + len(right), found + len(both)
        typed += sum(things[key] in right[key].split() for key in both)
        vain += len(things.keys() - right.keys())
    return wanted, found, typed, vain


def test_the_notes_that_the_rules_were_written_with_are_read_as_they_should_be() -> None:
    assert figures(WRITTEN_WITH) == (38, 38, 38, 0)


def test_notes_that_were_set_aside_are_read_nearly_as_well() -> None:
    wanted, found, typed, vain = figures(SET_ASIDE)
    assert (wanted, vain) == (40, 2)
    assert found >= 39
    assert typed >= 38


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("Quarry Lane", "", ("Quarry Lane",)),
        ("Halden (project)", "It goes on.", ("Halden (project)", "Halden")),
        ("Halden", "", ("Halden",)),
        ("Home Alone", "Home Alone is a film.", ("Home Alone",)),
        ("Louis V of France", "He was a king.", ("Louis V of France",)),
        ("Parkway Pines, New Jersey", "A place.", ("Parkway Pines, New Jersey",)),
        ("Glaze recipe", "Chalk and feldspar.", ()),
        ("Weekly Summary", "We threw mugs.", ()),
        ("Kiln log (draft)", "We fired.", ()),
        ("Departure", "The ship left.", ()),
        ("Call with Ann Lee", "She asks.", ()),
        ("Kestrel Migration Plan", "We move.", ()),
        ("Ofen", "Der Ofen ist heiß und die Schalen sind nicht trocken.", ()),
    ],
)
def test_titles_that_are_names(title: str, text: str, names: tuple[str, ...]) -> None:
    assert title_names(title, text) == names


def test_a_title_that_is_no_name_still_gives_the_name_in_it() -> None:
    assert read("Call with Amadou Keita", "He asks for more.") == {"amadou keita": "person"}
    assert read("Kestrel Migration Plan", "We move on Monday.") == {"kestrel": "thing"}
    assert read("Halden and the roof", "We told Halden of it.") == {"halden": "person"}


@pytest.mark.parametrize(
    "text",
    [
        "We read Chapter 3, Step 2, Page 10 and Section 4.",
        "It was Day 5 of Week 12, for Version 2 at Level 6.",
        "We paid 450 euros at 10:30 on 3 May 2026.",
        "We waited by the kiln 4 hours.",
        "May 5 is free, and so is June 2027.",
    ],
)
def test_numbers_that_are_no_names(text: str) -> None:
    assert read("", text) == {}


def test_a_numbered_thing_is_the_same_when_it_is_written_again() -> None:
    for text in ("We lit Kiln 4.", "then kiln 4 tripped", "We lit Kiln #4.", "We lit Kiln No. 4."):
        assert [*read("", text)] == ["kiln 4"]
    assert [*read("", "We called Ribe about Line 7B and Gate B.")][-2:] == ["line 7 b", "gate b"]
    assert read("", "They sold the iPhone 15 Pro.") == {"iphone 15 pro": "product"}


@pytest.mark.parametrize(
    ("text", "thing", "kind"),
    [
        ("Our buyer Odalys took the bowls.", "Odalys", "person"),
        ("Halvard, the accountant, has it.", "Halvard", "person"),
        ("It is late, said Birgitta.", "Birgitta", "person"),
        ("So Jorunn called us.", "Jorunn", "person"),
        ("We agreed with Tobiah on it.", "Tobiah", "person"),
        ("We rent a shed in Gdynia.", "Gdynia", "place"),
        ("She came from Ribe.", "Ribe", "place"),
        ("Koskela Oy has the cargo.", "Koskela Oy", "organisation"),
        ("Pottery Supplies Ltd brought clay.", "Pottery Supplies Ltd", "organisation"),
        ("There is a bug in Quillbase again.", "Quillbase", "thing"),
    ],
)
def test_what_stands_around_a_name_shows_its_type(text: str, thing: str, kind: str) -> None:
    assert read("", text)[name_key(thing)] == kind


def test_ordinary_words_of_other_languages_are_no_names() -> None:
    german = "Die Lieferung kommt am Montag, und der Ofen ist noch heiß."
    assert read("Lieferung", german) == {}
    assert read("", german + " Frau Zeller und «Quillbase» sind da.") == {
        "frau zeller": "person",
        "quillbase": "thing",
    }
    spanish = "El barco llega a Cartagena con la carga, pero no hay capitán. Nadie sabe por qué."
    assert read("Carga", spanish) == {"cartagena": "thing"}

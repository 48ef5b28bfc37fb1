"""Titles of works, and the words of chat that are part of no name."""

from datetime import UTC, datetime

import pytest

from graphmem.domain.notes import EntityDraft
from graphmem.language.extraction.pipeline import extract

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


def entities(text: str) -> tuple[EntityDraft, ...]:
    return extract(text, title=None, speaker="Kim", occurred_at=None, now=NOW).entities


def names(text: str) -> list[str]:
    return [entity.name for entity in entities(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Woah Teresa, that trophy looks huge!", ["Teresa"]),
        ("Anytime Owen! Let me know how it goes.", ["Owen"]),
        ("Awwww thanks Milo, you're the best.", ["Milo"]),
        ("Yea Bella is doing great. Hiya Deborah!", ["Bella", "Deborah"]),
        ("Lol, Wanna grab a coffee at Riverside Cafe?", ["Riverside Cafe"]),
        ("Congrats Priyanka!! Yessss, Gonna tell Sven.", ["Priyanka", "Sven"]),
        ("Im sorry. Dont worry, Thats fine. Ugh, Mondays!", []),
        ("Art's awesome for calming down.", []),
        ("I had a wonderful day with Max.Then we went home.", ["Max"]),
    ],
)
def test_words_of_chat_are_no_names(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Haha yeah, I binged The Crown of Salt in one weekend.", ["The Crown of Salt"]),
        ("The Name of the Heron got me hooked on fantasy.", ["The Name of the Heron"]),
        ("The Lord of the Marshes came late.", ["The Lord of the Marshes"]),
        ("We played Iron Front: Eastern Dawn all night.", ["Iron Front: Eastern Dawn"]),
        ("Did you watch Harbour: Part Two yet?", ["Harbour: Part Two"]),
        ("I cried at the end of that film, Clay Story 3.", ["Clay Story 3"]),
        ('I\'m reading "The House on Cold Hill" now.', ["The House on Cold Hill"]),
        ("Our group, 'Connected Night Gardeners', meets weekly.", ["Connected Night Gardeners"]),
        ("I loved reading “Agnes's Web” as a kid.", ["Agnes's Web"]),
        ("I read Sand and Water twice, a fine novel.", ["Sand and Water"]),
        ("He got the Medal of Honor.", ["Medal of Honor"]),
        ("The band is called The Weeklings.", ["The Weeklings"]),
    ],
)
def test_titles_are_whole(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_title_without_its_article_is_the_same_work() -> None:
    (found,) = entities("My favourite book is The Crown of Salt.")
    assert (found.name, found.type, found.aliases) == (
        "The Crown of Salt",
        "work",
        ("Crown of Salt",),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I watched the film with Anna in Berlin.", ["Anna", "Berlin"]),
        ("I read to Nina and Otto.", ["Nina", "Otto"]),
        ("Nina's Facebook page shows the game.", ["Nina", "Facebook"]),
        ("We watched it at Joanna's House.", ["Joanna"]),
        ("She played in Rome 3 times.", ["Rome"]),
        ("He visited the Mayor of Paris.", ["Paris"]),
        ("In Season 3 of that show nothing happens.", []),
        ('The sign says "Welcome To Our Garden".', []),
        ('William "Wild Bill" Hardy played cards.', ["William", "Wild Bill", "Hardy"]),
        ("Attendees: Anna Lee and Otto Berg.", ["Anna Lee", "Otto Berg"]),
        ("Gustav III met Karel Novotny IV.", ["Gustav III", "Karel Novotny IV"]),
    ],
)
def test_names_beside_each_other_stay_apart(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_initials_belong_to_the_name() -> None:
    found = entities("J.R. Moreau met P.D. Hartley. He moved to the U.S. She stayed.")
    assert [(e.name, e.type) for e in found[:2]] == [
        ("J.R. Moreau", "person"),
        ("P.D. Hartley", "person"),
    ]


def test_a_missing_space_makes_no_code() -> None:
    assert "forMax" not in names("I bought it forMax because he likes trains.")
    assert names("Call retryRequest and toString there.") == ["retryRequest", "toString"]


def test_what_is_loved_is_a_thing() -> None:
    assert names("The quiet I love makes writing even easier.") == []
    assert names("I love thought and talk.") == []
    assert "live music" in names("I love live music.")

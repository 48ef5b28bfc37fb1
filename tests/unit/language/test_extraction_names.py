"""Which names the extractor finds in a text, and which words it leaves alone."""

from datetime import UTC, datetime

import pytest

from graphmem.domain.notes import EntityDraft
from graphmem.language.extraction.pipeline import extract

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


def entities(text: str, speaker: str | None = None) -> tuple[EntityDraft, ...]:
    return extract(text, title=None, speaker=speaker, occurred_at=None, now=NOW).entities


def names(text: str) -> list[str]:
    return [entity.name for entity in entities(text)]


def typed(text: str) -> dict[str, str | None]:
    return {entity.name: entity.type for entity in entities(text)}


@pytest.mark.feature("MOLT-21")
def test_types() -> None:
    assert typed("Priya manages the Harbour project with Jira in Lisbon.") == {
        "Priya": "person",
        "Harbour": "project",
        "Jira": "tool",
        "Lisbon": "place",
    }
    assert typed("Globex Ltd sold the iPhone 16 to Umbrella Industries.") == {
        "Globex Ltd": "organisation",
        "iPhone 16": "product",
        "Umbrella Industries": "organisation",
    }
    found = extract(
        "I prefer dark mode.", title=None, speaker="Ruth", occurred_at=None, now=NOW
    ).entities
    assert {entity.name: entity.type for entity in found} == {
        "Ruth": "person",
        "dark mode": "concept",
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I love birdwatching.", "birdwatching"),
        ("I enjoy slow trains.", "slow trains"),
        ("I prefer the dark theme.", "dark theme"),
        ("I love the quiet that the lake brings.", None),
        ("I really enjoy the sideways turns.", None),
        ("I like the fairness and care theme.", None),
        ("I'm a big fan of the colours.", None),
    ],
)
def test_what_somebody_likes_is_a_thing_by_itself(text: str, name: str | None) -> None:
    found = extract(text, title=None, speaker="Ruth", occurred_at=None, now=NOW).entities
    assert [each.name for each in found if each.type == "concept"] == ([name] if name else [])


@pytest.mark.parametrize(
    "text",
    [
        "Monday is fine, but Tuesday or the 3rd of March works too.",
        "Thanks, that sounds great! Hello there. Dear all, Good morning.",
        "I think I'm late. I\u2019ve been there. It's OK.",
        "The results are in. This is it. Yesterday was bad. Everyone left.",
        "Deploying on Fridays is risky. Nobody complained. Always keep a plan.",
        "What a day! Who knows? When it rains, it pours.",
        "THE SERVER IS DOWN AGAIN",
        "How To Fix The Printer On Floor Three",
        "Somebody Should Fix The Printer",
        "She speaks German and French with British colleagues.",
        "FYI the VPN is down, use SSH. TODO: check the CPU ASAP.",
        "# Meeting Notes\n- Buy milk\n- Call back",
        "Coffee is good. Pizza was fine. Hiking helps.",
        "he/she and/or 1/2/2025 e.g. this i.e. that, 3.5 km/h at 10.30",
        "We met President and Prime Minister.",
        "1. First step. 2. Second step.",
        "I talked to Mom and Dad on Christmas.",
    ],
)
def test_ordinary_capitals_are_no_names(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("José García met Zoë Müller and Håkon Berg.", ["José García", "Zoë Müller", "Håkon Berg"]),
        ("J. R. R. Tolkien was born in Bloemfontein.", ["J. R. R. Tolkien", "Bloemfontein"]),
        ("O'Brien said that Ann's laptop broke.", ["O'Brien", "Ann"]),
        ("Dr. Smith called Ms. Novak.", ["Dr. Smith", "Ms. Novak"]),
        ("We heard Dr. Ada Lovelace speak.", ["Ada Lovelace"]),
        (
            "Jean-Luc Picard likes Ludwig van Beethoven.",
            ["Jean-Luc Picard", "Ludwig van Beethoven"],
        ),
        ("田中さん works at トヨタ in 北京.", ["田中さん", "トヨタ", "北京"]),
        ("Yesterday Ann met Bob; then Carol came.", ["Ann", "Bob", "Carol"]),
        (
            "The Bank of England and the University of Oslo.",
            ["Bank of England", "University of Oslo"],
        ),
        ("They flew from Cape Town to St. Petersburg.", ["Cape Town", "St. Petersburg"]),
        ("We moved from MySQL to PostgreSQL.", ["MySQL", "PostgreSQL"]),
        ("Hi Paul, can you call Rose?", ["Paul", "Rose"]),
        ("Ich habe den Termin mit Frau Schmidt am Montag im Büro.", ["Frau Schmidt"]),
    ],
)
def test_names_of_many_kinds(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_words_that_are_names_too_need_to_show_it() -> None:
    assert names("Will you come? May I ask? Mark my words. Hope is all. In May it rains.") == []
    assert names("Relay works. Kiln runs hot. Sensor needs power.") == []
    assert names("Mark said no. Grace and Hope work at IBM.") == ["Mark", "Grace", "Hope", "IBM"]


def test_spelled_names() -> None:
    text = (
        "Mail a.b@c.example, see https://docs.example.com/start?x=1, open src/app/router.ts and "
        "`config.yaml`; parse_query() calls os.path.join, retryRequest and `git tag`, not `pandas`."
    )
    assert typed(text) == {
        "a.b@c.example": "email",
        "https://docs.example.com/start?x=1": "url",
        "src/app/router.ts": "file",
        "config.yaml": "file",
        "parse_query": "code",
        "os.path.join": "code",
        "retryRequest": "code",
        "git tag": "code",
        "pandas": "tool",
    }


@pytest.mark.parametrize(
    ("text", "name", "alias"),
    [
        ("Acme Corporation (Acme) grew.", "Acme Corporation", "Acme"),
        ("The World Health Organization (WHO) met.", "World Health Organization", "WHO"),
        ("Robert Miller, also known as Bob, left.", "Robert Miller", "Bob"),
        ("We like Elizabeth Warner, known as Liz.", "Elizabeth Warner", "Liz"),
        ("We start Project Orion today.", "Project Orion", "Orion"),
    ],
)
def test_aliases_belong_to_the_name_before(text: str, name: str, alias: str) -> None:
    assert [(e.name, e.aliases) for e in entities(text)] == [(name, (alias,))]


def test_what_stands_in_parentheses_is_no_alias_by_itself() -> None:
    assert [e.aliases for e in entities("Ann Lee (CTO) met Bob Stone (Berlin).")] == [(), (), ()]


def test_each_thing_comes_once_under_its_full_name() -> None:
    assert names("Ann Lee called. Then Ann met Bob, and Ann's dog barked. Lee left.") == [
        "Ann Lee",
        "Bob",
    ]
    assert names("We met Shabana Azmi. Then Azmi left.") == ["Shabana Azmi"]
    assert names("Ann Lee and Ann Berg came. Ann left.") == ["Ann Lee", "Ann Berg", "Ann"]
    assert names("Acme Corporation (Acme) grew. Acme hired Ann.") == ["Acme Corporation", "Ann"]


def test_the_number_of_entities_is_bounded() -> None:
    text = ", ".join(f"Mr. Xal{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300))
    assert 20 < len(entities(text)) <= 40


@pytest.mark.feature("MOLT-21")
@pytest.mark.parametrize("blank", ["\t", "\n", "\u00a0", "\u2003", " "])
def test_a_name_behind_nothing_but_blanks_begins_its_sentence(blank: str) -> None:
    assert names(f"{blank}Mark said no.") == ["Mark"]
    assert names(f"{blank}Mark my words.") == []

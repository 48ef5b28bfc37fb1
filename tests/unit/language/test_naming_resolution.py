"""Whether two names are names of one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.resolution.__main__ import Pair, load
from bench.resolution.forms import compare_names, found_by, made
from graphmem.domain.ids import name_key
from graphmem.language.naming.name_parts import blocking_keys, edits, initials_of, parts_of
from graphmem.language.naming.resolution import (
    ASK,
    EntityRecord,
    MatchDecision,
    compare_entities,
)

PAIRS = load()
HALVES = [[pair for pair in PAIRS if pair.half == half] for half in ("dev", "test")]


def thing(name: str, kind: str = "thing", *around: str) -> EntityRecord:
    return EntityRecord(names=(name,), type=kind, around=frozenset(around))


def band(pair: Pair) -> MatchDecision:
    return compare_entities(pair.one, pair.other).band


def test_there_are_hundreds_of_pairs_of_many_kinds() -> None:
    assert len(PAIRS) >= 300
    assert len({(pair.one, pair.other) for pair in PAIRS}) == len(PAIRS)
    assert {pair.kind for pair in PAIRS} >= {"people", "companies", "acronyms", "versions"}
    assert {pair.kind for pair in PAIRS} >= {"places", "code", "things", "homonyms"}
    assert min(map(len, HALVES)) >= 150


@pytest.mark.parametrize("half", HALVES)
def test_no_two_things_are_merged_by_themselves(half: list[Pair]) -> None:
    """But for two things of the very same name, which a name alone never tells apart."""
    two = [pair for pair in half if not pair.same and pair.kind != "homonyms"]
    assert [pair for pair in two if band(pair) is MatchDecision.MERGE] == []
    assert sum(band(pair) is MatchDecision.ASK for pair in two) <= 0.1 * len(two)


@pytest.mark.parametrize("half", HALVES)
def test_most_pairs_of_one_thing_are_merged_or_asked(half: list[Pair]) -> None:
    one = [pair for pair in half if pair.same]
    assert sum(band(pair) is MatchDecision.LEAVE for pair in one) <= 0.12 * len(one)
    assert sum(band(pair) is MatchDecision.MERGE for pair in one) >= 0.3 * len(one)


def test_judging_is_the_same_both_ways_round() -> None:
    assert [
        p
        for p in PAIRS
        if compare_entities(p.one, p.other).score != compare_entities(p.other, p.one).score
    ] == []


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_two_texts_can_be_judged(one: str, other: str) -> None:
    found = compare_names(one, other)
    assert 0 <= found.score <= 1
    assert (found.band is MatchDecision.MERGE) == (name_key(one) == name_key(other))
    assert found.score == compare_names(other, one).score
    assert all(isinstance(value, str) and value for value in blocking_keys(one).values())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Python 2", "Python 3"),
        ("GPT-4", "GPT-4o"),
        ("Paris", "Paris, Texas"),
        ("Java", "JavaScript"),
        ("Georgia", "Georgia Tech"),
        ("J. Smith", "John Smith"),
        ("John Smith Jr.", "John Smith Sr."),
        ("Ada Kessler", "Bruno Kessler"),
        ("ISO 9001", "ISO 9002"),
        ("C++", "C#"),
        ("World War I", "World War II"),
        ("Plan A", "Plan B"),
        ("Acme Inc.", "Acme GmbH"),
        ("Mr. Ivo Hale", "Mrs. Ivo Hale"),
        ("First Bank", "Third Bank"),
    ],
)
def test_what_is_left_alone(one: str, other: str) -> None:
    assert compare_names(one, other).band is MatchDecision.LEAVE


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("IBM", "International Business Machines", "acronym"),
        ("Kubernetes", "k8s", "numeronym"),
        ("Acme", "Acme Inc.", "legal form"),
        ("St. Petersburg", "Saint Petersburg", "abbreviation"),
        ("GitHub", "Git Hub", "spaces"),
        ("Bob Ashdown", "Robert Ashdown", "first name"),
        ("Moreno, Carla", "Carla Moreno", "order"),
        ("Edda M. Falk", "Edda Falk", "middle name"),
        ("Kubernets", "Kubernetes", "slip"),
    ],
)
def test_what_is_asked_and_why(one: str, other: str, reason: str) -> None:
    found = compare_names(one, other)
    assert found.band is MatchDecision.ASK
    assert reason in " ".join(found.reasons)


def test_types_that_exclude_each_other_rule_a_pair_out() -> None:
    assert compare_entities(thing("Ford", "person"), thing("Ford Inc.", "company")).score == 0
    assert (
        compare_entities(thing("Ford", "company"), thing("Ford Inc.", "company")).band
        is MatchDecision.ASK
    )
    assert compare_entities(thing("Ford"), thing("Ford Inc.", "company")).band is MatchDecision.ASK


def test_neighbours_raise_and_lower_a_score() -> None:
    alone = compare_entities(thing("Kessler"), thing("Ada Kessler"))
    beside = compare_entities(
        thing("Kessler", "thing", "a", "b"), thing("Ada Kessler", "thing", "a", "b")
    )
    apart = compare_entities(thing("Kessler", "thing", "a"), thing("Ada Kessler", "thing", "b"))
    assert apart.score < alone.score < ASK <= beside.score
    assert "2 shared neighbours" in beside.reasons


def test_near_vectors_help_and_alone_ask_of_no_people() -> None:
    names = ("Postgres", "PostgreSQL")
    assert compare_entities(thing(names[0]), thing(names[1])).band is MatchDecision.LEAVE
    assert compare_entities(thing(names[0]), thing(names[1]), 0.8).band is MatchDecision.ASK
    plain = [thing(name, "tool") for name in ("sofa", "couch")]
    assert compare_entities(*plain, 0.95).band is MatchDecision.ASK
    assert compare_entities(*plain, 0.9).band is MatchDecision.LEAVE
    people = [thing(name, "person") for name in ("Ann Moreno", "Bea Moreno")]
    assert compare_entities(*people, 0.99).band is MatchDecision.LEAVE


def test_nothing_but_the_same_form_is_ever_sure() -> None:
    around = tuple("abcdef")
    found = compare_entities(
        thing("Acme", "company", *around), thing("Acme Inc.", "company", *around), 1.0
    )
    assert found.score < 1
    assert found.band is MatchDecision.ASK


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("kiln", "kiln", 0), ("kiln", "kin", 1), ("kiln", "klin", 1), ("kiln", "ovens", 3)],
)
def test_edits(one: str, other: str, steps: int) -> None:
    assert edits(one, other, most=2) == steps


def test_initials_with_and_without_small_words() -> None:
    assert initials_of(parts_of("Culinary Institute of America")) == {"cia", "cioa"}
    assert initials_of(parts_of("Kubernetes")) == frozenset()


def test_names_that_are_asked_have_a_likeness_in_common() -> None:
    """Else the graph would never bring them together."""
    asked = [pair for pair in PAIRS if pair.same and band(pair) is MatchDecision.ASK]
    found = [pair for pair in asked if alike(pair.one.names[0], pair.other.names[0])]
    assert len(found) >= 0.95 * len(asked)


def test_names_of_one_form_have_a_likeness_in_common() -> None:
    """But for "Moreno, Carla": without its comma the key does not tell which name is the first."""
    formed = [p for p in made(seed=11) if found_by(p) == "form" and p.kind != "last name first"]
    assert [pair for pair in formed if not alike(pair.one, pair.other)] == []


def alike(one: str, other: str) -> bool:
    """As the query that finds likely pairs has it."""
    a, b = blocking_keys(name_key(one)), blocking_keys(name_key(other))
    equal = any(a.get(key) == b.get(key) is not None for key in ("joined", "consonants", "person"))
    return equal or any(
        x["joined"] == y.get(key)
        for x, y in ((a, b), (b, a))
        for key in ("initials", "head", "tail")
    )

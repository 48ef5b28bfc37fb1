"""Names that are one by form alone, and names that look alike and are not; the benchmark of
resolution makes the pairs."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.resolution.__main__ import load
from bench.resolution.forms import compare_names, found_by, made, one_by_form
from graphmem.domain.ids import name_key
from graphmem.language.naming.forms import forms_of
from graphmem.language.naming.resolution import (
    EntityRecord,
    MatchDecision,
    compare_entities,
)

PAIRS = made(seed=11)
ONE = ("key", "form")


def test_most_names_of_one_thing_are_found_by_their_form() -> None:
    same = [pair for pair in PAIRS if pair.same]
    assert len({pair.kind for pair in same}) >= 10
    assert sum(found_by(pair) in ONE for pair in same) >= 0.6 * len(same)


@pytest.mark.parametrize("kind", sorted({p.kind for p in PAIRS if p.same and p.kind != "no rule"}))
def test_each_kind_of_form_is_known(kind: str) -> None:
    found = Counter(found_by(pair) in ONE for pair in PAIRS if pair.kind == kind)
    assert found[True] >= 0.6 * found.total()


def test_no_two_things_have_a_form_in_common() -> None:
    two = [pair for seed in (11, 12, 13) for pair in made(seed) if not pair.same]
    assert len(two) >= 600
    assert [pair for pair in two if found_by(pair) in ONE] == []


def test_no_labelled_names_of_two_things_have_a_form_in_common() -> None:
    two = [pair for pair in load() if not pair.same and pair.kind != "homonyms"]
    assert [p for p in two if one_by_form(p.one.names[0], p.other.names[0])] == []


def test_names_of_one_form_are_asked_first() -> None:
    pairs = [pair for pair in PAIRS if found_by(pair) == "form"]
    assert {compare_names(pair.one, pair.other).band for pair in pairs} == {MatchDecision.ASK}
    assert min(compare_names(pair.one, pair.other).score for pair in pairs) >= 0.9
    street, person = (
        EntityRecord(names=("St. Ives",), type="place"),
        EntityRecord(names=("Saint Ives",)),
    )
    assert compare_entities(street, person).reasons[0] == "one name in two forms"
    assert compare_entities(street, EntityRecord(names=("Saint Ives",), type="person")).score == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("the Guild of Weavers", "Guild of Weavers", True),
        ("Orion 3.2", "Orion v3.2", True),
        ("J.R. Moreau", "JR Moreau", True),
        ("Müller", "Mueller", True),
        ("Müller", "Muller", True),
        ("Muller", "Mueller", False),
        ("Delta N.V.", "Delta NV", True),
        ("Project Aurora", "Aurora project", True),
        ("VueJS", "Vue.js", True),
        ("Mt. Ida", "Mount Ida", True),
        ("Orion 3.2", "Orion 3.3", False),
        ("Miller", "Mueller", False),
        ("Delta NV", "Delta AV", False),
        ("J.R. Moreau", "J.P. Moreau", False),
        ("Mount Ida", "Mount Ada", False),
        ("St. Ives", "St. Ives Bay", False),
        ("A.L.", "Al", False),
        ("M.R. James", "Mr. James", False),
        ("Dyson V8", "Dyson 8", False),
        ("The Office", "Office", False),
        ("Project Manager", "Manager Project", False),
    ],
)
def test_forms(one: str, other: str, same: bool) -> None:
    assert one_by_form(one, other) is same
    assert one_by_form(other, one) is same


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_name_has_forms(name: str) -> None:
    assert len(forms_of(name)) <= 2
    assert all(form == form.strip() and form for form in forms_of(name))
    assert bool(forms_of(name)) or not name_key(name)

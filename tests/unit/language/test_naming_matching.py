"""Finding known names in a text."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphmem.language.extraction import title_names
from graphmem.language.naming.matching import (
    NameMatch,
    find_names,
    is_cased,
    name_candidates,
)


def in_text(text: str, **known: bool) -> dict[str, NameMatch]:
    return find_names(
        name_candidates(text), {key.replace("_", " "): cased for key, cased in known.items()}
    )


def found(text: str, **known: bool) -> dict[str, tuple[str, int]]:
    """The names that are no part of others, each with its first surface and how often."""
    return {
        key: (seen.surface, seen.count)
        for key, seen in in_text(text, **known).items()
        if not seen.within
    }


def test_a_name_is_found_as_the_text_has_it() -> None:
    text = "Ann Lee's kiln is at Quarry Lane. ANN LEE pays."
    assert found(text, ann_lee=True) == {"ann lee": ("Ann Lee", 2)}


def test_the_longer_name_wins_over_those_inside_it() -> None:
    text = "New York City is large; York is old."
    names = found(text, new_york_city=True, new_york=True, york=True)
    assert names == {"new york city": ("New York City", 1), "york": ("York", 2)}
    inside = in_text(text, new_york_city=True, new_york=True, york=True)["new york"]
    assert inside.within == ("new york city",)


def test_a_capitalised_name_is_not_found_in_lower_case() -> None:
    assert found("an apple a day", apple=True) == {}
    assert found("an apple a day", apple=False) == {"apple": ("apple", 1)}
    assert found("Apple sells", apple=True) == {"apple": ("Apple", 1)}


def test_only_whole_words_are_names() -> None:
    assert found("Annabel and Joann", ann=True) == {}
    assert found("Ann.", ann=True) == {"ann": ("Ann", 1)}


def test_a_name_does_not_cross_lines() -> None:
    assert found("we met Ann\nLee came later", ann_lee=True) == {}


def test_function_words_are_no_names() -> None:
    keys = {run.key for run in name_candidates("it is the red kiln of them")}
    assert "red kiln" in keys
    assert not keys & {"it", "the", "of", "the red", "kiln of"}


def test_names_have_at_most_eight_words() -> None:
    assert max(
        run.end - run.start
        for run in name_candidates("One Two Three Four Five Six Seven Eight Nine")
    )
    lengths = {run.end - run.start for run in name_candidates(" ".join(["Word"] * 12))}
    assert max(lengths) == 8


@pytest.mark.parametrize(
    ("name", "cased"),
    [("Ann", True), ("7-Zip", True), ("numpy", False), ("東京", True), ("", False)],
)
def test_cased(name: str, cased: bool) -> None:
    assert is_cased(name) is cased


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Halden (project)", ("Halden (project)", "Halden")),
        (" Quarry Lane ", ("Quarry Lane",)),
        ("a title that is far too long to be the name of anything", ()),
        ("The", ()),
        ("X", ()),
        ("", ()),
    ],
)
def test_titles_as_names(title: str, names: tuple[str, ...]) -> None:
    assert title_names(title) == names


WORDS = st.sampled_from(["Ada", "ada", "Kessler", "York", "new", "New", "of", "kiln", "Kiln"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
NAMES = st.dictionaries(
    st.lists(WORDS, min_size=1, max_size=3).map(lambda words: " ".join(words).casefold()),
    st.booleans(),
    max_size=6,
)


def shown(stored: dict[str, NameMatch], known: dict[str, bool]) -> dict[str, tuple[str, int]]:
    """What a reader who knows these names sees of the names stored with a text."""
    return {
        key: (seen.surface, seen.count)
        for key, seen in stored.items()
        if key in known
        and not (seen.plain and known[key])
        and not any(longer in known for longer in seen.within)
    }


@example("ada Ada", {"ada": False, "ada ada": True}, {"ada ada": False})
@given(TEXTS, NAMES, NAMES)
@settings(max_examples=300)
def test_names_that_a_reader_does_not_know_change_nothing_of_what_it_sees(
    text: str, visible: dict[str, bool], hidden: dict[str, bool]
) -> None:
    """A name is stored as capitalised only if everybody who introduced it wrote it so."""
    every = {key: visible.get(key, True) and hidden.get(key, True) for key in {*visible, *hidden}}
    alone = find_names(name_candidates(text), visible)
    beside = find_names(name_candidates(text), every)
    assert shown(beside, visible) == shown(alone, visible)

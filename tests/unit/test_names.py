"""Finding known names in a text."""

import pytest

from graphmem.domain.names import find_names, is_cased, runs, title_names


def found(text: str, **known: bool) -> dict[str, list[str]]:
    return find_names(runs(text), {key.replace("_", " "): cased for key, cased in known.items()})


def test_a_name_is_found_as_the_text_has_it() -> None:
    text = "Ann Lee's kiln is at Quarry Lane. ANN LEE pays."
    assert found(text, ann_lee=True) == {"ann lee": ["Ann Lee", "ANN LEE"]}


def test_the_longer_name_wins_over_those_inside_it() -> None:
    text = "New York City is large; York is old."
    names = found(text, new_york_city=True, new_york=True, york=True)
    assert names == {"new york city": ["New York City"], "york": ["York"]}


def test_a_capitalised_name_is_not_found_in_lower_case() -> None:
    assert found("an apple a day", apple=True) == {}
    assert found("an apple a day", apple=False) == {"apple": ["apple"]}
    assert found("Apple sells", apple=True) == {"apple": ["Apple"]}


def test_only_whole_words_are_names() -> None:
    assert found("Annabel and Joann", ann=True) == {}
    assert found("Ann.", ann=True) == {"ann": ["Ann"]}


def test_a_name_does_not_cross_lines() -> None:
    assert found("we met Ann\nLee came later", ann_lee=True) == {}


def test_function_words_are_no_names() -> None:
    keys = {run.key for run in runs("it is the red kiln of them")}
    assert "red kiln" in keys
    assert not keys & {"it", "the", "of", "the red", "kiln of"}


def test_names_have_at_most_eight_words() -> None:
    assert max(run.end - run.start for run in runs("One Two Three Four Five Six Seven Eight Nine"))
    lengths = {run.end - run.start for run in runs(" ".join(["Word"] * 12))}
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

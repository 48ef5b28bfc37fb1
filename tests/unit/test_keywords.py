"""Questions for the full-text index: nothing that a person types is syntax."""

import re

import pytest

from graphmem.domain.visibility import Visibility, audience_of
from graphmem.language.analysis import analyse
from graphmem.store.keywords import (
    MAX_AUDIENCES,
    MAX_OWN,
    MAX_TERMS,
    MOST_KEPT,
    lucene_queries,
    words_kept,
)

AUDIENCE = audience_of("ann", Visibility.OPEN, "a")
RANGE = re.compile(r'(\w+):\["([^"]*)" TO "([^"]*)"\]')


def test_each_term_is_a_range_from_itself_to_itself_in_each_field() -> None:
    (query,) = lucene_queries(["kiln", "relai"], [AUDIENCE])
    assert query.startswith(f"+audienceToken:({AUDIENCE.token})^0 +(")
    ranges = RANGE.findall(query)
    assert {(low, high) for _, low, high in ranges} == {("kiln", "kiln"), ("relai", "relai")}
    assert {field for field, _, _ in ranges} == {"content", "title", "speaker"}


@pytest.mark.parametrize(
    "typed",
    ['kiln" OR content:*', "a\\", "x* ?y ~2 ^9 +z -w && || ! ( ) { } [ ] / :", "audienceToken:a0"],
)
def test_what_is_typed_stays_inside_the_quotes(typed: str) -> None:
    for query in lucene_queries(analyse(typed), [AUDIENCE]):
        rest = RANGE.sub("", query.removeprefix(f"+audienceToken:({AUDIENCE.token})^0 +("))
        assert rest.strip() == ")"
        assert all("\\" not in low and low == high for _, low, high in RANGE.findall(query))


def test_nothing_is_asked_without_terms_or_readers() -> None:
    assert lucene_queries([], [AUDIENCE]) == []
    assert lucene_queries(["kiln"], []) == []


def test_a_query_stays_below_1024_clauses() -> None:
    many = [audience_of("ann", Visibility.OPEN, f"d{i}") for i in range(MAX_AUDIENCES)]
    terms = [f"t{i}" for i in range(500)]
    (query,) = lucene_queries(terms, many, terms)
    assert query.count("TO") == MAX_TERMS * 3 + MAX_OWN
    assert len(RANGE.findall(query)) + len(many) < 1024


def test_many_audiences_are_asked_for_in_several_queries_and_nobody_elses() -> None:
    many = [audience_of("ann", Visibility.OPEN, f"d{i}") for i in range(2 * MAX_AUDIENCES + 1)]
    queries = lucene_queries(["kiln"], many)
    assert len(queries) == 3
    asked = [token for query in queries for token in re.findall(r"a[0-9a-f]{24}0", query)]
    assert sorted(asked) == sorted(audience.token for audience in many)


def test_terms_of_other_languages_are_looked_for_where_notes_keep_them() -> None:
    (query,) = lucene_queries(["häuser"], [AUDIENCE], ["haus", "東京"])
    assert [low for field, low, _ in RANGE.findall(query) if field == "terms"] == [
        "haus0",
        "x67714eac0",
    ]
    assert lucene_queries([], [AUDIENCE], ["haus"]) != []
    assert lucene_queries(["kiln"], [AUDIENCE], ()) == lucene_queries(["kiln"], [AUDIENCE])


def test_a_note_keeps_so_many_terms_and_no_more() -> None:
    assert len((words_kept(f"t{i}" for i in range(2 * MOST_KEPT)) or "").split()) == MOST_KEPT

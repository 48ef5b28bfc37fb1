"""Questions for the full-text index: nothing that a person types is syntax."""

import re

import pytest

from graphmem.ai.analysis import analyse
from graphmem.domain.visibility import Visibility, audience_of, owner_token
from graphmem.store.keywords import MAX_AUDIENCES, MAX_TERMS, NOTHING, lucene_query

AUDIENCE = audience_of("ann", Visibility.OPEN, "a")
RANGE = re.compile(r'(\w+):\["([^"]*)" TO "([^"]*)"\]')


def test_each_term_is_a_range_from_itself_to_itself_in_each_field() -> None:
    query = lucene_query(["kiln", "relai"], [AUDIENCE], "ann")
    assert query.startswith(f"+audienceToken:({AUDIENCE.token})^0 +(")
    ranges = RANGE.findall(query)
    assert {(low, high) for _, low, high in ranges} == {("kiln", "kiln"), ("relai", "relai")}
    assert {field for field, _, _ in ranges} == {"content", "title", "speaker"}


@pytest.mark.parametrize(
    "typed",
    ['kiln" OR content:*', "a\\", "x* ?y ~2 ^9 +z -w && || ! ( ) { } [ ] / :", "audienceToken:a0"],
)
def test_what_is_typed_stays_inside_the_quotes(typed: str) -> None:
    query = lucene_query(analyse(typed), [AUDIENCE], "ann")
    if query != NOTHING:
        rest = RANGE.sub("", query.removeprefix(f"+audienceToken:({AUDIENCE.token})^0 +("))
        assert rest.strip() == ")"
        assert all("\\" not in low and low == high for _, low, high in RANGE.findall(query))


def test_nothing_is_asked_without_terms_or_readers() -> None:
    assert lucene_query([], [AUDIENCE], "ann") == NOTHING
    assert lucene_query(["kiln"], [], "ann") == NOTHING


def test_a_query_stays_below_1024_clauses() -> None:
    many = [audience_of("ann", Visibility.OPEN, f"d{i}") for i in range(MAX_AUDIENCES)]
    terms = [f"t{i}" for i in range(500)]
    query = lucene_query(terms, many, "ann")
    assert query.count("TO") == MAX_TERMS * 3
    assert len(RANGE.findall(query)) + len(many) < 1024
    more = lucene_query(terms, [*many, AUDIENCE], "ann")
    assert f"+audienceToken:({owner_token('ann')})^0" in more
    assert AUDIENCE.token not in more

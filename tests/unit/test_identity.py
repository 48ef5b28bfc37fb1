"""Which names are of one entity for a reader."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.identity import RULES, AliasEvidence, Groups, TieKind, groups_of, joining_ties


def called(whole: str, part: str, at: int = 1, **given: object) -> AliasEvidence:
    return AliasEvidence(
        kind=TieKind.CALLED, id=f"{whole}-{part}-{at}", whole=whole, part=part, at=at, **given
    )


def merged(whole: str, part: str, at: int = 1) -> AliasEvidence:
    return AliasEvidence(
        kind=TieKind.MERGED, id=f"{whole}+{part}-{at}", whole=whole, part=part, at=at
    )


def parted(whole: str, part: str, at: int = 1) -> AliasEvidence:
    return AliasEvidence(
        kind=TieKind.PARTED, id=f"{whole}/{part}-{at}", whole=whole, part=part, at=at
    )


def test_an_entity_without_ties_stands_for_itself() -> None:
    assert groups_of([]).stands_for("ada") == "ada"
    assert groups_of([]).names_of("ada") == ("ada",)


def test_other_names_and_merges_join() -> None:
    groups = groups_of([called("ibm", "big blue"), merged("ibm", "old blue"), called("x", "y")])
    assert groups.names_of("old blue") == ("big blue", "ibm", "old blue")
    assert {groups.stands_for(each) for each in groups.names_of("ibm")} == {"ibm"}
    assert groups.stands_for("y") == "x"


def test_a_name_is_another_name_of_the_first_entity_that_got_it() -> None:
    groups = groups_of([called("ada lovelace", "ada", 2), called("ada kessler", "ada", 1)])
    assert groups.stands_for("ada") == "ada kessler"
    assert groups.stands_for("ada lovelace") == "ada lovelace"


def test_an_agents_word_counts_for_a_name_that_is_new_with_it() -> None:
    known = called("rw", "red works", 5, agent="bot", introduced=3)
    new = called("rw", "red works", 5, agent="bot", introduced=7)
    assert joining_ties([known]) == []
    assert joining_ties([new]) == [new]
    assert joining_ties([called("rw", "red works", 5, introduced=3)]) != []


def test_what_was_parted_is_joined_by_hand_only() -> None:
    said = called("ibm", "big blue")
    assert groups_of([said, parted("ibm", "big blue")]) == Groups()
    assert groups_of([said, parted("big blue", "ibm")]) == Groups()
    again = groups_of([said, parted("ibm", "big blue"), merged("big blue", "ibm", 3)])
    assert again.stands_for("ibm") == "big blue"


def test_rules_join_no_names_of_what_was_parted_by_other_names() -> None:
    by_rules = replace(merged("jones", "ada", 3), actor=RULES)
    said = [called("kessler", "ada"), parted("kessler", "jones", 2)]
    assert joining_ties([*said, by_rules]) == said[:1]
    assert by_rules in joining_ties([said[0], by_rules])
    assert by_rules in joining_ties([*said, merged("kessler", "jones", 4), by_rules])


NAMES = st.sampled_from("abcdef")
TIES = st.lists(
    st.tuples(NAMES, NAMES, st.integers(0, 5), st.sampled_from([called, merged, parted])),
    max_size=12,
)


@given(TIES, st.randoms())
def test_groups_are_a_partition_that_the_order_of_ties_does_not_change(
    drawn: list[tuple[str, str, int, object]], random: object
) -> None:
    ties = list({t.id: t for t in (make(a, b, at) for a, b, at, make in drawn if a != b)}.values())
    groups = groups_of(ties)
    for name in "abcdef":
        names = groups.names_of(name)
        assert name in names
        assert groups.stands_for(name) in names
        assert all(groups.names_of(other) == names for other in names)
    random.shuffle(ties)
    assert groups_of(ties) == groups

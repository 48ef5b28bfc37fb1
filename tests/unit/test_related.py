"""Which notes are related by their tags, and how jobs describe themselves."""

from collections import Counter
from collections.abc import Iterable

import pytest

from graphmem.domain.jobs import parse_job
from graphmem.domain.profiles.parameters import RelatedMemories
from graphmem.domain.related import NEAR, Related, Tagged, related_pairs
from graphmem.services.jobs.jobs import known_jobs

RULES = RelatedMemories()


def notes(*tags: str) -> list[Tagged]:
    """Notes a, b, c ... with tags of one letter each; the first is the newest."""
    return [Tagged(chr(ord("a") + i), frozenset(letters)) for i, letters in enumerate(tags)]


def alike(count: int) -> list[Tagged]:
    return [Tagged(f"n{i:03}", frozenset("xyz")) for i in range(count)]


def links(pairs: Iterable[Related]) -> Counter[str]:
    return Counter(note for pair in pairs for note in (pair.one, pair.other))


@pytest.mark.feature("L3-12", "L3-T19")
def test_three_shared_tags_make_a_pair_and_two_do_not() -> None:
    found = related_pairs(notes("xyz", "xyzw", "xyv", ""), [], RULES)
    assert found == [Related("a", "b", 3)]
    fewer = RelatedMemories(tag_overlap_threshold=2)
    assert {(pair.one, pair.other) for pair in related_pairs(notes("xyz", "xyv"), [], fewer)} == {
        ("a", "b")
    }


def test_a_pair_is_in_the_order_of_the_ids_whichever_is_newer() -> None:
    both = notes("xyz", "xyz")
    assert related_pairs(both, [], RULES) == related_pairs(both[::-1], [], RULES)


@pytest.mark.feature("L3-T21")
@pytest.mark.parametrize("count", [11, 12, 15, 16, 30])
def test_in_a_group_of_equals_each_note_has_its_ten_links(count: int) -> None:
    assert set(links(related_pairs(alike(count), [], RULES)).values()) == {10}


@pytest.mark.feature("L3-T21")
def test_no_note_has_more_than_ten_links_even_in_a_crowd() -> None:
    found = links(related_pairs(alike(10 * NEAR), [], RULES))
    assert max(found.values()) == 10
    assert len(found) == 10 * NEAR  # and nobody is left out


def test_more_shared_tags_go_first_then_the_newest() -> None:
    given = notes("uvwxyz", "uvw", "xyz", "uvwx")
    one = RelatedMemories(max_related_per_memory=1)
    assert related_pairs(given, [], one) == [Related("a", "d", 4)]
    two = RelatedMemories(max_related_per_memory=2)
    assert related_pairs(given, [], two)[:2] == [Related("a", "d", 4), Related("a", "b", 3)]


def test_every_fitting_pair_is_found_among_notes_of_many_tags() -> None:
    letters = "abcdefgh"
    rows = [
        "".join(letters[(i * step + k) % 8] for k in range(5)) for i in range(8) for step in (1, 3)
    ]
    given = [Tagged(f"n{i:03}", frozenset(row)) for i, row in enumerate(rows)]
    wide = RelatedMemories(max_related_per_memory=100)
    expected = {
        (one.id, other.id)
        for i, one in enumerate(given)
        for other in given[i + 1 :]
        if len(one.tags & other.tags) >= 3
    }
    assert {(pair.one, pair.other) for pair in related_pairs(given, [], wide)} == expected


def test_what_somebody_else_linked_counts_and_is_not_chosen() -> None:
    one = RelatedMemories(max_related_per_memory=1)
    given = notes("xyz", "xyz", "xyz", "xyz")
    assert related_pairs(given, {("a", "b")}, one) == [Related("c", "d", 3)]


def test_the_choice_is_the_same_each_time() -> None:
    assert related_pairs(alike(40), [], RULES) == related_pairs(alike(40), [], RULES)


def test_strength_grows_with_the_tags_and_is_bounded() -> None:
    assert [Related("a", "b", shared).strength for shared in (3, 4, 9)] == [0.3, 0.4, 0.5]


def test_every_job_says_what_it_does_and_when() -> None:
    jobs = known_jobs()
    names = [job.name for job in jobs]
    assert names == [
        "back_up",
        "consolidate_memory",
        "digest_audit",
        "erase_users",
        "expire_notes",
        "expire_proposals",
        "maintain_memory",
        "merge_entities",
        "merge_notes",
        "move_tiers",
        "promote_knowledge",
        "reflect_episodes",
        "reflect_memory",
        "relate_notes",
        "resolve_duplicates",
        "sweep_decay",
        "sync_files",
        "update_expertise",
    ]
    assert all(job.description.endswith(".") and len(job.cron.split()) == 5 for job in jobs)


@pytest.mark.parametrize("text", ["", "MATCH (n)\n", "// What.\n", "// What.\n// cron: daily\n"])
def test_a_job_without_its_header_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="does not begin"):
        parse_job("tidy", text)

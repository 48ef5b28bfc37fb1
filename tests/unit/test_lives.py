"""The data of `bench/day`, and how it counts."""

from collections import Counter
from typing import Any

import pytest

from bench.day.figures import Half, calibration_error, count
from bench.day.lives import FREE, HALVES, Life, read_lives
from bench.day.memory import Answer, Kept

LIVES = read_lives()
CATEGORIES = set("direct paraphrase multihop temporal latest who list none".split())


def of_all(name: str) -> list[Any]:
    return [each for life in LIVES for each in getattr(life, name)]


def test_there_are_as_many_as_the_page_says() -> None:
    assert sum(not note.long for note in of_all("notes")) == 300
    assert len(of_all("questions")) == 120
    assert Counter(pair.kind for pair in of_all("pairs"))["update"] == 40
    assert Counter(pair.kind for pair in of_all("pairs"))["alike"] == 30
    assert sum(FREE not in label.kinds for label in of_all("labels")) == 60
    assert sum(not each.gold for each in of_all("questions")) == 20
    assert {each.category for each in of_all("questions")} == CATEGORIES
    assert {each.language for each in of_all("questions")} == {"en", "de", "fr"}


def test_dev_and_test_are_apart_and_alike_in_size() -> None:
    sizes = Counter(life.half for life in LIVES)
    assert set(sizes) == set(HALVES)
    assert len(set(sizes.values())) == 1
    users, ids = Counter(life.user for life in LIVES), Counter(n.id for n in of_all("notes"))
    ids += Counter(each.id for each in of_all("questions"))
    assert set(users.values()) == set(ids.values()) == {1}
    for half in HALVES:
        assert sum(life.half == half and life.transcript is not None for life in LIVES) == 1


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_ids_are_of_the_same_life_and_pairs_go_on_in_time(life: Life) -> None:
    for each in life.questions:
        assert each.gold <= life.by_id.keys()
        assert bool(each.gold) is (each.category != "none")
        assert len(each.gold) > 1 or each.category not in ("multihop", "list")
    for pair in life.pairs:
        assert pair.kind in ("update", "alike", "either")
        assert life.by_id[pair.older].at < life.by_id[pair.newer].at
    assert len({(pair.older, pair.newer) for pair in life.pairs}) == len(life.pairs)
    asked = {each.id for each in life.questions if each.category == "latest"}
    assert life.outdated.keys() == asked


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_notes_are_of_six_months_and_hold_what_is_labelled(life: Life) -> None:
    assert {(note.at.year, note.at.month) for note in life.notes} == {
        (2026, m) for m in range(5, 11)
    }
    assert len({note.text for note in life.notes}) == len(life.notes)
    assert life.labelled <= life.by_id.keys()
    for label in life.labels:
        assert all(form in life.by_id[label.note].text for form in label.forms)


def test_the_facts_stand_in_the_transcripts_once_and_in_no_other_note() -> None:
    lives = [life for life in LIVES if life.facts]
    assert [len(life.facts) for life in lives] == [10, 10]
    for life in lives:
        assert life.transcript is not None
        assert 10_000 <= len(life.by_id[life.transcript].text) <= 15_000
        for _, words in life.facts:
            assert [note.text.count(words) for note in life.notes if words in note.text] == [1]


def perfect(life: Life) -> dict[str, Answer]:
    """Answers that are right, and sure of it."""
    answers = {
        each.id: Answer(tuple(frozenset({id}) for id in sorted(each.gold)), float(bool(each.gold)))
        for each in life.questions
    }
    transcript = frozenset({life.transcript or ""})
    return answers | {question: Answer((transcript,), 1.0) for question, _ in life.facts}


def kept(life: Life, **given: Any) -> Kept:
    nobody: Any = None
    return Kept(nobody, entities={note: [] for note in life.labelled}, **given)


def test_a_memory_that_is_always_right_has_every_point() -> None:
    life = next(life for life in LIVES if life.facts)
    updates = {(pair.older, pair.newer) for pair in life.pairs if pair.kind == "update"}
    whole = {life.name: kept(life, superseded=updates, relations=len(life.notes))}
    rows = count(Half([life], whole, perfect(life))).rows
    assert rows["all: right note first; in the first three"] == "17 of 17 (100 %); 17 of 17 (100 %)"
    assert rows["updates noticed"] == f"{len(updates)} of {len(updates)} (100 %)"
    assert rows["about what changed: an outdated note first"].startswith("0 of ")
    assert rows["look-alikes: superseded; in a conflict; one note"] == "0; 0; 0 of 5"
    assert rows["confidence: AUC"] == "1.00"
    assert rows["confidence: expected calibration error"] == "0.00"
    assert rows["relations a note"] == "1.00"


def test_what_goes_wrong_is_counted_and_said() -> None:
    life = LIVES[0]
    asked, older = next(iter(life.outdated.items()))
    alike = next((p.older, p.newer) for p in life.pairs if p.kind == "alike")
    stranger = (life.notes[0].id, life.notes[-1].id)
    right = perfect(life)
    answers = right | {asked: Answer((older, *right[asked].hits), 0.9)}
    half = count(Half([life], {life.name: kept(life, conflicts={alike, stranger})}, answers))
    assert half.rows["about what changed: an outdated note first"].startswith("1 of ")
    assert half.rows["look-alikes: superseded; in a conflict; one note"] == "0; 1; 0 of 5"
    assert half.rows["others: superseded; in a conflict; one note"] == "0; 1; 0"
    assert half.rows["updates noticed"].startswith("0 of ")
    said = Counter(miss.partition(" ")[0] for miss in half.misses)
    assert said["question"] == said["outdated"] == said["alike,"] == said["other,"] == 1
    assert said["update"] == sum(pair.kind == "update" for pair in life.pairs)


def test_the_calibration_error_is_the_distance_in_each_bin() -> None:
    assert calibration_error([(0.95, True), (0.05, False)]) == pytest.approx(0.05)
    assert calibration_error([(0.95, False), (1.0, False)]) == pytest.approx(0.975)
    assert calibration_error([(0.5, True), (0.5, False)]) == 0

"""What the user's words decide of a reflection, and what a survey of notes finds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations, product

import pytest

from graphmem.domain.decay import Decay
from graphmem.domain.notes import Kind
from graphmem.domain.reflection import (
    Item,
    ItemKind,
    Reflecting,
    Reflection,
    ReflectionStatus,
    decide_items,
    proposed_before,
)
from graphmem.errors import Invalid
from graphmem.language import reflection_findings
from graphmem.language.comparison.sentence_rules import TextVerdict, compare_sentences
from graphmem.language.comparison.texts import compare, is_repeated_by
from graphmem.language.messages.decisions import ItemChoice, number_of, parse_decision
from graphmem.language.reflection_findings import NoteSummary, NoteText
from graphmem.language.reflection_text import item_text
from graphmem.services.reflection.evolution import milestones

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ITEMS = (
    (ItemKind.FACT, "Learned: Ann prefers tea"),
    (ItemKind.ARCHIVE, "Discussion of the CSS bug (score: 0.03)"),
    (ItemKind.LINK, "The kiln ↔ The relay"),
    (ItemKind.ARCHIVE, "The old lamp (score: 0.01)"),
)


@pytest.mark.feature("MOLT-53")
@pytest.mark.parametrize(
    ("text", "accept", "reject"),
    [
        ("approve", (1, 2, 3, 4), ()),
        ("Approve it", (1, 2, 3, 4), ()),
        ("approve reflection 7", (1, 2, 3, 4), ()),
        ("approve 1, 3", (1, 3), ()),
        ("approve 1-3", (1, 2, 3), ()),
        ("approve all but 2", (1, 3, 4), (2,)),
        ("approve everything except the lamp", (1, 2, 3), (4,)),
        ("approve with changes: don't archive the CSS bug, I might need it", (1, 3, 4), (2,)),
        ("partial approve: accept 1 and 3, reject 2", (1, 3), (2,)),
        ("reject", (), (1, 2, 3, 4)),
        ("reject everything", (), (1, 2, 3, 4)),
    ],
)
def test_words_decide(text: str, accept: tuple[int, ...], reject: tuple[int, ...]) -> None:
    assert parse_decision(text, ITEMS) == ItemChoice(accept, reject)


@pytest.mark.parametrize(
    "text",
    [
        "reject 2",
        "approve 9",
        "approve 0",
        "approve 1 and reject 1",
        "approve with changes",
        "partially approve",
        "approve with changes: paint it green",
        "approve with changes: don't archive the harp",
    ],
)
def test_what_is_not_clear_decides_nothing(text: str) -> None:
    found = parse_decision(text, ITEMS)
    assert found.why_not
    assert (found.accept, found.reject) == ((), ())


def test_long_ranges_cost_nothing() -> None:
    found = parse_decision("approve " + "1-9999 " * 2_000, ITEMS)
    assert found.why_not == "there is no item 5"


def test_a_reflection_can_be_named() -> None:
    assert number_of("approve reflection #12") == 12
    assert number_of("approve reflection r-012") == 12
    assert number_of("approve 12") is None


def reflection(*accepted: bool | None, status: str = "PENDING") -> Reflection:
    items = tuple(
        Item(id=str(i), kind=ItemKind.ARCHIVE, audience="a", notes=((f"n{i}", 1),), accepted=said)
        for i, said in enumerate(accepted)
    )
    return Reflection(
        id="r",
        number=12,
        maker=None,
        status=ReflectionStatus(status),
        at=NOW,
        items=items,
        numbers={},
        tokens_used=1,
        token_budget=1,
    )


@pytest.mark.parametrize(
    ("accept", "reject", "status", "chosen"),
    [
        (["0", "1"], None, "APPLIED", {"0": True, "1": True}),
        (["0"], None, "PARTIAL", {"0": True}),
        (["0"], ["1"], "PARTIAL", {"0": True, "1": False}),
        ([], ["0", "1"], "REJECTED", {"0": False, "1": False}),
        ([], ["1"], "REJECTED", {"1": False}),
        ([], None, "REJECTED", {"0": False, "1": False}),
    ],
)
def test_decisions_give_a_status(
    accept: list[str], reject: list[str] | None, status: str, chosen: dict[str, bool]
) -> None:
    assert decide_items(reflection(None, None), accept, reject) == (
        chosen,
        ReflectionStatus(status),
    )


def test_an_empty_reflection_can_be_approved_and_nothing_strange_decided() -> None:
    assert decide_items(reflection(), [], None) == ({}, ReflectionStatus.APPLIED)
    for accept, reject in ((["2"], None), (["0"], ["0"]), ([], []), (["0"], ["9"])):
        with pytest.raises(Invalid):
            decide_items(reflection(None, None), accept, reject)


def test_the_actor_names_the_reflection() -> None:
    assert reflection().actor == "reflection:r-012"
    assert replace(reflection(), maker="sales").actor == "reflection:r-012@sales"


@pytest.mark.feature("MOLT-54")
def test_what_was_decided_or_waits_is_settled_and_what_was_left_open_is_not() -> None:
    past = [reflection(True, False, None, status="PARTIAL"), reflection(None)]
    proposed = proposed_before(past)
    assert [proposed.has(ItemKind.ARCHIVE, [f"n{i}"]) for i in range(4)] == [
        True,
        True,
        False,
        False,
    ]
    assert not proposed.has(ItemKind.LINK, ["n0"])
    told = Item(id="f", kind=ItemKind.FACT, audience="u", notes=(("a", 1), ("b", 1)))
    fact = proposed_before([replace(past[1], items=(told,))])
    assert fact.has(ItemKind.FACT, ["b", "c"])
    assert not fact.has(ItemKind.FACT, ["c", "d"])
    assert not fact.has(ItemKind.PROCEDURE, ["a", "b"])


def seen(note: str, **given: object) -> NoteSummary:
    usual: dict[str, object] = {
        "version": 1,
        "audience": "a",
        "kind": Kind.EPISODIC,
        "source": "TOLD",
        "tags": frozenset(),
        "things": frozenset(),
        "domain": "general",
        "created_at": NOW,
        "happened_at": NOW,
        "last_used_at": NOW,
        "access_count": 0,
        "importance": 0.5,
        "pinned": False,
        "load_bearing": False,
        "episode": None,
        "core_block": None,
        "is_core": False,
        "is_foundational": False,
        "is_proven": False,
    }
    return NoteSummary(id=note, **(usual | given))  # type: ignore[arg-type]


def told(note: str, text: str, **given: object) -> NoteText:
    return NoteText(note=seen(note, **given), text=text, terms=frozenset(text.lower().split()))


def test_repetitions_are_found_inside_one_audience_only() -> None:
    texts = ("Ann prefers tea over coffee.", "Ann likes tea more than coffee.", "Bo is in Rome.")
    found = reflection_findings.near_duplicates(
        [told(str(i), text) for i, text in enumerate(texts)]
    )
    assert [[m.note.id for m in group.members] for group in found] == [["0", "1"]]
    apart = [told(str(i), texts[0], audience=str(i)) for i in range(3)]
    assert reflection_findings.near_duplicates(apart) == []
    known = [told("0", texts[0]), told("1", texts[1], kind=Kind.SEMANTIC)]
    (group,) = reflection_findings.near_duplicates(known)
    assert group.known


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The kiln burns at 900 degrees.", "The kiln burns at 950 degrees."),
        ("The gate is locked at night.", "The gate is not locked at night."),
        ("Ann lives in Berlin.", "Bo lives in Berlin."),
    ],
)
def test_what_differs_is_no_repetition(one: str, other: str) -> None:
    assert reflection_findings.near_duplicates([told("0", one), told("1", other)]) == []


def test_a_text_is_compared_no_further_than_its_first_new_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = "The kiln is hot.", "Ann sold the pump.", "Ann didn't sell the pump.", "The gate is old."
    texts = [" ".join(some) for n in (1, 2, 3) for some in permutations(said, n)]
    for one, other in product(texts, texts):
        assert is_repeated_by(one, other) == (compare(one, other).verdict is TextVerdict.SAME), (
            one,
            other,
        )
    real, asked = compare_sentences, []
    monkeypatch.setattr(
        f"{compare.__module__}.compare_sentences",
        lambda one, other: asked.append(other) or real(one, other),
    )
    old = " ".join(f"Day {i} was dry." for i in range(10))
    assert not is_repeated_by(old, old.replace("Day 0", "Day 77"))
    assert len(asked) == 10


def test_what_was_told_otherwise_later_is_outdated() -> None:
    one, other = told("0", "I live in Berlin."), told("1", "I moved to Hamburg. I live in Hamburg.")
    assert reflection_findings.is_outdated(
        told("0", "I live in Berlin."), told("1", "I live in Hamburg.")
    )
    assert not reflection_findings.is_outdated(one, told("1", "I live in Hamburg.", audience="b"))
    assert not reflection_findings.is_outdated(other, told("2", "The kiln is blue."))


@pytest.mark.feature("MOLT-45")
def test_steps_that_came_in_one_order_twice_are_a_sequence() -> None:
    notes = [
        told(f"{day}{i}", step, episode=str(day), happened_at=NOW + timedelta(days=day, minutes=i))
        for day in range(2)
        for i, step in enumerate(("Test the shop.", "Build the image.", "Push it to Kestrel."))
    ]
    (run,) = reflection_findings.repeated_sequences(reflection_findings.near_duplicates(notes))
    assert [step.note.id for step in run.steps] == ["10", "11", "12"]
    assert run.episodes == 2
    mixed = [
        replace(each, note=replace(each.note, happened_at=NOW - timedelta(minutes=i)))
        if each.note.episode == "1"
        else each
        for i, each in enumerate(notes)
    ]
    assert reflection_findings.repeated_sequences(reflection_findings.near_duplicates(mixed)) == []


def test_what_fades_is_never_pinned_nor_load_bearing_nor_a_line_of_core_memory() -> None:
    old = NOW - timedelta(days=150)
    given = {"created_at": old, "last_used_at": old}
    notes = [
        seen("plain", **given),
        seen("new"),
        seen("pinned", pinned=True, **given),
        seen("bears", load_bearing=True, **given),
        seen("line", core_block="identity", **given),
    ]
    found = reflection_findings.fading_notes(notes, NOW, Decay().archive_threshold, Decay())
    assert [note.id for note, _ in found] == ["plain"]
    assert found[0][1] == pytest.approx(0.8 * 2.718281828 ** (-0.03 * 150), rel=1e-6)


@pytest.mark.feature("MOLT-94")
def test_the_numbers_of_decay_reach_reflections() -> None:
    day = NOW - timedelta(days=10)
    given = {"created_at": day, "last_used_at": day}
    notes = [seen("plain", **given), seen("line", core_block="context", **given)]
    usual, quick = Decay(), Decay(rate=0.5)
    lasting = Decay(rate=0.5, weights={"episodic": 1000.0, "semantic": 1000.0})
    for decay, faded in ((usual, []), (quick, ["plain"]), (lasting, [])):
        found = reflection_findings.fading_notes(notes, NOW, decay.archive_threshold, decay)
        assert [note.id for note, _ in found] == faded
        lines = reflection_findings.stale_lines(notes, "context", NOW, decay)
        assert [note.id for note, _ in lines] == (["line"] if faded else [])
    rare = Decay(rate=0.5, archive_threshold=0.0)
    assert reflection_findings.fading_notes(notes, NOW, rare.archive_threshold, rare) == []


def test_the_settings_refuse_nonsense() -> None:
    for wrong in (0, 499, 100_001):
        with pytest.raises(ValueError, match="token_budget"):
            Reflecting(token_budget=wrong)


@pytest.mark.feature("MOLT-49")
def test_the_tenth_25th_50th_and_100th_reflection_look_back() -> None:
    told = {}
    for number in range(1, 201):
        found = milestones([], number, NOW)
        assert all(item.kind is ItemKind.MILESTONE for item in found)
        for item in found:
            told[number] = item_text(item, {}).summary.partition(" at ")[0]
    assert told == {
        10: "First evolution summary",
        25: "Threads consolidated",
        50: "Major synthesis",
        100: "Deep retrospective",
    }

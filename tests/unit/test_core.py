"""Core memory as pure logic: what is dropped, what is cut, which notes belong to it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmem.domain.actors import Viewer
from graphmem.domain.core import (
    HEADINGS,
    Block,
    Line,
    Mark,
    budget_of,
    check_block,
    check_lines,
    fit_lines,
    text_of,
)
from graphmem.domain.drafts import MAX_KEY
from graphmem.domain.notes import NoteDraft, NoteType
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import HALF_LIFE_HOURS
from graphmem.errors import Invalid
from graphmem.language.extraction.core_memory import core_line, is_of_conduct, mark_of
from graphmem.language.questions.understanding import core_blocks_asked
from graphmem.services.context import Access
from graphmem.services.writing.construct import note_as_said

NOW = datetime(2026, 3, 4, tzinfo=UTC)
EVERY = tuple(Block)


def words(text: str) -> int:
    """Tokens, for these tests."""
    return len(text.split())


def line(i: int, block: Block = Block.CONTEXT, **given: Any) -> Line:
    given = {"text": f"line {i} of many", "relevance": float(i), **given}
    return Line(block=block, note=f"n{i}", at=NOW + timedelta(minutes=i), **given)


@pytest.mark.feature("MOLT-4", "MOLT-5", "MOLT-6", "MOLT-7", "MOLT-8")
def test_the_budgets_share_the_cap() -> None:
    assert [budget_of(block, 3_000) for block in Block] == [500, 1000, 500, 1000]
    core = fit_lines([], 3_000, words)
    assert (core.text, core.token_count, core.has_content) == ("", 0, False)


@pytest.mark.feature("MOLT-10")
def test_the_least_relevant_line_goes_first_and_the_order_stays() -> None:
    core = fit_lines([line(i) for i in (3, 1, 4, 2, 5)], 60, words)
    assert [each.note for each in core.lines] == ["n3", "n4", "n5"]
    assert core.token_count == words(core.text) <= 60


@pytest.mark.feature("MOLT-10")
def test_pinned_lines_stay_over_the_budget_of_their_block_but_not_over_the_cap() -> None:
    pinned = [line(i, pinned=True, relevance=0.0) for i in range(8)]
    others = [line(100 + i, Block.CRITICAL) for i in range(4)]
    core = fit_lines([*pinned, *others], 90, words)
    assert {each.note for each in pinned} <= {each.note for each in core.lines}
    assert words(core.parts[1].text) > budget_of(Block.CONTEXT, 90)
    assert core.token_count <= 90
    many = fit_lines([line(i, pinned=True) for i in range(100)], 90, words)
    assert 0 < many.token_count <= 90


def test_what_a_block_is_for_outlives_what_is_only_relevant() -> None:
    lines = [line(0, standing=1, relevance=0.1), *(line(i) for i in range(1, 9))]
    assert "n0" in {each.note for each in fit_lines(lines, 60, words).lines}


def test_lines_that_say_the_same_are_told_once_as_the_one_that_is_worth_more() -> None:
    lines = [
        line(1, text="Name: Ada"),
        line(2, text="other"),
        line(3, text="name:  ADA.", pinned=True),
    ]
    core = fit_lines(lines, 3_000, words)
    assert [each.note for each in core.lines] == ["n3", "n2"]


def test_a_long_line_is_cut_at_a_word() -> None:
    long = " ".join(f"w{i}" for i in range(500))
    core = fit_lines([line(1, text=long)], 300, words)
    [shown] = core.lines
    assert shown.text.endswith(" […]")
    assert long.startswith(shown.text.removesuffix(" […]"))
    assert 80 < words(HEADINGS[Block.CONTEXT]) + words(core.parts[1].text) <= 100
    [one] = fit_lines([line(1, text="x" * 5_000)], 300, len).lines
    assert 40 < len(one.text) < 100


def test_many_long_lines_are_not_all_counted() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return words(text)

    lines = [line(i, text=f"{i} " + "word " * 700) for i in range(1_000)]
    core = fit_lines(lines, 3_000, count)
    assert [each.note for each in core.lines][-1] == "n999"
    assert counted < 1_000_000


def test_text_has_a_heading_for_each_block_with_lines() -> None:
    core = fit_lines(
        [line(1, Block.CRITICAL, text="a"), line(2, Block.IDENTITY, text="b")], 3_000, words
    )
    assert core.text == "# Core memory\n\n## Identity\n- b\n\n## Critical Facts\n- a"
    assert text_of(()) == ""


@pytest.mark.parametrize("name", ["", "Identity", "soul", "identity "])
def test_there_is_no_other_block(name: str) -> None:
    with pytest.raises(Invalid, match="identity, context, persona, critical"):
        check_block(name)


def test_a_text_becomes_lines() -> None:
    text = (
        "# Core memory\n## Identity\n\n- Name: Ada\n* Role:  potter \n\u2022 name: ada\n---\n-\nx"
    )
    assert check_lines(Block.IDENTITY, text) == ["Name: Ada", "Role: potter", "x"]
    assert check_lines(Block.PERSONA, "") == []
    assert check_lines(Block.PERSONA, HEADINGS[Block.IDENTITY]) == ["## Identity"]


@pytest.mark.parametrize("text", ["a\x00", "a\x1b[0m", "a\x07", "a\x85b", "\ud800", "x" * 50_001])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        check_lines(Block.IDENTITY, text)


ACCESS = Access(viewer=Viewer(user="ada"), audiences=(), rules={}, default=Visibility.SCOPED)


def mark(text: str, *, curated: bool = True, **given: Any) -> Mark | None:
    note = note_as_said(ACCESS, "n", NoteDraft(content=text, **given), NOW, HALF_LIFE_HOURS)
    object.__setattr__(note, "context", "x" if curated else None)
    return mark_of(note)


@pytest.mark.feature("MOLT-30")
@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("My name is Ada.", {}, Mark.IDENTITY),
        ("Remember that my time zone is CET.", {}, Mark.IDENTITY),
        ("The user's name is Ada.", {}, Mark.IDENTITY),
        ("I'm Ada.", {}, Mark.IDENTITY),
        ("Hi, I'm Ada Moen, a potter.", {}, Mark.IDENTITY),
        ("I am a potter.", {}, Mark.IDENTITY),
        ("I am in the Europe/Oslo time zone.", {}, Mark.IDENTITY),
        ("The user is a night owl from Oslo.", {}, Mark.IDENTITY),
        ("Timezone: Europe/Oslo", {}, Mark.IDENTITY),
        ("I am a bit later than planned.", {}, None),
        ("I'm here.", {}, None),
        ("I'm the last to know.", {}, None),
        ("Name the kiln: Otto.", {}, None),
        ("My name is Ada.", {"speaker": "user"}, Mark.IDENTITY),
        ("My name is Ada.", {"speaker": "Ada"}, Mark.IDENTITY),  # the user's own id
        ("My name is Bo.", {"speaker": "Bo"}, None),
        ("My name is Ada.", {"curated": False}, None),
        ("Is my name Ada?", {}, None),
        ("The requests library keeps a pool of connections.", {}, None),
        ("I'm working on Halden.", {}, Mark.WORKING),
        ("I am allergic to nuts.", {"type": NoteType.PREFERENCE}, Mark.CRITICAL),
        ("I prefer tea.", {"type": NoteType.PREFERENCE}, Mark.PREFERENCE),
        ("I prefer tea.", {"type": NoteType.PREFERENCE, "pinned": True}, Mark.PREFERENCE),
        ("Bo prefers tea.", {"type": NoteType.PREFERENCE}, None),
        ("I was so happy.", {"type": NoteType.EMOTION}, Mark.EMOTION),
        ("Bo was so happy.", {"type": NoteType.EMOTION}, None),
        ("We chose Neo4j.", {"type": NoteType.DECISION}, Mark.DECISION),
        ("We chose Neo4j.", {"type": NoteType.DECISION, "curated": False}, Mark.DECISION),
        ("We chose Neo4j.", {"type": NoteType.DECISION, "speaker": "Bo"}, None),
        ("The code is 4711.", {"pinned": True}, Mark.KEPT),
        ("The code is 4711.", {"load_bearing": True, "speaker": "Bo"}, Mark.KEPT),
    ],
)
def test_which_notes_belong_to_core_memory(
    text: str, given: dict[str, Any], expected: Mark | None
) -> None:
    assert mark(text, **given) is expected


def test_a_line_tells_the_sentences_that_matter_in_one_line() -> None:
    def told(text: str, mark: Mark, **given: Any) -> str:
        return core_line(
            note_as_said(ACCESS, "n", NoteDraft(content=text, **given), NOW, HALF_LIFE_HOURS), mark
        )

    text = "The weather was fine.\nRemember that my name is Ada. ## Rules"
    assert told(text, Mark.IDENTITY) == "My name is Ada."
    assert (
        told("The code\n## is 4711.", Mark.KEPT, title="Hall\n7") == "Hall 7: The code ## is 4711."
    )
    assert len(told("word " * MAX_KEY, Mark.KEPT)) <= 304
    assert "\n" not in told("a\n\nb", Mark.TASK)


@pytest.mark.feature("MOLT-60")
@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("Who am I?", (Block.IDENTITY,)),
        ("Tell me who I am, please.", (Block.IDENTITY,)),
        ("What are you working on with me?", (Block.CONTEXT,)),
        ("so, what am I working on right now", (Block.CONTEXT,)),
        ("What\u2019s going on?", (Block.CONTEXT,)),
        ("how long have we worked together?", (Block.PERSONA,)),
        ("What must you never forget?", (Block.CRITICAL,)),
        ("What should you know about me?", EVERY),
        ("Could you please tell me what you know about me?", EVERY),
        ("What do you remember about me?", EVERY),
        ("Who is Ada?", ()),
        ("Who am I meeting today?", ()),
        ("What am I working on for Halden?", ()),
        ("What do you know about the kiln?", ()),
        ("What's going on with the kiln?", ()),
        ("What is Caroline's identity?", ()),
        ("What are Melanie's priorities?", ()),
        ("What is Melanie working on?", ()),
        ("what do you know about me and Ada", ()),
        ("", ()),
        ("who am i " * 200, ()),
    ],
)
def test_general_questions_are_whole_questions(text: str, blocks: tuple[Block, ...]) -> None:
    assert core_blocks_asked(text) == blocks


@pytest.mark.feature("MOLT-46")
@pytest.mark.parametrize(
    ("text", "conduct"),
    [
        ("Answer in one paragraph at most.", True),
        ("Please never reply in German.", True),
        ("Keep answers short.", True),
        ("She likes your tone when you are brief.", True),
        ("The agent should always answer before it acts.", True),
        ("Be concise.", True),
        ("The spare key of the Halden gate hangs in the kiln room.", False),
        ("Use the side door of the kiln.", False),
        ("The answer is 42.", False),
        ("Talk to the bank about the loan.", False),
        ("Answer the order of the college.", False),
        ("Keep it in the freezer.", False),
        ("The address of the yard is 4 Quay Road.", False),
        ("You should see the kiln in spring.", False),
    ],
)
def test_what_tells_how_to_behave(text: str, conduct: bool) -> None:
    assert is_of_conduct(text) is conduct

"""What is told of a procedure below its text in its file."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

import pytest
from some_notes import note

from graphmem.domain.notes import Kind
from graphmem.language.pages.procedures import parse_procedure
from graphmem.services.syncing.files import parse_file, patch_file, render_file
from graphmem.services.syncing.foot import FOOT, FootWriter

PATH = PurePosixPath("memory/procedures/how-i-deploy.md")
AT = datetime(2026, 1, 25, 14, 30, tzinfo=UTC)
TOLD = [
    ("how I deploy: 1 run the tests 2 tag 3 push", "how I deploy", 3, 0),
    (
        "How I deploy: 1. Test. It takes 2 minutes. 2. Tag.\n\nNever on Fridays.",
        "How I deploy",
        2,
        1,
    ),
    ("Ask first. To ship, do this:\n- tag\n- push\n\nConfirm.", "To ship, do this", 2, 2),
    ("1 test\n2 tag", None, 2, 0),
    ("Step 1: test. Step 2: tag.", None, 2, 0),
    ("Run 1 test, then 2 more.", None, 0, 0),
    ("First wedge.\n\nThen throw.", None, 0, 0),
]


@pytest.mark.feature("MOLT-22")
@pytest.mark.parametrize(("text", "trigger", "steps", "notes"), TOLD)
def test_the_parts_of_a_procedure(text: str, trigger: str | None, steps: int, notes: int):
    told = parse_procedure(text)
    assert (told.trigger, len(told.steps), len(told.notes)) == (trigger, steps, notes)


@pytest.mark.feature("MOLT-22")
def test_a_procedure_file_tells_its_parts_and_when_it_was_learned():
    made = note(
        content="how I deploy: 1. test 2. tag\n\nNever on Fridays.",
        kind=Kind.PROCEDURAL,
        created_at=AT,
        occurred_at=AT,
        updated_at=AT + timedelta(days=5),
        accesses=(AT + timedelta(days=6),),
        access_count=3,
        version=2,
        episode="standup",
    )
    logs = {PurePosixPath("memory/episodes/2026-01-25.md")}
    text = render_file(PATH, made, FootWriter(lambda _: 0.85, logs))
    assert text.partition(FOOT)[2].split("\n") == [
        "",
        "<!-- Type: procedure | Learned: 2026-01-25 | Last used: 2026-01-31 -->",
        "<!-- Decay score: 0.85 | Access count: 3 -->",
        "## Trigger",
        "how I deploy",
        "## Steps",
        "1. test",
        "2. tag",
        "## Notes",
        "- Never on Fridays.",
        "## Learned From",
        "- [[memory/episodes/2026-01-25]] 14:30 — first told in standup",
        "- Episode 2026-01-30 14:30 — refined, version 2",
        "",
    ]
    assert parse_file(PATH, text, AT).draft.content == made.content
    later = replace(made, access_count=9)
    assert patch_file(PATH, text, later, AT) == text  # what is told below alone is no change


def test_parts_that_a_text_has_headings_of_are_left_to_it():
    made = note(content="# Deploy\n\n## Steps\n1. test\n2. tag", kind=Kind.PROCEDURAL)
    foot = render_file(PATH, made).partition(FOOT)[2]
    assert "## Steps" not in foot
    assert "## Learned From" in foot


@pytest.mark.parametrize(
    "step",
    [FOOT, f"a {FOOT}", "<!\n-- Told by graphmem", "\\<!-- x -->", "# Steps", "[[a]]", "---"],
)
def test_no_step_ends_the_text_of_its_note(step: str):
    made = note(content=f"how I deploy: 1. {step} 2. {step}\n\n{step}", title=step.split("\n")[0])
    text = render_file(PATH, made, FootWriter(lambda _: 1.0))
    assert parse_file(PATH, text, AT).draft.content == made.content
    changed = replace(made, content=f"{made.content} More.", version=2)
    patched = patch_file(PATH, text, changed, AT, FootWriter(lambda _: 1.0))
    assert parse_file(PATH, patched, AT).draft.content == changed.content

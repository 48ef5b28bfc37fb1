"""Questions that are made of notes."""

import json
from pathlib import Path

from bench.made import make

FRONT = """---
title: {title}
relations:
  - {{subject: {s}, predicate: {p}, object: {o}}}
---
{s} {p} {o}.
"""


def test_subject_object_and_what_they_lead_to_are_asked_for(tmp_path: Path) -> None:
    user = tmp_path / "notes" / "ada"
    user.mkdir(parents=True)
    (user / "a.md").write_text(FRONT.format(title="Hall", s="Ada", p="rents", o="the hall"))
    (user / "b.md").write_text(FRONT.format(title="Owner", s="the hall", p="belongs to", o="Bo"))
    (user / "c.md").write_text(FRONT.format(title="Again", s="Ada", p="rents", o="the hall"))
    count = make(tmp_path / "notes", tmp_path / "out")
    lines = (tmp_path / "out" / "made.questions.jsonl").read_text().splitlines()
    asked = [json.loads(line) for line in lines]
    assert len(asked) == count == 2 * 5
    gold = {(each["user"], each["question"]): each["gold"] for each in asked}
    for user_name in ("ada", "ada-untitled"):
        assert gold[user_name, "Who or what rents the hall?"] == ["a.md", "c.md"]
        assert gold[user_name, "the hall belongs to whom or what?"] == ["b.md"]
        chain = "Ada rents what that belongs to whom or what?"
        assert gold[user_name, chain] == ["a.md", "b.md", "c.md"]
    notes = [
        json.loads(x) for x in (tmp_path / "out" / "made.notes.jsonl").read_text().splitlines()
    ]
    assert {(n["user"], n["title"]) for n in notes if n["externalId"] == "a.md"} == {
        ("ada", "Hall"),
        ("ada-untitled", None),
    }

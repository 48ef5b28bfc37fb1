"""Curated Markdown: sections with tags and a time become notes of their own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem.errors import Invalid
from graphmem.services.importing.markdown import Document, parse_documents

NOW = datetime(2026, 4, 1, tzinfo=UTC)
CURATED = """---
domain: work
tags: [memory]
links: [{to: kiln, kind: about}]
---
# What I know

## Kiln controllers

The controller of the *second* kiln is new.

```
## no heading
**Tags:** none
```
### More of it
It has two relays.

**Tags:** kiln, #hardware, kiln
**Timestamp:** 2026-03-02 14:30 CET

## Empty

## Kiln controllers
Sold in spring.
**tags:** sales
"""


def parse(text: str, path: str = "MEMORY.md") -> list[Document]:
    return parse_documents(Path(path), text, NOW)


@pytest.mark.feature("DAEM-21")
def test_a_section_is_a_note_with_title_tags_and_time():
    first, second = parse(CURATED)
    draft = first.draft
    assert (draft.title, draft.external_id) == ("Kiln controllers", "MEMORY#kiln-controllers")
    assert draft.tags == ("memory", "kiln", "hardware")
    assert draft.occurred_at == datetime(2026, 3, 2, 13, 30, tzinfo=UTC)
    assert draft.content.startswith("The controller of the *second* kiln is new.")
    assert "## no heading\n**Tags:** none" in draft.content
    assert draft.content.endswith("It has two relays.")
    assert (draft.domain, [link.to for link in first.links]) == ("work", ["kiln"])
    assert (second.draft.title, second.draft.external_id) == (
        "Kiln controllers",
        "MEMORY#kiln-controllers#2",
    )
    assert (second.draft.content, second.draft.tags) == ("Sold in spring.", ("memory", "sales"))
    assert (second.draft.occurred_at, second.links) == (None, ())


@pytest.mark.feature("DAEM-21")
def test_what_stands_before_the_first_section_is_a_note_if_it_is_more_than_a_heading():
    text = "# All\nRead me first.\n\n## One\nA kiln.\n**Tags:** a\n"
    before, one = parse(text)
    assert (before.draft.external_id, before.draft.title) == ("MEMORY", "All")
    assert before.draft.content == "# All\nRead me first."
    assert one.draft.external_id == "MEMORY#one"


@pytest.mark.parametrize(
    "text",
    [
        "# Kiln\n\n## Parts\nA relay.\n\n## Price\nHigh.",  # an ordinary note with headings
        "Nothing but words. **Tags:** a",
        "---\ngraphmem: {id: a, version: 1}\n---\n## One\nA kiln.\n**Tags:** a\n",
        "```\n## One\nA kiln.\n**Tags:** a\n```",
    ],
)
def test_other_files_are_one_note(text: str):
    assert len(parse(text)) == 1


@pytest.mark.feature("DAEM-21")
@pytest.mark.parametrize(
    ("given", "hours"),
    [
        ("2026-03-02 14:30", 14.5),
        ("2026-03-02 14:30 UTC", 14.5),
        ("2026-03-02T14:30 Z", 14.5),
        ("2026-03-02 9:05 +02:00", 7 + 5 / 60),
        ("2026-03-02 14:30 -0500", 19.5),
        ("2026-03-02 14:30 PST", 22.5),
        ("2026-03-02 14:30 Europe/Berlin", 13.5),
        ("2026-03-02", 0),
    ],
)
def test_times_with_a_zone(given: str, hours: float):
    (document,) = parse(f"## One\nA kiln.\n**Timestamp:** {given}\n")
    assert document.draft.occurred_at == datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=hours)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "yesterday",
        "2026-13-02 14:30",
        "2026-03-02 25:30",
        "2026-03-02 14:30 Nowhere/City",
        "2026-03-02 14:30 ../../etc/passwd",
        "2026-03-02 14:30 +99:00",
        "2026-03-02 14:30 UTC and more",
    ],
)
def test_a_time_that_cannot_be_read_is_refused(given: str):
    with pytest.raises(Invalid, match="the timestamp of the section 'One' must be YYYY-MM-DD"):
        parse(f"## One\nA kiln.\n**Timestamp:** {given}\n")


def test_a_file_that_agents_live_by_stays_one_note():
    text = "## Boundaries\nNo lies.\n**Tags:** a\n"
    assert len(parse(text, "SOUL.md")) == 1
    assert [each.draft.external_id for each in parse(text, "notes/SOUL.md")] == [
        "notes/SOUL#boundaries"
    ]


def test_a_file_has_no_more_sections_than_may_be_read():
    with pytest.raises(Invalid, match="at most 500 sections"):
        parse("## A\nb\n**Tags:** c\n" * 501)


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("a: &a {x: 1}\nb: {<<: [*a, *a]}", "not YAML"),
        ("a: &a [1]\nb: *a", "not YAML"),
        ("title: !!timestamp x", "not YAML"),
        ("graphmem: 1", "must have an id and a version"),
        ("graphmem: {id: a}", "must have an id and a version"),
        ("graphmem: {version: 1}", "each of graphmem needs id"),
        ("x: " + "[" * 41 + "]" * 41, "nested too deeply"),
        ("pinned: perhaps", "pinned must be true or false"),
        ("validFrom: soon", "validFrom must be a time of ISO 8601"),
    ],
)
def test_an_odd_front_matter_is_refused(front: str, message: str):
    with pytest.raises(Invalid, match=message):
        parse(f"---\n{front}\n---\ntext")


def test_words_that_only_an_export_means_stay_metadata_elsewhere():
    (document,) = parse("---\nid: 7\nsource: web\nkeywords: [a]\nversion: 2\n---\ntext")
    assert document.draft.metadata == {"id": 7, "source": "web", "keywords": ["a"], "version": 2}
    assert document.note_id is None

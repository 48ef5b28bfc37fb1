"""Markdown files as drafts: front matter, titles, dates, and what is refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem.cli.demo.packages import installed_packages
from graphmem.domain.notes import EntityDraft, Kind, NoteType, RelationDraft
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.importing.markdown import (
    Document,
    LinkDraft,
    markdown_files,
    parse_documents,
    read_documents,
)
from graphmem.services.importing.sources.records import share_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WHOLE = """---
title: Saul Pickering
domain: work/suppliers
visibility: private
author: builder
kind: SEMANTIC
type: fact
tags: [people, 2026]
episode: 2026-03-13
speaker: Mara
occurredAt: 2026-03-13T09:30:00+01:00
importance: 0.4
entities:
  - {name: Saul Pickering, type: person, aliases: [Saul]}
relations:
  - {subject: Saul Pickering, predicate: runs, object: Northbeck}
links:
  - {to: people/greta, kind: knows, reason: neighbours}
colour: green
seen: 2026-03-14
---
Saul runs Northbeck.
"""


def parse(text: str, path: str = "people/saul.md") -> Document:
    (document,) = parse_documents(Path(path), text, NOW)
    return document


def test_every_key_of_the_front_matter():
    document = parse(WHOLE)
    draft = document.draft
    assert draft.content == "Saul runs Northbeck."
    assert (draft.title, draft.external_id) == ("Saul Pickering", "people/saul")
    assert (draft.domain, draft.visibility) == ("work/suppliers", Visibility.PRIVATE)
    assert (draft.kind, draft.type) == (Kind.SEMANTIC, NoteType.FACT)
    assert draft.tags == ("people", "2026")
    assert (draft.episode, draft.speaker, draft.importance) == ("2026-03-13", "Mara", 0.4)
    assert draft.occurred_at == datetime(2026, 3, 13, 8, 30, tzinfo=UTC)
    assert draft.entities == (EntityDraft(name="Saul Pickering", type="person", aliases=("Saul",)),)
    assert draft.relations == (
        RelationDraft(subject="Saul Pickering", predicate="runs", object="Northbeck"),
    )
    assert document.author == "builder"
    assert document.links == (LinkDraft("people/greta", "knows", "neighbours"),)
    assert draft.metadata == {"colour": "green", "seen": "2026-03-14"}


@pytest.mark.parametrize(
    ("text", "title", "content"),
    [
        ("just words", "saul", "just words"),
        ("intro\n## The heading ##\nmore", "The heading", "intro\n## The heading ##\nmore"),
        ("```\n# comment\n```\n# Real", "Real", "```\n# comment\n```\n# Real"),
        ("#tag no heading", "saul", "#tag no heading"),
        ("---\na line\n---\nbetween rules", "saul", "---\na line\n---\nbetween rules"),
        ("---\nnever closed", "saul", "---\nnever closed"),
        ("---\ndomain: a\n---\n# H\ntext", "H", "# H\ntext"),
    ],
)
def test_title_and_content_of_any_markdown(text: str, title: str, content: str):
    draft = parse(text).draft
    assert (draft.title, draft.content, draft.metadata) == (title, content, None)


def test_the_day_comes_from_the_name_of_the_file():
    assert parse("x", "2026-03-02-kiln.md").draft.occurred_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert parse("x", "log 2026-03-02.md").draft.occurred_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert parse("x", "2026-13-02.md").draft.occurred_at is None
    assert parse("x", "2026-03-02/kiln.md").draft.occurred_at is None


def test_tags_may_be_words():
    assert parse("---\ntags: '#a, b'\n---\nx").draft.tags == ("a", "b")
    assert parse("---\ntags:\n---\nx").draft.tags == ()


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("title: [", "the front matter is not YAML, line"),
        ("occurredAt: 2026-13-45", "the front matter is not YAML"),
        ("occurredAt: 'soon'", "occurredAt must be"),
        ("visibility: SECRET", "visibility must be one of OPEN"),
        ("title: {a: 1}", "title must be a text"),
        ("tags: {a: 1}", "tags must be a list"),
        ("importance: so", "importance must be a number"),
        ("importance: 1.5", "importance must be a number from 0 to 1"),
        ("importance: .nan", "importance must be a number from 0 to 1"),
        ("domain: ../up", "domain"),
        ("author: a b", "author"),
        ("entities: [a]", "entities must be a list of mappings"),
        ("entities: [{type: x}]", "each of entities needs name"),
        ("relations: [{subject: a}]", "each of relations needs predicate"),
        ("links: [{kind: x}]", "each of links needs to"),
        ('title: "a\\0b"', "NUL"),
        ("x: [" + "1, " * 5_000 + "]", "metadata is longer"),
        ("x: !!bool abc", "the front matter is not YAML"),
        ("x: &a [*a]", "the front matter is not YAML"),
        ("x: &a {y: *a}", "the front matter is not YAML"),
        ("x: " + "[" * 3000 + "]" * 3000, "not YAML|nested too deeply"),
        (
            "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
            "e: [*d,*d,*d,*d,*d,*d,*d,*d,*d]",
            "the front matter is not YAML",
        ),
    ],
)
def test_a_broken_front_matter_is_refused(front: str, message: str):
    with pytest.raises(Invalid, match=message):
        parse(f"---\n{front}\n---\ntext")


def test_an_empty_or_too_long_file_is_refused(tmp_path: Path):
    with pytest.raises(Invalid, match="content is empty"):
        parse("---\ntitle: x\n---\n\n")
    with pytest.raises(Invalid, match="content is longer than 50000"):
        parse("x" * 50_001)
    huge = tmp_path / "huge.md"
    huge.write_text("x" * 1_000_000)
    with pytest.raises(Invalid, match="content is longer than 50000"):
        read_documents(tmp_path, huge, NOW)


def test_files_of_a_folder(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("not for you")
    folder = tmp_path / "notes"
    (folder / ".git").mkdir(parents=True)
    (folder / "deep").mkdir()
    (folder / ".git" / "a.md").write_text("hidden")
    (folder / "deep" / "b.MD").write_text("\ufeffwith a mark", encoding="utf-8")
    (folder / "deep" / "c.txt").write_text("other")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "leak.md").symlink_to(outside / "secret.md")
    (folder / "up").symlink_to(outside)
    found = {path.relative_to(folder).as_posix(): path for path in markdown_files(folder)}
    assert list(found) == ["latin.md", "leak.md", "deep/b.MD"]
    (document,) = read_documents(folder, found["deep/b.MD"], NOW)
    assert (document.draft.external_id, document.draft.content) == ("deep/b", "with a mark")
    with pytest.raises(Invalid, match="not a text in UTF-8"):
        read_documents(folder, found["latin.md"], NOW)
    with pytest.raises(Invalid, match="outside the folder is not followed"):
        read_documents(folder, found["leak.md"], NOW)


def test_installed_packages_are_notes_with_relations():
    packages = {document.draft.title: document.draft for document in installed_packages(NOW)}
    pytest_note = packages["pytest"]
    assert pytest_note.external_id == "package/pytest"
    needed = {r.object for r in pytest_note.relations if r.predicate == "requires"}
    assert "pluggy" in needed
    assert "It requires" in pytest_note.content
    assert any(r.predicate == "licensed under" for r in pytest_note.relations)


@pytest.mark.feature("DIFF-11")
@pytest.mark.parametrize("key", ["confidence", "importance"])
@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("high", 0.9), ("Medium", 0.6), ("LOW", 0.3), ("' high '", 0.9)),
        *(("0.75", 0.75), ("1", 1.0), ('""', None), ("highest", None), ("[high]", None)),
    ],
)
def test_words_are_read_as_numbers(key: str, text: str, number: float | None):
    if number is None:
        with pytest.raises(Invalid, match=f"{key} must be a number"):
            parse(f"---\n{key}: {text}\n---\nThe kiln is hot.")
        return
    draft = parse(f"---\n{key}: {text}\n---\nThe kiln is hot.").draft
    assert (getattr(draft, key), draft.metadata) == (number, None)
    assert getattr(parse("The kiln is hot.").draft, key) is None


@pytest.mark.feature("DIFF-11")
@pytest.mark.parametrize(
    ("value", "number"),
    [("high", 0.9), (" Low", 0.3), (0.4, 0.4), (1, 1.0), (2, None), (True, None), ("so", None)],
)
def test_what_other_programs_say_in_words_is_a_number(value: object, number: float | None):
    assert share_of(value) == number

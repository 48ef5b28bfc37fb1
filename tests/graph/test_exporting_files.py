"""Exporting Markdown files from a real graph, and importing them again."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from graphmem.domain.notes import Note, NoteDraft, NoteFilter, Source, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.exporting.files import ExportedFiles, _Layout, export_files
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.importing.importing import Imported, import_folder
from graphmem.services.reading.notes import list_notes
from graphmem.services.writing.links import links_of, unlink
from graphmem.services.writing.remember import remember
from graphmem.services.writing.visibility import set_note_visibility

DIARY = Path(__file__).parents[2] / "examples" / "diary" / "mara"
ODD = [
    NoteDraft(content="No title.\n\n## One\nA kiln.\n**Tags:** a"),
    NoteDraft(content="---\nid: x\n---\n# Heading", title="2026-03-02: kiln --- a/b\\c"),
    NoteDraft(
        content="Zero: \u200b, sign: \U0001f525, \u0130stanbul.", title="CON", tags=("2026", "yes")
    ),
    NoteDraft(content="Up.", title="../../etc/passwd", external_id="../../etc/passwd"),
    NoteDraft(content="Far.", title="\U0001f525" * 200, domain="/".join(["語" * 40] * 6)),
    NoteDraft(content="File.", external_id="notes/_x"),
    NoteDraft(content="Folder.", domain="x.md"),
    NoteDraft(content="Nothing.", importance=0.0, confidence=0.0),
    NoteDraft(content="  A blank before,\n\nand lines after.\n\n"),
    NoteDraft(content="Named.", metadata={"source": 1, "keywords": "a", "version": "x"}),
    NoteDraft(content="Listed.", metadata=["a", {"b": "2026-01-01"}, 1.5, None]),
    NoteDraft(content="An own MEMORY.", external_id="MEMORY", source=Source.INFERRED),
    NoteDraft(content="Twin.", external_id="people/Ann"),
    NoteDraft(content="Other twin.", external_id="people/ann"),
    NoteDraft(
        content="With all.",
        title="All",
        domain="work/kilns",
        visibility=Visibility.USER_ONLY,
        tags=("a", "b"),
        episode="2026-03-02",
        speaker="Mara",
        occurred_at=datetime(2026, 3, 2, 14, 30, tzinfo=UTC),
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        valid_to=datetime(2027, 1, 1, tzinfo=UTC),
        pinned=True,
        importance=0.25,
        metadata={"colour": "green", "sizes": [1, 2.5, None], "deep": {"x": True}},
    ),
]


async def write(context: Context, user: str, folder: Path, agent: str | None = None):
    return await export_files(context, partial(open_access, context, user, agent), folder)


async def notes_of(context: Context, user: str) -> list[Note]:
    person = await open_access(context, user, None)
    page = await list_notes(context, person, NoteFilter(), first=500, after=None)
    return list(page.notes)


async def links_in(context: Context, user: str) -> list[tuple[str | None, ...]]:
    person = await open_access(context, user, None)
    titles = {note.id: note.title for note in await notes_of(context, user)}
    found = await links_of(context, person, sorted(titles), 100)
    return sorted(
        {
            (titles[each.source], each.kind, titles.get(each.target), each.reason)
            for links in found.values()
            for each in links
        }
    )


def content_of(note: Note) -> tuple[object, ...]:
    """What a file holds of a note."""
    return (
        *(note.content, note.title, sorted(note.tags), note.domain, note.visibility, note.author),
        *(note.kind, note.type, note.episode, note.speaker, note.occurred_at, note.valid_from),
        *(note.valid_to, note.importance, note.confidence, note.pinned, str(note.metadata)),
        *(note.source, note.validity, note.load_bearing, sorted(note.keywords), note.tier),
    )


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def files_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.feature("DAEM-22")
async def test_an_export_imported_elsewhere_gives_the_same_notes(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user, other = new_user(), new_user()
    await import_folder(context, user, DIARY)
    count = len(await notes_of(context, user))
    done = await write(context, user, tmp_path / "out")
    assert done == ExportedFiles(files=count)
    assert names_in(tmp_path) == {"out"}
    assert set(files_of(DIARY)) - {"README.md"} <= set(files_of(tmp_path / "out"))
    assert await import_folder(context, user, tmp_path / "out") == Imported(unchanged=count)
    assert (await import_folder(context, other, tmp_path / "out")).created == count
    assert await import_folder(context, other, tmp_path / "out") == Imported(unchanged=count)
    mine, theirs = await notes_of(context, user), await notes_of(context, other)
    assert sorted(map(repr, map(content_of, mine))) == sorted(map(repr, map(content_of, theirs)))
    assert await links_in(context, user) == await links_in(context, other) != []


@pytest.mark.feature("DAEM-22")
async def test_odd_notes_come_back_and_stay_in_the_folder(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user, other = new_user(), new_user()
    person = await open_access(context, user, None, register=True)
    for draft in ODD:
        await remember(context, person, draft, WriteMode.VERBATIM)
    folder = tmp_path / "deep" / "out"
    assert await write(context, user, folder) == ExportedFiles(files=len(ODD))
    assert len(files_of(folder)) == len(files_of(tmp_path)) == len(ODD)
    assert len({name.casefold() for name in files_of(folder)}) == len(ODD)
    assert await import_folder(context, user, folder) == Imported(unchanged=len(ODD))
    assert await import_folder(context, other, folder) == Imported(created=len(ODD))
    mine, theirs = await notes_of(context, user), await notes_of(context, other)
    assert sorted(map(repr, map(content_of, mine))) == sorted(map(repr, map(content_of, theirs)))
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.feature("DAEM-22")
async def test_an_edited_file_changes_its_note_wherever_it_lies(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    person = await open_access(context, user, None, register=True)
    note = (await remember(context, person, NoteDraft(content="The kiln is old."))).note
    assert note is not None
    await write(context, user, tmp_path / "out")
    (path,) = (tmp_path / "out").rglob("*.md")
    path.write_text(path.read_text().replace("old", "new"))
    path.rename(tmp_path / "out" / "moved.md")
    assert await import_folder(context, user, tmp_path / "out") == Imported(revised=1)
    assert [(each.id, each.content) for each in await notes_of(context, user)] == [
        (note.id, "The kiln is new.")
    ]


async def test_a_file_with_the_id_of_anothers_note_is_a_new_note(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user, other = new_user(), new_user()
    person = await open_access(context, user, None, register=True)
    note = (await remember(context, person, NoteDraft(content="The kiln is old."))).note
    assert note is not None
    file = f"---\ngraphmem: {{id: {note.id}, version: 1}}\n---\nThe kiln is mine."
    (tmp_path / "a.md").write_text(file)
    assert await import_folder(context, other, tmp_path) == Imported(created=1)
    assert await notes_of(context, user) == [note]


async def test_an_agent_exports_what_it_may_read_and_never_a_file_of_the_user(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    person = await open_access(context, user, None, register=True)
    agent = await open_access(context, user, "scribe", register=True)
    await write(context, user, tmp_path / "none", "scribe")
    assert files_of(tmp_path / "none") == {}
    owned = NoteDraft(content="You obey.", external_id="kiln", visibility=Visibility.OPEN)
    await remember(context, agent, owned, WriteMode.VERBATIM)
    await write(context, user, tmp_path / "before", "scribe")
    secret = NoteDraft(content="Secret.", external_id="a", visibility=Visibility.PRIVATE)
    await remember(context, person, secret, WriteMode.VERBATIM)
    hidden = replace(secret, content="Hidden.", external_id="b", title="SOUL")
    await remember(context, person, replace(hidden, visibility=Visibility.USER_ONLY))
    await write(context, user, tmp_path / "after", "scribe")
    assert files_of(tmp_path / "before") == files_of(tmp_path / "after")
    (name,) = files_of(tmp_path / "after")
    assert name.startswith("notes/")
    await write(context, user, tmp_path / "all")
    assert "kiln.md" not in files_of(tmp_path / "all")
    assert len(files_of(tmp_path / "all")) == 3


async def test_only_a_new_or_empty_folder_is_written(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    await open_access(context, user, None, register=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep")
    (tmp_path / "file").write_text("keep")
    (tmp_path / "link").symlink_to(tmp_path / "full")
    for name in ("full", "file", "link"):
        with pytest.raises(Invalid, match="must be a new or an empty folder"):
            await write(context, user, tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert await write(context, user, tmp_path / "empty") == ExportedFiles()
    assert names_in(tmp_path) == {"full", "file", "link", "empty"}
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.geteuid() != 0:
        with pytest.raises(Invalid, match="can't write into"):
            await write(context, user, closed / "out")


async def test_what_no_file_can_hold_is_named(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    person = await open_access(context, user, None, register=True)
    for draft in (
        NoteDraft(content="Two.\rThree.", title="Carriage"),
        NoteDraft(content="Fine."),
    ):
        await remember(context, person, draft, WriteMode.VERBATIM)
    done = await write(context, user, tmp_path / "out")
    assert done.files == 1
    assert [reason for _, reason in done.skipped] == [
        "a file can't hold its content as it is",
    ]


def only_file(folder: Path) -> Path:
    (path,) = folder.rglob("*.md")
    return path


async def changed_to(context: Context, user: str, folder: Path, **given: str) -> Imported:
    """Import the only file of an export after its texts were replaced."""
    path = only_file(folder)
    text = path.read_text()
    for old, new in given.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return await import_folder(context, user, folder)


async def test_a_file_of_an_export_gives_no_note_more_readers(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    person = await open_access(context, user, None, register=True)
    draft = NoteDraft(content="Secret.", visibility=Visibility.PRIVATE)
    await remember(context, person, draft)
    await write(context, user, tmp_path / "out")
    done = await changed_to(context, user, tmp_path / "out", PRIVATE="OPEN")
    assert [each.reason for each in done.skipped] == ["such a file gives a note no more readers"]
    (note,) = await notes_of(context, user)
    assert note.visibility is Visibility.PRIVATE
    assert await changed_to(context, user, tmp_path / "out", OPEN="USER_ONLY") == Imported(
        revised=1
    )


async def test_an_old_file_undoes_nothing_that_has_happened_since(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    person = await open_access(context, user, None, register=True)
    note = (await remember(context, person, NoteDraft(content="The kiln is old."))).note
    assert note is not None
    await write(context, user, tmp_path / "out")
    person = await open_access(context, user, None)
    await set_note_visibility(context, person, note.id, Visibility.USER_ONLY)
    done = await import_folder(context, user, tmp_path / "out")
    reason = "its note has changed since the file was written; export it again"
    assert [each.reason for each in done.skipped] == [reason]
    await forget_notes(context, person, await notes_of(context, user), permanent=False, reason=None)
    done = await import_folder(context, user, tmp_path / "out")
    assert [each.reason for each in done.skipped] == [
        "its note was put away since; restore it first"
    ]
    assert await notes_of(context, user) == []


async def test_a_second_file_with_an_id_and_one_that_names_a_file_of_the_user_are_skipped(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "SOUL.md").write_text("Be kind.")
    await import_folder(context, user, tmp_path / "in")
    await write(context, user, tmp_path / "out")
    soul = tmp_path / "out" / "SOUL.md"
    (tmp_path / "out" / "copy.md").write_text(soul.read_text())
    done = await import_folder(context, user, tmp_path / "out")
    assert (done.unchanged, [each.reason for each in done.skipped]) == (
        1,
        ["another file has the same id"],
    )
    soul.rename(tmp_path / "out" / "other.md")
    (tmp_path / "out" / "copy.md").unlink()
    done = await changed_to(context, user, tmp_path / "out", kind="cruel")
    assert [each.reason for each in done.skipped] == [
        "a file that agents live by is changed under its own name only"
    ]
    assert [note.content for note in await notes_of(context, user)] == ["Be kind."]


async def test_a_link_that_was_removed_since_does_not_come_back(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user, other = new_user(), new_user()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("---\nlinks: [{to: b, kind: near}]\n---\nA kiln.")
    (tmp_path / "in" / "b.md").write_text("A roof.")
    assert (await import_folder(context, user, tmp_path / "in")).linked == 1
    await write(context, user, tmp_path / "out")
    person = await open_access(context, user, None)
    ids = [note.id for note in await notes_of(context, user)]
    (link,) = {
        each for links in (await links_of(context, person, ids, 9)).values() for each in links
    }
    await unlink(context, person, link.id)
    assert await import_folder(context, user, tmp_path / "out") == Imported(unchanged=2)
    assert await links_in(context, user) == []
    assert (await import_folder(context, other, tmp_path / "out")).linked == 1


def test_notes_whose_paths_would_be_one_have_files_of_their_own():
    layout = _Layout()
    line = {"title": "Kiln", "content": "x", "domain": "work", "status": "ACTIVE"}
    for number, title in enumerate(("Kiln", "kiln", "Kiln 2", "Kiln", "KILN")):
        layout.place({**line, "title": title, "id": f"{number}-abcdefabcdef"})
    assert len({str(path).casefold() for path in layout.paths.values()}) == 5

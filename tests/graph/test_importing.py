"""Importing folders into a real graph: once, again, after changes, with broken files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from exports import EXPORTS

from graphmem.domain.notes import NoteDraft, NoteFilter
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid, Unauthenticated
from graphmem.services.actors import list_agents, open_access
from graphmem.services.context import Context
from graphmem.services.importing.importing import (
    Imported,
    Skipped,
    import_documents,
    import_folder,
)
from graphmem.services.importing.sources.kinds import read_export
from graphmem.services.reading.notes import get_note, list_notes
from graphmem.services.writing.changing import revisions_of
from graphmem.services.writing.links import links_of
from graphmem.services.writing.remember import remember


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three notes, linked in a circle of two, one of them by an agent."""
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "orla.md").write_text(
        "---\ntitle: Orla\nauthor: scribe\nlinks: [{to: kiln, kind: leads, reason: r}]\n---\nHi."
    )
    (tmp_path / "kiln.md").write_text(
        "---\nlinks: [{to: people/orla, kind: led by}]\n---\n# Kiln\nA kiln."
    )
    (tmp_path / "plain.md").write_text("Only words.")
    return tmp_path


async def test_importing_again_changes_nothing(
    context: Context, new_user: Callable[[], str], folder: Path
):
    user = new_user()
    assert await import_folder(context, user, folder) == Imported(created=3, linked=2)
    access = await open_access(context, user, None)
    orla = await get_note(context, access, None, "people/orla")
    assert (orla.author, orla.title) == ("scribe", "Orla")
    assert [agent.id for agent in await list_agents(context, access)] == ["scribe"]
    assert len((await links_of(context, access, [orla.id], 10))[orla.id]) == 2
    assert await import_folder(context, user, folder) == Imported(unchanged=3)
    assert await get_note(context, access, None, "people/orla") == orla


async def test_a_changed_file_revises_its_note(
    context: Context, new_user: Callable[[], str], folder: Path
):
    user = new_user()
    await import_folder(context, user, folder)
    (folder / "plain.md").write_text("---\nvisibility: PRIVATE\ntags: [x]\n---\nOther words.")
    assert await import_folder(context, user, folder) == Imported(revised=1, unchanged=2)
    note = await get_note(context, await open_access(context, user, None), None, "plain")
    assert (note.content, note.tags, note.title) == ("Other words.", ("x",), "plain")
    assert note.visibility is Visibility.PRIVATE
    assert note.version > 1
    assert await import_folder(context, user, folder) == Imported(unchanged=3)


async def test_broken_files_are_reported_and_the_others_imported(
    context: Context, new_user: Callable[[], str], folder: Path
):
    (folder / "bad.md").write_text("---\nimportance: 7\n---\nx")
    (folder / "long.md").write_text("x" * 50_001)
    (folder / "lost.md").write_text("---\nlinks: [{to: nowhere, kind: k}]\n---\nx")
    done = await import_folder(context, new_user(), folder, agent="clerk")
    assert (done.created, done.linked) == (4, 2)
    assert {skipped.path for skipped in done.skipped} == {"bad.md", "long.md", "lost.md"}
    assert Skipped("lost.md", "its link to 'nowhere' leads to no note") in done.skipped


async def test_the_folder_must_be_there(context: Context, new_user: Callable[[], str]):
    with pytest.raises(Invalid, match="not a folder"):
        await import_folder(context, new_user(), Path("no-such-folder"))


@pytest.mark.parametrize("author", [None, "scribe"])
async def test_a_note_that_an_agent_made_under_a_path_is_not_the_file(
    context: Context, new_user: Callable[[], str], tmp_path: Path, author: str | None
):
    user = new_user()
    await open_access(context, user, None, register=True)
    agent = await open_access(context, user, "scribe", register=True)
    bait = NoteDraft(content="Bait.", external_id="diary/secret", visibility=Visibility.OPEN)
    baited = (await remember(context, agent, bait)).note
    agent = await open_access(context, user, "scribe")  # with the audience of its note
    (tmp_path / "diary").mkdir()
    file = tmp_path / "diary" / "secret.md"
    head = f"author: {author}\n" if author else ""
    for text, done in (("One.", Imported(created=1)), ("Two.", Imported(revised=1))):
        file.write_text(f"---\nvisibility: USER_ONLY\n{head}---\n{text}")
        assert await import_folder(context, user, tmp_path) == done
    assert await get_note(context, agent, None, "diary/secret") == baited
    person = await open_access(context, user, None)
    page = await list_notes(context, person, NoteFilter(), first=10, after=None)
    assert sorted((note.content, note.author) for note in page.notes) == sorted(
        [("Bait.", "scribe"), ("Two.", author)]
    )


async def test_who_is_shut_out_by_a_file_never_reads_its_new_text(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    user = new_user()
    for visibility, text in (("OPEN", "One."), ("PRIVATE", "Two."), ("OPEN", "Three.")):
        (tmp_path / "a.md").write_text(f"---\nvisibility: {visibility}\n---\n{text}")
        await import_folder(context, user, tmp_path)
    person = await open_access(context, user, None)
    note = await get_note(context, person, None, "a")
    told = (await revisions_of(context, person, [note.id], 10))[note.id]
    assert [each.content for each in reversed(told)] == ["One.", "One.", "Two.", "Three.", "Three."]
    agent = await open_access(context, user, "reader", register=True)
    told = (await revisions_of(context, agent, [note.id], 10))[note.id]
    assert [each.content for each in reversed(told)] == ["One.", "Three."]


@pytest.mark.parametrize("name", EXPORTS)
async def test_an_export_is_imported_once(
    context: Context, new_user: Callable[[], str], tmp_path: Path, name: str
):
    user, (value, texts) = new_user(), EXPORTS[name]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(value))
    found = read_export(file, context.clock())
    dry = await import_documents(context, user, found, dry=True)
    assert dry == Imported(created=len(texts))
    with pytest.raises(Unauthenticated):
        await open_access(context, user, None)  # nothing was made, not even the user
    half = await import_documents(context, user, found[:1])
    assert half == Imported(created=1)
    seen: list[int] = []
    done = await import_documents(context, user, found, progress=seen.append)
    assert done == Imported(created=len(texts) - 1, unchanged=1)
    assert seen == [len(texts)]
    assert await import_documents(context, user, found) == Imported(unchanged=len(texts))
    person = await open_access(context, user, None)
    page = await list_notes(context, person, NoteFilter(), first=50, after=None)
    assert sorted(note.content for note in page.notes) == texts
    assert all("importedFrom" in note.metadata for note in page.notes)  # pyright: ignore[reportOperatorIssue]


async def test_a_record_that_can_t_be_a_note_is_told(
    context: Context, new_user: Callable[[], str], tmp_path: Path
):
    file = tmp_path / "export.json"
    times = {"1": "0001-01-01T00:00:00Z", "2": "2025-03-01"}
    memories = [{"id": i, "memory": "Tea.", "created_at": at} for i, at in times.items()]
    file.write_text(json.dumps(memories))
    done = await import_documents(context, new_user(), read_export(file, context.clock()))
    assert done.created == 1
    assert done.skipped == [Skipped("mem0:1", "occurredAt is out of range")]


async def test_the_wiki_links_of_a_vault_are_links_between_notes(
    context: Context, new_user: Callable[[], str], tmp_path: Path
) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "people" / "Ada Kessler.md").write_text(
        "Ada fires plates in [[Kiln 2#Relays|the second kiln]], not in [[Kiln 9]] or [[Notes]].\n"
        "- works at [[work/Halden.md]]\n```\n[[Plain]]\n```\n[[ada kessler]]"
    )
    (tmp_path / "Kiln 2.md").write_text("It has two relays. ![[Plain]]")
    for name in ("work/Halden", "Plain", "people/Notes", "work/Notes"):
        (tmp_path / f"{name}.md").write_text(f"This is {name}.")
    user = new_user()
    assert await import_folder(context, user, tmp_path) == Imported(created=6, linked=3)
    assert await import_folder(context, user, tmp_path) == Imported(unchanged=6)
    access = await open_access(context, user, None)
    ada = await get_note(context, access, None, "people/Ada Kessler")
    made = (await links_of(context, access, [ada.id], 10))[ada.id]
    ends = {link.kind: link.target for link in made}
    kiln, halden = [
        (await get_note(context, access, None, name)).id for name in ("Kiln 2", "work/Halden")
    ]
    assert ends == {"links to": kiln, "works at": halden}

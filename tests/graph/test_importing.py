"""Importing folders into a real graph: once, again, after changes, with broken files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import list_agents, open_access
from graphmem.services.context import Context
from graphmem.services.importing import Imported, Skipped, import_folder
from graphmem.services.links import links_of
from graphmem.services.reading import get_note


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
    assert Skipped("lost.md", "its link to nowhere leads to no note") in done.skipped


async def test_the_folder_must_be_there(context: Context, new_user: Callable[[], str]):
    with pytest.raises(Invalid, match="not a folder"):
        await import_folder(context, new_user(), Path("no-such-folder"))

"""A sync on a disk that is full or can't be written says so and loses nothing."""

import errno
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_syncing import at_rest, change, note, notes_of, person, reload, with_text
from test_syncing_safely import PROCEDURE

from graphmem.errors import Invalid
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.syncing.syncing import sync_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


@pytest.mark.parametrize("room", [0, 1, 5, 11, 30])
async def test_a_full_disk_is_told_and_loses_nothing(
    context: Context,
    new_user: Callable[[], str],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: int,
):
    user, left = new_user(), room
    made = await note(context, user, "The kiln is old.", **PROCEDURE)
    gone = await note(context, user, "The wheel is old.", **PROCEDURE)
    await sync_folder(context, user, root)
    await change(context, user, made.id, content="The kiln is new.")
    with_text(root, "wheel is old").unlink()
    (root / "own.md").write_text("Mara glazes.\n")
    make = tempfile.mkstemp

    def full(**given: Any) -> tuple[int, str]:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return make(**given)

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "mkstemp", full)
        said = ""
        try:
            said = " ".join((await sync_folder(context, user, root)).skipped)
        except Invalid as error:
            said = error.message
        assert ("can't be written (No space left on device)" in said) is (left < 0)
    assert (root / "own.md").read_text().strip().endswith("Mara glazes.")
    await sync_folder(context, user, root)
    await at_rest(context, user, root)
    texts = sorted(each.content for each in await notes_of(context, user))
    assert texts == ["Mara glazes.", "The kiln is new."]
    assert with_text(root, "kiln is new")
    assert await reload(context, user, gone.id)


async def test_a_file_that_cannot_be_removed_is_told(
    context: Context, new_user: Callable[[], str], root: Path, monkeypatch: pytest.MonkeyPatch
):
    user = new_user()
    made = await note(context, user, "The kiln is old.", **PROCEDURE)
    await sync_folder(context, user, root)
    file = with_text(root, "kiln is old")
    access = await person(context, user)
    given: dict[str, Any] = {"note_id": made.id, "query": None, "confirm": True}
    await forget(context, access, **given, permanent=False, reason=None)
    unlink = Path.unlink

    def refused(self: Path, missing_ok: bool = False) -> None:
        if self == file:
            raise OSError(errno.EROFS, "Read-only file system")
        unlink(self, missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        done = await sync_folder(context, user, root)
    name = file.relative_to(root)
    assert done.skipped == [f"{name}: can't be removed (Read-only file system)"]
    await sync_folder(context, user, root)
    assert not file.exists()
    await at_rest(context, user, root)

"""A folder that somebody hostile has made, or changes while it is synced."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_syncing import note

from graphmem.domain.notes import Kind
from graphmem.errors import Invalid, Misconfigured
from graphmem.services.context import Context
from graphmem.services.syncing.carrying import Carrier
from graphmem.services.syncing.syncing import sync_folder

PROCEDURE: dict[str, Any] = {"kind": Kind.PROCEDURAL}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


def make_repository(root: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(root)], check=True, timeout=60)


@pytest.mark.parametrize(
    "told",
    [
        {"beside": {"OUTSIDE": "x"}},
        {"beside": {"../outside.md": "x"}},
        {"files": {"OUTSIDE": {"digest": "", "size": 4, "changed": 0, "notes": {}, "made": True}}},
        {"files": {".git/config": {"digest": "", "size": 4, "changed": 0, "made": True}}},
        {"files": []},
    ],
)
async def test_a_forged_state_removes_nothing(
    context: Context, new_user: Callable[[], str], root: Path, told: Any
):
    outside = root.parent / "outside.md"
    outside.write_text("mine")
    user = new_user()
    await note(context, user, "Clay one.", **PROCEDURE)
    text = json.dumps(told).replace("OUTSIDE", str(outside))
    place = root / ".graphmem"
    place.mkdir(mode=0o700)
    (place / "index.json").write_text(text)
    await sync_folder(context, user, root)  # of nobody yet, so what it says counts for nothing
    assert outside.read_text() == "mine"
    (place / "index.json").write_text(text)
    with pytest.raises(Invalid, match="start again"):
        await sync_folder(context, user, root)
    assert outside.read_text() == "mine"


async def test_git_runs_no_program_of_the_folder(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    await note(context, user, "Clay one.", **PROCEDURE)
    make_repository(root)
    ran = root.parent / "ran"
    with (root / ".git" / "config").open("a") as file:
        file.write(f'[filter "x"]\n\tclean = touch {ran}\n')
    (root / ".gitattributes").write_text("*.md filter=x\n")
    with pytest.raises(Misconfigured, match="filter"):
        await sync_folder(context, user, root, git=True)
    assert not ran.exists()


async def test_a_page_that_is_edited_while_a_sync_goes_on_keeps_the_edit(
    context: Context,
    new_user: Callable[[], str],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    user = new_user()
    await note(context, user, "Clay one.", **PROCEDURE)
    await sync_folder(context, user, root)
    real = Carrier.run

    async def late(self: Carrier, wishes: Any) -> Any:
        (root / "MEMORY.md").write_text("# Core memory\n\n## Identity\n- Called Ann.\n")
        return await real(self, wishes)

    monkeypatch.setattr(Carrier, "run", late)
    (root / "new.md").write_text("Clay two.")  # so that there is something to do
    await note(context, user, "Clay three.", **PROCEDURE)
    await sync_folder(context, user, root)
    monkeypatch.undo()
    assert "Called Ann." in (root / "MEMORY.md").read_text()
    await sync_folder(context, user, root)
    assert "Called Ann." in (root / "MEMORY.md").read_text()

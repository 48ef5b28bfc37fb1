"""The history of a folder by git, and the files that agents read first."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_syncing import at_rest, change, files_in, note, notes_of, person, with_text

from graphmem.domain.notes import Kind, Tier
from graphmem.services.alerts import list_alerts
from graphmem.services.context import Context
from graphmem.services.events import list_events
from graphmem.services.syncing.syncing import sync_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


def git(root: Path, *args: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    done = subprocess.run(
        ["git", *who, "-C", str(root), *args],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def messages(root: Path) -> list[str]:
    return [
        each.strip() for each in git(root, "log", "--format=%B%x00").split("\0") if each.strip()
    ]


@pytest.mark.feature("MOLT-66")
@pytest.mark.feature("DIFF-4")
async def test_each_action_actor_and_trigger_is_one_commit(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    one = await note(context, user, "Clay one.", kind=Kind.PROCEDURAL)
    await note(context, user, "Clay two.", kind=Kind.PROCEDURAL)
    done = await sync_folder(context, user, root, git=True)
    assert (done.commits, done.skipped) == (2, [])
    pages, first = sorted(messages(root), key=lambda message: "procedures" in message)
    assert "pages made of the memory" in pages
    assert first == (
        "[CREATE] memory/procedures/* — 2 files added, changed in the memory\n\n"
        "Actor: manual\nApproval: —\nTrigger: changed in the memory"
    )
    again = await sync_folder(context, user, root, git=True)
    assert again.commits == 0
    with_text(root, "Clay two").unlink()
    (root / "SOUL.md").write_text("Be kind.\n")
    await change(context, user, one.id, content="Clay number one.")
    done = await sync_folder(context, user, root, git=True)
    assert done.commits == 4
    heads = sorted(
        message.split("\n")[0]
        for message in messages(root)[:4]
        if "pages made of the memory" not in message
    )
    assert heads == [
        "[CREATE] SOUL.md — added, edited by hand",
        "[DELETE] memory/procedures/clay-two.md — deleted, edited by hand",
        "[EDIT] memory/procedures/clay-one.md — changed, changed in the memory",
    ]
    (critical,) = [message for message in messages(root) if "SOUL" in message]
    assert critical.endswith("Trigger: edited by hand\n⚠️ CRITICAL FILE CHANGED")
    assert git(root, "status", "--porcelain") == ""
    assert ".graphmem" not in git(root, "ls-files")


@pytest.mark.feature("MOLT-72")
async def test_a_critical_file_that_a_bot_committed_is_flagged_at_once(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    (root / "SOUL.md").write_text("Be kind.\n")
    await sync_folder(context, user, root, git=True)
    (root / "SOUL.md").write_text("Obey me.\n")
    git(root, "commit", "-qam", "[EDIT] SOUL.md — x\n\nActor: bot:x\nApproval: auto\nTrigger: y")
    await sync_folder(context, user, root, git=True)
    access = await person(context, user)
    events = await list_events(
        context,
        access,
        after=0,
        types=["ALERT"],
        actor="system:audit",
        subject_id=None,
        since=None,
        until=None,
        first=50,
    )
    data = events[0].data
    assert isinstance(data, dict)
    assert (data["integrity"], data["by"], data["file"]) == (True, "bot:x", "SOUL")


@pytest.mark.feature("MOLT-73")
async def test_a_critical_file_changed_while_all_was_stopped_is_found(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    (root / "SOUL.md").write_text("# Soul\n\nBe kind.\n")
    (root / "USER.md").write_text("Mara.\n")
    await sync_folder(context, user, root)
    soul, other = sorted(await notes_of(context, user), key=lambda each: each.external_id or "")
    assert (soul.external_id, soul.tier, other.external_id) == ("SOUL", Tier.FOUNDATIONAL, "USER")
    assert (root / "SOUL.md").read_text() == "# Soul\n\nBe kind.\n"
    await at_rest(context, user, root)
    (root / "SOUL.md").write_text("# Soul\n\nBe rude.\n")
    done = await sync_folder(context, user, root)
    assert done.revised == ["SOUL.md"]
    access = await person(context, user)
    (alert,) = await list_alerts(context, access)
    assert (alert.file, alert.by) == ("SOUL", ("manual",))
    assert alert.diff == "- Be kind.\n+ Be rude."
    await change(context, user, soul.id, content="# Soul\n\nBe fair.")
    await sync_folder(context, user, root)
    assert files_in(root)["SOUL.md"] == "# Soul\n\nBe fair.\n"
    await at_rest(context, user, root)


async def test_a_history_that_begins_late_has_all_files(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    one = await note(context, user, "Clay one.", kind=Kind.PROCEDURAL)
    await note(context, user, "Clay two.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    await change(context, user, one.id, content="Clay number one.")
    await sync_folder(context, user, root, git=True)
    names = git(root, "ls-files").splitlines()
    kept = [name for name in files_in(root) if not name.startswith("memory/snapshots/")]
    assert sorted(names) == sorted(kept)
    assert (await sync_folder(context, user, root, git=True)).commits == 0

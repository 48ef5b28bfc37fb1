"""A sync loses nothing, follows no link, and shows no viewer what is not for them."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest
from test_syncing import (
    at_rest,
    change,
    every_path,
    files_in,
    is_made,
    note,
    notes_of,
    person,
    reload,
    with_text,
)

from graphmem.domain.notes import EntityDraft, Kind
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict, Invalid
from graphmem.services.actors import register_agent
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.syncing import writing
from graphmem.services.syncing.folder import write_file
from graphmem.services.syncing.state import locked
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.writing.visibility import set_note_visibility

PROCEDURE = {"kind": Kind.PROCEDURAL}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


def bytes_in(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in every_path(root)
        if path.is_file() and ".graphmem" not in path.parts
    }


async def purge(context: Context, user: str, note_id: str) -> None:
    access = await person(context, user)
    await forget(
        context,
        access,
        note_id=note_id,
        query=None,
        confirm=True,
        permanent=True,
        reason=None,
    )


@pytest.mark.feature("MUMA-131")
async def test_two_users_share_no_file_and_no_folder(
    context: Context, new_user: Callable[[], str], root: Path, tmp_path: Path
):
    one, other = new_user(), new_user()
    await note(context, one, "Ann keeps bees.", **PROCEDURE)
    await note(context, other, "Bob keeps goats.", **PROCEDURE)
    await sync_folder(context, one, root)
    await sync_folder(context, other, tmp_path / "other")
    assert "goats" not in str(files_in(root))
    assert "bees" not in str(files_in(tmp_path / "other"))
    with pytest.raises(Invalid, match="belongs to another"):
        await sync_folder(context, other, root)
    with pytest.raises(Invalid, match="belongs to another"):
        await sync_folder(context, one, root, agent="helper")


async def test_what_is_narrowed_or_purged_leaves_the_folder(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    access = await person(context, user)
    await register_agent(context, access, "helper")
    narrowed = await note(context, user, "The safe is blue.", **PROCEDURE)
    purged = await note(context, user, "The safe is green.", **PROCEDURE)
    hidden = await note(
        context, user, "The code is 7.", visibility=Visibility.USER_ONLY, **PROCEDURE
    )
    await sync_folder(context, user, root, agent="helper")
    assert "The code" not in str(files_in(root))
    assert hidden.visibility is Visibility.USER_ONLY
    file = with_text(root, "safe is blue")
    file.write_text(file.read_text().replace("blue", "light blue"))
    await set_note_visibility(
        context, await person(context, user), narrowed.id, Visibility.USER_ONLY
    )
    await purge(context, user, purged.id)
    done = await sync_folder(context, user, root, agent="helper", yes=True)
    assert len(done.removed) == 2
    for path in every_path(root):
        if path.is_file():
            assert "safe" not in path.read_text(), path
    again = await sync_folder(context, user, root, agent="helper")
    assert again.is_quiet
    assert again.is_clean


async def test_an_agents_folder_gives_a_note_no_more_readers(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    await register_agent(context, await person(context, user), "helper")
    made = await note(context, user, "Ann is in Rome.", visibility=Visibility.SCOPED, **PROCEDURE)
    access = await person(context, user)
    await set_note_visibility(context, access, made.id, Visibility.SCOPED)
    await sync_folder(context, user, root, agent="helper")
    file = with_text(root, "Rome")
    file.write_text(file.read_text().replace("visibility: SCOPED", "visibility: OPEN"))
    done = await sync_folder(context, user, root, agent="helper")
    assert len(done.skipped) == 1
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.visibility is Visibility.SCOPED


async def test_links_binary_huge_and_twin_files_are_left_alone(
    context: Context, new_user: Callable[[], str], root: Path, tmp_path: Path
):
    user = new_user()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("A secret.")
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "linked").symlink_to(outside)
    (root / "bytes.md").write_bytes(b"\x00\x01\xff")
    (root / "huge.md").write_text("x" * 400_000)
    (root / "Kiln.md").write_text("One.")
    (root / "kiln.md").write_text("Two.")
    (root / "caf\u00e9.md").write_text("Three.")
    (root / "cafe\u0301.md").write_text("Four.")
    (root / "torn.md").write_text("---\ntitle: [a\n---\n\nFive.")
    (root / "empty.md").write_text("\n")
    for name in (".x.swp", "a.md~", "4913", ".~lock.a.md", "a.conflict-1.md", "#a.md#"):
        (root / name).write_text("Temporary.")
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "plugin.md").write_text("Settings.")
    (root / "build").mkdir()
    (root / "build" / "made.md").write_text("Made.")
    (root / "draft.md").write_text("Draft.")
    (root / ".gitignore").write_text("# what is made\nbuild/\n")
    (root / ".graphmemignore").write_text("dra*.md\n")
    before = bytes_in(root)
    done = await sync_folder(context, user, root)
    assert await notes_of(context, user) == []
    assert {n: each for n, each in bytes_in(root).items() if not is_made(n)} == before
    named = {each.partition(":")[0] for each in done.skipped}
    assert named == {
        *("link.md", "linked", "bytes.md", "huge.md", "Kiln.md", "kiln.md"),
        *("caf\u00e9.md", "cafe\u0301.md", "torn.md", "empty.md"),
    }


async def test_nothing_is_written_past_a_link(
    context: Context, new_user: Callable[[], str], root: Path, tmp_path: Path
):
    user = new_user()
    await note(context, user, "Fire slowly.", **PROCEDURE)
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "memory").mkdir()
    (root / "memory" / "procedures").symlink_to(outside)
    done = await sync_folder(context, user, root)
    assert not done.is_clean
    assert list(every_path(outside)) == [outside]
    with pytest.raises(Invalid, match="symbolic link"):
        write_file(root, PurePosixPath("memory/procedures/x.md"), "x", over=None)


async def test_a_damaged_file_is_left_alone_and_its_note_stays(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(context, user, "Sieve the glaze.", **PROCEDURE)
    await sync_folder(context, user, root)
    file = with_text(root, "Sieve")
    good = file.read_text()
    file.write_text("---\ngraphmem: {id: [\n---\nSieve")
    await change(context, user, made.id, content="Sieve the glaze twice.")
    done = await sync_folder(context, user, root)
    assert len(done.skipped) == 1
    assert file.read_text() == "---\ngraphmem: {id: [\n---\nSieve"
    assert len(await notes_of(context, user)) == 1
    file.write_text(good)
    await sync_folder(context, user, root)
    assert "twice" in file.read_text()
    await at_rest(context, user, root)


async def test_many_deletions_at_once_are_asked_about(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    for number in range(12):
        await note(context, user, f"Recipe {number} needs ash.", **PROCEDURE)
    await sync_folder(context, user, root)
    files = [root / name for name in files_in(root) if not is_made(name)]
    for file in files[:6]:
        file.unlink()
    with pytest.raises(Conflict, match="6 of 12 notes would be deleted"):
        await sync_folder(context, user, root)
    assert len(await notes_of(context, user)) == 12
    for file in files[6:]:
        file.unlink()
    with pytest.raises(Invalid, match="empty now"):
        await sync_folder(context, user, root)
    done = await sync_folder(context, user, root, yes=True)
    assert len(done.archived) == 12
    assert await notes_of(context, user) == []
    await at_rest(context, user, root)


async def test_a_dry_run_tells_both_directions_and_changes_nothing(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    first = await sync_folder(context, user, root / "new", dry=True)
    assert first.is_quiet
    assert not any(every_path(root)[1:])
    one = await note(context, user, "Clay one.", **PROCEDURE)
    await note(context, user, "Clay two.", **PROCEDURE)
    await note(context, user, "Clay three.", **PROCEDURE)
    await sync_folder(context, user, root)
    await change(context, user, one.id, content="Clay number one.")
    with_text(root, "Clay two").unlink()
    moved = with_text(root, "Clay three")
    moved.rename(moved.with_name("three.md"))
    (root / "four.md").write_text("Clay four.")
    await note(context, user, "Clay five.", **PROCEDURE)
    before = bytes_in(root)
    notes = await notes_of(context, user)
    done = await sync_folder(context, user, root, dry=True)
    assert bytes_in(root) == before
    assert await notes_of(context, user) == notes
    assert (len(done.added), len(done.changed), len(done.renamed)) == (1, 1, 1)
    assert (done.created, done.archived) == (["four.md"], ["Clay two."])
    assert done.summary().startswith("would be: files: 1 added, 1 changed, 1 renamed")


async def test_two_syncs_of_a_folder_do_not_run_at_once(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    with locked(root), pytest.raises(Conflict, match="another sync"):
        await sync_folder(context, user, root)


async def test_a_file_that_changes_while_it_is_written_keeps_its_text(
    context: Context,
    new_user: Callable[[], str],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    user = new_user()
    made = await note(context, user, "Old text.", **PROCEDURE)
    await sync_folder(context, user, root)
    file = with_text(root, "Old text")
    await change(context, user, made.id, title="A title")
    plan = writing.save_plan

    def meanwhile(*args: object) -> None:
        plan(*args)  # pyright: ignore[reportArgumentType]
        file.write_text(file.read_text().replace("Old", "Edited"))

    monkeypatch.setattr(writing, "save_plan", meanwhile)
    done = await sync_folder(context, user, root)
    assert "meanwhile" in done.skipped[0]
    assert "Edited text" in file.read_text()
    monkeypatch.undo()
    await sync_folder(context, user, root)
    now = await reload(context, user, made.id)
    assert now is not None
    assert (now.content, now.title) == ("Edited text.", "A title")
    await at_rest(context, user, root)


@pytest.mark.feature("MOLT-51")
async def test_a_file_of_a_person_stays_where_a_new_page_would_be(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    await note(context, user, "Mara fires the kiln.", title="Firing")
    await sync_folder(context, user, root)
    night = f"memory/daily/{context.clock():%Y-%m-%d}-consolidation.md"
    page = root / "memory/graph/entities/person--ada-kessler.md"
    page.write_text("What I know of Ada.\n")
    about = EntityDraft(name="Ada Kessler", type="person")
    await note(context, user, "Ada Kessler glazes.", entities=(about,))
    done = await sync_folder(context, user, root)
    assert page.read_text() == "What I know of Ada.\n"
    assert any("place of a page" in told and page.name in told for told in done.skipped)
    page.unlink()
    await sync_folder(context, user, root)
    assert "Ada Kessler glazes." in page.read_text()
    (root / night).write_text("A night.\n")  # no page has this place yet
    assert (await sync_folder(context, user, root)).created == [night]


@pytest.mark.feature("MUMA-84")
async def test_a_line_of_core_memory_is_on_all_pages_after_one_sync(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    await sync_folder(context, user, root)
    core = root / "MEMORY.md"
    core.write_text(core.read_text().replace("## Identity", "## Identity\n- Likes ash.", 1))
    await sync_folder(context, user, root)
    (found,) = await notes_of(context, user)
    assert "Likes ash." in core.read_text()
    assert found.id in (root / "memory/meta/decay-scores.json").read_text()


@pytest.mark.parametrize("broken_after", range(1, 7))
async def test_a_sync_that_is_broken_off_is_made_good_by_the_next(
    context: Context,
    new_user: Callable[[], str],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken_after: int,
):
    user = new_user()
    day = await note(context, user, "It rained.", kind=Kind.EPISODIC)
    gone = await note(context, user, "A dead end.", **PROCEDURE)
    old = await note(context, user, "Dig clay.", **PROCEDURE)
    await sync_folder(context, user, root)
    await purge(context, user, gone.id)
    await change(context, user, old.id, content="Dig red clay.")
    await change(context, user, day.id, content="It rained.\nFor hours.")  # it moves
    (root / "new.md").write_text("Buy a wheel.")
    steps = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **more: object) -> object:
            nonlocal steps
            steps += 1
            if steps == broken_after:
                raise KeyboardInterrupt
            return real(*args, **more)

        return step

    for name in ("write_file", "remove_file", "save_base", "save_state"):
        monkeypatch.setattr(writing, name, counted(getattr(writing, name)))
    with suppress(KeyboardInterrupt):
        await sync_folder(context, user, root, yes=True)
    monkeypatch.undo()
    await sync_folder(context, user, root)
    found = {each.content for each in await notes_of(context, user)}
    assert found == {"It rained.\nFor hours.", "Dig red clay.", "Buy a wheel."}
    assert "dead end" not in str(files_in(root))
    await at_rest(context, user, root)

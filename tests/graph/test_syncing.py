"""Syncing a folder with a real graph."""

import json
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.notes import Kind, Note, NoteDraft, NoteFilter, NoteType, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.reading.notes import list_notes, load_many
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.writing.changing import Edit, revise, revisions_of
from graphmem.services.writing.remember import remember

Sync = Callable[..., object]


async def person(context: Context, user: str):
    return await open_access(context, user, None, register=True)


async def note(context: Context, user: str, content: str, **given: object) -> Note:
    draft = NoteDraft(content=content, **given)  # pyright: ignore[reportArgumentType]
    done = await remember(context, await person(context, user), draft, WriteMode.VERBATIM)
    assert done.note is not None
    return done.note


async def notes_of(context: Context, user: str) -> list[Note]:
    access = await person(context, user)
    page = await list_notes(context, access, NoteFilter(), first=500, after=None)
    return list(page.notes)


async def reload(context: Context, user: str, note_id: str) -> Note | None:
    return (await load_many(context, await person(context, user), [note_id])).get(note_id)


async def change(context: Context, user: str, note_id: str, **given: object) -> None:
    edit = Edit(**given)  # pyright: ignore[reportArgumentType]
    await revise(context, await person(context, user), note_id, edit)


def files_in(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".graphmem" not in path.parts and ".git" not in path.parts
    }


def is_made(name: str) -> bool:
    """Whether a file is a page that is made of the graph."""
    folders = ("graph", "meta", "snapshots", "conflicts")
    pages = ("MEMORY.md", "memory/config.json", "memory/manifest.json")
    return name in pages or name.startswith(tuple(f"memory/{each}/" for each in folders))


def every_path(root: Path) -> list[Path]:
    return [root, *root.rglob("*")]


def with_text(root: Path, text: str) -> Path:
    """The one file that holds a text."""
    (found,) = [
        root / name for name, each in files_in(root).items() if text in each and not is_made(name)
    ]
    return found


def look_again(root: Path) -> None:
    """Have the next sync read the graph, though nothing changed since the last one."""
    path = root / ".graphmem" / "index.json"
    index = json.loads(path.read_text())
    path.write_text(json.dumps(index | {"seen": None}))


async def at_rest(context: Context, user: str, root: Path) -> None:
    """A sync right after does nothing."""
    before = files_in(root)
    look_again(root)
    again = await sync_folder(context, user, root)
    assert again.is_quiet, again.summary()
    assert files_in(root) == before


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


@pytest.mark.feature("MOLT-2")
@pytest.mark.feature("DAEM-41")
async def test_the_first_sync_of_an_empty_graph_makes_all_folders(
    context: Context, new_user: Callable[[], str], root: Path
):
    done = await sync_folder(context, new_user(), root)
    assert done.is_quiet
    for name in ("daily", "episodes", "semantic", "procedures", "vault", "meta", "graph/entities"):
        assert (root / "memory" / name).is_dir(), name
    for path in every_path(root):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.feature("MUMA-118")
async def test_four_edits_in_one_file_are_four_changes_by_hand(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(
        context, user, "The kiln fires at 1240 degrees.", kind=Kind.PROCEDURAL, tags=("kiln",)
    )
    await sync_folder(context, user, root)
    file = with_text(root, "1240")
    assert file.parent == root / "memory" / "procedures"
    text = file.read_text()
    text = text.replace("1240", "1260").replace("visibility: SCOPED", "visibility: PRIVATE")
    text = text.replace("- kiln\n", "- kiln\n- heat\n").replace("\n---\n", "\npinned: true\n---\n")
    text = text.replace("---\ngraph", "---\n# mine\ncolour: green  # not blue\n\ngraph", 1)
    file.write_text(text)
    done = await sync_folder(context, user, root)
    assert done.revised == [file.relative_to(root).as_posix()]
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.content == "The kiln fires at 1260 degrees."
    assert (now.visibility, now.pinned) == (Visibility.PRIVATE, True)
    assert {"kiln", "heat"} <= set(now.tags)
    assert "# mine\ncolour: green  # not blue\n\n" in file.read_text()
    access = await person(context, user)
    revisions = (await revisions_of(context, access, [made.id], 9))[made.id]
    assert {each.actor for each in revisions} == {"manual"}
    await at_rest(context, user, root)


async def test_a_change_in_the_graph_leaves_what_a_person_wrote_in_the_file(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    file = root / "pots.md"
    file.write_text("---\ntags: [pots]\nmine: 1   # a remark\n---\n\nPots dry for a week.\n")
    await sync_folder(context, user, root)
    (made,) = await notes_of(context, user)
    assert made.content == "Pots dry for a week."
    await at_rest(context, user, root)
    before = file.read_text()
    assert "mine: 1   # a remark\n" in before
    await change(context, user, made.id, content="Pots dry for a month.", tags=("pots", "slow"))
    done = await sync_folder(context, user, root)
    assert done.changed == ["pots.md"]
    after = file.read_text()
    assert "mine: 1   # a remark\n" in after
    assert "a month" in after
    assert "slow" in after
    await at_rest(context, user, root)


async def test_both_sides_are_merged_and_a_clash_loses_no_text(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    lines = "one\n\ntwo\n\nthree"
    made = await note(context, user, lines, kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    file = with_text(root, "three")
    file.write_text(file.read_text().replace("one", "ONE"))
    await change(context, user, made.id, content="one\n\ntwo\n\nTHREE")
    done = await sync_folder(context, user, root)
    assert done.is_clean
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.content == "ONE\n\ntwo\n\nTHREE"
    assert "ONE\n\ntwo\n\nTHREE" in file.read_text()
    await at_rest(context, user, root)
    file.write_text(file.read_text().replace("two", "by hand"))
    await change(context, user, made.id, content="ONE\n\nin the graph\n\nTHREE")
    done = await sync_folder(context, user, root)
    assert len(done.conflicts) == 1
    assert "by hand" in file.read_text()
    there = [name for name, text in files_in(root).items() if "in the graph" in text]
    assert [".conflict-" in name for name in there if not is_made(name)].count(True) == 1
    now = await reload(context, user, made.id)
    assert now is not None
    assert "by hand" in now.content
    await at_rest(context, user, root)
    await forget(
        context,
        await person(context, user),
        note_id=made.id,
        query=None,
        confirm=True,
        permanent=True,
        reason=None,
    )
    await sync_folder(context, user, root)
    assert [name for name in files_in(root) if not is_made(name)] == []
    assert not [name for name, text in files_in(root).items() if "THREE" in text]


@pytest.mark.feature("MUMA-119")
async def test_a_deleted_file_archives_its_note_and_an_edit_beats_a_deletion(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    gone = await note(context, user, "Glaze A is blue.", kind=Kind.PROCEDURAL)
    kept = await note(context, user, "Glaze B is red.", kind=Kind.PROCEDURAL)
    back = await note(context, user, "Glaze C is green.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    with_text(root, "Glaze A").unlink()
    with_text(root, "Glaze B").unlink()
    await change(context, user, kept.id, content="Glaze B is ochre.")
    await forget(
        context,
        await person(context, user),
        note_id=back.id,
        query=None,
        confirm=True,
        permanent=False,
        reason=None,
    )
    file = with_text(root, "Glaze C")
    file.write_text(file.read_text().replace("green", "olive"))
    done = await sync_folder(context, user, root)
    assert done.archived == ["Glaze A is blue."]
    left = {each.id: each.content for each in await notes_of(context, user)}
    assert left == {kept.id: "Glaze B is ochre.", back.id: "Glaze C is olive."}
    old = await reload(context, user, gone.id)
    assert old is not None
    assert old.status == "ARCHIVED"
    assert "ochre" in with_text(root, "Glaze B").read_text()
    await at_rest(context, user, root)


async def test_a_moved_file_keeps_its_note_and_a_copy_is_a_new_one(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(context, user, "Wedge the clay.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    file = with_text(root, "Wedge")
    (root / "mine").mkdir()
    moved = root / "mine" / "clay.md"
    file.rename(moved)
    moved.write_text(moved.read_text().replace("Wedge", "Knead"))
    done = await sync_folder(context, user, root)
    assert len(done.renamed) == 1
    assert [each.id for each in await notes_of(context, user)] == [made.id]
    await at_rest(context, user, root)
    assert moved.exists()
    copy = root / "mine" / "again.md"
    copy.write_text(moved.read_text())
    await sync_folder(context, user, root)
    found = await notes_of(context, user)
    assert len(found) == 2
    assert made.id in moved.read_text()
    assert made.id not in copy.read_text()
    await at_rest(context, user, root)


@pytest.mark.feature("DAEM-23")
async def test_the_same_text_on_both_sides_is_one_note(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(context, user, "Slip is wet clay.", kind=Kind.SEMANTIC)
    (root / "slip.md").write_text("Slip is wet clay.\n")
    await sync_folder(context, user, root)
    assert [each.id for each in await notes_of(context, user)] == [made.id]
    assert [name for name in files_in(root) if not is_made(name)] == ["slip.md"]
    await at_rest(context, user, root)


@pytest.mark.feature("MUMA-44")
async def test_a_semantic_note_is_a_file_of_json_to_edit(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(
        context, user, "Mara owns two kilns.", kind=Kind.SEMANTIC, domain="work/kilns"
    )
    await sync_folder(context, user, root)
    file = with_text(root, "two kilns")
    assert file.parent == root / "memory/semantic/work/kilns"
    given = json.loads(file.read_text())
    assert (given["id"], given["domain"]) == (made.id, "work/kilns")
    assert (given["visibility"], given["pinned"]) == (made.visibility, False)
    given |= {"content": "Mara owns three kilns.", "pinned": True, "mine": [1, 2]}
    file.write_text(json.dumps(given, indent=4))
    done = await sync_folder(context, user, root)
    assert done.is_clean, done.summary()
    now = await reload(context, user, made.id)
    assert now is not None
    assert (now.content, now.pinned) == ("Mara owns three kilns.", True)
    assert json.loads(file.read_text())["mine"] == [1, 2]
    await at_rest(context, user, root)


@pytest.mark.feature("TIER-4")
@pytest.mark.feature("DIFF-2")
async def test_a_ticked_box_and_a_new_line_of_a_day_come_back(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    task = await note(
        context,
        user,
        "Buy cobalt.",
        kind=Kind.EPISODIC,
        type=NoteType.TASK,
        occurred_at=at,
        visibility=Visibility.SCOPED,
    )
    await note(context, user, "The kiln was hot.", kind=Kind.EPISODIC, occurred_at=at)
    await sync_folder(context, user, root)
    file = root / "memory/daily/2026-03-02.md"
    assert file.exists(), files_in(root)
    text = file.read_text()
    assert text.startswith("# 2026-03-02\n\n## general\n")
    assert f"- [ ] Buy cobalt. <!-- gm:{task.id} -->" in text
    text = text.replace("[ ] Buy", "[x] Buy")
    file.write_text(f"{text}\nMy own words.\n\n## Ideas\n- A second kiln\n- [ ] Ask Ann\n")
    done = await sync_folder(context, user, root)
    assert done.is_clean, done.summary()
    now = await reload(context, user, task.id)
    assert now is not None
    assert now.content == "- [x] Buy cobalt."
    contents = {each.content: each for each in await notes_of(context, user)}
    assert contents["A second kiln"].domain == "Ideas"
    assert contents["A second kiln"].occurred_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert contents["- [ ] Ask Ann"].type == NoteType.TASK
    after = file.read_text()
    assert "\nMy own words.\n\n## Ideas\n- A second kiln <!-- gm:" in after
    await at_rest(context, user, root)
    file.write_text("".join(x for x in file.read_text().splitlines(True) if "second kiln" not in x))
    done = await sync_folder(context, user, root)
    assert done.archived == ["A second kiln"]
    await at_rest(context, user, root)


@pytest.mark.feature("MOLT-11")
@pytest.mark.feature("DIFF-3")
async def test_the_log_of_a_day_is_read_back(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    at = datetime(2026, 3, 2, 14, 30, tzinfo=UTC)
    made = await note(
        context,
        user,
        "Chose the blue glaze.\nIt is cheaper.",
        kind=Kind.EPISODIC,
        type=NoteType.DECISION,
        confidence=0.9,
        tags=("glaze", "blue"),
        occurred_at=at,
    )
    await sync_folder(context, user, root)
    file = root / "memory/episodes/2026-03-02.md"
    text = file.read_text()
    assert text.startswith("# 2026-03-02 — Episode Log\n\n## 14:30 | decision | confidence:high")
    assert "| tags:[" in text
    entry = (
        "\n## 15:45 | preference | confidence:medium | tags:[workflow]\nMara prefers mornings.\n"
    )
    file.write_text(text.replace("cheaper", "much cheaper") + entry)
    done = await sync_folder(context, user, root)
    assert done.is_clean, done.summary()
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.content == "Chose the blue glaze.\nIt is much cheaper."
    (new,) = [each for each in await notes_of(context, user) if each.id != made.id]
    assert (new.content, new.type, new.confidence) == ("Mara prefers mornings.", "PREFERENCE", 0.6)
    assert "workflow" in new.tags
    assert new.occurred_at == datetime(2026, 3, 2, 15, 45, tzinfo=UTC)
    await at_rest(context, user, root)


@pytest.mark.feature("TIER-5")
@pytest.mark.feature("TIER-7")
async def test_topics_have_a_file_with_the_day_of_their_last_change(
    context: Context,
    new_user: Callable[[], str],
    root: Path,
    rows: Callable[..., Any],
):
    user = new_user()
    topic = "## Summary\n- A kiln was bought.\n\n## Key Decisions\n- It stands in the shed."
    made = await note(context, user, topic, kind=Kind.SEMANTIC, title="The kiln")
    await rows("MATCH (n:Note {id: $id}) SET n.tier = 'SHORT_TERM'", id=made.id)
    await sync_folder(context, user, root)
    file = root / "memory/short-term/the-kiln.md"
    day = f"{made.updated_at:%Y-%m-%d}"
    assert f"{topic}\n\n" in file.read_text()
    assert file.read_text().endswith(f"\n## Last Updated\n{day}\n")
    await change(context, user, made.id, content=f"{topic}\n- It is red.")
    await sync_folder(context, user, root)
    assert [name for name in files_in(root) if not is_made(name)] == [
        "memory/short-term/the-kiln.md"
    ]
    assert "shed.\n- It is red.\n\n" in file.read_text()
    file.write_text(file.read_text().replace("red", "blue"))
    await sync_folder(context, user, root)
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.content == f"{topic}\n- It is blue."
    await at_rest(context, user, root)
    await rows("MATCH (n:Note {id: $id}) SET n.tier = 'LONG_TERM', n.version = 9", id=made.id)
    (root / "own.md").write_text("So that the graph is read.\n")
    await sync_folder(context, user, root)
    assert "It is blue" in (root / "memory/long-term/the-kiln.md").read_text()
    assert not file.exists()
    await at_rest(context, user, root)


@pytest.mark.feature("MOLT-22")
async def test_a_procedure_tells_when_it_was_learned_and_used(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made = await note(context, user, "First wedge.\n\nThen throw.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    file = with_text(root, "First wedge")
    learned = f"Type: procedure | Learned: {made.created_at:%Y-%m-%d} | Last used: "
    assert learned in file.read_text()
    assert "Decay score: 1.00 | Access count: 0" in file.read_text()
    file.write_text(file.read_text().replace("throw", "throw slowly"))
    await sync_folder(context, user, root)
    now = await reload(context, user, made.id)
    assert now is not None
    assert now.content == "First wedge.\n\nThen throw slowly."
    moved = root / "throw.md"
    file.rename(moved)
    await sync_folder(context, user, root)
    assert learned not in moved.read_text()
    assert [each.content for each in await notes_of(context, user)] == [now.content]
    await at_rest(context, user, root)


@pytest.mark.feature("MOLT-22")
async def test_how_to_do_it_is_a_procedure_that_leads_to_its_day(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    text = "how I deploy: 1. run the tests 2. tag 3. push"
    draft = NoteDraft(content=text, episode="standup")
    done = await remember(context, await person(context, user), draft, WriteMode.CURATED)
    assert done.note is not None
    assert done.note.kind is Kind.PROCEDURAL
    day = done.note.created_at
    broke = {"kind": Kind.EPISODIC, "title": "Broken", "episode": "standup", "occurred_at": day}
    await note(context, user, "The deploy broke.", **broke)
    await sync_folder(context, user, root)
    (file,) = (root / "memory/procedures").iterdir()
    foot = file.read_text().partition("## Trigger")[2]
    assert foot.startswith("\nhow I deploy\n## Steps\n1. run the tests\n2. tag\n3. push\n")
    log = f"memory/episodes/{day:%Y-%m-%d}"
    assert f"- [[{log}]] {day:%H:%M} — first told in standup" in foot
    assert "The deploy broke." in (root / f"{log}.md").read_text()
    await at_rest(context, user, root)

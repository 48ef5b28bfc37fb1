"""Texts that clash: a conflict of the graph, which is closed in either place."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from mortal_graph import Fault, Killed
from test_syncing import at_rest, change, every_path, files_in, is_made, note, notes_of, person
from test_syncing_safely import purge

from graphmem.domain.notes import Kind, Note
from graphmem.domain.visibility import Visibility
from graphmem.errors import Stale, Unavailable
from graphmem.language.comparison import ConflictFound, ConflictVerdict
from graphmem.services.actors import open_access, register_agent
from graphmem.services.conflicts import list_conflicts, resolve_conflict
from graphmem.services.context import Context
from graphmem.services.syncing import clashing
from graphmem.services.syncing.clashing import open_clash
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.writing.remember import prepare
from graphmem.services.writing.visibility import set_note_visibility

MANY = 60  # queries, more than a clash makes
OTHERS = """MATCH (other:Note {user: $user}) WHERE other.id <> $id
RETURN EXISTS { (other)-[:DERIVED_FROM {by: 'sync_files'}]->(:Note {id: $id}) }
  AND EXISTS { (other)<-[:BETWEEN]-(:Conflict {open: true})-[:BETWEEN]->(:Note {id: $id}) }
  AS whole"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


async def open_conflicts(context: Context, user: str, agent: str | None = None):
    access = await open_access(context, user, agent)
    return await list_conflicts(context, access, is_open=True, first=9)


async def clash(
    context: Context, user: str, root: Path, agent: str | None = None
) -> tuple[Note, Path, Path, ConflictFound]:
    """A note that says one thing in its file and another in the graph: its file, the text beside
    it, and the conflict."""
    made = await note(context, user, "The kiln fires on Monday.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root, agent=agent)
    (file,) = (root / "memory/procedures").glob("the-kiln*.md")
    file.write_text(file.read_text().replace("Monday", "Tuesday"))
    await change(context, user, made.id, content="The kiln fires on Friday.")
    done = await sync_folder(context, user, root, agent=agent)
    assert len(done.conflicts) == 1
    (beside,) = (root / "memory/procedures").glob("the-kiln*.conflict-*.md")
    (found,) = await open_conflicts(context, user)
    return made, file, beside, found


async def said(context: Context, user: str) -> list[str]:
    return sorted(each.content for each in await notes_of(context, user))


def held(root: Path, word: str) -> list[str]:
    """The files of notes, and those beside them, that have a word."""
    return [n for n, text in files_in(root).items() if word in text and not is_made(n)]


def anywhere(root: Path, word: str) -> list[Path]:
    """All files that have a word, also what the sync keeps for itself."""
    return [path for path in every_path(root) if path.is_file() and word in path.read_text()]


@pytest.mark.feature("MUMA-75")
async def test_a_clash_is_a_conflict_of_two_notes_with_the_same_readers(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    made, file, beside, found = await clash(context, user, root)
    assert "Tuesday" in file.read_text()
    assert "Friday" in beside.read_text()
    assert found.verdict is ConflictVerdict.AMBIGUOUS
    assert made.id in found.notes
    one, other = await notes_of(context, user)
    assert {one.content[-8:], other.content[-8:]} == {"Tuesday.", " Friday."}
    assert one.audience == other.audience == made.audience
    assert (root / f"memory/conflicts/{found.id}.md").is_file()
    await at_rest(context, user, root)


@pytest.mark.feature("MUMA-75")
async def test_who_deletes_the_text_beside_a_file_keeps_the_file(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    _, _, beside, found = await clash(context, user, root)
    await sync_folder(context, user, root)
    await sync_folder(context, user, root)  # at rest
    beside.unlink()
    await sync_folder(context, user, root)
    assert await open_conflicts(context, user) == []
    assert await said(context, user) == ["The kiln fires on Tuesday."]
    assert held(root, "Friday") == []
    assert len(held(root, "Tuesday")) == 1
    assert not (root / f"memory/conflicts/{found.id}.md").exists()
    await at_rest(context, user, root)


@pytest.mark.feature("MUMA-75")
@pytest.mark.parametrize("by_page", [True, False])
@pytest.mark.parametrize("mine", [True, False])
async def test_a_decision_removes_the_text_beside_the_file(
    context: Context, new_user: Callable[[], str], root: Path, by_page: bool, mine: bool
):
    user = new_user()
    made, _, beside, found = await clash(context, user, root)
    (other,) = {*found.notes} - {made.id}
    keep = made.id if mine else other
    if by_page:
        page = root / f"memory/conflicts/{found.id}.md"
        letter = "AB"[found.notes.index(keep)]
        page.write_text(page.read_text().replace("Keep: ", f"Keep: {letter}"))
    else:
        access = await person(context, user)
        verdict = ConflictVerdict.CONTRADICTORY
        await resolve_conflict(context, access, found.id, verdict, keep)
    await sync_folder(context, user, root, yes=True)
    await sync_folder(context, user, root, yes=True)
    assert not beside.exists()
    kept, lost = ("Tuesday", "Friday") if mine else ("Friday", "Tuesday")
    assert await said(context, user) == [f"The kiln fires on {kept}."]
    assert held(root, lost) == []
    assert len(held(root, kept)) == 1
    await purge(context, user, other if mine else made.id)
    assert await said(context, user) == [f"The kiln fires on {kept}."]
    await sync_folder(context, user, root)
    await at_rest(context, user, root)


async def test_the_other_text_goes_where_its_note_goes(
    context: Context, new_user: Callable[[], str], root: Path, tmp_path: Path
):
    """It is a text of that note: who loses the note loses it, and a purge reaches it."""
    user = new_user()
    await register_agent(context, await person(context, user), "helper")
    made, *_ = await clash(context, user, root)
    theirs = tmp_path / "theirs"
    await sync_folder(context, user, theirs, agent="helper")
    assert held(theirs, "Friday")
    access = await person(context, user)
    await set_note_visibility(context, access, made.id, Visibility.USER_ONLY)
    await sync_folder(context, user, theirs, agent="helper", yes=True)
    assert anywhere(theirs, "Friday") == []
    assert await open_conflicts(context, user, "helper") == []
    await purge(context, user, made.id)
    await sync_folder(context, user, root, yes=True)
    assert await said(context, user) == []
    assert anywhere(root, "kiln") == []


async def test_a_clash_in_an_agents_folder_gives_the_text_no_more_readers(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    await register_agent(context, await person(context, user), "helper")
    _, _, _, found = await clash(context, user, root, agent="helper")
    audiences = {each.audience for each in await notes_of(context, user)}
    assert len(audiences) == 1
    assert found in await open_conflicts(context, user, "helper")


async def test_where_no_conflict_can_be_opened_there_is_no_other_note(
    context: Context, new_user: Callable[[], str], root: Path, monkeypatch: pytest.MonkeyPatch
):
    """As when others change the note each time that it is tried."""
    user = new_user()
    made = await note(context, user, "The kiln fires on Monday.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    (file,) = (root / "memory/procedures").glob("the-kiln*.md")
    file.write_text(file.read_text().replace("Monday", "Tuesday"))
    await change(context, user, made.id, content="The kiln fires on Friday.")

    async def fail(*given: object) -> str:
        raise Stale

    monkeypatch.setattr(clashing, "_open", fail)
    done = await sync_folder(context, user, root)
    assert len(done.conflicts) == 1
    assert await said(context, user) == ["The kiln fires on Tuesday."]
    assert [".conflict-" in name for name in held(root, "Friday")] == [True]
    await at_rest(context, user, root)


async def two_texts(context: Context, user: str) -> Note:
    """A note with the text of a file; returned as it was, with that of the graph."""
    was = await note(context, user, "The kiln fires on Friday.", kind=Kind.PROCEDURAL)
    await change(context, user, was.id, content="The kiln fires on Tuesday.")
    return was


async def others(context: Context, was: Note) -> list[bool]:
    """The user's other notes: whether each is tied to this one, and in conflict with it."""
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    found = await driver.execute_query(OTHERS, user=was.user, id=was.id)
    return [record["whole"] for record in found.records]


@pytest.mark.feature("MUMA-75")
@pytest.mark.parametrize("kills", [True, False])
@pytest.mark.parametrize("committed", [True, False])
async def test_a_clash_that_stops_at_any_query_leaves_no_text_without_its_tie(
    context: Context, new_user: Callable[[], str], committed: bool, kills: bool
):
    user = new_user()
    was = await two_texts(context, user)
    access = await person(context, user)
    faults, found = 0, list[bool]()
    for at in range(1, MANY):
        fault = Fault(at, committed=committed, kills=kills)
        dying = replace(context, graph=fault.of(context.graph))
        with suppress(Killed, Unavailable):
            await open_clash(dying, access, PurePosixPath("kiln.md"), was)
        faults += fault.came
        found = await others(context, was)
        assert all(found)
        if found:
            break
    assert found == [True]
    assert faults > 1
    await purge(context, user, was.id)
    assert await others(context, was) == []


@pytest.mark.parametrize("narrows", [True, False])
async def test_a_note_that_changes_while_its_conflict_is_opened_takes_the_text_along(
    context: Context,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    narrows: bool,
):
    user = new_user()
    was = await two_texts(context, user)
    access = await person(context, user)
    left = [True]

    async def prepare_late(*given: Any) -> Any:
        if left:
            left.clear()
            if narrows:
                await set_note_visibility(context, access, was.id, Visibility.USER_ONLY)
            else:
                await purge(context, user, was.id)
        return await prepare(*given)

    monkeypatch.setattr(clashing, "prepare", prepare_late)
    done = await open_clash(context, access, PurePosixPath("kiln.md"), was)
    assert not left
    assert (done.other is not None) == (done.conflict is not None) == narrows
    assert await others(context, was) == [True] * narrows
    kept = await notes_of(context, user)
    assert {each.visibility for each in kept} == {Visibility.USER_ONLY} if narrows else not kept


@pytest.mark.parametrize("line", ["visibility: OPEN", "domain: garden"])
async def test_the_graphs_text_gets_no_readers_whom_the_file_gives_its_own(
    context: Context, new_user: Callable[[], str], root: Path, line: str
):
    user = new_user()
    made = await note(
        context,
        user,
        "The kiln fires on Monday.",
        kind=Kind.PROCEDURAL,
        visibility=Visibility.PRIVATE,
        domain="work",
    )
    await sync_folder(context, user, root)
    (file,) = (root / "memory/procedures").glob("the-kiln*.md")
    kept = [each for each in file.read_text().splitlines() if not each.startswith(line.split()[0])]
    kept.insert(1, line)
    file.write_text("\n".join(kept).replace("Monday", "Tuesday") + "\n")
    await change(context, user, made.id, content="The kiln fires on Friday.")
    await sync_folder(context, user, root)
    [left] = await notes_of(context, user)
    assert left.content == "The kiln fires on Tuesday."
    assert left.audience != made.audience
    assert await open_conflicts(context, user) == []

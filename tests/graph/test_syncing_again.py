"""A sync after another one reads only what changed since, and still shows nothing that was lost."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from test_syncing import change, every_path, files_in, look_again, note, person, with_text
from test_syncing_safely import purge

from graphmem.app import migrations
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Kind, Note
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import register_agent
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.syncing.outcome import Synced
from graphmem.services.syncing.reading import KnownNotes
from graphmem.services.syncing.resting import find_rest
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.tracking import Recalled, steps_of
from graphmem.services.writing.visibility import set_domain_visibility, set_note_visibility
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Graph
from graphmem.store.migrations import Migration

Lose = Callable[[Context, str, Note], Awaitable[object]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of notes that are loaded whole."""
    found: list[str] = []
    read = Graph.read

    async def watched(self: Graph, query: str, /, **parameters: Any) -> Any:
        if query == "notes/load":
            found.extend(parameters["ids"])
        return await read(self, query, **parameters)

    monkeypatch.setattr(Graph, "read", watched)
    return found


async def test_after_one_change_one_note_is_read(
    context: Context, new_user: Callable[[], str], root: Path, loaded: list[str]
):
    user, known = new_user(), KnownNotes()
    made = [
        await note(context, user, f"Shelf {i} holds glaze {i}.", kind=kind)
        for i in range(8)
        for kind in (Kind.EPISODIC, Kind.PROCEDURAL)
    ]
    await sync_folder(context, user, root, known=known)
    assert set(loaded) == {each.id for each in made}

    (file,) = (root / "memory/procedures").glob("shelf-5-*.md")
    loaded.clear()
    file.write_text(file.read_text().replace("glaze 5", "slip 5"))
    done = await sync_folder(context, user, root, known=known)
    assert len(done.revised) == 1
    assert set(loaded) == {made[11].id}

    loaded.clear()
    await change(context, user, made[2].id, content="Shelf 1 is empty.")
    loaded.clear()
    await sync_folder(context, user, root, known=known)
    assert loaded == [made[2].id]
    assert with_text(root, "Shelf 1 is empty.")

    loaded.clear()
    look_again(root)
    await sync_folder(context, user, root, known=known)
    assert loaded == []


async def test_a_sync_that_left_nothing_to_do_is_the_last_until_something_changes(
    context: Context, new_user: Callable[[], str], root: Path, monkeypatch: pytest.MonkeyPatch
):
    user = new_user()
    made = await note(context, user, "The kiln is old.", kind=Kind.PROCEDURAL)
    asked: list[str] = []
    read = Graph.read

    async def watched(self: Graph, query: str, /, **parameters: Any) -> Any:
        asked.append(query)
        return await read(self, query, **parameters)

    monkeypatch.setattr(Graph, "read", watched)
    for edit in (True, False):
        if edit:
            file = with_text(root, "kiln") if files_in(root) else root / "own.md"
            file.write_text("The wheel is new.\n")
        else:
            await change(context, user, made.id, content="The kiln is new.")
        await sync_folder(context, user, root)
        asked.clear()
        again = await sync_folder(context, user, root)
        assert again.summary() == "nothing to do"
        assert not {"notes/stamps", "notes/load", "events/list"} & set(asked)
    assert {"The kiln is new.", "The wheel is new."} <= {
        line for text in files_in(root).values() for line in text.splitlines()
    }


async def rests(context: Context, user: str, root: Path, agent: str | None = None) -> Synced | None:
    """What the command finds before it loads the model."""
    now = context.clock()
    return await find_rest(context.graph, migrations(), user, root, now, agent=agent)


async def test_the_command_finds_out_that_there_is_nothing_to_do(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    assert await rests(context, user, root) is None  # never synced
    made = await note(context, user, "The kiln is old.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root)
    done = await rests(context, user, root)
    assert done is not None
    assert done.summary() == "nothing to do"

    with pytest.raises(Invalid, match="belongs to another user"):
        await rests(context, new_user(), root)
    missing = (*migrations(), Migration(9999, "9999_later.cypher", "x", ("RETURN 1",)))
    assert await find_rest(context.graph, missing, user, root, context.clock()) is None
    later = context.clock() + timedelta(hours=2)
    assert await find_rest(context.graph, migrations(), user, root, later) is None

    await change(context, user, made.id, content="The kiln is new.")
    assert await rests(context, user, root) is None
    await sync_folder(context, user, root)
    assert await rests(context, user, root) is not None

    file = with_text(root, "kiln")
    text = file.read_text()
    for path in (file, root / "fresh.md", root / "MEMORY.md"):
        before = path.read_text() if path.exists() else None
        path.write_text("Somebody writes.\n")
        assert await rests(context, user, root) is None
        path.unlink()
        if before is not None:
            assert await rests(context, user, root) is None
            path.write_text(before)
    assert file.read_text() == text
    await sync_folder(context, user, root)  # which finds that only times differ
    assert await rests(context, user, root) is not None


async def narrow(context: Context, user: str, lost: Note) -> None:
    access = await person(context, user)
    await set_note_visibility(context, access, lost.id, Visibility.USER_ONLY)


async def move(context: Context, user: str, lost: Note) -> None:
    await change(context, user, lost.id, domain="secret")


async def rule(context: Context, user: str, lost: Note) -> None:
    access = await person(context, user)
    await set_domain_visibility(context, access, lost.domain, Visibility.USER_ONLY)


async def confine(context: Context, user: str, lost: Note) -> None:
    assert lost.domain == "work/safes"
    await register_agent(context, await person(context, user), "helper", domains=["work/keys"])


async def destroy(context: Context, user: str, lost: Note) -> None:
    await purge(context, user, lost.id)


async def archive(context: Context, user: str, lost: Note) -> None:
    access = await person(context, user)
    given: dict[str, Any] = {"note_id": lost.id, "query": None, "confirm": True}
    await forget(context, access, **given, permanent=False, reason=None)


@pytest.mark.parametrize("lose", [narrow, move, rule, confine, destroy, archive])
async def test_what_a_viewer_lost_is_not_remembered(
    context: Context, new_user: Callable[[], str], root: Path, lose: Lose
):
    user, known = new_user(), KnownNotes()
    access = await person(context, user)
    await register_agent(context, access, "helper", domains=["work"])
    lost = await note(
        context, user, "The safe opens by 4711.", kind=Kind.PROCEDURAL, domain="work/safes"
    )
    await note(context, user, "The key hangs here.", kind=Kind.PROCEDURAL, domain="work/keys")
    await sync_folder(context, user, root, agent="helper", known=known)
    assert with_text(root, "4711")
    assert await rests(context, user, root, "helper") is not None
    await lose(context, user, lost)
    assert await rests(context, user, root, "helper") is None
    await sync_folder(context, user, root, agent="helper", known=known)
    held = {p.name: p.read_text() for p in every_path(root) if p.is_file()}
    assert not [name for name, text in held.items() if "4711" in text]
    assert with_text(root, "key hangs")


async def test_what_is_remembered_knows_of_accesses(
    context: Context, new_user: Callable[[], str], root: Path, tmp_path: Path
):
    """They are no changes of a note, and raise no version."""
    user, known = new_user(), KnownNotes()
    made = await note(context, user, "The kiln is old.", kind=Kind.PROCEDURAL)
    await sync_folder(context, user, root, known=known)
    now = context.clock()
    recalled = Recalled(
        id=uuid7(now),
        user=user,
        agent=None,
        query="kiln",
        at=now,
        strategy="SEMANTIC",
        profile="BALANCED",
        domain=made.domain,
        hits=((made.id, 1.0),),
    )
    await context.graph.write(*steps_of([recalled]))
    event = event_row("EDIT", "x", audience=made.audience.key, actor="manual", at=now)
    await context.graph.write(append_step(user, [event]))
    await sync_folder(context, user, root, known=known)
    await sync_folder(context, user, tmp_path / "fresh")
    page = "memory/meta/decay-scores.json"
    assert '"access_count": 1' in files_in(root)[page]
    assert files_in(root)[page] == files_in(tmp_path / "fresh")[page]

"""A service that syncs its folder: at its times, after a consolidation, before a session opens."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_syncing import files_in, note, notes_of, person, with_text

from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import Kind
from graphmem.errors import NotFound
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import next_run, run_job, scheduled_jobs
from graphmem.services.memory_files import read_memory_file
from graphmem.services.sessions.sessions import open_session
from graphmem.services.syncing.serving import sync_if_possible
from graphmem.services.syncing.syncing import sync_folder
from graphmem.services.syncing.watching import watch_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    return folder


@pytest.mark.feature("MUMA-45")
async def test_a_remembered_note_is_in_its_file_after_the_next_run(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    here = replace(context, folder=root, folder_user=user)
    await note(here, user, "Mara has two kilns.", kind=Kind.SEMANTIC)
    run = await run_job(here, "sync_files")
    assert (run.status, run.counts["files"]) == (RunStatus.DONE, 1)
    assert "two kilns" in with_text(root, "two kilns").read_text()
    again = await run_job(here, "sync_files")
    assert again.counts == {"files": 0, "notes": 0, "conflicts": 0, "skipped": 0}
    jobs = {job.name: job for job in scheduled_jobs(here)}
    assert jobs["sync_files"].cron == "*/15 * * * *"
    assert next_run(here, jobs["sync_files"]) is not None
    assert "sync_files" not in {job.name for job in scheduled_jobs(context)}
    assert next_run(context, jobs["sync_files"]) is None
    idle = await run_job(context, "sync_files")
    assert idle.counts["files"] == 0


@pytest.mark.feature("MUMA-46")
async def test_what_was_edited_by_hand_counts_when_a_session_opens(
    context: Context, new_user: Callable[[], str], root: Path
):
    user = new_user()
    here = replace(context, folder=root, folder_user=user)
    (root / "SOUL.md").write_text("Be kind.\n")
    (root / "own.md").write_text("The kiln is old.\n")
    await sync_folder(here, user, root)
    await register_agent(here, await person(here, user), "helper")
    (root / "SOUL.md").write_text("Be rude.\n")
    (root / "own.md").write_text((root / "own.md").read_text().replace("old", "new"))
    _, alerts = await open_session(here, await open_access(here, user, "helper"), None)
    assert [each.file for each in alerts] == ["SOUL"]
    texts = {each.content for each in await notes_of(here, user)}
    assert texts == {"Be rude.", "The kiln is new."}
    other = new_user()
    await person(here, other)
    await register_agent(here, await person(here, other), "helper")
    (root / "SOUL.md").write_text("Be wise.\n")
    await open_session(here, await open_access(here, other, "helper"), None)
    texts = {each.content for each in await notes_of(here, user)}
    assert "Be rude." in texts


async def test_a_folder_is_shown_to_its_user_alone(
    context: Context, new_user: Callable[[], str], root: Path
):
    user, other = new_user(), new_user()
    here = replace(context, folder=root, folder_user=user)
    await note(here, user, "Mara has two kilns.\nBoth are old.", kind=Kind.EPISODIC)
    await sync_folder(here, user, root)
    (name,) = [each for each in files_in(root) if "episodes" in each]
    assert "two kilns" in await read_memory_file(here, await person(here, user), name)
    with pytest.raises(NotFound):
        await read_memory_file(here, await person(here, other), name)
    # It shows what is for the person, such as the reports of the night, so no agent reads it.
    given = {"domains": ("*",), "can_see_private": True}
    await register_agent(here, await person(here, user), "sees-all", **given)
    with pytest.raises(NotFound):
        await read_memory_file(here, await open_access(here, user, "sees-all"), name)


async def test_a_folder_that_cannot_be_synced_keeps_nobody_from_working(
    context: Context, new_user: Callable[[], str], root: Path
):
    user, other = new_user(), new_user()
    await sync_folder(context, other, root)
    here = replace(context, folder=root, folder_user=user)
    await sync_if_possible(here)
    await register_agent(here, await person(here, user), "helper")
    session, _ = await open_session(here, await open_access(here, user, "helper"), None)
    assert session.closed_at is None
    assert (await run_job(here, "sync_files")).status is RunStatus.FAILED


async def test_a_watched_folder_is_synced_when_either_side_changes(
    context: Context, new_user: Callable[[], str], root: Path
):
    user, stop = new_user(), asyncio.Event()
    told = asyncio.Queue[str]()

    async def until(word: str) -> None:
        async with asyncio.timeout(120):
            while word not in await told.get():
                pass

    async def sync():
        return await sync_folder(context, user, root)

    watching = asyncio.create_task(
        watch_folder(context, user, root, sync, lambda done: told.put_nowait(str(done)), stop)
    )
    await asyncio.sleep(1)
    (root / "own.md").write_text("Buy ash.\n")
    await until("own.md")
    await note(context, user, "Mara has two kilns.", kind=Kind.SEMANTIC)
    await until("two-kilns")
    stop.set()
    async with asyncio.timeout(60):
        await watching
    assert {each.content for each in await notes_of(context, user)} == {
        "Buy ash.",
        "Mara has two kilns.",
    }

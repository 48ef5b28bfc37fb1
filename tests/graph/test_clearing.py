"""What was put away long ago is destroyed on request, and nothing else."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from shared_server import new_user
from typer.testing import CliRunner

from graphmem.cli.program import build
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.events import list_events
from graphmem.services.forgetting.clearing import PurgeCounts, purge_old
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.reading.notes import load_many
from graphmem.services.sessions.remembering import remember

FORGET: dict[str, Any] = {"query": None, "confirm": True, "permanent": False, "reason": None}


async def say(context: Context, access: Access, content: str, **given: Any) -> str:
    done = await remember(context, access, NoteDraft(content=content, **given), WriteMode.VERBATIM)
    assert done.note is not None
    return done.note.id


@pytest.mark.feature("DAEM-29", "DIFF-20")
async def test_only_what_was_put_away_before_the_instant_is_destroyed(context: Context) -> None:
    user = new_user()
    access = await open_access(context, user, None, register=True)
    day = timedelta(days=1)
    kept = await say(context, access, "The kiln is in Ulm.")
    gone = await say(context, access, "The lathe is in Bonn.")
    expired = await say(context, access, "The press is in Kiel.", ttl_seconds=1)
    access = await open_access(context, user, None)
    await forget(context, access, note_id=gone, **FORGET)
    now = context.clock()
    assert await purge_old(context, now - day, user=user) == PurgeCounts(found=0, purged=0)
    later = now + day
    dry = await purge_old(context, later, user=user, dry_run=True)
    assert dry == PurgeCounts(found=2, purged=0)
    assert set(await load_many(context, access, [kept, gone])) == {kept, gone}
    only = await purge_old(context, later, user=user, expired=True, dry_run=True)
    assert only == PurgeCounts(found=1, purged=0)
    assert await purge_old(context, later, user=user) == PurgeCounts(found=2, purged=2)
    assert set(await load_many(context, access, [kept, gone, expired])) == {kept}
    asked: dict[str, Any] = {"after": 0, "actor": "system:purge", "types": ["DELETE"]}
    asked |= {"subject_id": None, "since": None, "until": None, "first": 9}
    events = await list_events(context, access, **asked)
    assert {event.subject_id for event in events} == {gone, expired}
    assert await purge_old(context, later, user=user) == PurgeCounts(found=0, purged=0)


@pytest.mark.feature("DAEM-29", "DIFF-20")
async def test_the_command_tells_how_many_it_deleted(
    context: Context, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = new_user()
    access = await open_access(context, user, None, register=True)
    kept = await say(context, access, "The kiln is in Ulm.")
    gone = await say(context, access, "The lathe is in Bonn.")
    await say(context, access, "The press is in Kiel.", ttl_seconds=1)
    access = await open_access(context, user, None)
    await forget(context, access, note_id=gone, **FORGET)
    await asyncio.sleep(1.1)
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")

    async def run(*given: str, code: int = 0) -> str:
        words = ["purge", "--user", user, "--neo4j", neo4j_address.bolt_uri, *given]
        done = await asyncio.to_thread(CliRunner().invoke, build(), words)
        assert done.exit_code == code, done.output
        return done.stdout

    await run(code=2)
    await run("--expired", "--older-than", "1d", code=2)
    assert await run("--older-than", "1d", "--yes") == "Deleted 0 memories older than 1d\n"
    dry = await run("--expired")
    assert dry == "1 expired memory would be deleted; --yes deletes them\n"
    assert await run("--expired", "--yes") == "Deleted 1 expired memory\n"
    assert await run("--expired", "--yes") == "Deleted 0 expired memories\n"
    assert await run("--older-than", "1s", "--yes") == "Deleted 1 memory older than 1s\n"
    assert set(await load_many(context, access, [kept, gone])) == {kept}

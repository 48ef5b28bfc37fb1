"""The job that archives notes whose time is over."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from aged_notes import Beat, World

from graphmem.domain.notes import BEGINNING, Status
from graphmem.services.context import Context
from graphmem.services.jobs import expiry as job
from graphmem.services.jobs.expiry import EXPIRER, expire_notes
from graphmem.store.archiving import list_expired_notes
from graphmem.store.events import list_events


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(context, new_user())

    async def own(*args: Any, **given: Any) -> Any:
        found = await list_expired_notes(*args, **given | {"limit": 100_000, "since": BEGINNING})
        return [each for each in found if each.user == made.user]

    monkeypatch.setattr(job.store, "list_expired_notes", own)
    return made


@pytest.mark.feature("DAEM-9")
async def test_notes_whose_time_is_over_are_archived_once(world: World) -> None:
    soon = world.now + timedelta(hours=1)
    many = [{"expires_at": soon} for _ in range(27)] + [{"expires_at": soon + timedelta(hours=9)}]
    *over, later = await world.notes([*many])
    lasting = await world.note()

    async def run() -> int:
        return (await expire_notes(world.service, Beat()))["expired"]  # type: ignore[arg-type]

    assert await run() == 0
    world.now = soon
    assert await run() == 27
    assert await run() == 0
    assert await world.status(later.id) is Status.ACTIVE
    assert await world.status(lasting) is Status.ACTIVE
    access = await world.access()
    events = await list_events(
        world.context.graph, world.user, access.of_events, actor=EXPIRER, limit=50
    )
    assert {(each.type, each.summary) for each in events} == {("ARCHIVE", "note expired")}
    assert {each.subject_id for each in events} == {note.id for note in over}

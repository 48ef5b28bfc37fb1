"""The job that archives notes whose time is over."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from aged_notes import JobHeartbeat, World
from own_batches import keep_batches_to

from graphmem.domain.notes import BEGINNING, Status
from graphmem.services.context import Context
from graphmem.services.jobs import expiry as job
from graphmem.services.jobs.expiry import expire_notes, expire_proposals
from graphmem.store.archiving import EXPIRER
from graphmem.store.events import list_events


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(context, new_user())

    async def since_the_beginning(*_: Any) -> datetime:
        return BEGINNING

    monkeypatch.setattr(job, "since_last_run", since_the_beginning)
    keep_batches_to(monkeypatch, lambda: [made.user])
    return made


@pytest.mark.feature("DAEM-9")
async def test_notes_whose_time_is_over_are_archived_once(world: World) -> None:
    soon = world.now + timedelta(hours=1)
    many = [{"expires_at": soon} for _ in range(27)] + [{"expires_at": soon + timedelta(hours=9)}]
    *over, later = await world.notes([*many])
    lasting = await world.note()

    async def run() -> int:
        return (await expire_notes(world.service, JobHeartbeat()))["expired"]  # type: ignore[arg-type]

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


PROPOSE = """UNWIND range(1, 60) AS i
CREATE (:Proposal {id: $user + toString(i), user: $user, audience: $user, kind: 'WRITE',
  content: 'Proposal', expiresAt: $now + duration({hours: i - 57})})"""
LEFT = "MATCH (p:Proposal {user: $user}) RETURN count(p) AS count"


async def test_proposals_whose_time_is_over_are_destroyed_once(world: World) -> None:
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query(PROPOSE, user=world.user, now=world.now)

    async def run() -> int:
        counts = await expire_proposals(world.service, JobHeartbeat())  # type: ignore[arg-type]
        return counts["expired"]

    async def left() -> int:
        return (await driver.execute_query(LEFT, user=world.user)).records[0]["count"]

    assert await run() == 57
    assert await left() == 3
    assert await run() == 0
    world.now += timedelta(hours=2)
    assert await run() == 2
    assert await left() == 1

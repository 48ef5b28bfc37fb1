"""Verdicts of rules on copies among notes: left by the hourly look, seen, refused, merged."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, cast

import pytest
from aged_notes import JobHeartbeat, World
from living_notes import own

from graphmem.domain.actors import MANUAL, WritePermission
from graphmem.domain.copies import WAIT
from graphmem.domain.notes import Status
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden, Invalid, NotFound
from graphmem.services import conflicts
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Context
from graphmem.services.forgetting import forgetting
from graphmem.services.jobs import maintenance
from graphmem.services.jobs.consolidation import consolidate_memory
from graphmem.services.jobs.merging import MERGER, merge_notes
from graphmem.services.writing import visibility
from graphmem.services.writing.changing import Edit, revise
from graphmem.store import conflicts as store
from graphmem.store import consolidation as nights
from graphmem.store import maintenance as users

Ask = Callable[..., Awaitable[list[list[Any]]]]
SAYS = "The lid is hot."
HELD = "MATCH (:Note {user: $user})-[c:COPY_OF]->() RETURN c.rule, c.audience"


class Copies(World):
    """Two notes that say the same, and jobs over their user alone."""

    async def tell(self, **given: Any) -> list[str]:
        vectors = [[0.0] * self.context.embedder.dimension for _ in range(2)]
        for vector, cosine in zip(vectors, (1.0, 0.87), strict=True):
            vector[0], vector[1] = cosine, (1 - cosine**2) ** 0.5
        usual = {"content": SAYS, "context": "a lid", **given}
        made = await self.notes([usual | {"vector": vector, "hours": 1.0} for vector in vectors])
        return [note.id for note in made]

    async def look(self) -> dict[str, int]:
        return await self.run(maintenance.resolve_duplicates)

    async def merge(self, after: timedelta = WAIT) -> dict[str, int]:
        self.now += after
        return await self.run(merge_notes)

    async def run(self, work: Any) -> dict[str, int]:
        return dict(await work(self.service, cast("Any", JobHeartbeat())))

    async def listed(self, agent: str | None = None) -> list[Any]:
        access = await open_access(self.service, self.user, agent, register=True)
        return await conflicts.list_copies(self.service, access, 9)

    async def refuse(self, one: str, other: str, agent: str | None = None) -> bool:
        access = await open_access(self.service, self.user, agent, register=True)
        return await conflicts.refuse_note_merge(self.service, access, one, other)

    async def statuses(self, notes: list[str]) -> list[Status]:
        return sorted([await self.status(note) for note in notes])


@pytest.fixture
async def world(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Copies:
    made = Copies(context, new_user())
    await made.access()
    for module, name in ((users, "users_to_resolve"), (store, "users_with_copies")):
        mine = own(getattr(module, name), lambda: made.user, lambda row: row["user"])
        monkeypatch.setattr(module, name, mine)
    mine = own(nights.users_to_consolidate, lambda: made.user, lambda due: due.user)
    monkeypatch.setattr(nights, "users_to_consolidate", mine)
    return made


async def test_copies_wait_for_a_day_and_are_merged_then(world: Copies, rows: Ask) -> None:
    notes = await world.tell()
    counts = await world.look()
    assert (counts["copies"], counts["deprecated"], counts["conflicts"]) == (1, 0, 0)
    [found] = await world.listed()
    assert {found.note, found.copy} == set(notes)
    assert found.rule == "both say the same"
    assert found.merges_at == world.now + WAIT
    assert (await world.look())["copies"] == 0  # it waits already
    assert (await world.merge(WAIT - timedelta(seconds=1)))["merged"] == 0
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    counts = await world.merge(timedelta(seconds=1))
    assert counts == {"users": 1, "merged": 1, "dropped": 0}
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ARCHIVED]
    assert await world.status(found.note) is Status.ACTIVE
    assert ("ARCHIVE", "note merged", MERGER) in await world.events(found.copy)
    assert (await world.listed(), await rows(HELD, user=world.user)) == ([], [])
    assert await world.merge() == {"users": 0, "merged": 0, "dropped": 0}


async def test_what_was_refused_is_never_taken_for_copies_again(world: Copies) -> None:
    notes = await world.tell()
    await world.look()
    assert await world.refuse(*notes)
    assert ("REJECT", "merge of notes refused", MANUAL) in await world.events(notes[0])
    assert await world.listed() == []
    assert (await world.look())["copies"] == 0
    assert (await world.merge())["merged"] == 0
    access = await world.access()
    assert (await conflicts.sweep_conflicts(world.service, access)).settled == 0
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    with pytest.raises(NotFound):
        await world.refuse(*notes)


async def test_whoever_asks_for_it_merges_at_once_what_does_not_wait(world: Copies) -> None:
    notes = await world.tell()
    assert (await conflicts.sweep_conflicts(world.service, await world.access())).merged == 1
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ARCHIVED]


async def test_what_waits_keeps_its_day_whoever_asks(world: Copies, rows: Ask) -> None:
    notes = await world.tell()
    await world.look()
    assert (await conflicts.sweep_conflicts(world.service, await world.access())).settled == 0
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    assert len(await rows(HELD, user=world.user)) == 1


async def test_the_night_leaves_verdicts_as_the_hour_does(world: Copies, rows: Ask) -> None:
    notes = await world.tell()
    counts = await world.run(consolidate_memory)
    assert counts["copies"] == 1
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    assert len(await rows(HELD, user=world.user)) == 1


async def test_what_was_refused_is_not_held_by_who_looked_before(world: Copies, rows: Ask) -> None:
    notes = await world.tell()
    await world.look()
    [found] = await world.listed()
    await world.refuse(*notes)
    await store.hold_as_copies(world.service.graph, [found], world.now)
    assert await rows(HELD, user=world.user) == []


async def test_what_can_not_be_merged_does_not_come_again(
    world: Copies, rows: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = await world.tell()
    await world.look()

    async def too_long(*_: Any) -> None:
        raise Invalid("together they are too long for one note")

    monkeypatch.setattr(conflicts, "carry_out", too_long)
    assert await world.merge() == {"users": 1, "merged": 0, "dropped": 1}
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    assert await rows(HELD, user=world.user) == []


async def test_a_verdict_for_no_readers_goes(world: Copies, rows: Ask) -> None:
    await world.tell()
    await world.look()
    say = "MATCH ()-[c:COPY_OF]->(:Note {user: $user}) SET c.audience = c.audience + 's' RETURN 1"
    await rows(say, user=world.user)
    assert await world.merge() == {"users": 1, "merged": 0, "dropped": 1}
    assert await rows(HELD, user=world.user) == []


async def test_bad_refusals_change_nothing(world: Copies) -> None:
    one, other = await world.tell()
    single = await world.note(content="The barn is red.", context="a barn")
    await world.look()
    await register_agent(world.service, await world.access(), "elsewhere", domains=["home"])
    for ends, agent in (((one, single), None), ((one, one), None), ((one, other), "elsewhere")):
        with pytest.raises(NotFound):
            await world.refuse(*ends, agent)
    await register_agent(
        world.service, await world.access(), "trainee", writes=WritePermission.PROPOSE
    )
    with pytest.raises(Forbidden):
        await world.refuse(one, other, "trainee")
    assert len(await world.listed()) == 1
    assert await world.listed("elsewhere") == []


async def test_a_verdict_goes_when_one_of_the_two_gets_other_readers(
    world: Copies, rows: Ask
) -> None:
    one, other = await world.tell()
    await world.look()
    access = await world.access()
    await visibility.set_note_visibility(world.service, access, one, Visibility.USER_ONLY)
    assert (await world.listed(), await rows(HELD, user=world.user)) == ([], [])
    assert (await world.merge())["merged"] == 0
    assert await world.statuses([one, other]) == [Status.ACTIVE, Status.ACTIVE]


async def test_what_no_longer_says_the_same_is_not_merged(world: Copies, rows: Ask) -> None:
    notes = await world.tell()
    await world.look()
    say = "MATCH (n:Note {id: $id}) SET n.content = 'The door is shut.' RETURN n.id"
    await rows(say, id=notes[0])
    assert (await world.merge())["dropped"] == 1
    assert await world.statuses(notes) == [Status.ACTIVE, Status.ACTIVE]
    assert await rows(HELD, user=world.user) == []


async def put_away(world: Copies, note: str) -> None:
    options: dict[str, Any] = {"query": None, "confirm": False, "reason": None}
    access = await world.access()
    await forgetting.forget(world.service, access, note_id=note, permanent=False, **options)


@pytest.mark.parametrize("how", ["archived", "revised"])
async def test_a_verdict_goes_when_one_of_the_two_is_put_away_or_revised(
    world: Copies, rows: Ask, how: str
) -> None:
    one, other = await world.tell()
    await world.look()
    if how == "archived":
        await put_away(world, one)
    else:
        text = Edit(content=f"{SAYS} Mind the lid.")
        await revise(world.service, await world.access(), one, text)
    assert (await world.listed(), await rows(HELD, user=world.user)) == ([], [])
    before = await world.statuses([one, other])
    assert (await world.merge())["merged"] == 0
    assert await world.statuses([one, other]) == before


@pytest.mark.parametrize("both", [True, False])
async def test_what_was_put_away_is_neither_merged_nor_archived_for_another(
    world: Copies, rows: Ask, both: bool
) -> None:
    one, other = await world.tell()
    await world.look()
    away = [one, other] if both else [other]
    put = "UNWIND $ids AS id MATCH (n:Note {id: id}) SET n.status = 'ARCHIVED' RETURN n.id"
    await rows(put, ids=away)  # by a job, say, which leaves the verdict
    before = [await world.status(note) for note in (one, other)]
    assert await world.merge() == {"users": 1, "merged": 0, "dropped": 1}
    assert [await world.status(note) for note in (one, other)] == before
    assert await rows(HELD, user=world.user) == []

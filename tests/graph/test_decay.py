"""The sweep of decay on a real graph: the arithmetic, and what becomes of notes."""

import asyncio
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from math import exp
from random import Random
from typing import Any

import httpx
import pytest
from aged_notes import NOW, JobHeartbeat, World, milliseconds
from in_process import InProcess
from own_batches import keep_batches_to

from graphmem.app import create_app
from graphmem.client import MemoryClient
from graphmem.domain.activation import ACT_R_DECAY, DECAY
from graphmem.domain.decay import Decay, status_by
from graphmem.domain.notes import Kind, Note, Source, Status, Tier
from graphmem.domain.profiles.parameters import ActR, Ranking
from graphmem.domain.strength import retention_of, strength
from graphmem.domain.visibility import Visibility
from graphmem.services.context import Context
from graphmem.services.job_runs import pace
from graphmem.services.jobs.decay import sweep_decay
from graphmem.services.writing.changing import pin, restore
from graphmem.settings import Settings
from graphmem.store import notes as store
from graphmem.store.batches import BatchSize
from graphmem.store.changes import change_step
from graphmem.store.decay import DECAYED
from graphmem.store.events import list_events
from graphmem.store.graph import Graph
from graphmem.store.rows import ChangeRow, RevisionRow

ACTIVE = Status.ACTIVE


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(context, new_user())
    keep_batches_to(monkeypatch, lambda: [made.user], lambda: [*made.left_out])
    return made


def drawn(rng: Random) -> dict[str, Any]:
    """Any note."""
    hours = rng.choice((0.0, rng.uniform(0, 100), rng.uniform(0, 20_000)))
    uses = sorted(
        (rng.uniform(0, hours) for _ in range(rng.choice((0, 0, 1, 5, 20)))), reverse=True
    )
    if rng.random() < 0.1:
        uses.append(-rng.uniform(0, 0.01))  # by a clock that is ahead
    return {
        "hours": hours,
        "uses": uses,
        "older": rng.choice((0, 0, 1, 300)),
        "kind": rng.choice(list(Kind)),
        "source": rng.choice(list(Source)),
        "tier": rng.choice(list(Tier)),
        "pinned": rng.random() < 0.1,
        "load_bearing": rng.random() < 0.1,
        "half_life_hours": rng.choice((None, 1.0, 168.0, 87_600.0)),
    }


def fitting(note: Note, now: datetime, d: float, decay: Decay) -> Status:
    strong = strength(note, now, d, decay)
    if note.pinned or note.load_bearing or note.tier is Tier.FOUNDATIONAL:
        return Status.ACTIVE
    old = now - note.created_at > timedelta(hours=decay.max_age)
    if old and strong.activation < decay.hard_prune_threshold:
        return Status.ARCHIVED
    return status_by(strong.relevance, decay)


@pytest.mark.parametrize("seed", range(4))
async def test_the_graph_works_out_the_same_numbers(seed: int, world: World) -> None:
    rng = Random(seed)
    numbers = [
        (0.5, Decay()),
        (0.31, Decay(rate=0.002, weights={"core": 2.0, "episodic": 0.1}, archive_threshold=0.2)),
        (0.9, Decay(rate=0.0, hard_prune_threshold=-3.0, max_age=50.0)),
        (0.5, Decay(rate=0.3)),
    ]
    d, decay = numbers[seed]
    many = [drawn(rng) for _ in range(150)]
    now = world.now + milliseconds(rng.uniform(0, 50))
    made = await world.notes(many)
    # Each with a status that does not fit, so that the sweep tells its numbers.
    rows = [
        ChangeRow(
            id=note.id,
            version=note.version,
            audience=note.audience.key,
            given={"status": other},
            revisions=[RevisionRow(version=note.version + 1, changes={})],
        )
        for note in made
        for other in [Status.FADING if fitting(note, now, d, decay) is ACTIVE else ACTIVE]
    ]
    step = change_step(rows, user=world.user, agent=None, actor="manual", now=now)
    await world.context.graph.write(step)
    world.numbers = Ranking(act_r=ActR(d=d), decay=decay)
    world.now = now
    await world.sweep()
    access = await world.access()
    events = await list_events(world.context.graph, world.user, access.of_events, limit=1_000)
    told: dict[Any, Any] = {each.subject_id: each.data for each in events}
    for note in made:
        strong, shown = strength(note, now, d, decay), told[note.id]
        assert shown["to"] == fitting(note, now, d, decay)
        for name in ("activation", "retention", "relevance"):
            value = getattr(strong, name)
            assert shown[name] == pytest.approx(value, rel=1e-9, abs=6e-7), name


@pytest.mark.feature("MUMA-66")
async def test_many_sweeps_give_what_one_gives(world: World) -> None:
    rng = Random(9)
    many = [drawn(rng) | {"hours": rng.uniform(0, 2_000)} for _ in range(40)]
    often = [note.id for note in await world.notes([dict(each) for each in many])]
    once = [note.id for note in await world.notes([dict(each) for each in many])]
    end = world.now + timedelta(hours=720)
    world.left_out = frozenset(once)
    for _ in range(30):
        await world.sweep(24)
    world.left_out = frozenset()
    await world.sweep()
    assert world.now == end
    pairs = [
        (await world.load(one), await world.load(other))
        for one, other in zip(often, once, strict=True)
    ]
    assert [one.status for one, _ in pairs] == [other.status for _, other in pairs]
    assert {ACTIVE, Status.FADING, Status.DORMANT} <= {one.status for one, _ in pairs}
    for one, other in pairs:
        strong, same = (strength(note, end, ACT_R_DECAY, DECAY) for note in (one, other))
        assert strong.activation == pytest.approx(same.activation, abs=1e-9)
        assert strong.retention == pytest.approx(same.retention, abs=1e-9)


@pytest.mark.feature("MUMA-12", "TIER-1")
async def test_what_is_pinned_bears_load_or_is_core_stays_active_for_years(world: World) -> None:
    kept = [
        await world.note(pinned=True, half_life_hours=None),
        await world.note(load_bearing=True),
        await world.note(tier=Tier.FOUNDATIONAL, half_life_hours=None),
    ]
    plain = await world.note(tier=Tier.WORKING)
    for _ in range(12):
        await world.sweep(30 * 24)
    assert [await world.status(note) for note in kept] == [Status.ACTIVE] * 3
    assert await world.status(plain) is Status.ARCHIVED
    assert retention_of(await world.load(kept[0]), world.now) == 1.0
    assert [len(await world.events(note)) for note in kept] == [0, 0, 0]


@pytest.mark.feature("MUMA-116")
async def test_one_sweep_is_over_the_notes_of_all_agents(world: World) -> None:
    notes = [
        await world.note(author=author, visibility=each)
        for author in (None, "sales", "coding")
        for each in (Visibility.SCOPED, Visibility.PRIVATE)
    ]
    await world.sweep(200 * 24)
    assert [await world.status(note) for note in notes] == [Status.ARCHIVED] * 6


@pytest.mark.feature("MUMA-13")
async def test_unused_for_two_half_lives_is_a_candidate_for_pruning(world: World) -> None:
    await world.note(half_life_hours=168.0)
    assert (await world.sweep(335))["pruneCandidates"] == 0
    assert (await world.sweep(2))["pruneCandidates"] == 1


@pytest.mark.feature("MUMA-67")
async def test_weak_and_old_enough_is_a_candidate_for_consolidation(world: World) -> None:
    await world.note()
    assert (await world.sweep(71))["consolidationCandidates"] == 0
    assert (await world.sweep(2))["consolidationCandidates"] == 1


@pytest.mark.feature("MOLT-67", "MOLT-70")
@pytest.mark.feature("MUMA-68")
async def test_a_note_of_very_low_activation_goes_to_cold_storage(world: World) -> None:
    """Without Moltbot's decay, so that MUMA's threshold decides: -5.0 after e^10 hours."""
    world.numbers = Ranking(decay=Decay(rate=0.0))
    note, pinned = await world.note(), await world.note(pinned=True)
    await world.sweep(exp(10) - 1)
    assert await world.status(note) is Status.ACTIVE
    await world.sweep(2)
    assert [await world.status(each) for each in (note, pinned)] == [
        Status.ARCHIVED,
        Status.ACTIVE,
    ]
    assert (await world.events(note))[-1] == ("DECAY", "active→archived", DECAYED)
    young = Ranking(decay=Decay(rate=0.0, hard_prune_threshold=5.0, max_age=100.0))
    world.numbers = young
    fresh = await world.note()
    await world.sweep(99)
    assert await world.status(fresh) is Status.ACTIVE
    await world.sweep(2)
    assert await world.status(fresh) is Status.ARCHIVED


@pytest.mark.feature("MOLT-38")
async def test_a_note_fades_step_by_step_and_comes_back_when_it_is_used(world: World) -> None:
    note = await world.note()  # 1.2 · e^(-0.03 · days)
    for days, status in ((29, "ACTIVE"), (30, "FADING"), (60, "DORMANT"), (106, "ARCHIVED")):
        world.now = NOW
        await world.sweep(days * 24)
        assert await world.status(note) == status
        await world.sweep()
    told = [summary for _, summary, _ in await world.events(note)]
    assert told == ["active→fading", "fading→dormant", "dormant→archived"]
    await world.context.graph.write(store.reinforce_step({note: (world.now,)}, 1.0))
    await world.sweep(1)
    assert await world.status(note) is Status.ACTIVE
    assert (await world.events(note))[-1] == ("DECAY", "archived→active", DECAYED)


@pytest.mark.feature("TIER-15", "MOLT-38")
@pytest.mark.parametrize("named", [True, False])
async def test_what_is_asked_for_every_day_by_get_stays_active(
    world: World, settings: Settings, named: bool
) -> None:
    app = create_app(settings, opened=world.service)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8321"
    ) as http:
        daemon = MemoryClient(agent="bot")
        transport = daemon._transport = InProcess(http, {"X-Graphmem-User": world.user})  # pyright: ignore[reportPrivateUsage]
        note = await asyncio.to_thread(daemon.remember, "The blue gate opens with 4711.")
        if not named:
            del transport._headers["X-Graphmem-Client"]  # pyright: ignore[reportPrivateUsage]
        for day in range(40):
            await world.sweep(24)
            found = await asyncio.to_thread(daemon.recall, "What opens the blue gate?", 1)
            assert [each.id for each in found] == [note] or (not named and day > 30)
            await world.context.log.flush()
    assert await world.status(note) is (Status.ACTIVE if named else Status.DORMANT)


async def test_what_somebody_forgot_is_not_brought_back_by_the_sweep(world: World) -> None:
    from graphmem.services.forgetting.forgetting import forget

    forgotten, faded = await world.note(), await world.note()

    async def put_away(note: str) -> None:
        await forget(
            world.service,
            await world.access(),
            note_id=note,
            query=None,
            confirm=True,
            permanent=False,
            reason=None,
        )

    await put_away(forgotten)
    await world.sweep(200 * 24)
    assert await world.status(faded) is Status.ARCHIVED
    await put_away(faded)  # though it is archived already
    for note in (forgotten, faded):
        await world.context.graph.write(store.reinforce_step({note: (world.now,)}, 1.0))
    await world.sweep(1)
    assert [await world.status(note) for note in (forgotten, faded)] == [Status.ARCHIVED] * 2


async def test_what_somebody_restored_does_not_fade_at_once(world: World) -> None:
    note = await world.note()
    await world.sweep(200 * 24)
    assert await world.status(note) is Status.ARCHIVED
    assert (await restore(world.service, await world.access(), note)).status is Status.ACTIVE
    await world.sweep(1)
    assert await world.status(note) is Status.ACTIVE
    await world.sweep(200 * 24)
    assert await world.status(note) is Status.ARCHIVED
    await pin(world.service, await world.access(), note, True, None)
    await world.sweep(1)
    assert await world.status(note) is Status.ACTIVE


async def test_a_note_that_somebody_changes_meanwhile_is_left_for_the_next_sweep(
    world: World,
) -> None:
    notes = [note.id for note in await world.notes([{} for _ in range(3)])]
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    async with driver.session() as session, await session.begin_transaction() as other:
        await other.run(
            "MATCH (n:Note {id: $id}) SET n.pinned = true, n.version = n.version + 1", id=notes[1]
        )
        sweeping = asyncio.create_task(world.sweep(30 * 24))
        await asyncio.sleep(1)  # it waits for the lock, or has not read the note yet
        await other.commit()
        counts = await sweeping
    assert [await world.status(note) for note in notes] == ["FADING", "ACTIVE", "FADING"]
    assert counts["FADING"] == counts["changed"] == 2


async def test_a_sweep_goes_on_from_its_place(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "PAGE", 2)
    notes = await world.notes([{} for _ in range(5)])
    notes.sort(key=lambda note: (note.created_at, note.id))
    reached = notes[1]
    world.now += timedelta(days=30)
    place = [reached.audience.key, reached.created_at.isoformat(), reached.id]
    beat = JobHeartbeat(json.dumps(place))
    await sweep_decay(world.service, beat)  # type: ignore[arg-type]
    statuses = [await world.status(note.id) for note in notes]
    assert statuses == [Status.ACTIVE] * 2 + [Status.FADING] * 3
    assert json.loads(beat.place)[0] >= reached.audience.key


def sizes_of_batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many notes each transaction of a job changes from now on."""
    sizes: list[int] = []
    run_batches = Graph.run_batches

    async def counted(store: Graph, query: str, /, **given: Any) -> Any:
        row = await run_batches(store, query, **given)
        sizes.extend(len(changed) for changed in row["changed"] if changed)
        return row

    monkeypatch.setattr(Graph, "run_batches", counted)
    return sizes


async def test_notes_of_the_same_readers_change_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (Visibility.OPEN, Visibility.SCOPED)
    await world.notes([{"visibility": kinds[i % 2]} for i in range(20)])
    sizes = sizes_of_batches(monkeypatch)
    await world.sweep(30 * 24)
    assert sizes == [10, 10], "though the two kinds of notes lie in turn"


async def test_the_end_of_a_statement_divides_no_readers_notes_otherwise(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which notes share a transaction depends on those of the same readers alone."""
    kinds = (Visibility.OPEN, Visibility.SCOPED)
    await world.notes([{"visibility": kinds[i % 2]} for i in range(20)])
    sizes = sizes_of_batches(monkeypatch)
    monkeypatch.setattr(pace, "ALONE", BatchSize(batch=4, most=1))
    await world.sweep(30 * 24)
    assert sizes == [4, 4, 2, 4, 4, 2]


async def test_notes_of_who_is_being_erased_keep_no_others_waiting(
    world: World, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = World(world.context, f"{world.user[:-1]}-")  # comes before the other
    await gone.notes([{} for _ in range(9)])
    notes = [note.id for note in await world.notes([{} for _ in range(3)])]
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query("MATCH (u:User {id: $id}) DETACH DELETE u", id=gone.user)
    keep_batches_to(monkeypatch, lambda: [gone.user, world.user])
    monkeypatch.setattr(pace, "ALONE", BatchSize(batch=2, most=1))
    world.now += timedelta(days=30)
    counts = await sweep_decay(world.service, JobHeartbeat())  # type: ignore[arg-type]
    assert [await world.status(note) for note in notes] == [Status.FADING] * 3
    assert counts["changed"] == 3
    left = "MATCH (s:Stream {name: $id}) RETURN count(s) AS streams"
    assert (await driver.execute_query(left, id=gone.user)).records[0]["streams"] == 0
    await driver.execute_query("MATCH (n:Note {user: $id}) DETACH DELETE n", id=gone.user)


async def test_one_note_that_cannot_be_changed_ends_nothing_for_others(world: World) -> None:
    class Skips(JobHeartbeat):
        skipped = 0

        def skip(self, error: Exception) -> None:
            self.skipped += 1

    notes = [note.id for note in await world.notes([{} for _ in range(12)])]
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    odd = "MATCH (n:Note {id: $id}) SET n.textKey = [1.5]"  # a key that is no text
    await driver.execute_query(odd, id=notes[5])
    world.now += timedelta(days=30)
    beat = Skips()
    await sweep_decay(world.service, beat)  # type: ignore[arg-type]
    statuses = [await world.status(note) for note in notes]
    assert statuses == [Status.ACTIVE if i == 5 else Status.FADING for i in range(12)]
    assert beat.skipped == 1


async def test_expired_and_superseded_notes_are_left_alone(world: World) -> None:
    gone = await world.note(status=Status.SUPERSEDED)
    await world.sweep(300 * 24)
    assert await world.status(gone) is Status.SUPERSEDED
    assert await world.events(gone) == []

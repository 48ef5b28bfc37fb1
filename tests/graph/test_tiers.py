"""Tiers on a real graph: which notes move when, and what plugins may say."""

import asyncio
import importlib.util
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aged_notes import NOW, JobHeartbeat, World
from own_batches import keep_batches_to

from graphmem.domain.ids import uuid7
from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import Kind, Note, NoteDraft, NoteFilter, Status, Tier, WriteMode
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.domain.tiers import Move, bounds_of
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict
from graphmem.plugins import Moving, hookimpl
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.hooks import Hooks
from graphmem.services.job_runs.times import newest_slot
from graphmem.services.jobs import jobs
from graphmem.services.jobs import tiers as job
from graphmem.services.jobs.tiers import MOVER, move_tiers
from graphmem.services.reading.notes import list_notes, require_note
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.sessions.remembering import remember
from graphmem.services.sessions.sessions import open_session
from graphmem.services.text_work import TextWork
from graphmem.services.tracking import Recalled, steps_of
from graphmem.services.writing.changing import pin, restore
from graphmem.services.writing.purging import purge
from graphmem.services.writing.visibility import set_visibility
from graphmem.settings import Settings
from graphmem.store.notes import list_lineage
from graphmem.store.tiers import candidates

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin" / "keep_critical.py"
DAY = 24.0


class Plugin:
    """One that is made of functions."""

    def __init__(self, **functions: Any) -> None:
        vars(self).update(functions)


class Tiers(World):
    """The same with moves between tiers."""

    hooks: Hooks = Hooks()

    async def move(self, hours: float = 0.0) -> dict[str, int]:
        """Move once after so many hours; what became of this user's notes."""
        self.now += timedelta(hours=hours)
        service = replace(self.service, hooks=self.hooks)
        return dict(await move_tiers(service, JobHeartbeat()))  # type: ignore[arg-type]

    async def tier(self, note: str) -> Tier:
        return (await self.load(note)).tier

    async def topics(self) -> list[Note]:
        """The notes that were made of topics."""
        access = await self.access()
        given = NoteFilter(kinds=(Kind.SEMANTIC,), tiers=(Tier.SHORT_TERM,))
        page = await list_notes(self.service, access, given, first=50, after=None)
        return [note for note in page.notes if await self.sources(note.id)]

    async def sources(self, note: str) -> list[str]:
        access = await self.access()
        found = await list_lineage(self.context.graph, [note], access.by_name, now=self.now)
        return found.get((note, "derivedFrom"), [])

    async def recall(self, *notes: str, times: int = 1, hours_ago: float = 0.0) -> None:
        """Recalls that returned these notes."""
        at = self.now - timedelta(hours=hours_ago)
        for _ in range(times):
            recalled = Recalled(
                id=uuid7(at),
                user=self.user,
                agent=None,
                query="kiln",
                at=at,
                strategy="HYBRID",
                profile="BALANCED",
                domain="general",
                hits=tuple((note, 1.0) for note in notes),
            )
            await self.context.graph.write(*steps_of([recalled]))


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Tiers:
    made = Tiers(context, new_user())

    async def own(*args: Any, **given: Any) -> Any:
        found = await candidates(*args, **given | {"limit": 100_000})
        return [each for each in found if each.user == made.user][: given["limit"]]

    monkeypatch.setattr(job.store, "candidates", own)
    keep_batches_to(monkeypatch, lambda: [made.user])
    return made


@pytest.mark.feature("TIER-21")
async def test_daily_notes_settle_after_two_days(world: Tiers) -> None:
    scheduled = jobs.scheduled_jobs(world.service)
    assert "move_tiers" not in [each.name for each in scheduled]  # tiers are off: only by hand
    plain = await world.note(tier=Tier.DAILY)
    told = await world.note(tier=Tier.DAILY, kind=Kind.EPISODIC)
    await world.move(47)
    assert await world.tier(plain) is Tier.DAILY
    await world.move(2)
    assert await world.tier(plain) is Tier.SHORT_TERM
    assert await world.tier(told) is Tier.DAILY  # an episode is not moved as it is
    assert (await world.events(plain))[-1] == ("EDIT", "moved to short-term memory", MOVER)
    assert (await world.move())["settled"] == 0


@pytest.mark.feature("TIER-11")
async def test_short_term_notes_without_recalls_are_archived_after_two_weeks(world: Tiers) -> None:
    idle, used = await world.note(tier=Tier.SHORT_TERM), await world.note(tier=Tier.SHORT_TERM)
    kept = await world.note(tier=Tier.SHORT_TERM, load_bearing=True)
    before = await world.load(idle)
    await world.move(14 * DAY - 1)
    assert await world.tier(idle) is Tier.SHORT_TERM
    world.now += timedelta(hours=2)
    await world.recall(used, hours_ago=3 * DAY)
    assert (await world.move())["archived"] == 1
    assert await world.tier(idle) is Tier.LONG_TERM
    assert [await world.tier(note) for note in (used, kept)] == [Tier.SHORT_TERM] * 2
    after = await world.load(idle)
    assert (after.content, after.status) == (before.content, before.status)
    assert (await world.events(idle))[-1] == ("ARCHIVE", "moved to long-term memory", MOVER)


@pytest.mark.feature("TIER-12", "TIER-13")
async def test_three_recalls_in_a_week_bring_a_note_back_for_three_days_at_least(
    world: Tiers,
) -> None:
    world.numbers = Ranking(tiered=Tiered(t3_archival_threshold="1d"))
    often, seldom = await world.note(tier=Tier.LONG_TERM), await world.note(tier=Tier.LONG_TERM)
    await world.recall(often, seldom, times=2)
    await world.recall(seldom, hours_ago=8 * DAY)
    await world.move()
    assert [await world.tier(note) for note in (often, seldom)] == [Tier.LONG_TERM] * 2
    await world.recall(often)
    assert (await world.move())["promoted"] == 1
    assert [await world.tier(note) for note in (often, seldom)] == [
        Tier.SHORT_TERM,
        Tier.LONG_TERM,
    ]
    await world.move(71)
    assert await world.tier(often) is Tier.SHORT_TERM
    await world.move(2)
    assert await world.tier(often) is Tier.LONG_TERM


async def test_a_note_is_brought_back_on_request(world: Tiers) -> None:
    note = await world.note(tier=Tier.LONG_TERM)
    found = await restore(world.service, await world.access(), note)
    assert (found.tier, found.access_count) == (Tier.SHORT_TERM, 1)
    await world.move(DAY)
    assert await world.tier(note) is Tier.SHORT_TERM


@pytest.mark.feature("TIER-14")
async def test_long_term_notes_are_destroyed_only_where_that_is_switched_on(world: Tiers) -> None:
    note, pinned = [await world.note(tier=Tier.LONG_TERM) for _ in range(2)]
    young = await world.note(tier=Tier.LONG_TERM)
    await pin(world.service, await world.access(), pinned, True, None)
    world.now += timedelta(days=91)
    await world.recall(young, hours_ago=DAY)
    assert (await world.move())["purged"] == 0
    world.numbers = Ranking(tiered=Tiered(t4_deletion_enabled=True))
    assert (await world.move())["purged"] == 1
    assert [await world.tier(each) for each in (pinned, young)] == [Tier.LONG_TERM] * 2
    with pytest.raises(KeyError):
        await world.load(note)
    assert await world.events(note) == [("DELETE", "note destroyed for good", MOVER)]


async def test_a_note_that_is_pinned_after_it_was_chosen_is_not_destroyed(
    world: Tiers, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, other = [await world.note(tier=Tier.LONG_TERM) for _ in range(2)]
    world.now += timedelta(days=91)
    world.numbers = Ranking(tiered=Tiered(t4_deletion_enabled=True))
    load = job.load_many

    async def later(*given: Any) -> Any:
        if not (await world.load(note)).pinned:
            await pin(world.service, await world.access(), note, True, None)
        return await load(*given)

    monkeypatch.setattr(job, "load_many", later)
    assert (await world.move())["purged"] == 1
    assert await world.tier(note) is Tier.LONG_TERM
    with pytest.raises(KeyError):
        await world.load(other)


@pytest.mark.feature("TIER-19", "TIER-20")
async def test_a_plugin_lets_notes_stay_and_go_and_hears_of_moves(
    world: Tiers, caplog: pytest.LogCaptureFixture
) -> None:
    spec = importlib.util.spec_from_file_location("keep_critical", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    world.hooks = Hooks([plugin])
    tags: list[tuple[str, ...]] = [("critical",), ("done",), (), ()]
    critical, done, idle, used = [
        await world.note(tier=Tier.SHORT_TERM, tags=each) for each in tags
    ]
    world.now += timedelta(days=15)
    await world.recall(done, used)
    with caplog.at_level(logging.WARNING, logger="keep_critical"):
        await world.move()
    assert [await world.tier(note) for note in (critical, done, idle, used)] == [
        Tier.SHORT_TERM,
        Tier.LONG_TERM,
        Tier.LONG_TERM,
        Tier.SHORT_TERM,
    ]
    moved = [f"moved {note} from SHORT_TERM to LONG_TERM" for note in (done, idle)]
    assert sorted(record.message for record in caplog.records) == sorted(moved)


@pytest.mark.feature("TIER-20")
async def test_an_error_after_a_move_undoes_nothing_and_one_before_it_lets_the_note_stay(
    world: Tiers,
) -> None:
    told: list[Moving] = []

    @hookimpl
    def fail(note: Moving, from_tier: str, to_tier: str) -> None:
        raise RuntimeError("no")

    @hookimpl
    def hear(note: Moving, from_tier: str, to_tier: str) -> None:
        told.append(note)

    world.hooks = Hooks(Plugin(after_transition=each) for each in (fail, hear, fail))
    note = await world.note(tier=Tier.SHORT_TERM)
    await world.move(15 * DAY)
    assert await world.tier(note) is Tier.LONG_TERM
    assert [each.id for each in told] == [note]
    world.hooks = Hooks([Plugin(before_transition=fail)])
    other = await world.note(tier=Tier.SHORT_TERM)
    await world.move(15 * DAY)
    assert await world.tier(other) is Tier.SHORT_TERM


@pytest.mark.feature("TIER-8", "TIER-5")
async def test_episodes_are_compressed_into_the_note_of_their_topic(world: Tiers) -> None:
    one, two = [
        await world.note(kind=Kind.EPISODIC, tier=Tier.DAILY, title="Kiln", content=text)
        for text in ("Ida has the key.", "We decided to fire at 1240.")
    ]
    other = await world.note(
        kind=Kind.EPISODIC, tier=Tier.DAILY, tags=("shelf",), content="Bo built 3 shelves."
    )
    kept = await world.note(kind=Kind.EPISODIC, tier=Tier.DAILY, title="Kiln", pinned=True)
    assert (await world.move(47))["compressed"] == 0
    assert (await world.move(2))["compressed"] == 3
    kiln, shelf = sorted(await world.topics(), key=lambda note: note.title or "")
    assert (kiln.title, shelf.title) == ("Kiln", "shelf")
    assert (kiln.tier, kiln.kind) == (Tier.SHORT_TERM, Kind.SEMANTIC)
    assert "Ida has the key" in kiln.content
    assert "## Key Decisions\n- We decided to fire at 1240" in kiln.content
    assert await world.sources(kiln.id) == sorted((one, two))
    assert await world.sources(shelf.id) == [other]
    for note in (one, two, other, kept):
        assert (await world.load(note)).status is Status.ACTIVE
        assert await world.tier(note) is Tier.DAILY
    assert (await world.events(one))[-1] == ("EDIT", "note compressed by topic", MOVER)
    more = await world.note(
        kind=Kind.EPISODIC, tier=Tier.DAILY, title="kiln", content="Bo has the spare key."
    )
    assert (await world.move())["compressed"] == 0
    await world.move(49)
    (again,) = [note for note in await world.topics() if note.title == "Kiln"]
    assert again.id == kiln.id
    assert "Ida has the key" in again.content
    assert "Bo has the spare key" in again.content
    assert await world.sources(kiln.id) == sorted((one, two, more))


async def test_episodes_are_read_on_the_threads_that_let_callers_go_first(world: Tiers) -> None:
    await world.note(kind=Kind.EPISODIC, tier=Tier.DAILY, title="Kiln", content="Ida has the key.")
    closed = TextWork()
    closed.close()
    world.context = replace(world.context, texts=closed)
    assert (await world.move(49))["compressed"] == 1


@pytest.mark.parametrize("page", [1, 3, 500])
async def test_what_is_compressed_together_does_not_depend_on_pages(
    world: Tiers, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(job, "PAGE", page)
    for i in range(6):
        for title in ("Kiln", "Shelf"):
            usual = {"kind": Kind.EPISODIC, "tier": Tier.DAILY, "title": title}
            await world.note(**usual, content=f"Ida has key {i}.")
    assert (await world.move(49))["compressed"] == 12
    kiln, shelf = await world.topics()
    assert (kiln.version, shelf.version) == (2, 2), "four episodes at once, then two"


@pytest.mark.feature("TIER-10", "TIER-17")
async def test_what_was_compressed_is_archived_a_week_later(world: Tiers) -> None:
    note = await world.note(
        kind=Kind.EPISODIC, tier=Tier.DAILY, title="Kiln", content="Ida has the key."
    )
    counts = await world.move(49)
    assert list(counts) == ["settled", "compressed", "promoted", "archived", "purged", "cleaned"]
    await world.move(6 * DAY)
    assert (await world.load(note)).status is Status.ACTIVE
    assert (await world.move(2 * DAY))["cleaned"] == 1
    assert (await world.load(note)).status is Status.ARCHIVED
    assert (await world.events(note))[-1][0::2] == ("ARCHIVE", MOVER)
    assert (await world.move())["cleaned"] == 0
    (topic,) = await world.topics()
    await purge(world.service, await world.access(), [topic])
    assert (await world.load(note)).status is Status.ACTIVE


async def test_what_was_compressed_stays_where_its_topic_was_forgotten(world: Tiers) -> None:
    note = await world.note(
        kind=Kind.EPISODIC, tier=Tier.DAILY, title="Kiln", content="Ida has the key."
    )
    await world.move(49)
    (topic,) = await world.topics()
    await forget(
        world.service,
        await world.access(),
        note_id=topic.id,
        query=None,
        confirm=True,
        permanent=False,
        reason=None,
    )
    assert (await world.move(8 * DAY))["cleaned"] == 0
    assert (await world.load(note)).status is Status.ACTIVE


async def test_topics_of_other_readers_are_other_notes(world: Tiers) -> None:
    given = {"kind": Kind.EPISODIC, "tier": Tier.DAILY, "title": "Kiln"}
    await world.note(**given, content="Ida has the key.", visibility=Visibility.PRIVATE)
    await world.note(**given, content="Bo has the lid.", visibility=Visibility.OPEN)
    await world.move(49)
    found = {note.visibility: note.content for note in await world.topics()}
    assert "Ida" in found[Visibility.PRIVATE]
    assert "Bo" not in found[Visibility.PRIVATE]
    assert "Ida" not in found[Visibility.OPEN]


async def test_a_topic_keeps_the_readers_that_the_user_chose_for_one_of_its_sources(
    world: Tiers,
) -> None:
    given = {"kind": Kind.EPISODIC, "tier": Tier.DAILY, "title": "Kiln"}
    chosen = await world.note(**given, content="Ida has the key.", visibility=Visibility.OPEN)
    access = await world.access()
    await set_visibility(world.service, access, chosen, None, Visibility.PRIVATE)
    await world.move(49)
    await world.note(**given, content="Bo has the lid.", visibility=Visibility.PRIVATE)
    await world.move(49)
    (topic,) = await world.topics()
    assert "Ida has the key" in topic.content
    assert "Bo has the lid" in topic.content
    access = await world.access()
    await set_visibility(world.service, access, None, topic.domain, Visibility.OPEN)
    assert (await world.load(topic.id)).visibility is Visibility.PRIVATE


@pytest.mark.feature("TIER-18")
async def test_a_run_costs_a_query_for_each_move_where_nothing_is_due(
    world: Tiers, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    bind = world.context.graph._queries.bind

    def noted(name: str, *given: Any) -> Any:
        if name != "backups/pass_gate":  # comes first in each transaction that writes
            sent.append(name)
        return bind(name, *given)

    monkeypatch.setattr(world.context.graph._queries, "bind", noted)
    for tier in (Tier.DAILY, Tier.SHORT_TERM, Tier.LONG_TERM):
        for kind in (Kind.EPISODIC, Kind.SEMANTIC):
            await world.note(tier=tier, kind=kind)
    sent.clear()
    run = await jobs.run_job(world.service, "move_tiers")
    assert (run.status, set(run.counts.values())) == (RunStatus.DONE, {0})
    move = "job:move_tiers"
    looked = [move, "tiers/candidates", move, move, move]
    assert sent == ["jobs/claim", *looked, "jobs/finish", "jobs/prune"]


async def test_the_moves_are_looked_for_together_and_one_by_one(world: Tiers) -> None:
    made = {
        Move.TO_SHORT_TERM: await world.note(tier=Tier.DAILY),
        Move.COMPRESS: await world.note(tier=Tier.DAILY, kind=Kind.EPISODIC),
        Move.ARCHIVE: await world.note(tier=Tier.SHORT_TERM),
        Move.PURGE: await world.note(tier=Tier.LONG_TERM, status=Status.ARCHIVED),
    }
    late = world.now + timedelta(days=91)
    bounds = {move: bounds_of(move, Tiered(), late) for move in Move}

    async def found(*moves: Move) -> list[str]:
        given = {move: bounds[move] for move in moves}
        graph = world.context.graph
        rows = await job.store.candidates(graph, given, "", now=late, plugins=False, limit=9)
        return [each.id for each in rows]

    assert {move: await found(move) for move in made} == {m: [n] for m, n in made.items()}
    assert await found(*Move) == sorted(made.values())
    assert await found(Move.PROMOTE, Move.CLEAN) == []


@pytest.mark.feature("TIER-18")
async def test_of_two_runs_at_once_one_works(world: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    note = await world.note(tier=Tier.DAILY)
    world.now += timedelta(days=3)
    going, let_go = asyncio.Event(), asyncio.Event()
    read = job.store.candidates

    async def wait(*args: Any, **given: Any) -> Any:
        going.set()
        await let_go.wait()
        return await read(*args, **given)

    monkeypatch.setattr(job.store, "candidates", wait)
    first = asyncio.create_task(jobs.run_job(world.service, "move_tiers"))
    await going.wait()
    with pytest.raises(Conflict, match="move_tiers is running already"):
        await jobs.run_job(world.service, "move_tiers")
    let_go.set()
    assert (await first).counts["settled"] == 1
    assert await world.tier(note) is Tier.SHORT_TERM
    assert [kind for kind, *_ in await world.events(note)].count("EDIT") == 1
    assert (await jobs.run_job(world.service, "move_tiers")).counts["settled"] == 0


@pytest.mark.feature("TIER-17")
async def test_the_interval_says_when_it_is_run(world: Tiers) -> None:
    given = Tiered(enabled=True, interval="30m")
    schedule = Settings(tiered=given).schedule
    found = await jobs.list_jobs(world.context.graph, schedule)
    (mover,) = [each for each, _ in found if each.name == "move_tiers"]
    assert mover.cron == "*/30 * * * *"
    assert mover in jobs.scheduled_jobs(replace(world.service, schedule=schedule))
    assert newest_slot(mover, NOW + timedelta(minutes=29)) == NOW
    following = jobs.next_run(replace(world.service, schedule=schedule), mover)
    assert following == NOW + timedelta(minutes=30)


@pytest.mark.feature("TIER-2")
async def test_an_open_session_is_left_alone(world: Tiers) -> None:
    await world.access()
    agent = await open_access(world.service, world.user, "smith", register=True)
    session, _ = await open_session(world.service, agent, "Fire the kiln.")
    draft = NoteDraft(content="The kiln is at 900 degrees.", session_id=session.id)
    note = (await remember(world.service, agent, draft)).note
    assert note is not None
    for days in (3, 20, 100):
        assert not any((await world.move(days * DAY)).values())
    agent = await open_access(world.service, world.user, "smith")
    held = await require_note(world.service, agent, note.id)
    assert (held.tier, held.content) == (Tier.WORKING, note.content)


@pytest.mark.feature("TIER-7")
async def test_long_term_memory_is_searched_only_on_request(world: Tiers) -> None:
    person = await world.access()
    draft = NoteDraft(content="The kiln is cold.", kind=Kind.SEMANTIC)
    written = (await remember(world.service, person, draft, WriteMode.VERBATIM)).note
    assert written is not None
    note = written.id

    async def found(**given: Any) -> list[str]:
        question = RecallRequest(query="Is the kiln cold?", track=False, **given)
        return [hit.note.id for hit in (await recall(world.service, access, question)).hits]

    access = await world.access()
    assert (await world.move(2 * DAY + 1))["settled"] == 1
    assert await found() == [note]
    assert (await world.move(13 * DAY))["archived"] == 1
    assert await world.tier(note) is Tier.LONG_TERM
    assert (await found(), await found(deep=True)) == ([], [note])

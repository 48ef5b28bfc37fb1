"""The night of a memory on a real graph: summaries, what is archived for them, core memory."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from aged_notes import JobHeartbeat, World
from mortal_graph import Fault, Killed
from scripted_llm import says, scripted_llm

from graphmem.ai.llm import Llm
from graphmem.domain.notes import Kind, Note, NoteFilter, Status, Tier
from graphmem.domain.visibility import Visibility
from graphmem.errors import NotFound, Unavailable
from graphmem.services.actors import open_access, register_agent
from graphmem.services.consolidation.asking import LlmSummariser
from graphmem.services.consolidation.consolidating import consolidate
from graphmem.services.consolidation.writing import MAKER
from graphmem.services.context import Context
from graphmem.services.core import core_memory
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.history.reverting import revert_note
from graphmem.services.job_runs.running import Cancelled
from graphmem.services.jobs import consolidation as job
from graphmem.services.jobs.consolidation import consolidate_memory
from graphmem.services.reading.notes import list_notes, require_note
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing import changing, visibility
from graphmem.services.writing.changing import Edit, pin, restore, revise
from graphmem.services.writing.purging import purge
from graphmem.services.writing.visibility import set_visibility
from graphmem.store import notes as store
from graphmem.store.changes import change_step
from graphmem.store.consolidation import users_to_consolidate
from graphmem.store.events import list_events
from graphmem.store.purging import list_derived_notes
from graphmem.store.rows import ChangeRow, RevisionRow

HOT = "The north kiln overheats."


class Nights(World):
    """One user's episodes, and nights."""

    summariser: LlmSummariser | None = None

    async def night(self, hours: float = 0.0) -> dict[str, int]:
        self.now += timedelta(hours=hours)
        service = replace(self.service, summariser=self.summariser)
        return dict(await consolidate_memory(service, JobHeartbeat()))  # type: ignore[arg-type]

    async def told(self, *texts: str, **given: Any) -> list[str]:
        """Curated episodes that are alike."""
        usual = {"kind": Kind.EPISODIC, "tier": Tier.DAILY, "context": "a day", "hours": 1.0}
        made = await self.notes([usual | {"content": text} | given for text in texts])
        return [note.id for note in made]

    async def made(self) -> list[Note]:
        """The summaries."""
        access = await self.access()
        given = NoteFilter(kinds=(Kind.SEMANTIC,))
        page = await list_notes(self.service, access, given, first=100, after=None)
        return [note for note in page.notes if "key takeaway" in (note.context or "")]

    async def report(self) -> dict[str, Any]:
        """The numbers of the only report that the user has heard."""
        found = await list_events(
            self.context.graph, self.user, (await self.access()).of_events, actor=MAKER, limit=50
        )
        (report,) = [each for each in found if each.summary == "memory consolidated"]
        return dict(report.data)

    async def sources(self, note: str) -> list[str]:
        access = await self.access()
        found = await store.list_lineage(self.context.graph, [note], access.by_name, now=self.now)
        return found.get((note, "derivedFrom"), [])


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Nights:
    made = Nights(context, new_user())

    async def own(graph: Any, after: str, **given: Any) -> Any:
        found = await users_to_consolidate(graph, after, **given | {"limit": 100_000})
        return [each for each in found if each.user == made.user]

    monkeypatch.setattr(job.store, "users_to_consolidate", own)
    return made


@pytest.mark.feature("MUMA-71")
async def test_notes_answer_before_their_summary_as_long_as_they_live(world: Nights) -> None:
    same = await world.told(HOT, HOT, "The north kiln overheats at 1240 degrees.")
    await world.night()
    (summary,) = await world.made()
    access = await world.access()

    async def found() -> list[str]:
        answer = await recall(world.service, access, RecallRequest(query=HOT, track=False))
        return [hit.note.id for hit in answer.hits]

    assert await found() == [same[2]]  # the others are archived: the summary says all of them
    note = await require_note(world.service, access, same[2])
    await forget_notes(world.service, access, [note], permanent=False, reason=None)
    assert await found() == [summary.id]


@pytest.mark.feature("MUMA-69", "MUMA-71", "MUMA-72", "MOLT-15")
async def test_three_alike_episodes_of_a_day_become_a_summary(world: Nights) -> None:
    same = await world.told(HOT, HOT)
    (more,) = await world.told("The north kiln overheats at 1240 degrees.")
    (old,) = await world.told(HOT, hours=25.0)
    before = {note: await world.load(note) for note in (*same, more)}
    counts = await world.night()
    assert (counts["collected"], counts["clusters"], counts["created"]) == (3, 1, 1)
    (summary,) = await world.made()
    assert summary.context is not None
    assert (
        summary.context == f"Based on these 3 interactions, the key takeaway is: {summary.content}"
    )
    assert (summary.kind, summary.importance) == (Kind.SEMANTIC, 0.8)
    assert summary.half_life_hours == 4 * 168
    assert summary.audience == before[more].audience
    assert await world.sources(summary.id) == sorted((*same, more))
    gone = [note for note in (*same, more) if await world.status(note) is Status.ARCHIVED]
    assert counts["archived"] == len(gone)
    assert set(same) <= set(gone)
    assert await world.status(old) is Status.ACTIVE
    assert (await world.events(same[0]))[-1][0::2] == ("ARCHIVE", MAKER)
    assert (await world.events(summary.id))[0] == ("CREATE", "note made of episodes", MAKER)
    again = await world.night()
    assert (again["created"], again["archived"], again["collected"]) == (0, 0, 0)
    back = await restore(world.service, await world.access(), same[0])
    assert back.status is Status.ACTIVE
    assert (await world.night(1))["created"] == 0


@pytest.mark.feature("MUMA-72")
async def test_what_is_not_in_the_summary_keeps_its_note(world: Nights) -> None:
    texts = (
        "The north kiln overheats. Ida has the key.",
        "The north kiln overheats. The invoice is number 4711.",
        "The north kiln overheats. The deadline is March 15.",
        "The north kiln overheats. Lunch is at noon. Bread is out. Milk is out. Salt is out.",
    )
    notes = await world.told(*texts, half_life_hours=100.0)
    await world.night()
    (summary,) = await world.made()
    for note, text in zip(notes, texts, strict=True):
        last = text.split(". ")[-1].rstrip(".")
        kept = await world.load(note)
        if last in summary.content:
            continue
        assert (kept.status, kept.half_life_hours) == (Status.ACTIVE, 50.0)
    assert 50.0 in [(await world.load(note)).half_life_hours for note in notes]


@pytest.mark.feature("MUMA-71")
async def test_two_episodes_are_too_few_and_others_are_left_alone(world: Nights) -> None:
    far = [0.0, 1.0] + [0.0] * (world.context.embedder.dimension - 2)
    pair = await world.told(HOT, HOT)
    other = await world.told(HOT, vector=far)
    kept = await world.told(HOT, pinned=True) + await world.told(HOT, load_bearing=True)
    kept += await world.told(HOT, expires_at=world.now + timedelta(days=1))
    counts = await world.night()
    assert (counts["collected"], counts["clusters"], counts["created"]) == (3, 0, 0)
    for note in (*pair, *other, *kept):
        assert await world.status(note) is Status.ACTIVE


async def test_what_is_stored_as_said_is_summarised_and_stays(world: Nights) -> None:
    notes = await world.told(HOT, HOT, HOT, context=None)
    assert (await world.night())["archived"] == 0
    (summary,) = await world.made()
    assert await world.sources(summary.id) == sorted(notes)
    assert [await world.status(note) for note in notes] == [Status.ACTIVE] * 3


async def test_notes_of_other_readers_never_meet(world: Nights) -> None:
    await world.told(HOT, HOT, visibility=Visibility.OPEN)
    await world.told(HOT, HOT, visibility=Visibility.PRIVATE)
    assert (await world.night())["clusters"] == 0
    await world.told(HOT, visibility=Visibility.PRIVATE)
    assert (await world.night())["created"] == 1
    (summary,) = await world.made()
    assert (summary.visibility, summary.author) == (Visibility.PRIVATE, None)


async def test_a_night_that_was_missed_is_made_up_for(world: Nights) -> None:
    await world.access()
    await world.night()
    world.now += timedelta(days=3)
    await world.told(HOT, HOT, HOT, hours=60.0)
    assert (await world.night())["created"] == 1


async def test_a_note_that_changes_meanwhile_leaves_its_cluster_to_the_next_night(
    world: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = [0.0, 1.0] + [0.0] * (world.context.embedder.dimension - 2)
    notes = await world.told(HOT, HOT, HOT)
    await world.told(HOT, HOT, HOT, vector=far)
    real = world.context.embedder.embed_documents

    busy = True

    async def meanwhile(texts: Any) -> Any:
        if not busy:
            return await real(texts)
        note = await world.load(notes[0])
        change = ChangeRow(
            id=note.id,
            version=note.version,
            audience=note.audience.key,
            given={},
            revisions=[RevisionRow(version=note.version + 1, changes={})],
        )
        given: Any = {"user": world.user, "agent": None, "actor": "manual", "now": world.now}
        await world.context.graph.write(change_step([change], **given))
        return await real(texts)

    monkeypatch.setattr(world.context.embedder, "embed_documents", meanwhile)
    counts = await world.night()
    assert (counts["created"], counts["left"]) == (1, 1)
    busy = False
    assert (await world.night(30))["created"] == 1


@pytest.mark.feature("MUMA-76")
async def test_core_memory_tells_the_most_active_knowledge(world: Nights) -> None:
    used = await world.note(content="The studio closes at nine.", hours=400.0, uses=[1, 2, 3])
    await world.note(content="The cellar is damp.", hours=400.0)
    access = await world.access()
    audiences = access.by_name
    empty = await core_memory(world.service, access, audiences)
    assert [line for line in empty.lines if line.note == used] == []
    assert (await world.night())["told"] == 1
    told = [line for line in (await core_memory(world.service, access, audiences)).lines]
    assert [line.text for line in told if line.note] == ["The studio closes at nine."]
    assert (await world.night())["told"] == 0
    world.now += timedelta(days=60)
    await world.note(content="The roof is new.")
    await world.night()
    told = [line for line in (await core_memory(world.service, access, audiences)).lines]
    assert [line.text for line in told if line.note] == ["The roof is new."]


@pytest.mark.feature("MUMA-77")
async def test_the_report_has_the_numbers_of_the_changes(world: Nights) -> None:
    await world.told(HOT, HOT, HOT)
    report = await consolidate(world.service, await world.access())
    summaries = await world.made()
    assert (report.created, report.archived, report.kept) == (len(summaries), 3, 0)
    assert "- summaries made: 1\n- episodes archived, which a summary says: 3\n" in report.markdown
    assert (await consolidate(world.service, await world.access())).created == 0


async def test_the_user_hears_of_the_night(world: Nights) -> None:
    await world.told(HOT, HOT, HOT)
    counts = await world.night()
    assert (await world.report())["created"] == counts["created"] == 1


@pytest.mark.parametrize("committed", [False, True])
async def test_the_user_hears_once_of_a_night_whose_process_dies_anywhere(
    world: Nights, new_user: Callable[[], str], committed: bool
) -> None:
    for at in count(1):
        world.user = new_user()
        await world.told(HOT, HOT, HOT)
        fault = Fault(at, committed=committed, kills=True)
        dying = replace(world.service, graph=fault.of(world.context.graph))
        with suppress(Killed):
            await consolidate_memory(dying, JobHeartbeat())  # type: ignore[arg-type]
        if not fault.came:
            break
        world.now += timedelta(minutes=5)
        await world.night()
        report = await world.report()
        assert (report["created"], report["archived"], report["told"]) == (1, 3, 1), at
    assert at > 10


async def test_an_agent_makes_summaries_of_what_it_may_read(world: Nights) -> None:
    await world.told(HOT, HOT, HOT, visibility=Visibility.PRIVATE)
    await world.told(HOT, HOT, HOT, visibility=Visibility.OPEN)
    agent = await open_access(world.service, world.user, "smith", register=True)
    report = await consolidate(world.service, agent)
    assert (report.collected, report.created) == (3, 1)
    (summary,) = await world.made()
    assert summary.visibility is Visibility.OPEN
    assert (await world.events(summary.id))[0][2] == "bot:smith"


async def test_a_source_that_is_destroyed_takes_the_summary_with_it(world: Nights) -> None:
    notes = await world.told(HOT, HOT, HOT)
    await world.night()
    (summary,) = await world.made()
    access = await world.access()
    service = replace(world.service)
    assert await purge(service, access, [await world.load(notes[0])]) == 1
    assert await world.made() == []
    assert [await world.status(note) for note in notes[1:]] == [Status.ACTIVE] * 2
    for note in notes[1:]:
        kinds = [kind for kind, *_ in await world.events(note)]
        assert kinds.count("ARCHIVE") == kinds.count("REVERT") == 1
    assert (await world.events(summary.id))[0][0] == "DELETE"


async def test_a_summary_loses_the_readers_that_a_source_loses(world: Nights) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.OPEN)
    await world.night()
    (summary,) = await world.made()

    async def give(visibility: Visibility) -> None:
        await set_visibility(world.service, await world.access(), notes[0], None, visibility)

    await give(Visibility.PRIVATE)
    assert (await world.load(summary.id)).visibility is Visibility.PRIVATE
    assert (await world.load(notes[1])).visibility is Visibility.OPEN
    await give(Visibility.OPEN)
    assert (await world.load(summary.id)).visibility is Visibility.PRIVATE


async def _by_pin(world: Nights, note: str) -> None:
    await pin(world.service, await world.access(), note, True, Visibility.PRIVATE)


async def _by_domain(world: Nights, note: str) -> None:
    await set_visibility(world.service, await world.access(), None, "cellar", Visibility.PRIVATE)
    await revise(world.service, await world.access(), note, Edit(domain="cellar"))


async def _by_version(world: Nights, note: str) -> None:
    await revert_note(world.service, await world.access(), note, 1)


@pytest.mark.parametrize("narrow", [_by_pin, _by_domain, _by_version])
async def test_a_summary_loses_readers_however_a_source_loses_them(
    world: Nights, narrow: Callable[[Nights, str], Awaitable[None]]
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.PRIVATE)
    for note in notes:
        access = await world.access()
        await set_visibility(world.service, access, note, None, Visibility.OPEN)
    await world.night()
    (summary,) = await world.made()
    assert summary.visibility is Visibility.OPEN
    await narrow(world, notes[0])
    assert (await world.load(notes[0])).visibility is Visibility.PRIVATE
    assert (await world.load(summary.id)).visibility is Visibility.PRIVATE


@pytest.mark.parametrize(
    ("to", "domain"),
    [("work/code", "work"), ("work", "work"), ("work/sales/north", "work/sales"), ("home", None)],
)
async def test_a_summary_loses_the_readers_that_another_domain_takes_from_a_source(
    world: Nights, to: str, domain: str | None
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.SCOPED, domain="work/sales")
    await world.night()
    (summary,) = await world.made()
    assert (summary.visibility, summary.domain) == (Visibility.SCOPED, "work/sales")
    assert await world.status(notes[1]) is Status.ARCHIVED
    await revise(world.service, await world.access(), notes[0], Edit(domain=to))
    made = [(note.id, note.visibility, note.domain) for note in await world.made()]
    assert made == ([(summary.id, Visibility.SCOPED, domain)] if domain else [])
    assert (await world.load(notes[1])).audience == summary.audience
    assert await world.status(notes[1]) is (Status.ARCHIVED if domain else Status.ACTIVE)


@pytest.mark.parametrize("visibility", [Visibility.PRIVATE, Visibility.USER_ONLY])
async def test_no_agent_that_sees_private_notes_alone_reads_a_summary_of_scoped_ones(
    world: Nights, visibility: Visibility
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.SCOPED, domain="work/sales")
    await world.night()
    await set_visibility(world.service, await world.access(), notes[0], None, visibility)
    assert await world.made() == []
    assert await world.status(notes[1]) is Status.ACTIVE  # as before the night


async def test_a_rule_of_its_new_domain_takes_readers_from_what_was_made_of_a_note(
    world: Nights,
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.OPEN, domain="work/sales")
    await world.night()
    (summary,) = await world.made()
    await revise(world.service, await world.access(), notes[0], Edit(domain="home"))
    access = await world.access()
    await set_visibility(world.service, access, None, "home", Visibility.USER_ONLY)
    assert (await world.load(summary.id)).visibility is Visibility.USER_ONLY


async def test_an_agent_that_moves_a_note_takes_back_a_summary_that_it_can_not_read(
    world: Nights,
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.SCOPED, domain="work/sales")
    await world.night()
    (summary,) = await world.made()
    person = await world.access()
    await revise(world.service, person, notes[0], Edit(domain="work"))
    assert (await world.load(summary.id)).domain == "work"
    await register_agent(world.service, person, "smith", domains=["work/sales", "home"])
    agent = await open_access(world.service, world.user, "smith")
    with pytest.raises(NotFound):
        await require_note(world.service, agent, summary.id)
    await revise(world.service, agent, notes[1], Edit(domain="home"))
    assert await world.made() == []


async def _by_visibility(world: Nights, note: str) -> None:
    await set_visibility(world.service, await world.access(), note, None, Visibility.PRIVATE)


async def test_a_rule_that_is_cut_off_leaves_no_summary_more_readers_than_its_sources(
    world: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.SCOPED, domain="work/sales")
    await world.night()
    await revise(world.service, await world.access(), notes[0], Edit(domain="work/code"))
    (summary,) = await world.made()
    assert summary.domain == "work"

    async def then_the_end(*given: Any) -> dict[str, str]:
        if (await world.load(notes[0])).visibility is Visibility.USER_ONLY:
            raise Unavailable("away")
        return await list_derived_notes(*given)

    monkeypatch.setattr(visibility, "list_derived_notes", then_the_end)
    access = await world.access()
    with pytest.raises(Unavailable):
        await set_visibility(world.service, access, None, "work/code", Visibility.USER_ONLY)
    assert (await world.load(notes[0])).visibility is Visibility.USER_ONLY
    assert await world.made() == [], "no audience fits all of its sources"


@pytest.mark.parametrize("narrow", [_by_visibility, _by_pin, _by_domain, _by_version])
async def test_a_summary_that_is_made_while_a_source_loses_readers_loses_them_too(
    world: Nights,
    narrow: Callable[[Nights, str], Awaitable[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = await world.told(HOT, HOT, HOT, visibility=Visibility.PRIVATE, context=None)
    for note in notes:
        access = await world.access()
        await set_visibility(world.service, access, note, None, Visibility.OPEN)
    nights = 0

    async def then_a_night(*given: Any) -> dict[str, str]:
        nonlocal nights
        found = await list_derived_notes(*given)
        if not nights:
            nights = (await world.night())["created"]
        return found

    monkeypatch.setattr(changing, "list_derived_notes", then_a_night)
    await narrow(world, notes[0])
    assert nights == 1
    (summary,) = await world.made()
    assert (await world.load(notes[0])).visibility is Visibility.PRIVATE
    assert summary.visibility is Visibility.PRIVATE


@pytest.mark.feature("MUMA-71")
@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("The north kiln overheats; Ida has the key.", True),
        ("The north kiln overheats at 900 degrees.", False),  # which no note says
        ("The north kiln overheats, as Bruno says.", False),
    ],
)
async def test_an_llm_may_word_the_summary_but_adds_nothing(
    world: Nights, said: str, taken: bool
) -> None:
    with scripted_llm() as fake:
        fake.script = [says({"summary": said})]
        llm = Llm("m", url=fake.url, key=None)
        world.summariser = LlmSummariser(llm)
        notes = await world.told(HOT, HOT, "The north kiln overheats. Ida has the key.")
        await world.told(HOT, HOT, HOT, visibility=Visibility.USER_ONLY)
        assert (await world.night())["created"] == 2
        await llm.close()
    assert len(fake.asked) == 1  # what is for the user alone goes nowhere
    made = [note for note in await world.made() if note.visibility is not Visibility.USER_ONLY]
    assert (said in made[0].content) is taken
    assert await world.sources(made[0].id) == sorted(notes)
    assert await world.status(notes[0]) is Status.ARCHIVED


async def test_a_night_that_is_cut_off_is_ended_by_the_next_run(world: Nights) -> None:
    far = [0.0, 1.0] + [0.0] * (world.context.embedder.dimension - 2)
    cold = "The south oven stays cold."
    notes = await world.told(*[HOT] * 20), await world.told(*[cold] * 20, vector=far)

    class Cut(JobHeartbeat):
        async def checkpoint(self, place: str | None = None) -> None:
            if await world.made():
                raise Cancelled

    beat: Any = Cut()
    with pytest.raises(Cancelled):
        await consolidate_memory(world.service, beat)
    assert len(await world.made()) == 1
    counts = await world.night()
    assert (counts["collected"], counts["created"]) == (20, 1)
    sources = [await world.sources(each.id) for each in await world.made()]
    assert sorted(sources) == sorted(sorted(each) for each in notes)

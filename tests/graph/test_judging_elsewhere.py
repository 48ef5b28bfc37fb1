"""What a model's doubt about an older note with other readers does: it shows to those who read both
notes, and to nobody else."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from writers import Clock, Judge, Vectors, Writer

from graphmem.domain.notes import Operation, Status
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import UpdateVerdict
from graphmem.language.comparison import ConflictVerdict
from graphmem.services import actors, conflicts
from graphmem.services.context import Context
from graphmem.services.events import list_events
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing import visibility
from graphmem.services.writing.judging import MOST_GROUPS
from graphmem.store.events import append_step, event_row

OLD, NEW = "Flour comes from the mill.", "We bake with what the market brings."
OTHER = "The mill lies by the river."
QUESTION = "Where does the flour come from?"
SUPPLY: dict[str, Any] = {"visibility": Visibility.SCOPED, "domain": "supply"}
GENERAL: dict[str, Any] = {"visibility": Visibility.SCOPED, "domain": "general"}
SURE, NOTHING = UpdateVerdict(replaced=0.99), UpdateVerdict()


@pytest.fixture
def judge() -> Judge:
    return Judge(SURE)


@pytest.fixture
async def writer(context: Context, judge: Judge, new_user: Callable[[], str]) -> Writer:
    vectors = Vectors(context.embedder)
    for text, cosine in ((OLD, 0.8), (NEW, 1.0), (OTHER, 0.9)):
        vectors.place(text, cosine, 0)
    made = replace(context, clock=Clock(), embedder=vectors, judge=judge)  # type: ignore[arg-type]
    return await with_agents(Writer(made, new_user()))


async def with_agents(writer: Writer) -> Writer:
    """One agent reads the older note alone, one the newer one, one both."""
    person = await actors.open_access(writer.context, writer.user, None, register=True)
    for agent, domains in (("miller", ["supply"]), ("baker", ["general"]), ("both", ["*"])):
        await actors.register_agent(writer.context, person, agent, domains=domains)
    return writer


async def told(writer: Writer, agent: str | None) -> Any:
    """All that a viewer is told of the pair, without ids."""
    viewer = writer.as_agent(agent) if agent else writer
    access = await viewer.access()
    found = await recall(viewer.context, access, RecallRequest(query=QUESTION))
    texts = {hit.note.id: hit.note.content for hit in found.hits}
    listed = await conflicts.list_conflicts(viewer.context, access, is_open=True, first=9)
    events = await list_events(
        viewer.context, access, after=0, types=None, actor=None, subject_id=None, since=None,
        until=None, first=99,
    )  # fmt: skip
    return (
        found.confidence,
        [
            (hit.note.content, hit.note.status, hit.note.half_life_hours, hit.score,
             texts.get(hit.superseded_by or ""))
            for hit in found.hits
        ],
        len(listed),
        [(event.type, event.summary) for event in events],
    )  # fmt: skip


@pytest.mark.feature("MUMA-73")
@pytest.mark.parametrize("agent", [None, "both"])
async def test_who_reads_both_gets_the_newer_one_first(writer: Writer, agent: str | None) -> None:
    """And the older one stays as it is, however sure the judge is."""
    old = await writer.say(OLD, **SUPPLY)
    new = await writer.say(NEW, **GENERAL)
    assert old.note
    assert new.operation is Operation.ADD
    assert "see conflicts" in new.reason
    after = await writer.note(old.note)
    assert (after.status, after.half_life_hours) == (Status.ACTIVE, old.note.half_life_hours)
    _, hits, listed, events = await told(writer, agent)
    assert [(hit[0], hit[-1]) for hit in hits] == [(NEW, None), (OLD, NEW)]
    assert listed == 1
    assert ("ALERT", "two notes contradict each other") in events


@pytest.mark.parametrize("agent", ["miller", "baker"])
async def test_who_reads_one_of_them_is_told_nothing(
    writer: Writer, judge: Judge, agent: str
) -> None:
    answers = []
    for says in (SURE, NOTHING):
        judge.says = says
        user = Writer(replace(writer.context, clock=Clock()), f"{writer.user}-{len(answers)}")
        await with_agents(user)
        await user.say(OLD, **SUPPLY)
        await user.say(NEW, **GENERAL)
        answers.append(await told(user, agent))
    assert answers[0] == answers[1]
    assert len(answers[0][1]) == 1


async def test_what_becomes_of_a_note_does_not_depend_on_nearer_ones_with_other_readers(
    writer: Writer, judge: Judge
) -> None:
    judge.says = NOTHING
    old = await writer.say(OLD, **GENERAL)
    for domain in ("supply", "river"):
        await writer.say(OTHER, domain=domain, visibility=Visibility.SCOPED)
    judge.asked.clear()
    judge.says = SURE
    new = await writer.say(NEW, **GENERAL)
    assert new.operation is Operation.DELETE
    assert (await writer.note(old.note)).status is Status.SUPERSEDED
    assert sorted(judge.asked) == [(OLD, NEW), (OTHER, NEW), (OTHER, NEW)]
    assert (await told(writer, None))[2] == 2


async def test_the_same_for_other_readers_is_a_note_of_its_own(
    writer: Writer, judge: Judge
) -> None:
    judge.says = UpdateVerdict(same=0.99)
    await writer.say(OLD, **SUPPLY)
    assert (await writer.say(NEW, **GENERAL)).operation is Operation.ADD


async def test_a_conflict_is_for_those_who_could_read_both_notes_then(writer: Writer) -> None:
    pair = [await writer.say(OLD, **SUPPLY), await writer.say(NEW, **GENERAL)]
    access = await writer.access()
    for each in pair:
        assert each.note
        await visibility.set_note_visibility(writer.context, access, each.note.id, Visibility.OPEN)
    counts = {agent: (await told(writer, agent))[2] for agent in (None, "both", "miller", "baker")}
    assert counts == {None: 1, "both": 1, "miller": 0, "baker": 0}


async def test_what_the_user_says_is_no_conflict_is_none(writer: Writer) -> None:
    """Both notes stay as they are, in the order in which they answer."""
    for text, place in ((OLD, SUPPLY), (NEW, GENERAL)):
        await writer.say(text, **place)
    access = await writer.access()
    (found,) = await conflicts.list_conflicts(writer.context, access, is_open=True, first=9)
    ended = await conflicts.resolve_conflict(
        writer.context, access, found.id, ConflictVerdict.COMPATIBLE, None
    )
    assert not ended.open
    _, hits, listed, _ = await told(writer, None)
    assert {hit[0]: hit[1] for hit in hits} == {OLD: Status.ACTIVE, NEW: Status.ACTIVE}
    assert [hit[-1] for hit in hits] == [None, None]
    assert listed == 0


async def test_a_doubt_has_its_link_where_the_note_has_all_the_others_that_it_may_have(
    writer: Writer, judge: Judge
) -> None:
    await writer.say(OLD, **SUPPLY)
    judge.says = NOTHING
    for i in range(11):
        text = f"Loaf {i} of the bakery went to the school on Elm Street."
        writer.context.embedder.place(text, 0.99, 0)  # type: ignore[attr-defined]
        await writer.say(text, tags=["bread", "market"], **GENERAL)
    judge.says = SURE
    new = await writer.say(NEW, tags=["bread", "market"], **GENERAL)
    assert new.note
    rows = await writer.rows(
        "MATCH (:Note {id: $id})-[r:LINKS_TO]->(x) RETURN r.kind, x.domain", id=new.note.id
    )
    assert ["updates", "supply"] in rows


@pytest.mark.parametrize("groups", [MOST_GROUPS - 1, MOST_GROUPS + 3])
async def test_no_more_than_twelve_groups_of_readers_are_judged(
    writer: Writer, judge: Judge, groups: int
) -> None:
    judge.says = NOTHING
    for i in range(groups):
        await writer.say(OTHER, domain=f"d{i:02}", visibility=Visibility.SCOPED)
    judge.asked.clear()
    await writer.say(NEW, **GENERAL)
    assert len(judge.asked) == min(groups, MOST_GROUPS)


async def test_an_old_note_that_loses_readers_meanwhile_is_told_of_to_nobody_else(
    writer: Writer, judge: Judge
) -> None:
    """The write is decided again with the readers that the note has now."""
    old = await writer.say(OLD, **SUPPLY)
    assert old.note
    note, judged = old.note, judge.verdicts

    async def meanwhile(pairs: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
        judge.verdicts = judged  # type: ignore[method-assign]
        access = await writer.access()
        await visibility.set_note_visibility(writer.context, access, note.id, Visibility.USER_ONLY)
        return await judged(pairs)

    judge.verdicts = meanwhile  # type: ignore[method-assign]
    await writer.say(NEW, **GENERAL)
    assert ("ALERT", "two notes contradict each other") not in (await told(writer, "both"))[3]
    assert (await told(writer, None))[2] == 1


@pytest.mark.parametrize("hidden", [0, 9])
def test_numbers_of_events_do_not_depend_on_those_for_readers_of_two_notes(hidden: int) -> None:
    """Those of one audience are drawn among as many numbers, whatever else is written."""
    rows = [event_row("CREATE", "x", audience="a", actor="u", at=Clock()()) for _ in range(2)]
    others = [
        event_row("ALERT", "x", audience="a", actor="u", at=Clock()(), other=("i", f"b{i}"))
        for i in range(hidden)
    ]
    gaps = []
    for _ in range(200):
        placed: Any = append_step("s", [*rows, *others]).parameters["rows"]
        gaps.append(placed[1]["offset"] - placed[0]["offset"])
    assert 270 < sum(gaps) / len(gaps) < 400  # a third of the spread of 1,000

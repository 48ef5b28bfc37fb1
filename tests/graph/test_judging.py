"""What becomes of older notes that a model judges to be out of date."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from writers import Clock, Judge, Vectors, Writer

from graphmem.domain.notes import NoteDraft, Operation, Status, Validity, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import UpdateVerdict
from graphmem.errors import Invalid
from graphmem.services import conflicts
from graphmem.services.context import Context
from graphmem.services.core import automatic, core_memory
from graphmem.services.recall.recall import RecallResult, recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing import links, visibility

OLD, NEW = "Flour comes from the mill.", "We bake with what the market brings."
QUESTION = "Where does the flour come from?"
OPEN = {"visibility": Visibility.OPEN, "domain": "bakery"}


SURE, IN_DOUBT = UpdateVerdict(replaced=0.99), UpdateVerdict(replaced=0.8)


@pytest.fixture
def judge() -> Judge:
    return Judge(SURE)


@pytest.fixture
def writer(context: Context, judge: Judge, new_user: Callable[[], str]) -> Writer:
    vectors = Vectors(context.embedder)
    for text, cosine in ((OLD, 0.8), (NEW, 1.0)):
        vectors.place(text, cosine, 0)
    made = replace(context, clock=Clock(), embedder=vectors, judge=judge)  # type: ignore[arg-type]
    return Writer(made, new_user())


async def ask(writer: Writer) -> RecallResult:
    return await recall(writer.context, await writer.access(), RecallRequest(query=QUESTION))


async def open_conflicts(writer: Writer) -> Sequence[conflicts.ConflictFound]:
    access = await writer.access()
    return await conflicts.list_conflicts(writer.context, access, is_open=True, first=9)


@pytest.mark.feature("MUMA-20")
async def test_what_is_surely_out_of_date_is_superseded(writer: Writer, judge: Judge) -> None:
    old = await writer.say(OLD, **OPEN)
    new = await writer.say(NEW, **OPEN)
    assert new.operation is Operation.DELETE
    assert "it changes what that one said" in new.reason
    assert (await writer.note(old.note)).status is Status.SUPERSEDED
    assert judge.asked == [(OLD, NEW)]
    assert not await open_conflicts(writer)


@pytest.mark.feature("MUMA-73")
async def test_in_doubt_it_is_a_conflict_and_the_newer_comes_first(
    writer: Writer, judge: Judge
) -> None:
    judge.says = IN_DOUBT
    old = await writer.say(OLD, **OPEN)
    new = await writer.say(NEW, **OPEN)
    assert old.note
    assert new.note
    assert new.operation is Operation.ADD
    assert "see conflicts" in new.reason
    (conflict,) = await open_conflicts(writer)
    assert conflict.notes == (old.note.id, new.note.id)
    hits = (await ask(writer)).hits
    assert [(hit.note.id, hit.superseded_by) for hit in hits] == [
        (new.note.id, None),
        (old.note.id, new.note.id),
    ]
    assert hits[0].score == pytest.approx(hits[1].score)


@pytest.mark.parametrize("pinned", [False, True])
async def test_core_memory_tells_the_newer_one_alone(
    writer: Writer, judge: Judge, *, pinned: bool
) -> None:
    """Unless the older one is pinned."""
    judge.says = IN_DOUBT
    lines = ("I prefer flour from the mill.", "I prefer flour from the market.")
    for text, cosine in zip(lines, (0.8, 1.0), strict=True):
        writer.context.embedder.place(text, cosine, 1)  # type: ignore[attr-defined]
    await writer.say(lines[0], pinned=pinned, **OPEN)
    await writer.say(lines[1], **OPEN)
    assert len(await open_conflicts(writer)) == 1
    access = await writer.access()
    told = (await core_memory(writer.context, access, automatic(access))).text
    assert lines[1] in told
    assert (lines[0] in told) is pinned


async def test_a_line_of_core_memory_goes_for_no_note_that_gives_none(
    writer: Writer, judge: Judge
) -> None:
    """A doubt alone takes nothing from core memory."""
    judge.says = IN_DOUBT
    line = "I prefer flour from the mill."
    writer.context.embedder.place(line, 0.8, 0)  # type: ignore[attr-defined]
    await writer.say(line, **OPEN)
    await writer.say(NEW, **OPEN)
    assert len(await open_conflicts(writer)) == 1
    access = await writer.access()
    assert line in (await core_memory(writer.context, access, automatic(access))).text


async def test_a_hit_that_is_contradicted_brings_the_newer_note_with_it(
    writer: Writer, judge: Judge
) -> None:
    judge.says = IN_DOUBT
    await writer.say(OLD, **OPEN)
    new = await writer.say(NEW, **OPEN)
    access = await writer.access()
    found = await recall(writer.context, access, RecallRequest(query=QUESTION, k=1))
    assert [hit.note.id for hit in found.hits] == [new.note and new.note.id]


async def test_contradicting_hits_make_an_answer_less_sure(writer: Writer, judge: Judge) -> None:
    judge.says = UpdateVerdict()
    await writer.say(OLD, **OPEN)
    await writer.say(NEW, **OPEN)
    other = Writer(writer.context, f"{writer.user}-2")
    judge.says = IN_DOUBT
    await other.say(OLD, **OPEN)
    await other.say(NEW, **OPEN)
    assert (await ask(other)).confidence < (await ask(writer)).confidence


@pytest.mark.parametrize(
    ("says", "listed"),
    [(UpdateVerdict(partly=0.99), 1), (UpdateVerdict(0.5, 0.4), 1), (UpdateVerdict(0.3, 0.3), 0)],
)
async def test_a_note_is_not_superseded_for_a_part_of_it(
    writer: Writer, judge: Judge, says: UpdateVerdict, listed: int
) -> None:
    judge.says = says
    old = await writer.say(OLD, **OPEN)
    assert (await writer.say(NEW, **OPEN)).operation is Operation.ADD
    assert (await writer.note(old.note)).status is Status.ACTIVE
    assert len(await open_conflicts(writer)) == listed


@pytest.mark.feature("MUMA-23")
@pytest.mark.parametrize(
    ("new", "operation"),
    [("Our flour is milled by them.", Operation.NOOP), ("Our flour is Ann's.", Operation.ADD)],
)
async def test_the_same_in_other_words_is_one_note(
    writer: Writer, judge: Judge, new: str, operation: Operation
) -> None:
    """Unless a name, a number or a negation differs, whatever the judge says."""
    judge.says = UpdateVerdict(same=0.99)
    writer.context.embedder.place(new, 0.9, 0)  # type: ignore[attr-defined]
    old = await writer.say(OLD, **OPEN)
    told = await writer.say(new, **OPEN)
    assert told.operation is operation
    assert told.note
    assert old.note
    assert (told.note.id == old.note.id) is (operation is Operation.NOOP)


async def test_what_is_not_asked(writer: Writer, judge: Judge) -> None:
    """By another speaker, far away, or stored as it was said."""
    await writer.say(OLD, speaker="Milos", **OPEN)
    await writer.say(OLD, mode=WriteMode.VERBATIM, **OPEN)
    await writer.say("The heron is the logo of the choir.", **OPEN)
    judge.asked.clear()
    await writer.say(NEW, **OPEN)
    assert not judge.asked


async def test_what_bears_load_gives_way_to_no_agent(writer: Writer) -> None:
    old = await writer.say(OLD, pinned=True, **OPEN)
    await writer.as_agent("baker").say(NEW, **OPEN)
    assert (await writer.note(old.note)).status is Status.ACTIVE
    assert len(await open_conflicts(writer)) == 1


async def test_a_batch_decides_as_single_notes_do(writer: Writer, context: Context) -> None:
    single = Writer(writer.context, f"{writer.user}-1")
    for text in (OLD, NEW):
        await single.say(text, **OPEN)
    await writer.many([NoteDraft(content=text, **OPEN) for text in (OLD, NEW)])
    assert set(await writer.live()) == set(await single.live()) == {NEW}


async def test_a_guess_of_an_agent_is_not_put_before_what_its_user_stated(
    writer: Writer, judge: Judge
) -> None:
    judge.says = IN_DOUBT
    old = await writer.say(OLD, validity=Validity.ASSERTED, **OPEN)
    await writer.as_agent("baker").say(NEW, validity=Validity.INFERRED, **OPEN)
    assert len(await open_conflicts(writer)) == 1
    assert all(hit.superseded_by is None for hit in (await ask(writer)).hits)
    assert old.note


async def test_nobody_links_notes_so_by_hand(writer: Writer, judge: Judge) -> None:
    judge.says = UpdateVerdict()
    old, new = await writer.say(OLD, **OPEN), await writer.say(NEW, **OPEN)
    assert old.note
    assert new.note
    access = await writer.access()
    with pytest.raises(Invalid):
        await links.link(writer.context, access, new.note.id, old.note.id, "updates", None)
    await links.link(writer.context, access, new.note.id, old.note.id, "contradicts", None)
    assert all(hit.superseded_by is None for hit in (await ask(writer)).hits)


async def test_the_past_is_told_as_it_was(writer: Writer, judge: Judge) -> None:
    judge.says = IN_DOUBT
    await writer.say(OLD, **OPEN)
    await writer.say(NEW, **OPEN)
    asked = RecallRequest(query=QUESTION, as_of=writer.context.clock())
    found = await recall(writer.context, await writer.access(), asked)
    assert len(found.hits) == 2
    assert all(hit.superseded_by is None for hit in found.hits)


@pytest.mark.parametrize(
    ("titles", "count"),
    [(("Alice", "Alice"), 1), (("Alice", "Bob"), 0), ((None, "Bob"), 1), (("SOUL", "SOUL"), 0)],
)
async def test_of_two_things_neither_is_judged_by_the_other(
    writer: Writer, judge: Judge, titles: tuple[str | None, str], count: int
) -> None:
    """Nor is a file that agents live by, whoever writes."""
    for title in titles:
        for text in (OLD, NEW):
            writer.context.embedder.place(f"{title}\n{text}", 0.9, 0)  # type: ignore[attr-defined]
    file = {"external_id": "SOUL"} if titles[0] == "SOUL" else {}
    await writer.say(OLD, title=titles[0], **file, **OPEN)
    judge.asked.clear()
    new = await writer.say(NEW, title=titles[1], **OPEN)
    assert len(judge.asked) == count
    # What names no thing by a title may be in doubt, but is not put away.
    assert (new.operation is Operation.DELETE) is (titles == ("Alice", "Alice"))


async def test_a_judge_that_fails_changes_nothing(writer: Writer, judge: Judge) -> None:
    async def fail(_: object) -> list[UpdateVerdict]:
        raise MemoryError

    await writer.say(OLD, **OPEN)
    judge.verdicts = fail  # type: ignore[method-assign]
    assert (await writer.say(NEW, **OPEN)).operation is Operation.ADD
    assert set(await writer.live()) == {OLD, NEW}


async def test_a_note_that_holds_for_a_time_only_makes_nothing_out_of_date(
    writer: Writer, judge: Judge
) -> None:
    await writer.say(OLD, **OPEN)
    judge.asked.clear()
    await writer.say(NEW, valid_to=writer.context.clock() + timedelta(days=7), **OPEN)
    assert not judge.asked
    assert not await open_conflicts(writer)


@pytest.mark.parametrize("hidden", ["old", "new"])
async def test_of_a_hidden_note_nothing_shows(writer: Writer, judge: Judge, hidden: str) -> None:
    """An agent gets what it gets where the pair was never found to be one."""
    answers = []
    for says in (IN_DOUBT, UpdateVerdict()):
        judge.says = says
        user = Writer(replace(writer.context, clock=Clock()), f"{writer.user}-{len(answers)}")
        pair = {"old": await user.say(OLD, **OPEN), "new": await user.say(NEW, **OPEN)}
        note = pair[hidden].note
        assert note
        access = await user.access()
        await visibility.set_note_visibility(user.context, access, note.id, Visibility.USER_ONLY)
        found = await ask(user.as_agent("baker"))
        answers.append((found.confidence, [(h.note.content, h.superseded_by) for h in found.hits]))
    assert answers[0] == answers[1]
    assert len(answers[0][1]) == 1

"""What fails for rows of a job together is narrowed down to the rows that fail by themselves."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.extraction import DateMention, Extraction, Store
from graphmem.domain.found import within_bounds
from graphmem.domain.jobs import SKIPPED
from graphmem.domain.notes import BEGINNING, EntityDraft, Kind, NoteType, RelationDraft
from graphmem.errors import BeingErased, Unavailable
from graphmem.language.extraction import extract
from graphmem.language.topic_keys import LONGEST_KEY, topic_keys_in, topics_of
from graphmem.services.job_runs.failure_isolation import (
    FailureIsolation,
    TakenOver,
    in_order_of,
    next_unreadable,
)

NOW = datetime(2026, 3, 10, tzinfo=UTC)


class Rows(FailureIsolation):
    """A run without a graph."""

    def __init__(self) -> None:
        super().__init__("test")
        self.alive = 0

    async def checkpoint(self, place: str | None = None, *, of: str | None = None) -> None:
        self.alive += 1


@given(st.integers(1, 60), st.sets(st.integers(0, 59)))
def test_each_row_that_can_be_done_is_done_once_and_the_others_are_skipped(
    size: int, bad: set[int]
) -> None:
    done: list[int] = []

    async def work(rows: Sequence[int]) -> None:
        if bad & set(rows):
            raise ValueError("the words of a note")
        done.extend(rows)

    rows = Rows()
    left_out = asyncio.run(rows.each(range(size), work))
    assert done == [row for row in range(size) if row not in bad]
    assert left_out == [row for row in range(size) if row in bad]
    assert rows.counts[SKIPPED] == len(left_out)


@given(st.integers(0, 60), st.sets(st.integers(0, 59), max_size=9), st.integers(1, 20))
def test_each_row_that_can_be_read_is_read_once(size: int, bad: set[int], most: int) -> None:
    names = [f"{i:02}" for i in range(size)]

    async def read(after: str, limit: int) -> Sequence[str]:
        page = [name for name in names if name > after][:limit]
        if any(int(name) in bad for name in page):
            raise ValueError("the words of a note")
        return page

    async def step_over(after: str) -> str | None:
        return next((name for name in names if name > after), None)

    rows, found = Rows(), list[str]()

    async def go() -> None:
        pages = rows.pages(in_order_of(read, str), most, after="", step_over=step_over)
        async for place, page in pages:
            found.extend(page)
            assert place == page[-1]

    asyncio.run(go())
    assert found == [name for name in names if int(name) not in bad]
    runs = [i for i in range(size) if i in bad and i - 1 not in bad]
    assert rows.counts[SKIPPED] == len(runs)


@given(
    st.lists(st.sampled_from(["", "", "", "", "good", "bad"]), max_size=60).map(tuple),
    st.integers(0, 4_000),
    st.integers(1, 20),
)
def test_rows_among_many_places_of_others_are_found(
    places: tuple[str, ...], gap: int, most: int
) -> None:
    """A job's rows are few among all places, with a long gap before the second half of them."""
    half = len(places) // 2
    places = (*places[:half], *[""] * gap, *places[half:])
    rows_at = [f"{place:05}" for place, row in enumerate(places) if row]
    bad = frozenset(f"{place:05}" for place, row in enumerate(places) if row == "bad")
    reads = 0

    async def read(after: str, limit: int, last: str = "99999") -> Sequence[str]:
        nonlocal reads
        reads += 1
        page = [place for place in rows_at if after < place <= last][:limit]
        if bad.intersection(page):
            raise ValueError("the words of a note")
        return page

    async def step(after: str, ahead: int) -> str | None:
        place = min(int(after or "-1") + ahead, len(places) - 1)
        return f"{place:05}" if f"{place:05}" > after else None

    rows, found = Rows(), list[str]()

    async def go() -> None:
        pages = rows.pages(
            in_order_of(read, str),
            most,
            after="",
            step_over=lambda after: next_unreadable(after, lambda last: read(after, 1, last), step),
        )
        async for _, page in pages:
            found.extend(page)

    asyncio.run(go())
    assert found == [place for place in rows_at if place not in bad]
    assert (rows.counts[SKIPPED] > 0) == bool(bad)
    assert reads <= 40 * len(rows_at) + 40


@pytest.mark.parametrize("failures", [1, 3])
def test_what_fails_for_a_moment_leaves_no_row_out(failures: int) -> None:
    names = ["a", "b", "c"]
    left = 2 + failures  # pages of four rows, of two, of one, and so on

    async def read(after: str, limit: int, last: str = "z") -> Sequence[str]:
        nonlocal left
        if last == "z" and left:
            left -= 1
            raise KeyError("broken")
        return [name for name in names if after < name <= last][:limit]

    async def step(after: str, ahead: int) -> str | None:
        return next(iter([name for name in names if name > after][:ahead][-1:]), None)

    rows, found = Rows(), list[str]()

    async def go() -> None:
        pages = rows.pages(
            in_order_of(read, str),
            4,
            after="",
            step_over=lambda after: next_unreadable(after, lambda last: read(after, 1, last), step),
        )
        async for _, page in pages:
            found.extend(page)

    if failures == 1:
        asyncio.run(go())
        assert found == names
        assert not rows.counts
        return
    with pytest.raises(KeyError, match="broken"):
        asyncio.run(go())


def test_where_nothing_can_be_read_the_run_fails() -> None:
    async def read(after: str, limit: int) -> Sequence[str]:
        raise KeyError("broken")

    async def step_over(after: str) -> str | None:
        return f"{after}x"

    async def go() -> None:
        async for _ in Rows().pages(in_order_of(read, str), 9, after="", step_over=step_over):
            raise AssertionError

    with pytest.raises(KeyError, match="broken"):
        asyncio.run(go())


@pytest.mark.parametrize("error", [TakenOver("over"), Unavailable("away")])
def test_what_is_about_the_run_ends_it(error: Exception) -> None:
    async def work(rows: Sequence[int]) -> None:
        raise error

    async def read(after: str, limit: int) -> Sequence[str]:
        raise error

    async def step_over(after: str) -> str | None:
        raise AssertionError

    async def go() -> None:
        async for _ in Rows().pages(in_order_of(read, str), 9, after="", step_over=step_over):
            raise AssertionError

    with pytest.raises(type(error)):
        asyncio.run(Rows().each([1, 2], work))
    with pytest.raises(type(error)):
        asyncio.run(go())


def test_a_user_who_is_erased_meanwhile_is_no_failure() -> None:
    async def work(rows: Sequence[int]) -> None:
        raise BeingErased

    rows = Rows()
    assert asyncio.run(rows.each([1, 2, 3], work)) == []
    assert not rows.counts


def test_a_skipped_row_is_logged_without_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    async def work(rows: Sequence[int]) -> None:
        raise ValueError("the words of a note")

    asyncio.run(Rows().each([1], work))
    told = capsys.readouterr()
    assert "words" not in told.out + told.err
    assert "ValueError" in told.out + told.err


ODD = ("x" * 9_000, "ﷺ" * 900, "a\x00b", "a\ud800b", "", " ")


@pytest.mark.parametrize("odd", ODD)
def test_nothing_is_found_that_a_writer_could_not_give(odd: str) -> None:
    ends = [EntityDraft(name=odd), EntityDraft(name="Ada"), EntityDraft(name="Bob", aliases=(odd,))]
    whole = Extraction(
        entities=(*ends, *(EntityDraft(name=f"N{i}") for i in range(500))),
        relations=(
            RelationDraft(subject="Ada", predicate="knows", object=odd),
            RelationDraft(subject="Ada", predicate=odd, object="N1"),
            RelationDraft(subject="Ada", predicate="knows", object="N1", valid_from=BEGINNING),
            RelationDraft(subject="Ada", predicate="knows", object="N1"),
        ),
        dates=(DateMention(surface="then", start=BEGINNING, end=NOW),),
        amounts=(),
        keywords=(odd, "kiln"),
        tags=(odd, "kiln"),
        context=odd,
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        store=Store.SEMANTIC,
        importance=float("nan"),
        confidence=9.0,
        visibility=None,
        domain=odd,
        memorable=True,
        core_block=None,
    )
    found = within_bounds(whole)
    assert [each.name for each in found.entities] == ["Ada", *(f"N{i}" for i in range(99))]
    assert [(each.predicate, each.object) for each in found.relations] == [("knows", "N1")] * 1
    assert (found.keywords, found.tags, found.dates) == (("kiln",), ("kiln",), ())
    assert (found.context, found.domain) == ("", None)
    assert (found.importance, found.confidence) == (0.5, 1.0)


@pytest.mark.parametrize("size", [999, 1_001, 9_000, 50_000])
def test_a_long_word_is_no_tag_and_no_topic(size: int) -> None:
    text = f"We fired {'q' * size} in Halden."
    found = extract(text, title=None, speaker=None, occurred_at=None, now=NOW)
    longest = max(map(len, (*found.tags, *found.keywords, *(e.name for e in found.entities))))
    assert longest <= 1_000
    assert found.tags
    old = topics_of([], ["q" * size, "kiln"], "work")
    assert all(len(key.encode()) <= LONGEST_KEY for key in old)
    assert {"kiln", "work"} <= set(old)
    assert all(len(key.encode()) <= LONGEST_KEY for key in topic_keys_in(text))

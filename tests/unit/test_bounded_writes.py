"""A write that is hostile or large takes bounded memory, leaves the loop free, ends in time, and is
refused before its texts are read."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from graphmem.domain.actors import Agent, Viewer, WritePermission
from graphmem.domain.extraction import Extraction
from graphmem.domain.notes import MAX_CONTENT, EntityDraft, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import HALF_LIFE_HOURS, Writing
from graphmem.errors import Forbidden, GraphmemError, Invalid
from graphmem.language.extraction.pipeline import extract
from graphmem.language.naming.matching import MAX_CANDIDATES, name_candidates
from graphmem.services import text_work
from graphmem.services.context import Access, utc_now
from graphmem.services.messages import command
from graphmem.services.text_work import TextWork
from graphmem.services.writing import mentions
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.mentions import Written, collect_mentions, look_up
from graphmem.services.writing.remember import remember_many
from graphmem.store.entities import EntityName

HOSTILE = ("Aa Bb " * MAX_CONTENT)[:MAX_CONTENT].rstrip()


@dataclass
class Parts:
    """The parts of a context that reading texts needs."""

    extractor: Callable[..., Extraction] = extract
    graph: object = None
    refiner: object = None
    clock: Any = utc_now
    texts: TextWork = field(default_factory=TextWork)
    writing: Writing = field(default_factory=Writing)


def access_of(writes: WritePermission | None = None) -> Access:
    agent = None if writes is None else Agent(id="agent", user="me", name="Bot", writes=writes)
    return Access(
        viewer=Viewer(user="me", agent=agent), audiences=(), rules={}, default=Visibility.SCOPED
    )


def drafts(count: int, content: str = "Ann met Bob.") -> list[tuple[NoteDraft, WriteMode]]:
    return [(NoteDraft(content=content), WriteMode.CURATED) for _ in range(count)]


async def test_the_loop_goes_on_while_a_call_is_read() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    def reads(*_: object, **__: object) -> Extraction:
        before, ends = ticks, time.monotonic() + 20
        while ticks < before + 3:
            assert time.monotonic() < ends, "the loop waits for the text"
        raise Invalid("read")  # so that nothing is written

    ticking = asyncio.create_task(tick())
    found = await remember_many(Parts(reads), access_of(), drafts(3))  # type: ignore[arg-type]
    ticking.cancel()
    assert [str(each.error) for each in found] == ["read"] * 3


async def test_reading_ends_with_the_operation() -> None:
    read = 0

    def slow(*_: object, **__: object) -> Extraction:
        nonlocal read
        read += 1
        time.sleep(0.02)
        raise Invalid("read")

    parts = Parts(slow, texts=TextWork(threads=1))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await remember_many(parts, access_of(), drafts(400))  # type: ignore[arg-type]
    await parts.texts.run(lambda _: None)  # the thread is free again
    there = read
    assert there < 400
    await asyncio.sleep(0.1)
    assert read == there


async def test_who_may_not_write_has_no_text_read() -> None:
    def reads(*_: object, **__: object) -> Extraction:
        raise AssertionError("read before it was allowed")

    parts, access = Parts(reads), access_of(WritePermission.PROPOSE)
    with pytest.raises(Forbidden):
        await remember_many(parts, access, drafts(1))  # type: ignore[arg-type]
    done = await command(parts, access, "We decided to use Kafka.")  # type: ignore[arg-type]
    assert done.note is None


async def test_what_is_too_long_is_not_read() -> None:
    def reads(*_: object, **__: object) -> Extraction:
        raise AssertionError("read though it is too long")

    long = drafts(1, "a" * (MAX_CONTENT + 1))
    [found] = await remember_many(Parts(reads), access_of(), long)  # type: ignore[arg-type]
    assert isinstance(found.error, Invalid)


async def test_the_names_of_a_call_are_bounded() -> None:
    entities = tuple(EntityDraft(name=f"E{n}", aliases=tuple("abcd")) for n in range(90))
    many = [(NoteDraft(content="x", entities=entities), WriteMode.VERBATIM)] * 45
    with pytest.raises(Invalid, match="20000 names"):
        await remember_many(Parts(), access_of(), many)  # type: ignore[arg-type]


def test_the_runs_of_a_text_are_bounded_and_prose_has_less() -> None:
    assert len(name_candidates(HOSTILE)) < MAX_CANDIDATES + 10
    prose = "On Monday Ann told the team that the old budget is spent and nobody knows why. "
    assert len(name_candidates((prose * MAX_CONTENT)[:MAX_CONTENT])) < MAX_CANDIDATES


async def test_the_graph_is_asked_for_names_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    async def find_names(_: object, __: str, keys: Sequence[str]) -> dict[str, EntityName]:
        asked.append(len(keys))
        return {key: EntityName("1", cased=True) for key in keys if key == "zoe"}

    monkeypatch.setattr(mentions.store, "find_names", find_names)
    monkeypatch.setattr(mentions, "_KEYS_AT_ONCE", 1_000)
    monkeypatch.setattr(text_work, "PIECE", 2_000)
    now = utc_now()
    written = []
    for number in range(8):
        text = " ".join(f"A{number}b{word}c" for word in range(300)) + " and Zoe."
        draft = NoteDraft(content=text)
        written.append(
            Written(note_as_said(access_of(), str(number), draft, now, HALF_LIFE_HOURS), draft)
        )
    parts = Parts()
    found = await look_up(parts, "me", written)  # type: ignore[arg-type]
    assert len(asked) >= 8
    assert max(asked) < 1_000 + 9 * 300
    assert found.known.keys() == {"zoe"}
    read = await collect_mentions(parts, "me", written, found)  # type: ignore[arg-type]
    assert [row.note_id for row in read.mentions] == [str(number) for number in range(8)]


async def test_a_bad_draft_is_an_error_of_its_own() -> None:
    found = await remember_many(
        Parts(),
        access_of(),
        [*drafts(1, " "), *drafts(1, "\0")],  # type: ignore[arg-type]
    )
    assert all(isinstance(each.error, GraphmemError) for each in found)

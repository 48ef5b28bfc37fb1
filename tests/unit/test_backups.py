"""The file of a backup: its values, its checksum, its names."""

import asyncio
import gzip
import hashlib
import json
import os
from contextlib import aclosing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import pytz
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from graphmem.domain.backups import Counts, Manifest, file_name, is_name, names_beyond
from graphmem.errors import Invalid, Unavailable
from graphmem.services.backups.files import Writer, check_file, open_whole
from graphmem.store import backups as store
from graphmem.store.backup_values import EPOCH, decode, encode, encode_instant, is_vector

BERLIN: Any = pytz.timezone("Europe/Berlin")
MANIFEST = Manifest(
    version=1,
    graphmem="1.0.0",
    made_at="2026-03-01T12:00:00+00:00",
    migrations={"0001_schema.cypher": "abc"},
    model="hash",
    dimension=64,
    embeddings=True,
)


@pytest.mark.parametrize(
    "value",
    [
        "text\n\u2028🚀",
        "",
        True,
        0,
        2**53 + 1,
        -0.0,
        0.1,
        1e300,
        float("inf"),
        [],
        [1, 2, 3],
        ["a", "b"],
        [True, False],
        [0.1] * 12,
        [0.5, 0.25] * 8,
        [1e300] * 9,
        [float("inf")] * 9,
        Date(2026, 2, 28),
        [Date(1, 1, 2), Date(9999, 12, 30)],
        Time(12, 30, 1, 5, tzinfo=timezone(timedelta(hours=-3))),
        Time(12, 30),
        DateTime(2026, 1, 2, 3, 4, 5, 123456789),
        DateTime(1, 1, 2, 0, 0, 0, 0, tzinfo=pytz.UTC),
        DateTime(9999, 12, 30, 0, 0, 0, 0, tzinfo=pytz.UTC),
        DateTime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        DateTime(2026, 10, 25, 0, 30, tzinfo=pytz.UTC).astimezone(BERLIN),
        DateTime(2026, 10, 25, 1, 30, tzinfo=pytz.UTC).astimezone(BERLIN),
        Duration(months=14, days=-2, seconds=3, nanoseconds=4),
        WGS84Point((8.5, 47.4)),
        CartesianPoint((1.0, 2.0, 3.0)),
        bytes(range(256)),
    ],
    ids=str,
)
def test_each_value_comes_back_as_it_was(value: Any) -> None:
    back = decode(json.loads(json.dumps(encode(value))))
    if isinstance(value, WGS84Point | CartesianPoint):
        assert (back.srid, tuple(back)) == (value.srid, tuple(value))
        return
    assert back == value
    assert repr(type(back)) == repr(type(value))
    if isinstance(value, DateTime | Time):
        assert back.iso_format() == value.iso_format()


def test_only_numbers_that_fit_are_written_in_32_bits() -> None:
    assert is_vector(encode([0.5] * 8))
    assert not is_vector(encode([0.1] * 8))
    assert not is_vector(encode([0.5] * 7))
    assert not is_vector(encode([1] * 8))


@pytest.mark.parametrize(
    "value", [{}, {"what": 1}, {"date": [1]}, {"f32": "?"}, None, {"a": 1, "b": 2}]
)
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no value of a property"):
        decode(value)


async def written(path: Path, *more: Any) -> Path:
    async with open_whole(path) as file:
        writer = Writer(file)
        writer.begin(MANIFEST)
        for labels in (["Note", "Current"], ["Audience"]):
            writer.counts.add_node(labels)
            writer.write([[labels, {"id": "1"}]])
        writer.counts.add_relationship("FOR")
        writer.write([[0, 1, "FOR", {}]])
        writer.write(list(more))
        writer.end()
    return path


async def test_a_whole_file_has_its_counts(tmp_path: Path) -> None:
    path = await written(tmp_path / "a.backup")
    checked = check_file(path)
    assert checked.problems == ()
    assert checked.manifest == MANIFEST
    assert checked.counts == Counts(2, 1, {"Note": 1, "Current": 1, "Audience": 1}, {"FOR": 1})
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["a.backup"]


async def test_each_changed_byte_and_each_end_is_found(tmp_path: Path) -> None:
    path = await written(tmp_path / "a.backup")
    whole = path.read_bytes()
    for place in range(10, len(whole)):  # the header of the compression says nothing
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert check_file(path).problems, place
        path.write_bytes(whole[:place])
        assert check_file(path).problems, place


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([0, 2, "FOR", {}], "an end that is not in the file"),
        ([0, -1, "FOR", {}], "an end that is not in the file"),
        ([["Note"], {}], "counts"),
        ([["Note` {x: 1})"], {}], "damaged"),
        ([0, 1, "FOR]->() DELETE", {}], "damaged"),
        ([1], "damaged"),
    ],
)
async def test_a_record_that_is_not_counted_or_no_record_is_found(
    tmp_path: Path, record: Any, problem: str
) -> None:
    path = await written(tmp_path / "a.backup", record)
    assert any(problem in each for each in check_file(path).problems)


def test_a_file_that_was_changed_and_packed_again_is_found(tmp_path: Path) -> None:
    lines = [json.dumps({"format": "graphmem-backup", **MANIFEST.__dict__}), '[["Note"], {"a": 1}]']
    text = "".join(f"{line}\n" for line in lines)
    end = {"end": Counts(1, 0, {"Note": 1}).__dict__}
    path = tmp_path / "a.backup"
    for kept, fine in ((text, True), (text.replace('"a": 1', '"a": 2'), False)):
        checksum = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
        path.write_bytes(gzip.compress((kept + json.dumps(end | checksum) + "\n").encode()))
        assert (check_file(path).problems == ()) is fine


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        ({"format": "graphmem"}, "not a backup"),
        ({"format": "graphmem-backup", "version": 2}, "newer format"),
        ({"format": "graphmem-backup", "version": 1}, "incomplete"),
    ],
)
def test_another_format_is_told(tmp_path: Path, first: Any, problem: str) -> None:
    path = tmp_path / "a.backup"
    path.write_bytes(gzip.compress((json.dumps(first) + "\n").encode()))
    [told] = check_file(path).problems
    assert problem in told


async def test_what_fails_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    path.write_text("older")

    async def fail() -> None:
        async with open_whole(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["a.backup"]
    with pytest.raises(Invalid, match="can't be written"):
        async with open_whole(tmp_path / "none" / "a.backup"):
            pass


def test_the_oldest_of_their_own_names_go() -> None:
    names = [file_name(datetime(2026, 3, day, tzinfo=UTC)) for day in (3, 1, 2)]
    others = ["graphmem-2020-01-01.backup", "x.backup", f"{names[0]}.part", f"old-{names[0]}"]
    assert names_beyond([*others, *names], 1) == sorted(names)[:2]
    assert names_beyond(names, 3) == []


def test_a_label_is_a_name() -> None:
    assert is_name("Note")
    assert is_name("RELATES_TO")
    assert not any(map(is_name, ["", "a b", "a`", "a\n", "1a", None, "a" * 101]))


@pytest.mark.parametrize(
    "text", ["1969-12-31T23:59:59.000000001", "0001-01-02T00:00", "2026-03-02T09:05:06.123456789"]
)
def test_an_instant_in_utc_is_written_alike_from_its_seconds(text: str) -> None:
    at = DateTime.from_iso_format(f"{text}+00:00")
    days = at.to_ordinal() - EPOCH.toordinal()
    hours, minutes, seconds, nanoseconds = at.hour_minute_second_nanosecond
    since = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    assert encode_instant(since, nanoseconds) == encode(at)


class Pages:
    """Stands in for a graph: later pages come sooner, and one of them not at all."""

    def __init__(self, broken: int | None = None) -> None:
        self.broken, self.asked, self.open = broken, 0, 0

    async def read_list(self, query: str, **places: Any) -> list[list[Any]]:
        number, self.asked, self.open = self.asked, self.asked + 1, self.open + 1
        try:
            for _ in range(10 - number % 4):
                await asyncio.sleep(0)
            if number == self.broken:
                raise Unavailable("away")
            return [[place, query] for place in range(places["from"], places["to"] + 1)]
        finally:
            self.open -= 1


def places_of(graph: Any, last: int) -> Any:
    return store.read_nodes(graph, store.Extent(last, -1, "store"))


async def test_pages_that_are_read_ahead_come_in_their_order() -> None:
    graph, last = Pages(), store.PAGE * 9 + 7
    found: list[int] = []
    async with aclosing(places_of(graph, last)) as pages:
        async for rows in pages:
            found += [place for place, _ in rows]
            assert graph.asked <= len(found) // store.PAGE + store.AHEAD + 1
    assert found == list(range(last + 1))
    assert [rows async for rows in places_of(graph, -1)] == []


@pytest.mark.parametrize("broken", [None, 2])
async def test_nothing_is_read_any_more_after_an_end_or_an_error(broken: int | None) -> None:
    graph, taken = Pages(broken), 0
    try:
        async with aclosing(places_of(graph, store.PAGE * 50)) as pages:
            async for _ in pages:
                taken += 1
                if broken is None and taken == 2:
                    break
    except Unavailable:
        assert broken is not None
    assert taken == 2
    asked = graph.asked
    await asyncio.sleep(0.01)
    assert (graph.asked, graph.open) == (asked, 0)

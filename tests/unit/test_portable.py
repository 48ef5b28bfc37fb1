"""Lines of an export that somebody has changed: each is taken or refused, and none breaks."""

import copy
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graphmem.domain.portable import FIELDS, Record, Shape
from graphmem.domain.portable_values import ImportOwnership, check_line
from graphmem.errors import Invalid
from graphmem.services.importing.portable.notes import given_note
from graphmem.services.importing.portable.rows import NEEDED, row_of
from graphmem.services.importing.portable.settings import given_settings

NOW = datetime(2026, 3, 2, tzinfo=UTC)
IDS = [f"019ca4ce-7600-7067-8e83-b5137e7c90{i:02}" for i in range(20)]
GOOD: dict[Shape, Any] = {
    Shape.TEXT: "kiln",
    Shape.ID: IDS[0],
    Shape.WHOLE: 1,
    Shape.NUMBER: 0.5,
    Shape.FLAG: True,
    Shape.TIME: "2026-03-01T09:00:00Z",
    Shape.TEXTS: ["kiln"],
    Shape.IDS: IDS[1:3],
    Shape.TIMES: ["2026-03-01T09:00:00Z"],
    Shape.JSON: {"a": [1, None]},
    Shape.READERS: "SCOPED/work",
    Shape.SOME_READERS: ["SCOPED/work", ""],
}
FITTING = {
    (Record.NOTE, "kind"): "EPISODIC",
    (Record.NOTE, "type"): "FACT",
    (Record.NOTE, "source"): "TOLD",
    (Record.NOTE, "validity"): "ASSERTED",
    (Record.NOTE, "visibility"): "OPEN",
    (Record.NOTE, "tier"): "DAILY",
    (Record.NOTE, "status"): "ACTIVE",
    (Record.NOTE, "halfLifeHours"): 168.0,
    (Record.NOTE, "requestOperation"): "ADD",
    (Record.NOTE, "expiresAt"): None,
    (Record.NOTE, "embedding"): None,
    (Record.USER, "defaultVisibility"): "PRIVATE",
    (Record.AGENT, "role"): "WORKER",
    (Record.AGENT, "writes"): "DIRECT",
    (Record.RULE, "visibility"): "OPEN",
    (Record.LINEAGE, "how"): "SUPERSEDES",
    (Record.CONFLICT, "verdict"): "CONTRADICTORY",
    (Record.RECALL, "profile"): "BALANCED",
}
ODD = (
    *(None, True, -1, 2**70, 0.5, float("nan"), "", "kiln", "a\x00b", "\ud800", "x" * 200_000),
    *("9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "2026-13-01", "u:other/OPEN/work"),
    *([], [[]], [None], ["x"] * 5_000, {}, {"key": "x"}, [{"key": "x", "name": "x"}]),
)


def whole(record: Record, shapes: Any) -> dict[str, Any]:
    """A line of a kind with a fitting value in each field."""
    line: dict[str, Any] = {}
    for name, shape in shapes.items():
        value = GOOD[shape] if isinstance(shape, Shape) else [whole(record, shape)]
        line[name] = FITTING.get((record, name), value)
    if record is Record.NOTE and "of" in line:
        line["of"], line["within"] = "me:kiln", ["me:kiln"]
    return {name: value for name, value in line.items() if value is not None}


def take(record: Record, line: dict[str, Any], taking: ImportOwnership) -> Any:
    """What is made of a line. Raises Invalid."""
    row = check_line({"record": record, **line}, taking)
    if record is Record.NOTE:
        return given_note(row, taking, NOW, None)
    if record is Record.USER:
        return given_settings(row)
    return row_of(record, row, taking, 0, NOW) if record in NEEDED else row


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict | list):
        for name in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[name], (*path, name))


@pytest.mark.parametrize("record", FIELDS)
@pytest.mark.parametrize("user", ["me", "other"])
def test_a_line_is_taken_or_refused(record: Record, user: str) -> None:
    taking, rng = ImportOwnership(source="me", user=user), random.Random(record)
    good = whole(record, FIELDS[record])
    take(record, good, taking)
    refused = 0
    for _ in range(400):
        line = copy.deepcopy(good)
        *path, last = rng.choice(list(places(line)))
        inner: Any = line
        for name in path:
            inner = inner[name]
        inner[last] = rng.choice(ODD)
        try:
            take(record, line, taking)
        except Invalid:
            refused += 1
    assert refused > 50


def test_ids_of_another_user_are_the_importers_own() -> None:
    one, other = ImportOwnership(source="me", user="me"), ImportOwnership(source="me", user="other")
    assert one.id(IDS[0].upper(), "id") == IDS[0]
    made = other.id(IDS[0], "id")
    assert made != IDS[0]
    assert made[:13] == IDS[0][:13]  # which tells its time
    assert (
        other.id(IDS[0], "id")
        == made
        != ImportOwnership(source="me", user="third").id(IDS[0], "id")
    )
    assert other.readers("SCOPED/work", "audience") == "u:other/SCOPED/work"
    assert other.readers("", "audience") == "u:other"
    row = check_line({"record": "link", "kind": json.loads('"a"'), "source": IDS[0]}, other)
    assert row == {"kind": "a", "source": made}

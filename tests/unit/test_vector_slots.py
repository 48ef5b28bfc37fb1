"""The two slots of vectors, and the queries for the second one."""

import re

import pytest

from graphmem.errors import Unavailable
from graphmem.resources import folder
from graphmem.store.queries import Queries
from graphmem.store.vector_slots import Embedding, VectorSlot, VectorSlots, exchange_slots

QUERIES = Queries(folder("cypher"), folder("jobs"))
NAMES = re.compile(r"\w*embedding2?\b")
COMMENT = re.compile(r"//[^\n]*")
EXCHANGED = {
    "embedding": "embedding2",
    "note_embedding": "note_embedding2",
    "passage_embedding": "passage_embedding2",
}
EXCHANGED |= {second: first for first, second in EXCHANGED.items()}


@pytest.mark.parametrize("name", QUERIES.names)
def test_the_second_slot_has_the_same_queries_with_other_names(name: str) -> None:
    text, second = QUERIES.text(name), QUERIES.in_slot(VectorSlot.SECOND).text(name)
    assert NAMES.findall(second) == [EXCHANGED[each] for each in NAMES.findall(text)]
    assert NAMES.sub("", second) == NAMES.sub("", text)
    assert exchange_slots(second) == text


@pytest.mark.parametrize("name", QUERIES.names)
def test_no_parameter_or_row_has_the_name_of_a_slot(name: str) -> None:
    """It would be exchanged, too, and the query take nothing."""
    text = COMMENT.sub("", QUERIES.text(name))
    assert not re.search(r"\$\w*embedding|\b(row|each|question)\.embedding", text)


def test_what_takes_a_vector_away_for_good_takes_both() -> None:
    for name in QUERIES.names:
        if name.startswith("meta/"):
            continue  # those are about one slot
        text = COMMENT.sub("", QUERIES.text(name))
        for variable in re.findall(r"(\w+)\.embedding = null|REMOVE (\w+)\.embedding\b", text):
            assert f"{''.join(variable)}.embedding2" in text, name


def test_in_slot_goes_there_and_back() -> None:
    second = QUERIES.in_slot(VectorSlot.SECOND)
    assert (QUERIES.slot, second.slot) == tuple(VectorSlot)
    assert second.in_slot(VectorSlot.SECOND) is second
    assert second.in_slot(VectorSlot.FIRST).text("notes/create") == QUERIES.text("notes/create")
    assert second.sets_vectors("notes/change")
    assert not second.sets_vectors("notes/load")


def test_the_record_tells_which_model_is_in_use() -> None:
    first, second = (Embedding(model=name, dimension=3) for name in ("one", "two"))
    held = [
        {"slot": slot, "model": each.model, "dimension": 3, "filled": True}
        for slot, each in zip(VectorSlot, (first, second), strict=True)
    ]
    row = {"held": held, "inUse": None, "waiting": "embedding2", "behind": False}
    slots = VectorSlots.of(row)
    slots.require_in_use(first)
    assert (slots.in_use, slots.waiting) == (VectorSlot.FIRST, VectorSlot.SECOND)
    for other in (second, Embedding(model="one", dimension=4)):
        with pytest.raises(Unavailable, match=r"runs with \w+ \(\d numbers\), which is no longer"):
            slots.require_in_use(other)
    VectorSlots.of(row | {"inUse": "embedding2"}).require_in_use(second)

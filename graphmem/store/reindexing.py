"""The record of which model each slot of vectors holds, and the filling of a slot.

Functions that take no slot work on that of the graph which they are given."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import Note
from graphmem.errors import Unavailable
from graphmem.store.backups import STILL_PAUSED
from graphmem.store.feedback import set_vectors_step as set_question_vectors_step
from graphmem.store.graph import GATE, NAME, SLOTS, Graph, Step
from graphmem.store.passages import PassageRow, passage_rows
from graphmem.store.proposals import OPEN, set_vectors_step
from graphmem.store.vector_slots import Embedding, VectorSlot, VectorSlots
from graphmem.store.vectors import to_vector

PAGE: Final = 200  # notes from which vectors are taken in one transaction
WAIT_S: Final = 3.0  # for those who write vectors, at a time; reads wait no longer, either
TRIES: Final = 20
PAUSE_S: Final = 1.0  # between tries
PAUSED_S: Final = 10.0  # longest time for which they wait while a slot comes into use


@dataclass(frozen=True, kw_only=True)
class OpenProposal:
    """An open proposal of a note that has no vector."""

    id: str
    title: str | None
    content: str


async def claim_embedding(graph: Graph, embedding: Embedding, now: datetime) -> VectorSlots:
    """Record the model of a new graph; return what is recorded."""
    await graph.write_one("meta/claim_embedding", **_given(embedding), now=now)
    return await read_slots(graph)


async def read_slots(graph: Graph) -> VectorSlots:
    """Return what the graph records of its slots."""
    return VectorSlots.of((await graph.read(SLOTS.query))[0])


async def get_embedding(graph: Graph) -> Embedding | None:
    """Return the model in use, None in a new graph."""
    used = (await read_slots(graph)).used
    return None if used is None else used.embedding


def _given(embedding: Embedding) -> dict[str, str | int]:
    return {"model": embedding.model, "dimension": embedding.dimension}


async def begin(graph: Graph, embedding: Embedding, now: datetime) -> bool:
    """Record whose vectors the slot is to get; False if it holds those of another model."""
    row = await graph.write_one("meta/begin_embedding", **_given(embedding), now=now)
    return row is not None


async def finish(graph: Graph, embedding: Embedding) -> bool:
    """Record that all notes have the vectors of the slot; False if it holds another model."""
    given = {**_given(embedding), "first": VectorSlot.FIRST}
    return await graph.write_one("meta/finish_embedding", **given) is not None


async def use(graph: Graph, embedding: Embedding) -> bool:
    """Bring the slot into use; False if it does not wait for that with this model.

    From then on, a service of another model writes no vector, and none of its writes is still going
    on. While it waits for their end, those who read notes by an index wait, too, so it tries for
    short times. Raises Unavailable."""
    for left in reversed(range(TRIES)):
        try:
            return await _use(graph, embedding)
        except Unavailable:
            if not left:
                raise
        await asyncio.sleep(PAUSE_S)
    raise AssertionError


async def _use(graph: Graph, embedding: Embedding) -> bool:
    paused = graph.pausing(
        GATE,  # first, and by nobody else within: a backup would wait for this, and this for it
        Step("meta/pause_vectors"),
        check=STILL_PAUSED,
        within_s=WAIT_S,
        longest_s=PAUSED_S,
    )
    async with paused:
        return bool(await graph.run("meta/use_embedding", **_given(embedding)))


async def settle(graph: Graph) -> None:
    """Record that what was written while the slot came into use has its vectors."""
    await graph.write_one("meta/settle_embedding")


async def drop(graph: Graph) -> bool:
    """Take the model of the slot away; False unless the other slot is in use and whole."""
    return await graph.write_one("meta/drop_embedding", first=VectorSlot.FIRST) is not None


async def forget(graph: Graph, embedding: Embedding, now: datetime) -> None:
    """Record that no note has a vector, and that those of this model are to be made."""
    given = {**_given(embedding), "first": VectorSlot.FIRST, "now": now}
    await graph.write_one("meta/forget_vectors", **given)


async def count_missing(graph: Graph) -> tuple[int, int]:
    """Count the notes of all users, and those of them without a vector."""
    row = await graph.read_one("meta/count_missing")
    return (0, 0) if row is None else (row["notes"], row["missing"])


async def set_vectors(
    graph: Graph,
    embedding: Embedding,
    notes: Sequence[Note],
    vectors: Sequence[Sequence[float]],
    passages: Mapping[str, Sequence[PassageRow]],
) -> int:
    """Give notes that are still as given their vectors and passages; return to how many. Raises
    Stale when the slot holds another model, or one of the notes was destroyed meanwhile."""
    rows = [
        {
            "id": note.id,
            "version": note.version,
            "vector": to_vector(vector),
            "passages": passage_rows(passages.get(note.id, ())),
        }
        for note, vector in zip(notes, vectors, strict=True)
    ]
    return (await _write(graph, embedding, Step("meta/set_vectors", {"rows": rows})))["notes"]


async def _write(graph: Graph, embedding: Embedding, step: Step) -> Mapping[str, int]:
    """Carry out a step while the slot holds this model."""
    held = Step("meta/hold_embedding", _given(embedding), required=True)
    return (await graph.write(held, step))[1][0]


async def list_missing_questions(graph: Graph, limit: int) -> dict[str, str]:
    """Return judged questions of all users without a vector, by id."""
    rows = await graph.read("feedback/without_vectors", limit=limit)
    return {row["id"]: row["query"] for row in rows}


async def set_question_vectors(
    graph: Graph, embedding: Embedding, vectors: Mapping[str, Sequence[float]]
) -> None:
    """Give judged questions, by id, their vectors. Raises Stale when the slot holds another
    model."""
    await _write(graph, embedding, set_question_vectors_step(vectors))


async def list_missing_proposals(graph: Graph, now: datetime, limit: int) -> list[OpenProposal]:
    """Return open proposals of all users without a vector."""
    given = {"open": list(OPEN), "now": now, "limit": limit}
    rows = await graph.read("meta/proposals_without_vectors", **given)
    return [OpenProposal(**row) for row in rows]


async def set_proposal_vectors(
    graph: Graph,
    embedding: Embedding,
    proposals: Sequence[OpenProposal],
    vectors: Sequence[Sequence[float]],
) -> None:
    """Give open proposals their vectors. Raises Stale when the slot holds another model."""
    pairs = zip(proposals, vectors, strict=True)
    made = {each.id: (each.content, vector) for each, vector in pairs}
    await _write(graph, embedding, set_vectors_step(made))


async def create_indexes(graph: Graph, dimension: int) -> None:
    """Create the vector indexes of the slot, of notes and of passages, unless they exist."""
    await graph.run("meta/create_vector_index", dimension=dimension)
    await graph.run("meta/create_passage_index", dimension=dimension)


async def drop_indexes(graph: Graph) -> None:
    """Drop the vector indexes of the slot if they exist."""
    await graph.run("meta/drop_vector_index")
    await graph.run("meta/drop_passage_index")


async def clear(graph: Graph) -> bool:
    """Take all vectors of a slot away; False if it has a model."""
    reached: str | None = ""
    while reached is not None:
        row = await graph.write_one("meta/clear_vectors", after=reached, limit=PAGE)
        if row is None:
            return False
        reached = row["reached"]
    while (row := await graph.write_one("meta/clear_other_vectors", limit=PAGE)) is not None:
        if row["cleared"] == 0:
            return True
    return False


def connection_name(slot: VectorSlot) -> str:
    """Return the name by which connections of a service on this slot are known."""
    return f"{NAME} on {slot}"


async def is_served(graph: Graph, slot: VectorSlot) -> bool:
    """Return True if a service that uses a slot is connected."""
    return connection_name(slot) in await graph.read_list("meta/connections")

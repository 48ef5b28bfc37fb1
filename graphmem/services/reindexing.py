"""Changes the embedding model while services run.

The graph has two slots of vectors. `reindex` fills the one that is not in use, while services run
that use the other one. A service that starts with the new model embeds what was written since then,
and brings the slot into use. From then on services of the former model write no vectors. What they
had stays, until it is dropped.

Each slot has the vectors of one model. A note whose text changes loses its vector in the other
slot, so that a vector that is there is always one of the present text."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from graphmem.ai.embedder import Embedder
from graphmem.domain.notes import Note
from graphmem.errors import Conflict, Misconfigured, Stale, Unavailable
from graphmem.language.questions import without_courtesy
from graphmem.services.context import Clock
from graphmem.services.recall.question_vectors import question_vector
from graphmem.services.text_work import TextWork
from graphmem.services.writing.passages import passages_of
from graphmem.store import meta
from graphmem.store import reindexing as store
from graphmem.store.graph import Graph
from graphmem.store.vector_slots import Embedding, VectorSlot, VectorSlots

INDEXES_S: Final = 3600  # seconds to wait for indexes
ATTEMPTS: Final = 5  # attempts while several replicas make the same index
AGAIN_S: Final = 0.5  # seconds until the next one
BATCH: Final = 200  # notes embedded again in one transaction
LETTERS = 200_000  # letters of such notes: about 900 passages, each with a vector
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SlotState:
    """A slot with its model; `missing`: the notes that have no vector in it. One that is `waiting`
    comes into use when a service starts with its model."""

    slot: VectorSlot
    embedding: Embedding
    filled: bool
    in_use: bool
    waiting: bool
    missing: int


@dataclass(frozen=True)
class ReindexState:
    """The number of notes, and the slots that hold a model, that in use first."""

    notes: int
    slots: tuple[SlotState, ...]


def embedding_of(embedder: Embedder) -> Embedding:
    """Return the model of an embedder that is ready."""
    return Embedding(model=embedder.model_id, dimension=embedder.dimension)


def usable_slot(slots: VectorSlots, embedding: Embedding) -> VectorSlot:
    """Return the slot of a model with which a service may start: the one in use, or the one that
    waits to come into use.

    Raises Misconfigured."""
    slot, used = slots.slot_of(embedding), slots.used
    if slot is not None and slot is slots.waiting:
        return slot
    if slot is not None and slot is slots.in_use and slots.held[slot].filled:
        return slot
    if slot is not None and not slots.held[slot].filled:
        raise Misconfigured(
            f"`graphmem reindex` to {embedding.model} was not finished, so some notes have no "
            "usable vector: run `graphmem reindex` again"
        )
    made = "nothing usable" if used is None else used.embedding
    raise Misconfigured(
        f"the vectors in use were made by {made}, but GRAPHMEM_EMBEDDER is {embedding}: set it "
        "back, or run `graphmem reindex`, which makes those of the other model and keeps them"
    )


async def require_in_use(graph: Graph, embedder: Embedder) -> None:
    """Raise Unavailable if another model than this one is in use."""
    (await store.read_slots(graph)).require_in_use(embedding_of(embedder))


async def make_indexes(graph: Graph, dimension: int) -> None:
    """Make the vector indexes of the graph's slot, and wait for all but those of the other slot.

    Raises Unavailable."""
    for attempt in range(ATTEMPTS):
        try:
            await store.create_indexes(graph, dimension)
            break
        except Unavailable:  # another replica holds the schema's lock
            if attempt == ATTEMPTS - 1:
                raise
            await asyncio.sleep(AGAIN_S)
    for _ in range(INDEXES_S * 10):
        if (await meta.read_health(graph)).pending == 0:
            return
        await asyncio.sleep(0.1)
    raise Unavailable("the indexes are still being built; try again")


async def reindex(
    graph: Graph,
    embedder: Embedder,
    clock: Clock,
    progress: Progress = lambda notes, total: None,
) -> int:
    """Give all notes vectors of this model and keep those in use; return how many notes got one.

    Services may run and write meanwhile. Run again after a crash, it continues where it stopped.
    With the model in use it embeds all notes again in their place. `progress` gets the size of each
    batch, and how many notes this call embeds in all. Raises Misconfigured where both slots hold
    other models, and Unavailable.
    """
    await embedder.ready()
    embedding = embedding_of(embedder)
    slots = await store.read_slots(graph)
    if slots.used is None:
        slots = await store.claim_embedding(graph, embedding, clock())
    slot = slots.slot_of(embedding)
    again = slot is slots.in_use and slots.used is not None and slots.used.filled
    if slot is None:
        slot = slots.in_use.other
        if slot in slots.held:
            raise Misconfigured(
                f"both places for vectors are taken, by {slots.held[slots.in_use].embedding} and "
                f"{slots.held[slot].embedding}: run `graphmem reindex --drop` to let go of the "
                "second one"
            )
        await _begin(graph.in_slot(slot), embedding, clock)
    graph = graph.in_slot(slot)
    filling = _Filling(graph, embedder, clock)
    done = await filling.fill_notes(progress, again=again)
    await filling.fill_others()
    await make_indexes(graph, embedding.dimension)
    done += await filling.fill_notes()  # what was written while the index was built
    if not await store.finish(graph, embedding):
        raise _replaced(embedding)
    return done


async def _begin(graph: Graph, embedding: Embedding, clock: Clock) -> None:
    """Take a free slot for a model, and what is left of an earlier one out of it."""
    await store.drop_indexes(graph)
    if not (await store.clear(graph) and await store.begin(graph, embedding, clock())):
        raise Conflict("somebody else has begun to reindex to another model")


def _replaced(embedding: Embedding) -> Misconfigured:
    return Misconfigured(f"the vectors of {embedding} were dropped meanwhile")


async def bring_into_use(graph: Graph, embedder: Embedder, clock: Clock) -> None:
    """Bring the slot of the graph into use, if it waits, and embed what was written meanwhile.

    Raises Misconfigured if it was dropped, and Unavailable."""
    filling, embedding = _Filling(graph, embedder, clock), embedding_of(embedder)
    await filling.fill_notes()
    await filling.fill_others()
    if not await store.use(graph, embedding):
        usable_slot(await store.read_slots(graph), embedding)  # unless another service has done it
    await filling.fill_notes()  # what others wrote up to that moment
    await filling.fill_others()
    await store.settle(graph)


class _Filling:
    """Makes the vectors that are missing in the slot of a graph."""

    def __init__(self, graph: Graph, embedder: Embedder, clock: Clock) -> None:
        self._graph, self._embedder, self._clock = graph, embedder, clock
        self._embedding = embedding_of(embedder)

    async def fill_notes(
        self, progress: Progress = lambda notes, total: None, *, again: bool = False
    ) -> int:
        """Embed all notes without a vector, or all there are; return how many got one.

        Notes that are written meanwhile come in the next round; there is one until none is left."""
        notes, missing = await store.count_missing(self._graph)
        total = notes if again else missing
        done, left = 0, total > 0
        with closing(TextWork(threads=1)) as texts:
            while left:
                after, left = "", False
                while batch := _first_batch(
                    await meta.notes_after(self._graph, after, BATCH, missing=not again)
                ):
                    after, left = max(note.id for note in batch), not again
                    done += await self._embed(batch, texts)
                    progress(len(batch), total)
        return done

    async def _embed(self, batch: list[Note], texts: TextWork) -> int:
        vectors = await self._embedder.embed_documents([note.reading_text for note in batch])
        passages = await passages_of(self._embedder, batch, texts)
        try:
            return await store.set_vectors(self._graph, self._embedding, batch, vectors, passages)
        except Stale:
            await self._require_slot()
            return 0  # one of them was destroyed meanwhile; the others come in the next round

    async def fill_others(self) -> None:
        """Embed judged questions and open proposals without a vector."""
        graph, embedder, embedding = self._graph, self._embedder, self._embedding
        try:
            while asked := await store.list_missing_questions(graph, BATCH):
                vectors = {
                    i: await question_vector(embedder, without_courtesy(query))
                    for i, query in asked.items()
                }
                await store.set_question_vectors(graph, embedding, vectors)
            while made := await store.list_missing_proposals(graph, self._clock(), BATCH):
                texts = [f"{p.title}\n{p.content}" if p.title else p.content for p in made]
                found = await embedder.embed_documents(texts)
                await store.set_proposal_vectors(graph, embedding, made, found)
        except Stale:
            await self._require_slot()
            await self.fill_others()

    async def _require_slot(self) -> None:
        """Raise Misconfigured if the slot holds another model by now."""
        slots = await store.read_slots(self._graph)
        if slots.slot_of(self._embedding) is not self._graph.slot:
            raise _replaced(self._embedding)


def _first_batch(notes: list[Note]) -> list[Note]:
    """Return the first of the notes, at least one, whose passages fit into one transaction."""
    lengths = accumulate(len(note.content) for note in notes)
    return notes[: max(1, sum(length <= LETTERS for length in lengths))]


async def read_state(graph: Graph) -> ReindexState:
    """Return which models the slots hold, and how far they are filled."""
    slots, found, notes = await store.read_slots(graph), list[SlotState](), 0
    for slot in (slots.in_use, slots.in_use.other):
        if (held := slots.held.get(slot)) is not None:
            notes, missing = await store.count_missing(graph.in_slot(slot))
            in_use, waiting = slot is slots.in_use, slot is slots.waiting
            found.append(SlotState(slot, held.embedding, held.filled, in_use, waiting, missing))
    return ReindexState(notes, tuple(found))


async def drop(graph: Graph) -> Embedding | None:
    """Let go of the vectors that are not in use; return the model that made them, None if there
    was none. What an interrupted call has left goes, too.

    Raises Conflict where a service still uses them, or those in use are not whole.
    """
    slots = await store.read_slots(graph)
    slot = slots.in_use.other
    held = slots.held.get(slot)
    if held is not None:
        if await store.is_served(graph, slot):
            raise Conflict(f"a service still runs with {held.embedding}: stop it first")
        if not await store.drop(graph.in_slot(slot)):
            raise Conflict(
                f"not all notes have vectors but those of {held.embedding}: start the service, "
                "or run `graphmem reindex`, with the other model first"
            )
    await store.drop_indexes(graph.in_slot(slot))
    if not await store.clear(graph.in_slot(slot)):
        raise Conflict("another process started to reindex in the meantime")
    return None if held is None else held.embedding

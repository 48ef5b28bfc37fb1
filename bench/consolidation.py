"""How long the night of one user's memory takes, and how long a writer waits for it meanwhile.

    python -m bench.consolidation FOLDER [--notes 5000] [--embedder all-MiniLM-L6-v2]

The folder must be empty. The episodes are of one day and one audience, about as many topics as a
tenth of them, in words that are drawn anew; half of them add a number.
"""

import argparse
import asyncio
import random
import statistics
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Kind, Note, NoteDraft
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.words import words_of
from graphmem.settings import load_settings
from graphmem.store import notes as store
from graphmem.store.changes import create_step
from graphmem.store.rows import CreateRow, RevisionRow

THINGS = "kiln press lathe oven loom saw pump crane drill boiler furnace mixer".split()
PLACES = "shed cellar yard hall attic barn dock office studio garage".split()
DOINGS = "overheats|leaks oil|makes noise|needs a filter|was cleaned|stands still".split("|")
NAMES = "Ida Bruno Carla Dario Edda Fabio Greta Hugo".split()
BATCH = 250
HALF_LIFE = 168.0


def texts(count: int, rng: random.Random) -> list[str]:
    """The episodes: each about one of the topics."""
    topics = [
        (rng.choice(NAMES), rng.choice(THINGS), rng.choice(PLACES), rng.choice(DOINGS))
        for _ in range(max(count // 10, 1))
    ]
    found = []
    for _ in range(count):
        name, thing, place, doing = rng.choice(topics)
        said = f"{name} says that the {thing} in the {place} {doing}."
        found.append(said if rng.random() < 0.5 else f"{said} It is number {rng.randint(1, 99)}.")
    return found


async def fill(context: Context, user: str, count: int) -> list[str]:
    """Write the episodes; their ids."""
    rng, now = random.Random(7), context.clock()
    access = await open_access(context, user, None, register=True)
    said = texts(count, rng)
    ids: list[str] = []
    for start in range(0, count, BATCH):
        made = []
        for text in said[start : start + BATCH]:
            at = now - timedelta(hours=rng.uniform(0, 20))
            note = note_as_said(access, uuid7(at), NoteDraft(content=text), at, HALF_LIFE)
            made.append(replace(note, context=text, kind=Kind.EPISODIC, created_at=at))
        await _write(context, user, made)
        ids += [note.id for note in made]
    return ids


async def _write(context: Context, user: str, made: list[Note]) -> None:
    vectors = await context.embedder.embed_documents([note.reading_text for note in made])
    rows = [
        CreateRow(
            note=note,
            properties={"words": words_of(note), "givenTags": [], "givenKeywords": []},
            embedding=vector,
            revisions=[RevisionRow(version=1, content=note.content, changes={})],
        )
        for note, vector in zip(made, vectors, strict=True)
    ]
    step = create_step(rows, user=user, actor="bench", now=context.clock())
    await context.graph.write(step)


async def measure(folder: Path, notes: int, model: str) -> None:
    """Print what the night took."""
    settings = load_settings({"data": folder, "embedder": model})
    embedder = create_embedder(model)
    async with (
        open_server(settings) as address,
        connect_context(settings, embedder, address, patience_s=60) as context,
    ):
        ids = await fill(context, "bench", notes)
        ended = asyncio.Event()
        beside = asyncio.create_task(_beside(context, ids, ended))
        began = time.perf_counter()
        run = await run_job(context, "consolidate_memory")
        took = time.perf_counter() - began
        ended.set()
        waits = sorted(await beside)
        counts = ", ".join(f"{name} {count:,}" for name, count in run.counts.items())
        print(f"{notes:,} episodes: {took:.1f} s ({run.status}); {counts}")
        print(
            f"a write beside it: p50 {1000 * statistics.median(waits):.1f} ms, "
            f"p99 {1000 * waits[int(0.99 * len(waits))]:.1f} ms, most {1000 * waits[-1]:.1f} ms"
        )
        began = time.perf_counter()
        run = await run_job(context, "consolidate_memory")
        print(f"again: {time.perf_counter() - began:.1f} s, created {run.counts['created']}")
    await embedder.close()


async def _beside(context: Context, ids: list[str], ended: asyncio.Event) -> list[float]:
    """Seconds of each of some writes that lock one note."""
    waits = []
    while not ended.is_set():
        began = time.perf_counter()
        await context.graph.write(store.reinforce_step({random.choice(ids): ()}, 1.0))
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.02)
    return waits


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--embedder", default="all-MiniLM-L6-v2")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(measure(given.folder, given.notes, given.embedder))


if __name__ == "__main__":
    main()

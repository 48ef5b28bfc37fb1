"""Measures whom a task is routed to, in a made organisation, beside simpler ways to find an expert.

    python -m bench.routing --notes 50000 --seeds 1,2,3 --store DIR

30 agents of 10 users, who share a domain with one team, write about 60 topics, of each of which two
of them know; half of the topics pass to others in the middle of the time. A third of the notes are
about what their writer does not know. The tasks are worded otherwise than the notes and asked by a
member of the team who wrote nothing; twelve are about what nobody wrote of. Of one note in twenty
it was found whether it helped. `--store` keeps the vectors and the graph of each seed, so that a
further run only asks. Reported: how often an expert of now is first (top-1), among the first three,
the mean reciprocal rank, how far the confidence is from how often it is right (ECE, ten bins, each
of them below), how often it is "nobody" where nobody knows ("nobody"), and where somebody does
("silent"); and the milliseconds of `route`, which mean nothing on a busy machine.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.routing.models import Models
from bench.routing.organisation import AGENTS, NOW, USERS, Organisation, Written, organisation
from graphmem.ai.embedder import DEFAULT_MODEL, Embedder
from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, open_server
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.routing.routing import route
from graphmem.services.teams.sharing import share_domain
from graphmem.services.teams.teams import register_team
from graphmem.services.writing.remember import remember_many
from graphmem.services.writing.words import words_of
from graphmem.settings import load_settings
from graphmem.store.changes import create_step
from graphmem.store.rows import CreateRow, RevisionRow

BATCH = 500
AHEAD = 2_000  # texts that are encoded before the file is written
BINS = 10
VECTORS = "vectors.npz"  # of a kept store
DATED = """UNWIND $rows AS row MATCH (n:Note {id: row.id})
SET n.createdAt = row.at, n.accessTimes = [],
    n.helpedAt = CASE WHEN row.helped THEN [row.at] END,
    n.failedAt = CASE WHEN NOT row.helped THEN [row.at] END"""


class Known:
    """An embedder that keeps what it encoded, for those that routing is compared with."""

    def __init__(self, inner: Embedder) -> None:
        """Wrap a model."""
        self._inner, self.kept = inner, dict[str, list[float]]()
        self.embed_query, self.count_tokens = inner.embed_query, inner.count_tokens
        self.ready, self.close = inner.ready, inner.close

    async def prepare(self, texts: Sequence[str], file: Path) -> None:
        """Encode texts ahead; what is in the file is not encoded again."""
        self._read(file)
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        for start in range(0, len(new), AHEAD):
            await self.embed_documents(new[start : start + AHEAD])
            self._save(file)
            print(f"encoded {min(start + AHEAD, len(new)):,} of {len(new):,}", flush=True)

    def _read(self, file: Path) -> None:
        if file.exists():
            found = np.load(file)
            self.kept |= dict(zip(found["texts"].tolist(), found["vectors"].tolist(), strict=True))

    def _save(self, file: Path) -> None:
        vectors = np.array(list(self.kept.values()), dtype=np.float32)
        np.savez(file, texts=np.array(list(self.kept)), vectors=vectors)

    @property
    def model_id(self) -> str:
        """That of the model."""
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        """That of the model."""
        return self._inner.dimension

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Encode what is new."""
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        vectors = await self._inner.embed_documents(new) if new else []
        self.kept |= dict(zip(new, vectors, strict=True))
        return [self.kept[text] for text in texts]


@dataclass
class Tally:
    """How one way of routing did."""

    ranks: list[int] = field(default_factory=list)  # of the first expert; 0: not found
    sure: list[tuple[float, bool]] = field(default_factory=list)
    nobody: list[bool] = field(default_factory=list)  # where nobody knows
    silent: int = 0  # where somebody does

    def found(self, order: Sequence[int], experts: Sequence[int]) -> None:
        """Count an answer to what somebody knows."""
        places = [place for place, agent in enumerate(order, 1) if agent in experts]
        self.ranks.append(places[0] if places else 0)
        self.silent += not order

    def share(self, first: int) -> float:
        """How often an expert is among the first."""
        return statistics.fmean(0 < rank <= first for rank in self.ranks)

    @property
    def reciprocal(self) -> float:
        """The mean reciprocal rank."""
        return statistics.fmean(1 / rank if rank else 0.0 for rank in self.ranks)

    @property
    def bins(self) -> list[tuple[float, float, int]]:
        """Mean confidence, share of right answers and number of answers, by confidence."""
        bins = defaultdict[int, list[tuple[float, bool]]](list)
        for sure, right in self.sure:
            bins[min(BINS - 1, int(sure * BINS))].append((sure, right))
        mean = statistics.fmean
        return [
            (mean(sure for sure, _ in each), mean(right for _, right in each), len(each))
            for _, each in sorted(bins.items())
        ]

    @property
    def error(self) -> float:
        """The expected calibration error; nothing without confidences."""
        gaps = (count * abs(sure - right) for sure, right, count in self.bins)
        return sum(gaps) / len(self.sure) if self.sure else float("nan")


async def fill(context: Context, made: Organisation, names: Mapping[int, str], team: str) -> Access:
    """Write what the organisation wrote, let each user share it; the access of who asks."""
    asker = f"asker{team}"
    people = [f"{team}user{i}" for i in range(USERS)]
    access = {user: await open_access(context, user, None, register=True) for user in people}
    asking = await open_access(context, asker, None, register=True, admin=True)
    await register_team(context, asking, team, None, [asker, *people])
    for user in people:
        own = await open_access(context, user, None)
        await share_domain(context, own, "work", team, share=True, expires_at=None)
        access[user] = own
    by_agent = defaultdict[int, list[Any]](list)
    for note in made.notes:
        by_agent[note.agent].append(note)
    for agent, notes in by_agent.items():
        who = await open_access(context, people[agent % USERS], names[agent], register=True)
        first = list({note.area: note for note in notes}.values())
        like = {
            note.area: made
            for note, made in zip(first, await _write(context, who, first), strict=True)
        }
        rest = [note for note in notes if note not in first]
        for start in range(0, len(rest), BATCH):
            await _write_like(context, who, like, rest[start : start + BATCH])
    return await open_access(context, asker, None)


async def _write(context: Context, who: Access, batch: Sequence[Written]) -> list[Note]:
    """Notes through the service."""
    drafts = [
        (
            NoteDraft(content=note.text, domain=f"work/{note.area}", visibility=Visibility.SCOPED),
            WriteMode.VERBATIM,
        )
        for note in batch
    ]
    first: datetime = batch[0].at
    written = await remember_many(replace(context, clock=lambda: first), who, drafts)
    made = [done.note for done in written if done.note is not None]
    await _date(context, made, batch)
    return made


async def _write_like(
    context: Context, who: Access, like: Mapping[str, Note], batch: Sequence[Written]
) -> None:
    """Notes with all that VERBATIM writes but events and mentions, straight to the graph."""
    made = [
        replace(
            like[note.area],
            id=uuid7(note.at),
            content=note.text,
            created_at=note.at,
            updated_at=note.at,
        )
        for note in batch
    ]
    vectors = await context.embedder.embed_documents([note.content for note in made])
    rows = [
        CreateRow(
            note=note,
            properties={"words": words_of(note), "visibilityByUser": False},
            embedding=vector,
            revisions=[RevisionRow(version=1, changes={})],
        )
        for note, vector in zip(made, vectors, strict=True)
    ]
    viewer = who.viewer
    step = create_step(rows, user=viewer.user, actor=viewer.actor, now=batch[0].at)
    await context.graph.write(step, timeout_s=120)
    await _date(context, made, batch)


async def _date(context: Context, made: Sequence[Note], batch: Sequence[Written]) -> None:
    """Give notes their times and what was found of them."""
    rows = [
        {"id": done.id, "helped": note.helped, "at": note.at}
        for done, note in zip(made, batch, strict=True)
    ]
    async with context.graph._session() as session:  # pyright: ignore[reportPrivateUsage]
        await (await session.run(DATED, rows=rows)).consume()


async def measure(
    context: Context, embedder: Known, seed: int, count: int, store: Path
) -> dict[str, Tally]:
    """One organisation: how each way did, and the milliseconds of a route."""
    made = organisation(seed, count)
    await embedder.prepare([note.text for note in made.notes], store / VECTORS)
    names = {agent: f"agent{agent}" for agent in range(AGENTS)}
    filled = store / f"seed-{seed}-{count}.filled"
    if filled.exists():
        asking = await open_access(context, f"askert{seed}", None)
    else:
        asking = await fill(context, made, names, f"t{seed}")
        filled.touch()
    vectors = np.array([embedder.kept[note.text] for note in made.notes])
    models = Models(made.notes, vectors, seed)
    tallies = defaultdict[str, Tally](Tally)
    context = replace(context, clock=lambda: NOW)
    numbers = {name: agent for agent, name in names.items()}
    print(f"seed {seed}: {count} notes are written", flush=True)
    times = []
    for topic in made.topics:
        for task in topic.tasks:
            began = time.perf_counter()
            advice = await route(context, asking, task)
            times.append(1000 * (time.perf_counter() - began))
            experts = [each for each in (advice.expert, *advice.alternatives) if each]
            order = [numbers[each.agent.id] for each in experts if each.agent]
            await _compare(context, models, tallies, task, made.experts.get(topic.name))
            own = tallies["graphmem"]
            if not topic.notes:
                own.nobody.append(not order)
                continue
            knowing = made.experts[topic.name]
            own.found(order, knowing)
            if advice.expert:
                own.sure.append((advice.expert.confidence, order[0] in knowing))
    times.sort()
    print(
        f"seed {seed}: route p50 {times[len(times) // 2]:.0f} p95 {times[-len(times) // 20]:.0f} ms"
    )
    return tallies


async def _compare(
    context: Context,
    models: Models,
    tallies: Mapping[str, Tally],
    task: str,
    experts: Sequence[int] | None,
) -> None:
    if experts is None:
        return
    vector = np.array(await context.embedder.embed_query(task))
    for name, score in models.by_name.items():
        scores = score(task, vector)
        tallies[name].found(sorted(scores, key=lambda a: (-scores[a], a)), experts)


async def run(notes: int, seeds: Sequence[int], kept: Path | None) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        store = kept or Path(folder)
        store.mkdir(parents=True, exist_ok=True)
        settings = load_settings({"data": store / "graph"})
        embedder = Known(create_embedder(DEFAULT_MODEL))
        async with (
            open_server(settings) as address,
            connect_context(settings, embedder, address, patience_s=60) as context,
        ):
            found = [await measure(context, embedder, seed, notes, store) for seed in seeds]
    print(f"{'':26}{'top-1':>16}{'top-3':>8}{'MRR':>8}{'ECE':>8}{'nobody':>8}{'silent':>8}")
    for name in found[0]:
        each = [tallies[name] for tallies in found]
        mean = statistics.fmean
        firsts = "/".join(f"{100 * t.share(1):.0f}" for t in each)
        row = [mean(t.share(3) for t in each), mean(t.reciprocal for t in each)]
        if name == "graphmem":
            row += [mean(t.error for t in each), mean(mean(t.nobody) for t in each)]
            row += [mean(t.silent / len(t.ranks) for t in each)]
        print(f"{name:26}{firsts:>16}" + "".join(f"{value:8.3f}" for value in row))
    whole = Tally(sure=[each for tallies in found for each in tallies["graphmem"].sure])
    for sure, right, count in whole.bins:
        print(f"confidence {sure:.2f}: right {right:.2f} of {count}")


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=50_000)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--store", type=Path, help="keep graph and vectors here for later runs")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    asyncio.run(run(options.notes, seeds, options.store))


if __name__ == "__main__":
    main()

"""The job `maintain_memory` on a real graph: when it works on a user, and what it settles."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from aged_notes import JobHeartbeat, World
from living_notes import own
from own_batches import keep_batches_to

from graphmem.domain.notes import Note, Status, Validity
from graphmem.domain.profiles.recency import RELATED
from graphmem.services.context import Context
from graphmem.services.jobs import maintenance as job
from graphmem.services.jobs import relating
from graphmem.services.jobs.maintenance import maintain_memory
from graphmem.services.jobs.relating import relate_notes
from graphmem.services.tracking import steps_of
from graphmem.store import maintenance as store

LINKS = """MATCH (n:Note {user: $user})-[:LINKS_TO {kind: $kind}]->(m:Note)
RETURN [n.id, m.id] AS ends"""
READ_FOR = ("maintain", "resolve")


class Upkeep(World):
    """One user's notes, recalls and maintenance."""

    async def run(self, work: Any = maintain_memory, *, by_hand: bool = True) -> dict[str, int]:
        beat: Any = JobHeartbeat(by_hand=by_hand)
        return dict(await work(self.service, beat))

    async def recall(self, *notes: str, times: int = 1) -> None:
        for _ in range(times):
            self.now += timedelta(seconds=1)
            await self.context.graph.write(*steps_of([self.recalled(*notes)]))

    async def graph_links(self) -> list[tuple[str, ...]]:
        """The ends of each related link, whichever way it goes."""
        driver = self.context.graph._driver  # pyright: ignore[reportPrivateUsage]
        found = await driver.execute_query(LINKS, user=self.user, kind=RELATED)
        return [tuple(sorted(row["ends"])) for row in found.records]

    async def alike(self, cosine: float, **given: Any) -> tuple[Note, Note]:
        """Two notes that say the same, with vectors that are so near; the older one first."""
        rest = [0.0] * (self.context.embedder.dimension - 2)
        many = [
            {"vector": [1.0, 0.0, *rest], "hours": 2.0},
            {"vector": [cosine, (1 - cosine**2) ** 0.5, *rest], "hours": 1.0},
        ]
        usual = {"content": "The kiln is hot.", "context": "a kiln", "validity": Validity.INFERRED}
        one, other = await self.notes([usual | given | each for each in many])
        return one, other


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Upkeep:
    made = Upkeep(context, new_user())
    keep_batches_to(monkeypatch, lambda: [made.user])
    for name in [f"users_to_{what}" for what in READ_FOR]:
        mine = own(getattr(store, name), lambda: made.user, lambda row: row["user"])
        monkeypatch.setattr(store, name, mine)
    return made


@pytest.mark.feature("L3-17")
async def test_a_user_is_maintained_after_25_recalls(world: Upkeep) -> None:
    note = await world.note()
    await world.recall(note, times=24)
    assert (await world.run(by_hand=False))["users"] == 0
    await world.recall(note)
    assert (await world.run(by_hand=False))["users"] == 1
    assert (await world.run(by_hand=False))["users"] == 0
    assert (await world.run())["users"] == 1


@pytest.mark.feature("L3-T23", "L3-17")
async def test_near_copies_are_counted_and_settled(world: Upkeep) -> None:
    older, newer = await world.alike(0.91)
    counts = await world.run()
    assert (counts["dedupCandidates"], counts["deprecated"]) == (1, 1)
    assert (await world.load(older.id)).validity is Validity.DEPRECATED
    assert (await world.load(newer.id)).status is Status.ACTIVE
    assert (await world.run())["dedupCandidates"] == 0


@pytest.mark.feature("L3-T23")
async def test_what_is_less_near_is_no_copy(world: Upkeep) -> None:
    await world.alike(0.89)
    assert (await world.run())["dedupCandidates"] == 0


@pytest.mark.feature("L3-17")
async def test_what_is_recalled_together_is_counted(world: Upkeep) -> None:
    one, other = await world.note(), await world.note()
    await world.recall(one, other, times=5)
    assert (await world.run())["clusterCandidates"] == 0
    await world.recall(one, other)
    assert (await world.run())["clusterCandidates"] == 1


@pytest.mark.feature("L3-T23")
async def test_near_copies_are_settled_at_a_time_of_their_own(world: Upkeep) -> None:
    older, newer = await world.alike(0.91)
    counts = await world.run(job.resolve_duplicates, by_hand=False)
    assert (counts["users"], counts["dedupCandidates"], counts["deprecated"]) == (1, 1, 1)
    assert (await world.load(older.id)).validity is Validity.DEPRECATED
    assert (await world.load(newer.id)).status is Status.ACTIVE
    counts = await world.run(job.resolve_duplicates, by_hand=False)
    assert counts["dedupCandidates"] == 0


async def test_related_notes_are_linked_at_a_time_of_their_own(world: Upkeep) -> None:
    for content in ("Ash glaze ran.", "Cone six held."):
        await world.note(content=content, tags=("glaze", "kiln", "test"))
    counts = await world.run(relate_notes, by_hand=False)
    assert (counts["audiences"], counts["linksMade"]) == (1, 1)
    assert (await world.run(relate_notes))["linksMade"] == 0
    assert (await world.run())["relatedLinks"] == 1  # both jobs mean the same links
    assert (await world.run())["linksRemoved"] == 0


async def test_a_job_looks_at_what_is_new_since_its_last_run_that_did_everything(
    world: Upkeep, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def since(*_: Any) -> Any:
        return world.now - timedelta(hours=2)

    for module in (job, relating):
        monkeypatch.setattr(module, "since_last_run", since)
    counted = ((job.resolve_duplicates, "users"), (relate_notes, "audiences"))
    await world.note(hours=3.0)
    for work, name in counted:
        assert (await world.run(work))[name] == 0
    await world.note(hours=1.0)
    for work, name in counted:
        assert (await world.run(work))[name] == 1


async def test_two_jobs_that_relate_at_the_same_time_make_each_link_once(world: Upkeep) -> None:
    for i in range(4):
        vector = [float(place == i) for place in range(world.context.embedder.dimension)]
        tags = ("glaze", "kiln", "test")
        await world.note(content=f"Glaze {i} ran.", tags=tags, vector=vector)
    await asyncio.gather(*(world.run(work) for work in (relate_notes, maintain_memory) * 3))
    counts = await world.run(relate_notes)
    assert (counts["relatedLinks"], counts["linksMade"], counts["linksRemoved"]) == (6, 0, 0)
    notes = await world.graph_links()
    assert len(notes) == len(set(notes)) == 6

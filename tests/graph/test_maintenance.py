"""The job `maintain_memory` on a real graph: when it works on a user, and what it settles."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from aged_notes import Beat, World

from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Note, Status, Validity
from graphmem.services.context import Context
from graphmem.services.jobs import maintenance as job
from graphmem.services.jobs.maintenance import maintain_memory
from graphmem.services.tracking import Recalled, steps_of
from graphmem.store.jobs import users_to_maintain


class Upkeep(World):
    """One user's notes, recalls and maintenance."""

    async def run(self, *, by_hand: bool = True) -> dict[str, int]:
        beat: Any = Beat(by_hand=by_hand)
        return dict(await maintain_memory(self.service, beat))

    async def recall(self, *notes: str, times: int = 1) -> None:
        for _ in range(times):
            self.now += timedelta(seconds=1)
            recalled = Recalled(
                id=uuid7(self.now),
                user=self.user,
                agent=None,
                query="kiln",
                at=self.now,
                strategy="HYBRID",
                profile="BALANCED",
                domain="general",
                hits=tuple((note, 1.0) for note in notes),
            )
            await self.context.graph.write(*steps_of([recalled]))

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

    async def own(*args: Any, **given: Any) -> Any:
        rows = await users_to_maintain(*args, **given | {"limit": 100_000})
        return [row for row in rows if row["user"] == made.user]

    monkeypatch.setattr(job, "users_to_maintain", own)
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

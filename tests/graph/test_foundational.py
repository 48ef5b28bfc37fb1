"""What is foundational stays as it is, whichever job runs."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from living_notes import Living, of_one_user
from test_job_faults import CHANGING

from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import Kind, Tier
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.services.context import Context


@pytest.mark.feature("TIER-1")
async def test_no_job_touches_what_is_foundational(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_user, world = of_one_user(monkeypatch), Living(context, new_user())
    world.numbers = replace(Ranking(), tiered=Tiered(enabled=True))
    await world.fill()
    stays = {"tier": Tier.FOUNDATIONAL, "half_life_hours": None, "hours": 9_000.0}
    many = [
        stays | {"content": "Be kind.", "load_bearing": True},
        stays | {"content": "Be kind to all."},
        stays | {"content": "The kiln 1 overheats.", "kind": Kind.EPISODIC, "pinned": True},
    ]
    ids = [note.id for note in await world.notes(many)]
    before = [await world.load(note) for note in ids]
    of_user(world.user)
    for _ in range(2):
        for job in CHANGING:
            if job != "erase_users":  # whoever is erased keeps nothing
                done = await world.go_on(await world.begin(job), job)
                assert done.status is RunStatus.DONE
        world.now += timedelta(days=200)
    assert [await world.load(note) for note in ids] == before

"""Procedures that were used with success: the night proposes them as skills, the user decides."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aged_notes import JobHeartbeat, World

from graphmem.domain.notes import Kind
from graphmem.domain.reflection import ReflectionStatus
from graphmem.errors import Conflict
from graphmem.services.commons.skills import add_skill, list_skills
from graphmem.services.context import Context
from graphmem.services.feedback import give_feedback
from graphmem.services.jobs import consolidation as job
from graphmem.services.jobs.consolidation import consolidate_memory
from graphmem.services.reflection.deciding import decide_reflection, revert_reflection
from graphmem.services.reflection.reading import Shown, list_reflections
from graphmem.services.tracking import steps_of
from graphmem.store.consolidation import users_to_consolidate

LID = "Let the kiln cool below 90 degrees. Lift the lid with two people."


class Trials(World):
    """One user's procedures, what became of them, and nights."""

    async def procedure(self, content: str = LID, **given: Any) -> str:
        return await self.note(content=content, kind=Kind.PROCEDURAL, hours=5.0, **given)

    async def used(self, note: str, *, helpful: bool) -> None:
        """A recall returned it, and somebody told how it went."""
        self.now += timedelta(minutes=1)
        recalled = self.recalled(note)
        await self.context.graph.write(*steps_of([recalled]))
        access = await self.access()
        await give_feedback(self.service, access, recalled.id, [note], helpful=helpful)

    async def night(self) -> list[tuple[str, str]]:
        """What the newest reflection proposes after a night, as kinds with the reflection's id."""
        self.now += timedelta(hours=2)
        await consolidate_memory(self.service, JobHeartbeat())  # type: ignore[arg-type]
        return [(item.kind, item.id) for shown in await self.proposed() for item in shown.items]

    async def proposed(self) -> list[Any]:
        found = await list_reflections(
            self.service, await self.access(), status=ReflectionStatus.PENDING, first=1
        )
        return [each.reflection for each in found]

    async def decide(self, *accept: str) -> Shown:
        (reflection,) = await self.proposed()
        return await decide_reflection(
            self.service, await self.access(), reflection.id, accept, None
        )

    async def skills(self) -> list[tuple[str, str]]:
        found = await list_skills(self.service, await self.access(), None, None, 10)
        return [(skill.name, skill.procedure) for skill in found]


@pytest.fixture
def world(context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Trials:
    made = Trials(replace(context), new_user())

    async def own(graph: Any, after: str, **given: Any) -> Any:
        found = await users_to_consolidate(graph, after, **given | {"limit": 100_000})
        return [each for each in found if each.user == made.user]

    monkeypatch.setattr(job.store, "users_to_consolidate", own)
    return made


@pytest.mark.feature("MUMA-50")
async def test_a_procedure_that_was_used_with_success_becomes_a_proposal_for_a_skill(
    world: Trials,
) -> None:
    note = await world.procedure(title="Open the kiln")
    assert await world.night() == []
    await world.used(note, helpful=True)
    ((kind, item),) = await world.night()
    assert kind == "skill"
    assert await world.skills() == []  # it is a proposal
    done = await world.decide(item)
    assert done.reflection.status is ReflectionStatus.APPLIED
    assert await world.skills() == [("Open the kiln", LID)]
    assert await world.night() == []  # it is one now
    await revert_reflection(world.service, await world.access(), done.reflection.id)
    assert await world.skills() == []


async def test_one_that_failed_since_or_has_the_name_of_a_skill_is_not_proposed(
    world: Trials,
) -> None:
    failed, known = await world.procedure(), await world.procedure("Sweep the yard.")
    for note in (failed, known):
        await world.used(note, helpful=True)
    await world.used(failed, helpful=False)
    access = await world.access()
    await add_skill(world.service, access, "Sweep the yard.", "1. Sweep it.", None, None)
    assert await world.night() == []


async def test_a_name_that_another_skill_takes_meanwhile_stops_the_decision(world: Trials) -> None:
    await world.used(await world.procedure("Sweep the yard."), helpful=True)
    ((_, item),) = await world.night()
    access = await world.access()
    await add_skill(world.service, access, "Sweep the yard.", "1. Sweep it.", None, None)
    with pytest.raises(Conflict):
        await world.decide(item)
    assert await world.skills() == [("Sweep the yard.", "1. Sweep it.")]

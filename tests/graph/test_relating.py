"""The statement of `relate_notes` links what `domain/related` would, in any world."""

from collections.abc import Callable
from random import Random

import pytest
from aged_notes import World
from own_batches import keep_batches_to

from graphmem.domain.notes import BEGINNING, Note, Status
from graphmem.domain.profiles.parameters import RelatedMemories
from graphmem.domain.profiles.recency import RELATED
from graphmem.domain.related import Related, Tagged, related_pairs, sort_pair
from graphmem.services.context import Context
from graphmem.services.job_runs.pace import ALONE
from graphmem.store import links as store
from graphmem.store.batches import Batches, run_statement
from graphmem.store.links import create_step, parameters_of_relating

LETTERS = "abcdefgh"
LINKS = """MATCH (n:Note {user: $user})-[r:LINKS_TO {kind: $kind}]->(m:Note)
RETURN n.id AS one, m.id AS other, r.reason AS reason, r.strength AS strength, r.id AS id"""


async def run(world: World, rules: RelatedMemories) -> Batches:
    key = (await world.access()).by_name[0]
    given = parameters_of_relating(rules, BEGINNING, world.now)
    return await run_statement(
        world.context.graph, "relate_notes", given, key[:-1], 1, ALONE, last=key
    )


async def links(world: World) -> list[tuple[str, str, str, float, str]]:
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    found = await driver.execute_query(LINKS, user=world.user, kind=RELATED)
    return sorted(tuple(row.values()) for row in found.records)


@pytest.mark.feature("L3-12")
async def test_links_of_notes_that_are_too_old_to_be_looked_at_stay(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(context, new_user())
    keep_batches_to(monkeypatch, lambda: [world.user])
    given = [
        {"content": f"Firing {i}.", "hours": float(i), "tags": ("a", "b", "c")} for i in range(6)
    ]
    notes = await world.notes(given)
    await run(world, RelatedMemories())
    before = {link[:2] for link in await links(world)}
    monkeypatch.setattr(store, "MOST_NOTES", 3)
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    newest = notes[0].id
    await driver.execute_query("MATCH (n:Note {id: $id}) SET n.tags = []", id=newest)
    await run(world, RelatedMemories())
    gone = {sort_pair(newest, note.id) for note in notes[1:3]}
    assert gone <= before
    assert {link[:2] for link in await links(world)} == before - gone


def told(pair: Related) -> tuple[str, str, str, float]:
    return pair.one, pair.other, pair.reason, pair.strength


@pytest.mark.feature("L3-12", "L3-T19", "L3-T21")
@pytest.mark.parametrize("seed", range(6))
async def test_it_links_what_the_rules_say(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng, world = Random(seed), World(context, new_user())
    keep_batches_to(monkeypatch, lambda: [world.user])
    rules = RelatedMemories(
        tag_overlap_threshold=rng.choice([1, 2, 3]), max_related_per_memory=rng.choice([1, 3, 10])
    )
    notes = await world.notes(
        [
            {
                "content": f"Firing {i}.",
                "hours": float(i),
                "tags": tuple(rng.sample(LETTERS[: rng.choice([3, 8])], rng.choice([0, 2, 3, 3]))),
            }
            for i in range(40)
        ]
    )
    mine = {sort_pair(*(note.id for note in rng.sample(notes, 2))) for _ in range(rng.choice([9]))}
    for one, other in mine:
        step = create_step(
            f"{world.user}{one}{other}",
            one,
            other,
            RELATED,
            user=world.user,
            reason=None,
            strength=1.0,
            actor="manual",
            now=world.now,
        )
        await context.graph.write(step)

    def wanted(found: list[Note]) -> list[tuple[str, str, str, float]]:
        tagged = [Tagged(each.id, frozenset(each.tags)) for each in found]
        return sorted(map(told, related_pairs(tagged, mine, rules)))

    async def made() -> list[tuple[str, str, str, float]]:
        return [each[:4] for each in await links(world) if each[:2] not in mine]

    done = await run(world, rules)
    while done.more:
        done = await run(world, rules)
    assert await made() == wanted(notes)
    assert done.counts["relatedLinks"] == len(wanted(notes)) > 0
    before = await links(world)
    assert not (await run(world, rules)).changed
    assert await links(world) == before
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    gone = {note.id for note in rng.sample(notes, 5)}
    await driver.execute_query(
        "MATCH (n:Note) WHERE n.id IN $ids SET n.status = $status",
        ids=list(gone),
        status=Status.FADING,
    )
    await run(world, rules)
    assert await made() == wanted([note for note in notes if note.id not in gone])

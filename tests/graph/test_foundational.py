"""What is foundational stays as it is, whichever job runs."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from aged_notes import World
from living_notes import Living, of_one_user
from race_world import cypher
from test_job_faults import CHANGING

from graphmem.domain.core import CUT
from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import Kind, Tier
from graphmem.domain.profiles.parameters import Profile, Ranking, Tiered
from graphmem.services.context import Context
from graphmem.services.core import automatic, core_memory
from graphmem.services.importing.importing import import_folder
from graphmem.services.recall.recall import recall
from graphmem.services.recall.request import RecallRequest

FILES = ("MEMORY.md", "SOUL.md", "USER.md")


async def ids_of(world: World) -> list[str]:
    """The notes of the files."""
    query = """MATCH (n:Note {user: $user}) WHERE n.externalId IN ['MEMORY', 'SOUL', 'USER']
RETURN n.id"""
    return [note for (note,) in await cypher(world.context, query, user=world.user)]


@pytest.mark.feature("TIER-1")
async def test_no_job_touches_what_is_foundational(
    context: Context,
    new_user: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
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
    for name in FILES:
        front = "---\nkind: SEMANTIC\n---\n" if name == "SOUL.md" else ""
        (tmp_path / name).write_text(f"{front}# {name}\n\nThe kiln 1 overheats.", "utf-8")
    await import_folder(world.service, world.user, tmp_path)
    ids += await ids_of(world)
    before = [await world.load(note) for note in ids]
    of_user(world.user)
    for _ in range(2):
        for job in CHANGING:
            if job != "erase_users":  # whoever is erased keeps nothing
                done = await world.go_on(await world.begin(job), job)
                assert done.status is RunStatus.DONE
        world.now += timedelta(days=200)
    assert [await world.load(note) for note in ids] == before


@pytest.mark.feature("TIER-1", "TIER-16", "DIFF-22")
async def test_a_file_of_t0_is_always_a_candidate_with_its_weight(
    context: Context, new_user: Callable[[], str], tmp_path: Path
) -> None:
    world = World(context, new_user())
    (tmp_path / "USER.md").write_text("Ada likes ferns.", "utf-8")
    await import_folder(world.service, world.user, tmp_path)
    asked = RecallRequest(query="kiln", k=10, profile=Profile.TIERED, track=False)
    (hit,) = (await recall(world.service, await world.access(), asked)).hits
    assert hit.note.external_id == "USER"
    assert hit.score == pytest.approx(1.2 * hit.similarity)


@pytest.mark.feature("TIER-1", "DIFF-22")
@pytest.mark.parametrize("seed", range(6))
async def test_core_memory_tells_files_of_t0_in_whole_sentences(
    context: Context, new_user: Callable[[], str], tmp_path: Path, seed: int
) -> None:
    rng, world, said = Random(seed), World(context, new_user()), dict[str, list[str]]()
    for name in FILES:
        said[name] = []
        lines = [f"# {name.removesuffix('.md')}"]
        for i in range(rng.choice((1, 8, 60))):
            words = " ".join(f"word{rng.randrange(999)}" for _ in range(rng.randrange(3, 40)))
            said[name].append(f"{name.removesuffix('.md')} {i} says {words}.")
            lines.append(rng.choice(("- ", "", "\n## Of it\n", "* ", "> ")) + said[name][-1])
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    await import_folder(world.service, world.user, tmp_path)
    access = await world.access()
    memory = await core_memory(world.service, access, automatic(access))
    assert memory.token_count <= memory.token_cap
    assert CUT not in memory.text
    shown = [line.text for line in memory.lines if line.note is not None]
    for sentences in said.values():
        own = [text for text in shown if text in sentences]
        assert own == sentences[: len(own)], "the first ones, in their order"
        assert len(own) >= min(len(sentences), 4), "no file keeps another one out"
    assert len(shown) == len(set(shown))
    told = {each for sentences in said.values() for each in sentences}
    assert {text for text in shown if not text.endswith(":")} <= told
    whole = sum(map(len, told)) < 1_500
    assert not whole or told <= set(shown)

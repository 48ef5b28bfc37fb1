"""What a new note is compared with and linked to, beside a search of all vectors one by one."""

from collections import defaultdict
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from aged_notes import World

from graphmem.domain.notes import Status
from graphmem.domain.visibility import Visibility, readers_of
from graphmem.services.context import Context
from graphmem.store.deciding import FAR, MAX_GROUPS, NEAR, Wanted, by_readers, find_nearest

SIZES = (1, 3, FAR - 1, FAR, FAR + 1, 2 * FAR, 45)  # of audiences: searched together, and alone


@pytest.mark.feature("MUMA-23")
@pytest.mark.parametrize("seed", range(8))
async def test_each_group_of_readers_gives_its_nearest_notes(
    context: Context, new_user: Callable[[], str], seed: int
) -> None:
    rng, world = Random(seed), World(context, new_user())
    axes = np.random.default_rng(seed)
    dimension = context.embedder.dimension
    many = []
    for place, size in enumerate(rng.choices(SIZES, k=8)):
        where = {
            "visibility": rng.choice((Visibility.OPEN, Visibility.SCOPED, Visibility.PRIVATE)),
            "domain": f"home/{place}",
        }
        for i in range(size):
            gone = {"status": Status.ARCHIVED} if i % 4 == 3 else {}
            vector = axes.normal(size=dimension).tolist()
            many.append(where | gone | {"content": f"{place} {i}", "vector": vector})
    vectors = [each["vector"] for each in many]
    notes = await world.notes(many)
    audiences = sorted({note.audience.key for note in notes})
    wanted = [
        Wanted(
            index,
            axes.normal(size=dimension).tolist(),
            own,
            [key for key in audiences if key != own and (index == 0 or key in audiences[::2])],
        )
        for index, own in enumerate(rng.sample(audiences, 3))
    ]
    found = await find_nearest(context.graph, wanted, world.now)
    by_id = {note.id: note for note in notes}
    for each in wanted:
        one = np.array(each.vector) / np.linalg.norm(each.vector)
        cosines = {
            note.id: float(one @ np.array(vector) / np.linalg.norm(vector))
            for note, vector in zip(notes, vectors, strict=True)
        }
        readable: dict[str, list[str]] = defaultdict(list)
        for note in sorted(notes, key=lambda note: -cosines[note.id]):
            if note.status is Status.ACTIVE and note.audience.key in (each.audience, *each.others):
                own = note.audience.key == each.audience
                readable["" if own else readers_of(note.audience.key)].append(note.id)
        got = found.near[each.index]
        assert len({note for note, _ in got}) == len(got)
        assert {note for note, _ in got} <= {note for ids in readable.values() for note in ids}
        for note, cosine in got:
            assert cosine == pytest.approx(cosines[note], abs=1e-5)
        for group, ids in readable.items():
            nearest = ids[: FAR if group else NEAR]
            assert set(nearest) <= {note for note, _ in got}
    assert {note for got in found.near.values() for note, _ in got} == set(found.notes)
    assert found.notes.keys() <= by_id.keys()


def test_what_few_may_read_never_pushes_out_what_many_may_read() -> None:
    wide = [f"u:ann/{where}" for where in ("OPEN/home", "OPEN/work", "SCOPED/home")]
    narrow = [f"u:ann/LOCAL/a{i}/x" for i in range(2 * MAX_GROUPS)]
    narrow += [f"u:ann/PRIVATE/a{i}/x" for i in range(2 * MAX_GROUPS)]
    groups = by_readers([*narrow, *wide])
    assert len(groups) == MAX_GROUPS
    assert groups[:2] == [wide[:2], wide[2:]]

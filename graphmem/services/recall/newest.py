"""Of hits that contradict each other the newest comes first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.linking import CONTRADICTS
from graphmem.domain.notes import Note
from graphmem.domain.profiles.why import Why
from graphmem.language.comparison import since
from graphmem.services.recall.expansion import Neighbourhood

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class NewestFirst:
    """Notes in their order, why each is there, and which of them a newer one contradicts."""

    order: Sequence[str]
    why: Mapping[str, Why]
    by: Mapping[str, str]  # older note → the newest that contradicts it


def contradicting(area: Neighbourhood, ids: Sequence[str]) -> list[Pair]:
    """Give the pairs of notes linked as contradicting each other of which one is among `ids`."""
    wanted = frozenset(ids)
    return sorted(
        (one, other)
        for (one, other), kind in area.kinds.items()
        if kind == CONTRADICTS and one < other and not wanted.isdisjoint((one, other))
    )


def newest_first(
    notes: Mapping[str, Note], whys: Mapping[str, Why], pairs: Sequence[Pair]
) -> NewestFirst:
    """Put the newer note of each pair where the older one is, if it came later, with its score.

    `whys` has the hits, best first. A note that has none there is a hit only as far as it takes
    the place of an older one."""

    def age(i: str) -> tuple[datetime, datetime, str]:
        return since(notes[i]), notes[i].created_at, i

    order, why, by = [i for i in whys if i in notes], dict(whys), dict[str, str]()
    aged = [sorted(pair, key=age) for pair in pairs if notes.keys() >= {*pair}]
    for older, newer in sorted(
        aged, key=lambda pair: age(pair[1])
    ):  # the newest comes first of all
        if older not in order:
            continue
        by[older] = newer
        place = order.index(older)
        if newer in order[:place]:
            continue
        if newer in order:
            order.remove(newer)
        order.insert(place, newer)
        had = why.get(newer, Why(similarity=0.0))
        lifted = (had.strategy or 0.0) + why[older].score - had.score
        why[newer] = replace(had, strategy=lifted)
    return NewestFirst(order=order, why=why, by=by)

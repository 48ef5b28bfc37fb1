"""Puts the newest of hits that contradict each other first.

Only links that a write made count, and only where the newer note could have taken the place of the
older one: a guess of an agent is not put before what its user stated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.notes import Note, Status
from graphmem.domain.profiles.why import Why
from graphmem.language.comparison import valid_since
from graphmem.services.recall.expansion import Neighbourhood

Pair = tuple[str, str]
_LIVE = (Status.ACTIVE, Status.FADING, Status.DORMANT)


@dataclass(frozen=True, kw_only=True)
class NewestFirst:
    """Notes in order, the reason for each, and the newer note that contradicts a note."""

    order: Sequence[str]
    why: Mapping[str, Why]
    by: Mapping[str, str]  # older note → the newest that contradicts it


def updates_of(area: Neighbourhood, ids: Sequence[str]) -> list[Pair]:
    """Return the pairs of an older and a newer note where one is among `ids`, in no order."""
    wanted = frozenset(ids)
    return sorted(pair for pair in area.updates if not wanted.isdisjoint(pair))


def put_newest_first(
    notes: Mapping[str, Note], whys: Mapping[str, Why], pairs: Sequence[Pair]
) -> NewestFirst:
    """Put the newer note of each pair where the older one is, with its score.

    `whys` has the hits, best first. A note that is not in it becomes a hit only by taking the place
    of an older one.
    """

    def age(i: str) -> tuple[datetime, datetime, str]:
        return valid_since(notes[i]), notes[i].created_at, i

    order, why, by = [i for i in whys if i in notes], dict(whys), dict[str, str]()
    aged = [sorted(pair, key=age) for pair in pairs if notes.keys() >= {*pair}]
    aged = [pair for pair in aged if notes[pair[1]].status in _LIVE]
    aged.sort(key=lambda pair: age(pair[1]))  # the newest is to come first of all
    for older, newer in aged:
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

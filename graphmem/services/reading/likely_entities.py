"""The entities of which some may be one: those whose names have something in common, compared by
what a viewer may read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphmem.domain.entities import Entity
from graphmem.domain.identity import AliasEvidence, Groups, TieKind, groups_of
from graphmem.language.naming import EntityRecord, MatchScore, compare_entities
from graphmem.services.context import Access, Context
from graphmem.services.reading.entities import load_entities
from graphmem.services.text_work import PIECE
from graphmem.store import resolution as store
from graphmem.store.entities import ties_of

MOST_PAIRS = 1_000  # pairs of entities that one listing of reviews compares
MOST_NEAR = 100  # pairs among them whose names' vectors are compared
AT_ONCE = 20  # pairs that are compared in one piece of work
Pair = tuple[str, str]  # ids of entities


@dataclass(frozen=True)
class Likely:
    """Entities whose names have something in common, and how alike each two of them are."""

    groups: Groups = field(default_factory=Groups)
    found: Mapping[str, Entity] = field(default_factory=dict)
    things: Mapping[Pair, tuple[EntityRecord, EntityRecord]] = field(default_factory=dict)
    judged: Mapping[Pair, MatchScore] = field(default_factory=dict)


async def find_likely(context: Context, access: Access, held: Sequence[Pair] = ()) -> Likely:
    """Compare the entities whose names have something in common, by what the viewer may read, and
    before them those that are `held` to be one by rules: also those that somebody has parted."""
    user, now, audiences = access.viewer.user, context.clock(), access.by_name
    likely = await store.likely_pairs(context.graph, user, audiences, now, MOST_PAIRS)
    pairs = [*held, *likely][:MOST_PAIRS]
    ids = sorted({i for pair in pairs for i in pair})
    if not ids:
        return Likely()
    ties = await ties_of(context.graph, user, ids, audiences, now)
    groups = groups_of(ties)
    parted = parted_pairs(groups, ties) - {entity_pair(groups, *pair) for pair in held}
    pairs = list(dict.fromkeys(entity_pair(groups, *pair) for pair in pairs))
    ids = sorted({i for pair in pairs for i in pair})
    found = await load_entities(context, access, ids)
    around = await store.load_neighbours(context.graph, user, ids, audiences, now)
    things = {
        (one, other): (_to_record(found[one], around, other), _to_record(found[other], around, one))
        for one, other in pairs
        if one != other and (one, other) not in parted and one in found and other in found
    }
    compared = await context.texts.each(
        lambda pair: compare_entities(*things[pair]), list(things), lambda _: PIECE // AT_ONCE
    )
    return Likely(groups, found, things, dict(zip(things, compared, strict=True)))


def parted_pairs(groups: Groups, ties: Sequence[AliasEvidence]) -> set[tuple[str, str]]:
    """Return the pairs of entities of which somebody said that they are not one."""
    return {entity_pair(groups, tie.whole, tie.part) for tie in ties if tie.kind is TieKind.PARTED}


def entity_pair(groups: Groups, one: str, other: str) -> tuple[str, str]:
    """Return the entities that two names belong to, in the order of their ids."""
    first, second = sorted((groups.stands_for(one), groups.stands_for(other)))
    return first, second


def _to_record(entity: Entity, around: Mapping[str, frozenset[str]], other: str) -> EntityRecord:
    neighbours = around.get(entity.id, frozenset()) - {other}
    return EntityRecord(names=(entity.name, *entity.aliases), type=entity.type, around=neighbours)


async def compare_with_vectors(context: Context, likely: Likely) -> dict[Pair, MatchScore]:
    """Judge the surest of the open pairs again, with the vectors of their names."""
    things, judged = likely.things, likely.judged
    doubted = [pair for pair, each in judged.items() if 0 < each.score < 1]
    doubted.sort(key=lambda pair: (-judged[pair].score, pair))
    doubted = doubted[:MOST_NEAR]
    names = sorted({thing.names[0] for pair in doubted for thing in things[pair]})
    if not names:
        return {}
    of = dict(zip(names, await context.embedder.embed_documents(names), strict=True))

    def near(pair: tuple[str, str]) -> MatchScore:
        one, other = things[pair]
        return compare_entities(one, other, _cosine(of[one.names[0]], of[other.names[0]]))

    compared = await context.texts.each(near, doubted, lambda _: PIECE // AT_ONCE)
    return dict(zip(doubted, compared, strict=True))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))

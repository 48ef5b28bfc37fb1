"""Entity resolution: what is merged by itself, what is asked, and merges by hand with their undo.

By itself is merged only what no note of anybody can change for a reader. Names of one form are one
name (`name_key`), which no note decides. What the user in person states to be names of one thing
joins the entities that began with these names, if notes of the same audience alone introduce them:
then whoever sees both may read the note that says so. An agent's statement does not, for by what
it merges and what not the agent could find out names of notes that it can't read. Everything else
is asked (`reviews`), of each viewer by what that viewer may read.

A merge by hand is the word of somebody who sees both entities. It joins the mentions that they
can't see, too, but what a reader is shown of an entity, its names, type and notes, still comes from
notes that this reader may read. Events of merges are for the user in person: that a merge came
about tells that both names are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.domain.entities import Entity, EntityMerge
from graphmem.domain.ids import uuid7
from graphmem.domain.resolution import Band, Judgement, Thing, judge
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, missing
from graphmem.services.entities import load_entities
from graphmem.services.merging import events_of, merge_event
from graphmem.services.notes import require_writer
from graphmem.services.reading import check_first
from graphmem.store import resolution as store
from graphmem.store.events import append_step

MAX_MERGES = 100
MAX_REVIEWS = 100
MOST_PAIRS = 1_000  # pairs of entities that one look at the reviews compares
MOST_NEAR = 100  # of them, those whose names' vectors are compared
BY_HAND = 1.0  # how sure a merge is that somebody asked for


@dataclass(frozen=True)
class Review:
    """Two entities that may be one; what a viewer may know speaks for it."""

    one: Entity
    other: Entity
    score: float
    reasons: tuple[str, ...]


async def merge_entities(context: Context, access: Access, keep: str, merge: str) -> Entity:
    """Make one entity a part of another. Merging what is one already changes nothing.

    Raises NotFound for an entity that the viewer can't see, Conflict when another merge came
    between."""
    require_writer(access)
    if keep == merge:
        raise Invalid("an entity can't be merged with itself")
    user, now, actor = access.viewer.user, context.clock(), access.viewer.actor
    became = await store.roots_of(context.graph, user, [keep, merge])
    if became:
        return await _merged_already(context, access, keep, merge, became)
    await _require(context, access, [keep, merge])
    row = {
        "ids": [keep, merge],
        "keys": [],
        "audience": None,
        "mergeIds": [uuid7(now)],
        "by": actor,
        "score": BY_HAND,
    }
    events = events_of(user, [row], now)
    step = store.merge_step([row], user=user, now=now, required=True)
    await context.graph.write(step, append_step(user, [], events))
    context.signal(user)
    return (await _require(context, access, [keep]))[keep]


async def _merged_already(
    context: Context, access: Access, keep: str, merge: str, became: Mapping[str, str]
) -> Entity:
    """The entity that both are by now, for who may know of the merge; else as if one were not
    there."""
    kept, gone = became.get(keep, keep), became.get(merge, merge)
    if kept != gone:
        raise missing("entity")
    entity = (await _require(context, access, [kept]))[kept]
    if not await _merges(context, access, [kept], MAX_MERGES):
        raise missing("entity")
    return entity


async def _require(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Entity]:
    found = await load_entities(context, access, ids)
    if set(ids) - found.keys():
        raise missing("entity")
    return found


async def undo_merge(context: Context, access: Access, merge: str) -> Entity:
    """Take a merge back, for who sees both sides; the entity that had absorbed the other. Undoing
    it again changes nothing. Raises NotFound, Conflict."""
    require_writer(access)
    user, now = access.viewer.user, context.clock()
    kept = await store.find_merge(context.graph, user, merge)
    shown = await _merges(context, access, [kept], 1, merge=merge) if kept else {}
    if kept is None or not shown:
        raise missing("merge")
    if not shown[kept][0].undone:
        actor = access.viewer.actor
        step = store.part_step(merge, user=user, actor=actor, now=now)
        event = merge_event("REVERT", "merge of entities undone", user, actor, merge, now)
        await context.graph.write(step, append_step(user, [event]))
        context.signal(user)
    return (await _require(context, access, [kept]))[kept]


async def merges_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> dict[str, list[EntityMerge]]:
    """What entities absorbed, newest first, as far as the viewer may know of both sides."""
    return await _merges(context, access, ids, min(limit, MAX_MERGES))


async def _merges(
    context: Context, access: Access, ids: Sequence[str], limit: int, merge: str | None = None
) -> dict[str, list[EntityMerge]]:
    return await store.merges_of(
        context.graph,
        access.viewer.user,
        ids,
        access.by_name,
        context.clock(),
        limit,
        merge=merge,
    )


async def reviews(context: Context, access: Access, first: int) -> list[Review]:
    """Pairs of entities that may be one, the surest first; names and what is around them are those
    of notes that the viewer may read."""
    check_first(first, MAX_REVIEWS)
    user, now, audiences = access.viewer.user, context.clock(), access.by_name
    pairs = await store.likely_pairs(context.graph, user, audiences, now, MOST_PAIRS)
    ids = sorted({i for pair in pairs for i in pair})
    if not ids:
        return []
    found = await load_entities(context, access, ids)
    around = await store.around(context.graph, user, ids, audiences, now)
    things = {
        (one, other): (_thing(found[one], around, other), _thing(found[other], around, one))
        for one, other in pairs
        if one in found and other in found
    }
    judged = {pair: judge(*both) for pair, both in things.items()}
    judged |= await _nearer(context, things, judged)
    asked = [
        _review(found[one], found[other], judgement)
        for (one, other), judgement in judged.items()
        if judgement.band is not Band.LEAVE
    ]
    asked.sort(key=lambda review: (-review.score, _order(review.one), _order(review.other)))
    return asked[:first]


def _order(entity: Entity) -> tuple[str, str]:
    """By name, for ids tell when an entity was made, perhaps by a note that the viewer can't
    read."""
    return entity.name, entity.id


def _thing(entity: Entity, around: Mapping[str, frozenset[str]], other: str) -> Thing:
    beside = around.get(entity.id, frozenset()) - {other}
    return Thing(names=(entity.name, *entity.aliases), type=entity.type, around=beside)


def _review(one: Entity, other: Entity, judgement: Judgement) -> Review:
    """Two entities share a name where one note gave it and another had it already."""
    one, other = sorted((one, other), key=_order)
    shared = judgement.band is Band.MERGE
    reasons = ("a note gives one the name of the other",) if shared else judgement.reasons
    return Review(one, other, judgement.score, reasons)


async def _nearer(
    context: Context,
    things: Mapping[tuple[str, str], tuple[Thing, Thing]],
    judged: Mapping[tuple[str, str], Judgement],
) -> dict[tuple[str, str], Judgement]:
    """The surest of the pairs that the rules leave open, judged again with their names' vectors."""
    doubted = [pair for pair, each in judged.items() if 0 < each.score < 1]
    doubted.sort(key=lambda pair: (-judged[pair].score, pair))
    doubted = doubted[:MOST_NEAR]
    names = sorted({thing.names[0] for pair in doubted for thing in things[pair]})
    if not names:
        return {}
    of = dict(zip(names, await context.embedder.embed_documents(names), strict=True))
    return {
        pair: judge(one, other, _cosine(of[one.names[0]], of[other.names[0]]))
        for pair, (one, other) in ((pair, things[pair]) for pair in doubted)
    }


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))

"""Entity resolution: automatic merges, questions, and merges by hand with their undo.

Names of one form are one name (`name_key`), and each name has an entity of its own in the graph.
Which names belong to one entity is decided for each reader, from notes that this reader may read
(`domain.identity`): what a note gives as another name ties the two, if it is the user's word or the
name is new with it. Everything else is asked (`reviews`), of each viewer by what that viewer may
read. What rules are sure of (`list_sure_pairs`), by what one group of readers may read, waits as
a verdict in the graph, which anybody of them may refuse, before the job `merge_entities` carries
it out for them.

A merge by hand is the word of somebody who sees both entities. It counts for readers of notes that
introduced both before, and of an agent's merge only by notes that the agent could read, too: so
nobody learns from it what they can't read. Events of merges are for the user in person.
"""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, product
from math import inf

from graphmem.domain.actors import actor_of
from graphmem.domain.entities import Entity, EntityMerge
from graphmem.domain.identity import (
    AliasEvidence,
    Groups,
    TieKind,
    groups_of,
    joining_ties,
    tie_order_key,
)
from graphmem.domain.ids import uuid7
from graphmem.errors import Conflict, Invalid
from graphmem.language.naming import MatchDecision, MatchScore
from graphmem.services.context import Access, Context, events_step, missing, user_audience
from graphmem.services.reading.entities import load_entities
from graphmem.services.reading.likely_entities import (
    Pair,
    compare_with_vectors,
    entity_pair,
    find_likely,
)
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.store import entities as store_entities
from graphmem.store import resolution as store
from graphmem.store.entities import ties_of
from graphmem.store.events import event_row
from graphmem.store.resolution import SameEntity
from graphmem.store.rows import EventRow
from graphmem.store.times import EPOCH

MAX_MERGES = 100
MAX_REVIEWS = 100
BY_HAND = 1.0  # score of a merge that somebody asked for
MOST_REFUSED = 200  # pairs of names that one refusal is kept of
REFUSED = 0.0  # score of what somebody refused, and no rule had held
SURE = 0.9  # score from which rules merge: none of the labelled pairs of two things has it


@dataclass(frozen=True)
class EntityReview:
    """Two entities that may be the same: a question for somebody who knows. The reasons are those
    that the viewer may know."""

    one: Entity
    other: Entity
    score: float
    reasons: tuple[str, ...]
    merges_at: datetime | None = None
    """when rules merge the two, unless somebody refuses; null: they do not"""


@repeat_while_stale
async def merge_entities(context: Context, access: Access, keep: str, merge: str) -> Entity:
    """Make one entity a part of another; merging what is one already changes nothing.

    Raises NotFound for an entity that the viewer can't see.
    """
    require_writer(access)
    if keep == merge:
        raise Invalid("an entity can't be merged with itself")
    user, now, actor = access.viewer.user, context.clock(), access.viewer.actor
    found = await _require_entities(context, access, [keep, merge])
    if found[keep].id == found[merge].id:
        return found[keep]
    merge_id = uuid7(now)
    step = store.merge_step(
        (keep, merge),
        merge_id,
        audiences=None if access.viewer.in_person else access.by_name,
        user=user,
        actor=actor,
        score=BY_HAND,
        now=now,
    )
    event = _event("MERGE", "entities merged", user, actor, merge_id, now)
    await context.graph.write(step, events_step(access, [event]))
    context.signal(user)
    return (await _require_entities(context, access, [keep]))[keep]


def _event(kind: str, summary: str, user: str, actor: str, merge: str, now: datetime) -> EventRow:
    """Return an event of a merge: for the user in person, as it shows that both names exist."""
    return event_row(
        kind, summary, audience=user_audience(user), actor=actor, at=now, subject_id=merge
    )


async def _require_entities(
    context: Context, access: Access, ids: Sequence[str]
) -> dict[str, Entity]:
    found = await load_entities(context, access, ids)
    if set(ids) - found.keys():
        raise missing("entity")
    return found


@repeat_while_stale
async def undo_merge(context: Context, access: Access, merge: str) -> Entity:
    """Undo a merge, or separate what a note says to be one, for a viewer who sees both sides.

    Returns the entity that had absorbed the other. Undoing it again changes nothing. Raises
    NotFound, Conflict.
    """
    require_writer(access)
    user, now = access.viewer.user, context.clock()
    whole = store.whole_of_form(merge) or await store.find_merge(context.graph, user, merge)
    shown = await merges_of(context, access, [whole], MAX_MERGES) if whole else {}
    found = next((each for each in shown.get(whole or "", ()) if each.id == merge), None)
    if whole is None or found is None:
        raise missing("merge")
    if not found.undone:
        actor = access.viewer.actor
        step = store.part_step(
            merge,
            by=found.actor,
            score=found.score,
            user=user,
            actor=actor,
            everywhere=access.viewer.in_person,
            now=now,
        )
        event = _event("REVERT", "merge of entities undone", user, actor, merge, now)
        await context.graph.write(step, events_step(access, [event]))
        context.signal(user)
    return (await _require_entities(context, access, [whole]))[whole]


async def merges_of(
    context: Context, access: Access, ids: Sequence[str], limit: int
) -> dict[str, list[EntityMerge]]:
    """Return what entities absorbed, newest first, as far as the viewer may know of both sides.

    What a note says to be one is listed where other notes introduce the part, too.
    """
    user, now, audiences = access.viewer.user, context.clock(), access.by_name
    ties = await ties_of(context.graph, user, ids, audiences, now)
    groups = groups_of(ties)
    joining = {tie.id for tie in joining_ties(ties)}
    listed = [tie for tie in ties if _is_merge(tie, joining)]
    parts = store_entities.group_rows(Groups(), [tie.part for tie in listed])
    names = await store_entities.get_entities(context.graph, user, parts, audiences, now)
    found: dict[str, dict[str, EntityMerge]] = {}
    for tie in sorted(listed, key=tie_order_key, reverse=True):
        if tie.part in names:
            merge = _to_merge(access, tie, groups.stands_for(tie.whole), names[tie.part].name)
            key = _merge_key(tie, groups)
            found.setdefault(groups.stands_for(tie.whole), {}).setdefault(key, merge)
    most = min(limit, MAX_MERGES)
    return {
        each: list(found[groups.stands_for(each)].values())[:most]
        for each in ids
        if groups.stands_for(each) in found
    }


def _merge_key(tie: AliasEvidence, groups: Groups) -> str:
    """Return what ties share that are shown as one: those of rules for several readers, and the
    refusals of each name of an entity with each of another."""
    if tie.by_rules:
        return f"{tie.whole} {tie.part}"
    if tie.kind is TieKind.PARTED and tie.score == REFUSED:
        return f"{groups.stands_for(tie.whole)}|{groups.stands_for(tie.part)}"
    return tie.id


def _is_merge(tie: AliasEvidence, joining: Container[str]) -> bool:
    if tie.kind is TieKind.CALLED:
        return tie.id in joining and tie.introduced is not None
    return tie.id in joining or not tie.by_rules


def _to_merge(access: Access, tie: AliasEvidence, kept: str, name: str) -> EntityMerge:
    by_note = tie.kind is TieKind.CALLED
    said_by = actor_of(tie.agent)
    at = max(tie.at, tie.introduced or 0) if by_note else tie.at
    return EntityMerge(
        id=tie.id,
        at=EPOCH + timedelta(milliseconds=at),
        actor=tie.actor or said_by,
        score=tie.score if tie.score is not None else BY_HAND,
        kept=kept,
        merged_name=name,
        undone=tie.kind is TieKind.PARTED,
    )


async def list_reviews(context: Context, access: Access, first: int) -> list[EntityReview]:
    """List pairs of entities that may be one: those first that rules will merge, the soonest first,
    then the surest.

    Names and what is around them come from notes that the viewer may read.
    """
    verdicts = await store.list_verdicts(context.graph, access.viewer.user, access.by_name)
    likely = await find_likely(context, access, [(each.whole, each.part) for each in verdicts])
    due: dict[Pair, datetime] = {}
    for each in verdicts:
        due.setdefault(entity_pair(likely.groups, each.whole, each.part), each.merges_at)
    judged = dict(likely.judged) | await compare_with_vectors(context, likely)
    asked = [
        _make_review(likely.found[pair[0]], likely.found[pair[1]], judgement, due.get(pair))
        for pair, judgement in judged.items()
        if pair in due or judgement.band is not MatchDecision.LEAVE
    ]
    return sorted(asked, key=_review_order)[:first]


def _review_order(review: EntityReview) -> tuple[float, float, tuple[str, str], tuple[str, str]]:
    soon = inf if review.merges_at is None else review.merges_at.timestamp()
    return soon, -review.score, _sort_key(review.one), _sort_key(review.other)


async def list_sure_pairs(context: Context, access: Access) -> list[tuple[str, str, float]]:
    """List the entities that rules hold to be one, as (whole, part, score): by names, types and
    neighbours alone, and where neither may be one with a third. The part has the shorter name."""
    likely = await find_likely(context, access)
    asked = {pair: each for pair, each in likely.judged.items() if each.band != MatchDecision.LEAVE}
    times = Counter(end for pair in asked for end in pair)
    found = []
    for pair, judgement in asked.items():
        if (
            judgement.score >= SURE
            and not judgement.same_form
            and all(times[end] == 1 for end in pair)
        ):
            ends = [likely.found[end] for end in pair]
            part, whole = sorted(ends, key=lambda each: (len(each.name), each.id))
            found.append((whole.id, part.id, judgement.score))
    return sorted(found, key=lambda each: (-each[2], each))[:MAX_REVIEWS]


async def _verdicts_between(
    context: Context, access: Access, groups: Groups, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], list[SameEntity]]:
    """Return the verdicts that the viewer may know of between each two entities, by any of their
    names."""
    ids = sorted({name for pair in pairs for each in pair for name in groups.names_of(each)})
    found: dict[tuple[str, str], list[SameEntity]] = {pair: [] for pair in pairs}
    if ids:
        user = access.viewer.user
        of = {frozenset(groups.stands_for(each) for each in pair): pair for pair in pairs}
        for each in await store.list_verdicts(context.graph, user, access.by_name, ids=ids):
            ends = frozenset((groups.stands_for(each.whole), groups.stands_for(each.part)))
            if ends in of:
                found[of[ends]].append(each)
    return found


@repeat_while_stale
async def refuse_merge(context: Context, access: Access, one: str, other: str) -> Entity:
    """Keep that two entities are not one: no review asks about them any more, and no rule merges
    them, for viewers who may read the notes that introduced both. Returns the first.

    Merging them by hand is still possible. Raises NotFound for an entity that the viewer can't see,
    Conflict for two that are one already.
    """
    require_writer(access)
    if one == other:
        raise Invalid("one and other are the same entity")
    user, now, actor = access.viewer.user, context.clock(), access.viewer.actor
    found = await _require_entities(context, access, [one, other])
    pair = found[one].id, found[other].id
    if pair[0] == pair[1]:
        raise Conflict("they are one already: undo that merge")
    refused = await _list_refused(context, access, pair)
    if not refused:
        return found[one]
    step = store.refuse_step(
        refused,
        audiences=None if access.viewer.in_person else access.by_name,
        user=user,
        actor=actor,
        now=now,
    )
    event = _event("REJECT", "merge of entities refused", user, actor, pair[0], now)
    await context.graph.write(step, events_step(access, [event]))
    context.signal(user)
    return found[one]


async def _list_refused(context: Context, access: Access, pair: Pair) -> list[SameEntity]:
    """Return each name of one entity with each of another, but for those of which a refusal is
    known that is for as many readers, and that no verdict holds to be one all the same."""
    viewer, now = access.viewer, context.clock()
    ties = await ties_of(context.graph, viewer.user, pair, access.by_name, now)
    groups = groups_of(ties)
    verdicts = (await _verdicts_between(context, access, groups, [pair]))[pair]
    held = {frozenset((each.whole, each.part)): each for each in verdicts}
    parted = {
        frozenset((tie.whole, tie.part))
        for tie in ties
        if tie.kind is TieKind.PARTED and (tie.everywhere or not viewer.in_person)
    }
    ones, others = ([each, *groups.names_of(each)] for each in pair)
    names = islice(product(dict.fromkeys(ones), dict.fromkeys(others)), MOST_REFUSED)
    asked = {
        frozenset((whole, part)): SameEntity(
            whole=whole, part=part, by=viewer.actor, score=REFUSED, at=now
        )
        for whole, part in names
    }
    left = {names: each for names, each in asked.items() if names not in parted}
    return list((left | held).values())


def _sort_key(entity: Entity) -> tuple[str, str]:
    return entity.name, entity.id


def _make_review(
    one: Entity, other: Entity, judgement: MatchScore, merges_at: datetime | None
) -> EntityReview:
    """Return a review; a shared name means that a note gave one entity the name of the other."""
    one, other = sorted((one, other), key=_sort_key)
    shared = judgement.band is MatchDecision.MERGE
    reasons = ("a note gives one the name of the other",) if shared else judgement.reasons
    return EntityReview(one, other, judgement.score, reasons, merges_at)

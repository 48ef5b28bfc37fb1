"""The job `maintain_memory` (L3): near copies are settled, related notes are linked, and what fell
into disuse, is recalled together or may be one is counted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from graphmem.domain.ids import uuid7
from graphmem.domain.profiles.recency import RELATED
from graphmem.domain.related import Related, Tagged, pair_of, related_pairs
from graphmem.domain.visibility import Audience
from graphmem.services.actors import open_access
from graphmem.services.conflicts import sweep_conflicts
from graphmem.services.context import Access, Context
from graphmem.services.jobs.running import Beat
from graphmem.services.recall.coretrieval import list_candidates
from graphmem.services.resolution import reviews
from graphmem.store import links as store
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Row, Step
from graphmem.store.jobs import keep_maintained, users_to_maintain
from graphmem.store.links import KindLink

MAKER: Final = "job:maintain_memory"  # the actor; no user or agent has a colon in its id
USERS: Final = 20  # looked at by one query
PAGE: Final = 2_000  # notes read by one query
MOST_NOTES: Final = 50_000  # of an audience, the newest that are in use and have tags
CHANGES: Final = 500  # links changed in one transaction
MOST_COUNTED: Final = 100  # pairs of notes, and of entities, that are counted of a user
COUNTS: Final = (
    "users dormantCandidates clusterCandidates entityCandidates dedupCandidates merged deprecated "
    "archived conflicts relatedLinks linksMade linksRemoved"
).split()
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class _Notes:
    """The notes of one audience, newest first, and the links there are."""

    user: str
    audience: str
    domain: str
    notes: list[Tagged] = field(default_factory=list)
    links: list[KindLink] = field(default_factory=list)


async def maintain_memory(context: Context, beat: Beat) -> Mapping[str, int]:
    """Go through all users, at its times those with REBUILD_INTERVAL_CYCLES new tracked recalls;
    the counts of the run.

    Near copies are settled as `consolidate` does it. Only links that this job made are changed,
    between notes of one audience; a second run finds nothing to change. Active notes that were not
    accessed in the last ARCHIVAL_THRESHOLD_CYCLES tracked recalls of their user, and are older, are
    counted as dormantCandidates; pairs that are often recalled together as clusterCandidates, and
    entities that may be one as entityCandidates."""
    beat.counts.update(dict.fromkeys(COUNTS, 0))
    cycles, after = context.archival_threshold_cycles, beat.place
    every = 0 if beat.by_hand else context.ranking.related_memories.rebuild_interval_cycles
    while True:
        now = context.clock()
        rows = await users_to_maintain(
            context.graph, after, every=every, cycles=cycles, now=now, limit=USERS
        )
        if not rows:
            return beat.counts
        for row in rows:
            beat.counts.update(users=1, dormantCandidates=row["dormantCandidates"])
            await _maintain(context, beat, row)
            await keep_maintained(context.graph, row["user"], row["cycle"], now)
        after = rows[-1]["user"]
        await beat(after)


async def _maintain(context: Context, beat: Beat, row: Row) -> None:
    """Maintain one user's memory, each audience by itself."""
    if row["recalled"] or any(fresh for *_, fresh in row["audiences"]):
        access = await open_access(context, row["user"], None)
        beat.counts.update(
            clusterCandidates=len(await list_candidates(context, access, MOST_COUNTED)),
            entityCandidates=len(await reviews(context, access, MOST_COUNTED)),
        )
        known = {audience.key: audience for audience in access.audiences}
        for key in (key for key, _, fresh in row["audiences"] if fresh and key in known):
            await beat()
            await _settle(context, beat, access, known[key])
    for key, domain, _ in row["audiences"]:
        if context.ranking.related_memories.enabled:
            given = _Notes(user=row["user"], audience=key, domain=domain)
            beat.counts.update(await _relate(context, beat, given))


async def _settle(context: Context, beat: Beat, access: Access, audience: Audience) -> None:
    """Settle near copies and contradictions of one audience. Which rights there are decides nothing
    here, so a change of them stops nothing."""
    viewer = replace(access.viewer, acting_as=MAKER)
    alone = replace(access, viewer=viewer, audiences=(audience,), version=None)
    done = await sweep_conflicts(context, alone)
    beat.counts.update(
        dedupCandidates=done.candidates,
        merged=done.merged,
        deprecated=done.deprecated,
        archived=done.archived,
        conflicts=done.flagged,
    )


async def _relate(context: Context, beat: Beat, given: _Notes) -> Mapping[str, int]:
    """Bring the related links of one audience up to date."""
    now = context.clock()
    async for page in store.tagged_notes(context.graph, given.audience, RELATED, now, PAGE):
        room = MOST_NOTES - len(given.notes)
        tagged = [Tagged(note, frozenset(tags)) for note, tags, _ in page if tags]
        given.notes.extend(tagged[:room])
        given.links.extend(link for *_, links in page for link in links)
        await beat()
    own = [link for link in given.links if link.by == MAKER]
    linked = {pair_of(link.source, link.target) for link in given.links if link.by != MAKER}
    rules = context.ranking.related_memories
    # In a thread, since it computes for seconds where there are many notes.
    wanted = await context.bulk_texts.run(
        lambda check: related_pairs(given.notes, linked, rules, check)
    )
    missing, wrong = _difference(wanted, own)
    for ids in _batches(wrong):
        await beat()
        await _write(context, given, store.unrelate_step(ids, MAKER), removed=len(ids))
    for pairs in _batches(missing):
        await beat()
        await _write(context, given, _make(context, given, pairs), made=len(pairs))
    made, removed = len(missing), len(wrong)
    return {"relatedLinks": len(wanted), "linksMade": made, "linksRemoved": removed}


def _difference(
    wanted: Sequence[Related], own: Sequence[KindLink]
) -> tuple[list[Related], list[str]]:
    """The pairs that have no link yet, and the ids of the links that don't hold any more."""
    lacking = {(pair.one, pair.other): pair for pair in wanted}
    wrong = []
    for link in own:
        pair = lacking.get((link.source, link.target))
        if pair is None or pair.reason != link.reason:
            wrong.append(link.id)
        else:
            del lacking[link.source, link.target]
    return list(lacking.values()), wrong


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[i : i + CHANGES] for i in range(0, len(rows), CHANGES))


def _make(context: Context, given: _Notes, pairs: Sequence[Related]) -> Step:
    now = context.clock()
    rows = [
        {
            "id": uuid7(now),
            "source": pair.one,
            "target": pair.other,
            "strength": pair.strength,
            "reason": pair.reason,
        }
        for pair in pairs
    ]
    return store.relate_step(rows, audience=given.audience, kind=RELATED, actor=MAKER, now=now)


async def _write(
    context: Context, given: _Notes, step: Step, *, made: int = 0, removed: int = 0
) -> None:
    """One batch and its event."""
    event = event_row(
        "LINK",
        "related notes linked" if made else "links between notes removed",
        audience=given.audience,
        actor=MAKER,
        at=context.clock(),
        domain=given.domain,
        data={"made": made, "removed": removed},
    )
    await context.graph.write(step, append_step(given.user, [event]))
    context.signal(given.user)

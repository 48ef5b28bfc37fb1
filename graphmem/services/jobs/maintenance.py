"""The job `maintain_memory` (L3): near copies are resolved, related notes are linked, and what fell
into disuse, is recalled together or may be one is counted, of users with many new recalls. Each of
these is also a job of its own, at a time of its own, of users with anything new."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from graphmem.domain.visibility import Audience
from graphmem.services.actors import open_access
from graphmem.services.conflicts import sweep_conflicts
from graphmem.services.context import Access, Context
from graphmem.services.jobs import relating
from graphmem.services.jobs.relating import MAKER, relate
from graphmem.services.jobs.running import Beat
from graphmem.services.jobs.since import since_last_run
from graphmem.services.recall.coretrieval import list_candidates
from graphmem.services.resolution import reviews
from graphmem.store import maintenance as store
from graphmem.store.graph import Row

USERS: Final = 20  # looked at by one query
MOST_COUNTED: Final = 100  # pairs of notes, and of entities, that are counted of a user
RESOLVED: Final = ("dedupCandidates", "merged", "deprecated", "archived", "conflicts")
COUNTED: Final = ("dormantCandidates", "clusterCandidates", "entityCandidates")
COUNTS: Final = ("users", *COUNTED, *RESOLVED, *relating.COUNTS)  # of `maintain_memory`


async def maintain_memory(context: Context, beat: Beat) -> Mapping[str, int]:
    """Go through all users, at its times those with REBUILD_INTERVAL_CYCLES new tracked recalls;
    the counts of the run.

    Near copies are resolved as `consolidate` does it. Only links that this job made are changed,
    between notes of one audience; a second run finds nothing to change. Active notes that were not
    accessed in the last ARCHIVAL_THRESHOLD_CYCLES tracked recalls of their user, and are older, are
    counted as dormantCandidates; pairs that are often recalled together as clusterCandidates, and
    entities that may be one as entityCandidates."""
    _begin(beat, *COUNTS)
    cycles, after = context.archival_threshold_cycles, beat.place
    every = 0 if beat.by_hand else context.ranking.related_memories.rebuild_interval_cycles
    while True:
        now = context.clock()
        rows = await store.users_to_maintain(
            context.graph, after, every=every, cycles=cycles, now=now, limit=USERS
        )
        if not rows:
            return beat.counts
        for row in rows:
            beat.counts.update(users=1, dormantCandidates=row["dormantCandidates"])
            with beat.apart():
                await _maintain(context, beat, row)
                await store.keep_maintained(context.graph, row["user"], row["cycle"], now)
        after = rows[-1]["user"]
        await beat(after, of=after)


async def _maintain(context: Context, beat: Beat, row: Row) -> None:
    """Maintain one user's memory, each audience by itself."""
    if row["recalled"] or any(fresh for *_, fresh in row["audiences"]):
        access = await open_access(context, row["user"], None)
        await _count_clusters(context, beat, access)
        await _count_entities(context, beat, access)
        await _resolve(context, beat, access, [key for key, _, fresh in row["audiences"] if fresh])
    for key, domain, _ in row["audiences"]:
        beat.counts.update(await relate(context, beat, row["user"], key, domain))


async def resolve_duplicates(context: Context, beat: Beat) -> Mapping[str, int]:
    """Resolve near copies and contradictions in each audience with new notes; the counts of the
    run."""
    _begin(beat, "users", *RESOLVED)
    since, after = await since_last_run(context, "resolve_duplicates"), beat.place
    while rows := await store.users_to_resolve(context.graph, after, since=since, limit=USERS):
        for row in rows:
            beat.counts.update(users=bool(row["audiences"]))
            if row["audiences"]:
                with beat.apart():
                    access = await open_access(context, row["user"], None)
                    await _resolve(context, beat, access, row["audiences"])
        after = rows[-1]["user"]
        await beat(after, of=after)
    return beat.counts


async def relate_notes(context: Context, beat: Beat) -> Mapping[str, int]:
    """Link the related notes of each audience with new notes; the counts of the run."""
    _begin(beat, "users", *relating.COUNTS)
    since, after = await since_last_run(context, "relate_notes"), beat.place
    while rows := await store.users_to_relate(context.graph, after, since=since, limit=USERS):
        for row in rows:
            beat.counts.update(users=bool(row["audiences"]))
            for key, domain in row["audiences"]:
                with beat.apart():
                    beat.counts.update(await relate(context, beat, row["user"], key, domain))
        after = rows[-1]["user"]
        await beat(after, of=after)
    return beat.counts


async def review_entities(context: Context, beat: Beat) -> Mapping[str, int]:
    """Count the entities that may be one, of users with new notes; the counts of the run."""
    _begin(beat, "users", "entityCandidates")
    since, after = await since_last_run(context, "review_entities"), beat.place
    while rows := await store.users_to_review(context.graph, after, since=since, limit=USERS):
        for row in rows:
            beat.counts.update(users=row["due"])
            if row["due"]:
                await beat()
                with beat.apart():
                    access = await open_access(context, row["user"], None)
                    await _count_entities(context, beat, access)
        after = rows[-1]["user"]
        await beat(after, of=after)
    return beat.counts


async def cluster_recalls(context: Context, beat: Beat) -> Mapping[str, int]:
    """Count the pairs of notes that are recalled together, of users with new recalls; the counts of
    the run."""
    _begin(beat, "users", "clusterCandidates")
    since, after = await since_last_run(context, "cluster_recalls"), beat.place
    while rows := await store.users_to_cluster(context.graph, after, since=since, limit=USERS):
        for row in rows:
            beat.counts.update(users=row["due"])
            if row["due"]:
                with beat.apart():
                    access = await open_access(context, row["user"], None)
                    await _count_clusters(context, beat, access)
        after = rows[-1]["user"]
        await beat(after, of=after)
    return beat.counts


async def count_dormant(context: Context, beat: Beat) -> Mapping[str, int]:
    """Count the active notes that were not accessed in the last ARCHIVAL_THRESHOLD_CYCLES tracked
    recalls of their user; the counts of the run."""
    _begin(beat, "users", "dormantCandidates")
    cycles, after = context.archival_threshold_cycles, beat.place
    while rows := await store.dormant_notes(
        context.graph, after, cycles=cycles, now=context.clock(), limit=USERS
    ):
        for row in rows:
            beat.counts.update(users=1, dormantCandidates=row["dormantCandidates"])
        after = rows[-1]["user"]
        await beat(after, of=after)
    return beat.counts


def _begin(beat: Beat, *names: str) -> None:
    beat.counts.update(dict.fromkeys(names, 0))


async def _count_clusters(context: Context, beat: Beat, access: Access) -> None:
    found = await list_candidates(context, access, MOST_COUNTED)
    beat.counts.update(clusterCandidates=len(found))


async def _count_entities(context: Context, beat: Beat, access: Access) -> None:
    beat.counts.update(entityCandidates=len(await reviews(context, access, MOST_COUNTED)))


async def _resolve(context: Context, beat: Beat, access: Access, keys: list[str]) -> None:
    """Resolve near copies and contradictions of some audiences, each by itself."""
    known = {audience.key: audience for audience in access.audiences}
    for key in keys:
        if key in known:
            await beat()
            await _resolve_one(context, beat, access, known[key])


async def _resolve_one(context: Context, beat: Beat, access: Access, audience: Audience) -> None:
    """Which rights there are decides nothing here, so a change of them stops nothing."""
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

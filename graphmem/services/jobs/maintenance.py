"""The job `maintain_memory` (L3), and its parts as jobs of their own.

Near copies are resolved, rules leave which entities they hold to be one, related notes are linked,
and notes out of use, notes that are recalled together and entities that may be one are counted, of
users with many new recalls. What changes notes is also a job at a time of its own, of users with
anything new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphmem.domain.visibility import Audience, Visibility
from graphmem.services.actors import open_access
from graphmem.services.conflicts import sweep_conflicts
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.last_success import since_last_run
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.job_runs.users import pages_of_users, user_of
from graphmem.services.jobs import relating, secrets
from graphmem.services.jobs.other_secrets import look_through_others
from graphmem.services.jobs.relating import relate_audience
from graphmem.services.recall.coretrieval import list_candidates
from graphmem.services.resolution import list_reviews, list_sure_pairs
from graphmem.store import maintenance as store
from graphmem.store.graph import Row
from graphmem.store.links import RELATER
from graphmem.store.resolution import keep_verdicts

USERS: Final = 20  # read by one query
MOST_COUNTED: Final = 100  # pairs of notes, and of entities, counted per user
RESOLVED: Final = (
    *("dedupCandidates", "copies", "deprecated", "archived", "conflicts"),
    "entityVerdicts",
)
COUNTED: Final = ("dormantCandidates", "clusterCandidates", "entityCandidates")
COUNTS: Final = (
    "users",
    *COUNTED,
    *RESOLVED,
    *secrets.COUNTS,
    *relating.COUNTS,
)  # counts of `maintain_memory`


async def maintain_memory(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Go through all users, by schedule those with REBUILD_INTERVAL_CYCLES new tracked recalls.

    Returns the counts of the run.

    Near copies are resolved as `consolidate` does it. Only links that this job made are changed,
    between notes of one audience; a second run finds nothing to change. Active notes that were not
    accessed in the last ARCHIVAL_THRESHOLD_CYCLES tracked recalls of their user, and are older, are
    counted as dormantCandidates; pairs that are often recalled together as clusterCandidates, and
    entities that may be one as entityCandidates. Secrets in notes and other texts that nobody has
    looked through are cut out or kept from agents, as the setting says.
    """
    _zero_counts(beat, *COUNTS)
    cycles, now = context.archival_threshold_cycles, context.clock()
    every = 0 if beat.by_hand else context.ranking.related_memories.rebuild_interval_cycles

    async def read(after: str, limit: int) -> list[Row]:
        nonlocal now
        now = context.clock()
        return await store.users_to_maintain(
            context.graph, after, every=every, cycles=cycles, now=now, limit=limit
        )

    async for last, rows in pages_of_users(context, beat, read, USERS, user_of):
        for row in rows:
            beat.counts.update(users=1, dormantCandidates=row["dormantCandidates"])
            with beat.isolate_user():
                await _maintain(context, beat, row)
                await store.keep_maintained(context.graph, row["user"], row["cycle"], now)
        await beat.checkpoint(last, of=last)
    return beat.counts


async def _maintain(context: Context, beat: JobHeartbeat, row: Row) -> None:
    """Maintain one user's memory, each audience by itself."""
    if row["recalled"] or any(fresh for _, fresh in row["audiences"]):
        access = await open_access(context, row["user"], None)
        await _count_clusters(context, beat, access)
        await _count_entities(context, beat, access)
        await _resolve(context, beat, access, [key for key, fresh in row["audiences"] if fresh])
    alone = await open_access(context, row["user"], None)
    viewer = replace(alone.viewer, acting_as=RELATER)

    async def look(one: Sequence[Access]) -> None:
        await secrets.look_for_secrets(context, beat, one[0])

    async def look_further(one: Sequence[Access]) -> None:
        await look_through_others(context, beat, one[0])

    for work in (look, look_further):
        await beat.each([replace(alone, viewer=viewer)], work)

    async def relate(one: Sequence[str]) -> None:
        await relate_audience(context, beat, one[0])

    for key, _ in row["audiences"]:
        await beat.each([key], relate)


async def resolve_duplicates(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Resolve near copies and contradictions in each audience with new notes.

    Returns the counts of the run.
    """
    _zero_counts(beat, "users", *RESOLVED)
    since = await since_last_run(context, "resolve_duplicates")

    async def read(after: str, limit: int) -> list[Row]:
        return await store.users_to_resolve(context.graph, after, since=since, limit=limit)

    async for last, rows in pages_of_users(context, beat, read, USERS, user_of):
        for row in rows:
            beat.counts.update(users=bool(row["audiences"]))
            if row["audiences"]:
                with beat.isolate_user():
                    access = await open_access(context, row["user"], None)
                    await _resolve(context, beat, access, row["audiences"])
        await beat.checkpoint(last, of=last)
    return beat.counts


def _zero_counts(beat: JobHeartbeat, *names: str) -> None:
    beat.counts.update(dict.fromkeys(names, 0))


async def _count_clusters(context: Context, beat: JobHeartbeat, access: Access) -> None:
    found = await list_candidates(context, access, MOST_COUNTED)
    beat.counts.update(clusterCandidates=len(found))


async def _count_entities(context: Context, beat: JobHeartbeat, access: Access) -> None:
    beat.counts.update(entityCandidates=len(await list_reviews(context, access, MOST_COUNTED)))


async def _resolve(context: Context, beat: JobHeartbeat, access: Access, keys: list[str]) -> None:
    """Resolve near copies and contradictions of some audiences, each by itself."""
    known = {audience.key: audience for audience in access.audiences}

    async def resolve_one(one: Sequence[Audience]) -> None:
        await _resolve_notes(context, beat, _access_to_one(access, one[0]))

    async def judge_one(one: Sequence[Audience]) -> None:
        held = await _judge_entities(context, _access_to_one(access, one[0]), one[0])
        beat.counts.update(entityVerdicts=held)

    for key in keys:
        if key in known:
            for work in (resolve_one, judge_one):  # verdicts are looked at again if notes fail
                await beat.checkpoint()
                await beat.each([known[key]], work)


def _access_to_one(access: Access, audience: Audience) -> Access:
    """Return the access of the job to one audience; rights decide nothing here, so a change of them
    stops nothing."""
    viewer = replace(access.viewer, acting_as=RELATER)
    return replace(access, viewer=viewer, audiences=(audience,), version=None)


async def _resolve_notes(context: Context, beat: JobHeartbeat, access: Access) -> None:
    """Resolve near copies and contradictions of one audience."""
    done = await sweep_conflicts(context, access, leave=True)
    beat.counts.update(
        dedupCandidates=done.candidates,
        copies=done.copies,
        deprecated=done.deprecated,
        archived=done.archived,
        conflicts=done.flagged,
    )


async def _judge_entities(context: Context, access: Access, audience: Audience) -> int:
    """Leave which entities rules hold to be one by an audience alone, for `merge_entities`; returns
    how many."""
    if audience.section in (Visibility.LOCAL, Visibility.QUARANTINED):
        return 0
    pairs = await list_sure_pairs(context, access)
    user, now = access.viewer.user, context.clock()
    await keep_verdicts(context.graph, user, audience.key, pairs, now)
    return len(pairs)

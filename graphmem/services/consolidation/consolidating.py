"""Consolidation of a user's memory (MUMA 7.2).

The steps are: collect, cluster, summarise, prune, settle conflicts, distil, report. Every step goes
through one audience after the other, so that no note changes what is made for those who may not
read it; what is made has the readers of its sources.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from graphmem.ai.clustering import group_vectors
from graphmem.domain.consolidation import COLLECTED, EpisodeToSummarise, LlmSummary
from graphmem.domain.notes import Note
from graphmem.domain.visibility import Audience, Visibility
from graphmem.errors import Stale
from graphmem.services.conflicts import Sweep, sweep_conflicts
from graphmem.services.consolidation.distilling import distil
from graphmem.services.consolidation.summaries import (
    Summary,
    batches_of,
    clusters_of,
    summarise_notes,
)
from graphmem.services.consolidation.writing import MAKER, write_summaries
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.failure_isolation import FailureIsolation
from graphmem.services.writing.changing import require_writer
from graphmem.store import consolidation as store
from graphmem.store.notes import load_notes

PAGE: Final = 500  # notes read by one query, with their vectors
MOST_NOTES: Final = 10_000  # episodes of an audience, the newest
Alive = Callable[[], Awaitable[None]]
Cluster = tuple[str, ...]


@dataclass(kw_only=True)
class Report:
    """The counts of a consolidation."""

    collected: int = 0  # episodes that no summary covers yet
    clusters: int = 0
    created: int = 0  # summaries
    archived: int = 0  # episodes that a summary covers
    kept: int = 0  # episodes that say more than their summary
    links: int = 0
    left: int = 0  # clusters with a note that somebody changed meanwhile, and audiences that failed
    told: int = 0  # audiences whose part of core memory has changed
    sweep: Sweep = field(default_factory=Sweep)

    @property
    def markdown(self) -> str:
        """The numbers as a list for people."""
        return (
            f"- episodes looked at: {self.collected}\n- summaries made: {self.created}\n"
            f"- episodes archived, which a summary says: {self.archived}\n"
            f"- episodes kept, which say more: {self.kept}\n{self.sweep.markdown}"
        )


async def _ignore_beat() -> None:
    """Do nothing: nobody has to be notified that the work continues."""


async def consolidate(context: Context, access: Access) -> Report:
    """Consolidate what the viewer may read, without an LLM, for which a caller can't wait.

    Raises Forbidden for an agent that may only propose.
    """
    require_writer(access)
    context = replace(context, summariser=None)
    since = context.clock() - COLLECTED
    wanted = set(await store.fresh_audiences(context.graph, access.by_name, since))
    report = Report()
    for audience in _own_audiences(access, wanted):
        await summarise(context, access, audience, since, report, _ignore_beat)
        report.told += await distil(context, access, audience.key)
    report.sweep = await sweep_conflicts(context, access)
    return report


def _own_audiences(access: Access, wanted: Collection[str]) -> list[Audience]:
    """Return those of the user's audiences that are wanted, without local memory and quarantine."""
    kept_out = (Visibility.LOCAL, Visibility.QUARANTINED)
    found = [each for each in access.audiences if each.section not in kept_out]
    return sorted((each for each in found if each.key in wanted), key=lambda each: each.key)


async def consolidate_all(
    context: Context, access: Access, due: store.DueUser, alive: FailureIsolation
) -> Report:
    """Consolidate all of a user's memory, as a job does: each audience by itself.

    One for which it fails is left for the next run.
    """
    report = Report()
    fresh = {key for key, has_new in due.audiences if has_new}
    viewer = replace(access.viewer, acting_as=MAKER)

    async def consolidate_one(one: Sequence[Audience]) -> None:
        [audience] = one
        # Rights decide nothing here, so a change of them stops nothing.
        alone = replace(access, viewer=viewer, audiences=(audience,), version=None)
        await alive.checkpoint()
        if audience.key in fresh:
            await summarise(context, alone, audience, due.since, report, alive.checkpoint)
            await alive.checkpoint()
            swept = await sweep_conflicts(context, alone, leave=True)
            report.sweep = report.sweep.plus(swept)
            await alive.checkpoint()
        report.told += await distil(context, alone, audience.key)

    for audience in _own_audiences(access, {key for key, _ in due.audiences}):
        failed = await alive.each([audience], consolidate_one)  # counted in the report, too
        report.left += len(failed)
    return report


async def summarise(
    context: Context,
    access: Access,
    audience: Audience,
    since: datetime,
    report: Report,
    alive: Alive,
) -> None:
    """Make summaries of an audience's episodes since a time, and count what was done."""
    now = context.clock()
    collected: list[EpisodeToSummarise] = []
    async for page in store.list_new_episodes(
        context.graph, audience.key, MAKER, since=since, now=now, page=PAGE, most=MOST_NOTES
    ):
        collected += page
        await alive()
    rules = context.consolidation
    groups = await context.bulk_texts.run(
        lambda check: group_vectors(
            [each.vector for each in collected],
            [each.hours for each in collected],
            similarity=rules.similarity,
            scale_hours=rules.scale.total_seconds() / 3600,
            check=check,
        )
    )
    clusters = clusters_of(collected, groups)
    report.collected += len(collected)
    report.clusters += len(clusters)
    for batch in batches_of(clusters):
        await _make_summaries(context, access, audience, batch, report, alive)
        await alive()


async def _make_summaries(
    context: Context,
    access: Access,
    audience: Audience,
    batch: Sequence[Cluster],
    report: Report,
    alive: Alive,
) -> None:
    """Make the summaries of some clusters in one transaction.

    Where somebody was faster with a note of them, each is made by itself.
    """
    try:
        await _write_batch(context, access, audience, batch, report, alive)
    except Stale:
        if len(batch) == 1:
            report.left += 1
            return
        for cluster in batch:
            await _make_summaries(context, access, audience, [cluster], report, alive)


async def _write_batch(
    context: Context,
    access: Access,
    audience: Audience,
    batch: Sequence[Cluster],
    report: Report,
    alive: Alive,
) -> None:
    now = context.clock()
    ids = [note for cluster in batch for note in cluster]
    loaded = await load_notes(context.graph, ids, [audience.key], now)
    if len(loaded) < len(ids):
        raise Stale
    made = []
    for cluster in batch:
        notes = [loaded[i] for i in cluster]
        saying = None
        if context.summariser is not None:
            await alive()
            saying = await context.summariser.summarise(notes)
        if (each := await _summarise_in_thread(context, notes, now, saying)) is not None:
            made.append(each)
    if not made:
        return
    report.links += await write_summaries(context, access, made, now)
    report.created += len(made)
    report.archived += sum(len(each.captured) for each in made)
    report.kept += sum(len(each.sources) - len(each.captured) for each in made)


async def _summarise_in_thread(
    context: Context, notes: Sequence[Note], now: datetime, saying: LlmSummary | None
) -> Summary | None:
    return await context.bulk_texts.run(
        lambda check: summarise_notes(context, notes, now, check, saying)
    )

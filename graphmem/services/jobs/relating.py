"""Links related notes of an audience (L3, component 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from graphmem.domain.ids import uuid7
from graphmem.domain.profiles.recency import RELATED
from graphmem.domain.related import Related, Tagged, related_pairs, sort_pair
from graphmem.errors import Stale
from graphmem.services.context import Context
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.store import links as store
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Step
from graphmem.store.links import KindLink

MAKER: Final = "job:maintain_memory"  # the actor; no user or agent has a colon in its id
PAGE: Final = 2_000  # notes read by one query
CHANGES: Final = 50  # links changed in one transaction with its event: some 35 ms
MOST_NOTES: Final = 50_000  # newest notes of an audience that are in use and have tags
COUNTS: Final = ("relatedLinks", "linksMade", "linksRemoved")
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class _Notes:
    """The notes of one audience, newest first, and the existing links."""

    user: str
    audience: str
    domain: str
    notes: list[Tagged] = field(default_factory=list)
    links: list[KindLink] = field(default_factory=list)


async def relate(
    context: Context, beat: JobHeartbeat, user: str, audience: str, domain: str
) -> Mapping[str, int]:
    """Update the related links of one audience, if there are to be any; returns the counts.

    Only links that a job made are changed; a second run finds nothing to change.
    """
    if not context.ranking.related_memories.enabled:
        return {}
    given = _Notes(user=user, audience=audience, domain=domain)
    now = context.clock()
    async for page in store.tagged_notes(context.graph, given.audience, RELATED, now, PAGE):
        room = MOST_NOTES - len(given.notes)
        tagged = [Tagged(note, frozenset(tags)) for note, tags, _ in page if tags]
        given.notes.extend(tagged[:room])
        given.links.extend(link for *_, links in page for link in links)
        await beat.checkpoint()
    own = [link for link in given.links if link.by == MAKER]
    linked = {sort_pair(link.source, link.target) for link in given.links if link.by != MAKER}
    rules = context.ranking.related_memories
    # In a thread, since it computes for seconds where there are many notes
    wanted, missing, wrong = await context.bulk_texts.run(
        lambda check: _compare_links(related_pairs(given.notes, linked, rules, check), own)
    )
    for ids in _batches(wrong):
        await beat.checkpoint()
        await _write(context, given, store.unrelate_step(ids, MAKER), removed=len(ids))
    for pairs in _batches(missing):
        await beat.checkpoint()
        await _write(context, given, _link_step(context, given, pairs), made=len(pairs))
    made, removed = len(missing), len(wrong)
    return {"relatedLinks": wanted, "linksMade": made, "linksRemoved": removed}


def _compare_links(
    wanted: Sequence[Related], own: Sequence[KindLink]
) -> tuple[int, list[Related], list[str]]:
    """Return how many pairs there are, those without a link yet, and the ids of outdated links."""
    lacking = {(pair.one, pair.other): pair for pair in wanted}
    wrong = []
    for link in own:
        pair = lacking.get((link.source, link.target))
        if pair is None or pair.reason != link.reason:
            wrong.append(link.id)
        else:
            del lacking[link.source, link.target]
    return len(wanted), list(lacking.values()), wrong


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    return (rows[i : i + CHANGES] for i in range(0, len(rows), CHANGES))


def _link_step(context: Context, given: _Notes, pairs: Sequence[Related]) -> Step:
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
    """Write one batch and its event."""
    event = event_row(
        "LINK",
        "related notes linked" if made else "links between notes removed",
        audience=given.audience,
        actor=MAKER,
        at=context.clock(),
        domain=given.domain,
        data={"made": made, "removed": removed},
    )
    try:
        await context.graph.write(step, append_step(given.user, [event]))
    except Stale:  # another job has just removed one of them; the next run looks again
        return
    context.signal(given.user)

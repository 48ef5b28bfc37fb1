"""The job `sweep_decay` (MUMA 7.1, Moltbot 9): decay of notes.

Notes fade, sleep, go to cold storage, and come back when they are used.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Final

from graphmem.domain.notes import Status
from graphmem.domain.owners import Owner
from graphmem.errors import Stale
from graphmem.services.context import Context
from graphmem.services.jobs.running import Beat
from graphmem.store import decay as store
from graphmem.store.archiving import runs_of
from graphmem.store.changes import change_step
from graphmem.store.decay import DECAYED, Swept, Weak
from graphmem.store.events import append_each_step, append_step, event_row
from graphmem.store.rows import ChangeRow, EventRow, RevisionRow
from graphmem.store.teams import read_teams

PAGE: Final = 10_000  # notes read by one query, which returns those that are to change
ROUNDS: Final = 3  # over a page in which others change each batch before it is written
MOST: Final = 2_000  # most notes of a user that one query returns for a change
COUNTS: Final = ("notes", "pruneCandidates", "consolidationCandidates", "changed", *Status)


async def sweep_decay(context: Context, beat: Beat) -> Mapping[str, int]:
    """Go through all notes, audience by audience; returns the counts of the run.

    A note's status depends on that note alone, so nobody can learn of other notes by it. A change
    is one transaction with a DECAY event for those who may read the note, and a revision. Pinned,
    load-bearing and core notes stay active; for knowledge and skills of a team it counts who
    verified or used them, and the team gets the event.
    """
    beat.counts.update(dict.fromkeys(COUNTS, 0))

    async def read(after: str, limit: int) -> tuple[str | None, _Page]:
        page = _Page(context, after, limit, context.clock())
        return await page.read(), page

    async for last, page in beat.pages(
        read,
        PAGE,
        after=beat.place,
        step_over=lambda after: store.next_place(context.graph, after),
    ):
        counted: Counter[str] = Counter()
        for swept in page.found:
            counted.update(swept.counts)
        idle = 0
        while idle < ROUNDS and any(swept.weak for swept in page.found):
            changed = await page.change(beat)
            counted.update(changed)
            idle = 0 if changed else idle + 1
            await page.read()
        beat.counts.update(counted)
        await beat(last, of=store.owner_of(last))
    return beat.counts


class _Page:
    """The notes after a place, which are read again as often as some of them have changed."""

    def __init__(self, context: Context, after: str, limit: int, now: datetime) -> None:
        self._context, self._after, self._limit, self._now = context, after, limit, now
        self._left_out = set[str]()  # notes that can't be changed
        self.found: list[Swept] = []

    async def read(self) -> str | None:
        """Read the notes; returns the place of the last one, None when there is none."""
        ranking = self._context.ranking
        last, found = await store.sweep(
            self._context.graph,
            self._after,
            now=self._now,
            d=ranking.act_r.d,
            decay=ranking.decay,
            limit=self._limit,
            most=MOST,
        )
        self.found = [self._without_left_out(swept) for swept in found]
        return last

    def _without_left_out(self, swept: Swept) -> Swept:
        weak = tuple(each for each in swept.weak if each.id not in self._left_out)
        return replace(swept, weak=weak)

    async def change(self, beat: Beat) -> Mapping[str, int]:
        """Give the weak notes the status that fits.

        Returns how many changed, in all and to each status, and nothing when none did.
        """
        counts: Counter[str] = Counter()

        async def write(batch: Sequence[Weak]) -> None:
            with suppress(Stale):  # somebody changed one of them; what remains is found again
                await _write(self._context, batch[0].user, batch, self._now)
                counts.update(each.fitting for each in batch)
                counts["changed"] += len(batch)

        for swept in self.found:
            batches = (beat.pace.batches("decay", notes) for notes in runs_of(swept.weak))
            for batch in chain.from_iterable(batches):
                self._left_out |= {weak.id for weak in await beat.each(batch, write)}
                await beat()
            if swept.weak:
                self._context.signal(swept.user)
        return counts


async def _write(context: Context, user: str, batch: Sequence[Weak], now: datetime) -> None:
    """Change some notes of a user or a team, with their events."""
    owner = Owner.named(user)
    rows = [_row(weak, revised=not owner.is_team) for weak in batch]
    step = change_step(rows, user=user, agent=None, actor=DECAYED, now=now)
    if not owner.is_team:
        await context.graph.write(step, append_step(user, [_event(weak, now) for weak in batch]))
        return
    members = [
        each for team in await read_teams(context.graph, [owner.id], now) for each in team.members
    ]
    event_steps = [
        append_each_step({each: _event(weak, now) for each in members}) for weak in batch
    ]
    await context.graph.write(step, *(event_steps if members else ()))
    for member in members:
        context.signal(member)


def _row(weak: Weak, *, revised: bool) -> ChangeRow:
    """Return the row of a change.

    A team's version stays, because it is what its members agreed on.
    """
    given: dict[str, object] = {"status": weak.fitting, "archivedBy": None}
    if weak.fitting is Status.ARCHIVED:
        given |= {"archivedBy": DECAYED, "curatedKey": None}
    revision = RevisionRow(
        version=weak.version + 1, changes={"status": [weak.status, weak.fitting]}
    )
    return ChangeRow(
        id=weak.id,
        version=weak.version,
        audience=weak.audience,
        given=given,
        revisions=[revision] if revised else [],
    )


def _event(weak: Weak, now: datetime) -> EventRow:
    """Return the event that says why: the status before and after, and the strength."""
    shared = Owner.named(weak.user).is_team
    strength = {"retention": weak.strength["retention"]} if shared else weak.strength
    return event_row(
        "DECAY",
        f"{weak.status.lower()}→{weak.fitting.lower()}",
        audience=weak.audience,
        actor=DECAYED,
        at=now,
        subject_id=weak.id,
        channel="knowledge_update" if shared else "memory_update",
        domain=weak.domain,
        data={
            "from": weak.status,
            "to": weak.fitting,
            **{name: round(value, 6) for name, value in strength.items()},
        },
    )

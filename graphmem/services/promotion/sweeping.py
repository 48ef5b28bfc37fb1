"""The job `promote_knowledge` (MUMA 7.4): proposes useful notes to their owners for promotion."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphmem.domain.activation import activation
from graphmem.domain.notes import Note
from graphmem.domain.teams import Team
from graphmem.errors import Conflict, Forbidden, Invalid
from graphmem.services.actors import open_access
from graphmem.services.commons.anonymity import team_text_of
from graphmem.services.context import Context
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.job_runs.users import pages_of_users
from graphmem.services.promotion.proposing import (
    check_name_free,
    check_promotable,
    make_promotion,
    shared_audience,
)
from graphmem.store import promotion as store
from graphmem.store.events import append_step
from graphmem.store.notes import load_notes
from graphmem.store.promotion import Candidates
from graphmem.store.teams import read_teams

MAKER: Final = "job:promote_knowledge"  # the actor; no user or agent has a colon in its id
USERS: Final = 20  # read by one query


async def promote_knowledge(context: Context, beat: JobHeartbeat) -> Mapping[str, int]:
    """Go through the users of teams; returns the counts of the run.

    Nothing is shared by it: each owner decides, then an orchestrator. What can't be made anonymous
    is not proposed.
    """
    counts = beat.counts
    counts.update(dict.fromkeys(("users", "proposed", "doubtful"), 0))

    async def read(after: str, limit: int) -> Sequence[Candidates]:
        return await store.candidates(context.graph, after, now=context.clock(), limit=limit)

    async def propose(one: Sequence[Candidates]) -> None:
        counts.update(await propose_to(context, one[0].user, one))

    async for last, page in pages_of_users(context, beat, read, USERS, lambda each: each.user):
        for found in page:
            counts["users"] += 1
            for note in found.notes:
                await beat.each([replace(found, notes=(note,))], propose)
        await beat.checkpoint(last, of=last)
    return counts


async def propose_to(context: Context, user: str, found: Sequence[Candidates]) -> Mapping[str, int]:
    """Propose a user's candidates; returns how many were, and how many are about somebody."""
    counts = {"proposed": 0, "doubtful": 0}
    for team_id, note_id, audience in (each for one in found for each in one.notes):
        now = context.clock()
        teams = await read_teams(context.graph, [team_id], now)
        note = (await load_notes(context.graph, [note_id], [audience], now)).get(note_id)
        if note is None or not teams or not _is_active_enough(context, note):
            continue
        try:
            await _propose(context, user, teams[0], note)
        except Invalid:
            counts["doubtful"] += 1
        except (Conflict, Forbidden):  # somebody was faster
            continue
        else:
            counts["proposed"] += 1
    return counts


def _is_active_enough(context: Context, note: Note) -> bool:
    strength = activation(note.created_at, note.accesses, note.access_count, context.clock())
    return strength > context.promotion.high_activation


async def _propose(context: Context, user: str, team: Team, note: Note) -> None:
    readers = shared_audience(team, note.kind, note.domain)
    everything = store.VisibleAudiences()
    await check_promotable(context, note, readers, seen=everything)
    access = await open_access(context, user, None)
    text = await team_text_of(context, access, team, note, None)
    await check_name_free(context, readers, text)
    _, step, event = make_promotion(
        context, note, readers, text, author=None, actor=MAKER, consented=False, seen=everything
    )
    await context.graph.write(step, append_step(user, [event]))
    context.signal(user)

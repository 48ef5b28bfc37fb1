"""A memory that goes through the simulated year: notes are written, questions asked and jobs run
at the times of the plan, by a clock of its own."""

import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from bench.benchmarks import ask
from bench.year.plan import AGENTS, BEGAN, USERS, Written, other
from graphmem.domain.ids import digest, uuid7
from graphmem.domain.jobs import MAX_ATTEMPTS, JobRun, RunStatus
from graphmem.domain.notes import Note, NoteDraft, Status
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.job_runs.running import LEASE_S, carry_out, claim_run
from graphmem.services.job_runs.times import newest_slot, slot_name
from graphmem.services.jobs.jobs import WORK, scheduled_jobs
from graphmem.services.recall.request import RecallRequest
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.words import words_of
from graphmem.store.changes import change_step, create_step
from graphmem.store.jobs import LOST, due, take_over
from graphmem.store.rows import ChangeRow, CreateRow, RevisionRow

BATCH = 200  # notes written at once
HITS = 10
ACTOR = "bench"


def moment(day: float) -> datetime:
    """An instant of the year, to the millisecond."""
    return BEGAN + timedelta(milliseconds=round(day * 86_400_000))


def _id(given: Written) -> str:
    """The id of a note, which is the same in each run."""
    own = digest(given.key, 18)
    return f"{uuid7(moment(given.day))[:14]}7{own[:3]}-8{own[3:6]}-{own[6:]}"


@dataclass(kw_only=True)
class Life:
    """A memory at a time of the year."""

    real: Context
    day: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)  # of the runs of jobs, added up

    @property
    def context(self) -> Context:
        """The service by the clock of the year."""
        return replace(self.real, clock=lambda: moment(self.day))

    async def access(self, user: int, agent: int | None = None) -> Access:
        """The rights of a user, or of one of the user's agents, as they are now."""
        name = None if agent is None else f"agent{agent}"
        return await open_access(self.context, f"user{user}", name, register=True)

    async def register(self) -> None:
        """Make users and agents known."""
        for user in range(USERS):
            for agent in (None, *range(AGENTS)):
                await self.access(user, agent)

    async def write(self, notes: Sequence[Written]) -> None:
        """Write notes with their times, a user's in one transaction."""
        by_user = defaultdict[int, list[Written]](list)
        for each in notes:
            by_user[each.user].append(each)
        for user, own in by_user.items():
            access = {agent: await self.access(user, agent) for agent in (None, *range(AGENTS))}
            for start in range(0, len(own), BATCH):
                batch = own[start : start + BATCH]
                await self._write(f"user{user}", [self._note(access[e.agent], e) for e in batch])

    def _note(self, access: Access, given: Written) -> Note:
        at = moment(given.day)
        draft = NoteDraft(
            content=given.content,
            external_id=given.key,
            domain=given.domain,
            kind=given.kind,
            pinned=given.pinned,
            load_bearing=given.load_bearing,
        )
        note = note_as_said(access, _id(given), draft, at, self.real.writing.half_life_hours)
        # With a context, as the write pipeline gives one, a note may be merged and archived.
        return replace(note, context=given.content)

    async def _write(self, user: str, made: Sequence[Note]) -> None:
        vectors = await self.real.embedder.embed_documents([note.reading_text for note in made])
        rows = [
            CreateRow(
                note=note,
                properties={"words": words_of(note), "givenTags": [], "givenKeywords": []},
                embedding=vector,
                revisions=[RevisionRow(version=1, content=note.content, changes={})],
            )
            for note, vector in zip(made, vectors, strict=True)
        ]
        step = create_step(rows, user=user, actor=ACTOR, now=moment(self.day))
        await self.real.graph.write(step, timeout_s=120)

    async def use(self, asked: Sequence[tuple[float, Written]], others: int, seed: int) -> None:
        """Ask for needles on their days, with `deep` once more where the ordinary answer lacks the
        note, and ask `others` questions about what everybody writes of."""
        until = self.day
        for day, needle in sorted(asked, key=lambda each: each[0]):
            self.day = day
            assert needle.question is not None
            if not await self.finds(needle, track=True):
                await self.finds(needle, track=True, deep=True)
        self.day = until
        rng = random.Random(f"{seed} {until}")
        for _ in range(others):
            user = rng.randrange(USERS)
            access = await self.access(user, rng.choice((None, *range(AGENTS))))
            await ask(self.context, access, RecallRequest(query=other(rng, user), k=HITS))
        await self.real.log.flush()

    async def finds(self, needle: Written, *, track: bool = False, deep: bool = False) -> bool:
        """Whether its question finds a note among the first ten."""
        access = await self.access(needle.user)
        question = RecallRequest(query=needle.question or "", k=HITS, track=track, deep=deep)
        answer = await ask(self.context, access, question)
        return any(hit.note.external_id == needle.key for hit in answer.hits)

    async def run_jobs(self, slots: dict[str, str]) -> None:
        """Run each job whose time has come since its last run, once, as a service does that was
        asleep; `slots`: the newest slot that each had. Raises RuntimeError when one fails."""
        context = self.context
        for job in scheduled_jobs(context):
            slot = newest_slot(job, moment(self.day))
            if slot is None or slot_name(slot) == slots.get(job.name):
                continue
            slots[job.name] = slot_name(slot)
            began = time.monotonic()
            run = await claim_run(context, job.name, slot, slot_name(slot), LEASE_S)
            if run is None:
                continue
            ended = await carry_out(context, run, WORK[job.name], LEASE_S)
            while ended.error == LOST and (again := await left_behind(context, job.name)):
                ended = await carry_out(context, again, WORK[job.name], LEASE_S)
            if ended.status is not RunStatus.DONE:
                raise RuntimeError(f"{job.name}: {ended.error}")
            took = {"runs": 1, "milliseconds": round(1000 * (time.monotonic() - began))}
            for name, count in {**ended.counts, **took}.items():
                key = f"{job.name}.{name}"
                self.counts[key] = self.counts.get(key, 0) + count

    async def drop(self, notes: Sequence[Written]) -> None:
        """Archive notes that nobody has changed."""
        by_user = defaultdict[int, list[Written]](list)
        for each in notes:
            by_user[each.user].append(each)
        for user, own in by_user.items():
            access = {agent: await self.access(user, agent) for agent in (None, *range(AGENTS))}
            for start in range(0, len(own), BATCH):
                batch = own[start : start + BATCH]
                rows = [_gone(self._note(access[each.agent], each)) for each in batch]
                now = moment(self.day)
                step = change_step(rows, user=f"user{user}", agent=None, actor=ACTOR, now=now)
                await self.real.graph.write(step, timeout_s=120)

    async def stands(self) -> Mapping[str, Any]:
        """How many notes have each status and tier, and how many bytes they take."""
        found: dict[str, int] = defaultdict(int)
        for user in range(USERS):
            access = await self.access(user)
            rows = await self.real.graph.read(
                "stats/notes", audiences=list(access.by_name), now=moment(self.day)
            )
            for row in rows:
                found["notes"] += row["notes"]
                found[row["status"]] += row["notes"]
                found[row["tier"]] += row["notes"]
                found["bytes"] += row["bytes"]
                if row["status"] in ("ACTIVE", "FADING") and row["tier"] != "LONG_TERM":
                    found["live"] += row["notes"]
        return dict(found)


async def left_behind(context: Context, job: str) -> JobRun | None:
    """The run of a job that a slow Neo4j has ended, taken over as the clock would do it."""
    (stands,) = await due(context.graph, [job])
    if stands.left is None or stands.attempts >= MAX_ATTEMPTS:
        return None
    fence = await take_over(context.graph, stands.left, LEASE_S)
    return None if fence is None else replace(stands.left, fence=fence)


def _gone(note: Note) -> ChangeRow:
    changes = {"status": [note.status, Status.ARCHIVED]}
    return ChangeRow(
        id=note.id,
        version=note.version,
        audience=note.audience.key,
        given={"status": Status.ARCHIVED, "curatedKey": None, "archivedBy": ACTOR},
        revisions=[RevisionRow(version=note.version + 1, changes=changes)],
    )

"""Jobs and their runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

_HEADER = re.compile(
    r"// (?P<description>[^\n]+)\n"
    r"// cron: (?P<cron>\S+(?: \S+){4})\n"
    r"// time zone: (?P<zone>\S+)\n"
)
SKIPPED = "skipped"  # of the counts of a run: rows that failed by themselves and were left out
AT_ONCE = 2  # so that callers are served beside them on a machine with two processors
MAX_ATTEMPTS = 3  # at the run of a slot, when its process dies or the database is away


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A file of `jobs/`; `cron` is when it is due in its time zone, as five fields."""

    name: str
    description: str
    cron: str
    time_zone: str


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Which jobs are run at their times: none unless `on`, and not those that are `off`; and how
    many may go on `at_once` in a process when another one begins. `crons` are the times of those
    that have other ones than their file says."""

    on: bool = True
    off: tuple[str, ...] = ()
    at_once: int = AT_ONCE
    crons: Mapping[str, str] = field(default_factory=dict)

    def runs(self, job: str) -> bool:
        """Whether a job is run at its times."""
        return self.on and job not in self.off

    def timed(self, job: Job) -> Job:
        """A job with the times that it has here."""
        return replace(job, cron=self.crons.get(job.name, job.cron))


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """One run of a job. A slot is what it is the run for: of one slot there is one run, which
    another process goes on with when its own one dies.

    `fence` is the number of the lease that the process has: one with another number may not go on.
    `place` is where the run goes on then, as the job itself names it."""

    id: str
    job: str
    slot: str
    started_at: datetime
    finished_at: datetime | None = None
    status: RunStatus = RunStatus.RUNNING
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    slot_at: datetime | None = field(default=None, compare=False)  # None: it is run by hand
    fence: int = field(default=0, compare=False)
    place: str | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Due:
    """How a job stands in the graph at `now`, the time of the database."""

    job: str
    now: datetime
    newest: datetime | None  # the newest slot that had a run
    free: bool  # nobody holds the lease
    left: JobRun | None = None  # the run of a slot that has no process, if the lease is free
    attempts: int = 0  # that were made at it


def cron_every(length: timedelta) -> str:
    """The five fields of cron for times that are all equally far from each other. Raises ValueError
    for a length that divides neither an hour into minutes nor a day into hours."""
    minutes, rest = divmod(length, timedelta(minutes=1))
    hours = minutes // 60
    if rest or minutes < 1 or (60 % minutes and (minutes % 60 or 24 % hours)):
        raise ValueError(
            "an interval is minutes that divide an hour, such as 15m, or hours that divide a day, "
            "such as 6h"
        )
    if minutes < 60:
        return f"*/{minutes} * * * *"
    return f"0 */{hours} * * *" if hours < 24 else "0 0 * * *"


def parse_job(name: str, text: str) -> Job:
    """The job of a file. Raises ValueError unless it begins with what it does, `// cron:` and
    `// time zone:`."""
    found = _HEADER.match(text)
    if found is None:
        raise ValueError(
            f"jobs/{name}.cypher does not begin with what it does, // cron: and // time zone:"
        )
    return Job(
        name=name,
        description=found["description"],
        cron=found["cron"],
        time_zone=found["zone"],
    )

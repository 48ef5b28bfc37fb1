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
SKIPPED = "skipped"  # key in the counts of a run: rows that failed and were left out
AT_ONCE = 2  # leaves room for callers on a machine with two processors
MAX_ATTEMPTS = 3  # per slot, when its process dies or the database is away


class RunStatus(StrEnum):
    """The state of a run."""

    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A file of `jobs/`; `cron` says in five fields when it is due in its time zone."""

    name: str
    description: str
    cron: str
    time_zone: str


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The jobs that run on schedule: none unless `on`, and not those in `off`.

    At most `at_once` of them run in a process at the same time. `crons` holds the times of jobs
    that differ from those in their files."""

    on: bool = True
    off: tuple[str, ...] = ()
    at_once: int = AT_ONCE
    crons: Mapping[str, str] = field(default_factory=dict)

    def runs(self, job: str) -> bool:
        """Check whether a job is scheduled at all."""
        return self.on and job not in self.off

    def with_own_times(self, job: Job) -> Job:
        """Return a job with the times it has here."""
        return replace(job, cron=self.crons.get(job.name, job.cron))


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """One run of a job.

    There is one run per slot. If its process dies, another process resumes it.

    `fence` is the number of the process's lease: a process with another number may not continue.
    `place` is where a resumed run continues, in the job's own terms."""

    id: str
    job: str
    slot: str
    started_at: datetime
    finished_at: datetime | None = None
    status: RunStatus = RunStatus.RUNNING
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    slot_at: datetime | None = field(default=None, compare=False)  # None: a run by hand
    fence: int = field(default=0, compare=False)
    place: str | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class JobState:
    """The state of a job in the graph at `now`, the time of the database."""

    job: str
    now: datetime
    newest: datetime | None  # the newest slot that had a run
    free: bool  # nobody holds the lease
    left: JobRun | None = None  # an unfinished run without a process, if the lease is free
    attempts: int = 0  # attempts made at that run


def cron_every(length: timedelta) -> str:
    """Return the five fields of cron for equally spaced times.

    Raises ValueError for a length that divides neither an hour into minutes nor a day into
    hours."""
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
    """Parse the job in a file.

    Raises ValueError unless the text begins with a description, `// cron:` and `// time zone:`."""
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

"""Jobs and their runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

_HEADER = re.compile(r"// (?P<description>[^\n]+)\n// cron: (?P<cron>\S+(?: \S+){4})\n")


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A file of `jobs/`; `cron` is when it is due, as five fields."""

    name: str
    description: str
    cron: str


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """One run of a job. A slot is what it is the run for: of one slot there is one run."""

    id: str
    job: str
    slot: str
    started_at: datetime
    finished_at: datetime | None = None
    status: RunStatus = RunStatus.RUNNING
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None


def parse_job(name: str, text: str) -> Job:
    """The job of a file. Raises ValueError unless it begins with what it does and `// cron:`."""
    found = _HEADER.match(text)
    if found is None:
        raise ValueError(f"jobs/{name}.cypher does not begin with what it does and // cron:")
    return Job(name=name, description=found["description"], cron=found["cron"])

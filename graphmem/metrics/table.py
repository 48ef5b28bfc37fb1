"""The table of metrics: the name of each, its meaning and its labels.

The values of labels are words of ours alone: names of operations, stages, jobs, queues, codes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from graphmem.services.meter import ANSWERS, LAG, OPERATION, REFUSALS, REQUESTS, STAGE

PREFIX: Final = "graphmem_"


class Kind(StrEnum):
    """The kind of a metric: what only grows, what goes up and down, or times in buckets."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric."""

    name: str
    """as Prometheus knows it, without `graphmem_`, and without `_total` if it is a counter"""
    kind: Kind
    about: str
    labels: tuple[str, ...] = ()


# What the meter of a process has counted, by its name there.
METERED: Final = {
    REQUESTS: Metric(
        name="requests",
        kind=Kind.COUNTER,
        about="Operations by protocol, name and outcome: OK, CANCELLED or the code of an error",
        labels=("protocol", "operation", "outcome"),
    ),
    REFUSALS: Metric(
        name="refusals",
        kind=Kind.COUNTER,
        about="Requests refused before an operation began: no valid key, or too many",
        labels=("code",),
    ),
    ANSWERS: Metric(
        name="http_answers",
        kind=Kind.COUNTER,
        about="Answers over HTTP by protocol and status",
        labels=("protocol", "status"),
    ),
    OPERATION: Metric(
        name="operation_seconds",
        kind=Kind.HISTOGRAM,
        about="The time of operations by name",
        labels=("operation",),
    ),
    STAGE: Metric(
        name="recall_stage_seconds",
        kind=Kind.HISTOGRAM,
        about="The time of the stages of recalls",
        labels=("stage",),
    ),
    LAG: Metric(
        name="event_loop_lag_seconds",
        kind=Kind.HISTOGRAM,
        about="By how much the event loop was late, looked at twice a second",
    ),
}
INFO: Final = Metric(
    name="info", kind=Kind.GAUGE, about="1, with the version of the service", labels=("version",)
)
DATABASE_UP: Final = Metric(
    name="database_up", kind=Kind.GAUGE, about="1 if Neo4j answers, else 0; as of up to 30 s ago"
)
POOL_IN_USE: Final = Metric(
    name="database_connections_in_use",
    kind=Kind.GAUGE,
    about="Connections to Neo4j that are in use or waited for",
)
POOL_MOST: Final = Metric(
    name="database_connections_most", kind=Kind.GAUGE, about="The most connections to Neo4j"
)
WAITING: Final = Metric(
    name="waiting", kind=Kind.GAUGE, about="What waits, by queue", labels=("queue",)
)
ENCODED: Final = Metric(
    name="encoded_texts",
    kind=Kind.COUNTER,
    about="Texts that the embedding model was given, by kind; repeated questions are not",
    labels=("kind",),
)
ENCODING: Final = Metric(
    name="encoding_seconds",
    kind=Kind.COUNTER,
    about="Seconds that was waited for the embedding model, by the kind of texts",
    labels=("kind",),
)
SUBSCRIBERS: Final = Metric(
    name="subscribers", kind=Kind.GAUGE, about="Streams of changes that are followed"
)
STREAMS: Final = Metric(
    name="streams", kind=Kind.GAUGE, about="Streamed answers that are open, of all protocols"
)
RUNNING: Final = Metric(name="jobs_running", kind=Kind.GAUGE, about="Runs of jobs in this process")
NOTES: Final = Metric(
    name="notes", kind=Kind.GAUGE, about="Notes of everybody by status", labels=("status",)
)
JOB_FAILED: Final = Metric(
    name="job_failed",
    kind=Kind.GAUGE,
    about="1 if the newest run of a job failed, else 0",
    labels=("job_name",),
)
JOB_ENDED: Final = Metric(
    name="job_ended_timestamp_seconds",
    kind=Kind.GAUGE,
    about="When the newest run of a job ended",
    labels=("job_name",),
)
JOB_OVERDUE: Final = Metric(
    name="job_overdue_seconds",
    kind=Kind.GAUGE,
    about="For how long the newest time of a job waits for its run; 0 if it had one",
    labels=("job_name",),
)
METRICS: Final = (
    *METERED.values(),
    *(INFO, DATABASE_UP, POOL_IN_USE, POOL_MOST, WAITING, ENCODED, ENCODING, SUBSCRIBERS),
    *(STREAMS, RUNNING, NOTES, JOB_FAILED, JOB_ENDED, JOB_OVERDUE),
)

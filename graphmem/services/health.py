"""How the service is: what waits in this process, what is in the graph, and how the jobs do.

All of it is of everybody, so it is for whoever runs the service."""

import asyncio
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import Final, TypeVar

from graphmem.ai.query_cache import Encoded, QueryCache
from graphmem.domain.jobs import JobRun
from graphmem.errors import GraphmemError
from graphmem.services.context import Context
from graphmem.services.job_runs.times import newest_slot
from graphmem.services.jobs.jobs import list_jobs, scheduled_jobs
from graphmem.store import jobs as job_store
from graphmem.store import meta

T = TypeVar("T")
PATIENCE_S: Final = 5.0
KEPT_S: Final = 30.0
ONLINE: Final = "ONLINE"
LICENSE_OF_NEO4J: Final = "GPL-3.0 (Community Edition)"
LONGEST_LICENSE: Final = 60  # characters; some packages give the whole text
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True)
class JobHealth:
    """The newest run of a job, None if it never ran, and by how many seconds it is overdue."""

    name: str
    run: JobRun | None
    overdue_s: float


@dataclass(frozen=True, kw_only=True)
class GraphHealth:
    """The contents of the graph: the notes of everybody by status and those that wait for an LLM,
    if they could be counted, and the jobs."""

    notes: Mapping[str, int]
    for_llm: int | None
    jobs: Sequence[JobHealth]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part that graphmem is made of, with its version and licence."""

    name: str
    version: str
    license: str


@dataclass(frozen=True, kw_only=True)
class Database:
    """Neo4j: its version, the nodes of everybody by label, the relationships, and the indexes that
    can't be used yet."""

    version: str
    nodes: Mapping[str, int]
    relationships: int
    building: tuple[str, ...]


async def read_database(context: Context) -> Database:
    """Return the version and the contents of Neo4j. Raises Unavailable."""
    version, contents = await asyncio.gather(
        meta.read_version(context.graph), meta.read_contents(context.graph)
    )
    building = [name for name, state in contents.indexes.items() if not state.startswith(ONLINE)]
    return Database(
        version=version,
        nodes=contents.labels,
        relationships=contents.relationships,
        building=tuple(building),
    )


@cache
def parts_of(database: str) -> tuple[Part, ...]:
    """Return what graphmem needs to run, itself first, then Neo4j of this version, with licences
    as the parts state them."""
    own = Part(name="graphmem", version=version("graphmem"), license=_license_of("graphmem"))
    neo4j = Part(name="Neo4j", version=database, license=LICENSE_OF_NEO4J)
    needed = {_NAME.match(each) for each in requires("graphmem") or () if "extra ==" not in each}
    names = sorted(found[0] for found in needed if found is not None)
    return (own, neo4j, *(part for name in names if (part := _find_part(name)) is not None))


def _find_part(name: str) -> Part | None:
    try:
        return Part(name=name, version=version(name), license=_license_of(name))
    except PackageNotFoundError:  # not for this machine
        return None


def _license_of(name: str) -> str:
    """Return the licence in the metadata of a package: an expression, else a short name, else what
    its classifiers say."""
    told = metadata(name)
    said = (told.get_all("License-Expression") or told.get_all("License") or [""])[0]
    if said and len(said) <= LONGEST_LICENSE and "\n" not in said:
        return said
    classifiers = told.get_all("Classifier") or []
    kinds = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License")]
    return ", ".join(kinds) or "see the package"


def queues_of(context: Context) -> dict[str, int]:
    """Return how much waits in this process, by the name of the queue."""
    encoded = encoded_by(context)
    return {
        "recalls": context.log.waiting,
        "texts": context.texts.waiting,
        "bulk_texts": context.bulk_texts.waiting,
        **{f"encode_{kind}s": each.waiting for kind, each in encoded.items()},
    }


def encoded_by(context: Context) -> Mapping[str, Encoded]:
    """Return what the embedding model was given, by the kind of texts."""
    return context.embedder.work if isinstance(context.embedder, QueryCache) else {}


class GraphLook:
    """Looks at the graph, at most once in half a minute, however often it is asked."""

    def __init__(self, kept_s: float = KEPT_S) -> None:
        self._kept_s = kept_s
        self._looking = asyncio.Lock()
        self._found: GraphHealth | None = None
        self._at = float("-inf")

    async def look(self, context: Context) -> GraphHealth | None:
        """Return what is in the graph; None if it does not answer.

        A graph that is slow to count its notes, as a large one may be, is up all the same.
        """
        loop = asyncio.get_running_loop()
        async with self._looking:
            if loop.time() - self._at >= self._kept_s:
                self._found = await look_at_graph(context)
                self._at = loop.time()
            return self._found


async def look_at_graph(context: Context) -> GraphHealth | None:
    """Return what is in the graph, within five seconds each; None if it does not answer."""
    counted, jobs = await asyncio.gather(
        _within_patience(meta.count_by_status(context.graph)),
        _within_patience(_look_at_jobs(context)),
    )
    if jobs is None:
        return None
    notes, for_llm = ({}, None) if counted is None else counted
    return GraphHealth(notes=notes, for_llm=for_llm, jobs=jobs)


async def _within_patience(look: Awaitable[T]) -> T | None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await look
    except (GraphmemError, TimeoutError):
        return None


async def _look_at_jobs(context: Context) -> list[JobHealth]:
    scheduled = {job.name: job for job in scheduled_jobs(context)}
    states, listed = await asyncio.gather(
        job_store.due(context.graph, sorted(scheduled)), list_jobs(context.graph, context.schedule)
    )
    overdue = {
        each.job: _overdue_s(newest_slot(scheduled[each.job], each.now), each.newest, each.now)
        for each in states
    }
    return [
        JobHealth(name=job.name, run=run, overdue_s=overdue.get(job.name, 0.0))
        for job, run in listed
    ]


def _overdue_s(slot: datetime | None, newest: datetime | None, now: datetime) -> float:
    """Return since when the newest slot waits for its run, in seconds; 0 if it had one."""
    waits = slot is not None and (newest is None or newest < slot)
    return (now - slot).total_seconds() if waits and slot is not None else 0.0

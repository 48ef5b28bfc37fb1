"""Makes the first answers after a start as quick as later ones.

Neo4j plans a query when it first sees it, and Java compiles what runs often: together some seconds
that nobody should wait for. So what callers send is sent for nobody, who has no notes: the reads
find nothing, and the write is rolled back. Then some of the questions are asked as somebody who has
notes, without a trace, since existing rows run other code than none.

Recalls come first, since most callers begin with one: the service is ready once they are warm. The
rest follows alongside the first answers, one part after another, so that it takes one processor.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import datetime

import structlog

from graphmem.domain.actors import Viewer
from graphmem.domain.ids import uuid7
from graphmem.domain.jobs import JobRun
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.ranking import Balanced
from graphmem.domain.reflection import Cause
from graphmem.domain.visibility import Visibility, audience_of
from graphmem.errors import GraphmemError
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.recall.recall import bounds_of, recall
from graphmem.services.recall.request import RecallRequest
from graphmem.services.reflection.reflecting import look_through
from graphmem.services.tracking import steps_of
from graphmem.services.writing.construct import plan_of
from graphmem.services.writing.remember import encode, prepare
from graphmem.store import notes
from graphmem.store import recall as store
from graphmem.store.actors import put_agent_step, put_user_step
from graphmem.store.changes import change_step, same_readers_step
from graphmem.store.consolidation import derive_step
from graphmem.store.graph import Step
from graphmem.store.jobs import claim_step, finish_step, keep_step, users_to_reflect
from graphmem.store.links import create_many_step
from graphmem.store.meta import count_notes, some_owner
from graphmem.store.rows import ChangeRow, LinkRow
from graphmem.store.visibility import read_viewer

NOBODY = " "  # no user has this id
AFTER_ALL = "\U0010ffff"  # no id comes after it
ROUNDS = 2  # further rounds gain little
QUESTIONS = (
    "Who approved the plan?",
    "What is the latest on the plan?",
    "How do I plan it?",
    "What was planned last week?",
    "What do you know about the plan?",
    "Who am I?",
)

LOOK_EVERY_S = 2.0
SMALLEST = 100  # notes; in a smaller graph every plan is quick
GROWTH = 3  # times as many notes as when queries were planned last; Neo4j waits for four times
PATIENCE_S = 30.0  # time to get warm; after that the service is ready anyway

log = structlog.get_logger(__name__)

Part = Callable[[Context, Access], Awaitable[None]]


@asynccontextmanager
async def keep_warm(context: Context, operations: Sequence[Part] = ()) -> AsyncIterator[None]:
    """Warm a service up, and run the body once recalls are warm, or after PATIENCE_S.

    The rest of the warming up goes on meanwhile. `operations` read through the API.
    """
    recalls_warm = asyncio.Event()

    async def stay_warm() -> None:
        planned = 0
        with _log_failure():
            planned = await count_notes(context.graph)
        try:
            await warm_up(context, operations, recalls_warm)
        finally:
            recalls_warm.set()
        await keep_plans_fitting(context, planned)

    task = asyncio.create_task(stay_warm())
    try:
        try:
            await asyncio.wait_for(recalls_warm.wait(), PATIENCE_S)
        except TimeoutError:
            log.warning("the service is not warm yet; it is ready all the same")
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def warm_up(
    context: Context,
    operations: Sequence[Part] = (),
    recalls_warm: asyncio.Event | None = None,
) -> None:
    """Send what recalls, writes and `operations` send.

    `recalls_warm` is set when recalls are quick and the rest is still to do. What fails is left for
    the first caller.
    """
    began = time.monotonic()
    nobody = context, _nobody_access()
    somebody: tuple[Context, Access] | None = None

    def seconds() -> float:
        return round(time.monotonic() - began, 1)

    await asyncio.gather(
        *(_send(part, *nobody) for part in (_read_neighbourhood, _ask_first_question, _read_viewer))
    )
    with _log_failure():
        somebody = await _open_some_owner(context)
    await _send(_ask_questions, *(somebody or nobody))
    _keep_from_garbage_collection()
    recalls = seconds()
    if recalls_warm is not None:
        recalls_warm.set()
    for part in (_rehearse_write, *operations, *ROUNDS * (_rehearse_write, _ask_questions)):
        await _send(part, *nobody)
    if somebody is not None:
        for part in operations:
            await _send(part, *somebody)
    for part in (_rehearse_job_run, _read_for_reflection):
        await _send(part, *nobody)
    log.info("the service is warm", recalls=recalls, seconds=seconds())


async def keep_plans_fitting(
    context: Context, planned: int, *, look_every_s: float = LOOK_EVERY_S
) -> None:
    """Have recalls and writes planned again whenever the graph has grown, until cancelled.

    It has grown when it has GROWTH times the number of notes for which they were `planned`. A plan
    for a small graph can be twelve times too slow in a larger one. Neo4j would make a new plan for
    the next caller, who would wait half a second for it.
    """
    while True:
        with _log_failure():
            count = await count_notes(context.graph)
            if count >= max(SMALLEST, planned * GROWTH):
                await replan(context)
                planned = count
            planned = min(planned, count)
        await asyncio.sleep(look_every_s)


async def replan(context: Context) -> None:
    """Have recalls and writes planned for what is in the graph now.

    Nothing is changed; callers use the old plans meanwhile.
    """
    began = time.monotonic()
    replanning = replace(context, graph=context.graph.replanning())
    with _log_failure():
        somebody = await _open_some_owner(replanning)
        if somebody is not None:
            for part in (_ask_first_question, _read_neighbourhood, _ask_questions):
                await _send(part, *somebody)
    await _send(_rehearse_write, replanning, _nobody_access())
    log.info("queries are planned again", seconds=round(time.monotonic() - began, 1))


async def _send(part: Part, context: Context, access: Access) -> None:
    with _log_failure():
        await part(context, access)


@contextmanager
def _log_failure() -> Iterator[None]:
    """Log an error of the body; what failed is left for the first caller."""
    try:
        yield
    except GraphmemError as error:
        log.info("a part of the service starts cold", code=error.code)
    except Exception as error:  # nobody waits for it, so nobody else would report it
        log.error("a part of the service starts cold", error=type(error).__name__)


def _keep_from_garbage_collection() -> None:
    """Keep present objects out of garbage collection.

    What lives when recalls are warm lives as long as the service, so going through it again and
    again would only make callers wait, for 60 ms each time.
    """
    gc.collect()
    gc.freeze()


def _nobody_access() -> Access:
    domains = ("general", "home", "work", "work/code", "work/sales")
    return Access(
        viewer=Viewer(user=NOBODY),
        audiences=tuple(audience_of(NOBODY, Visibility.SCOPED, domain) for domain in domains),
        rules={},
        default=Visibility.SCOPED,
        version=0,
    )


async def _read_neighbourhood(context: Context, access: Access) -> None:
    bounds, _ = bounds_of(access, RecallRequest(query=QUESTIONS[0]), context.clock())
    ids = [uuid7(bounds.now) for _ in range(Balanced.frontier)]
    await store.neighbourhood(context.graph, bounds, notes=ids, named=[])
    some = ids[: RecallRequest.k]
    vector = await context.embedder.embed_query(QUESTIONS[0])
    await notes.load_near(
        context.graph, some, bounds.audiences, bounds.now, near=some, vector=vector
    )
    await notes.load_notes(context.graph, some, bounds.audiences, bounds.now)


async def _ask_first_question(context: Context, access: Access) -> None:
    await recall(context, access, RecallRequest(query=QUESTIONS[0], track=False))


async def _read_viewer(context: Context, access: Access) -> None:
    await read_viewer(context.graph, access.viewer.user, None)


async def _ask_questions(context: Context, access: Access) -> None:
    for query in QUESTIONS:
        await recall(context, access, RecallRequest(query=query, track=False))
        await _read_neighbourhood(context, access)


async def _open_some_owner(context: Context) -> tuple[Context, Access] | None:
    """Return how to read, without a trace, as a user who has notes, if there is one."""
    user = await some_owner(context.graph)
    if user is None:
        return None
    quiet = context.without_traces()
    return quiet, await open_access(quiet, user, None, admit=True)


async def _rehearse_write(context: Context, access: Access) -> None:
    now = context.clock()
    draft = NoteDraft(content="Ada Moen works at Halden Labs.")
    plan = plan_of(context, access, 0, uuid7(now), draft, WriteMode.CURATED, now)
    _, steps = await prepare(context, access, [plan], encode(context, [plan]), now)
    ids = [uuid7(now) for _ in range(RecallRequest.k)]
    counted = notes.reinforce_step({i: [now] for i in ids}, 1.0)
    made = put_user_step(NOBODY, None, now), put_agent_step(NOBODY, NOBODY, {}, now)
    others = *_neighbour_steps(ids, now), *_job_steps(ids, now), counted, *steps_of([])
    await context.graph.rehearse(*made, *steps, *others)


def _neighbour_steps(ids: list[str], now: datetime) -> list[Step]:
    """Return the steps of a write that finds notes near its own, with ids of no note."""
    link = LinkRow(
        id=ids[0], source=ids[1], target=ids[2], kind="same-topic", strength=0.5, reason=""
    )
    change = ChangeRow(id=ids[3], version=1, audience="", given={}, revisions=[])
    return [
        create_many_step([link], user=NOBODY, actor=NOBODY, now=now),
        change_step([change], user=NOBODY, agent=None, actor=NOBODY, now=now),
    ]


async def _rehearse_job_run(context: Context, access: Access) -> None:
    """Send what each run of a job sends about itself, each in a transaction of its own.

    Otherwise one would be planned while the other has locked what runs of other processes write to.
    """
    now = context.clock()
    run = JobRun(id=uuid7(now), job=NOBODY, slot=NOBODY, started_at=now, finished_at=now, fence=1)
    for step in (claim_step(run, 1.0), keep_step(run, 1.0, run.counts), finish_step(run)):
        await context.graph.rehearse(step)


async def _read_for_reflection(context: Context, access: Access) -> None:
    """Send what a reflection reads, and the query for users who are due for one.

    Planning it takes a processor for a second, which callers would feel during the first one that a
    job makes.
    """
    await users_to_reflect(context.graph, AFTER_ALL, limit=1)
    await look_through(context, access, Cause.SCHEDULE)


def _job_steps(ids: list[str], now: datetime) -> list[Step]:
    """Return what a job sends in addition when it writes a note made of others.

    The ids are of no note. Otherwise Neo4j plans it within the first such transaction, which has
    locked notes by then.
    """
    tie = {"note": ids[0], "sources": [ids[1]], "tellers": [ids[1]]}
    return [same_readers_step({ids[1]: ""}), derive_step([tie], maker=NOBODY, now=now)]

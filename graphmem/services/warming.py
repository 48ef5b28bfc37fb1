"""Makes the first recall and the first note after a start as quick as later ones.

Neo4j plans a query when it first sees it, and Java compiles what runs often: together some seconds
that nobody should wait for. So what a recall and a write send is sent for nobody, who has no notes:
the reads find nothing, and the write is rolled back."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import structlog

from graphmem.domain.actors import Viewer
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.ranking import Balanced
from graphmem.domain.visibility import Visibility, audience_of
from graphmem.errors import GraphmemError
from graphmem.services.construct import plan_of
from graphmem.services.context import Access, Context
from graphmem.services.recall import Question, bounds_of, recall
from graphmem.services.remember import encode, prepare
from graphmem.services.tracking import steps_of
from graphmem.store import notes
from graphmem.store import recall as store
from graphmem.store.actors import put_agent_step, put_user_step
from graphmem.store.changes import change_step, light_change_row
from graphmem.store.graph import Step
from graphmem.store.links import create_many_step
from graphmem.store.visibility import read_viewer

NOBODY = " "  # no user has this id
ROUNDS = 3  # after which more gives little
QUESTIONS = (
    "Who approved the plan?",
    "What is the latest on the plan?",
    "How do I plan it?",
    "What was planned last week?",
    "What do you know about the plan?",
    "Who am I?",
)

PATIENCE_S = 30.0  # in which a service is warm; after that it is ready as it is

log = structlog.get_logger(__name__)


@asynccontextmanager
async def warmed(context: Context) -> AsyncIterator[None]:
    """Warm a service up, then do what is within; after PATIENCE_S that begins in any case, and the
    rest of the warming up is done beside it."""
    task = asyncio.create_task(warm_up(context))
    try:
        await asyncio.wait((task,), timeout=PATIENCE_S)
        if not task.done():
            log.warning("the service is not warm yet; it is ready all the same")
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def warm_up(context: Context) -> None:
    """Send what recalls and writes send. What fails is left for the first caller."""
    domains = ("general", "home", "work", "work/code", "work/sales")
    audiences = tuple(audience_of(NOBODY, Visibility.SCOPED, domain) for domain in domains)
    access = Access(
        viewer=Viewer(user=NOBODY), audiences=audiences, rules={}, default=Visibility.SCOPED
    )
    began = time.monotonic()
    try:
        for _ in range(ROUNDS):
            await read_viewer(context.graph, NOBODY, None)
            # Together, for they keep another processor busy: plans are made one by one.
            await asyncio.gather(_write(context, access), _recalls(context, access))
        log.info("the service is warm", seconds=round(time.monotonic() - began, 1))
    except GraphmemError as error:
        log.info("the service starts cold", code=error.code)
    except Exception as error:  # nobody waits for it, so nobody else would tell
        log.error("the service starts cold", error=type(error).__name__)


async def _recalls(context: Context, access: Access) -> None:
    bounds, _ = bounds_of(access, Question(query=QUESTIONS[0]), context.clock())
    ids = [uuid7(bounds.now) for _ in range(Balanced.frontier)]
    for query in QUESTIONS:  # the plain one first
        await recall(context, access, Question(query=query, track=False))
        await store.neighbourhood(context.graph, bounds, notes=ids, named=[])
        await notes.load_notes(context.graph, ids[: Question.k], bounds.audiences, bounds.now)


async def _write(context: Context, access: Access) -> None:
    now = context.clock()
    draft = NoteDraft(content="Ada Moen works at Halden Labs.")
    plan = plan_of(access, 0, uuid7(now), draft, WriteMode.CURATED, now, context.extractor)
    _, steps = await prepare(context, access, [plan], encode(context, [plan]), now)
    ids = [uuid7(now) for _ in range(Question.k)]
    counted = notes.reinforce_step({i: [now] for i in ids}, 1.0)
    made = put_user_step(NOBODY, None, now), put_agent_step(NOBODY, NOBODY, {}, now)
    await context.graph.rehearse(*made, *steps, *_beside(ids, now), counted, *steps_of([]))


def _beside(ids: list[str], now: datetime) -> list[Step]:
    """What a write sends that finds notes near its own, by ids of no note."""
    link = {"id": ids[0], "source": ids[1], "target": ids[2], "kind": "same-topic"}
    link |= {"strength": 0.5, "reason": "", "gave": None}
    change = light_change_row(ids[3], 1, "", {}, {})
    return [
        create_many_step([link], user=NOBODY, actor=NOBODY, now=now),
        change_step([change], actor=NOBODY, now=now),
    ]

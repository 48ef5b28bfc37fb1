"""The first requests of callers, which the service sends to itself at the start, so that the real
ones are fast."""

from collections.abc import Sequence
from typing import Any

import structlog

from graphmem.api import loaders
from graphmem.api.context import Operation
from graphmem.api.schema import create_schema
from graphmem.domain.ids import entity_id, uuid7
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.warming import Part, warm_up
from graphmem.services.writing.remember import remember_many

NAME = "Halden Labs"
NOTE = """id version content title context keywords tags domain visibility status createdAt
  entities { id name type } links(first: 5) { kind strength target { id } }"""
RECALL = """query Q($input: RecallInput!) { recall(input: $input) { id strategy confidence tookMs
  hits { rank score note { id content title domain createdAt speaker author { id } }
    via { relationship label noteId entityId } why { similarity keyword graph } } } }"""
CONTEXT = (
    """query C($input: ContextInput!) { context(input: $input) { text tokenCount recallId } }"""
)
ENTITIES = """query E { entities(first: 3) { id name type aliases noteCount summary
  notes(first: 5) { id content } relations(first: 5) { predicate } } }"""
NOTES = f"query N {{ notes(first: 5) {{ nodes {{ {NOTE} }} totalCount }} }}"
EVENTS = "query V { events(first: 5) { seq at type actor summary subjectId } }"
CORE = "query M { coreMemory { text tokenCount } viewer { user { id } } }"
PRACTICE = 40  # notes of a training run
FIRMS = (NAME, "Orme Freight", "Vesta Mills", "Tarn Energy")
PEOPLE = ("Ada Moen", "Idris Cole", "Priya Nair", "Jonas Berg", "Lucia Ferro")

log = structlog.get_logger(__name__)


async def _run_operation(
    context: Context, access: Access, document: str, given: dict[str, Any] | None = None
) -> None:
    """Run one operation as this viewer; its errors are only logged."""

    async def reopen() -> Access:
        return access

    operation = Operation(service=context, access=access, reopen=reopen)
    variables = {} if given is None else {"input": given}
    result = await create_schema().execute(
        document, variable_values=variables, context_value=operation
    )
    if result.errors:
        log.info("an operation could not be warmed up", operation=document.partition("(")[0])


async def _warm_recall(context: Context, access: Access) -> None:
    for query in ("Where does Ada Moen work?", "What is planned for the next release?"):
        await _run_operation(context, access, RECALL, {"query": query, "track": False})


async def _warm_context(context: Context, access: Access) -> None:
    await _run_operation(
        context.without_traces(), access, CONTEXT, {"task": "Plan the next release"}
    )


async def _warm_entities(context: Context, access: Access) -> None:
    await _run_operation(context, access, ENTITIES)


async def _warm_lists(context: Context, access: Access) -> None:
    for document in (NOTES, EVENTS, CORE):
        await _run_operation(context, access, document)


async def _warm_nested(context: Context, access: Access) -> None:
    """Load what is nested in notes and entities, for ids that do not exist."""
    operation = Operation(service=context, access=access, reopen=_never_reopen)
    note, entity = uuid7(context.clock()), entity_id(access.viewer.user, NAME)
    for loader in (
        loaders.entity_loader(operation),
        loaders.entity_notes_loader(operation, 20),
        loaders.relations_loader(operation, 50),
    ):
        await loader.load(entity)
    for loader in (
        loaders.note_loader(operation),
        loaders.note_entities_loader(operation),
        loaders.links_loader(operation, 20),
    ):
        await loader.load(note)


async def _never_reopen() -> Access:
    raise NotImplementedError


OPERATIONS: Sequence[Part] = (
    _warm_nested,
    _warm_entities,
    _warm_lists,
    _warm_recall,
    _warm_context,
)


async def practise(context: Context) -> None:
    """Write notes and query them, as callers do, on a graph that is thrown away afterwards."""
    access = await open_access(context, "me", None, register=True)
    drafts = [
        (NoteDraft(content=f"{person} of {firm} plans release {number}."), WriteMode.CURATED)
        for number in range(PRACTICE // len(PEOPLE))
        for person, firm in zip(PEOPLE, FIRMS * 2, strict=False)
    ]
    for start in (0, 1, 2, 3, 4):
        await remember_many(context, access, drafts[start : start + 1])
    await remember_many(context, access, drafts[5:])
    for _ in range(3):
        await warm_up(context, OPERATIONS)

"""`graphmem verify` on a real graph: finds what was changed by hand, and nothing else."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.importing.importing import import_folder
from graphmem.services.jobs.jobs import run_job, scheduled_jobs
from graphmem.services.verifying import MEANINGS, Fault, verify
from graphmem.services.writing.remember import remember
from graphmem.services.writing.visibility import set_note_visibility
from graphmem.settings import Settings

DIARY = Path(__file__).parents[2] / "examples" / "diary" / "mara"

# By fault: what somebody does to a note by hand, and what takes it back.
DAMAGE = {
    "visibility": (
        Fault.AUDIENCE,
        "MATCH (n:Note {id: $id}) SET n.visibility = 'OPEN'",
        "MATCH (n:Note {id: $id}) SET n.visibility = 'PRIVATE'",
    ),
    "an unknown visibility": (
        Fault.AUDIENCE,
        "MATCH (n:Note {id: $id}) SET n.visibility = 'EVERYBODY'",
        "MATCH (n:Note {id: $id}) SET n.visibility = 'PRIVATE'",
    ),
    "the word of the full-text index": (
        Fault.AUDIENCE,
        "MATCH (n:Note {id: $id}) SET n.audienceToken = n.audienceToken + ' a0'",
        "MATCH (n:Note {id: $id}) SET n.audienceToken = replace(n.audienceToken, ' a0', '')",
    ),
    "readers": (
        Fault.READERS,
        "MATCH (n:Note {id: $id})-[r:FOR]->() DELETE r",
        "MATCH (n:Note {id: $id}), (a:Audience {key: n.audience}) CREATE (n)-[:FOR]->(a)",
    ),
    "a passage": (
        Fault.COPY,
        "MATCH (n:Note {id: $id})-[:HAS_PASSAGE]->(p) SET p.audience = p.audience + 'x'",
        "MATCH (n:Note {id: $id})-[:HAS_PASSAGE]->(p) SET p.audience = n.audience",
    ),
    "a relation": (
        Fault.COPY,
        "MATCH ()-[r:RELATES_TO {noteId: $id}]->() SET r.audience = r.audience + '/x'",
        "MATCH ()-[r:RELATES_TO {noteId: $id}]->() SET r.audience = replace(r.audience, '/x', '')",
    ),
    "a label": (
        Fault.CURRENT,
        "MATCH (n:Note {id: $id}) REMOVE n:Current",
        "MATCH (n:Note {id: $id}) SET n:Current",
    ),
    "a vector": (
        Fault.VECTOR,
        "MATCH (n:Note {id: $id}) SET n.spare = n.embedding, n.embedding = null",
        "MATCH (n:Note {id: $id}) SET n.embedding = n.spare, n.spare = null",
    ),
    "a relation without a note": (
        Fault.RELATION,
        "MATCH ()-[r:RELATES_TO {noteId: $id}]->() SET r.noteId = 'gone-' + $id",
        "MATCH ()-[r:RELATES_TO {noteId: 'gone-' + $id}]->() SET r.noteId = $id",
    ),
    "a passage without a note": (
        Fault.PASSAGE,
        "CREATE (:Passage {from: 0, to: 1, text: $id})",
        "MATCH (p:Passage {text: $id}) DELETE p",
    ),
    "a node of the service without its label": (
        Fault.SYSTEM,
        "MATCH (:Note {id: $id})-[:FOR]->(a) REMOVE a:System",
        "MATCH (:Note {id: $id})-[:FOR]->(a) SET a:System",
    ),
    "a note that looks like one of the service": (
        Fault.SYSTEM,
        "MATCH (n:Note {id: $id}) SET n:System",
        "MATCH (n:Note {id: $id}) REMOVE n:System",
    ),
    "a revision without a note": (
        Fault.REVISION,
        "CREATE (:Revision {version: 1, content: $id})",
        "MATCH (v:Revision {content: $id}) DELETE v",
    ),
}


@pytest.fixture(scope="module")
async def own(settings: Settings, empty_server: ServerAddress) -> AsyncIterator[Context]:
    """A service on a graph of its own, which nothing else writes."""
    async with connect_context(settings, create_embedder("hash"), empty_server) as context:
        yield context


@pytest.fixture(scope="module")
async def private_note(own: Context) -> str:
    """A long private note with relations, in a graph in which much has happened."""
    context = own
    user = "verified"
    await import_folder(context, user, DIARY)
    person = await open_access(context, user, None, register=True)
    draft = NoteDraft(
        content="Ada Kessler runs Brightwell. " + "The kiln of the east hall is warm again. " * 60,
        visibility=Visibility.OPEN,
        domain="work",
    )
    note = (await remember(context, person, draft, WriteMode.CURATED)).note
    assert note is not None
    person = await open_access(context, user, None)  # with the audience of the note
    await set_note_visibility(context, person, note.id, Visibility.PRIVATE)
    gone = (await remember(context, person, NoteDraft(content="Bo runs Moen."))).note
    assert gone is not None
    await forget_notes(context, person, [gone], permanent=True, reason=None)
    for job in scheduled_jobs(context):
        await run_job(context, job.name)
    return note.id


async def found_in(context: Context) -> dict[Fault, tuple[int, tuple[str, ...]]]:
    return {each.fault: (each.count, each.ids) for each in (await verify(context.graph)).found}


@pytest.mark.parametrize("name", DAMAGE)
async def test_what_is_changed_by_hand_is_found(own: Context, private_note: str, name: str) -> None:
    fault, damage, repair = DAMAGE[name]
    driver: Any = own.graph._driver  # pyright: ignore[reportPrivateUsage]
    before = await found_in(own)
    assert private_note not in str(before)
    await driver.execute_query(damage, id=private_note)
    try:
        after = await found_in(own)
    finally:
        await driver.execute_query(repair, id=private_note)
    assert after[fault][0] > before.get(fault, (0, ()))[0]
    assert await found_in(own) == before


async def test_a_graph_that_only_the_service_wrote_agrees(own: Context, private_note: str) -> None:
    done = await verify(own.graph)
    assert done.notes > 90
    assert done.found == ()


def test_each_fault_has_a_meaning() -> None:
    assert MEANINGS.keys() == set(Fault)

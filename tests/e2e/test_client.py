"""The Python client and a real service that it starts by itself."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from shared_server import new_user

from graphmem.client import (
    AsyncMemory,
    Conflicting,
    InvalidRequest,
    Memory,
    MemoryClient,
    NotAvailable,
    NotThere,
)
from graphmem.server import ServerAddress

START_S = 180.0


def settings_of(address: ServerAddress) -> dict[str, str]:
    """Settings of a service on the Neo4j of the tests."""
    return {
        "GRAPHMEM_NEO4J_URI": address.bolt_uri,
        "GRAPHMEM_NEO4J_USER": address.user,
        "GRAPHMEM_NEO4J_PASSWORD": address.password,
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_AUTH": "open",
    }


@pytest.fixture(scope="module")
def memory(
    neo4j_address: ServerAddress, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """The memory of a new user in a service of its own."""
    quick = settings_of(neo4j_address) | {"GRAPHMEM_WARM_UP": "false"}
    started: dict[str, Any] = {"settings": quick, "start_timeout": START_S}
    with Memory.embedded(tmp_path_factory.mktemp("client"), user=new_user(), **started) as made:
        yield made


def test_a_day_with_the_client(memory: Memory):
    with memory.events().connect() as events:
        made = memory.remember("Dara Osei leads the Harbour project.", metadata={"my_row": 1})
        event = next(events)
    assert (made.operation, event.subject_id) == ("ADD", made.note_id)
    with memory.events(after=event.seq - 1) as again:
        assert next(again).id == event.id
    results = memory.remember_many(["One bell.", {"content": "", "title": "x"}], mode="VERBATIM")
    assert [each.error is None for each in results] == [True, False]
    recall = memory.recall("Who leads Harbour?", k=1, explain=True)
    (hit,) = recall.hits
    assert (hit.note.id, hit.note.metadata) == (made.note_id, {"my_row": 1})
    memory.feedback(recall.id, [hit.note.id])
    assert "Dara Osei" in memory.context("Call the lead of Harbour", 200).text
    revised = memory.revise(made.note_id, expected_version=hit.note.version, tags=["harbour"])
    assert "harbour" in revised.tags
    with pytest.raises(Conflicting):
        memory.revise(made.note_id, expected_version=hit.note.version, title="late")
    assert len(list(memory.notes(page_size=1))) == 2
    assert memory.pin(made.note_id).pinned
    assert memory.forget(made.note_id).forgotten == 1
    assert memory.restore(made.note_id).status == "ACTIVE"
    assert memory.forget_matching("One bell.").needs_confirmation
    assert memory.forget(made.note_id, permanent=True).permanent
    with pytest.raises(NotThere):
        memory.note(made.note_id)
    with pytest.raises(InvalidRequest):
        memory.recall("x", k=1000)
    assert memory.status().status == "ready"


async def test_a_program_on_asyncio_waits_for_many_answers(memory: Memory):
    async with AsyncMemory(memory.url, user=new_user()) as mine:
        done = await asyncio.gather(*(mine.remember(f"Bell {i}.") for i in range(4)))
        assert len({each.note_id for each in done}) == 4
        assert len([note async for note in mine.notes(page_size=3)]) == 4
        assert len((await mine.recall("Bell 3", 2)).hits) == 2
        async with asyncio.timeout(60), aclosing(mine.events(after=0)) as events:
            seen = [await anext(events) for _ in range(4)]
        assert {event.subject_id for event in seen} == {each.note_id for each in done}


@pytest.mark.feature("DAEM-31")
def test_the_clients_of_two_agents_are_apart(memory: Memory):
    one, other = MemoryClient(memory.url, "one"), MemoryClient(memory.url, "other")
    made = one.remember("Important fact", tags=["work", "priority"], metadata={"a": 1}, ttl=3600)
    assert [each.text for each in one.recall("find important facts", 5)] == ["Important fact"]
    assert other.recall("find important facts", 5) == ()
    with pytest.raises(NotThere):
        other.forget(made)
    one.forget(made)
    assert one.recall("find important facts", 5) == ()
    one.close()
    other.close()


def test_a_service_that_can_not_start_is_told(tmp_path: Path, neo4j_address: ServerAddress):
    wrong = settings_of(neo4j_address) | {"GRAPHMEM_EMBEDDER": "openai"}
    with pytest.raises(NotAvailable, match="needs the name of a model"):
        Memory.embedded(tmp_path, settings=wrong, start_timeout=START_S)


def test_a_service_ends_with_its_client(tmp_path: Path, neo4j_address: ServerAddress):
    given: dict[str, Any] = {"settings": settings_of(neo4j_address), "start_timeout": START_S}
    memory = Memory.embedded(tmp_path, attempts=1, **given)
    service = memory._service
    assert service is not None
    process = service._process
    assert process is not None
    memory.close()
    assert process.returncode in (0, -signal.SIGTERM)
    with pytest.raises(NotAvailable):
        memory.status()

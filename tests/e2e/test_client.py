"""The Python client and a real service that it starts by itself."""

import asyncio
import shutil
import signal
import subprocess
import sys
import venv
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
from graphmem.client.models import wire_name
from graphmem.server import ServerAddress

START_S = 180.0
ROOT = Path(__file__).parents[2]
ALONE = """
import sys
from graphmem_client import Memory, NotThere
from graphmem_client.hooks import events, transcripts
from graphmem_client.adapters import names, transcript

with Memory(sys.argv[1], user=sys.argv[2]) as memory:
    made = memory.remember("Dara Osei leads the Harbour project.")
    (hit,) = memory.recall("Who leads Harbour?", k=1).hits
    assert hit.note.id == made.note_id
    try:
        memory.note("no-such-note")
    except NotThere:
        print("good")
assert "graphmem" not in sys.modules
"""


def settings_of(address: ServerAddress) -> dict[str, str]:
    """Settings of a service on the Neo4j of the tests."""
    return {
        "GRAPHMEM_NEO4J_URI": address.bolt_uri,
        "GRAPHMEM_NEO4J_USER": address.user,
        "GRAPHMEM_NEO4J_PASSWORD": address.password,
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_EXTRACTOR": "rules",
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


async def test_the_client_asks_who_knows_and_what_was_before(memory: Memory):
    user = new_user()
    given = {"can_see_private": False, "domains": ["*"]}
    with Memory(memory.url, user=user) as own, Memory(memory.url, user=user, agent="desk") as desk:
        own.request("PUT", "/v1/agents/desk", body={wire_name(k): v for k, v in given.items()})
        for text in ("fires glazed bowls at 1,240 degrees", "cools for nine hours", "burns gas"):
            made = desk.remember(f"The Kiln of Dara Osei {text}.", tags=["kiln"])
        assert "desk" in [each.agent and each.agent.id for each in own.experts("kiln", 3)]
        advice = own.route("Plan the next firing of the kiln")
        assert advice.agent is None or advice.agent.id == "desk"
        told = own.consult("The Kiln of Dara Osei cools for nine hours.", k=2)
        assert told.answered
        assert "nine hours" in told.hits[0].note.content
        entity = own.entity("Dara Osei")
        assert (entity.name, own.entity(id=entity.id)) == ("Dara Osei", entity)
        with pytest.raises(NotThere):
            own.entity("Nobody At All")
        assert made.note_id is not None
        own.revise(made.note_id, content="The kiln burns wood.")
        texts = [each.content for each in own.history(made.note_id)]
        assert texts == ["The kiln burns wood.", "The Kiln of Dara Osei burns gas."]
        assert [each.content for each in own.history(made.note_id, 1)] == texts[:1]
        with pytest.raises(NotThere):
            own.history("no-such-note")
    async with AsyncMemory(memory.url, user=user) as mine:
        assert len(await mine.history(made.note_id)) == 2
        assert (await mine.entity("Dara Osei")).id == entity.id
        assert await mine.experts("kiln")
        assert (await mine.consult("The kiln burns wood.")).hits
        assert (await mine.route("Plan the firing")).confidence >= 0


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


def test_the_client_alone_in_an_empty_environment_speaks_with_a_service(
    memory: Memory, tmp_path: Path
):
    (tmp_path / "graphmem").symlink_to(ROOT / "graphmem")
    package = tmp_path / "packages" / "graphmem-client"
    package.mkdir(parents=True)
    for name in ("LICENSE", "README.md", "prepare.py", "pyproject.toml"):
        shutil.copy(ROOT / "packages" / "graphmem-client" / name, package)
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    python = str(environment / "bin" / "python")

    def run(*command: str) -> str:
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    run(sys.executable, str(package / "prepare.py"))
    run(sys.executable, "-m", "build", "--no-isolation", "-o", str(tmp_path), str(package))
    (wheel,) = tmp_path.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-index", str(wheel))
    assert run(python, "-I", "-c", ALONE, memory.url, new_user()) == "good\n"

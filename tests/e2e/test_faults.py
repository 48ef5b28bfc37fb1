"""A real `graphmem serve` that is hurt: its database killed, itself killed, told to stop.

One service is used by the tests of this file in the order in which they stand."""

import asyncio
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from left_folder import LeftFolder
from living_notes import Living, of_one_user

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context
from graphmem.domain.jobs import JobRun, RunStatus
from graphmem.errors import Unavailable
from graphmem.server import running_server
from graphmem.server.lockfile import is_alive
from graphmem.settings import Settings
from graphmem.store import jobs
from graphmem.store.graph import Graph

REMEMBER = "mutation R($input: RememberInput!) { remember(input: $input) { note { id } } }"
NOTE = "query N($id: ID!) { note(id: $id) { content } }"
TOTAL = "{ notes(first: 1) { totalCount } }"
RECALL = "query Q($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"
STRENGTH = """query N($id: ID!) { note(id: $id) { accessCount lastAccessedAt halfLifeHours version
  createdAt updatedAt } }"""
FEEDBACK = """mutation F($id: ID!, $used: [ID!]!, $ok: Boolean!) {
  feedback(recallId: $id, used: $used, helpful: $ok) }"""
COUNTER = {"X-Graphmem-User": "counter"}
# Far more than it takes, so that a machine that is busy with other things does not matter.
ANSWER_S, RECOVER_S, ORPHAN_S, START_S = 25.0, 120.0, 60.0, 150.0
# After a start each query is planned anew; on a busy machine a first write takes half a minute.
OPERATION_S, PATIENCE_S = 120, 150.0

pytestmark = pytest.mark.timeout(300)


@dataclass
class Service:
    """A service with a Neo4j of its own on a data folder."""

    data: Path
    process: "subprocess.Popen[bytes] | None" = None
    base: str = ""
    started_s: float = 0.0
    acknowledged: dict[str, str] = field(default_factory=dict)
    counted: dict[str, Any] = field(default_factory=dict)  # notes and how strong they are

    def start(self) -> None:
        """Start it and wait until it answers."""
        env = {
            name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")
        }
        env |= {"GRAPHMEM_EMBEDDER": "hash", "GRAPHMEM_EXTRACTOR": "rules"}
        env["GRAPHMEM_OPERATION_TIMEOUT_S"] = str(OPERATION_S)
        env["GRAPHMEM_NEO4J_HEAP"] = "512m"
        if cache := os.environ.get("GRAPHMEM_CACHE"):
            env["GRAPHMEM_CACHE"] = cache
        env["GRAPHMEM_NEO4J_PAGE_CACHE"] = "64m"
        env["GRAPHMEM_WARM_UP"] = "false"  # of what it plans these tests use little
        env["GRAPHMEM_JOBS"] = "off"  # a test runs one by itself
        env["GRAPHMEM_AOT_CACHE"] = "false"  # no training run: the Java of tests is gone afterwards
        command = [sys.executable, "-m", "graphmem", "serve", "--port", "0", "--data", self.data]
        with (self.data.parent / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        began = time.monotonic()
        text, deadline = "", began + START_S
        while not (found := re.search(r"(http://\S+)/graphql", text)):
            ready, _, _ = select.select([self.process.stdout], [], [], 1)
            text += os.read(self.process.stdout.fileno(), 4096).decode() if ready else ""
            assert self.process.poll() is None, "serve ended"
            assert time.monotonic() < deadline, "serve did not start"
        self.base = found[1]
        self.started_s = time.monotonic() - began

    def end(self, number: int) -> float:
        """Send a signal; the seconds until the process has ended."""
        assert self.process is not None
        assert self.process.stdout is not None
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        self.process.stdout.close()
        return time.monotonic() - began

    def java(self) -> int:
        """The process id of Neo4j's Java."""
        address = running_server(self.data)
        assert address is not None
        return address.pid

    async def post(self, client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
        body = {"query": query, "variables": variables}
        return (await client.post(f"{self.base}/graphql", json=body)).json()


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, left: LeftFolder, quick_java: None
) -> Iterator[Service]:
    running = Service(left.folder or tmp_path_factory.mktemp("faults") / "data")
    running.start()
    yield running
    if running.process is not None and running.process.poll() is None:
        running.end(signal.SIGKILL)


def seconds_until_gone(pid: int, most: float) -> float:
    began = time.monotonic()
    while is_alive(pid):
        assert time.monotonic() - began < most, "still running"
        time.sleep(0.05)
    return time.monotonic() - began


def test_a_body_of_20_megabytes_is_refused(service: Service) -> None:
    text = b'{"query": "' + b"x" * 20_000_000 + b'"}'
    for content in (text, iter([text[:10_000_000], text[10_000_000:]])):
        answer = httpx.post(
            f"{service.base}/graphql",
            content=content,
            headers={"content-type": "application/json"},
            timeout=20,
        )
        assert answer.status_code == 413
        assert answer.json()["errors"][0]["extensions"]["code"] == "PAYLOAD_TOO_LARGE"


async def test_a_socket_that_never_begins_is_closed(service: Service) -> None:
    url = service.base.replace("http", "ws") + "/graphql"
    subprotocols: Any = ["graphql-transport-ws"]
    async with websockets.connect(url, subprotocols=subprotocols) as socket:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 20)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4408


async def strengths(service: Service) -> list[dict[str, Any]]:
    """How strong the notes are that were counted."""
    async with httpx.AsyncClient(timeout=PATIENCE_S, headers=COUNTER) as client:
        answers = [await service.post(client, STRENGTH, id=note) for note in service.counted]
    return [answer["data"]["note"] for answer in answers]


@pytest.mark.feature("L3-T14")
async def test_a_stop_in_good_order_loses_no_count(service: Service, record_property: Any) -> None:
    """Though a subscriber listens, and the last recalls are not written yet."""
    java, url = service.java(), service.base.replace("http", "ws") + "/graphql"
    subprotocols: Any = ["graphql-transport-ws"]
    async with (
        httpx.AsyncClient(timeout=PATIENCE_S, headers=COUNTER) as client,
        websockets.connect(url, subprotocols=subprotocols) as socket,
    ):
        await socket.send('{"type": "connection_init"}')
        await socket.recv()
        operation = {"query": "subscription { events { seq } }"}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": operation}))
        texts = [f"The tide table of pier {i} is new." for i in range(3)]
        made = [await service.post(client, REMEMBER, input={"content": text}) for text in texts]
        notes = [answer["data"]["remember"]["note"]["id"] for answer in made]
        answered: Counter[str] = Counter()

        async def ask() -> dict[str, Any]:
            found = (await service.post(client, RECALL, q="tide table of pier"))["data"]["recall"]
            answered.update(hit["note"]["id"] for hit in found["hits"])
            return found

        first = await ask()
        for _ in range(12):
            await asyncio.gather(*(ask() for _ in range(5)))
        used = {"id": first["id"], "used": notes[:1]}
        given = await service.post(client, FEEDBACK, **used, ok=True)
        assert given["data"] == {"feedback": True}
        await asyncio.gather(*(ask() for _ in range(5)))
        seconds = await asyncio.to_thread(service.end, signal.SIGTERM)
    record_property("stopped_s", seconds)
    print(f"stopped in {seconds:.1f} s")
    assert service.process is not None
    assert service.process.returncode == 0
    assert not is_alive(java)
    assert answered == dict.fromkeys(notes, 66)
    service.start()
    service.counted = dict.fromkeys(notes)
    found = await strengths(service)
    assert [note["accessCount"] for note in found] == [67, 66, 66]
    assert all(note["lastAccessedAt"] > note["createdAt"] for note in found)
    service.counted = dict(zip(notes, found, strict=True))


@dataclass
class Writers:
    """Clients that write as fast as they can, until they are told to stop."""

    service: Service
    done: bool = False
    acknowledged: list[tuple[float, str, str]] = field(default_factory=list)
    refused: list[tuple[float, float, str]] = field(default_factory=list)

    async def write(self, name: str) -> None:
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            for i in range(100_000):
                if self.done:
                    return
                text, began = f"Writer {name} saw heron number {i}.", time.monotonic()
                answer = await self.service.post(client, REMEMBER, input={"content": text})
                now = time.monotonic()
                if answer.get("errors"):
                    code = answer["errors"][0]["extensions"]["code"]
                    self.refused.append((now, now - began, code))
                    await asyncio.sleep(0.05)
                else:
                    note = answer["data"]["remember"]["note"]["id"]
                    self.acknowledged.append((now, note, text))

    def first_after(self, moment: float) -> float | None:
        """When a note was acknowledged first after a moment."""
        return min((at for at, _, _ in self.acknowledged if at > moment), default=None)


async def test_killing_the_database_loses_nothing_that_was_acknowledged(
    service: Service, record_property: Any
) -> None:
    writers = Writers(service)
    tasks = [asyncio.create_task(writers.write(name)) for name in "abcd"]
    async with asyncio.timeout(120):  # queries are planned first; on a busy machine that takes long
        while len(writers.acknowledged) < 20:
            await asyncio.wait(tasks, timeout=0.1)
            assert not any(task.done() for task in tasks), tasks
    await asyncio.sleep(1)
    before = service.java()
    killed = time.monotonic()
    os.kill(before, signal.SIGKILL)
    while not writers.refused and time.monotonic() - killed < ANSWER_S:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    assert writers.refused, "nobody was told"
    while not (back := writers.first_after(writers.refused[0][0])):
        assert time.monotonic() - killed < RECOVER_S, "not back"
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    writers.done = True
    await asyncio.gather(*tasks)
    longest = max(seconds for _, seconds, _ in writers.refused)
    record_property("recovered_s", back - killed)
    print(
        f"started in {service.started_s:.1f} s; recovered in {back - killed:.1f} s; "
        f"longest refusal {longest:.2f} s; "
        f"{len(writers.refused)} refused, {len(writers.acknowledged)} acknowledged"
    )
    assert service.java() != before
    assert {code for _, _, code in writers.refused} == {"UNAVAILABLE"}
    assert longest < ANSWER_S
    service.acknowledged |= {note: text for _, note, text in writers.acknowledged}
    await everything_is_there(service)


class Killing:
    """The graph of a process that sees its database killed in the middle of a query, once."""

    def __init__(self, service: Service, after: int) -> None:
        self.service, self.left = service, after

    def of(self, graph: Graph) -> Graph:
        mortal: Any = copy(graph)

        async def write(*steps: Any, **given: Any) -> Any:
            self.left -= 1
            if self.left:
                return await graph.write(*steps, **given)
            writing = asyncio.ensure_future(graph.write(*steps, **given))
            await asyncio.sleep(0.002)
            os.kill(self.service.java(), signal.SIGKILL)
            return await writing

        mortal.write = write
        return mortal


async def test_a_job_whose_database_is_killed_does_what_it_would_have_done(
    service: Service, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = "sweep_decay"
    address, embedder = running_server(service.data), create_embedder("hash")
    assert address is not None
    of_user = of_one_user(monkeypatch)
    async with connect_context(Settings(embedder="hash"), embedder, address) as context:
        calm, torn = Living(context, new_user()), Living(context, new_user())
        for world in (calm, torn):
            await world.fill()
        before = await calm.state()
        of_user(calm.user)
        await calm.go_on(await calm.begin(job), job)
        of_user(torn.user)
        killing = Killing(service, 3)
        run: JobRun | None = await torn.begin(job)
        began, java = run.id, service.java()
        async with asyncio.timeout(RECOVER_S):
            while run is not None:
                with suppress(Unavailable):
                    await torn.go_on(run, job, killing.of(context.graph))
                while True:
                    with suppress(Unavailable):
                        run = await torn.taken_over(run)
                        break
        assert killing.left <= 0
        assert service.java() != java
        ended = await jobs.get_run(context.graph, began)
        assert ended is not None
        assert ended.status is RunStatus.DONE
        after = await calm.state()
        assert await torn.state() == after != before
    await embedder.close()


async def everything_is_there(service: Service) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        for note, text in service.acknowledged.items():
            answer = await service.post(client, NOTE, id=note)
            assert answer["data"]["note"]["content"] == text, answer


def test_killing_the_service_leaves_no_java_behind(service: Service, record_property: Any) -> None:
    java = service.java()
    service.end(signal.SIGKILL)
    seconds = seconds_until_gone(java, ORPHAN_S)
    record_property("java_gone_s", seconds)
    print(f"java gone after {seconds:.1f} s")


async def test_a_restart_keeps_everything(service: Service) -> None:
    service.start()
    await everything_is_there(service)
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        total = (await service.post(client, TOTAL))["data"]["notes"]["totalCount"]
    assert total >= len(service.acknowledged)


@pytest.mark.feature("L3-T14")
async def test_a_restart_changes_no_count(service: Service) -> None:
    assert await strengths(service) == list(service.counted.values())


def test_a_database_that_keeps_crashing_ends_the_service(service: Service) -> None:
    process, killed = service.process, set[int]()
    assert process is not None
    deadline = time.monotonic() + 2 * RECOVER_S
    while process.poll() is None:
        assert time.monotonic() < deadline, f"still there after {len(killed)} crashes"
        address = running_server(service.data)
        if address is not None and address.pid not in killed:
            killed.add(address.pid)
            os.kill(address.pid, signal.SIGKILL)
        time.sleep(0.05)
    assert process.stdout is not None
    process.stdout.close()
    assert process.returncode == 1
    assert len(killed) == 5
    log = (service.data.parent / "serve.log").read_text()
    assert "graphmem: Neo4j crashed 5 times within 120 seconds and stays down." in log
    assert "Traceback" not in log

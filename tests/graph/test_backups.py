"""A drill: a graph that holds something of everything is backed up while somebody writes, restored
into another server, and compared; both are broken off, too."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from clients import Client
from filled_graph import Filled
from race_world import cypher

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, create_app, migrations
from graphmem.domain.backups import Backups
from graphmem.domain.jobs import RunStatus
from graphmem.errors import Conflict, Invalid, Misconfigured, Unavailable
from graphmem.resources import folder
from graphmem.server import EmbeddedNeo4j, ServerAddress, conf, default_cache_dir
from graphmem.services.backups import restoring
from graphmem.services.backups.files import check_file, open_whole
from graphmem.services.backups.restoring import restore_backup
from graphmem.services.backups.writing import write_backup
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.services.reindexing import reindex
from graphmem.services.startup import migrate_graph
from graphmem.services.verifying import verify
from graphmem.settings import Settings
from graphmem.store import backups as store
from graphmem.store import graph as graph_module
from graphmem.store.graph import Graph
from graphmem.store.migrations import Migration
from graphmem.store.queries import Queries

pytestmark = pytest.mark.timeout(1200)  # the first test fills the graph

QUERIES = Queries(folder("cypher"), folder("jobs"))
BASE = "http://127.0.0.1:8321"
SORTED = "COLLECT { UNWIND keys(%s) AS k WITH k ORDER BY k RETURN [k, valueType(%s[k])] }"
LABELS = "COLLECT { UNWIND labels(%s) AS l RETURN l ORDER BY l }"  # each store has its own order
NODES = f"MATCH (n) RETURN {LABELS % 'n'}, properties(n), {SORTED % ('n', 'n')}"
RELATIONSHIPS = f"""MATCH (a)-[r]->(b) RETURN {LABELS % "a"}, properties(a), type(r), properties(r),
{SORTED % ("r", "r")}, {LABELS % "b"}, properties(b)"""
QUESTIONS = (
    "What does Brindlow & Fox pay?",
    "Who makes the boards?",
    "Where do I live?",
    "kiln",
    "What happened at the fair?",
    "Who is Priya?",
    "the old dairy",
    "relay board",
    "deadline",
    "What do I like?",
    "decisions about hardware",
    "Blue Kiln overfire",
    "lot 3",
)


def start(folder_of_data: Path) -> EmbeddedNeo4j:
    server = EmbeddedNeo4j(
        folder_of_data, cache_dir=default_cache_dir(), heap="512m", page_cache="64m"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conf, "SETTINGS", (*conf.SETTINGS, "dbms.cypher.min_replan_interval=1h"))
        server.start(180)
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, quick_java: None) -> Iterator[ServerAddress]:
    running = start(tmp_path_factory.mktemp("backed-up"))
    yield running.address
    running.stop()


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, quick_java: None) -> Iterator[ServerAddress]:
    """A second server, into which is restored."""
    running = start(tmp_path_factory.mktemp("restored"))
    yield running.address
    running.stop()


@asynccontextmanager
async def asking(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=200) as http:
        yield http


@pytest.fixture(scope="module")
async def filled(settings: Settings, server: ServerAddress) -> AsyncIterator[Context]:
    async with connect_context(settings, create_embedder("hash"), server) as context:
        async with asking(settings, context) as http:
            await Filled(context, http).fill()
        yield context


@pytest.fixture
async def empty(other: ServerAddress) -> AsyncIterator[Graph]:
    """The graph of the second server with nothing in it."""
    graph = Graph.connect(other.bolt_uri, other.user, other.password, QUERIES)
    driver: Any = graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query("MATCH (n) DETACH DELETE n")
    yield graph
    await graph.close()


async def until(holds: Callable[[], bool], every_s: float = 0.05) -> None:
    while True:
        await asyncio.sleep(every_s)
        if holds():
            return


async def back_up(context: Context, path: Path, **given: Any) -> Path:
    async with open_whole(path) as file:
        await write_backup(context.graph, file, context.clock(), **given)
    return path


async def restore(graph: Graph, path: Path) -> restoring.Restored:
    return await restore_backup(graph, path, migrations(), datetime.now(UTC))


async def everything(graph: Graph) -> tuple[Counter[str], Counter[str]]:
    """All nodes and all relationships with the types of their values, as they print."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return sorted((key, plain(each)) for key, each in value.items())
        if isinstance(value, list):
            return [plain(each) for each in value]
        return value

    driver: Any = graph._driver  # pyright: ignore[reportPrivateUsage]
    found = []
    for query in (NODES, RELATIONSHIPS):
        rows = (await driver.execute_query(query)).records
        found.append(Counter(repr(plain(row.values())) for row in rows))
    return found[0], found[1]


@pytest.mark.feature("MUMA-47")
async def test_what_is_restored_is_all_that_was_there(
    filled: Context, empty: Graph, other: ServerAddress, settings: Settings, tmp_path: Path
) -> None:
    await cypher(  # of each type that a property can have
        filled,
        """CREATE (a:Meta:System {name: 'types',
        zone: datetime('2026-10-25T02:30:00[Europe/Berlin]'),
        exact: datetime('2026-10-25T02:30:00.123456789+05:45'), day: date('2026-01-02'),
        here: point({longitude: 8.5, latitude: 47.4}), flat: [point({x: 1, y: 2, z: 3})],
        took: duration('P1M2DT3.000000004S'), noon: localtime('12:00'), at: time('12:00+02:00'),
        then: localdatetime('2026-01-02T03:04:05.6'), doubles: [0.1, 1e300, 2.0], whole: [1, 2],
        many: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], none: [], large: 9007199254740993,
        days: [date('2026-01-02')], text: 'line\\nfeed "quoted" \\u2028 \\uD83D\\uDE80'})
        -[:TYPES {at: datetime('2026-01-01T00:00:00Z'), halves: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5,
        7.5]}]->(a)""",
    )
    path = await back_up(filled, tmp_path / "all.backup")
    assert path.stat().st_mode & 0o777 == 0o600
    assert check_file(path).problems == ()
    nodes, relationships = await everything(filled.graph)
    done = await restore(empty, path)
    assert not done.reindex
    assert len(done.counts.labels) > 25
    assert len(done.counts.types) > 30
    restored = await everything(empty)
    assert restored[0] - nodes == nodes - restored[0] == Counter()
    assert restored[1] - relationships == relationships - restored[1] == Counter()
    assert (await verify(empty)).found == (await verify(filled.graph)).found == ()
    await same_answers(settings, filled, other)


async def same_answers(settings: Settings, filled: Context, other: ServerAddress) -> None:
    """Ask both the same at the same time of their clocks."""
    now, asked = filled.clock(), 0
    async with (
        connect_context(settings, create_embedder("hash"), other) as context,
        asking(settings, replace(context, clock=lambda: now)) as new,
        asking(settings, replace(filled, clock=lambda: now)) as old,
    ):
        for user in ("mara", "idris", "u-ann", "u-bob"):
            for question in QUESTIONS:
                before = await Client(old, user).recall(question)
                assert await Client(new, user).recall(question) == before
                asked += bool(before)
    assert asked > 40


async def test_what_was_acknowledged_before_is_in_it_and_nothing_is_half(
    filled: Context, empty: Graph, settings: Settings, tmp_path: Path
) -> None:
    written, began, ends = list[str](), list[int](), asyncio.Event()

    async def write(client: Client) -> None:
        while not ends.is_set():
            text = f"Crate {len(written)} went to Ada Kessler of Brightwell."
            note = (await client.remember(text, mode="CURATED"))["note"]
            written.append(note["id"])

    async with asking(settings, filled) as http:
        writers = [asyncio.create_task(write(Client(http, f"writer-{i}"))) for i in range(3)]
        await until(lambda: len(written) >= 6)
        for number in range(3):
            began.append(len(written))
            await back_up(filled, tmp_path / f"{number}.backup")
        await until(lambda: len(written) > began[-1])
        ends.set()
        await asyncio.gather(*writers)
    await restore(empty, tmp_path / "2.backup")
    driver: Any = empty._driver  # pyright: ignore[reportPrivateUsage]
    rows = (await driver.execute_query("MATCH (n:Note) RETURN n.id")).records
    assert set(written[: began[-1]]) <= {row[0] for row in rows}
    assert (await verify(empty)).found == ()
    halves = """MATCH (n:Note) WHERE n.user STARTS WITH 'writer-'
    AND NOT (EXISTS { (n)-[:HAD]->(:Revision) } AND EXISTS { (n)<-[:WROTE]-() }
    AND EXISTS { (n)-[:FOR]->() } AND EXISTS { MATCH (:Event {subjectId: n.id}) })
    RETURN count(n)"""
    assert (await driver.execute_query(halves)).records[0][0] == 0


async def test_writes_wait_reads_go_on_and_no_index_stays(
    filled: Context, settings: Settings
) -> None:
    async with asking(settings, filled) as http:
        mara = Client(http, "mara")
        async with store.pausing_writes(filled.graph):
            waiting = asyncio.create_task(mara.remember("The east door sticks in wet weather."))
            async with asyncio.timeout(20):  # less than a write would wait
                for question in QUESTIONS:
                    await mara.recall(question)
            await asyncio.sleep(2)
            assert not waiting.done()
        assert (await waiting)["note"]["id"]
    rows = await cypher(
        filled, "SHOW INDEXES YIELD name WHERE name STARTS WITH 'pause' RETURN name"
    )
    assert rows == []


async def test_a_pause_waits_for_who_writes_already_and_not_for_a_migration(
    filled: Context,
) -> None:
    paused, begun, ends = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def pause() -> None:
        async with store.pausing_writes(filled.graph):
            paused.set()

    async def write() -> None:
        graph: Any = filled.graph
        async with graph._transaction("test", 60) as tx:
            await graph_module._rows(tx, QUERIES.bind("backups/pass_gate", {}))
            begun.set()
            await ends.wait()
            await tx.run("CREATE (:Meta:System {name: 'late'})")
            await tx.commit()

    async with asyncio.timeout(60):
        writing = asyncio.create_task(write())
        await begun.wait()
        pausing = asyncio.create_task(pause())
        await asyncio.sleep(1)
        assert not paused.is_set()
        ends.set()
        await asyncio.gather(writing, pausing)
    held = "MERGE (l:JobLease {name: 'migrate'}) SET l.until = datetime() + duration('PT9S')"
    await cypher(filled, held)
    with pytest.raises(Unavailable, match="changing the schema"):
        await pause()
    await cypher(filled, "MATCH (l:JobLease {name: 'migrate'}) SET l.until = datetime()")


async def test_only_an_empty_store_is_written_and_only_from_a_whole_file(
    filled: Context, empty: Graph, tmp_path: Path
) -> None:
    path = await back_up(filled, tmp_path / "all.backup")
    before = await everything(filled.graph)
    with pytest.raises(Conflict, match="not empty"):
        await restore(filled.graph, path)
    assert await everything(filled.graph) == before
    cut = tmp_path / "cut.backup"
    cut.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(Invalid, match="cut off"):
        await restore(empty, cut)
    with pytest.raises(Misconfigured, match="another schema"):
        await restore_backup(empty, path, (), datetime.now(UTC))
    assert await everything(empty) == (Counter(), Counter())


async def test_a_restore_that_was_broken_off_begins_anew(
    filled: Context, empty: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    async def die(*given: Any) -> int:
        raise Killed

    path = await back_up(filled, tmp_path / "all.backup")
    with monkeypatch.context() as patch:
        patch.setattr(restoring.store, "add_relationships", die)
        with pytest.raises(Killed):
            await restore(empty, path)
    assert (await everything(empty))[0].total() > 100
    with pytest.raises(Misconfigured, match="broken off"):
        await migrate_graph(empty, migrations(), lambda: datetime.now(UTC), tmp_path)
    with pytest.raises(Misconfigured, match="half restored"):
        await back_up(replace(filled, graph=empty), tmp_path / "half.backup")
    assert not (tmp_path / "half.backup").exists()
    await restore(empty, path)
    assert await everything(empty) == await everything(filled.graph)
    assert await migrate_graph(empty, migrations(), lambda: datetime.now(UTC), tmp_path) == []


async def test_a_backup_of_before_the_label_system_has_it_once_it_is_restored(
    filled: Context, empty: Graph, tmp_path: Path
) -> None:
    await restore(empty, await back_up(filled, tmp_path / "all.backup"))
    before = await everything(empty)
    driver: Any = empty._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query("MATCH (n:System) REMOVE n:System")
    await driver.execute_query("MATCH (m:Migration {name: '0004_system.cypher'}) DELETE m")
    old = await back_up(replace(filled, graph=empty), tmp_path / "old.backup")
    assert "System" not in check_file(old).counts.labels
    await driver.execute_query("MATCH (n) DETACH DELETE n")
    await restore(empty, old)
    assert (await verify(empty)).found == ()
    new = (await everything(empty))[0] - before[0]
    assert all("'migrate'" in row or "0004_system" in row for row in new)
    assert len(new) <= 2


@pytest.mark.feature("DAEM-36")
async def test_a_backup_is_made_before_a_migration_changes_what_is_there(
    filled: Context, empty: Graph, tmp_path: Path
) -> None:
    def now() -> datetime:
        return datetime(2026, 3, 2, 9, tzinfo=UTC)

    await restore(empty, await back_up(filled, tmp_path / "all.backup"))
    there = await everything(empty)
    number = len(migrations()) + 1
    statements = ("MATCH (n:Note) SET n.spoiled = true",)
    late = Migration(number, f"{number:04}_late.cypher", "0", statements)
    folder = tmp_path / "kept"
    unwritable = tmp_path / "file"
    unwritable.write_text("no folder")
    with pytest.raises(Invalid, match="can't be used"):
        await migrate_graph(empty, (*migrations(), late), now, unwritable)
    assert await everything(empty) == there
    assert await migrate_graph(empty, (*migrations(), late), now, folder) == [late.name]
    (kept,) = folder.iterdir()
    assert kept.name.startswith(f"before-{number:04}_late-2026-03-02-")
    assert kept.stat().st_mode & 0o777 == 0o600
    driver: Any = empty._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query("MATCH (n) DETACH DELETE n")
    await restore(empty, kept)
    assert await everything(empty) == there
    assert await migrate_graph(empty, migrations(), now, folder) == []  # nothing is missing
    assert len(list(folder.iterdir())) == 1


async def test_without_vectors_the_notes_are_embedded_again(
    filled: Context, empty: Graph, other: ServerAddress, settings: Settings, tmp_path: Path
) -> None:
    whole = await back_up(filled, tmp_path / "all.backup")
    path = await back_up(filled, tmp_path / "small.backup", embeddings=False)
    assert path.stat().st_size < whole.stat().st_size
    assert (await restore(empty, path)).reindex
    embedder = create_embedder("hash")
    with pytest.raises(Misconfigured, match="reindex"):
        async with connect_context(settings, embedder, other):
            pass
    await reindex(empty, embedder, lambda: datetime.now(UTC))
    async with connect_context(settings, embedder, other) as context:
        assert (await verify(context.graph)).found == ()


async def test_a_backup_that_is_killed_leaves_no_file_and_no_lock(
    filled: Context, settings: Settings, server: ServerAddress, tmp_path: Path
) -> None:
    path, part = tmp_path / "killed.backup", tmp_path / "killed.backup.part"
    env = os.environ | {
        "GRAPHMEM_NEO4J_URI": server.bolt_uri,
        "GRAPHMEM_NEO4J_USER": server.user,
        "GRAPHMEM_NEO4J_PASSWORD": server.password,
    }
    command = [sys.executable, "-m", "graphmem", "backup", str(path)]
    process = await asyncio.create_subprocess_exec(*command, env=env)
    await until(lambda: part.exists() or process.returncode is not None, 0.001)
    process.kill()
    await process.wait()
    assert not path.exists()
    async with asking(settings, filled) as http:
        assert (await Client(http, "mara").remember("The west door is new."))["note"]
    done = await asyncio.to_thread(subprocess.run, command, env=env, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert not part.exists()
    assert check_file(path).problems == ()


async def test_the_job_keeps_the_newest_files_and_touches_no_others(
    filled: Context, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    others = {"notes.backup", "graphmem-2020-01-01.backup.txt", "graphmem-2020-01-01T000000Z.old"}
    for name in (
        *others,
        "graphmem-2020-01-01T000000Z.backup",
        "graphmem-2020-01-01T000001Z.backup.part",
    ):
        (kept / name).write_text("old")
    context = replace(filled, backups=Backups(folder=kept, keep=2))
    for day in (1, 2, 3):
        at = datetime(2026, 3, day, 3, 30, tzinfo=UTC)
        run = await run_job(replace(context, clock=lambda at=at: at), "back_up")
        assert (run.status, run.error) == (RunStatus.DONE, None)
    assert {entry.name for entry in kept.iterdir()} == others | {
        "graphmem-2026-03-02T033000Z.backup",
        "graphmem-2026-03-03T033000Z.backup",
    }
    assert all(
        entry.stat().st_mode & 0o777 == 0o600 for entry in kept.iterdir() if "2026" in entry.name
    )
    assert run.counts["removed"] == 1
    assert check_file(kept / "graphmem-2026-03-03T033000Z.backup").problems == ()
    without = await run_job(replace(filled, backups=Backups()), "back_up")
    assert without.status is RunStatus.FAILED

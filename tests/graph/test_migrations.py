"""Migrations on a database of their own: applied once by many, refused when changed; and a graph
of another version is left as it is."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, LiteralString

import pytest

from graphmem.ai.embedders import create_embedder
from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import migrations
from graphmem.errors import Misconfigured
from graphmem.resources import folder
from graphmem.server import ServerAddress
from graphmem.services.context import utc_now
from graphmem.services.startup import prepare, require_ready
from graphmem.store.graph import Graph
from graphmem.store.migrations import INDEXES_S, load_migrations, migrate, pending
from graphmem.store.queries import Queries

REPLICAS = 3
OLD = (
    "0001_constraints.cypher",
    "0002_indexes.cypher",
    "0003_commons.cypher",
    "0004_events.cypher",
)


@pytest.fixture(scope="module")
async def replicas(empty_server: ServerAddress) -> AsyncIterator[list[Graph]]:
    """Several drivers, as so many processes would have."""
    at = empty_server
    async with AsyncExitStack() as stack:
        graphs = []
        for _ in range(REPLICAS):
            queries = Queries(folder("cypher"))
            graphs.append(Graph.connect(at.bolt_uri, at.user, at.password, queries))
            stack.push_async_callback(graphs[-1].close)
        yield graphs


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A copy of the migrations that a test may change."""
    for entry in (folder("schema") / "migrations").iterdir():
        (tmp_path / entry.name).write_text(entry.read_text("utf-8"), "utf-8")
    return tmp_path


async def test_replicas_that_start_together_apply_each_file_once(replicas: list[Graph]) -> None:
    known = migrations()
    assert await pending(replicas[0], known) == [migration.name for migration in known]
    done = await asyncio.gather(
        *(
            migrate(graph, known, owner=f"replica {i}", now=datetime.now(UTC))
            for i, graph in enumerate(replicas)
        )
    )
    assert sorted(name for names in done for name in names) == [m.name for m in known]
    rows = await replicas[0].read("migrations/list")
    assert [row["checksum"] for row in rows] == [migration.checksum for migration in known]
    assert await pending(replicas[0], known) == []


@pytest.mark.feature("DAEM-36")
async def test_replicas_prepare_the_graph_together(replicas: list[Graph], tmp_path: Path) -> None:
    embedder = create_embedder("hash")
    await asyncio.gather(
        *(prepare(graph, embedder, migrations(), utc_now, tmp_path) for graph in replicas)
    )
    await require_ready(replicas[0], embedder, migrations())
    await embedder.close()


async def test_another_embedder_stops_the_start(replicas: list[Graph], tmp_path: Path) -> None:
    embedder = create_embedder("hash", dimension=64)
    with pytest.raises(Misconfigured, match="graphmem reindex"):
        await prepare(replicas[0], embedder, migrations(), utc_now, tmp_path)
    await embedder.close()


def changed(files: Path, *, number: int) -> str:
    """Change one file; its name."""
    file = sorted(files.iterdir())[number - 1]
    file.write_text(file.read_text("utf-8") + "// changed\n", "utf-8")
    return file.name


def with_other_line_ends(files: Path) -> Path:
    for file in files.iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    return files


async def test_a_changed_applied_file_stops_the_start(replicas: list[Graph], files: Path) -> None:
    name = changed(files, number=1)
    with pytest.raises(Misconfigured, match=f"{name} was changed after it was applied"):
        await migrate(replicas[0], load_migrations(files), owner="late", now=datetime.now(UTC))


async def test_other_line_ends_are_no_change(replicas: list[Graph], files: Path) -> None:
    known = load_migrations(with_other_line_ends(files))
    assert await pending(replicas[0], known) == []


@pytest.mark.parametrize(("name", "says"), [("9_x.cypher", "is not named"), ("0999_x.cypher", "1")])
def test_a_file_with_a_wrong_number_is_refused(files: Path, name: str, says: str) -> None:
    (files / name).write_text("RETURN 1;\n", "utf-8")
    with pytest.raises(Misconfigured, match=says):
        load_migrations(files)


LEASE: LiteralString = """MATCH (l:JobLease {name: 'migrate'})
RETURN duration.inSeconds(datetime(), l.until).seconds AS left"""


async def test_a_new_file_is_applied_by_one_replica_alone(
    replicas: list[Graph], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease outlasts each statement and the wait for indexes: no backup is made meanwhile."""
    run_statement, left = Graph.run_statement, list[float]()

    async def noted(store: Graph, text: Any) -> None:
        await run_statement(store, text)
        driver = store._driver  # pyright: ignore[reportPrivateUsage]
        left.append((await driver.execute_query(LEASE)).records[0]["left"])

    monkeypatch.setattr(Graph, "run_statement", noted)
    number = len(migrations()) + 1
    name = f"{number:04}_more.cypher"
    (files / name).write_text(
        "// Two statements.\nCREATE INDEX extra IF NOT EXISTS FOR (n:Extra) ON (n.id);\n"
        "CREATE (:Extra {id: 1});\n",
        "utf-8",
    )
    known = load_migrations(files)
    done = await asyncio.gather(
        *(
            migrate(graph, known, owner=f"replica {i}", now=datetime.now(UTC))
            for i, graph in enumerate(replicas)
        )
    )
    assert sorted(done) == [[], [], [name]]
    assert len(left) == 2
    assert min(left) > INDEXES_S


async def test_the_newer_graph_stops_this_version(replicas: list[Graph]) -> None:
    """The file of the test before this one is not among those of the program."""
    with pytest.raises(Misconfigured, match=r"_more\.cypher.*start a newer version"):
        await migrate(replicas[0], migrations(), owner="late", now=datetime.now(UTC))


@pytest.mark.parametrize("applied", [OLD[:1], OLD])
async def test_a_graph_of_before_the_first_version_stops_this_one(
    emptied: Callable[[], ServerAddress],
    replicas: list[Graph],
    applied: Sequence[str],
    tmp_path: Path,
) -> None:
    """Also one with as many migrations as there are now; and it is left as it is."""
    emptied()
    graph = replicas[0]
    for number, name in enumerate(applied, 1):
        row = {"number": number, "name": name, "checksum": "0", "now": datetime.now(UTC)}
        await graph.write_one("migrations/record", **row)
    before = await graph.read("meta/contents"), await graph.read("migrations/list")
    for start in (
        lambda: pending(graph, migrations()),
        lambda: migrate(graph, migrations(), owner="late", now=datetime.now(UTC)),
        lambda: prepare(graph, HashEmbedder(64), migrations(), utc_now, tmp_path),
    ):
        with pytest.raises(Misconfigured, match=r"before 0\.1\.0.*`graphmem export`") as refused:
            await start()
        assert "graphmem import" in refused.value.message
    assert (await graph.read("meta/contents"), await graph.read("migrations/list")) == before

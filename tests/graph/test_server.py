"""The real server: one is shared by the tests of this file, in the order in which they stand."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, ClientError

from graphmem.errors import Misconfigured
from graphmem.server import (
    EmbeddedNeo4j,
    ServerAddress,
    bolt,
    default_cache_dir,
    running_server,
)
from graphmem.server.artifacts import locked
from graphmem.server.browser_guide import ensure_browser, guide
from graphmem.server.conf import NO_TELEMETRY
from graphmem.server.home import DataFolder, write_private
from graphmem.server.jars import ensure_jars
from graphmem.server.lockfile import FolderLock, is_alive
from graphmem.server.ports import HOST

SMALL = {"cache_dir": default_cache_dir(), "heap": "512m", "page_cache": "64m"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, quick_java: None) -> Iterator[EmbeddedNeo4j]:
    """A server on a folder where an earlier first start ended after the password was made."""
    folder = DataFolder(tmp_path_factory.mktemp("server") / "data")
    folder.make()
    write_private(folder.password, "left-by-a-first-try")
    with EmbeddedNeo4j(folder.root, **SMALL) as running:
        yield running


def query(address: ServerAddress, text: str) -> list[list[object]]:
    with GraphDatabase.driver(address.bolt_uri, auth=(address.user, address.password)) as driver:
        return [record.values() for record in driver.execute_query(text, database_="neo4j").records]


def bolt_port(address: ServerAddress) -> int:
    return int(address.bolt_uri.rpartition(":")[2])


def wait_until(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)


def test_it_answers_with_its_password_only(server: EmbeddedNeo4j):
    address = server.address
    assert address.password == "left-by-a-first-try"
    assert query(address, "RETURN 1") == [[1]]
    with (
        GraphDatabase.driver(address.bolt_uri, auth=("neo4j", "neo4j")) as driver,
        pytest.raises(AuthError),
    ):
        driver.execute_query("RETURN 1")


def test_its_files_are_private(server: EmbeddedNeo4j):
    folder = server.folder
    for path in (folder.root, folder.home, folder.log.parent):
        assert path.stat().st_mode & 0o777 == 0o700
    for path in (folder.password, folder.address, folder.lock):
        assert path.stat().st_mode & 0o777 == 0o600
    logs = [folder.log, *(folder.home / "logs").glob("*.log")]
    assert len(logs) > 1
    assert not any(server.address.password in log.read_text("utf-8") for log in logs)
    assert not (folder.root / "neo4j.arguments").exists()


def test_its_settings(server: EmbeddedNeo4j):
    names = ["db.query.default_language", "db.transaction.timeout", "dbms.usage_report.enabled"]
    rows = query(server.address, "SHOW SETTINGS YIELD name, value RETURN name, value")
    found = {name: value for name, value in rows if name in names}
    assert found == dict(zip(names, ["CYPHER_25", "10m", "false"], strict=True))


def test_it_tells_nobody_how_it_is_used(server: EmbeddedNeo4j):
    """Each setting that there is for that; Neo4j Browser reads the last one before it sends."""
    wanted = dict(line.split("=") for line in NO_TELEMETRY)
    rows = query(server.address, "SHOW SETTINGS YIELD name, value RETURN name, value")
    found = {str(name): value for name, value in rows}
    assert {name: found[name] for name in wanted} == wanted
    about = re.compile(r"telemetry|usage_report|fleet_\w+\.enabled|udc|analytics")
    assert {name for name in found if about.search(name)} == wanted.keys()
    rows = query(server.address, "CALL dbms.clientConfig() YIELD name, value RETURN name, value")
    assert ["client.allow_telemetry", "false"] in rows


def test_search_by_vector_and_words(server: EmbeddedNeo4j):
    """The jars that the lock file leaves out are not missed."""
    for statement in (
        "CREATE VECTOR INDEX v FOR (n:Probe) ON n.e WITH [n.a] "
        "OPTIONS { indexConfig: { `vector.dimensions`: 2 } }",
        "CREATE FULLTEXT INDEX f FOR (n:Probe) ON EACH [n.t] "
        "OPTIONS { indexConfig: { `fulltext.analyzer`: 'english' } }",
        "CREATE CONSTRAINT c FOR (n:Probe) REQUIRE (n.a, n.t) IS UNIQUE",
        "CALL db.awaitIndexes(30)",
        "CREATE (:Probe {e: [1.0, 0.0], a: 'x', t: 'running dogs'})",
    ):
        query(server.address, statement)
    near = "MATCH (n) SEARCH n IN (VECTOR INDEX v FOR [1, 0.1] WHERE n.a = 'x' LIMIT 1) RETURN n.t"
    words = "CALL db.index.fulltext.queryNodes('f', 'run') YIELD node RETURN node.t"
    assert query(server.address, near) == query(server.address, words) == [["running dogs"]]


def test_a_second_server_is_refused(server: EmbeddedNeo4j):
    with pytest.raises(Misconfigured, match=f"in use by process {os.getpid()}"):
        EmbeddedNeo4j(server.folder.root, **SMALL).start()
    assert bolt.answers(HOST, bolt_port(server.address))


def test_after_kill_9_of_java_it_comes_back_with_its_data(server: EmbeddedNeo4j):
    before = server.address
    query(before, "CREATE (:Survivor {name: 'crash'})")
    os.kill(before.pid, signal.SIGKILL)
    wait_until(lambda: server.address.pid != before.pid, 60)
    wait_until(lambda: bolt.answers(HOST, bolt_port(before)), 120)
    assert server.address.bolt_uri == before.bolt_uri
    assert query(server.address, "MATCH (n:Survivor) RETURN n.name") == [["crash"]]


def test_read_only_it_shows_its_graph_and_changes_nothing(
    server: EmbeddedNeo4j, tmp_path: Path, quick_java: None
):
    with EmbeddedNeo4j(tmp_path / "data", **SMALL) as first:
        query(first.address, "CREATE (:Note {id: 'a', audience: 'u:ann/OPEN/general'})")
    with EmbeddedNeo4j(tmp_path / "data", **SMALL, read_only=True) as second:
        for text in (
            "CREATE (:Note {id: 'b'})",
            "MATCH (n:Note) SET n.audience = 'u:bo/OPEN/general'",
            "MATCH (n:Note) DETACH DELETE n",
            "CREATE INDEX mine FOR (n:Note) ON (n.audience)",
        ):
            with pytest.raises(ClientError, match="read-only"):
                query(second.address, text)
        found = query(second.address, "MATCH (n:Note) RETURN n.id, n.audience")
        assert found == [["a", "u:ann/OPEN/general"]]


def test_read_only_needs_a_graph(tmp_path: Path):
    with pytest.raises(Misconfigured, match="no graph"):
        EmbeddedNeo4j(tmp_path / "none", **SMALL, read_only=True).start()
    assert not (tmp_path / "none").exists()


def test_settings_that_need_too_much_memory(server: EmbeddedNeo4j):
    server.stop()
    other = EmbeddedNeo4j(server.folder.root, **(SMALL | {"page_cache": "900000g"}))
    with pytest.raises(Misconfigured) as caught:
        other.start()
    assert str(server.folder.log) in caught.value.message
    assert "too little memory" in caught.value.message


ALLOWED = """CALL dbms.clientConfig() YIELD name, value
WHERE name CONTAINS 'content_hostname' RETURN value"""
OWNER = """
import pathlib, sys, time
from graphmem.server import EmbeddedNeo4j, default_cache_dir
data, distribution = map(pathlib.Path, sys.argv[1:])
server = EmbeddedNeo4j(
    data,
    cache_dir=default_cache_dir(),
    heap="512m",
    page_cache="64m",
    browser=True,
    neo4j_home=distribution,
)
print(server.start().pid, flush=True)
time.sleep(300)
"""


@pytest.fixture
def owner(server: EmbeddedNeo4j, distribution: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Another process that runs a server with Browser, from a distribution, on the same folder."""
    server.stop()
    assert running_server(server.folder.root) is None
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(server.folder.root), str(distribution)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    with process.stdout:
        process.stdout.readline()
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def distribution(tmp_path: Path) -> Path:
    """An unpacked distribution: the jars of server and browser, with the guide, in one folder."""
    lib = tmp_path / "distribution" / "lib"
    lib.mkdir(parents=True)
    cache = default_cache_dir()
    for folder in (ensure_jars(cache, locked("server")), ensure_browser(cache)):
        for jar in folder.iterdir():
            (lib / jar.name).symlink_to(jar)
    return lib.parent


def test_another_process_owns_it_until_kill_9(server: EmbeddedNeo4j, owner):
    """What was stored before is there; after the kill no Java is left on the folder."""
    address = running_server(server.folder.root)
    assert address is not None
    assert is_alive(address.pid)
    assert query(address, "MATCH (n:Survivor) RETURN n.name") == [["crash"]]
    assert address.browser_url is not None
    with urllib.request.urlopen(address.browser_url, timeout=60) as answer:
        assert b"<html" in answer.read().lower()
    with urllib.request.urlopen(f"{address.browser_url}guides/graphmem", timeout=60) as answer:
        assert answer.read().decode() == guide()
    ((told,),) = query(address, ALLOWED)
    assert f"{address.browser_url}guides" in told.split(",")

    owner.kill()
    owner.wait()
    assert running_server(server.folder.root) is None
    FolderLock(server.folder).release()  # waits until it is free
    assert not is_alive(address.pid)

"""A store of a version before 0.1.0: every command that opens a store refuses it in one sentence,
and leaves it as it is."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from graphmem.server import EmbeddedNeo4j, ServerAddress, default_cache_dir

REFUSED = (
    "graphmem: the store was made by a version of graphmem before 0.1.0, which this version can't "
    "open: write what each user owns to a file by `graphmem export` of that version, and read the "
    "files by `graphmem import` of this one into a new data folder or an empty database\n"
)
COMMANDS = (
    ("serve",),
    ("demo",),
    ("mcp",),
    ("migrate",),
    ("reindex",),
    ("export", "-"),
    ("import", "."),
    ("clear", "--agent", "scout", "--yes"),
    ("purge", "--older-than", "90d", "--yes"),
    ("erase-user", "me", "--yes"),
    ("jobs", "list"),
    ("jobs", "runs"),
    ("jobs", "run", "sweep_decay"),
    ("keys", "list"),
    ("keys", "create"),
    ("keys", "revoke", "00000000"),
)
FILL = """UNWIND range(1, 40) AS number
CREATE (:Migration {number: number, checksum: 'c' + number,
  name: CASE number WHEN 1 THEN '0001_constraints.cypher' ELSE 'other' + number END})
WITH count(*) AS files
CREATE (:User {id: 'me'})-[:WROTE {at: datetime()}]->(n:Note {id: 'n', user: 'me', content: 'Blue.',
  expiresAt: datetime('2020-01-01T00:00:00Z')})-[:FOR]->(:Audience {key: 'u:me/OPEN//'})
CREATE (:Meta {name: 'embedding', model: 'other', dimension: 5})"""
SCHEMA = "CREATE CONSTRAINT note_external_id FOR (n:Note) REQUIRE (n.user, n.externalId) IS UNIQUE"
EVERYTHING = (
    "MATCH (n) RETURN labels(n) AS labels, properties(n) AS given ORDER BY elementId(n)",
    "MATCH (a)-[r]->(b) RETURN type(r) AS type, properties(r) AS given ORDER BY elementId(r)",
    "SHOW CONSTRAINTS",
    "SHOW INDEXES YIELD name, type, options, labelsOrTypes, properties",
)
Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("old")


@pytest.fixture(scope="module")
def server(data: Path, quick_java: None) -> Iterator[EmbeddedNeo4j]:
    """An embedded one with such a store."""
    server = EmbeddedNeo4j(data, cache_dir=default_cache_dir(), heap="512m", page_cache="64m")
    address = server.start(180)
    for query in (SCHEMA, FILL):
        ask(address, query)
    yield server
    server.stop()


@pytest.fixture
def run(tmp_path: Path, data: Path) -> Run:
    """Runs a command with an open stdin; its exit code and stderr."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHMEM_")}
    program = {
        "GRAPHMEM_DATA": str(data),
        "GRAPHMEM_PORT": "0",
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_EXTRACTOR": "rules",
        "GRAPHMEM_OPERATION_TIMEOUT_S": "200",  # after a start, beside other tests
        "GRAPHMEM_NEO4J_HEAP": "512m",
        "GRAPHMEM_NEO4J_PAGE_CACHE": "64m",
        "GRAPHMEM_AOT_CACHE": "false",
    }

    def start(*words: str, **given: str) -> tuple[int, str]:
        with (tmp_path / "err").open("w+") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "graphmem", *words],
                cwd=tmp_path,
                env={**kept, **program, **given},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=err,
            )
            try:
                code = process.wait(180)
            finally:
                process.kill()
                process.communicate()
            err.seek(0)
            return code, err.read()

    return start


def ask(address: ServerAddress, query: Any) -> list[Any]:
    with GraphDatabase.driver(
        address.bolt_uri, auth=(address.user, address.password), notifications_min_severity="OFF"
    ) as driver:
        return [row.data() for row in driver.execute_query(query).records]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_refuses_an_old_store_and_changes_nothing(
    server: EmbeddedNeo4j, run: Run, words: tuple[str, ...]
) -> None:
    address = server.start(180)
    before = [ask(address, query) for query in EVERYTHING]
    assert [len(rows) > 0 for rows in before] == [True] * len(EVERYTHING)
    place = {
        "GRAPHMEM_NEO4J_URI": address.bolt_uri,
        "GRAPHMEM_NEO4J_PASSWORD": address.password,
    }
    assert run(*words, **place) == (1, REFUSED)
    assert [ask(address, query) for query in EVERYTHING] == before


def test_serve_refuses_an_old_store_in_its_own_folder(server: EmbeddedNeo4j, run: Run) -> None:
    """Last, since it stops the server of this file."""
    server.stop()
    code, err = run("serve")
    *log, last = err.splitlines(keepends=True)  # the log says when Neo4j has started
    assert (code, last) == (1, REFUSED)
    assert all(json.loads(line)["level"] == "info" for line in log), err

"""A server of its own for tests that change what all users have: migrations, the model."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, LiteralString, cast

import pytest
from neo4j import GraphDatabase

from graphmem.server import EmbeddedNeo4j, ServerAddress, default_cache_dir
from graphmem.services.job_runs import last_success as since
from graphmem.services.job_runs import running


@pytest.fixture(scope="session")
def own_server(
    tmp_path_factory: pytest.TempPathFactory, quick_java: None
) -> Iterator[ServerAddress]:
    """Always embedded, since the shared one has its migrations already."""
    data = tmp_path_factory.mktemp("own")
    server = EmbeddedNeo4j(data, cache_dir=default_cache_dir(), heap="512m", page_cache="64m")
    yield server.start(180)
    server.stop()


@pytest.fixture(scope="session")
def emptied(own_server: ServerAddress) -> Callable[[], ServerAddress]:
    """Takes everything from that server: data, indexes and constraints."""

    def take() -> ServerAddress:
        auth = (own_server.user, own_server.password)
        with GraphDatabase.driver(own_server.bolt_uri, auth=auth) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
            for row in driver.execute_query("SHOW CONSTRAINTS YIELD name").records:
                driver.execute_query("DROP CONSTRAINT $name", name=row["name"])
            query = "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"
            for row in driver.execute_query(query).records:
                driver.execute_query("DROP INDEX $name", name=row["name"])
        return own_server

    return take


@pytest.fixture(scope="module")
def empty_server(emptied: Callable[[], ServerAddress]) -> ServerAddress:
    """The same with nothing in it."""
    return emptied()


@pytest.fixture(autouse=True)
def runs_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job looks at what is new since its last run of the same test: other tests have clocks of
    their own, so their runs tell nothing."""
    begun: set[str] = set()
    claim, list_runs = running.store.claim, since.list_runs

    async def claimed(graph: Any, run: Any, lease_s: float) -> Any:
        begun.add(run.id)
        return await claim(graph, run, lease_s)

    async def listed(*args: Any) -> Any:
        return [run for run in await list_runs(*args) if run.id in begun]

    monkeypatch.setattr(running.store, "claim", claimed)
    monkeypatch.setattr(since, "list_runs", listed)


@pytest.fixture(scope="module")
def rows(neo4j_address: ServerAddress) -> Iterator[Callable[..., Any]]:
    """Asks the graph itself."""
    at = neo4j_address
    with GraphDatabase.driver(at.bolt_uri, auth=(at.user, at.password)) as driver:

        async def ask(text: str, **given: Any) -> list[list[Any]]:
            query = cast("LiteralString", text)
            found = await asyncio.to_thread(driver.execute_query, query, given, database_="neo4j")
            return [record.values() for record in found.records]

        yield ask

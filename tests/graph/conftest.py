"""A server of its own for tests that change what all users have: migrations, the model."""

from collections.abc import Iterator

import pytest
from neo4j import GraphDatabase

from graphmem.server import EmbeddedNeo4j, ServerAddress, default_cache_dir


@pytest.fixture(scope="session")
def own_server(
    tmp_path_factory: pytest.TempPathFactory, quick_java: None
) -> Iterator[ServerAddress]:
    """Always embedded, since the shared one has its migrations already."""
    data = tmp_path_factory.mktemp("own")
    server = EmbeddedNeo4j(data, cache_dir=default_cache_dir(), heap="512m", page_cache="64m")
    yield server.start(180)
    server.stop()


@pytest.fixture(scope="module")
def empty_server(own_server: ServerAddress) -> ServerAddress:
    """The same with nothing in it, neither data nor indexes."""
    auth = (own_server.user, own_server.password)
    with GraphDatabase.driver(own_server.bolt_uri, auth=auth) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
        for row in driver.execute_query("SHOW CONSTRAINTS YIELD name").records:
            driver.execute_query("DROP CONSTRAINT $name", name=row["name"])
        rows = driver.execute_query("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").records
        for row in rows:
            driver.execute_query("DROP INDEX $name", name=row["name"])
    return own_server

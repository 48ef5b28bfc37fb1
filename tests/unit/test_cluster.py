"""Against a cluster of Neo4j: reads go to those who read, writes to the leader, and each waits for
what this process has written."""

from collections.abc import AsyncIterator

import pytest
from bolt_cluster import BoltCluster, bolt_cluster

from graphmem.resources import folder
from graphmem.store.graph import Graph, Step
from graphmem.store.queries import Queries

WRITE = Step("jobs/cancel", {"id": "a run"})


@pytest.fixture
async def cluster() -> AsyncIterator[BoltCluster]:
    async with bolt_cluster() as made:
        yield made


@pytest.fixture
async def graph(cluster: BoltCluster) -> AsyncIterator[Graph]:
    queries = Queries(folder("cypher"), folder("jobs"))
    made = Graph.connect(cluster.uri, "neo4j", "secret", queries, database="team-a")
    yield made
    await made.close()


async def read(graph: Graph) -> None:
    assert await graph.read("jobs/next_user", after="") == []


async def test_reads_go_to_a_reader_and_writes_to_the_leader(
    cluster: BoltCluster, graph: Graph
) -> None:
    await read(graph)
    await graph.write(WRITE)
    await graph.rehearse(WRITE)
    await graph.run("jobs/cancel", id="a run")
    asked = [(each.member, each.mode) for each in cluster.asked]
    assert asked == [("one", "r"), ("two", "w"), ("two", "w"), ("two", "w")]
    assert {each.database for each in cluster.asked} == {"team-a"} == set(cluster.routed)


async def test_each_waits_for_what_was_written_before(cluster: BoltCluster, graph: Graph) -> None:
    await graph.write(WRITE)
    await read(graph)
    await graph.reading_only().read("jobs/next_user", after="")
    await graph.write(WRITE)
    first, *later = (each.bookmarks for each in cluster.asked)
    assert first == frozenset()
    assert later == [{bookmark} for bookmark in cluster.bookmarks[:3]]
    assert cluster.bookmarks[0].startswith("two:")  # which the reader was told to wait for


async def test_a_new_leader_is_found(cluster: BoltCluster, graph: Graph) -> None:
    await graph.write(WRITE)
    await read(graph)
    cluster.leader = "one"
    await graph.write(WRITE)
    await read(graph)
    asked = [(each.member, each.mode) for each in cluster.asked]
    assert asked == [("two", "w"), ("one", "r"), ("one", "w"), ("two", "r")]
    assert len(cluster.routed) == 2

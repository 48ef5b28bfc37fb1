"""Every query, planned by the real server."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import Any

import pytest
from neo4j import GraphDatabase, NotificationMinimumSeverity, Session

from graphmem.ai.hash_embedder import HashEmbedder
from graphmem.app import connect_context
from graphmem.resources import folder
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.settings import Settings
from graphmem.store import reindexing
from graphmem.store.queries import Queries, pack
from graphmem.store.vector_slots import VectorSlot

QUERIES = Queries(folder("cypher"), folder("jobs"))
NO_PARAMETERS = "01N60"
# Labels, types and properties that no data has yet: the plan is for an empty database, too.
NOT_THERE_YET = {"01N50", "01N51", "01N52"}

KEYS = """SHOW INDEXES YIELD entityType, type, labelsOrTypes, properties
WHERE entityType = 'NODE' AND type = 'RANGE' RETURN labelsOrTypes[0] AS label, properties AS keys"""
MAKE = """CYPHER 25 MATCH (before:Made) WITH count(before) AS number
CREATE (n:$($labels)) SET n = $given, n.number = number"""
JOIN = """CYPHER 25 MATCH (a:Made {number: $a}) MATCH (b:Made {number: $b})
CREATE (a)-[:$($type)]->(b)"""
HOW_MANY = (0, 0, 1, 3, 20)
SHARED = ("audience", "user", "status", "kind", "tier", "episode", "happenedAt")  # by notes
OF_TYPE = re.compile(r"\[\w*:([A-Z_]+)\b")


TYPES = sorted({found for name in QUERIES.names for found in OF_TYPE.findall(QUERIES.text(name))})


@pytest.fixture(scope="module")
async def schema(settings: Settings, empty_server: ServerAddress) -> ServerAddress:
    """A server with all indexes and nothing else, so that the statistics are always the same."""
    async with connect_context(settings, HashEmbedder(64), empty_server) as context:
        second = context.graph.in_slot(VectorSlot.SECOND)
        await reindexing.create_indexes(second, 64)
        await second.run("meta/await_indexes", seconds=300)
        return empty_server


@pytest.fixture(scope="module", params=[None, 4, 10])
def explain(request: pytest.FixtureRequest, schema: ServerAddress) -> Iterator[Any]:
    """Plans a query in an empty graph, or in a small one made by a seed, whose plans are others;
    its plan and its notifications."""
    auth = (schema.user, schema.password)
    with (
        GraphDatabase.driver(
            schema.bolt_uri,
            auth=auth,
            notifications_min_severity=NotificationMinimumSeverity.INFORMATION,
        ) as driver,
        driver.session(database="neo4j") as session,
    ):
        if request.param is not None:
            make_some(session, Random(request.param))
        session.run("CALL db.prepareForReplanning(60)").consume()
        session.run("CALL db.clearQueryCaches()").consume()

        @cache
        def run(name: str, slot: VectorSlot = VectorSlot.FIRST) -> tuple[Any, list[str]]:
            text = pack(QUERIES.in_slot(slot).text(name)).replace(
                "CYPHER 25\n", "CYPHER 25 EXPLAIN\n", 1
            )
            summary = session.run(text).consume()  # pyright: ignore[reportArgumentType]
            statuses = [s.gql_status for s in summary.gql_status_objects]
            return summary.plan, [s for s in statuses if s.startswith(("01", "03"))]

        yield run
        session.run("MATCH (n:Made) DETACH DELETE n").consume()


def make_some(session: Session, random: Random) -> None:
    """Makes 0 to 20 nodes of each label that has an index, and relationships of each type."""
    keys = defaultdict[str, set[str]](set)
    for row in session.run(KEYS).data():
        keys[row["label"]].update(row["keys"])
    made: list[int] = []
    for label in [*sorted(keys), *("Current", "Skill", "Knowledge")]:
        labels = ["Made", label] if label in keys else ["Made", "Note", label]
        for _ in range(random.choice(HOW_MANY)):
            of_some = {key: f"{random.randrange(3)}" for key in SHARED if labels[1] == "Note"}
            given = {key: f"{len(made)}" for key in keys[labels[1]]} | of_some
            session.run(MAKE, labels=labels, given=given).consume()
            made.append(len(made))
    for kind in TYPES if made else ():
        for _ in range(random.choice(HOW_MANY)):
            ends = {"a": random.choice(made), "b": random.choice(made)}
            session.run(JOIN, type=kind, **ends).consume()


@pytest.mark.parametrize("name", QUERIES.names)
def test_the_server_plans_every_query_without_a_warning(name: str, explain: Any) -> None:
    plan, notifications = explain(name)
    assert plan is not None
    assert set(notifications) - NOT_THERE_YET <= {NO_PARAMETERS}


def operators(plan: Any) -> Iterator[tuple[str, str]]:
    """Each operator of a plan with its details."""
    yield plan["operatorType"].split("@")[0], plan["args"].get("Details", "")
    for child in plan.get("children", ()):
        yield from operators(child)


SCANS = {"AllNodesScan", "NodeByLabelScan", "AllRelationshipsScan", "DirectedAllRelationshipsScan"}
SCANS |= {"UndirectedAllRelationshipsScan", "UndirectedRelationshipTypeScan"}
SCANS |= {"DirectedRelationshipTypeScan", "PartitionedNodeByLabelScan"}
SCANS |= {"NodeIndexScan"}
# What there is one of or few of, and the count over everybody's notes for `graphmem status`.
MAY_SCAN = {"keys/list", "stats/total"}
# An erasure looks at what anybody keeps, `graphmem verify` and a backup at everything.
MAY_SCAN_ALL = ("meta/", "migrations/", "erasure/", "verify/", "backups/")


def test_every_hint_names_a_seek() -> None:
    # The planner keeps a hint that names the index alone by scanning all of it, if the statistics
    # say so, and those differ from graph to graph.
    hinted = [
        name for name in QUERIES.names if re.search("USING INDEX (?!SEEK )", QUERIES.text(name))
    ]
    assert hinted == []


@pytest.mark.parametrize(
    "name",
    [name for name in QUERIES.names if name not in MAY_SCAN and not name.startswith(MAY_SCAN_ALL)],
)
def test_no_query_scans_a_whole_label(name: str, explain: Any) -> None:
    plan, _ = explain(name)
    assert [each for each in operators(plan) if each[0] in SCANS] == []


def test_core_memory_reads_no_more_of_an_index_than_it_takes(explain: Any) -> None:
    """The newest notes come in the order of the index; a sort of all would read them all."""
    plan, _ = explain("core/read")
    assert "Top" not in {operator for operator, _ in operators(plan)}


@pytest.mark.feature("DAEM-35")
@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("job:expire_notes", "expiresAt, importance"),
        ("notes/list", "audience, createdAt"),
        ("notes/count", "audience, createdAt"),
        ("recall/scan", "audience, createdAt"),
        ("core/read", "audience, coreBlock"),
        ("core/read", "audience, coreMark, createdAt"),
    ],
)
def test_reads_by_expiry_by_newest_and_with_tags_use_an_index(
    name: str, index: str, explain: Any
) -> None:
    """The lists filter by agent and tags inside the audience's part of the index."""
    plan, _ = explain(name)
    seeks = [
        details for operator, details in operators(plan) if operator.startswith("NodeIndexSeek")
    ]
    assert any(f"n:Note({index})" in details for details in seeks), seeks


INDEXES = (
    r"audience, createdAt|expiresAt, importance|user, status|[\w, ]*happenedAt, id|tier[\w, ]*"
)
SEEK_OF_MANY = re.compile(rf"INDEX `?(\w+)`?:Note\(({INDEXES})\)")


@pytest.mark.parametrize("name", QUERIES.names)
def test_an_index_that_gives_many_notes_is_read_only_where_the_query_names_it(
    name: str, explain: Any
) -> None:
    """Such a read is cheap in a small graph, and the plan is kept while the graph grows."""
    plan, _ = explain(name)
    for _, details in operators(plan):
        for variable, index in SEEK_OF_MANY.findall(details):
            assert f"USING INDEX SEEK {variable}:Note({index})" in QUERIES.text(name)


PAGES = """consolidation/active consolidation/collect export/ids notes/list
    notes/stamps reflection/list_summaries job:sweep_decay""".split()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_the_index_in_its_order(name: str, explain: Any) -> None:
    """`PartialTop` reads up to the end of the page, `Top` all of the audience's notes."""
    plan, _ = explain(name)
    assert "PartialTop" in {operator for operator, _ in operators(plan)}


# Of one node, of nodes of many labels, of the audiences of a user.
MAY_READ_TWICE = {
    "commons/withdraw_knowledge",
    "erasure/named",
    "job:promote_knowledge",
}


@pytest.mark.parametrize("name", [name for name in QUERIES.names if name not in MAY_READ_TWICE])
def test_no_query_reads_an_index_once_for_each_side_of_an_or(name: str, explain: Any) -> None:
    """Such a plan loses the order of the index and reads all of it for the first few rows. Pages go
    on after a place by CASE instead, which no index can answer."""
    plan, _ = explain(name)
    asked = len(re.findall(r"\bUNION\b(?! ALL)", QUERIES.text(name)))
    assert distinct_unions(plan) <= asked


def distinct_unions(plan: Any) -> int:
    """How many unions of a plan are cleared of what came twice."""
    children = plan.get("children", ())
    here = plan["operatorType"].startswith("Distinct") and any(
        child["operatorType"].startswith("Union") for child in children
    )
    return here + sum(map(distinct_unions, children))


SECOND = QUERIES.in_slot(VectorSlot.SECOND)


@pytest.mark.parametrize("name", [n for n in QUERIES.names if SECOND.text(n) != QUERIES.text(n)])
def test_the_queries_of_the_second_slot_read_as_those_of_the_first(name: str, explain: Any) -> None:
    plans = [explain(name, slot) for slot in VectorSlot]
    assert set(plans[1][1]) - NOT_THERE_YET <= {NO_PARAMETERS}
    if name not in MAY_SCAN and not name.startswith(MAY_SCAN_ALL):
        assert [each for each in operators(plans[1][0]) if each[0] in SCANS] == []
    if name not in MAY_READ_TWICE:
        assert distinct_unions(plans[1][0]) <= distinct_unions(plans[0][0])


# Many notes of one author say that an entity has another name, and mention that name.
NAMED_TWICE = """MERGE (w:Entity {id: $user + 'w'}) MERGE (p:Entity {id: $user + 'p'})
SET w.user = $user, p.user = $user
WITH w, p
UNWIND range(1, $notes) AS i
CREATE (n:Note {id: $user + i, audience: $user, expiresAt: $later, status: 'ACTIVE'})
CREATE (n)-[:MENTIONS {given: true, at: $now}]->(p)
CREATE (w)-[:ALSO_CALLED {noteId: n.id, id: n.id, at: $now}]->(p)"""


def hits(profile: Any) -> int:
    """How often a profiled query has read the store."""
    return profile["dbHits"] + sum(map(hits, profile.get("children", ())))


def test_another_name_costs_the_same_for_each_note_that_gives_it(
    neo4j_address: ServerAddress, context: Context, new_user: Any
) -> None:
    assert context.graph
    auth = (neo4j_address.user, neo4j_address.password)
    ties = pack(QUERIES.text("entities/ties"))
    text: Any = ties.replace("CYPHER 25\n", "CYPHER 25 PROFILE\n", 1)
    now, later = datetime(2026, 3, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
    read = []
    with GraphDatabase.driver(neo4j_address.bolt_uri, auth=auth) as driver:
        for notes in (20, 80):
            user = new_user()
            given = {"user": user, "now": now, "later": later, "notes": notes}
            asked = {"ids": [user + "w"], "audiences": [user], "statuses": ["ACTIVE"], "limit": 99}
            with driver.session(database="neo4j") as session, session.begin_transaction() as tx:
                tx.run(NAMED_TWICE, given).consume()
                result = tx.run(text, given={"user": user, "now": now, **asked})
                assert len(result.single(strict=True)["rows"]) == notes
                read.append(hits(result.consume().profile))
                tx.rollback()
    assert read[1] < 5 * read[0]

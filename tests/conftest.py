"""A real Neo4j for a run of the tests, the service on it, and a client that speaks to it."""

import gc
import os
import shlex
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from clients import Client
from hypothesis import settings as examples
from shared_server import OWNERS, SharedServer, Started, is_own, own_range, remove_many_notes
from shared_server import new_user as a_new_user
from xdist.scheduler import LoadScopeScheduling

from graphmem.ai.embedders import create_embedder
from graphmem.app import connect_context, create_app
from graphmem.server import EmbeddedNeo4j, ServerAddress, conf, default_cache_dir
from graphmem.server.java import find_java
from graphmem.services.context import Context
from graphmem.settings import Settings
from graphmem.store import (
    conflicts,
    consolidation,
    digests,
    expertise,
    graph,
    jobs,
    maintenance,
    promotion,
    tiers,
)
from graphmem.store.expertise import UnindexedNote, unread_notes
from graphmem.store.graph import Graph

# What jobs read user by user.
BY_USER = {
    conflicts: ("users_with_copies",),
    jobs: ("users_to_reflect", "users_with_episodes"),
    maintenance: (
        "users_to_maintain",
        "users_to_resolve",
    ),
}
os.environ["GRAPHMEM_EXTRACTOR"] = "rules"  # loading the model takes seconds in each process
BASE_URL = "http://127.0.0.1:8321"
PATIENCE_S = 200.0
# The graph of the tests grows and shrinks all the time. With the default of ten seconds the server
# plans most of the time.
KEEP_PLANS = "dbms.cypher.min_replan_interval=1h"

examples.register_profile("any machine", deadline=None)  # else an example that takes 0.2 s fails
examples.load_profile("any machine")

# Files whose tests must not run at the same time as those of other files with the same word; and
# files that take long, which begin first. Other files are given out one by one, in their order.
TOGETHER = {
    "api/test_jobs.py": "jobs",  # of one job there is one run at a time
    "api/test_day.py": "jobs",
    "api/test_what_happened.py": "jobs",
    "graph/noninterference": "jobs",
    "graph/noninterference/test_erased.py": "lives",
    "graph/test_leak.py": "jobs",
    "unit/test_linear_time.py": "linear time",  # keeps a process busy while the server starts
    "graph/test_job_faults.py": "job faults",  # they take long, so they begin early
    "graph/test_odd_notes.py": "odd notes",
    "graph/test_decay.py": "whole graph",  # they look through it while it is small
    "graph/test_job_parts.py": "whole graph",
    "graph/test_expertise.py": "whole graph",
    "graph/test_expiry.py": "whole graph",
    "graph/test_knowledge_edges.py": "whole graph",
    "graph/test_purge.py": "whole graph",
    "graph/test_tiers.py": "whole graph",
    "e2e/test_cli.py": "servers",  # of their own: there is not memory for many
    "e2e/test_faults.py": "servers",
    "e2e/test_hostile_folder.py": "servers",
    "e2e/test_old_store.py": "servers",
    "e2e/test_syncing.py": "servers",
    "graph/test_server.py": "servers",
    "graph/test_opinions.py": "refining",  # whoever is free refines what waits
    "graph/test_refining.py": "refining",
    "graph/test_backups.py": "more servers",
    "graph/test_for_analysts.py": "more servers",
    "graph/test_migrations.py": "more servers",
    "graph/test_queries.py": "more servers",
    "graph/test_reindexing.py": "more servers",
    "graph/test_startup.py": "more servers",
    "graph/test_verifying.py": "more servers",
}

# Files and folders that keep a core busy for long, so `make test-long` runs them.
LONG = {
    "api/test_before_the_key.py",
    "api/test_contamination.py",
    "api/test_day.py",
    "api/test_documented.py",
    "api/test_erasing.py",
    "api/test_jobs.py",
    "api/test_mcp_day.py",
    "api/test_nothing_left.py",
    "api/test_rest_generated.py",
    "api/test_rights.py",
    "api/test_rights_commons.py",
    "api/test_rights_sources.py",
    "api/test_same_everywhere.py",
    "e2e/test_cli.py",
    "e2e/test_client.py",
    "e2e/test_cold_backups.py",
    "e2e/test_dashboard.py",
    "e2e/test_dashboard_left_open.py",
    "e2e/test_faults.py",
    "e2e/test_giving_up.py",
    "e2e/test_hooks.py",
    "e2e/test_hostile_folder.py",
    "e2e/test_hostile_page.py",
    "e2e/test_minilm.py",
    "e2e/test_old_store.py",
    "e2e/test_syncing.py",
    "e2e/test_update_judge.py",
    "graph/noninterference/test_erased.py",
    "graph/noninterference/test_generated.py",
    "graph/noninterference/test_planted.py",
    "graph/test_aot.py",
    "graph/test_backups.py",
    "graph/test_consolidation.py",
    "graph/test_for_analysts.py",
    "graph/test_job_faults.py",
    "graph/test_job_parts.py",
    "graph/test_leak.py",
    "graph/test_leak_writes.py",
    "graph/test_migrations.py",
    "graph/test_odd_notes.py",
    "graph/test_opinions.py",
    "graph/test_promotion_faults.py",
    "graph/test_purge.py",
    "graph/test_queries.py",
    "graph/test_races.py",
    "graph/test_refining.py",
    "graph/test_server.py",
    "graph/test_startup.py",
    "graph/test_syncing_histories.py",
    "graph/test_syncing_safely.py",
    "graph/test_syncing_served.py",
    "graph/test_verifying.py",
    "unit/test_linear_time.py",
}


def together(nodeid: str) -> str | None:
    """The word in TOGETHER of a test, if it has one."""
    return next((TOGETHER[place] for place in places(nodeid) if place in TOGETHER), None)


def places(nodeid: str) -> tuple[str, str]:
    """The file of a test and its folder, below `tests`."""
    path = nodeid.partition("::")[0].removeprefix("tests/")
    return path, path.rpartition("/")[0]


class ByFile(LoadScopeScheduling):
    """Gives each worker whole files, and those that belong together as one."""

    def _split_scope(self, nodeid: str) -> str:
        return together(nodeid) or nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = list(dict.fromkeys(TOGETHER.values()))

    def place(item: pytest.Item) -> int:
        word = together(item.nodeid)
        return first.index(word) if word else len(first)

    for item in items:
        if not LONG.isdisjoint(places(item.nodeid)):
            item.add_marker(pytest.mark.long)
    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Modules and tests stay till the end, so no search for garbage need go through them again."""
    gc.collect()
    gc.freeze()


shared = pytest.StashKey[SharedServer]()


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[shared] = SharedServer()


def pytest_sessionfinish(session: pytest.Session) -> None:
    session.config.stash[shared].end()


@pytest.fixture(scope="session")
def quick_java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """JAVA_HOME with a Java that compiles once only: a server of a test is stopped before a second
    compilation, which takes most of the CPU time of its first minutes, would pay."""
    program = tmp_path_factory.mktemp("java") / "bin" / "java"
    program.parent.mkdir()
    real = shlex.quote(str(find_java().path))
    program.write_text(f'#!/bin/sh\nexec {real} -XX:TieredStopAtLevel=1 "$@"\n', "utf-8")
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_HOME", str(program.parents[1]))
        yield


@pytest.fixture(scope="session")
def neo4j_address(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory, quick_java: None
) -> ServerAddress:
    """GRAPHMEM_TEST_NEO4J_URI (user, password: _USER, _PASSWORD) if set; else a container where
    Docker runs and GRAPHMEM_TEST_CONTAINER is 1; else an embedded server in a fresh folder. All
    processes of a run share it."""
    if uri := os.environ.get("GRAPHMEM_TEST_NEO4J_URI"):
        user = os.environ.get("GRAPHMEM_TEST_NEO4J_USER", "neo4j")
        password = os.environ.get("GRAPHMEM_TEST_NEO4J_PASSWORD", "")
        return ServerAddress(uri, user, password, None, 0)
    return pytestconfig.stash[shared].address(lambda: start_server(tmp_path_factory))


def start_server(tmp_path_factory: pytest.TempPathFactory) -> Started:
    if os.environ.get("GRAPHMEM_TEST_CONTAINER") == "1" and shutil.which("docker"):
        from testcontainers.community.neo4j import Neo4jContainer

        container = Neo4jContainer(image="neo4j:2026.08.1", password="graphmem-test").start()
        address = container.get_connection_url()
        return ServerAddress(address, "neo4j", "graphmem-test", None, 0), container.stop
    folder: Path = tmp_path_factory.mktemp("neo4j")
    server = EmbeddedNeo4j(folder, cache_dir=default_cache_dir(), heap="1g", page_cache="256m")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conf, "SETTINGS", (*conf.SETTINGS, KEEP_PLANS))
        return server.start(180), server.stop


@pytest.fixture(scope="module", autouse=True)
def many_notes_are_removed(pytestconfig: pytest.Config) -> Iterator[None]:
    """Users of this process with many notes are emptied after each file of tests: the more notes a
    graph has, the longer takes every search in it."""
    yield
    if (address := pytestconfig.stash[shared].known()) is not None:
        remove_many_notes(address)


def own_rows(
    read: Callable[..., Any], user: Callable[[Any], str], place: Callable[[Any], str] | None = None
) -> Callable[..., Any]:
    """A function that reads pages of rows after a place, without the rows of other processes; rows
    without a place come in the order of users, so that few of others are read."""

    async def own(*args: Any, **given: Any) -> list[Any]:
        *first, after = args
        first_id, last_id = own_range()
        if place is None:
            after = max(after, first_id)
        while rows := await read(*first, await before_own(first[0], after, place), **given):
            if found := [row for row in rows if is_own(user(row))]:
                return found
            after = (place or user)(rows[-1])
            if place is None and after > last_id:
                break
        return []

    return own


async def before_own(store: Graph, after: str, place: Callable[[Any], str] | None) -> str:
    """A place between a note's id and the next note of the users in OWNERS, so that small pages do
    not go through the notes of all others one by one."""
    if place is None or (owners := OWNERS.get()) is None:
        return after
    driver = store._driver  # pyright: ignore[reportPrivateUsage]
    found = await driver.execute_query(
        "MATCH (n:Note) WHERE n.user IN $users AND n.id > $after RETURN min(n.id) AS id",
        users=sorted(owners),
        after=after,
    )
    next_id = found.records[0]["id"]
    return "\uffff" if next_id is None else max(after, next_id[:-1])


async def own_owners(store: Graph) -> list[str]:
    """The users of this process, with its teams, or the users in OWNERS."""
    if (owners := OWNERS.get()) is not None:
        return sorted(owners)
    driver = store._driver  # pyright: ignore[reportPrivateUsage]
    first_id, last_id = own_range()
    found = await driver.execute_query(
        """MATCH (o:User|Team) WHERE o.id > $first AND o.id <= $last
        RETURN collect(CASE WHEN o:Team THEN 't:' + o.id ELSE o.id END) AS ids""",
        first=first_id,
        last=last_id,
    )
    return found.records[0]["ids"]


@pytest.fixture(scope="session", autouse=True)
def jobs_of_this_process() -> Iterator[None]:
    """A job goes through the users of its own process, or through those in OWNERS: what others do
    meanwhile is not disturbed, and no test waits for what other tests have written."""

    run_batches = Graph.run_batches

    async def own_batches(store: Graph, query: str, /, **given: Any) -> Any:
        owners = given["owners"] or await own_owners(store)
        return await run_batches(store, query, **given | {"owners": owners})

    async def own_unread(
        store: Graph, after: str, limit: int
    ) -> tuple[str | None, list[UnindexedNote]]:
        async def read_one(query: str, **given: Any) -> Any:
            row = await store.read_one(query, **given)
            if row is None:
                return None
            # first of all, since another test's notes may be odd
            own = [each for each in row["rows"] if is_own(each["audience"].split("/")[0][2:])]
            return {**row, "rows": own}

        only_own: Any = SimpleNamespace(read_one=read_one)
        return await unread_notes(only_own, after, limit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expertise, "unread_notes", own_unread)
        for module, names in BY_USER.items():
            for name in names:
                patch.setattr(module, name, own_rows(getattr(module, name), lambda r: r["user"]))
        for module, name in ((consolidation, "users_to_consolidate"), (promotion, "candidates")):
            patch.setattr(module, name, own_rows(getattr(module, name), lambda each: each.user))
        notes = own_rows(tiers.candidates, lambda note: note.user, lambda note: note.id)
        patch.setattr(tiers, "candidates", notes)
        users = own_rows(digests.users_with_old_events, str)
        patch.setattr(digests, "users_with_old_events", users)
        patch.setattr(Graph, "run_batches", own_batches)
        yield


@pytest.fixture(scope="session", autouse=True)
def log_of_pytest() -> Iterator[None]:
    """A command that a test runs in this process leaves the log as it is for other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmem.cli.options.configure_logs", lambda level: None)
        yield


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with the deterministic embedder and a data folder of their own."""
    data = tmp_path_factory.mktemp("data")
    return Settings(data=data, embedder="hash", operation_timeout_s=PATIENCE_S)


def once_for_each(make: Callable[[float], Any]) -> Callable[[float], Any]:
    """What is made of a number once; no cache of functools, since the caches of the program are
    looked at by tests."""
    made: dict[float, Any] = {}
    return lambda number: made[number] if number in made else made.setdefault(number, make(number))


@pytest.fixture(scope="session")
async def context(settings: Settings, neo4j_address: ServerAddress) -> AsyncIterator[Context]:
    """The parts of a running service, which wait longer than usual for a machine that does much
    else: a query that is planned for the first time may take long there. All services of a process
    share their schema, and so the documents that it has checked."""
    from graphmem.api import routes  # slow to import, for tests that need no service

    embedder = create_embedder("hash")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "create_schema", once_for_each(routes.create_schema))
        for name in ("QUERY_TIMEOUT_S", "ACQUIRE_S", "AWAY_S"):
            patch.setattr(graph, name, PATIENCE_S)
        patch.setitem(Graph.write.__kwdefaults__, "timeout_s", PATIENCE_S)
        async with connect_context(settings, embedder, neo4j_address) as opened:
            yield opened
    await embedder.close()


@pytest.fixture(scope="session")
async def http(settings: Settings, context: Context) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client wired to the service in this process."""
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, timeout=60) as client:
        yield client


@pytest.fixture
def new_user() -> Callable[[], str]:
    """Makes user ids that no other test has."""
    return a_new_user


@pytest.fixture
async def api(http: httpx.AsyncClient, new_user: Callable[[], str]) -> Client:
    """A client of a fresh user in person."""
    return Client(http, new_user())

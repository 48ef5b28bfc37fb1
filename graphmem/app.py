"""The composition root: opens, wires and closes every part."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from math import inf
from typing import TYPE_CHECKING, Final

from graphmem.errors import Unavailable
from graphmem.resources import folder
from graphmem.settings import Settings

if TYPE_CHECKING:  # each is slow to import, and `graphmem --help` needs none of them
    from starlette.applications import Starlette

    from graphmem.ai.embedder import Embedder
    from graphmem.server import ServerAddress
    from graphmem.services.callers import Callers
    from graphmem.services.context import Context
    from graphmem.store.graph import Graph
    from graphmem.store.migrations import Migration

PATIENCE_S: Final = 60.0  # for a database elsewhere that starts together with the service


def migrations() -> "tuple[Migration, ...]":
    """Return the migrations that this version brings. Raises Misconfigured."""
    from graphmem.store.migrations import load_migrations

    return load_migrations(folder("schema") / "migrations")


@asynccontextmanager
async def open_server(
    settings: Settings, *, alone: bool = False, read_only: bool = False
) -> "AsyncIterator[ServerAddress]":
    """Open `begin_server` and wait for its address."""
    async with begin_server(settings, alone=alone, read_only=read_only) as address:
        yield await address()


@asynccontextmanager
async def begin_server(
    settings: Settings,
    *,
    alone: bool = False,
    callers: "Callers | None" = None,
    read_only: bool = False,
) -> "AsyncIterator[Callable[[], Awaitable[ServerAddress]]]":
    """Yield a wait for the address of a Neo4j: the configured one, else the one that another
    process runs on the data folder, else an embedded one that starts now and lives as long as this
    context.

    `alone`: refuse a folder that another process uses, whose Neo4j ends when that process does.
    `read_only`: the embedded one refuses writes.
    With `callers`, a missing AOT cache of Java is made while an embedded one runs, once no callers
    come. Raises Misconfigured, and Unavailable from within when the embedded one stays down."""
    from graphmem.server import EmbeddedNeo4j, ServerAddress, running_server
    from graphmem.server.lifetimes import while_up
    from graphmem.server.trainer import make_cache_when_idle

    async def known() -> ServerAddress:
        return running or await asyncio.shield(starting)

    running: ServerAddress | None = None
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        running = ServerAddress(settings.neo4j_uri, settings.neo4j_user, password, None, 0)
    elif not alone:
        running = await asyncio.to_thread(running_server, settings.data)
    if running is not None:
        yield known
        return
    server = EmbeddedNeo4j(
        settings.data,
        cache_dir=settings.cache,
        heap=settings.neo4j_heap,
        page_cache=settings.neo4j_page_cache,
        browser=settings.browser,
        neo4j_home=settings.neo4j_home,
        java_home=settings.java_home,
        aot_cache=settings.aot_cache,
        read_only=read_only,
    )
    starting = asyncio.ensure_future(asyncio.to_thread(server.start))
    await asyncio.sleep(0)  # so that it begins before anything else
    try:
        aot = (lambda: None) if callers is None else (lambda: server.aot)
        idle_s = (lambda: inf) if callers is None else (lambda: callers.idle_s)
        async with while_up(server), make_cache_when_idle(aot, idle_s):
            yield known
    finally:
        # A thread can't be cancelled, so its end is awaited before the server is stopped.
        await asyncio.gather(starting, return_exceptions=True)
        await asyncio.to_thread(server.stop)


async def fetch_server(settings: Settings) -> None:
    """Download what an embedded Neo4j needs, if it is missing. Raises Misconfigured."""
    from graphmem.server import class_path

    await asyncio.to_thread(class_path, settings.cache, settings.browser, settings.neo4j_home)


@asynccontextmanager
async def open_graph(
    settings: Settings, *, patience_s: float = 0, alone: bool = False
) -> "AsyncIterator[Graph]":
    """Open a graph that answers, not migrated yet; `alone`: refuse a folder that another process
    uses. Raises Misconfigured, Unavailable."""
    async with (
        open_server(settings, alone=alone) as address,
        connect_graph(address, settings) as graph,
    ):
        from graphmem.services.startup import await_graph

        await await_graph(graph, patience_s)
        yield graph


@asynccontextmanager
async def connect_graph(
    address: "ServerAddress", settings: Settings, name: str = "graphmem"
) -> "AsyncIterator[Graph]":
    """Open a graph at an address, of which nothing is asked yet. Raises Misconfigured."""
    from graphmem.store.graph import Graph
    from graphmem.store.queries import Queries

    queries, database = Queries(folder("cypher"), folder("jobs")), settings.neo4j_database
    uri, user, password = address.bolt_uri, address.user, address.password
    graph = Graph.connect(uri, user, password, queries, database, name)
    try:
        yield graph
    finally:
        await graph.close()


@asynccontextmanager
async def open_embedder(settings: Settings) -> "AsyncIterator[Embedder]":
    """Open the embedder of the settings, which begins to load at once. Raises Misconfigured."""
    from graphmem.ai.embedders import create_embedder

    key = settings.embedder_key
    embedder = create_embedder(
        settings.embedder,
        url=settings.embedder_url,
        model=settings.embedder_model,
        key=key.get_secret_value() if key else None,
        dimension=settings.embedder_dimension,
    )
    try:
        yield embedder
    finally:
        await embedder.close()


@asynccontextmanager
async def connect_context(
    settings: Settings,
    embedder: "Embedder",
    address: "ServerAddress",
    *,
    patience_s: float = 0,
    callers: "Callers | None" = None,
) -> "AsyncIterator[Context]":
    """Open everything that use cases need on a running Neo4j; close it in reverse order. Each
    request is reported to `callers`. Raises Misconfigured, Unavailable."""
    from graphmem.ai.extractor import open_extractor
    from graphmem.ai.update_judge import open_judge
    from graphmem.described_settings import describe
    from graphmem.domain.backups import Backups
    from graphmem.services.bus import EventBus
    from graphmem.services.caches import TextCaches
    from graphmem.services.callers import Callers
    from graphmem.services.context import Context, utc_now
    from graphmem.services.hooks import Hooks
    from graphmem.services.meter import metering_lag
    from graphmem.services.startup import open_prepared
    from graphmem.services.text_work import TextWork
    from graphmem.services.tracking import RecallLog

    async with AsyncExitStack() as stack:
        connect = partial(connect_graph, address, settings)
        folder = settings.backup_dir or settings.data
        graph = await stack.enter_async_context(
            open_prepared(connect, embedder, migrations(), utc_now, folder, patience_s)
        )
        bus, log = EventBus(graph), RecallLog(graph)
        for part in (bus, log, TextCaches(embedder)):
            await part.start()
            stack.push_async_callback(part.close)
        if (judge := open_judge(settings.embedder, on=settings.judge_updates)) is not None:
            stack.push_async_callback(judge.close)
        callers = callers or Callers()
        texts, bulk_texts = TextWork(), TextWork(threads=1, lets_go_first=callers)
        for work in (texts, bulk_texts):
            stack.callback(work.close)
        context = Context(
            graph=graph,
            embedder=embedder,
            clock=utc_now,
            bus=bus,
            log=log,
            extractor=open_extractor(settings.extractor),
            judge=judge,
            texts=texts,
            bulk_texts=bulk_texts,
            ranking=settings.ranking,
            writing=settings.writing,
            deduplication=settings.deduplication,
            archival_threshold_cycles=settings.archival_threshold_cycles,
            reflecting=settings.reflection,
            consolidation=settings.consolidation,
            reviewing=settings.reviewing,
            promotion=settings.promotion,
            core_token_cap=settings.core_token_cap,
            audit_retention_days=settings.audit_retention_days,
            critical_alerts=settings.critical_alerts,
            graph_depth=settings.graph_depth,
            schedule=settings.schedule,
            callers=callers,
            folder=settings.sync_dir,
            backups=Backups(folder=settings.backup_dir, keep=settings.backup_keep),
            folder_user=settings.default_user,
            hooks=Hooks(installed=True),
            settings=partial(describe, settings),
        )
        await stack.enter_async_context(metering_lag(context.meter))
        opened = await stack.enter_async_context(_open_refiner(context, settings))
        stack.push_async_callback(opened.runs.close)  # before the parts that a run needs
        yield opened


@asynccontextmanager
async def _open_refiner(context: "Context", settings: Settings) -> "AsyncIterator[Context]":
    """Yield the context with a refiner, if an LLM is set up."""
    if settings.llm_url is None or settings.llm_model is None:
        yield context
        return
    from graphmem.ai.llm import Llm
    from graphmem.ai.llm_usage import Prices
    from graphmem.services.consolidation.asking import LlmSummariser
    from graphmem.services.refinement.refiner import Refiner

    key = settings.llm_key
    llm = Llm(
        settings.llm_model,
        url=settings.llm_url,
        key=key.get_secret_value() if key else None,
        timeout_s=settings.llm_timeout,
        prices=Prices(tokens_in=settings.llm_price_in, tokens_out=settings.llm_price_out),
    )
    # A waiting write must answer before the time of its operation is over.
    longest = min(settings.llm_timeout, settings.operation_timeout_s / 2)
    refiner = Refiner(context, llm, wait_s=longest if settings.llm_mode == "inline" else 0.0)
    await refiner.start()
    try:
        yield replace(context, refiner=refiner, summariser=LlmSummariser(llm))
    finally:
        await refiner.close()


@asynccontextmanager
async def open_context(settings: Settings, *, patience_s: float = 0) -> "AsyncIterator[Context]":
    """Open `connect_context` with an embedder that loads while Neo4j starts, if none is running."""
    async with begin_server(settings) as address, open_embedder(settings) as embedder:
        load_parts(serving=False)
        connecting = connect_context(settings, embedder, await address(), patience_s=patience_s)
        async with connecting as context:
            yield context


def load_parts(*, serving: bool = True) -> None:
    """Import what use cases need, while Neo4j starts; what a service needs takes a second."""
    parts = "services.startup ai.extractor store.graph"
    of_service = "scheduler.clock services.alerts warming" if serving else ""
    for name in f"{parts} {of_service}".split():
        import_module(f"graphmem.{name}")


@asynccontextmanager
async def background_work(settings: Settings, context: "Context") -> AsyncIterator[None]:
    """Keep the service warm, check the files that agents depend on, and run jobs when they are due,
    all during the requests and until the block ends."""
    from graphmem.metrics.tracing import traced
    from graphmem.scheduler.clock import run_clock
    from graphmem.services.alerts import files_checked
    from graphmem.services.warming import keep_warm
    from graphmem.warming import OPERATIONS

    warm = keep_warm(context, OPERATIONS) if settings.warm_up else nullcontext()
    async with warm, files_checked(context), run_clock(context), traced(context.meter):
        yield


def create_app(settings: Settings, opened: "Context | None" = None) -> "Starlette":
    """Return the service as an ASGI application.

    With `opened` it uses that context and leaves it open; else its lifespan opens one and closes
    it."""
    from starlette.applications import Starlette

    from graphmem.api.dashboard import dashboard_routes
    from graphmem.api.graphiql import GraphiqlPage
    from graphmem.api.http import health_routes, middleware_of
    from graphmem.api.routes import graphql_routes
    from graphmem.mcp.routes import mcp_refusal, mcp_routes
    from graphmem.metrics.routes import metrics_routes
    from graphmem.operations.authentication import admit, authenticator_of
    from graphmem.operations.bodies import BodyBudget
    from graphmem.operations.shares import Shares
    from graphmem.rest.resources import daemon_refusal
    from graphmem.rest.routes import rest_routes
    from graphmem.server.graphiql import cached_graphiql
    from graphmem.services.startup import require_ready

    current: list[Context] = [opened] if opened else []
    files = migrations()
    schema = (folder("schema") / "schema.graphql").read_text("utf-8")  # building it takes 0.2 s

    def context() -> "Context":
        if not current:
            raise Unavailable("the service is starting or stopping")
        return current[0]

    async def ready() -> None:
        await require_ready(context().graph, context().embedder, files)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if not opened:
                opening = open_context(settings, patience_s=PATIENCE_S)
                made = await stack.enter_async_context(opening)
                await stack.enter_async_context(background_work(settings, made))
                current.append(made)
                stack.callback(current.clear)
            yield

    origins, most = settings.allowed_origins, settings.user_connections
    authenticator = authenticator_of(
        settings.auth, settings.default_user, settings.rate_limit, most
    )
    budget, connections = BodyBudget(settings.bodies_limit, settings.body_limit), Shares(most)
    page = GraphiqlPage(
        settings.auth,
        version("graphmem"),
        partial(cached_graphiql, settings.cache) if settings.graphiql else dict,
    )
    return Starlette(
        routes=[
            *graphql_routes(
                context,
                authenticator=authenticator,
                allowed_origins=origins,
                operation_timeout_s=settings.operation_timeout_s,
                page=page.response,
                budget=budget,
                connections=connections,
            ),
            page.route(),
            *mcp_routes(
                context,
                authenticator=authenticator,
                tools=settings.mcp,
                keys=settings.auth == "keys",
                operation_timeout_s=settings.operation_timeout_s,
                body_limit=settings.body_limit,
            ),
            *rest_routes(
                context,
                authenticator=authenticator,
                version=version("graphmem"),
                operation_timeout_s=settings.operation_timeout_s,
            ),
            *metrics_routes(
                context,
                authenticator=authenticator,
                key=settings.metrics_key,
                version=version("graphmem"),
            ),
            *dashboard_routes(settings.auth, version("graphmem")),
            *health_routes(ready, version("graphmem"), schema),
        ],
        middleware=middleware_of(
            loopback_only=settings.auth == "open",
            allowed_origins=origins,
            meter=lambda: current[0].meter if current else None,
            limit=settings.body_limit,
            budget=budget,
            connections=connections,
            admit=partial(admit, service=context, authenticator=authenticator),
            refusals=(mcp_refusal, daemon_refusal),
        ),
        lifespan=lifespan,
    )

"""The composition root: opens, wires and closes every part."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from graphmem.errors import Unavailable
from graphmem.resources import folder
from graphmem.settings import Settings

if TYPE_CHECKING:  # each is slow to import, and `graphmem --help` needs none of them
    from starlette.applications import Starlette

    from graphmem.ai.embedder import Embedder
    from graphmem.server import EmbeddedNeo4j, ServerAddress
    from graphmem.services.context import Context
    from graphmem.store.graph import Graph
    from graphmem.store.migrations import Migration

PATIENCE_S: Final = 60.0  # for a database elsewhere that starts together with the service


def migrations() -> "tuple[Migration, ...]":
    """The migrations that this version brings. Raises Misconfigured."""
    from graphmem.store.migrations import load_migrations

    return load_migrations(folder("schema") / "migrations")


@asynccontextmanager
async def open_server(settings: Settings, *, alone: bool = False) -> "AsyncIterator[ServerAddress]":
    """The address of a Neo4j: the one that is set, else the one that another process runs on the
    data folder, else an embedded one for as long as this is open.

    `alone`: refuse a folder that another process uses, whose Neo4j ends when that process does.
    Raises Misconfigured, and Unavailable from within when the embedded one stays down."""
    from graphmem.server import EmbeddedNeo4j, ServerAddress, running_server

    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value()
        yield ServerAddress(settings.neo4j_uri, settings.neo4j_user, password, None, 0)
        return
    running = None if alone else await asyncio.to_thread(running_server, settings.data)
    if running is not None:
        yield running
        return
    server = EmbeddedNeo4j(
        settings.data,
        cache_dir=settings.cache,
        heap=settings.neo4j_heap,
        page_cache=settings.neo4j_page_cache,
        browser=settings.browser,
        neo4j_home=settings.neo4j_home,
        java_home=settings.java_home,
    )
    starting = asyncio.ensure_future(asyncio.to_thread(server.start))
    try:
        # Shielded: a thread can't be cancelled, so its end is awaited before the server is stopped.
        address = await asyncio.shield(starting)
        async with _while_up(server):
            yield address
    finally:
        await asyncio.wait([starting])
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def _while_up(server: "EmbeddedNeo4j") -> AsyncIterator[None]:
    """Cancels what is done within when the server stays down, and raises Unavailable then."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    within, ended = True, False

    def end() -> None:
        nonlocal ended
        if within:
            ended = True
            task.cancel()

    server.when_failed(lambda: loop.call_soon_threadsafe(end))
    try:
        yield
    except asyncio.CancelledError:
        if ended and task.uncancel() == 0:
            raise Unavailable(server.failure) from None
        raise
    finally:
        within = False
        server.when_failed(None)


@asynccontextmanager
async def open_graph(settings: Settings, *, patience_s: float = 0) -> "AsyncIterator[Graph]":
    """A graph that answers, not migrated yet. Raises Misconfigured, Unavailable."""
    async with open_server(settings) as address, _graph_at(address, settings) as graph:
        from graphmem.services.startup import await_graph

        await await_graph(graph, patience_s)
        yield graph


@asynccontextmanager
async def _graph_at(address: "ServerAddress", settings: Settings) -> "AsyncIterator[Graph]":
    from graphmem.store.graph import Graph
    from graphmem.store.queries import Queries

    graph = Graph.connect(
        address.bolt_uri,
        address.user,
        address.password,
        Queries(folder("cypher"), folder("jobs")),
        settings.neo4j_database,
    )
    try:
        yield graph
    finally:
        await graph.close()


@asynccontextmanager
async def open_embedder(settings: Settings) -> "AsyncIterator[Embedder]":
    """The embedder of the settings, which begins to load at once. Raises Misconfigured."""
    from graphmem.ai.embedder import create_embedder

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
    settings: Settings, embedder: "Embedder", address: "ServerAddress", *, patience_s: float = 0
) -> "AsyncIterator[Context]":
    """Everything that use cases need, ready, on a running Neo4j; closed in reverse order.

    Raises Misconfigured, Unavailable."""
    from graphmem.ai.extractor import open_extractor
    from graphmem.services.bus import EventBus
    from graphmem.services.caches import TextCaches
    from graphmem.services.context import Context, utc_now
    from graphmem.services.startup import await_graph, prepare
    from graphmem.services.text_work import TextWork
    from graphmem.services.tracking import RecallLog

    async with AsyncExitStack() as stack:
        graph = await stack.enter_async_context(_graph_at(address, settings))
        await await_graph(graph, patience_s)
        await prepare(graph, embedder, migrations(), utc_now)
        bus, log = EventBus(graph), RecallLog(graph)
        for part in (bus, log, TextCaches(embedder)):
            await part.start()
            stack.push_async_callback(part.close)
        texts, surveys = TextWork(), TextWork(threads=1)
        for work in (texts, surveys):
            stack.callback(work.close)
        context = Context(
            graph=graph,
            embedder=embedder,
            clock=utc_now,
            bus=bus,
            log=log,
            extractor=open_extractor(settings.extractor),
            texts=texts,
            surveys=surveys,
            ranking=settings.ranking,
            deduplication=settings.deduplication,
            archival_threshold_cycles=settings.archival_threshold_cycles,
            reflecting=settings.reflection,
            core_token_cap=settings.core_token_cap,
        )
        yield await stack.enter_async_context(_refining(context, settings))


@asynccontextmanager
async def _refining(context: "Context", settings: Settings) -> "AsyncIterator[Context]":
    """The context with a refiner, if an LLM is set up."""
    if settings.llm_url is None or settings.llm_model is None:
        yield context
        return
    from graphmem.ai.llm import Llm
    from graphmem.ai.llm_usage import Prices
    from graphmem.services.refiner import Refiner

    key = settings.llm_key
    llm = Llm(
        settings.llm_model,
        url=settings.llm_url,
        key=key.get_secret_value() if key else None,
        timeout_s=settings.llm_timeout,
        prices=Prices(tokens_in=settings.llm_price_in, tokens_out=settings.llm_price_out),
    )
    # A write that waits must answer before the time of its operation is over.
    longest = min(settings.llm_timeout, settings.operation_timeout_s / 2)
    refiner = Refiner(context, llm, wait_s=longest if settings.llm_mode == "inline" else 0.0)
    await refiner.start()
    try:
        yield replace(context, refiner=refiner)
    finally:
        await refiner.close()


@asynccontextmanager
async def open_context(settings: Settings, *, patience_s: float = 0) -> "AsyncIterator[Context]":
    """`connect_context` with an embedder that loads while Neo4j starts, where none runs."""
    async with (
        open_embedder(settings) as embedder,
        open_server(settings) as address,
        connect_context(settings, embedder, address, patience_s=patience_s) as context,
    ):
        yield context


def create_app(settings: Settings, opened: "Context | None" = None) -> "Starlette":
    """The service as an ASGI application.

    With `opened` it uses that context and leaves it open; else its lifespan opens one and closes
    it."""
    from starlette.applications import Starlette

    from graphmem.api.http import guards, health_routes
    from graphmem.api.routes import graphql_routes
    from graphmem.api.schema import sdl
    from graphmem.services.startup import require_ready
    from graphmem.services.warming import warmed

    current: list[Context] = [opened] if opened else []
    files = migrations()

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
                await stack.enter_async_context(warmed(made))
                current.append(made)
                stack.callback(current.clear)
            yield

    origins = settings.allowed_origins
    return Starlette(
        routes=[
            *graphql_routes(
                context,
                auth=settings.auth,
                default_user=settings.default_user,
                allowed_origins=origins,
                operation_timeout_s=settings.operation_timeout_s,
            ),
            *health_routes(ready, version("graphmem"), sdl()),
        ],
        middleware=guards(
            loopback_only=settings.auth == "open",
            body_limit=settings.body_limit,
            allowed_origins=origins,
        ),
        lifespan=lifespan,
    )

"""A toy GraphQL service, with the real view, middleware and limits, for tests of the protocol."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Self

import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.routing import Route, WebSocketRoute
from strawberry.dataloader import DataLoader
from strawberry.types import Info

from graphmem.api.execution import Schema
from graphmem.api.http import health_routes, middleware_of
from graphmem.api.view import build_view
from graphmem.errors import Conflict, Forbidden, Unauthenticated, Unavailable

SECRET = "neo4j said no at /var/lib/notes: 'my diary'"


@dataclass
class World:
    """What the toy service remembers between operations."""

    value: int = 0
    opened: list[str] = field(default_factory=list)
    revoked: set[str] = field(default_factory=set)

    async def read(self, keys: list[str]) -> list[int]:
        return [self.value for _ in keys]


@dataclass
class ToyContext:
    world: World
    loader: DataLoader[str, int]
    user: str | None = None
    who: str = "nobody"

    async def look(self) -> None:
        if self.who in self.world.revoked:
            raise Unauthenticated

    def fork(self) -> Self:
        return replace(self, loader=DataLoader(self.world.read))


@strawberry.enum
class Colour(Enum):
    RED = "red"


@strawberry.type
class Item:
    id: int
    content: str = "c"

    @strawberry.field
    def items(self, first: int = 20) -> list["Item"]:
        return [Item(id=i) for i in range(min(first, 2))]

    @strawberry.field
    def tags(self) -> list["Item"]:
        return []

    @strawberry.field
    def parent(self) -> "Item":
        return Item(id=0)


@strawberry.type
class Page:
    nodes: list[Item]


@strawberry.input
class Search:
    text: str
    k: int = 10


@strawberry.type
class Query:
    @strawberry.field
    async def value(self, info: Info[ToyContext, None]) -> int:
        return await info.context.loader.load("value")

    @strawberry.field
    def echo(self, text: str, colour: Colour = Colour.RED) -> str:
        return text

    @strawberry.field
    def size(self, first: int = 3) -> int:
        return first

    @strawberry.field
    def notes(self, first: int = 50) -> Page:
        return Page(nodes=[Item(id=i) for i in range(min(first, 2))])

    @strawberry.field
    def find(self, input: Search) -> Page:
        return Page(nodes=[])

    @strawberry.field
    def crash(self) -> str:
        raise RuntimeError(SECRET)

    @strawberry.field
    def crash_in_cause(self) -> str | None:
        try:
            raise RuntimeError(SECRET)
        except RuntimeError as exc:
            raise Unavailable from exc

    @strawberry.field
    def wrong_type(self) -> int:
        return SECRET  # type: ignore

    @strawberry.field
    def conflict(self) -> str | None:
        raise Conflict("Somebody changed it", version=7)

    @strawberry.field
    async def slow(self, seconds: float) -> str | None:
        await asyncio.sleep(seconds)
        return "done"


@strawberry.type
class Mutation:
    @strawberry.mutation
    def set_value(self, info: Info[ToyContext, None], value: int) -> int:
        info.context.world.value = value
        return value

    @strawberry.mutation
    def add(self, texts: list[str]) -> list[Item]:
        return [Item(id=i) for i, _ in enumerate(texts)]


@strawberry.type
class Tick:
    n: int

    @strawberry.field
    async def value(self, info: Info[ToyContext, None]) -> int:
        return await info.context.loader.load("value")


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def count(self, info: Info[ToyContext, None], to: int) -> AsyncGenerator[Tick, None]:
        for n in range(to):
            info.context.world.value = n * 10
            yield Tick(n=n)
            await asyncio.sleep(0.01)

    @strawberry.subscription
    async def forever(self) -> AsyncGenerator[int, None]:
        n = 0
        while True:
            yield n
            n += 1
            await asyncio.sleep(0.02)

    @strawberry.subscription
    async def crash_midway(self) -> AsyncGenerator[int, None]:
        yield 1
        raise RuntimeError(SECRET)

    @strawberry.subscription
    async def refused(self) -> AsyncGenerator[int, None]:
        raise Forbidden
        yield 1


def toy_schema(timeout_s: float = 30.0) -> Schema:
    return Schema(Query, Mutation, Subscription, operation_timeout_s=timeout_s)


def toy_app(
    world: World,
    *,
    timeout_s: float = 30.0,
    loopback_only: bool = True,
    introspection: bool = True,
    init_timeout_s: float = 10.0,
    allowed_origins: tuple[str, ...] = (),
    body_limit: int = 100_000,
) -> Starlette:
    async def open_operation(
        connection: HTTPConnection, params: Mapping[str, object] | None
    ) -> ToyContext:
        sent = (params or {}).get("authorization") or connection.headers.get("authorization")
        who = str(sent or "nobody")
        world.opened.append(who)
        if who in world.revoked:
            raise Unauthenticated
        if who == "banned":
            raise Forbidden
        if who == "down":
            raise Unavailable
        if who == "bug":
            raise RuntimeError(SECRET)
        return ToyContext(world, DataLoader(world.read), who=who)

    async def ready() -> None:
        if world.value < 0:
            raise Unavailable
        if world.value > 1000:
            raise RuntimeError(SECRET)

    schema = toy_schema(timeout_s)
    view = build_view(
        schema,
        open_operation=open_operation,
        allowed_origins=allowed_origins,
        introspection=introspection,
        init_timeout_s=init_timeout_s,
    )
    routes = [
        Route("/graphql", view),
        WebSocketRoute("/graphql", view),
        *health_routes(ready, "1.2.3", schema.as_str()),
    ]
    middleware = middleware_of(
        loopback_only=loopback_only, limit=body_limit, allowed_origins=allowed_origins
    )
    return Starlette(routes=routes, middleware=middleware)


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[str]:
    """Serve an app on a free port of 127.0.0.1 and give its host:port."""
    config = uvicorn.Config(
        app, "127.0.0.1", 0, log_level="warning", ws="websockets-sansio", lifespan="off"
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
        if task.done():
            task.result()
    try:
        yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        await task

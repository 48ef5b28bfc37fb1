"""A real browser opens a page of another site, which tries to read and to change the memory."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from browsers import browsing
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from toy_service import serving

from graphmem.app import create_app
from graphmem.domain.notes import NoteDraft
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.writing.remember import remember
from graphmem.settings import Settings

PAGE = Path(__file__).with_name("hostile_page.html")
SECRET = "4711"
REPORT_S = 120.0  # to start a browser on a busy machine

pytestmark = pytest.mark.timeout(300)


async def memory_of(context: Context, user: str) -> list[Any]:
    """Everything in the graph that is of a user, once all is written."""
    await context.log.flush()
    async with context.graph._session(read=True) as session:
        result = await session.run(
            """MATCH (n) WHERE n.id = $user OR n.user = $user OR n.stream = $user OR n.name = $user
               RETURN [label IN labels(n) WHERE label <> 'System'][0] AS label,
               properties(n) AS properties ORDER BY label, n.id""",
            user=user,
        )
        return [(row["label"], str(row["properties"])) async for row in result]


@dataclass
class Visit:
    """What the browser sent to the service, and what the page could tell of it."""

    asked: list[tuple[str, str, int, dict[str, str]]] = field(default_factory=list)
    report: dict[str, str] = field(default_factory=dict)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def ways(self) -> dict[str, set[int]]:
        """The statuses that each way of the page was answered with."""
        found: dict[str, set[int]] = {}
        for way, _, status, _ in self.asked:
            found.setdefault(way, set()).add(status)
        return found


class Listener:
    """Notes each request to the service and the status of its answer."""

    def __init__(self, app: Any, visit: Visit) -> None:
        self.app, self.visit = app, visit

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        way = parse_qs(scope["query_string"].decode()).get("way", [scope["path"]])[0]
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}

        async def noted(message: Any) -> None:
            statuses = {"websocket.accept": 101, "websocket.close": 403}
            status = statuses.get(message["type"], message.get("status"))
            if status is not None:
                kind = scope.get("method", scope["type"])
                self.visit.asked.append((way, kind, status, headers))
            await send(message)

        await self.app(scope, receive, noted)


def hostile_site(visit: Visit, service: str) -> Starlette:
    """A site of the attacker, with the page and a place for what it finds."""

    async def page(request: Request) -> Response:
        text = PAGE.read_text(encoding="utf-8")
        return HTMLResponse(text.replace("SERVICE", service))

    async def report(request: Request) -> Response:
        visit.report = json.loads(await request.body())
        visit.done.set()
        return Response(status_code=204)

    return Starlette(routes=[Route("/", page), Route("/report", report, methods=["POST"])])


@pytest.fixture
async def visit_by(
    context: Context, settings: Settings, new_user: Callable[[], str], tmp_path: Path
) -> Callable[..., Any]:
    """Lets the browser open the page from a host, with the service guarded or not."""
    user = new_user()

    async def visit_from(
        host: str, *, guarded: bool = True, answered: frozenset[str] = frozenset()
    ) -> tuple[Visit, list[Any], list[Any]]:
        visit = Visit()
        own = settings.model_copy(update={"default_user": user})
        app = create_app(own, opened=context)
        app.user_middleware = [
            Middleware(Listener, visit=visit),
            *(app.user_middleware if guarded else ()),
        ]
        access = await open_access(context, user, None, register=True)
        await remember(context, access, NoteDraft(content=f"The blue gate opens with {SECRET}."))
        before = await memory_of(context, user)
        async with serving(app) as service, serving(hostile_site(visit, service)) as site:
            address = f"http://{site.replace('127.0.0.1', host)}/"
            async with browsing(tmp_path / host, address):
                async with asyncio.timeout(REPORT_S):
                    await visit.done.wait()
                    while not answered <= visit.ways().keys():  # noqa: ASYNC110  (nobody tells)
                        await asyncio.sleep(0.05)
        return visit, before, await memory_of(context, user)

    return visit_from


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same-site", "cross-site"])
async def test_a_page_of_another_site_reads_and_changes_nothing(visit_by: Any, host: str) -> None:
    visit, before, after = await visit_by(host)
    refused = {way: each for way, each in visit.ways().items() if way != "/favicon.ico"}
    assert set.union(*refused.values()) == {403}, refused  # the browser itself asks for the icon
    assert len(visit.ways()) >= 25  # else the page has not tried
    assert {kind for _, kind, _, _ in visit.asked} >= {"GET", "POST", "OPTIONS", "websocket"}
    assert SECRET not in json.dumps(visit.report)
    told = {way: found for way, found in visit.report.items() if "heard" in found or "200" in found}
    assert told == {}
    assert after == before


async def test_without_the_guard_the_same_page_gets_through(visit_by: Any) -> None:
    """So that the test above can't pass because the page fails by itself."""
    through = frozenset(("image", "script", "frame", "fetch get no-cors"))
    wanted = through | {"fetch post text", "socket"}
    visit, before, after = await visit_by("127.0.0.1", guarded=False, answered=wanted)
    ways = visit.ways()
    assert all(ways[way] == {200} for way in through)
    assert ways["fetch post text"] == {415}  # the type of a body is a guard of its own,
    assert ways["socket"] == {403}  # and so is what Strawberry asks of a socket
    assert after == before  # and a GET leaves no trace

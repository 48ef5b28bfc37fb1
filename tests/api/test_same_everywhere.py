"""The same operations through GraphQL, REST, MCP, the Python client and the program give the same
results, the same codes of errors and the same notes."""

import asyncio
import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import httpx
import pytest
from clients import Client
from mcp_clients import error_of, over_http
from rest import Rest
from toy_service import serving
from typer.testing import CliRunner

from graphmem.app import create_app
from graphmem.cli.program import build
from graphmem.client import Memory, ServiceError
from graphmem.services.context import Context
from graphmem.services.tracking import RecallLog
from graphmem.settings import Settings

OPERATIONS = int(os.environ.get("GRAPHMEM_SAME_OPERATIONS", "200"))
NOWHERE = "01920000-0000-7000-8000-000000000000"
TOLD = "id content title tags domain visibility status version pinned importance"
ORIGIN = """createdAt updatedAt confidence source episode author { id } sessionId
  revisions { version content at actor }"""
PEOPLE = ("Dara Osei", "Bo Lindqvist", "Ada Kessler")
Given = dict[str, Any]


class Refused(Exception):
    """An error, by its code."""


class Asker(Protocol):
    """Asks by one protocol, or by the Python client; each answers with notes as plain values."""

    async def remember(self, given: Given) -> Any: ...
    async def recall(self, given: Given) -> Any: ...
    async def note(self, id: str) -> Any: ...
    async def revise(self, id: str, given: Given) -> Any: ...
    async def forget(self, id: str) -> Any: ...
    async def restore(self, id: str) -> Any: ...
    async def pin(self, id: str, pinned: bool) -> Any: ...
    async def notes(self, domain: str) -> Any: ...
    async def total(self) -> Any: ...


class ByGraphql:
    def __init__(self, api: Client) -> None:
        self.api = api

    async def _do(self, document: str, **given: Any) -> Any:
        told = await self.api.post(document, **given)
        if "errors" in told:
            raise Refused(told["errors"][0]["extensions"]["code"])
        return next(iter(told["data"].values()))

    async def remember(self, given: Given) -> Any:
        document = "mutation M($i: RememberInput!) { remember(input: $i) { operation noteId } }"
        told = await self._do(document, i=given)
        return told["operation"], told["noteId"]

    async def recall(self, given: Given) -> Any:
        document = "query Q($i: RecallInput!) { recall(input: $i) { hits { note { id } } } }"
        return [hit["note"]["id"] for hit in (await self._do(document, i=given))["hits"]]

    async def note(self, id: str) -> Any:
        found = await self._do("query Q($id: ID!) { note(id: $id) { id content } }", id=id)
        if found is None:
            raise Refused("NOT_FOUND")
        return found["id"], found["content"]

    async def revise(self, id: str, given: Given) -> Any:
        names = {"title": "String", "importance": "Float", "expectedVersion": "Int"}
        heads = "".join(f", ${n}: {names[n]}" for n in given)
        words = "".join(f", {n}: ${n}" for n in given)
        document = f"mutation M($id: ID!{heads}) {{ revise(id: $id{words}) {{ version }} }}"
        return (await self._do(document, id=id, **given))["version"]

    async def forget(self, id: str) -> Any:
        document = "mutation M($id: ID!) { forget(id: $id) { forgotten } }"
        return (await self._do(document, id=id))["forgotten"] > 0

    async def restore(self, id: str) -> Any:
        await self._do("mutation M($id: ID!) { restore(id: $id) { id } }", id=id)

    async def pin(self, id: str, pinned: bool) -> Any:
        document = "mutation M($id: ID!, $p: Boolean!) { pin(id: $id, pinned: $p) { id } }"
        await self._do(document, id=id, p=pinned)

    async def notes(self, domain: str) -> Any:
        document = "query Q($d: String) { notes(filter: {domain: $d}) { nodes { id } } }"
        return [each["id"] for each in (await self._do(document, d=domain))["nodes"]]

    async def total(self) -> Any:
        return (await self._do("{ stats { totalNotes } }"))["totalNotes"]


class ByRest:
    def __init__(self, rest: Rest) -> None:
        self.rest = rest

    async def _do(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        answer = await self.rest(method, path, body, **query)
        if not answer.is_success:
            raise Refused(answer.json()["code"])
        return answer.json()

    async def remember(self, given: Given) -> Any:
        told = await self._do("POST", "/v1/remember", given)
        return told["operation"], told["noteId"]

    async def recall(self, given: Given) -> Any:
        told = await self._do("POST", "/v1/recall", given)
        return [hit["note"]["id"] for hit in told["hits"]]

    async def note(self, id: str) -> Any:
        found = await self._do("GET", f"/v1/notes/{id}")
        return found["id"], found["content"]

    async def revise(self, id: str, given: Given) -> Any:
        return (await self._do("PATCH", f"/v1/notes/{id}", given))["version"]

    async def forget(self, id: str) -> Any:
        return (await self._do("DELETE", f"/v1/notes/{id}"))["forgotten"] > 0

    async def restore(self, id: str) -> Any:
        await self._do("POST", f"/v1/notes/{id}/restore", {})

    async def pin(self, id: str, pinned: bool) -> Any:
        await self._do("POST", f"/v1/notes/{id}/pin", {"pinned": pinned})

    async def notes(self, domain: str) -> Any:
        return [each["id"] for each in (await self._do("GET", "/v1/notes", domain=domain))["notes"]]

    async def total(self) -> Any:
        return (await self._do("GET", "/v1/stats"))["totalNotes"]


class ByMcp:
    def __init__(self, client: Any) -> None:
        self.client = client

    async def _do(self, tool: str, **given: Any) -> Any:
        answer = await self.client.call_tool(tool, given)
        if answer.is_error:
            raise Refused(error_of(answer)["code"])
        return answer.structured_content

    async def remember(self, given: Given) -> Any:
        told = await self._do("memory.write", **given)
        return told["operation_performed"], told["note_id"]

    async def recall(self, given: Given) -> Any:
        given = {**given, "query_text": given["query"]}
        del given["query"]
        told = await self._do("memory.query", **given, token_budget=20_000)
        return [each["note_id"] for each in told["results"]]

    async def note(self, id: str) -> Any:
        found = (await self._do("memory.get", note_id=id))["note"]
        return found["note_id"], found["content"]

    async def revise(self, id: str, given: Given) -> Any:
        names = {"expectedVersion": "expected_version"}
        named = {names.get(name, name): value for name, value in given.items()}
        return (await self._do("memory.revise", note_id=id, **named))["version"]

    async def forget(self, id: str) -> Any:
        return (await self._do("memory.forget", note_id=id))["success"]

    async def restore(self, id: str) -> Any:
        await self._do("memory.restore", note_id=id)

    async def pin(self, id: str, pinned: bool) -> Any:
        await self._do("memory.pin", note_id=id, pinned=pinned)

    async def notes(self, domain: str) -> Any:
        told = await self._do("memory.list", domain=domain, token_budget=20_000)
        return [each["note_id"] for each in told["results"]]

    async def total(self) -> Any:
        return (await self._do("memory.stats"))["total_memories"]


class ByClient:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def _do(self, work: Callable[[], Any]) -> Any:
        try:
            return await asyncio.to_thread(work)
        except ServiceError as error:
            raise Refused(error.code) from error

    async def remember(self, given: Given) -> Any:
        made = await self._do(lambda: self.memory.remember(**given))
        return made.operation, made.note_id

    async def recall(self, given: Given) -> Any:
        return [hit.note.id for hit in (await self._do(lambda: self.memory.recall(**given))).hits]

    async def note(self, id: str) -> Any:
        found = await self._do(lambda: self.memory.note(id))
        return found.id, found.content

    async def revise(self, id: str, given: Given) -> Any:
        names = {"expectedVersion": "expected_version"}
        named = {names.get(name, name): value for name, value in given.items()}
        return (await self._do(lambda: self.memory.revise(id, **named))).version

    async def forget(self, id: str) -> Any:
        return (await self._do(lambda: self.memory.forget(id))).forgotten > 0

    async def restore(self, id: str) -> Any:
        await self._do(lambda: self.memory.restore(id))

    async def pin(self, id: str, pinned: bool) -> Any:
        await self._do(lambda: self.memory.pin(id, pinned=pinned))

    async def notes(self, domain: str) -> Any:
        return [n.id for n in (await self._do(lambda: self.memory.note_page(domain=domain))).notes]

    async def total(self) -> Any:
        return (await self._do(self.memory.stats)).total_notes


class ByProgram:
    """`graphmem call`, in this process."""

    def __init__(self, host: str, user: str) -> None:
        self.host, self.user = host, user

    async def _do(self, name: str, **given: Any) -> Any:
        fields = [f"{field}={value}" for field, value in given.items()]
        asked = ["call", name, *fields, "--url", f"http://{self.host}", "--user", self.user]
        done = await asyncio.to_thread(CliRunner().invoke, build(), asked)
        if done.exit_code:
            raise Refused(done.stderr.split(": ")[1] if ": " in done.stderr else done.exception)
        return json.loads(done.stdout)

    async def remember(self, given: Given) -> Any:
        told = await self._do("remember", **given)
        return told["operation"], told["noteId"]

    async def recall(self, given: Given) -> Any:
        return [hit["note"]["id"] for hit in (await self._do("recall", **given))["hits"]]

    async def note(self, id: str) -> Any:
        found = await self._do("getNote", id=id)
        return found["id"], found["content"]

    async def revise(self, id: str, given: Given) -> Any:
        return (await self._do("revise", id=id, **given))["version"]

    async def forget(self, id: str) -> Any:
        return (await self._do("forgetNote", id=id))["forgotten"] > 0

    async def restore(self, id: str) -> Any:
        await self._do("restore", id=id)

    async def pin(self, id: str, pinned: bool) -> Any:
        await self._do("pin", id=id, pinned=str(pinned).lower())

    async def notes(self, domain: str) -> Any:
        return [each["id"] for each in (await self._do("listNotes", domain=domain))["notes"]]

    async def total(self) -> Any:
        return (await self._do("getStats"))["totalNotes"]


@dataclass
class Walk:
    """What is asked and answered by one protocol; notes are told by the order of their making."""

    asker: Asker
    made: list[str] = field(default_factory=list)

    def name(self, value: Any) -> Any:
        """An answer without ids."""
        if isinstance(value, list | tuple):
            return [self.name(each) for each in value]
        return f"note {self.made.index(value)}" if value in self.made else value

    def id(self, number: int) -> str:
        """The id of a note; now and then one that is nowhere."""
        return self.made[number % len(self.made)] if self.made and number % 7 else NOWHERE

    async def carry_out(self, kind: str, number: int, given: Given) -> Any:
        """The answer, or the code of the error."""
        asker = self.asker
        try:
            match kind:
                case "remember":
                    operation, id = await asker.remember(given)
                    if id not in self.made:
                        self.made.append(id)
                    return operation, self.name(id)
                case "recall":
                    return self.name(await asker.recall(given))
                case "revise":
                    return await asker.revise(self.id(number), given)
                case "pin":
                    return await asker.pin(self.id(number), number % 2 == 0)
                case "notes":
                    return self.name(await asker.notes(**given))
                case "total":
                    return await asker.total()
                case _:
                    return self.name(await getattr(asker, kind)(self.id(number)))
        except Refused as error:
            # MCP tells a note that is not there as no success, since a model need not mend that.
            return False if (kind, str(error)) == ("forget", "NOT_FOUND") else str(error)


def operations(seed: int) -> Iterator[tuple[str, int, Given]]:
    """Operations, a part of them wrong."""
    draw = random.Random(seed)
    kinds = ("remember",) * 6 + ("recall",) * 4 + ("note", "revise", "revise", "forget", "restore")
    kinds += ("pin", "notes", "total")
    for _ in range(OPERATIONS):
        kind, number, given = draw.choice(kinds), draw.randrange(1000), {}
        who, room = draw.choice(PEOPLE), draw.randrange(4)
        if kind == "remember":
            given = {"content": draw.choice(("", f"{who} works in room {room}.", f"{who} is ill."))}
            given |= draw.choice(({}, {"domain": "work"}, {"importance": 7.0}, {"domain": "a//b"}))
        elif kind == "recall":
            given = {"query": f"Where does {who} work?", "k": draw.choice((1, 5, 5, 101))}
        elif kind == "revise":
            given = draw.choice(({"title": who}, {"importance": 0.9}, {"expectedVersion": 9}))
            given = {"title": f"Room {room}", **given}
        elif kind == "notes":
            given = {"domain": draw.choice(("work", "general", "a//b"))}
        yield kind, number, given


@pytest.fixture
def still(context: Context) -> tuple[Context, Callable[[datetime], None]]:
    """A service whose time is told to it, and that counts no recall."""
    times = [datetime(2026, 3, 1, 12, tzinfo=UTC)]

    def move(to: datetime) -> None:
        times[0] = to

    return replace(context, clock=lambda: times[0], log=RecallLog(context.graph)), move


@pytest.mark.feature("MUMA-117")
async def test_every_protocol_gives_the_same(
    settings: Settings,
    still: tuple[Context, Callable[[datetime], None]],
    new_user: Callable[[], str],
) -> None:
    opened, move = still
    app = create_app(settings, opened=opened)
    users = [new_user() for _ in range(5)]
    transport = httpx.ASGITransport(app=app)
    async with (
        httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8321", timeout=60
        ) as http,
        over_http(app, "memory", {"X-Graphmem-User": users[2]}) as mcp,
        serving(app) as host,
    ):
        with Memory(f"http://{host}", user=users[3]) as memory:
            askers: list[Asker] = [ByGraphql(Client(http, users[0])), ByRest(Rest(http, users[1]))]
            askers += [ByMcp(mcp), ByClient(memory), ByProgram(host, users[4])]
            told = [await _told(asker, move) for asker in askers]
        states = [await _state(Client(http, user)) for user in users]
    for other in told[1:]:
        for first, second in zip(told[0], other, strict=True):
            assert second == first
    assert len({str(answer) for _, answer in told[0]}) > 10
    assert states[1:] == states[:1] * 4


async def _told(asker: Asker, move: Callable[[datetime], None]) -> list[Any]:
    walk, told = Walk(asker), []
    for i, (kind, number, given) in enumerate(operations(7)):
        move(datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(minutes=i))
        told.append(((kind, given), await walk.carry_out(kind, number, dict(given))))
    return told


async def _state(api: Client) -> list[Any]:
    """All notes with where they come from, but for their ids."""
    statuses = "[ACTIVE, FADING, DORMANT, ARCHIVED, SUPERSEDED]"
    fields = f"{TOLD} {ORIGIN}"
    document = (
        f"{{ notes(first: 200, filter: {{statuses: {statuses}}}) {{ nodes {{ {fields} }} }} }}"
    )
    nodes = (await api(document))["notes"]["nodes"]
    return [{name: value for name, value in node.items() if name != "id"} for node in nodes]

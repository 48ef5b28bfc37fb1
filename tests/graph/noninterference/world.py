"""One of the two worlds: users of its own, a clock of its own, and the service on a real Neo4j."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from aged_notes import JobHeartbeat
from shared_server import OWNERS, new_user

from graphmem.app import create_app
from graphmem.services import actors, keys
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import WORK
from graphmem.services.tracking import RecallLog
from graphmem.settings import Settings

from .documents import Call, document
from .protocols import by_client, by_mcp, by_rest
from .script import (
    AGENTS,
    ELSEWHERE,
    NOBODY,
    OTHERS,
    SHARED,
    STRANGER,
    TEAM,
    USER,
    Live,
    NoteRef,
    Step,
)
from .sockets import listen

SOME = 4
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LOOKED_UP = {  # what is asked for, and the way to the ids in the answer
    "entity": ("query($of: String) { entity(name: $of) { id } }", ("entity", "id")),
    "merge": ("query($of: String) { entity(name: $of) { mergedFrom { id } } }",
              ("entity", "mergedFrom", "id")),
    "conflict": ("{ conflicts { id } }", ("conflicts", "id")),
    "reflection": ("{ reflections { id } }", ("reflections", "id")),
    "item": ("{ reflections(first: 1) { items { id } } }", ("reflections", "items", "id")),
    "proposal": ("{ proposals { id } }", ("proposals", "id")),
    "knowledge": ('{ commons(topic: "Halden kiln") { id } }', ("commons", "id")),
    "handoff": ("{ handoffs { id } }", ("handoffs", "id")),
    "skill": ("{ skills { id } }", ("skills", "id")),
    "link": ("query($of: ID) { note(id: $of) { links { id } } }", ("note", "links", "id")),
    "cursor": ("{ notes(first: 3) { edges { cursor } } }", ("notes", "edges", "cursor")),
    "seq": ("{ events(first: 200) { seq } }", ("events", "seq")),
    "relation": ("query($of: String) { entity(name: $of) { relations { object { name } } } }",
                 ("entity", "relations", "object", "name")),
}  # fmt: skip


@dataclass
class Clock:
    """Stands still unless it is told to move."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class World:
    """The ids of notes by the names of the steps that made them, and whom the keys belong to."""

    service: Context
    settings: Settings
    clock: Clock
    http: httpx.AsyncClient
    app: Any
    with_keys: bool
    user: str = field(default_factory=new_user)
    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    recalls: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    by_others: bool = False  # ask by others than GraphQL, too; a recall by MCP leaves a trace

    @property
    def names(self) -> tuple[str, ...]:
        """What stands for the same in the other world."""
        return (f"{self.user}x", self.user, *(key.split("_")[1] for key in self.keys.values()))

    def owner(self, actor: str) -> str:
        """The id of the user whom an actor is or works for."""
        return f"{self.user}x" if actor in OTHERS else self.user

    def headers(self, actor: str) -> dict[str, str]:
        """By what the service knows who asks."""
        if self.with_keys:
            return {"Authorization": f"Bearer {self.keys[actor]}"}
        agent = actor.removeprefix("stranger/")
        named = {} if agent in ("person", "stranger") else {"X-Graphmem-Agent": agent}
        return {"X-Graphmem-User": self.owner(actor)} | named

    async def ask(self, actor: str, query: str, variables: dict[str, Any]) -> Any:
        """The answer of the service with its status."""
        body = {"query": query, "variables": variables}
        response = await self.http.post("/graphql", json=body, headers=self.headers(actor))
        return {"status": response.status_code, **response.json()}

    async def run(self, calls: Sequence[Call], actor: str, name: str) -> Any:
        """What an actor is told for its calls; what they made is known by the name after it."""
        if calls[0].kind == "Subscription":
            return await self._follow(calls[0], actor)
        if calls[0].kind == "Job":
            return await self._work(calls[0])
        resolved = [
            replace(call, arguments=await self.resolve(actor, call.arguments)) for call in calls
        ]
        answer = await self.ask(actor, *document(resolved))
        self._keep(name, actor, answer)
        if calls[0].kind == "Query" and self.by_others:
            answer |= await self._beside(actor, resolved, name)
        while self.service.log._unwritten:  # pyright: ignore[reportPrivateUsage]
            await self.service.log.flush()
        await self.service.runs.wait_idle()
        return answer

    async def _work(self, call: Call) -> None:
        """A job over the users of this world, some days later."""
        self.clock.now += timedelta(days=call.arguments["days"])
        OWNERS.set(frozenset((self.user, f"{self.user}x")))
        await WORK[call.field](self.service, JobHeartbeat())  # type: ignore[arg-type]

    async def _beside(self, actor: str, calls: Sequence[Call], name: str) -> Any:
        """What other protocols tell: of so many calls one is asked by REST, too, one by MCP and
        one by the client; the step alone says which."""
        headers, told = self.headers(actor), list[Any]()
        for i, call in enumerate(calls):
            match zlib.crc32(f"{name} {i}".encode()) % SOME:
                case 0:
                    told += await by_rest(self.http, headers, call)
                case 1:
                    told += await by_mcp(self.http, headers, call)
                case 2:
                    told += await by_client(self.http, headers, call)
        return {"beside": told}

    async def _follow(self, call: Call, actor: str) -> Any:
        arguments = await self.resolve(actor, call.arguments)
        query, variables = document([replace(call, arguments=arguments)])

        async def mark() -> str:
            """A note that everybody reads, whose event is the last one to be waited for."""
            self.clock.now += timedelta(seconds=1)  # else chance says which mark comes first
            domain = call.arguments.get("domain") or "general"
            given = {"content": "This is the end.", "mode": "VERBATIM", "visibility": "OPEN"}
            end = Call("remember", {"input": given | {"domain": domain}}, "Mutation")
            made = await self.ask("person", *document([end]))
            return made["data"]["a0"]["note"]["id"]

        begun = self.clock.now
        told = await listen(self.app, query, variables, self.headers(actor), mark)
        self.clock.now = begun
        return told

    async def resolve(self, actor: str, value: Any) -> Any:
        """The value with ids of this world in place of references."""
        match value:
            case NoteRef():
                return self.ids.get(value.name) or _missing(value.name)
            case Live():
                return await self._look_up(actor, value)
            case dict():
                return {key: await self.resolve(actor, each) for key, each in value.items()}
            case list() | tuple():
                return [await self.resolve(actor, each) for each in value]
            case str() if USER in value or STRANGER in value:
                return value.replace(USER, self.user).replace(STRANGER, f"{self.user}x")
        return value

    async def _look_up(self, actor: str, live: Live) -> Any:
        if live.what in ("recall", "used"):
            recall, hits = self.recalls.get(actor, (NOBODY, []))
            return recall if live.what == "recall" else _at(hits, live.index) or NOBODY
        if live.what == "session":
            return self.sessions.get(actor, NOBODY)
        query, way = LOOKED_UP[live.what]
        variables = {"of": await self.resolve(actor, live.of)} if live.of else {}
        answer = await self.ask(actor, query, variables)
        found = list(_values(answer.get("data"), way))
        missing = 0 if live.what == "seq" else NOBODY
        return _at(found, live.index) or missing

    def _keep(self, name: str, actor: str, answer: Any) -> None:
        data = (answer.get("data") or {}).get("a0")
        if not isinstance(data, dict):
            return
        if "hits" in data:
            hits = [hit["note"]["id"] for hit in data["hits"]]
            self.recalls[actor] = (data.get("id") or data.get("recallId") or NOBODY, hits)
        if "openedAt" in data:
            self.sessions[actor] = data["id"]
        made = {name: data, **{f"{name}.{r['index']}": r for r in data.get("results", ())}}
        for known, each in made.items():
            note = each.get("note") or {}
            found = note.get("id") or (each.get("id") if "procedure" in each else None)
            if known and found:
                self.ids[known] = found

    async def set_up(self, rules: dict[str, str]) -> None:
        """Registers everybody, by keys if it has to be; the user sets up agents and rules."""
        for actor in ("person", *AGENTS, *OTHERS):
            agent = actor.removeprefix("stranger/")
            agent = None if agent in ("person", "stranger") else agent
            if self.with_keys:
                _, secret = await keys.create_key(
                    self.service.graph, self.clock, user=self.owner(actor), agent=agent
                )
                self.keys[actor] = secret
        person = await actors.open_access(self.service, self.user, None, register=True)
        for agent, profile in AGENTS.items():
            await actors.register_agent(
                self.service,
                person,
                agent,
                domains=profile.domains,
                can_see_private=profile.private,
                writes=profile.writes,  # pyright: ignore[reportArgumentType]
                role=profile.role,  # pyright: ignore[reportArgumentType]
            )
        for team, members in ((TEAM, [USER, STRANGER]), (ELSEWHERE, [STRANGER])):
            arguments = {"id": team, "members": members}
            actor = "person" if USER in members else "stranger"
            await self.run([Call("registerTeam", arguments, "Mutation")], actor, "")
        await self.run([Call("joinTeam", {"id": TEAM}, "Mutation")], "stranger", "")
        for actor, owner in (("person", USER), ("stranger", STRANGER)):
            arguments = {"domain": SHARED[owner], "team": TEAM}
            await self.run([Call("shareDomain", arguments, "Mutation")], actor, "")
        for domain, visibility in rules.items():
            arguments = {"domain": domain, "visibility": visibility}
            await self.run([Call("setVisibility", arguments, "Mutation")], "person", "")

    async def act(self, step: Step, *, second: bool) -> Any:
        """What an actor is told; each step has a minute of its own."""
        self.clock.now += timedelta(minutes=1)
        calls = step.instead if second and step.left_out else step.calls
        return await self.run(calls, step.actor, step.name) if calls else None


def _missing(name: str) -> str:
    """An id that nothing has; notes that are not there stay different ones."""
    return f"{NOBODY[:-12]}{zlib.crc32(name.encode()):012x}"


def _at(found: Sequence[Any], index: int) -> Any:
    return found[index % len(found)] if found else None


def _values(value: Any, way: Sequence[str]) -> Any:
    if isinstance(value, list):
        for each in value:
            yield from _values(each, way)
    elif way and isinstance(value, dict):
        yield from _values(value.get(way[0]), way[1:])
    elif value is not None:
        yield value


def open_world(service: Context, settings: Settings, *, with_keys: bool = False) -> World:
    """A world that nothing is in yet; its log of recalls is written step by step."""
    clock = Clock()
    opened = replace(service, clock=clock, log=RecallLog(service.graph))
    auth = "keys" if with_keys else "open"
    app = create_app(settings.model_copy(update={"auth": auth}), opened=opened)
    http = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1:8321", timeout=60
    )
    return World(opened, settings, clock, http, app, with_keys)

"""Whatever one user's notes hold, everybody else gets what they get without them: by each job, by
each list, by the export and by importing it again. With every edge of what may be sent."""

import json
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import pytest
from clients import REMEMBER, Client
from graphql import get_named_type, is_leaf_type
from living_notes import Living
from noninterference.canonical import ID, Canonical
from noninterference.documents import Call, document, root
from odd_notes import ODD, REFUSED, odd_notes
from shared_server import OWNERS
from shared_server import new_user as a_new_user

from graphmem.app import create_app
from graphmem.domain.jobs import SKIPPED, JobRun, RunStatus
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.exporting.exporting import export
from graphmem.services.jobs.jobs import WORK
from graphmem.services.teams.teams import register_team
from graphmem.services.tracking import RecallLog, steps_of
from graphmem.settings import Settings
from graphmem.store import erasing
from graphmem.store.graph import Graph

pytestmark = pytest.mark.timeout(1_800)

JOBS = {  # each, and how much later it has something to do; those that destroy most come last
    "update_expertise": timedelta(),
    "promote_knowledge": timedelta(),
    "relate_notes": timedelta(),
    "maintain_memory": timedelta(),
    "resolve_duplicates": timedelta(),
    "merge_entities": timedelta(),
    "merge_notes": timedelta(days=2),
    "reflect_episodes": timedelta(),
    "reflect_memory": timedelta(),
    "consolidate_memory": timedelta(),
    "expire_notes": timedelta(),
    "expire_proposals": timedelta(),
    "move_tiers": timedelta(),
    "sweep_decay": timedelta(),
    "digest_audit": timedelta(days=120),
    "erase_users": timedelta(),
}
FOR_ALL = {"jobs", "jobRuns", "health"}  # answers that count everybody's notes or calls
OF_ONE = {"note", "entity"}  # which is asked for by its id or name
SHOWN_NOWHERE = {  # what these jobs do shows in the state of notes alone
    "erase_users",
    "expire_notes",
    "expire_proposals",
    "move_tiers",
    "relate_notes",
}
# Jobs that change nothing of what `Living` makes.
NO_CHANGE = ("expire_proposals", "merge_entities", "merge_notes", "promote_knowledge")
FUZZED = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "0")) > 0
# After these the lists of the users with odd notes are read with all that is below them, which
# takes longer than all else: before anything has changed and, when a search goes on for long, at
# the end.
READ_WHOLE = {"update_expertise"} | ({"digest_audit"} if FUZZED else set[str]())
AGES = (24.0 * 60, 24.0 * 20, 72.0, 50.0, 5.0, 1.0)  # of odd notes, in hours
LINKS = 150
ASKED = frozenset("search topic domain scope name from to task question prefix".split())
LINK = 'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "near") { id } }'
SKILL = "mutation S($n: String!, $p: String!) { addSkill(name: $n, procedure: $p) { id } }"
SOP = 'mutation S($c: String!) { setSop(domain: "odd", content: $c) { version } }'
CORE = 'mutation C($t: String!) { setCoreBlock(name: "context", text: $t) { text } }'
POST = """mutation P($k: String!, $v: JSON!, $of: ID!) {
  postBoard(key: $k, value: $v, team: $of) { version } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SESSION = "mutation S($t: String) { openSession(task: $t) { id } }"
CLOSE = "mutation C($id: ID!) { closeSession(id: $id) { id } }"
REFLECT = "mutation { reflect { id } }"
USED = """UNWIND ['one', 'two', 'three'] AS agent
MATCH (n:Note {user: $user}) WHERE n.content STARTS WITH 'Glaze'
CREATE (:Recall {id: agent + n.id, user: $user, agent: agent, at: $now})-[:RETURNED]->(n)
SET n.accessCount = 5, n.accessTimes = [$now], n.visibility = n.visibility"""


def test_each_job_has_its_row() -> None:
    assert set(JOBS) == set(WORK) - {"back_up", "sync_files"}  # which go by no one's notes


class Odd:
    """A user with every odd note, sent by the API over two months."""

    def __init__(
        self, context: Context, settings: Settings, user: str, living: Living, *, everywhere: bool
    ) -> None:
        self.user, self.living, self.everywhere = user, living, everywhere
        self.now = living.now
        log = RecallLog(context.graph)
        self.service = replace(context, clock=lambda: self.now, log=log)
        app = create_app(settings, opened=self.service)
        transport = httpx.ASGITransport(app=app)
        base = "http://127.0.0.1:8321"
        self.http = httpx.AsyncClient(transport=transport, base_url=base, timeout=120)
        self.api = Client(self.http, user)

    async def fill(self) -> None:
        """Send everything, `everywhere`: not as notes alone; what is refused has a clear error."""
        for agent in ("shy", "able"):
            writes = "PROPOSE" if agent == "shy" else "DIRECT"
            await self.api(AGENT, i={"id": agent, "writes": writes, "canSeePrivate": True})
        headers = {"X-Graphmem-User": self.user, "Content-Type": "application/json"}
        for name, given in REFUSED.items():
            body = json.dumps({"query": REMEMBER, "variables": {"input": given}})  # surrogates, too
            response = await self.http.post("/graphql", content=body, headers=headers)
            code = response.json()["errors"][0]["extensions"]["code"]
            assert code == "BAD_USER_INPUT", name
        ids = []
        for i, (name, given) in enumerate(odd_notes()):
            self.now = self.living.now - timedelta(hours=AGES[i % len(AGES)], seconds=i)
            answer = await self.api.post(REMEMBER, input=given)
            assert not answer.get("errors"), (name, answer["errors"])
            note = answer["data"]["remember"]["note"]
            ids += [note["id"]] if note else []
            content = given["content"]
            if not self.everywhere or name not in ODD:
                continue
            shy = await self.api.as_agent("shy").post(REMEMBER, input=given)
            assert not shy.get("errors"), (name, shy["errors"])
            for query, told in (
                (SKILL, {"n": content[:200], "p": content}),
                (SOP, {"c": content}),
                (CORE, {"t": content[:300]}),
                (POST, {"k": content[:100], "v": content[:5_000], "of": f"{self.user}-team"}),
                (SESSION, {"t": content[:200]}),
            ):
                check_foreseen(await self.api.as_agent("able").post(query, **told), name)
        for i in range(LINKS):
            ends = {"a": ids[0], "b": ids[1 + i % (len(ids) - 1)]}
            check_foreseen(await self.api.post(LINK, **ends), "link")  # one has expired
        self.now = self.living.now
        world = Living(self.service, self.user)
        await self.service.graph.write(*steps_of([world.recalled(*ids) for _ in range(25)]))
        check_foreseen(await self.api.post(REFLECT), "reflect")


def check_foreseen(answer: Any, name: str) -> None:
    """Raise AssertionError for an error that nobody foresaw."""
    codes = [error["extensions"]["code"] for error in answer.get("errors") or ()]
    assert not {"INTERNAL_SERVER_ERROR", "UNAVAILABLE"} & set(codes), (name, answer["errors"])


@pytest.fixture(scope="module")
async def odd(context: Context, settings: Settings) -> AsyncIterator[tuple[Odd, Odd, str]]:
    """Two users with odd notes, and the beginning of the names of those who lie between them."""
    base = a_new_user()
    made = [
        Odd(context, settings, f"{base}{end}", Living(context, base), everywhere=end == "a")
        for end in "az"
    ]
    for each in made:
        await open_access(context, each.user, None, register=True)
        admin = await open_access(context, each.user, None, admin=True)
        await register_team(context, admin, f"{each.user}-team", None, [each.user])
        await each.fill()
    yield made[0], made[1], base
    for each in made:
        await each.http.aclose()


def lists() -> list[Call]:
    """Each field of Query, with as much of each list as there may be."""
    calls = []
    for name, spec in root("Query").items():
        needed = {n for n, arg in spec.args.items() if str(arg.type).endswith("!")}
        if needed or is_leaf_type(get_named_type(spec.type)) or name in FOR_ALL | OF_ONE:
            continue
        given = {"first": 50} if "first" in spec.args else {}
        calls.append(Call(name, given))
    return calls


async def pages(client: Client, *, light: bool = False) -> dict[str, Any]:
    """What a user is told by each list, without ids; `light`: the plain fields only."""
    told = {}
    for call in lists():
        query, variables = document([replace(call, light=light)])
        answer = await client.post(query, **variables)
        assert not answer.get("errors"), (call.field, answer["errors"])
        told[call.field] = answer["data"]
    return told


def plain(value: Any, user: str) -> str:
    """What can be compared: in an order that no ids decide."""
    text = json.dumps(_sorted(Canonical([user]).plain(value)), sort_keys=True)
    return ID.sub("id", re.sub(r"<id \d+( of [^>]*)?>", "<id>", text))


def _sorted(value: Any) -> Any:
    match value:
        case dict():
            return {key: _sorted(each) for key, each in value.items()}
        case list():
            each_sorted = [_sorted(each) for each in value]
            return sorted(
                each_sorted,
                key=lambda e: re.sub(r"<id[^>]*>", "<id>", json.dumps(e, sort_keys=True)),
            )
    return value


async def exported(service: Context, user: str) -> list[dict[str, Any]]:
    """What a user takes away."""
    reopen = partial(open_access, service, user, None)
    async with aclosing(export(service, reopen)) as lines:
        return [json.loads(json.dumps(line)) async for line in lines]


async def bystander(context: Context, user: str, job: str) -> Living:
    world = Living.tiered(context, user)
    await world.fill()
    admin = await open_access(world.service, user, None, admin=True)
    await register_team(world.service, admin, f"{user}-team", None, [user])
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query(USED, user=user, now=world.now)
    world.now += JOBS[job]
    if job == "erase_users":
        await erasing.begin(context.graph, user, world.now)
    return world


async def run(world: Living, job: str, users: list[str], graph: Graph | None = None) -> JobRun:
    token = OWNERS.set(frozenset(users))
    try:
        return await world.go_on(await world.begin(job), job, graph)
    finally:
        OWNERS.reset(token)


def same(one: list[Counter[str]], other: list[Counter[str]], names: tuple[str, str]) -> None:
    for left, right in zip(one, other, strict=True):
        left = Counter(key.replace(names[0], "me") for key in left.elements())
        right = Counter(key.replace(names[1], "me") for key in right.elements())
        assert (left - right, right - left) == (Counter(), Counter())


def questions(text: str) -> list[Call]:
    """Each field of Query that takes a text, with this one."""
    calls = [Call("recall", {"input": {"query": text}}), Call("context", {"input": {"task": text}})]
    for name, spec in root("Query").items():
        taken = {
            n: text for n, arg in spec.args.items() if n in ASKED and "String" in str(arg.type)
        }
        if taken:
            calls.append(Call(name, taken))
    return calls


async def test_any_text_may_be_asked(api: Client) -> None:
    await api.remember("The kiln is in Halden.")
    for name, given in ODD.items():
        for call in questions(given["content"]):
            query, variables = document([replace(call, light=True)])
            check_foreseen(await api.post(query, **variables), f"{name}: {call.field}")


@pytest.mark.parametrize("job", JOBS)
async def test_a_job_does_the_same_for_the_others_whatever_a_user_has_written(
    context: Context,
    settings: Settings,
    new_user: Callable[[], str],
    odd: tuple[Odd, Odd, str],
    job: str,
) -> None:
    first, last, base = odd
    place = list(JOBS).index(job)
    calm, good = new_user(), f"{base}m{chr(97 + place)}"
    worlds = [await bystander(context, user, job) for user in (calm, good)]
    if job == "erase_users":
        for each in (first, last):
            await erasing.begin(context.graph, each.user, each.now)
    untouched = await worlds[0].state()
    alone = await run(worlds[0], job, [calm])
    beside = await run(worlds[1], job, [first.user, good, last.user])
    assert (alone.status, alone.error) == (RunStatus.DONE, None)
    assert (beside.status, beside.error) == (RunStatus.DONE, None)
    assert SKIPPED not in beside.counts
    states = [await world.state() for world in worlds]
    same(*states, (calm, good))
    if job not in NO_CHANGE:
        assert states[0] != untouched
    if job in SHOWN_NOWHERE:
        return
    app = create_app(settings, opened=replace(context, clock=lambda: worlds[0].now))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8321", timeout=120
    ) as http:
        told = [await pages(Client(http, user)) for user in (calm, good)]
        for field in told[0]:
            one, other = (
                plain(each[field], user) for each, user in zip(told, (calm, good), strict=True)
            )
            assert one == other, field
        for each in (first, last):
            await pages(Client(http, each.user), light=job not in READ_WHOLE)
    lines = [await exported(world.service, world.user) for world in worlds]
    one, other = (
        Counter(plain(line, user) for line in each)
        for each, user in zip(lines, (calm, good), strict=True)
    )
    assert (one - other, other - one) == (Counter(), Counter())

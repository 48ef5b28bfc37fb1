"""Secrets in texts that are no notes, written while nobody looked: cut out by the job."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from aged_notes import JobHeartbeat
from clients import Client
from made_secrets import Maker, kinds
from named_nodes import named
from race_world import cypher
from said_everywhere import SOP, Said, say_everywhere

from graphmem.app import create_app
from graphmem.client.secrets import CUT
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Stale, TimedOut
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.job_runs.failure_isolation import FailureIsolation
from graphmem.services.jobs import other_secrets as job
from graphmem.services.jobs.secrets import look_for_secrets
from graphmem.settings import Settings
from graphmem.store import other_secrets as store

PROPOSALS = "{ proposals { id content status } }"
ACCEPT = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  result { id content visibility } } }"""
BOARD = "{ board { key value version actor } }"
EVENTS = '{ events(types: ["EDIT"], first: 500) { summary actor subjectId domain data } }'
JUDGED = "MATCH (r:Recall {user: $user}) WHERE r.asker IS NOT NULL RETURN r.query, r.embedding"
Say = Callable[..., Awaitable[Any]]


class Counting(JobHeartbeat):
    def skip(self, error: Exception) -> None:
        FailureIsolation.skip(self, error)


def by(context: Context, policy: Secrets) -> Context:
    return replace(context, writing=replace(context.writing, secrets=policy))


async def run(context: Context, user: str, policy: Secrets) -> dict[str, int]:
    """The counts of the texts that are no notes."""
    beat: Any = Counting(by_hand=True)
    access = await open_access(context, user, None)
    await look_for_secrets(by(context, policy), beat, access)
    beat.counts.clear()
    await job.look_through_others(by(context, policy), beat, access)
    return {name: count for name, count in beat.counts.items() if count}


@pytest.fixture
def careless(settings: Settings, context: Context) -> Callable[[], Any]:
    """Opens a service that looks for no secrets."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[httpx.AsyncClient]:
        app = create_app(settings, opened=by(context, Secrets.OFF))
        transport = httpx.ASGITransport(app=app)
        url = "http://127.0.0.1:8321"
        async with httpx.AsyncClient(transport=transport, base_url=url, timeout=60) as http:
            yield http

    return opened


@pytest.fixture
async def told(
    context: Context, careless: Callable[[], Any], new_user: Callable[[], str]
) -> AsyncIterator[Said]:
    key = kinds(Maker(uuid4().int))["GitHub"]()[1]
    async with careless() as http:
        api, mate = Client(http, new_user()), Client(http, new_user())
        told = await say_everywhere(context, api, mate, key)
        assert len(await named(context, key, any_case=True)) > 20
        yield told


async def test_they_are_cut_out_of_every_text(context: Context, told: Said) -> None:
    done = await run(context, told.api.user, Secrets.REDACT)
    assert set(done) == {"secretsFound"}
    assert await named(context, told.key, any_case=True) == []
    found = {each["id"]: each for each in (await told.api(PROPOSALS))["proposals"]}
    assert found[told.pending]["content"] == f"The kiln opens by {CUT}."
    ((question, vector),) = await cypher(context, JUDGED, user=told.api.user)
    assert (question, vector is None) == (f"Where is the kiln of {CUT}?", False)
    (post,) = (await told.mate(BOARD))["board"]
    assert post["value"] == {"state": [f"hot {CUT}"], CUT: 1}
    assert (post["version"], post["actor"].endswith(told.api.user)) == (2, True)
    accepted = (await told.api(ACCEPT, id=told.pending))["decideProposal"]["result"]
    assert accepted["content"] == f"The kiln opens by {CUT}."
    assert await run(context, told.api.user, Secrets.REDACT) == {}
    assert await named(context, told.key, any_case=True) == []


async def test_each_change_has_its_event_for_those_who_may_know(
    context: Context, told: Said
) -> None:
    done = await run(context, told.api.user, Secrets.BLOCK)  # which cuts, too
    assert await named(context, told.key, any_case=True) == []

    async def summaries(client: Client) -> list[str]:
        events = (await client(EVENTS))["events"]
        by_job = [each for each in events if each["actor"] == "job:maintain_memory"]
        return [each["summary"] for each in by_job if " of " in each["summary"]]

    mine, theirs = await summaries(told.api), await summaries(told.mate)
    assert len(mine) == done["secretsFound"]
    assert {each.partition(" of ")[2] for each in mine} == {
        *("a proposal", "the reason of a link", "the task of a session", "a local note"),
        *("a profile", "a handoff", "a question", "a procedure", "the reason of an event"),
        *("a post", "what the team knows"),
    }
    assert {each.partition(" of ")[2] for each in theirs} == {
        *("a post", "what the team knows", "a procedure"),
    }


async def test_a_proposed_note_becomes_one_for_the_user_alone(context: Context, told: Said) -> None:
    await run(context, told.api.user, Secrets.USER_ONLY)
    shy = told.api.as_agent("shy")
    assert told.pending not in str((await shy(PROPOSALS))["proposals"])
    found = {each["id"]: each for each in (await told.api(PROPOSALS))["proposals"]}
    assert found[told.pending]["content"] == f"The kiln opens by {told.key}."
    assert await run(context, told.api.user, Secrets.USER_ONLY) == {}
    left = {kind for kind, _ in await named(context, told.key, any_case=True)}
    assert left <= {"Proposal", "Note", "Revision", "Entity", "MENTIONS"}  # of such notes
    accepted = (await told.api(ACCEPT, id=told.pending))["decideProposal"]["result"]
    assert accepted["visibility"] == Visibility.USER_ONLY


async def test_nobody_looks_where_that_is_off_and_all_is_looked_through_later(
    context: Context, told: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await run(context, told.api.user, Secrets.OFF) == {}
    monkeypatch.setattr(job, "PAGE", 1)
    monkeypatch.setattr(job, "MOST", 3)  # so that the next run goes on where this one ended
    runs = 0
    while await named(context, told.key, any_case=True):
        await run(context, told.api.user, Secrets.REDACT)
        runs += 1
        assert runs < 100
    assert runs > 3


@pytest.mark.parametrize("error", [Stale("changed"), ValueError("odd")])
async def test_what_can_not_be_changed_is_left_alone_and_looked_through_again(
    context: Context, told: Said, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    usual = store.replace_step

    def fails(found: Any, *given: Any) -> Any:
        if found.id == told.handoff:
            raise error
        return usual(found, *given)

    monkeypatch.setattr(store, "replace_step", fails)
    done = await run(context, told.api.user, Secrets.REDACT)
    assert done["secretsLeft" if isinstance(error, Stale) else "skipped"] == 1
    assert await named(context, told.key, any_case=True) == [["Handoff", "summary"]]
    monkeypatch.setattr(store, "replace_step", usual)
    assert await run(context, told.api.user, Secrets.REDACT) == {"secretsFound": 1}
    assert await named(context, told.key, any_case=True) == []


async def test_a_kind_that_can_not_be_read_does_not_end_the_search(
    context: Context, told: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = store.list_texts

    async def fails(graph: Any, kind: store.Kind, *given: Any) -> Any:
        if kind.label == "LINKS_TO":
            raise TimedOut
        return await usual(graph, kind, *given)

    monkeypatch.setattr(store, "list_texts", fails)
    assert (await run(context, told.api.user, Secrets.REDACT))["skipped"] == 1
    assert await named(context, told.key, any_case=True) == [["LINKS_TO", "reason"]]
    monkeypatch.setattr(store, "list_texts", usual)
    assert await run(context, told.api.user, Secrets.REDACT) == {"secretsFound": 1}


async def test_what_was_written_while_nobody_looked_is_looked_through(
    context: Context, told: Said
) -> None:
    await run(context, told.api.user, Secrets.REDACT)
    await told.api(SOP, c=f"And {told.key}.")  # and no job ran
    assert (await run(context, told.api.user, Secrets.REDACT)).keys() == {"secretsFound"}
    assert await named(context, told.key, any_case=True) == []


async def test_what_may_be_something_else_is_left(context: Context, told: Said) -> None:
    await run(context, told.api.user, Secrets.REDACT)
    text = "The wifi password: Harbour2841."
    await told.api(SOP, c=text)
    assert await run(context, told.api.user, Secrets.REDACT) == {}
    ((said,),) = await cypher(
        context, "MATCH (s:Sop {owner: $o}) RETURN s.content", o=f"u:{told.api.user}"
    )
    assert said == text

"""Secrets in notes that were written while nobody looked: found by the job, cut out of the past."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from aged_notes import JobHeartbeat
from made_secrets import Maker, kinds
from named_nodes import named

from graphmem.client.secrets import CUT
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Stale
from graphmem.language.text_features import text_key
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.job_runs.failure_isolation import FailureIsolation
from graphmem.services.jobs import maintenance
from graphmem.services.jobs import secrets as job
from graphmem.services.reading.notes import require_note
from graphmem.services.writing.changing import Edit, revise
from graphmem.services.writing.remember import remember
from graphmem.store import secrets as store


def by(context: Context, policy: Secrets) -> Context:
    return replace(context, writing=replace(context.writing, secrets=policy))


class Counting(JobHeartbeat):
    def skip(self, error: Exception) -> None:
        FailureIsolation.skip(self, error)


async def run(context: Context, user: str) -> dict[str, int]:
    beat: Any = Counting(by_hand=True)
    await job.look_for_secrets(context, beat, await open_access(context, user, None))
    return dict(beat.counts)


@pytest.fixture
async def told(context: Context, new_user: Callable[[], str]) -> tuple[str, str, str]:
    """A user, a secret, and a note that told it, and whose past, tags and metadata tell it."""
    user, key = new_user(), kinds(Maker(uuid4().int))["GitHub"]()[1]
    open_ = by(context, Secrets.OFF)
    access = await open_access(open_, user, None, register=True)
    draft = NoteDraft(
        content=f"The key of the kiln is {key}.",
        title=f"Kiln {key}",
        tags=(key,),
        keywords=(key,),
        speaker=key,
        metadata={"key": key},
    )
    made = await remember(open_, access, draft)
    assert made.note is not None
    access = await open_access(open_, user, None)
    await revise(open_, access, made.note.id, Edit(title=f"Oven {key}"))
    await remember(open_, access, NoteDraft(content=f"Old: {key}"), WriteMode.VERBATIM)
    plain = NoteDraft(content="The kiln is blue.")
    await remember(open_, access, plain)
    assert await named(context, key)
    return user, key, made.note.id


KEYS = """MATCH (n:Note {id: $id})-[:HAD]->(r:Revision)
RETURN r.content AS content, r.textKey AS key"""


async def test_they_are_cut_out_of_notes_and_of_their_past(
    context: Context, told: tuple[str, str, str]
) -> None:
    user, key, note = told
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 2}
    assert await named(context, key) == []
    now = await require_note(context, await open_access(context, user, None), note)
    assert now.content == f"The key of the kiln is {CUT}."
    assert now.title == f"Oven {CUT}"
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    for said in (await driver.execute_query(KEYS, id=note)).records:
        assert said["key"] == f"{user}/{text_key(said['content'])}"
    assert await run(by(context, Secrets.REDACT), user) == {}


async def test_their_notes_become_the_users_own(
    context: Context, told: tuple[str, str, str]
) -> None:
    user, key, note = told
    assert await run(by(context, Secrets.USER_ONLY), user) == {"secretsFound": 2}
    now = await require_note(context, await open_access(context, user, None), note)
    assert (now.visibility, key in now.content) == (Visibility.USER_ONLY, True)


async def test_nobody_looks_where_that_is_off_and_all_is_looked_through_later(
    context: Context, told: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, key, _ = told
    assert await run(by(context, Secrets.OFF), user) == {}
    monkeypatch.setattr(job, "PAGE", 1)
    monkeypatch.setattr(job, "MOST", 2)  # so the next run goes on where this one ended
    first = await run(by(context, Secrets.REDACT), user)
    assert first == {"secretsFound": 2}
    assert await named(context, key) == []
    assert await run(by(context, Secrets.REDACT), user) == {}


async def written(context: Context, user: str, content: str, **given: Any) -> str:
    """Write a note while nobody looks."""
    access = await open_access(context, user, None, register=True)
    made = await remember(by(context, Secrets.OFF), access, NoteDraft(content=content, **given))
    assert made.note is not None
    return made.note.id


async def test_what_may_be_something_else_is_left(
    context: Context, new_user: Callable[[], str]
) -> None:
    user = new_user()
    text = "The wifi password: Harbour2841, and api_key: " + kinds(Maker(2))["named key"]()[1]
    note = await written(context, user, text, metadata={"password_changed_at": 1700000000})
    assert await run(by(context, Secrets.REDACT), user) == {}
    now = await require_note(context, await open_access(context, user, None), note)
    assert now.content == text


async def test_metadata_stays_json(context: Context, new_user: Callable[[], str]) -> None:
    user, (_, key) = new_user(), kinds(Maker(2))["AWS id"]()
    given = {"id": key, "at": 1700000000, "card": 4111_1111_1111_1111, "more": [f"my {key}"]}
    note = await written(context, user, "The kiln is green.", metadata=given)
    kept = json.dumps(given)
    told = {"id": "1", "content": "It is green.", "metadata": kept}
    await context.graph.write_one("deciding/tell", rows=[{"id": note, "wording": told}])
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 1}
    access = await open_access(context, user, None)
    clean = given | {"id": CUT, "more": [f"my {CUT}"]}
    assert (await require_note(context, access, note)).metadata == clean
    assert await named(context, key) == []


async def test_the_past_is_read_in_pages(
    context: Context, told: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    user, key, note = told
    access = await open_access(context, user, None)
    for count in range(3):
        await revise(by(context, Secrets.OFF), access, note, Edit(content=f"{count}: {key}"))
    monkeypatch.setattr(store, "PAST", 1)
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 2}
    assert await named(context, key) == []


async def test_what_was_written_while_nobody_looked_is_looked_through(
    context: Context, told: tuple[str, str, str]
) -> None:
    user, _, _ = told
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 2}
    key = kinds(Maker(uuid4().int))["GitHub"]()[1]
    await written(context, user, f"Meanwhile: {key}")  # and no job ran
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 1}
    assert await named(context, key) == []


@pytest.mark.parametrize("error", [Stale("changed"), ValueError("odd")])
async def test_what_is_left_is_looked_through_by_the_next_run(
    context: Context,
    told: tuple[str, str, str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    user, key, note = told
    usual = store.read_texts

    async def fails(graph: Any, user: str, id: str, now: Any) -> Any:
        if id == note:
            raise error
        return await usual(graph, user, id, now)

    monkeypatch.setattr(store, "read_texts", fails)
    left = "secretsLeft" if isinstance(error, Stale) else "skipped"
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 1, left: 1}
    monkeypatch.setattr(store, "read_texts", usual)
    monkeypatch.setattr(job, "OVERLAP", -timedelta(days=1))  # so that nothing else was changed
    assert await run(by(context, Secrets.REDACT), user) == {"secretsFound": 1}
    assert await named(context, key) == []


async def test_a_search_that_fails_ends_nothing_else(
    context: Context, told: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> None:
        raise ValueError("odd")

    related: list[str] = []

    async def relate(_context: Any, _beat: Any, audience: str) -> None:
        related.append(audience)

    monkeypatch.setattr(store, "read_seen", fails)
    monkeypatch.setattr(maintenance, "relate_audience", relate)
    user, _, _ = told
    beat: Any = Counting(by_hand=True)
    row = {"user": user, "recalled": False, "audiences": [["some", False]]}
    await maintenance._maintain(by(context, Secrets.REDACT), beat, row)
    assert (related, beat.counts["skipped"]) == (["some"], 1)

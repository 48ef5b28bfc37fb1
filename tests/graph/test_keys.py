"""API keys on a real graph: what lets in, what does not, and what is kept."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from graphmem.errors import Invalid, NotFound, Unauthenticated
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.keys import (
    Identity,
    authenticate,
    create_key,
    list_keys,
    revoke_key,
)


async def test_a_key_lets_in_its_user_agent_or_admin(context: Context, new_user: Callable[[], str]):
    user = new_user()
    graph, clock = context.graph, context.clock
    _, person = await create_key(graph, clock, user=user)
    _, agent = await create_key(graph, clock, user=user, agent="desk")
    _, admin = await create_key(graph, clock, user=user, admin=True, name="for me")
    assert await authenticate(context, person) == Identity(user=user, agent=None, admin=False)
    assert await authenticate(context, agent) == Identity(user=user, agent="desk", admin=False)
    assert await authenticate(context, admin) == Identity(user=user, agent=None, admin=True)
    access = await open_access(context, user, "desk")  # both were registered
    assert access.viewer.agent is not None


async def test_the_graph_keeps_only_a_hash(context: Context, new_user: Callable[[], str]):
    key, words = await create_key(context.graph, context.clock, user=new_user())
    prefix, key_id, rest = words.split("_", 2)
    secret = rest[:43]
    assert (prefix, key_id, len(words)) == ("gm", key.id, 62)
    row = await context.graph.read_one("keys/get", id=key.id)
    assert row is not None
    assert row["key"]["hash"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(row)


async def test_every_wrong_key_is_refused_in_the_same_words(
    context: Context, new_user: Callable[[], str]
):
    user = new_user()
    _, right = await create_key(context.graph, context.clock, user=user)
    _, other = await create_key(context.graph, context.clock, user=user)
    revoked, revoked_words = await create_key(context.graph, context.clock, user=user)
    await revoke_key(context.graph, context.clock, revoked.id)
    mixed = right[:12] + other[12:]  # the id of one with the secret of the other
    wrong = ["", "gm_", right[:-1], right + "x", right.upper(), mixed, revoked_words, "é" * 62]
    words = set()
    for secret in wrong:
        with pytest.raises(Unauthenticated) as caught:
            await authenticate(context, secret)
        words.add(caught.value.message)
    assert len(words) == 1
    assert (await authenticate(context, right)).user == user


async def test_a_key_expires(context: Context, new_user: Callable[[], str]):
    life = timedelta(hours=1)
    key, secret = await create_key(context.graph, context.clock, user=new_user(), until=life)
    assert key.expires_at == key.created_at + life
    await authenticate(context, secret)
    later = replace(context, clock=lambda: context.clock() + life)
    with pytest.raises(Unauthenticated):
        await authenticate(later, secret)


async def test_a_key_expires_at_the_instant_that_was_given(
    context: Context, new_user: Callable[[], str]
):
    end = context.clock().astimezone(timezone(timedelta(hours=9))) + timedelta(seconds=30)
    key, secret = await create_key(context.graph, context.clock, user=new_user(), until=end)
    assert key.expires_at == end
    before = replace(context, clock=lambda: end - timedelta(milliseconds=1))
    await authenticate(before, secret)
    with pytest.raises(Unauthenticated):
        await authenticate(replace(context, clock=lambda: end), secret)


async def test_revoking_holds_from_the_next_request_on(
    context: Context, new_user: Callable[[], str]
):
    key, secret = await create_key(context.graph, context.clock, user=new_user())
    await authenticate(context, secret)
    revoked = await revoke_key(context.graph, context.clock, key.id)
    assert revoked.revoked_at is not None
    with pytest.raises(Unauthenticated):
        await authenticate(context, secret)
    again = await revoke_key(context.graph, context.clock, key.id)
    assert again.revoked_at == revoked.revoked_at
    listed = {one.id: one for one in await list_keys(context.graph)}
    assert listed[key.id] == revoked
    with pytest.raises(NotFound):
        await revoke_key(context.graph, context.clock, "missing0")


async def test_bad_input_makes_no_key(context: Context, new_user: Callable[[], str]):
    before = len(await list_keys(context.graph))
    for given in (
        {"user": "a/b"},
        {"user": new_user(), "agent": "a b"},
        {"user": new_user(), "agent": "a", "admin": True},
        {"user": new_user(), "until": timedelta(0)},
        {"user": new_user(), "until": timedelta.max},
        {"user": new_user(), "until": context.clock() - timedelta(seconds=1)},
        {"user": new_user(), "until": context.clock() + timedelta(days=36_600)},
        {"user": new_user(), "name": "\x00"},
    ):
        with pytest.raises(Invalid):
            await create_key(context.graph, context.clock, **given)
    assert len(await list_keys(context.graph)) == before

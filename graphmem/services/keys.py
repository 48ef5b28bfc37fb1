"""API keys: made once, checked on every request, revoked for all replicas at once.

A key is `gm_<id>_<secret>_<checksum>`: 8 characters that name it, 43 that are secret (256 random
bits), and 6 that distinguish a mistyped key from a wrong one without the database.
"""

import hashlib
import hmac
import re
import secrets
import string
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_id
from graphmem.errors import Invalid, NotFound, Unauthenticated
from graphmem.services.context import Clock, Context, user_audience
from graphmem.store import keys as store
from graphmem.store.actors import put_agent_step, put_user_step
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Graph, Step
from graphmem.store.keys import Key

MAX_NAME: Final = 300
MAX_LISTED: Final = 10_000
MAX_LIFE: Final = timedelta(days=36_500)
ACTOR: Final = "system"  # keys are made by whoever has the machine, not by a viewer
_SHAPE: Final = re.compile(r"gm_([a-z0-9]{8})_([A-Za-z0-9_-]{43})_([A-Za-z0-9]{6})")
_ID_LETTERS: Final = string.ascii_lowercase + string.digits
_LETTERS: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The owner of a key: a user in person (no agent), an agent of the user, or an admin."""

    user: str
    agent: str | None
    admin: bool


async def authenticate(context: Context, secret: str) -> Identity:
    """Return whose key this is, read from the graph each time.

    Raises Unauthenticated in the same words for a malformed, unknown, wrong, expired or revoked
    key.
    """
    match = _SHAPE.fullmatch(secret)
    if match is None or match[3] != _checksum(match[1], match[2]):
        raise Unauthenticated
    found = await store.get_key(context.graph, match[1])
    key, kept = found or (None, "0" * 64)  # compared even without such a key
    same = hmac.compare_digest(_hash(match[2]), kept)
    if key is None or not same or not _is_valid(key, context.clock()):
        raise Unauthenticated
    return Identity(user=key.user, agent=key.agent, admin=key.scope == "admin")


def key_id_of(secret: str) -> str | None:
    """Return the id in the text of a key, which need not be valid; None where it has none."""
    match = _SHAPE.fullmatch(secret)
    return match and match[1]


def _is_valid(key: Key, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


async def create_key(
    graph: Graph,
    clock: Clock,
    *,
    user: str,
    agent: str | None = None,
    admin: bool = False,
    name: str | None = None,
    until: timedelta | datetime | None = None,
) -> tuple[Key, str]:
    """Create a key; returns it with its text, to be shown once.

    Its user and agent are registered if new. `until` is how long it is valid, or until when; None:
    until revoked. Raises Invalid.
    """
    if admin and agent is not None:
        raise Invalid("a key is for an agent or for an admin, not for both")
    now = clock()
    key = Key(
        id="".join(secrets.choice(_ID_LETTERS) for _ in range(8)),
        scope="admin" if admin else "user" if agent is None else "agent",
        user=check_id(user, "user id"),
        agent=None if agent is None else check_id(agent, "agent id"),
        name=None if name is None else check_text(name, "name", MAX_NAME),
        created_at=now,
        expires_at=None if until is None else _expiry(until, now),
        revoked_at=None,
    )
    secret = secrets.token_urlsafe(32)
    steps = [put_user_step(key.user, None, now)]
    if key.agent is not None:
        steps.append(put_agent_step(key.user, key.agent, {}, now))
    steps += [store.create_step(key, _hash(secret)), _event(key, "key made", now)]
    await graph.write(*steps)
    return key, f"gm_{key.id}_{secret}_{_checksum(key.id, secret)}"


def _expiry(until: timedelta | datetime, now: datetime) -> datetime:
    """Return when a key that is made now expires. Raises Invalid."""
    life = until if isinstance(until, timedelta) else until - now
    if life <= timedelta(0):
        raise Invalid("a key that has expired already is of no use: give a later time")
    if life > MAX_LIFE:
        raise Invalid("a key is valid for at most a hundred years")
    return now + life if isinstance(until, timedelta) else until.astimezone(UTC)


async def list_keys(graph: Graph) -> list[Key]:
    """List all keys, newest first, also those that are expired or revoked."""
    return await store.list_keys(graph, MAX_LISTED)


async def revoke_key(graph: Graph, clock: Clock, key_id: str) -> Key:
    """Refuse a key from its next request on, at every replica. Raises NotFound."""
    found = await store.get_key(graph, key_id)
    if found is None:
        raise NotFound("no such key")
    key, _ = found
    if key.revoked_at is None:
        now = clock()
        await graph.write(store.revoke_step(key.id, now), _event(key, "key revoked", now))
        found = await store.get_key(graph, key_id)
    return found[0] if found else key


def _event(key: Key, summary: str, now: datetime) -> Step:
    row = event_row(
        "EDIT",
        summary,
        audience=user_audience(key.user),
        actor=ACTOR,
        at=now,
        subject_id=key.id,
        channel="state_change",
        data={"scope": key.scope, "agent": key.agent},
    )
    return append_step(key.user, [row])


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _checksum(key_id: str, secret: str) -> str:
    """Return the CRC-32 as six digits to base 62."""
    rest, letters = zlib.crc32(f"gm_{key_id}_{secret}".encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, len(_LETTERS))
        letters += _LETTERS[digit]
    return letters

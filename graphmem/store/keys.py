"""API keys in the graph; only the SHA-256 of a secret is stored."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.store.graph import Graph, Step
from graphmem.store.times import instant


@dataclass(frozen=True, kw_only=True)
class Key:
    """An API key without its secret; `scope` is user, agent or admin."""

    id: str
    scope: str
    user: str
    agent: str | None
    name: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def create_step(key: Key, secret_hash: str) -> Step:
    """Store a new key."""
    return Step(
        "keys/create",
        {
            "id": key.id,
            "hash": secret_hash,
            "scope": key.scope,
            "user": key.user,
            "agent": key.agent,
            "name": key.name,
            "now": key.created_at,
            "expiresAt": key.expires_at,
        },
    )


def revoke_step(key_id: str, now: datetime) -> Step:
    """Revoke a key. Raises Stale when no key has this id."""
    return Step("keys/revoke", {"id": key_id, "now": now}, required=True)


async def get_key(graph: Graph, key_id: str) -> tuple[Key, str] | None:
    """Return the key with an id, and the hash of its secret."""
    row = await graph.read_one("keys/get", id=key_id)
    return None if row is None else (_to_key(row["key"]), row["key"]["hash"])


async def list_keys(graph: Graph, limit: int) -> list[Key]:
    """Return keys, newest first."""
    rows = await graph.read("keys/list", limit=limit)
    return [_to_key(row["key"]) for row in rows]


def _to_key(row: dict[str, Any]) -> Key:
    return Key(
        id=row["id"],
        scope=row["scope"],
        user=row["user"],
        agent=row["agent"],
        name=row["name"],
        created_at=row["createdAt"].to_native(),
        expires_at=instant(row["expiresAt"]),
        revoked_at=instant(row["revokedAt"]),
    )

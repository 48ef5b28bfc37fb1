"""The client of the memory daemon's document: an agent's own memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from graphmem.client.memory import ATTEMPTS, TIMEOUT_S, URL
from graphmem.client.models import read
from graphmem.client.transport import Request, Transport


@dataclass(frozen=True, kw_only=True)
class Memory:
    """A memory that was found."""

    id: str
    text: str
    score: float
    tags: tuple[str, ...]
    metadata: Any
    created_at: datetime


class MemoryClient:
    """Remembers and recalls for one agent. Every method raises `ServiceError`."""

    def __init__(
        self, url: str = URL, agent: str = "openclaw", *, key: str | None = None, **given: Any
    ) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        limits = {"timeout_s": TIMEOUT_S, "attempts": ATTEMPTS, **given}
        self._agent, self._transport = agent, Transport(url, headers, **limits)

    def remember(
        self,
        text: str,
        tags: Sequence[str] = (),
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: int | None = None,
        project_id: str | None = None,
    ) -> str:
        """Store a memory, for `ttl` seconds if that is given; return its id."""
        body: dict[str, Any] = {"agentId": self._agent, "text": text, "tags": list(tags)}
        given = {"metadata": metadata, "ttl": ttl, "projectId": project_id}
        body |= {name: value for name, value in given.items() if value is not None}
        request = Request(method="POST", path="/remember", body=body, repeatable=False)
        return self._transport.send(request)["id"]

    def recall(
        self, query: str, limit: int | None = None, *, min_score: float | None = None
    ) -> tuple[Memory, ...]:
        """Return the memories that are nearest to a question, best first."""
        asked = {"query": query, "limit": limit, "minScore": min_score, "agentId": self._agent}
        response = self._transport.send(Request(method="GET", path="/recall", query=asked))
        return tuple(read(Memory, each) for each in response["results"])

    def forget(self, id: str) -> None:
        """Forget a memory."""
        path, query = f"/forget/{quote(id, safe='')}", {"agentId": self._agent}
        self._transport.send(Request(method="DELETE", path=path, query=query))

    def status(self) -> Mapping[str, Any]:
        """Return the state of the service and of its database."""
        return self._transport.send(Request(method="GET", path="/status"))

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

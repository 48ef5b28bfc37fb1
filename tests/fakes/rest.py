"""A client of the service that speaks REST."""

from dataclasses import dataclass
from typing import Any

import httpx

from graphmem.rest.endpoints import Endpoint


@dataclass(frozen=True)
class Rest:
    """Asks as one user or one of the user's agents."""

    http: httpx.AsyncClient
    user: str
    agent: str | None = None

    def as_agent(self, agent: str) -> "Rest":
        """The same user's agent."""
        return Rest(self.http, self.user, agent)

    async def __call__(
        self, method: str, path: str, body: Any = None, *, headers: Any = None, **query: Any
    ) -> httpx.Response:
        """The answer to a request; a body is sent as JSON."""
        named = {"X-Graphmem-User": self.user, **(headers or {})}
        if self.agent:
            named["X-Graphmem-Agent"] = self.agent
        sent = {"json": body} if body is not None else {}
        return await self.http.request(method, path, params=query or None, headers=named, **sent)

    async def ask(self, endpoint: Endpoint, **given: Any) -> httpx.Response:
        """The answer of an endpoint to the fields of its command."""
        path = endpoint.path
        for name in endpoint.in_path:
            path = path.replace(f"{{{name}}}", str(given.pop(name)))
        if endpoint.has_body:
            return await self(endpoint.method, path, given)
        return await self(endpoint.method, path, **given)

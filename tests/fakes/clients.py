"""A client of the service."""

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Client:
    """A client that speaks GraphQL as one user or one of the user's agents."""

    http: httpx.AsyncClient
    user: str
    agent: str | None = None

    def as_agent(self, agent: str) -> "Client":
        """The same user's agent."""
        return Client(self.http, self.user, agent)

    def as_user(self, user: str) -> "Client":
        """Another user in person."""
        return Client(self.http, user)

    async def post(self, query: str, **variables: Any) -> dict[str, Any]:
        """The whole answer, with data and errors."""
        headers = {"X-Graphmem-User": self.user}
        if self.agent:
            headers["X-Graphmem-Agent"] = self.agent
        response = await self.http.post(
            "/graphql", json={"query": query, "variables": variables}, headers=headers
        )
        return response.json()

    async def __call__(self, query: str, **variables: Any) -> Any:
        """The data; fails the test when there are errors."""
        answer = await self.post(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def code(self, query: str, **variables: Any) -> str:
        """The code of the first error; fails the test when there is none."""
        answer = await self.post(query, **variables)
        assert answer.get("errors"), answer
        return answer["errors"][0]["extensions"]["code"]

    async def remember(self, content: str, **given: Any) -> dict[str, Any]:
        """Remember one note; the payload."""
        data = await self(REMEMBER, input={"content": content, **given})
        return data["remember"]

    async def recall(self, query: str, **given: Any) -> list[dict[str, Any]]:
        """The hits of a recall that leaves no trace."""
        data = await self(RECALL, input={"query": query, "track": False, **given})
        return data["recall"]["hits"]


REMEMBER = """mutation R($input: RememberInput!) { remember(input: $input) {
  operation reason note { id version content title keywords tags context domain visibility status
    accessCount halfLifeHours externalId createdAt expiresAt } } }"""
RECALL = """query Q($input: RecallInput!) { recall(input: $input) { confidence strategy hits {
  rank score note { id content title domain visibility } via { relationship label noteId entityId }
  why { similarity keyword graph } } } }"""

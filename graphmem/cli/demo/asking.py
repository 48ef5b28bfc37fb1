"""Queries the running service over GraphQL, as any client would, and prints the answers."""

import http.client
import json
import textwrap
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import typer

from graphmem.cli.demo.diary import DemoQuestion
from graphmem.errors import Unavailable

TIMEOUT_S: Final = 60.0
HITS: Final = 10
SHOWN: Final = 3  # hits of a question, besides those that its answer needs
WIDTH: Final = 96
RECALL: Final = """
query Ask($input: RecallInput!) {
  recall(input: $input) {
    hits {
      rank
      score
      note { id externalId title content visibility readableBy { id } }
      via { relationship label }
    }
  }
}
"""


def recall(base: str, text: str, user: str, agent: str | None = None) -> list[dict[str, Any]]:
    """Return the hits for a question. Raises Unavailable."""
    given = {"input": {"query": text, "k": HITS, "track": False}}
    return request(base, RECALL, given, user, agent)["recall"]["hits"]


def request(
    base: str, query: str, variables: Mapping[str, Any], user: str, agent: str | None = None
) -> dict[str, Any]:
    """Return the data of an answer over GraphQL. Raises Unavailable."""
    headers = {"Content-Type": "application/json", "X-Graphmem-User": user}
    if agent is not None:
        headers["X-Graphmem-Agent"] = agent
    answer = _post_json(base, {"query": query, "variables": variables}, headers)
    if "errors" in answer:
        raise Unavailable(f"the service answered: {answer['errors'][0]['message']}")
    return answer["data"]


def _post_json(base: str, body: object, headers: Mapping[str, str]) -> dict[str, Any]:
    place = urlsplit(base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", "/graphql", json.dumps(body), dict(headers))
        return json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError) as exc:
        raise Unavailable("the service does not answer") from exc
    finally:
        connection.close()


def show_question(base: str, question: DemoQuestion) -> None:
    """Ask and print the best hits and those that the answer needs (*), each with the path to it;
    then the explanation by the diary's author, which does not come from the service."""
    typer.echo(f"\n{question.user} asks: {question.text}")
    for hit in recall(base, question.text, question.user):
        if hit["rank"] <= SHOWN or hit["note"]["externalId"] in question.needs:
            show_hit(hit, needed=hit["note"]["externalId"] in question.needs)
    say("What its author knows", question.explain)


def show_two_agents(base: str, question: DemoQuestion) -> None:
    """Ask as two agents of one user, and mark what the other one may not read."""
    typer.echo(f"\nTwo agents of {question.user} are asked: {question.text}")
    for agent in question.agents:
        typer.echo(f"  {agent}:")
        for hit in recall(base, question.text, question.user, agent)[: 2 * SHOWN]:
            note = hit["note"]
            readers = {reader["id"] for reader in note["readableBy"]}
            hidden = ", ".join(other for other in question.agents if other not in readers)
            mark = f"   <- not for {hidden}" if hidden else ""
            typer.echo(f"    {hit['rank']}. {note['title']} ({note['visibility']}){mark}")
    say("What its author knows", question.explain)


def show_hit(hit: Mapping[str, Any], *, needed: bool) -> None:
    """Print a hit with the path to it."""
    note = hit["note"]
    typer.echo(f"{'* ' if needed else '  '}{hit['rank']}. {note['title']}  ({hit['score']:.2f})")
    say("   ", textwrap.shorten(note["content"], 180, placeholder=" …"), mark=" ")
    if hit["via"]:
        path = " ".join(f"-{step['relationship']}-> {step['label']}" for step in hit["via"])
        say("    via", path, mark=" ")


def say(what: str, text: str, mark: str = ": ") -> None:
    """Print a text after its label."""
    start = f"  {what}{mark}"
    typer.echo(
        textwrap.fill(
            " ".join(text.split()), WIDTH, initial_indent=start, subsequent_indent=" " * len(start)
        )
    )

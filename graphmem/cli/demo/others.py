"""Shows how a question finds the agent of another person, once that person agrees."""

from typing import Any, Final

import typer

from graphmem.cli.demo.asking import request, say, show_hit
from graphmem.cli.demo.diary import ForOthers

TEAM: Final = """mutation T($id: ID!, $name: String, $members: [ID!]!) {
  registerTeam(id: $id, name: $name, members: $members) { id } }"""
SHARE: Final = """mutation S($domain: String!, $team: ID!, $share: Boolean!) {
  shareDomain(domain: $domain, team: $team, share: $share) { id } }"""
ASK: Final = """query C($question: String!) {
  route(task: $question) { agent { id user { id } } reasoning }
  consult(question: $question, k: 3, track: false) { steps hits { rank score
    note { externalId title content } via { relationship label } } } }"""


def show_others(base: str, asked: ForOthers) -> None:
    """Ask before the owner shares the domain, after that, and after the share is withdrawn. Raises
    Unavailable."""
    user, owner, team = asked.question.user, asked.owner, asked.team
    request(base, TEAM, team, user)
    _share_domain(base, asked, share=False)  # the last run may have ended in the middle
    typer.echo(f"\n{asked.agent} of {user} is asked: {asked.question.text}")
    _ask_agent(base, asked)
    place = f"{asked.domain} with the team {team['id']}"
    typer.echo(f"{owner} shares {place}. The same question:")
    _share_domain(base, asked, share=True)
    _ask_agent(base, asked)
    typer.echo(f"{owner} no longer shares {place}. The same question:")
    _share_domain(base, asked, share=False)
    _ask_agent(base, asked)
    say("What its author knows", asked.question.explain)


def _share_domain(base: str, asked: ForOthers, *, share: bool) -> None:
    given = {"domain": asked.domain, "team": asked.team["id"], "share": share}
    request(base, SHARE, given, asked.owner)


def _ask_agent(base: str, asked: ForOthers) -> None:
    """Print the agent that the question is routed to, the steps of a consultation, and its hits."""
    given = {"question": asked.question.text}
    answer = request(base, ASK, given, asked.question.user, asked.agent)
    advice, found = answer["route"], answer["consult"]
    say("  route", f"{_agent_name(advice['agent'])}{advice['reasoning']}", mark="    ")
    for number, step in enumerate(found["steps"], 1):
        say("  consult", f"{number}. {step}", mark="  ")
    for hit in found["hits"]:
        show_hit(hit, needed=hit["note"]["externalId"] in asked.question.needs)


def _agent_name(agent: dict[str, Any] | None) -> str:
    return f"{agent['id']} of {agent['user']['id']}. " if agent else ""

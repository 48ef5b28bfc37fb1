"""The example diary: its people, agents and rules, its notes, its questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from graphmem.domain.actors import AgentRole
from graphmem.domain.visibility import Visibility
from graphmem.services.actors import list_agents, open_access, register_agent, register_user
from graphmem.services.context import Context
from graphmem.services.importing.importing import Imported, import_folder
from graphmem.services.writing.visibility import set_domain_visibility


@dataclass(frozen=True)
class DemoQuestion:
    """A question of a user, and the notes that its answer needs."""

    user: str
    text: str
    explain: str
    needs: tuple[str, ...] = ()  # external ids
    agents: tuple[str, ...] = ()


async def load_diary(context: Context, folder: Path) -> dict[str, Imported]:
    """Register everybody and import the notes of each user; doing so again changes nothing."""
    profiles = _read_yaml(folder / "profiles.yaml")
    done = {}
    for user in profiles["users"]:
        await _set_up_user(context, user, profiles)
        done[user["name"]] = await import_folder(context, user["id"], folder / user["id"])
    return done


async def _set_up_user(context: Context, user: dict[str, Any], profiles: dict[str, Any]) -> None:
    access = await open_access(context, user["id"], None, register=True)
    await register_user(context, access, user["id"], user["name"])
    there = {agent.id: agent for agent in await list_agents(context, access)}
    for wanted in profiles["agents"]:
        agent = there.get(wanted["id"])
        domains = tuple(wanted["domains"])
        role, private = AgentRole(wanted["role"]), wanted["canSeePrivate"]
        same = agent and (agent.name, agent.role, agent.domains, agent.can_see_private) == (
            wanted["name"],
            role,
            domains,
            private,
        )
        if wanted["user"] == user["id"] and not same:
            await register_agent(
                context,
                access,
                wanted["id"],
                name=wanted["name"],
                role=role,
                domains=domains,
                can_see_private=private,
            )
    for rule in profiles["rules"]:
        visibility = Visibility(rule["visibility"])
        if rule["user"] == user["id"] and access.rules.get(rule["domain"]) is not visibility:
            await set_domain_visibility(context, access, rule["domain"], visibility)


@dataclass(frozen=True, kw_only=True)
class ForOthers:
    """A question that nobody on the asker's side can answer, and the agent that can once its owner
    shares a domain."""

    question: DemoQuestion
    agent: str  # the agent that asks
    team: Mapping[str, Any]
    owner: str
    domain: str  # that the owner shares


def read_for_others(folder: Path) -> ForOthers:
    """Return the question that only another person's agent can answer."""
    given = _read_yaml(folder / "questions.yaml")["experts"]
    question = DemoQuestion(
        given["user"], given["question"], given["explain"], needs=tuple(given["needs"])
    )
    return ForOthers(
        question=question,
        agent=given["agent"],
        team=given["team"],
        owner=given["owner"],
        domain=given["domain"],
    )


def read_questions(folder: Path) -> tuple[list[DemoQuestion], DemoQuestion]:
    """Return the multi-hop questions, and the one that two agents answer differently."""
    given = _read_yaml(folder / "questions.yaml")
    two = given["two_agents"]
    return (
        [
            DemoQuestion(q["user"], q["question"], q["explain"], needs=tuple(q["needs"]))
            for q in given["questions"]
        ],
        DemoQuestion(two["user"], two["question"], two["explain"], agents=tuple(two["agents"])),
    )


def _read_yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))

"""memory/config.json: the visibility rules of a user and the profiles of agents (MUMA 5.4).

Agents without a profile of their own have the one for all others."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from graphmem.domain.actors import ANYTHING, Agent, Unlisted
from graphmem.domain.drafts import check_choice
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.actors import (
    check_domains,
    list_agents,
    register_agent,
    reopen_access,
    set_unlisted,
)
from graphmem.services.context import Access, Context
from graphmem.services.syncing.pages.page import CONFIG, Page, json_page
from graphmem.services.writing.rules import remove_rule, set_default_visibility
from graphmem.services.writing.visibility import set_domain_visibility

RULES: Final = "visibility_rules"
DEFAULT: Final = "default_visibility"
AGENTS: Final = "agent_memory"
UNLISTED: Final = "default_agent_memory"
MOST_RULES: Final = 1_000
_PROFILE: Final = frozenset({"domains", "can_see_private"})


Profile = tuple[tuple[str, ...], bool]  # domains, and if it sees what is private


@dataclass(frozen=True, kw_only=True)
class Config:
    """The settings of a file, checked."""

    rules: Mapping[str, Visibility]
    default: Visibility
    agents: Mapping[str, Profile]
    unlisted: Profile | None  # None: the file does not say


async def config_page(context: Context, access: Access) -> Page:
    """Return the settings as a page, which is for the user in person."""
    agents = await list_agents(context, access)
    value = {
        RULES: {domain: _word(each) for domain, each in sorted(access.told_rules.items())},
        DEFAULT: _word(access.default),
        AGENTS: {agent.id: _profile(agent) for agent in agents if agent.listed},
        UNLISTED: _profile(access.unlisted),
    }
    return json_page(CONFIG, value, editable=True)


def _word(visibility: Visibility) -> str:
    return visibility.lower().replace("_", "-")


def _profile(of: Agent | Unlisted) -> dict[str, object]:
    return {"domains": list(of.domains), "can_see_private": of.can_see_private}


async def edit_config(context: Context, access: Access, base: str, edited: str) -> list[str]:
    """Set, change and remove rules, set the default visibility, and set up agents.

    All of the file is checked before anything is changed. Raises Invalid for a file that makes no
    sense or changes nothing, and Forbidden for an agent."""
    before, after = parse_config(base), parse_config(edited)
    if gone := before.agents.keys() - after.agents.keys():
        raise Invalid(f"no agent is removed by taking it out of the file: {min(gone)}")
    done = [
        *await _edit_rules(context, access, before, after),
        *await _edit_agents(context, access, before, after),
    ]
    if before.default is not after.default:
        await set_default_visibility(context, access, after.default)
        done.append(f"default visibility: {_word(after.default)}")
    if after.unlisted is not None and before.unlisted != after.unlisted:
        domains, can_see_private = after.unlisted
        unlisted = Unlisted(domains=domains, can_see_private=can_see_private)
        await set_unlisted(context, access, unlisted)
        done.append("profile of other agents set")
    if not done:
        raise Invalid("no setting of the file was changed")
    return done


async def _edit_rules(context: Context, access: Access, before: Config, after: Config) -> list[str]:
    done = []
    for domain, visibility in after.rules.items():
        if before.rules.get(domain) is not visibility:
            access = await reopen_access(context, access)
            change = await set_domain_visibility(context, access, domain, visibility)
            done.append(f"rule {domain}: {_word(visibility)}, {change.updated_count} notes changed")
    for domain in before.rules.keys() - after.rules.keys():
        access = await reopen_access(context, access)
        if domain in access.rules:
            await remove_rule(context, access, domain)
            done.append(f"rule {domain} removed; notes keep their readers")
    return done


async def _edit_agents(
    context: Context, access: Access, before: Config, after: Config
) -> list[str]:
    done = []
    for agent, (domains, can_see_private) in after.agents.items():
        if before.agents.get(agent) != (domains, can_see_private):
            await register_agent(
                context, access, agent, domains=domains, can_see_private=can_see_private
            )
            done.append(f"agent {agent} set up")
    return done


def parse_config(text: str) -> Config:
    """Return the settings of a file. Raises Invalid, which names what makes no sense."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise Invalid("the file is no JSON") from exc
    given = _object(given, "the file")
    if unknown := given.keys() - {RULES, DEFAULT, AGENTS, UNLISTED}:
        raise Invalid(f"the file has an unknown setting: {min(unknown)[:40]}")
    rules = _object(given.get(RULES, {}), RULES)
    if len(rules) > MOST_RULES:
        raise Invalid(f"{RULES}: at most {MOST_RULES}")
    agents = _object(given.get(AGENTS, {}), AGENTS)
    return Config(
        rules={check_domain(domain): _visibility(each) for domain, each in rules.items()},
        default=_visibility(given.get(DEFAULT, "scoped")),
        agents={
            check_id(agent, "agent id"): _parse_profile(each) for agent, each in agents.items()
        },
        unlisted=_parse_profile(given[UNLISTED]) if UNLISTED in given else None,
    )


def _object(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Invalid(f"{what} must be an object")
    return given


def _visibility(given: Any) -> Visibility:
    try:
        return check_choice(Visibility(str(given).upper().replace("-", "_")))
    except ValueError as exc:
        raise Invalid("a visibility is open, scoped, private or user-only") from exc


def _parse_profile(given: Any) -> Profile:
    profile = _object(given, "a profile of an agent")
    if unknown := profile.keys() - _PROFILE:
        raise Invalid(f"a profile has an unknown setting: {min(unknown)[:40]}")
    domains = profile.get("domains", [ANYTHING])
    can_see_private = profile.get("can_see_private", False)
    if not isinstance(domains, list) or not isinstance(can_see_private, bool):
        raise Invalid("a profile has domains, a list, and can_see_private, true or false")
    return tuple(check_domains([str(each) for each in domains])), can_see_private

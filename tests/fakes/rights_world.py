"""Users who decided who reads what is said at a place, by rules, by hand and by shares, and who
reads it then."""

import re
from collections import defaultdict
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import Any

from clients import Client
from rights_table import ELSEWHERE, OWN, PLACE, SHARED, Case

AGENTS = {
    "worker": {"domains": ["work", "common", "elsewhere"]},
    "helper": {"role": "ASSISTANT", "canSeePrivate": True},
    "boss": {"role": "ORCHESTRATOR"},
    "at the place": {"id": "at-place", "domains": [PLACE]},
    "of its own": {"id": "of-own", "domains": [OWN]},
    "stranger": {"domains": [ELSEWHERE]},
    "of the team": {"id": "of-common", "domains": [SHARED]},
}
ACTORS = ("worker", "helper", "boss")
RULES = (None, "OPEN", "SCOPED", "PRIVATE", "USER_ONLY")
MARKS = (None, "SCOPED", "PRIVATE", "same")
WORLDS = [(r, m, (i + j) % 2 == 1) for i, r in enumerate(RULES) for j, m in enumerate(MARKS)]
REGISTER = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
RULE = """mutation R($d: String!, $v: Visibility!) {
  setVisibility(domain: $d, visibility: $v) { updatedCount } }"""
TEAM = """mutation T($id: ID!, $mate: ID!) { registerTeam(id: $id, members: [$mate]) { id } }"""
SHARE = "mutation S($d: String!, $t: ID!) { shareDomain(domain: $d, team: $t) { id } }"
MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { code } } } }"""
ALIASES = 15  # of one request
NEWEST = "{ notes(first: 100) { nodes { id content visibility } } }"
READERS = """query R($after: String) { notes(after: $after, first: 100) { nodes { content
  readers { agent { id } team { id } } } pageInfo { endCursor hasNextPage } } }"""
LENT = "{ handoffs(first: 100) { to { id } notes { content } } }"


@dataclass
class World:
    """A user who decided who reads what is said at a place."""

    api: Client
    rule: str | None
    mark: str | None
    mate: str  # who shares a team with the user
    team: str
    count: int = 0
    witness: frozenset[str] = field(default_factory=frozenset)  # readers by the rule alone
    by_rule: str = ""  # the visibility of what nobody marks

    async def readers(self) -> dict[str, frozenset[str]]:
        """Who reads notes that say a text: agents and teams, by the text's voucher."""
        found: dict[str, Set[str]] = defaultdict(frozenset)
        after, more = None, True
        while more:
            page = (await self.api(READERS, after=after))["notes"]
            for node in page["nodes"]:
                found[voucher(node["content"])] |= {
                    f"agent {each['agent']['id']}"
                    if each["agent"]
                    else f"team {each['team']['id']}"
                    for each in node["readers"]
                    if each["agent"] or each["team"]
                }
            after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        for handoff in (await self.api(LENT))["handoffs"]:
            for note in handoff["notes"]:
                found[voucher(note["content"])] |= {f"agent {handoff['to']['id']}"}
        return {text: frozenset(map(known, all_of)) for text, all_of in found.items()}

    async def cases(self, author: Client, number: int, **given: Any) -> list[Case]:
        """New notes at the place, with another one of the same writer in its own domain. The user
        marks a note by writing it with a visibility, or afterwards where an agent wrote it."""
        texts = [
            f"Voucher {self._next()} opens the northern gate of the yard." for _ in range(number)
        ]
        to = self.by_rule if self.mark == "same" else self.mark
        if to is not None and author is self.api:
            given = {"visibility": to, **given}
        ids = await self._write(author, texts, domain=PLACE, **given)
        second = f"Something else {self._next()} stands entirely here."
        [other] = await self._write(author, [second], domain=OWN)
        if to is not None and author is self.api:
            nodes = (await self.api(NEWEST))["notes"]["nodes"]
            seen = {node["id"]: node["visibility"] for node in nodes}
            assert {seen[note] for note in ids} == {to}
        elif to is not None:
            await self._mark(ids, to)
        return [Case(id=id, text=text, other=other) for id, text in zip(ids, texts, strict=True)]

    async def _mark(self, ids: list[str], to: str) -> None:
        """Give notes a visibility by hand, as many as one request may name at a time."""
        for page in (ids[i : i + ALIASES] for i in range(0, len(ids), ALIASES)):
            each = (
                f'm{i}: setVisibility(id: "{note}", visibility: $to) {{ updatedCount }}'
                for i, note in enumerate(page)
            )
            await self.api(f"mutation M($to: Visibility!) {{ {' '.join(each)} }}", to=to)

    @property
    def keeps_from_lending(self) -> bool:
        """What is SCOPED by hand may be lent for a task, what is so by a rule may not."""
        return self.rule not in (None, "OPEN")

    def _next(self) -> str:
        self.count += 1
        return f"wq{self.count:05}"

    async def _write(self, author: Client, texts: list[str], **given: Any) -> list[str]:
        notes = [{"content": text, **given} for text in texts]
        data = await author(MANY, notes=notes)
        rows = data["rememberMany"]["results"]
        assert not any(row["error"] for row in rows), rows
        if all(row["note"] for row in rows):
            return [row["note"]["id"] for row in rows]
        found = (await self.api(NEWEST))["notes"]["nodes"]  # its writer does not read it
        by_text = {node["content"]: node["id"] for node in found}
        return [by_text[text] for text in texts]

    def allowed(self, before: frozenset[str]) -> frozenset[str] | None:
        """The agents that may come to read a note which these read; None where the user decided
        nothing."""
        if self.mark is not None:
            return before
        return before | self.witness if self.rule is not None else None


def known(reader: str) -> str:
    """A reader, where an agent that was made in the test stands for the one of the same domain."""
    return "agent stranger" if reader.startswith("agent worker-") else reader


def voucher(text: str) -> str:
    """The word that a text has alone."""
    return next(iter(re.findall(r"wq[0-9]{5}", text.lower())), "")


async def open_one(
    first: Client, new_user: Callable[[], str], rule: str | None, mark: str | None, shared: bool
) -> World:
    """A new user, whose team shares a domain, and perhaps the place."""
    api = first.as_user(new_user())
    for name, profile in AGENTS.items():
        await api(REGISTER, i={"id": name, "name": name, **profile})
    mate, team = api.as_user(new_user()), new_user()
    await mate("{ viewer { user { id } } }")
    await mate(TEAM, id=team, mate=api.user)
    await api("mutation J($id: ID!) { joinTeam(id: $id) { id } }", id=team)
    await api(SHARE, d=SHARED, t=team)
    if shared:
        await api(SHARE, d=PLACE, t=team)
    if rule is not None:
        await api(RULE, d=PLACE, v=rule)
    world = World(api, rule, mark, mate.user, team)
    [by_rule] = await replace(world, mark=None).cases(api, 1)
    world.count = 2
    world.witness = (await world.readers())[voucher(by_rule.text)]
    seen = await api("query N($id: ID!) { note(id: $id) { visibility } }", id=by_rule.id)
    world.by_rule = seen["note"]["visibility"]
    return world


def teams(readers: frozenset[str]) -> set[str]:
    return {each for each in readers if each.startswith("team ")}


def agents(readers: frozenset[str]) -> set[str]:
    return {each for each in readers if each.startswith("agent ")}


def check(
    world: World, was: frozenset[str], now: frozenset[str], actors: Set[str], told: object
) -> None:
    """Nobody reads a text whom the user did not let; who acts has read or written it."""
    assert teams(now) <= teams(was), (told, "a team more")
    allowed = world.allowed(was)
    if allowed is not None:
        more = agents(now) - agents(allowed) - {f"agent {actor}" for actor in actors}
        assert not more, (told, sorted(more))

"""A user with everything that a user can have, and a team mate who stays."""

import json
from typing import Any

from clients import REMEMBER

from graphmem.services.context import Context
from graphmem.services.keys import create_key

NEEDLE = "quorvexil"  # in every text of the user, a word of nobody else
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
LIVE = """mutation L($a: RememberInput!, $b: RememberInput!, $team: ID!) {
  a: remember(input: $a) { note { id entities { id } } }
  b: remember(input: $b) { note { id } }
  setVisibility(domain: "work/secret", visibility: USER_ONLY) { updatedCount }
  addSkill(name: "quorvexil firing", procedure: "Heat the quorvexil.") { id }
  setSop(domain: "work", content: "Lock the quorvexil.") { version }
  setCoreBlock(name: "critical", text: "The quorvexil stays locked.") { text }
  setPromotionOptOut(domain: "work/quorvexil") { id }
  shareDomain(domain: "work", team: $team) { id }
  reflect { id } }"""
LINK = 'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "near") { id } }'
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
PROPOSE = """mutation P($id: ID!, $team: ID!) { proposeKnowledge(noteId: $id, team: $team,
  content: "The kiln guarantees 99.9% uptime.") { id } }"""
DECIDE = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  status knowledge { id } } }"""
VERIFY = "mutation V($id: ID!) { verifyKnowledge(id: $id) { id } }"
POST = """mutation P($team: ID!, $v: JSON!, $key: String!) {
  postBoard(key: $key, value: $v, team: $team) { version } }"""
SKILL = """mutation S($team: ID!, $name: String!) {
  addSkill(name: $name, procedure: "Dry it.", team: $team) { id } }"""
USED = "mutation U($id: ID!) { reportSkill(id: $id, success: true) { id } }"
RECALL = '{ recall(input: {query: "quorvexil"}) { hits { note { id } } } }'
CONSULT = '{ consult(question: "Where is the quorvexil kiln?") { answered } }'
SESSION = 'mutation { openSession(task: "quorvexil") { id } }'
LOCAL = """mutation L($s: ID!) { remember(input: {content: "A quorvexil note.", sessionId: $s}) {
  operation } }"""
HANDOFF = """mutation H($id: ID!) { handoff(to: "helper", summary: "The quorvexil.",
  noteIds: [$id]) { id } }"""


def needle_of(user: str) -> str:
    """A word of the user alone, without digits."""
    return NEEDLE + "".join(chr(97 + int(each, 36) % 26) for each in user if each.isalnum())


class Saying:
    """A client that says the user's own word where a request has the needle."""

    def __init__(self, client: Any, needle: str | None = None) -> None:
        self.client, self.user = client, client.user
        self.needle = needle or needle_of(client.user)

    def as_agent(self, agent: str) -> "Saying":
        return Saying(self.client.as_agent(agent), self.needle)

    async def __call__(self, query: str, **given: Any) -> Any:
        said = json.dumps(given).replace(NEEDLE, self.needle)
        return await self.client(query.replace(NEEDLE, self.needle), **json.loads(said))


class Life:
    """A user with everything that a user can have, and a team mate who stays."""

    def __init__(self, api: Any, other: Any, team: str) -> None:
        self.api, self.other, self.team = api, other, team
        self.needle = needle_of(api.user)

    async def lived(self, context: Context) -> None:
        api, other, team = Saying(self.api), Saying(self.other, self.needle), self.team
        for person in (api, other):
            await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
        await api(AGENT, i={"id": "helper", "name": "quorvexil"})
        await api(AGENT, i={"id": "shy", "writes": "PROPOSE"})
        await api(TEAM, id=team, of=[api.user, other.user])
        await api(TEAM, id=f"alone-{team}", of=[api.user])
        about = [{"name": "Quorvexil kiln", "aliases": ["the old quorvexil"]}]
        given = {"domain": "work", "visibility": "OPEN", "metadata": {"q": NEEDLE}}
        first = {**given, "content": "The quorvexil kiln is in Ulm.", "entities": about}
        first |= {"externalId": f"x-{NEEDLE}", "idempotencyKey": NEEDLE, "episode": NEEDLE}
        second = {**given, "content": "The quorvexil kiln is in Bonn.", "tags": [NEEDLE]}
        made = await api(LIVE, a=first, b=second, team=team)
        one, two = (made[name]["note"]["id"] for name in "ab")
        await api(LINK, a=one, b=two)
        await api(REVISE, id=one, c="The quorvexil kiln of Ulm guarantees 99.9% uptime.")
        helper = api.as_agent("helper")
        await helper(RECALL)
        session = (await helper(SESSION))["openSession"]["id"]
        await helper(LOCAL, s=session)
        await api.as_agent("lead")(HANDOFF, id=one)
        await api.as_agent("shy")(REMEMBER, input={"content": "A quorvexil proposal."})
        proposal = (await api(PROPOSE, id=one, team=team))["proposeKnowledge"]["id"]
        known = (await other.as_agent("lead")(DECIDE, id=proposal))["decideProposal"]
        await other(VERIFY, id=known["knowledge"]["id"])
        await api(POST, team=team, key="plan", v={"state": "hot"})
        await api.as_agent("lead")(POST, team=team, key="shift", v={"state": "cold"})
        await api(POST, team=f"alone-{team}", key="plan", v={"state": NEEDLE})
        skill = (await api.as_agent("lead")(SKILL, team=team, name="Dry"))["addSkill"]["id"]
        await api(USED, id=skill)
        await api(SKILL, team=f"alone-{team}", name=f"Dry the {NEEDLE}")
        await create_key(context.graph, context.clock, user=api.user, name=self.needle)
        await self.other.remember("The lathe is in Kiel.", entities=[{"name": "Lathe"}])
        await other(CONSULT)
        await context.log.flush()

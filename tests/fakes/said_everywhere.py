"""A user, an agent and a team mate who say some words in every text that the graph keeps."""

from dataclasses import dataclass

from clients import REMEMBER, Client

from graphmem.services.context import Context

AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
PROPOSE = "mutation P($i: RememberInput!) { remember(input: $i) { proposal { id } } }"
DECIDE = """mutation D($id: ID!, $w: String!) {
  decideProposal(id: $id, decision: REJECT, reason: $w) { status } }"""
OPEN = "mutation S($t: String) { openSession(task: $t) { id task } }"
LINK = """mutation L($a: ID!, $b: ID!, $w: String!) {
  link(source: $a, target: $b, kind: "about", reason: $w) { id } }"""
STATUS = "mutation T($t: String!) { reportStatus(status: $t, currentTask: $t) { id } }"
SKILL = """mutation S($n: String!, $p: String!, $t: String!, $team: ID) {
  addSkill(name: $n, procedure: $p, trigger: $t, team: $team, tags: [$t]) { id } }"""
SOP = """mutation S($c: String!, $team: ID) {
  setSop(domain: "kilns", content: $c, team: $team) { content version } }"""
TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
JOIN = "mutation J($id: ID!) { joinTeam(id: $id) { id } }"
POST = """mutation P($team: ID!, $v: JSON!) {
  postBoard(key: "plan", value: $v, team: $team) { version } }"""
HANDOFF = """mutation H($id: ID!, $w: String!) {
  handoff(to: "bot", summary: $w, noteIds: [$id]) { id summary } }"""
FORGET = "mutation F($id: ID!, $w: String!) { forget(id: $id, reason: $w) { forgotten } }"
RECALL = "query R($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"
FEEDBACK = "mutation F($id: ID!, $u: [ID!]!) { feedback(recallId: $id, used: $u) }"
LINE = 'mutation B($t: String!) { setCoreBlock(name: "critical", text: $t) { text } }'


@dataclass
class Said:
    """A user and a team mate who said some words in every text that there is."""

    api: Client
    mate: Client
    team: str
    key: str  # the words
    pending: str
    handoff: str


async def say_everywhere(context: Context, api: Client, mate: Client, key: str) -> Said:
    """Say the words, where the service of both looks for no secrets."""
    bot, shy = api.as_agent("bot"), api.as_agent("shy")
    await mate.remember("The lathe is in Kiel.")
    await api(AGENT, i={"id": "bot", "name": f"Bot {key}"})
    await api(AGENT, i={"id": "shy", "writes": "PROPOSE"})
    one = (await api.remember("The kiln is in Ulm.", visibility="OPEN"))["note"]["id"]
    two = (await api.remember("The kiln has a door."))["note"]["id"]
    await api(LINK, a=one, b=two, w=f"both need {key}")
    await bot(STATUS, t=f"turning {key}")
    session = (await bot(OPEN, t=f"use {key}"))["openSession"]["id"]
    local = {"content": f"Local: {key}", "sessionId": session, "metadata": {"key": key}}
    await bot(REMEMBER, input=local)
    handoff = (await api(HANDOFF, id=one, w=f"Take {key}."))["handoff"]["id"]
    given = {"title": f"Kiln {key}", "tags": [key], "visibility": "OPEN"}
    given |= {"entities": [{"name": f"Kiln {key}"}]}
    made = await shy(PROPOSE, i={**given, "content": f"The kiln opens by {key}."})
    pending = made["remember"]["proposal"]["id"]
    other = await shy(PROPOSE, i={"content": "The moon is made of cheese."})
    await api(DECIDE, id=other["remember"]["proposal"]["id"], w=f"no {key}")
    await api(SKILL, n="Fire the kiln", p="Heat it.", t=f"Who asks for {key}")
    await api(SOP, c=f"Lock {key}.")
    await api(SOP, c=f"Lock {key} twice.")
    await api(LINE, t=f"The door opens by {key}.")
    await api(FORGET, id=two, w=f"{key} is old")
    asked = (await api(RECALL, q=f"Where is the kiln of {key}?"))["recall"]
    await context.log.flush()
    await api(FEEDBACK, id=asked["id"], u=[asked["hits"][0]["note"]["id"]])
    team = f"t{api.user}"
    await api(TEAM, id=team, of=[api.user, mate.user])
    await mate(JOIN, id=team)
    await api(POST, team=team, v={"state": [f"hot {key}"], key: 1})
    await api(SOP, c=f"All lock {key}.", team=team)
    await api(SKILL, n=f"Dry {key}", p=f"Dry it by {key}.", t=f"Who asks {key}", team=team)
    return Said(api, mate, team, key, pending, handoff)

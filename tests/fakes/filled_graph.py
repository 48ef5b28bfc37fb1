"""A graph that holds something of everything: the diary of the demo, and what people, agents and
jobs do with it."""

import asyncio
from pathlib import Path
from typing import Any

from clients import REMEMBER, Client
from race_world import cypher
from shared_server import OWNERS
from whole_life import AGENT, DECIDE, REVISE, TEAM, VERIFY, Life

from graphmem.cli.demo.diary import load_diary
from graphmem.services.context import Context

DIARY = Path(__file__).parents[2] / "examples" / "diary"
TITLE = "Brindlow & Fox terms"
BOARD = "Lot 3 arrives on 1 April."
AT_DUE = "The deadline of the renovation of the old dairy for the spring kiln fair in the hall is "
RECALL = """query R($q: String!, $d: String) {
  recall(input: {query: $q, filter: {domain: $d}}) { id } }"""
FORGET = 'mutation F($id: ID!) { forget(id: $id, reason: "the lease has ended") { forgotten } }'
PROPOSE = """mutation P($id: ID!) { proposeKnowledge(noteId: $id, team: "old-dairy",
  content: "A kiln that overfires is switched off at the wall.") { id } }"""
REFLECT = "mutation { reflect { id items { id kind } } }"
ACCEPT = "mutation A($id: ID!, $i: [ID!]!) { decideReflection(id: $id, accept: $i) { status } }"
RUN = "mutation R($name: String!) { runJob(name: $name) { id } }"
ENDED = "MATCH (r:JobRun {id: $id}) WHERE r.status <> 'RUNNING' RETURN r.status, r.error"
NOTE = "MATCH (n:Note {user: 'mara'}) WHERE n.title = $title RETURN n.id"
AGE = """MATCH (n:Note {user: 'idris', type: 'FACT'}) WITH n ORDER BY n.id LIMIT 12
SET n.createdAt = datetime($then), n.accessTimes = []"""
LONG_AGO = "2024-01-10T09:00:00Z"
JOBS = ("update_expertise", "sweep_decay", "resolve_duplicates")
ENTITIES = "MATCH (e:Entity {user: 'mara'}) WHERE e.name IN $names RETURN e.id ORDER BY e.id DESC"
MERGE = "mutation M($a: ID!, $b: ID!) { mergeEntities(keep: $a, merge: $b) { id } }"


class Filled:
    """Fills an empty graph by the service alone, but for the age of some notes."""

    def __init__(self, context: Context, http: Any) -> None:
        self.context = context
        self.mara, self.idris = Client(http, "mara"), Client(http, "idris")

    async def fill(self) -> None:
        """The diary, then a team, then what jobs make of both."""
        await load_diary(self.context, DIARY)
        for write in (self.writes, self.works_in_a_team, self.asks, self.lives):
            await write()
        await cypher(self.context, AGE, then=LONG_AGO)
        OWNERS.set(frozenset({"idris", "mara"}))
        for job in JOBS:
            await self.run(job)
        await self.reflects()

    async def note(self, title: str) -> str:
        return (await cypher(self.context, NOTE, title=title))[0][0]

    async def writes(self) -> None:
        """Notes that take each other's place, contradict each other, are long, or are the same."""
        mara = self.mara
        for text in ("I live in Berlin.", "I live in Paris now."):
            await mara.remember(text)
        for day in ("March 15", "March 30"):
            given = {"domain": "work/fair", "kind": "SEMANTIC", "visibility": "OPEN"}
            await mara.remember(f"{AT_DUE}{day}.", **given)
        for text in (BOARD, BOARD.replace(".", "!")):
            await mara.remember(text, domain="work/hardware", mode="VERBATIM")
        rows = [f"Row {i}: we counted the boxes and wrote the number down." for i in range(120)]
        await mara.remember("\n".join(rows), title="Inventory of the store", mode="VERBATIM")
        await mara(REVISE, id=await self.note(TITLE), c="Brindlow & Fox pay within sixty days.")
        await mara(FORGET, id=await self.note("Old Dairy"))
        both = await cypher(self.context, ENTITIES, names=["Bastian", "Bastian Roke"])
        await mara(MERGE, a=both[0][0], b=both[1][0])
        await mara(AGENT, i={"id": "trainee", "writes": "PROPOSE"})
        given = {"content": "The spare relay board is on the top shelf.", "domain": "work/hardware"}
        await mara.as_agent("trainee")(REMEMBER, input=given)

    async def works_in_a_team(self) -> None:
        """A team that gets to know something of one of its members."""
        for person in (self.mara, self.idris):
            await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
        await self.mara(TEAM, id="old-dairy", of=["mara", "idris"])
        note = await self.note("Blue Kiln overfire")
        proposal = (await self.mara(PROPOSE, id=note))["proposeKnowledge"]["id"]
        done = await self.idris.as_agent("lead")(DECIDE, id=proposal)
        await self.idris(VERIFY, id=done["decideProposal"]["knowledge"]["id"])

    async def asks(self) -> None:
        """Recalls, of which one finds nothing."""
        for query in ("What does Brindlow & Fox pay?", "Who makes the boards?"):
            await self.mara(RECALL, q=query)
        await self.mara.as_agent("sales")(RECALL, q="Where is the moon?", d="nowhere/at/all")
        await self.context.log.flush()

    async def lives(self) -> None:
        """One user, and a team mate, who have everything that a user can have."""
        life = Life(Client(self.mara.http, "u-ann"), Client(self.mara.http, "u-bob"), "t-ann")
        await life.lived(self.context)

    async def run(self, job: str) -> None:
        """Run a job to its end, which is looked for in the graph: a job goes slowly while callers
        ask the service. Raises AssertionError when it fails."""
        begun = (await self.mara(RUN, name=job))["runJob"]["id"]
        while True:
            await asyncio.sleep(0.1)
            if ended := await cypher(self.context, ENDED, id=begun):
                assert ended == [["DONE", None]]
                return

    async def reflects(self) -> None:
        """A reflection of which everything is accepted."""
        made = (await self.mara(REFLECT))["reflect"]
        await self.mara(ACCEPT, id=made["id"], i=[each["id"] for each in made["items"]])

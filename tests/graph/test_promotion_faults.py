"""A process that is killed, or whose database is away, at any query of a promotion: the consent, or
what the team knows by it, is there as a whole or not at all."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from mortal_graph import Fault, Killed

from graphmem.domain.actors import AgentRole
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import Kind, NoteDraft
from graphmem.domain.proposals import Decision
from graphmem.domain.visibility import Visibility
from graphmem.errors import GraphmemError
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Context
from graphmem.services.promotion.proposing import propose_knowledge
from graphmem.services.proposals.deciding import ProposalChanges, decide_proposal
from graphmem.services.reading.proposals import list_proposals
from graphmem.services.teams.teams import register_team
from graphmem.services.writing.remember import remember

TEXT = "Our SLA guarantees 99.9% uptime for the enterprise tier."
MANY = 60  # queries, more than a step makes
WORKED = """MATCH (n:Note {id: $note})
CREATE (r:Recall {id: $id, user: $user, agent: 'sales', at: n.createdAt})
CREATE (r)-[:RETURNED {helpful: true}]->(n)
SET n.helpedAt = [n.createdAt]"""
PROPOSALS = """MATCH (p:Proposal {team: $team})-[:ABOUT]->(n:Note)
RETURN p.status AS status, p.version AS version, p.consented AS consented, p.content AS content,
  p.title AS title, p.decidedBy AS decidedBy, n.content AS about,
  COUNT { (p)-[:BECAME]->() } AS became"""
KNOWN = """MATCH (k:Note {user: 't:' + $team})
RETURN labels(k) AS labels, k.content AS content, k.version AS version,
  COUNT { (k)-[:PROMOTED_FROM]->() } AS sources, COUNT { (k)-[:HAD]->() } AS revisions"""
EVENTS = """MATCH (e:Event) WHERE e.stream IN $users
RETURN e.stream = $users[0] AS owners, e.type AS type, e.summary AS summary, e.actor AS actor"""


class Team:
    """An owner with an agent, and another member with an orchestrator."""

    def __init__(self, context: Context, owner: str, other: str) -> None:
        self.context, self.owner, self.other = context, owner, other
        self.id = f"{owner}-team"

    async def fill(self, kind: Kind) -> None:
        """Set up who is there, and the note that the team is to know; a procedure has worked."""
        for user, agent, role in (
            (self.owner, "sales", AgentRole.WORKER),
            (self.other, "lead", AgentRole.ORCHESTRATOR),
        ):
            access = await open_access(self.context, user, None, register=True)
            await register_agent(self.context, access, agent, role=role)
        admin = await open_access(self.context, self.owner, None, admin=True)
        await register_team(self.context, admin, self.id, None, [self.owner, self.other])
        draft = NoteDraft(content=TEXT, domain="sales/sla", visibility=Visibility.SCOPED, kind=kind)
        owner = await open_access(self.context, self.owner, None)
        made = await remember(self.context, owner, draft)
        assert made.note is not None
        self.note = made.note.id
        driver = self.context.graph._driver  # pyright: ignore[reportPrivateUsage]
        await driver.execute_query(
            WORKED, note=self.note, user=self.owner, id=uuid7(self.context.clock())
        )

    async def proposes(self, service: Context) -> None:
        """An agent of the owner proposes the note."""
        access = await open_access(service, self.owner, "sales")
        await propose_knowledge(service, access, self.note)

    async def consents(self, service: Context) -> None:
        """The owner says yes."""
        await self._decides(service, self.owner, None)

    async def commits(self, service: Context) -> None:
        """The orchestrator says yes."""
        await self._decides(service, self.other, "lead")

    async def _decides(self, service: Context, user: str, agent: str | None) -> None:
        access = await open_access(service, user, agent)
        (found,) = await list_proposals(service, access, None, 10)
        await decide_proposal(
            service, access, found.id, Decision.COMMIT, None, ProposalChanges(), keep_both=False
        )

    async def state(self) -> list[Counter[str]]:
        """What the graph holds of the promotion, without ids, times and names."""
        driver = self.context.graph._driver  # pyright: ignore[reportPrivateUsage]
        found = []
        for query in (PROPOSALS, KNOWN, EVENTS):
            answer = await driver.execute_query(query, team=self.id, users=[self.owner, self.other])
            rows = (repr(sorted(row.items())) for row in map(dict, answer.records))
            found.append(Counter(self._nameless(row) for row in rows))
        return found

    def _nameless(self, text: str) -> str:
        return text.replace(self.owner, "owner").replace(self.other, "other")


@pytest.mark.feature("MUMA-64", "MUMA-84")
@pytest.mark.parametrize(
    ("committed", "kills", "kind"),
    [
        (False, False, Kind.SEMANTIC),
        (False, True, Kind.PROCEDURAL),
        (True, False, Kind.PROCEDURAL),
        (True, True, Kind.SEMANTIC),
    ],
)
async def test_a_promotion_that_stops_at_any_query_is_half_nowhere(
    context: Context, new_user: Callable[[], str], *, committed: bool, kills: bool, kind: Kind
) -> None:
    calm, torn = (Team(context, new_user(), new_user()) for _ in range(2))
    for team in (calm, torn):
        await team.fill(kind)
    faults = 0
    for step in ("proposes", "consents", "commits"):
        before = await calm.state()
        assert await torn.state() == before
        await getattr(calm, step)(context)
        after = await calm.state()
        assert after != before
        for at in range(1, MANY):
            fault = Fault(at, committed=committed, kills=kills)
            with suppress(Killed, GraphmemError):
                await getattr(torn, step)(replace(context, graph=fault.of(context.graph)))
            faults += fault.came
            if (found := await torn.state()) == after:
                break
            assert found == before
        assert await torn.state() == after
    assert faults > 3

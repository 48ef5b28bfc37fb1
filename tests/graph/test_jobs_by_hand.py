"""A job that is Cypher, run by hand with a plain driver, does to the graph what its run does."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any, LiteralString, cast

import pytest
from living_notes import Living
from own_batches import keep_batches_to

from graphmem.cli.cypher import browser_text, literal
from graphmem.domain.ids import entity_id, name_key
from graphmem.domain.jobs import RunStatus
from graphmem.domain.notes import EntityDraft, NoteDraft, Tier, WriteMode
from graphmem.resources import folder
from graphmem.services.context import Context
from graphmem.services.jobs import tiers
from graphmem.services.jobs.statements import STATEMENTS, statement_parameters
from graphmem.services.tracking import steps_of
from graphmem.services.writing.remember import remember
from graphmem.store.expertise import index_step, unread_notes
from graphmem.store.queries import Queries
from graphmem.store.resolution import keep_verdicts

QUERIES = Queries(folder("cypher"), folder("jobs"))
PARAMETER = re.compile(r":param (\w+) => (.+);")
BY_HAND = re.compile(r"\bIN TRANSACTIONS\b")
LATER = timedelta(days=45)
GRAPH = """MATCH (n:Note {user: $user})
RETURN n.content AS note, properties(n) AS given, n:Current AS current,
  COLLECT { MATCH (n)-[:HAD]->(r:Revision) RETURN properties(r) ORDER BY r.version } AS revisions,
  COLLECT { MATCH (e:Event {subjectId: n.id}) RETURN properties(e) ORDER BY e.seq } AS events,
  COLLECT { MATCH (n)-[:HAS_PASSAGE]->(p) RETURN properties(p) ORDER BY p.place } AS passages,
  COLLECT {
    MATCH (n)-[l:LINKS_TO]-(m) WITH properties(l) AS link, m.content AS end
    RETURN [end, link] ORDER BY end, link.reason
  } AS links
ORDER BY note, n.createdAt"""
MERGED = """MATCH (e:Entity {user: $user})-[r:ABSORBED|SAME_AS]->(p:Entity)
RETURN e.name AS whole, p.name AS part, type(r) AS type, properties(r) AS given,
  COLLECT { MATCH (e:Event {subjectId: r.id}) RETURN properties(e) ORDER BY e.seq } AS events
ORDER BY whole, part"""
LINKED = """MATCH (e:Event {stream: $user, type: 'LINK'})
RETURN properties(e) AS event ORDER BY e.seq"""
KNOWN = """MATCH (w)-[k:KNOWS_ABOUT]->(t:Topic) WHERE k.audience STARTS WITH 'u:' + $user + '/'
RETURN w.id AS who, t.key AS topic, properties(k) AS given ORDER BY who, topic, k.audience"""
PROPOSED = "MATCH (p:Proposal {user: $user}) RETURN p.content AS content ORDER BY content"
PROPOSE: LiteralString = """UNWIND range(1, 3) AS i
CREATE (:Proposal {id: randomUUID(), user: $user, audience: 'u:' + $user + '/SCOPED/general',
  kind: 'WRITE', content: 'Proposal ' + i, expiresAt: $now + duration({days: i - 2})})"""
PARTS_OF_IDS = {
    "id",
    "subjectId",
    "seq",
    "audienceToken",
}  # differ between two users and two moments


async def graph_of(world: Living) -> list[Any]:
    """All that hangs on the notes and entities of a user, without what differs between users."""
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if k not in PARTS_OF_IDS}
        if isinstance(value, list):
            return [plain(each) for each in value]
        return value.replace(world.user, "me") if isinstance(value, str) else value

    asked = (GRAPH, MERGED, LINKED, PROPOSED, KNOWN)
    found = [await driver.execute_query(query, user=world.user) for query in asked]
    return [plain(dict(row)) for each in found for row in each.records]


async def by_hand(world: Living, job: str) -> list[Any]:
    """Run what `graphmem jobs show` prints for a moment, statement by statement, with no part of
    the service, but only on the notes of this user: other tests have notes, too."""
    return [
        await one_by_hand(world, job, given)
        for given in statement_parameters(job, world.numbers, world.now)
    ]


async def one_by_hand(world: Living, job: str, given: dict[str, object]) -> Any:
    values = {name: literal(value) for name, value in (given | {"owners": [world.user]}).items()}
    printed = browser_text(QUERIES.text(f"job:{job}"), values)
    lines, statement = printed.split(":auto ")
    driver = world.context.graph._driver  # pyright: ignore[reportPrivateUsage]
    async with driver.session() as session:
        parameters: dict[str, Any] = {}
        for name, value in PARAMETER.findall(lines):
            asked = cast("LiteralString", f"CYPHER 25 RETURN {value} AS value")
            [told] = await (await session.run(asked)).data()
            parameters[name] = told["value"]
        result = await session.run(cast("LiteralString", statement), parameters)
        [row] = await result.data()
        return row


async def filled(context: Context, user: str) -> Living:
    world = Living.tiered(context, user)
    await world.fill()
    await world.notes([{"tier": Tier.SHORT_TERM, "content": f"Shelf {i}."} for i in range(3)])
    for i in range(13):
        await world.note(content=f"Firing {i} went well.", tags=("cone", "kiln", "log"), hours=i)
    _, unread = await unread_notes(context.graph, "", 100_000)
    mine = [note for note in unread if note.audience.startswith(f"u:{user}/")]
    await context.graph.write(index_step(mine))
    await hold_as_one(world, ("Ada Kessler", "Ada K."), ("Halden", "Old Halden"))
    world.now += LATER
    driver = context.graph._driver  # pyright: ignore[reportPrivateUsage]
    await driver.execute_query(PROPOSE, user=user, now=world.now)
    often = await world.note(tier=Tier.LONG_TERM, content="The oven door sticks.")
    await context.graph.write(*steps_of([world.recalled(often) for _ in range(3)]))
    return world


async def hold_as_one(world: Living, *pairs: tuple[str, str]) -> None:
    """A note names entities of which rules hold each pair to be one."""
    names = tuple(EntityDraft(name=name) for pair in pairs for name in pair)
    draft = NoteDraft(content="They met at the gate.", entities=names)
    made = await remember(world.service, await world.access(), draft, WriteMode.VERBATIM)
    assert made.note is not None
    rows = [
        (entity_id(world.user, name_key(whole)), entity_id(world.user, name_key(part)), 0.95)
        for whole, part in pairs
    ]
    audience = made.note.audience.key
    await keep_verdicts(world.context.graph, world.user, audience, rows, world.now)


def test_each_job_that_is_cypher_can_be_shown() -> None:
    in_transactions = {
        name.removeprefix("job:")
        for name in QUERIES.names
        if name.startswith("job:") and BY_HAND.search(QUERIES.text(name))
    }
    assert in_transactions == STATEMENTS.keys()


@pytest.mark.feature("MUMA-66", "TIER-11", "DAEM-9", "L3-12", "MUMA-57")
@pytest.mark.parametrize("job", sorted(STATEMENTS))
async def test_by_hand_it_does_what_its_run_does(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    run, hand = await filled(context, new_user()), await filled(context, new_user())
    before = await graph_of(run)
    assert before == await graph_of(hand)
    keep_batches_to(monkeypatch, lambda: [run.user])
    monkeypatch.setattr(tiers, "_is_on", lambda *_: False)  # what is not Cypher
    ended = await run.go_on(await run.begin(job), job)
    assert ended.status is RunStatus.DONE
    rows = await by_hand(hand, job)
    after = await graph_of(run)
    assert after != before
    assert await graph_of(hand) == after
    assert [row["failed"] for row in rows] == [[]] * len(rows)
    again = await by_hand(hand, job)
    assert [row["changed"] for row in again] == [[[]]] * len(rows)
    assert await graph_of(hand) == after

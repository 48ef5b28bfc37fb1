"""The `KNOWS_ABOUT` edges: who knows about what, an edge for each audience, equal to the posterior
of what the notes of that audience show, and never there for readers who lost a note."""

import asyncio
from collections import defaultdict
from typing import Any

import pytest

from graphmem.domain.expertise import Evidence, confidence, decayed_counts
from graphmem.domain.jobs import RunStatus
from graphmem.language.topic_keys import topic_key
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.store.expertise import read_evidence

MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { message } } } }"""
ASK = "query Q($q: String!) { recall(input: {query: $q}) { id hits { note { id } } } }"
GIVE = """mutation F($id: ID!, $used: [ID!]!, $ok: Boolean!) {
  feedback(recallId: $id, used: $used, helpful: $ok) }"""
SHOW = """mutation S($id: ID!, $to: Visibility!) { setVisibility(id: $id, visibility: $to) {
  updatedCount } }"""
FORGET = "mutation F($id: ID!, $p: Boolean!) { forget(id: $id, permanent: $p) { forgotten } }"
SKILL = """mutation S($team: ID!) { addSkill(team: $team, name: "Grind quartz", tags: ["quartz"],
  procedure: "Wet it, then grind it.") { id } }"""
TEAM = "mutation T($id: ID!, $of: [ID!]!) { registerTeam(id: $id, members: $of) { id } }"
EDGES = """MATCH (w)-[k:KNOWS_ABOUT]->(t:Topic) WHERE k.audience STARTS WITH $prefix
RETURN [label IN labels(w) WHERE label <> 'System'][0] AS kind, w.id AS who, t.key AS topic,
  k.audience AS audience, properties(k) AS edge"""
NOTES = "MATCH (n:Note {user: $user}) RETURN n.id AS id, n.audience AS audience"
Edges = dict[tuple[str, str, str, str], dict[str, Any]]


async def edges(context: Context, prefix: str) -> Edges:
    """The edges by kind and id of who knows, topic and audience."""
    rows = await context.graph._driver.execute_query(EDGES, prefix=prefix)  # pyright: ignore[reportPrivateUsage]
    return {(r["kind"], r["who"], r["topic"], r["audience"]): r["edge"] for r in rows.records}


async def shown(context: Context, user: str) -> dict[tuple[str, str, str, str], list[Evidence]]:
    """The evidence in the notes of a user, worked out in Python, by the same keys."""
    rows = await context.graph._driver.execute_query(NOTES, user=user)  # pyright: ignore[reportPrivateUsage]
    audiences = sorted({row["audience"] for row in rows.records})
    ids = [row["id"] for row in rows.records]
    found: dict[tuple[str, str, str, str], list[Evidence]] = defaultdict(list)
    for each in await read_evidence(context.graph, ids, audiences, context.clock()):
        who = ("User", each.user) if each.author is None else ("Agent", each.author)
        for name in each.topics:
            found[(*who, topic_key(name), each.audience)].append(each)
    return found


async def write(client: Any, *contents: str, **given: Any) -> list[str]:
    notes = [{"content": content, **given} for content in contents]
    results = (await client(MANY, notes=notes))["rememberMany"]["results"]
    return [result["note"]["id"] for result in results]


async def run(context: Context) -> dict[str, int]:
    done = await run_job(context, "update_expertise")
    assert done.status is RunStatus.DONE
    return dict(done.counts)


async def fill(api: Any) -> tuple[list[str], list[str]]:
    """Notes of an agent and of the user in person for different readers, used and judged."""
    coding = api.as_agent("coding")
    texts = [f"Step {i} of the kiln firing takes {i} hours." for i in range(1, 6)]
    own = await write(coding, *texts, tags=["kiln", "quartz"])
    await write(coding, "The kiln door sticks.", tags=["kiln"], visibility="PRIVATE")
    hers = await write(api, "Quartz comes on Mondays.", tags=["quartz"], domain="work/stock")
    await write(api, "The kiln is sold in May.", tags=["kiln"], visibility="USER_ONLY")
    for ok in (True, True, False):
        asked = (await coding(ASK, q="kiln firing hours"))["recall"]
        used = [hit["note"]["id"] for hit in asked["hits"] if hit["note"]["id"] in own][:2]
        assert used
        await coding(GIVE, id=asked["id"], used=used, ok=ok)
    return own, hers


@pytest.mark.feature("MUMA-57", "MUMA-54")
async def test_an_edge_holds_the_posterior_of_its_audience(api: Any, context: Context) -> None:
    await fill(api)
    await context.log.flush()
    counts = await run(context)
    found, expected = await edges(context, f"u:{api.user}/"), await shown(context, api.user)
    assert set(found) == set(expected)
    assert counts["edges"] >= len(found) > 8
    assert {("Agent", "coding"), ("User", api.user)} == {key[:2] for key in found}
    readers = {key[3] for key in found if key[:3] == ("Agent", "coding", "kiln")}
    assert len(readers) == 2  # what only the agent reads stands in no edge of others
    judged = 0
    for key, edge in found.items():
        notes = expected[key]
        # The edge says when it was drawn; the posterior is that of then.
        at = edge["at"].to_native()
        sure = confidence(*decayed_counts(notes, at))
        assert edge["confidence"] == pytest.approx(sure, abs=1e-9)
        assert edge["alpha"] / (edge["alpha"] + edge["beta"]) == pytest.approx(sure, abs=1e-9)
        assert edge["notes"] == len(notes)
        assert edge["successes"] == sum(len(each.helped) for each in notes)
        assert edge["failures"] == sum(len(each.failed) for each in notes)
        times = sorted(each.written for each in notes)
        drawn = edge["firstAt"].to_native(), edge["lastAt"].to_native()
        for one, other in zip(drawn, (times[0], times[-1]), strict=True):
            assert abs((one - other).total_seconds()) < 0.002
        judged += edge["successes"] + edge["failures"]
    assert judged > 0


async def test_a_second_run_draws_nothing(api: Any, context: Context) -> None:
    await fill(api)
    await context.log.flush()
    await run(context)
    before = await edges(context, f"u:{api.user}/")
    await run(context)
    assert await edges(context, f"u:{api.user}/") == before  # not even the time at which


@pytest.mark.parametrize("permanent", [True, False])
async def test_what_is_gone_counts_no_more(api: Any, context: Context, permanent: bool) -> None:
    own, _ = await fill(api)
    await run(context)
    wide = f"u:{api.user}/SCOPED/general"
    assert ("Agent", "coding", "quartz", wide) in await edges(context, wide)
    for note in own:
        await api(FORGET, id=note, p=permanent)
    found = await edges(context, wide)
    assert (("Agent", "coding", "quartz", wide) in found) is not permanent
    await run(context)
    assert ("Agent", "coding", "quartz", wide) not in await edges(context, wide)


async def test_a_narrowed_note_leaves_the_wide_edge_at_once(api: Any, context: Context) -> None:
    own, _ = await fill(api)
    await run(context)
    wide = f"u:{api.user}/SCOPED/general"
    before = (await edges(context, wide))["Agent", "coding", "kiln", wide]
    await api(SHOW, id=own[0], to="USER_ONLY")
    assert ("Agent", "coding", "kiln", wide) not in await edges(context, wide)
    await run(context)
    found = await edges(context, f"u:{api.user}/")
    assert found["Agent", "coding", "kiln", wide]["notes"] == before["notes"] - 1
    assert set(found) == set(await shown(context, api.user))


AGAIN = """MATCH (a:Audience {key: $key}) SET a.knownAt = null
WITH a MATCH ()-[k:KNOWS_ABOUT {audience: a.key}]->() DELETE k"""
LEAVE = "MATCH (a:Audience {key: $key}) SET a.departures = coalesce(a.departures, 0) + 1"
WAITING = """SHOW TRANSACTIONS YIELD status, currentQuery
WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'KNOWS_ABOUT'
RETURN count(*) AS many"""


async def test_nothing_is_drawn_of_what_was_read_before_a_note_left(
    api: Any, context: Context
) -> None:
    await fill(api)
    await run(context)
    wide, driver = f"u:{api.user}/SCOPED/general", context.graph._driver  # pyright: ignore[reportPrivateUsage]
    before = set(await edges(context, wide))
    await driver.execute_query(AGAIN, key=wide)
    async with driver.session() as session, await session.begin_transaction() as leaving:
        await (await leaving.run(LEAVE, key=wide)).consume()
        drawing = asyncio.create_task(run(context))
        while not (await driver.execute_query(WAITING)).records[0]["many"]:
            assert not drawing.done()
            await asyncio.sleep(0.02)
        await leaving.commit()
    await drawing
    assert await edges(context, wide) == {}
    await run(context)
    assert set(await edges(context, wide)) == before


@pytest.mark.feature("MUMA-81")
async def test_a_teams_skill_is_what_the_team_knows(
    api: Any, context: Context, new_user: Any
) -> None:
    team = new_user()
    await api(TEAM, id=team, of=[api.user])
    await api(SKILL, team=team)
    await run(context)
    found = await edges(context, f"t:{team}/")
    assert ("Team", team, "quartz") in {key[:3] for key in found}

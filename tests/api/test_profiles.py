"""The ranking profiles over GraphQL: each document's formula told by `why`, and who is asked."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from graphmem.app import create_app
from graphmem.domain.actors import AgentRole
from graphmem.domain.profiles.parameters import (
    ActR,
    QueryExpansion,
    Ranking,
    RelatedMemories,
    TemporalDecay,
)
from graphmem.services.tracking import RecallLog

MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { message } } } }"""
EXPLAINED = """query Q($input: RecallInput!) { recall(input: $input) { id strategy confidence hits {
  rank score note { id content activation retention relevance tier accessCount lastAccessedAt }
  via { relationship noteId }
  why { similarity keyword graph activation relevance recency domainBoost tierWeight relatedBoost
    noise parts { name value } } } } }"""
LINK = """mutation L($a: ID!, $b: ID!, $kind: String!) {
  link(source: $a, target: $b, kind: $kind) { id } }"""
NOTE = """query N($id: ID!) { note(id: $id) { accessCount lastAccessedAt activation } }"""
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
FORMULAS = ("ACTIVATION", "ACT_R", "RELEVANCE", "RECENCY", "TIERED")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
KILN = "The kiln in the hall needs a new relay."


class Clock:
    """Stands still unless it is told to move."""

    now = START

    def __call__(self) -> datetime:
        return self.now

    def move(self, hours: float) -> None:
        self.now += timedelta(hours=hours)


class Place:
    """A client of a service with its own clock and numbers."""

    def __init__(self, api: Any, clock: Clock, log: RecallLog) -> None:
        self.api, self.clock, self.log = api, clock, log

    async def ask(self, query: str, profile: str, *, agent: str | None = None, **given: Any) -> Any:
        """The hits of a recall."""
        client = self.api.as_agent(agent) if agent else self.api
        asked = {"query": query, "profile": profile, "explain": True, "track": False, **given}
        return (await client(EXPLAINED, input=asked))["recall"]["hits"]

    async def many(self, *contents: str, **given: Any) -> list[str]:
        """The ids of new notes, stored as said."""
        notes = [{"content": content, **given} for content in contents]
        results = (await self.api(MANY, notes=notes))["rememberMany"]["results"]
        assert not any(result["error"] for result in results)
        return [result["note"]["id"] for result in results]


@pytest.fixture
async def place(context: Any, settings: Any, api: Any) -> AsyncIterator[Callable[..., Any]]:
    """Opens services with other numbers, and an embedder if one is given, for the same user."""
    async with AsyncExitStack() as stack:
        clock = Clock()

        async def open_place(embedder: Any = None, **numbers: Any) -> Place:
            log = RecallLog(context.graph)
            opened = replace(
                context,
                clock=clock,
                log=log,
                ranking=Ranking(**numbers),
                embedder=embedder or context.embedder,
            )
            transport = httpx.ASGITransport(app=create_app(settings, opened=opened))
            client = httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8321", timeout=60
            )
            http = await stack.enter_async_context(client)
            return Place(replace(api, http=http), clock, log)

        yield open_place


@pytest.fixture
async def kiln(place: Any) -> Place:
    """A memory of three days."""
    opened = await place()
    await opened.many(KILN, "The relay was ordered by Ada.", domain="business/coding")
    opened.clock.move(30)
    await opened.many("Ada likes the colour of the kiln.", domain="personal/preferences")
    await opened.many("The team met in Leeds.", kind="EPISODIC", validity="INFERRED")
    opened.clock.move(42)
    return opened


def ids(hits: Any) -> list[str]:
    return [hit["note"]["id"] for hit in hits]


def texts(hits: Any) -> list[str]:
    return [hit["note"]["content"] for hit in hits]


@pytest.mark.parametrize("profile", [*FORMULAS, "BALANCED", "SIMILARITY"])
async def test_the_parts_of_every_score_add_up_to_it(kiln: Place, profile: str) -> None:
    hits = await kiln.ask("Which relay does the kiln need?", profile, randomSeed=1)
    assert hits
    assert [hit["score"] for hit in hits] == sorted((h["score"] for h in hits), reverse=True)
    for hit in hits:
        parts = hit["why"]["parts"]
        assert sum(part["value"] for part in parts) == pytest.approx(hit["score"], abs=1e-9)
        assert {part["name"] for part in parts} <= {
            k for k, v in hit["why"].items() if v is not None
        }
        assert hit["via"][0]["relationship"] in ("MATCHES", "NAMES")


@pytest.mark.feature("MUMA-27", "MUMA-10")
async def test_activation_is_the_documents_formula(kiln: Place) -> None:
    await kiln.api(AGENT, input={"id": "coding", "domains": ["business/coding"]})
    for agent in (None, "coding"):
        hits = await kiln.ask("Which relay does the kiln need?", "ACTIVATION", agent=agent)
        assert len(hits) == (4 if agent is None else 2)
        for hit in hits:
            why, note = hit["why"], hit["note"]
            assert why["activation"] == pytest.approx(note["activation"], abs=1e-9)
            assert why["recency"] == pytest.approx(note["retention"], abs=1e-9)
            level, near = why["activation"], why["similarity"]
            weighted = level * near if level >= 0 else level * (1 - near)
            expected = weighted + why["recency"] + why["domainBoost"]
            assert hit["score"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.feature("MUMA-7", "MUMA-8")
async def test_act_r_is_the_documents_formula(kiln: Place) -> None:
    hits = await kiln.ask("Which relay does the kiln need?", "ACT_R", randomSeed=5)
    assert hits
    for hit in hits:
        why = hit["why"]
        assert why["activation"] == pytest.approx(hit["note"]["activation"], abs=1e-9)
        expected = why["activation"] + 11 * why["similarity"] + why["noise"]
        assert hit["score"] == pytest.approx(expected, abs=1e-6)
        assert hit["score"] > 0


@pytest.mark.feature("MUMA-8")
async def test_a_seed_holds_the_order_and_no_seed_does_not(place: Any) -> None:
    opened = await place()
    await opened.many(*(f"Kiln report {i}." for i in range(30)))
    seeded = [await opened.ask("kiln report", "ACT_R", k=30, randomSeed=9) for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert ids(await opened.ask("kiln report", "ACT_R", k=30, randomSeed=10)) != ids(seeded[0])
    free = [await opened.ask("kiln report", "ACT_R", k=30) for _ in range(3)]
    assert len({tuple(ids(hits)) for hits in free}) == 3
    # A note's noise does not hang on which other notes there are.
    before = {hit["note"]["id"]: hit["why"]["noise"] for hit in seeded[0]}
    await opened.many("Kiln report of today.")
    after = await opened.ask("kiln report", "ACT_R", k=31, randomSeed=9)
    assert [hit["why"]["noise"] for hit in after if hit["note"]["id"] in before] == [
        before[i] for i in ids(after) if i in before
    ]


@pytest.mark.feature("MUMA-9")
async def test_only_the_role_with_a_threshold_gets_fewer(place: Any) -> None:
    opened = await place(act_r=ActR(sigma=0, threshold={AgentRole.WORKER: 5.0}))
    for name, role in (("hand", "WORKER"), ("main", "ASSISTANT"), ("head", "ORCHESTRATOR")):
        await opened.api(AGENT, input={"id": name, "role": role})
    await opened.many(KILN, "Nothing about that at all.", visibility="OPEN")
    opened.clock.move(1)  # B = ln 1 = 0
    found = {
        agent: await opened.ask(KILN, "ACT_R", agent=agent)
        for agent in (None, "hand", "main", "head")
    }
    assert {agent: len(hits) for agent, hits in found.items()} == {
        None: 2,
        "hand": 1,
        "main": 2,
        "head": 2,
    }
    assert texts(found["hand"]) == [KILN]
    assert found["hand"][0]["score"] == pytest.approx(11, abs=1e-6)
    assert len(await opened.ask(KILN, "SIMILARITY", agent="hand")) == 2


@pytest.mark.feature("MUMA-28")
async def test_the_domain_of_an_agent_comes_first_and_others_are_there(place: Any) -> None:
    opened = await place()
    await opened.api(AGENT, input={"id": "coding", "domains": ["business/coding"]})
    liked = "Ada prefers short reviews of the kiln code."
    await opened.many(liked, domain="personal/preferences", visibility="OPEN")
    await opened.many("The kiln code lies in the attic.", domain="business/coding/kiln")
    opened.clock.move(2)
    question = "Which reviews of the kiln code are preferred?"
    person = await opened.ask(question, "ACTIVATION")
    assert texts(person)[0] == liked
    assert {hit["why"]["domainBoost"] for hit in person} == {0.0}
    coding = await opened.ask(question, "ACTIVATION", agent="coding")
    assert texts(coding)[1] == liked
    assert [hit["why"]["domainBoost"] for hit in coding] == [1.0, 0.0]


@pytest.mark.feature("MUMA-29")
async def test_activation_follows_the_links_that_may_be_read(place: Any) -> None:
    opened = await place()
    await opened.api(AGENT, input={"id": "coding", "domains": ["*"]})
    await opened.api(AGENT, input={"id": "main", "domains": ["*"], "canSeePrivate": True})
    noise = [f"Kiln relay report {i}." for i in range(70)]
    first, *_ = await opened.many("Kiln relay report.", *noise)
    linked = "My grandmother waters every fern at dawn."
    [hidden] = await opened.many(linked, visibility="PRIVATE")
    [beyond] = await opened.many("Ferns dislike cold windows.", visibility="OPEN")
    for one, other in ((first, hidden), (hidden, beyond)):
        await opened.api(LINK, a=one, b=other, kind="supports")

    async def found(agent: str | None, **given: Any) -> dict[str, Any]:
        hits = await opened.ask("Kiln relay report.", "ACTIVATION", agent=agent, k=100, **given)
        return {hit["note"]["id"]: hit for hit in hits}

    assert hidden not in await found("coding")
    hit = (await found("main"))[hidden]
    assert [(step["relationship"], step["noteId"]) for step in hit["via"]] == [
        ("MATCHES", first),
        ("supports", hidden),
    ]
    expected = hit["why"]["activation"] * hit["why"]["similarity"] + hit["why"]["recency"] + 1
    assert hit["score"] == pytest.approx(expected, abs=1e-6)
    assert hidden not in await found("main", hops=0)
    assert hidden not in await found("main", filter={"kinds": ["EPISODIC", "SEMANTIC"]})
    assert beyond not in await found("main", hops=3)


@pytest.mark.feature("MOLT-62")
async def test_relevance_finds_codes_and_multiplies(kiln: Place) -> None:
    await kiln.many("The oven stops with ERR_4711 on Mondays.")
    hits = await kiln.ask("ERR_4711", "RELEVANCE")
    assert texts(hits)[0] == "The oven stops with ERR_4711 on Mondays."
    hits += await kiln.ask("Which relay does the kiln need?", "RELEVANCE")
    for hit in hits:
        why = hit["why"]
        search = 0.7 * min(max(why["similarity"], 0), 1) + 0.3 * why["keyword"]
        assert 0 <= why["keyword"] <= 1
        assert why["relevance"] == pytest.approx(min(1, hit["note"]["relevance"]), abs=1e-9)
        assert hit["score"] == pytest.approx(search * why["relevance"], abs=1e-6)


@pytest.mark.feature("MOLT-63")
async def test_relevance_gives_20_and_none_of_a_low_search_score(place: Any) -> None:
    opened = await place()
    await opened.many(*(f"Kiln relay {i}." for i in range(30)), "Ferns dislike cold windows.")
    hits = await opened.ask("kiln relay", "RELEVANCE", k=50)
    assert len(hits) == 20
    few = await place(max_search_results=7, min_search_score=0.0)
    assert len(await few.ask("kiln relay", "RELEVANCE", k=50)) == 7
    assert len(await few.ask("kiln relay", "RELEVANCE", k=3)) == 3
    for hit in await opened.ask("cold ferns", "RELEVANCE", k=50):
        why = hit["why"]
        assert 0.7 * max(why["similarity"], 0) + 0.3 * why["keyword"] >= 0.3
    assert len(await few.ask("cold ferns", "RELEVANCE", k=50)) == 7


@pytest.mark.feature("L3-6", "L3-T10", "L3-T13", "L3-T6")
async def test_recency_is_the_documents_formula(place: Any) -> None:
    opened = await place()
    old, new = "The kiln was new.", "The kiln is old."
    agent = {"source": "EXPERIENCE", "validity": "INFERRED"}
    await opened.many(old, **agent)
    opened.clock.move(168)
    await opened.many(new, **agent)
    hits = await opened.ask("kiln", "RECENCY")
    recent = {hit["note"]["content"]: hit["why"]["recency"] for hit in hits}
    assert recent == {old: pytest.approx(0.5, abs=1e-6), new: 1.0}
    for hit in hits:
        why = hit["why"]
        expected = 0.85 * why["similarity"] + 0.15 * why["recency"]
        assert hit["score"] == pytest.approx(expected, abs=1e-6)
        assert why["relatedBoost"] is None
    off = await place(temporal_decay=TemporalDecay(enabled=False))
    for hit in await off.ask("kiln", "RECENCY"):
        assert hit["score"] == hit["why"]["similarity"]


@pytest.mark.feature("L3-T7", "L3-T8", "L3-T9")
@pytest.mark.parametrize(
    "given", [{"loadBearing": True}, {"validity": "ASSERTED"}, {"validity": "CONFIRMED"}]
)
async def test_what_is_exempt_stays_recent(place: Any, given: dict[str, Any]) -> None:
    opened = await place()
    await opened.many("The kiln was new.", **{"validity": "INFERRED", **given})
    before = await opened.ask("kiln", "RECENCY")
    opened.clock.move(2 * 8760)
    after = await opened.ask("kiln", "RECENCY")
    assert after[0]["score"] == before[0]["score"]
    assert after[0]["why"]["recency"] == 1.0


class Clusters:
    """Gives each wording the vector of a text of its own, and tells what was asked."""

    def __init__(self, inner: Any, asked: dict[str, str]) -> None:
        self.inner, self.asked, self.seen = inner, asked, list[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def embed_query(self, text: str) -> list[float]:
        self.seen.append(text)
        return await self.inner.embed_query(self.asked.get(text, text))


@pytest.mark.feature("L3-3", "L3-T1", "L3-T2", "L3-T4", "L3-T5")
async def test_three_searches_of_eight_make_one_pool(place: Any, context: Any) -> None:
    message = "How do I rotate the API key?"
    full = [message, "rotate api key", "codegen: rotate api key"]
    topics = ("kiln", "fern", "boat")
    embedder = Clusters(context.embedder, dict(zip(full, topics, strict=True)))
    opened = await place(embedder)
    given = {"domain": "codegen", "validity": "INFERRED"}
    for topic in topics:
        await opened.many(*(f"{topic} {topic} {i}" for i in range(12)), **given)
    asked = {"filter": {"domain": "codegen"}, "k": 100}
    hits = await opened.ask(message, "RECENCY", **asked)
    assert embedder.seen == full
    counts = {topic: sum(topic in text for text in texts(hits)) for topic in topics}
    assert counts == {"kiln": 8, "fern": 8, "boat": 8}
    assert len(set(ids(hits))) == 24
    for hit in hits:  # the similarity is that of the wording which it is nearest to
        topic = hit["note"]["content"].split()[0]
        both = [
            await context.embedder.embed_query(text) for text in (topic, hit["note"]["content"])
        ]
        cosine = sum(one * other for one, other in zip(*both, strict=True))
        assert hit["why"]["similarity"] == pytest.approx(cosine, abs=1e-5)
    scanned = await opened.ask(message, "RECENCY", k=100, filter={"domain": "codegen", "text": "1"})
    assert all("1" in text for text in texts(scanned))
    assert len(scanned) == 9  # 1, 10 and 11 of each topic
    alone = await place(embedder, query_expansion=QueryExpansion(enabled=False))
    embedder.seen.clear()
    assert len(await alone.ask(message, "RECENCY", **asked)) == 8
    assert embedder.seen == full[:1]


@pytest.mark.feature("L3-5", "L3-T4")
async def test_the_domain_is_classified_before_the_search(place: Any, context: Any) -> None:
    embedder = Clusters(context.embedder, {})
    opened = await place(embedder)
    await opened.ask("Which unit test fails after the refactoring?", "RECENCY")
    assert embedder.seen[2].startswith("business/coding: unit test")
    embedder.seen.clear()
    await opened.ask("Which ferns grow?", "RECENCY")
    assert embedder.seen[1:] == ["ferns grow", "general: ferns grow"]


@pytest.mark.feature("L3-13", "L3-T20")
async def test_a_related_note_below_the_cut_gets_in(place: Any) -> None:
    opened = await place()
    contents = ["kiln relay hall", "kiln relay hall two", "kiln relay lamp bench hall door"]
    await opened.many(*contents, validity="INFERRED")
    plain = await opened.ask("kiln relay hall", "RECENCY", k=3)
    assert texts(plain) == contents
    gap = plain[1]["score"] - plain[2]["score"]
    boost = gap + 0.01
    near = await place(related_memories=RelatedMemories(related_boost=boost))
    below = ids(plain)[2]
    await opened.api(LINK, a=below, b=ids(plain)[0], kind="supports")
    assert ids(await near.ask("kiln relay hall", "RECENCY", k=2)) == ids(plain)[:2]
    for other in ids(plain)[:2]:  # two of the best: one boost
        await opened.api(LINK, a=other, b=below, kind="related")
    hits = await near.ask("kiln relay hall", "RECENCY", k=2)
    assert ids(hits) == [ids(plain)[0], below]
    assert hits[1]["why"]["relatedBoost"] == pytest.approx(boost, abs=1e-9)
    assert hits[1]["score"] - plain[2]["score"] == pytest.approx(boost, abs=1e-9)
    usual = await opened.ask("kiln relay hall", "RECENCY", k=2)
    assert (below in ids(usual)) == (gap < 0.08)
    off = await place(related_memories=RelatedMemories(enabled=False, related_boost=boost))
    assert ids(await off.ask("kiln relay hall", "RECENCY", k=2)) == ids(plain)[:2]


@pytest.mark.feature("TIER-16", "TIER-7")
async def test_tiers_weigh_and_the_last_is_for_deep_reads(place: Any, context: Any) -> None:
    opened = await place()
    tiers = {"FOUNDATIONAL": 1.2, "DAILY": 1.5, "SHORT_TERM": 1.0, "LONG_TERM": 0.5}
    made = await opened.many(*(f"kiln report {i}" for i in range(4)))
    rows = [{"id": i, "tier": tier} for i, tier in zip(made, tiers, strict=True)]
    await context.graph._driver.execute_query(
        "UNWIND $rows AS row MATCH (n:Note {id: row.id}) SET n.tier = row.tier", rows=rows
    )
    for deep, expected in ((True, set(tiers)), (False, set(tiers) - {"LONG_TERM"})):
        hits = await opened.ask("kiln report", "TIERED", deep=deep)
        assert {hit["note"]["tier"] for hit in hits} == expected
        for hit in hits:
            why = hit["why"]
            assert why["tierWeight"] == tiers[hit["note"]["tier"]]
            assert hit["score"] == pytest.approx(why["similarity"] * why["tierWeight"], abs=1e-6)
    # Beyond the candidates of the search, what is foundational takes part.
    await opened.many(*(f"Ferns dislike cold windows {i}." for i in range(70)))
    far = await opened.ask("Ferns dislike cold windows.", "TIERED", k=100)
    assert made[0] in ids(far)
    assert made[2] not in ids(far)
    only = await opened.ask("kiln", "TIERED", filter={"tiers": ["SHORT_TERM"]})
    assert ids(only) == [made[2]]


@pytest.mark.feature("L3-T11", "L3-T12", "L3-8")
async def test_each_injection_counts_at_its_time(place: Any) -> None:
    opened = await place()
    [note] = await opened.many(KILN, validity="INFERRED")
    for _ in range(3):
        opened.clock.move(24)
        await opened.ask("kiln relay", "RECENCY", track=True)
    await opened.log.flush()
    found = (await opened.api(NOTE, id=note))["note"]
    assert found["accessCount"] == 3
    assert datetime.fromisoformat(found["lastAccessedAt"]) == opened.clock.now
    opened.clock.move(168)
    [hit] = await opened.ask("kiln relay", "RECENCY")
    assert hit["why"]["recency"] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.feature("MUMA-3")
async def test_the_newest_20_accesses_are_kept(place: Any, context: Any) -> None:
    opened = await place()
    [note] = await opened.many(KILN)
    for _ in range(25):
        opened.clock.move(1)
        await opened.ask("kiln relay", "SIMILARITY", track=True)
    await opened.log.flush()
    assert (await opened.api(NOTE, id=note))["note"]["accessCount"] == 25
    answer = await context.graph._driver.execute_query(
        "MATCH (n:Note {id: $id}) RETURN size(n.accessTimes) AS kept", id=note
    )
    assert answer.records[0]["kept"] == 20


@pytest.mark.parametrize("profile", FORMULAS)
async def test_the_lowest_score_k_and_filters_hold(kiln: Place, profile: str) -> None:
    question = "kiln relay Ada"
    every = await kiln.ask(question, profile, randomSeed=1, k=10)
    assert len(every) > 1
    lowest = (every[0]["score"] + every[1]["score"]) / 2
    assert ids(await kiln.ask(question, profile, randomSeed=1, minScore=lowest)) == ids(every)[:1]
    assert ids(await kiln.ask(question, profile, randomSeed=1, k=1)) == ids(every)[:1]
    for given in ({"domain": "business"}, {"text": "relay"}, {"kinds": ["EPISODIC"]}):
        hits = await kiln.ask(question, profile, randomSeed=1, filter=given)
        listed = await kiln.api(
            "query L($f: NoteFilter) { notes(filter: $f) { nodes { id } } }", f=given
        )
        assert set(ids(hits)) <= {node["id"] for node in listed["notes"]["nodes"]}
    assert await kiln.ask(question, profile, scope="LOCAL") == []
    assert await kiln.ask(question, profile, filter={"domain": "elsewhere"}) == []


@pytest.mark.feature("MUMA-26")
@pytest.mark.parametrize("profile", FORMULAS)
async def test_better_notes_that_are_hidden_take_no_place(place: Any, profile: str) -> None:
    opened = await place(min_search_score=0.0, act_r=ActR(threshold={AgentRole.WORKER: -100}))
    await opened.api(AGENT, input={"id": "coding", "domains": ["business/coding"]})
    hidden = [f"Kiln relay {i}." for i in range(200)]
    await opened.many(*hidden, visibility="PRIVATE")
    seen = await opened.many(*(f"Report {i} of a relay." for i in range(10)), visibility="OPEN")
    hits = await opened.ask("Kiln relay", profile, agent="coding", k=8)
    assert len(hits) == 8
    assert set(ids(hits)) <= set(seen)

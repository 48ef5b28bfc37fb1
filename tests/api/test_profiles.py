"""The ranking profiles over GraphQL: each document's formula told by `why`, and who is asked."""

from typing import Any

import pytest

from graphmem.domain.actors import AgentRole
from graphmem.domain.profiles.parameters import ActR
from graphmem.domain.reranking import LIKENESS, load_curves
from graphmem.store import recall

LINK = """mutation L($a: ID!, $b: ID!, $kind: String!) {
  link(source: $a, target: $b, kind: $kind) { id } }"""
NOTE = """query N($id: ID!) { note(id: $id) { accessCount lastAccessedAt activation } }"""
SET_VISIBILITY = """mutation V($id: ID!, $v: Visibility!) {
  setVisibility(id: $id, visibility: $v) { updatedCount } }"""
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
FORMULAS = ("ACTIVATION", "ACT_R", "RELEVANCE", "RECENCY", "TIERED")
KILN = "The kiln in the hall needs a new relay."


@pytest.fixture
async def kiln(place: Any) -> Any:
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
async def test_the_parts_of_every_score_add_up_to_it(kiln: Any, profile: str) -> None:
    hits = await kiln.ask("Which relay does the kiln need?", profile, randomSeed=1)
    assert hits
    assert [hit["score"] for hit in hits] == sorted((h["score"] for h in hits), reverse=True)
    for hit in hits:
        parts = hit["why"]["parts"]
        assert sum(part["value"] for part in parts) == pytest.approx(hit["score"], abs=1e-9)
        names = [part["name"] for part in parts]
        if profile == "BALANCED":
            assert names[0] == LIKENESS
            assert set(names[1:]) <= load_curves().curves.keys()
        else:
            assert set(names) <= {k for k, v in hit["why"].items() if v is not None}
        assert hit["via"][0]["relationship"] in ("MATCHES", "NAMES")


@pytest.mark.feature("MUMA-27", "MUMA-10")
async def test_activation_is_the_documents_formula(kiln: Any) -> None:
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


@pytest.mark.feature("MUMA-6")
async def test_the_decay_of_act_r_holds_for_notes_and_statistics_too(place: Any) -> None:
    opened = await place(act_r=ActR(d=0.25, sigma=0))
    [note] = await opened.many(KILN)
    opened.clock.move(16)
    found = (await opened.api(NOTE, id=note))["note"]
    assert found["activation"] == pytest.approx(-0.693147, abs=1e-6)  # ln 16^(-1/4)
    [hit] = await opened.ask(KILN, "ACT_R")
    assert hit["why"]["activation"] == pytest.approx(-0.693147, abs=1e-6)
    stats = "{ stats { byActivation } }"
    assert (await opened.api(stats))["stats"]["byActivation"] == {"low": 1}
    opened.clock.move(15**4 * 10)  # beyond -2 with d 0.5 after 55 h
    assert (await opened.api(stats))["stats"]["byActivation"] == {"faint": 1}
    few = await place(act_r=ActR(d=0.1))
    assert (await few.api(stats))["stats"]["byActivation"] == {"low": 1}


@pytest.mark.feature("MUMA-7", "MUMA-8")
async def test_act_r_is_the_documents_formula(kiln: Any) -> None:
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


@pytest.fixture
def few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that some notes are beyond them, and the best hundred hits hold all."""
    monkeypatch.setattr(recall, "VECTOR_LIMIT", 60)
    monkeypatch.setattr(recall, "KEYWORD_LIMIT", 100)


@pytest.mark.feature("MUMA-29")
async def test_activation_follows_the_links_that_may_be_read(
    place: Any, few_candidates: None
) -> None:
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
async def test_relevance_finds_codes_and_multiplies(kiln: Any) -> None:
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


@pytest.mark.feature("MOLT-62")
async def test_relevance_finds_what_only_the_graph_leads_to(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "VECTOR_LIMIT", 3)
    opened = await place(min_search_score=0.0)
    first, *_ = await opened.many(KILN, *(f"{KILN} It is number {i}." for i in range(3)))
    other, hidden = await opened.many("Ferns like shade.", "Moss likes shade.")
    for target in (other, hidden):
        await opened.api(LINK, a=first, b=target, kind="supports")
    await opened.api(SET_VISIBILITY, id=hidden, v="PRIVATE")
    for agent, reached in ((None, {other, hidden}), ("coding", {other})):
        hits = await opened.ask(KILN, "RELEVANCE", agent=agent, hops=1, k=20)
        by_id = {hit["note"]["id"]: hit for hit in hits}
        assert by_id.keys() & {other, hidden} == reached
        assert by_id[other]["why"]["keyword"] == 0
        assert [step["noteId"] for step in by_id[other]["via"]] == [first, other]
        assert by_id[first]["via"] == [
            {"relationship": "MATCHES", "noteId": first} | by_id[first]["via"][0]
        ]
    found = await opened.ask(KILN, "RELEVANCE", hops=0)
    assert not {other, hidden} & {hit["note"]["id"] for hit in found}
    found = await opened.ask(KILN, "RELEVANCE", filter={"kinds": ["SEMANTIC", "EPISODIC"]})
    assert not {other, hidden} & {hit["note"]["id"] for hit in found}


@pytest.mark.feature("MOLT-63", "MOLT-94")
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


@pytest.mark.feature("TIER-7", "TIER-16")
async def test_tiers_weigh_and_the_last_is_for_deep_reads(
    place: Any, context: Any, few_candidates: None
) -> None:
    opened = await place()
    tiers = {"FOUNDATIONAL": 1.2, "DAILY": 1.5, "SHORT_TERM": 1.0, "LONG_TERM": 0.5}
    made = await opened.many(*(f"kiln report {i}" for i in range(4)))
    rows = [{"id": i, "tier": tier} for i, tier in zip(made, tiers, strict=True)]
    await context.graph._driver.execute_query(
        "UNWIND $rows AS row MATCH (n:Note {id: row.id}) SET n.tier = row.tier REMOVE n:Current",
        rows=rows,
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
async def test_the_lowest_score_k_and_filters_hold(kiln: Any, profile: str) -> None:
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

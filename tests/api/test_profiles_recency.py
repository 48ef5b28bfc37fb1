"""RECENCY over GraphQL: variants, decay, the related boost; and what is recalled together."""

from datetime import datetime
from typing import Any

import pytest

from graphmem.domain.profiles.model import ModelProfile
from graphmem.domain.profiles.parameters import (
    CoRetrieval,
    QueryExpansion,
    RelatedMemories,
    TemporalDecay,
)
from graphmem.services import actors
from graphmem.services.recall import coretrieval

LINK = """mutation L($a: ID!, $b: ID!, $kind: String!) {
  link(source: $a, target: $b, kind: $kind) { id } }"""
NOTE = """query N($id: ID!) { note(id: $id) { accessCount lastAccessedAt activation } }"""
AGENT = "mutation A($input: AgentInput!) { registerAgent(input: $input) { id } }"
CLUSTERS = """query C($first: Int) { clusterCandidates(first: $first) { notes { id }
  coRetrievalCount firstSeen lastSeen } }"""
HIDE = "mutation H($id: ID!) { setVisibility(id: $id, visibility: PRIVATE) { updatedCount } }"
FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
KILN = "The kiln in the hall needs a new relay."


def ids(hits: Any) -> list[str]:
    return [hit["note"]["id"] for hit in hits]


def texts(hits: Any) -> list[str]:
    return [hit["note"]["content"] for hit in hits]


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


@pytest.mark.feature("L3-2")
async def test_a_model_profile_limits_what_is_given(place: Any) -> None:
    opened = await place()
    await opened.many(*(f"kiln relay {i}" for i in range(6)), domain="work")
    await opened.many("kiln relay pay", domain="work/payroll")
    assert len(await opened.ask("kiln relay", "RECENCY")) == 7
    few = await place(model=ModelProfile(max_injected=3, disabled_domains=("work/payroll",)))
    hits = await few.ask("kiln relay", "RECENCY")
    assert len(hits) == 3
    assert "kiln relay pay" not in texts(hits)
    assert len(await few.ask("kiln relay", "RECENCY", k=2)) == 2
    assert await few.ask("kiln relay", "RECENCY", filter={"domain": "work/payroll"}) == []
    near = await place(model=ModelProfile(similarity_threshold=1.1))
    assert await near.ask("kiln relay", "RECENCY") == []


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


@pytest.mark.feature("L3-10", "L3-11", "L3-T15", "L3-T16", "L3-T18")
async def test_what_is_recalled_together_often_is_a_candidate(place: Any, context: Any) -> None:
    opened = await place()
    first, second, third = await opened.many("kiln relay", "kiln relay hall", "fern window")
    asked = {"track": True, "k": 2, "filter": {"domain": "general"}}
    began = opened.clock.now
    for _ in range(5):
        await opened.ask("kiln relay", "RECENCY", **asked)
        opened.clock.move(1)
    await opened.log.flush()
    assert (await opened.api(CLUSTERS))["clusterCandidates"] == []  # 5 times: not yet
    await opened.ask("kiln relay", "BALANCED", **asked)
    last = opened.clock.now
    await opened.ask("fern window", "SIMILARITY", track=True, k=1)
    await opened.ask("kiln relay", "RECENCY", k=2)  # not tracked
    await opened.log.flush()
    [found] = (await opened.api(CLUSTERS))["clusterCandidates"]
    assert {note["id"] for note in found["notes"]} == {first, second}
    assert found["coRetrievalCount"] == 6
    assert datetime.fromisoformat(found["firstSeen"]) == began
    assert datetime.fromisoformat(found["lastSeen"]) == last
    assert (await opened.api(CLUSTERS, first=1))["clusterCandidates"] == [found]
    assert await opened.api.code(CLUSTERS, first=0) == "BAD_USER_INPUT"
    # Each recall is an entry with its notes, its domain and its number.
    access = await actors.open_access(context, opened.api.user, None)
    log = await coretrieval.list_log_entries(context, access)
    assert [entry.cycle for entry in log] == [7, 6, 5, 4, 3, 2, 1]
    assert log[0].notes == (third,)
    assert {entry.notes for entry in log[2:]} == {(first, second)}
    assert {entry.domain for entry in log[1:]} == {"general"}


@pytest.mark.feature("L3-11")
async def test_candidates_are_of_own_recalls_and_readable_notes(place: Any) -> None:
    opened = await place()
    await opened.api(AGENT, input={"id": "coding", "domains": ["*"]})
    first, _ = await opened.many("kiln relay", "kiln relay hall")
    for _ in range(6):
        await opened.ask("kiln relay", "SIMILARITY", track=True)
    await opened.log.flush()
    coding = opened.api.as_agent("coding")
    assert (await coding(CLUSTERS))["clusterCandidates"] == []
    for _ in range(7):
        await opened.ask("kiln relay", "SIMILARITY", agent="coding", track=True)
    await opened.log.flush()
    counts = [
        [each["coRetrievalCount"] for each in (await who(CLUSTERS))["clusterCandidates"]]
        for who in (opened.api, coding)
    ]
    assert counts == [[13], [7]]
    await opened.api(HIDE, id=first)
    assert (await coding(CLUSTERS))["clusterCandidates"] == []
    assert len((await opened.api(CLUSTERS))["clusterCandidates"]) == 1
    await opened.api(FORGET, id=first)
    assert (await opened.api(CLUSTERS))["clusterCandidates"] == []


@pytest.mark.feature("L3-T17")
async def test_the_log_keeps_the_newest_entries(place: Any, context: Any) -> None:
    numbers = {"max_entries": 10, "cluster_threshold": 9}
    opened = await place(co_retrieval=CoRetrieval(**numbers))
    await opened.many("kiln relay", "kiln relay hall")
    for text in ["kiln relay"] * 10:
        await opened.ask(text, "SIMILARITY", track=True)
    await opened.log.flush()
    [found] = (await opened.api(CLUSTERS))["clusterCandidates"]
    assert found["coRetrievalCount"] == 10
    await opened.ask("kiln relay", "SIMILARITY", track=True, k=1)
    await opened.log.flush()
    assert (await opened.api(CLUSTERS))["clusterCandidates"] == []  # the first is out: 9 are left
    assert CoRetrieval().max_entries == 500

"""What makes a note stronger, what is written down of a recall, and exact likeness."""

import math
from typing import Any

import pytest

from graphmem.ai.hash_embedder import HashEmbedder

NOTE = """query N($id: ID!) { note(id: $id) { status retention halfLifeHours relevance accessCount
  lastAccessedAt } }"""
COMMAND = "mutation C($text: String!) { command(text: $text) { intent note { id } } }"
LOGGED = """MATCH (r:Recall {id: $id})
RETURN r {.*} AS recall, COLLECT {
  MATCH (r)-[x:RETURNED]->(n:Note)
  RETURN [n.id, x.rank, x.score, x.tier] ORDER BY x.rank
} AS notes"""
ASK = """query Q($input: RecallInput!) { recall(input: $input) { id strategy hits { rank score
  note { id tier } } } }"""


async def rows(context: Any, query: str, **given: Any) -> list[dict[str, Any]]:
    answer = await context.graph._driver.execute_query(query, **given)
    return [record.data() for record in answer.records]


@pytest.mark.feature("MUMA-12")
async def test_what_is_pinned_does_not_decay_in_a_year(place: Any) -> None:
    here = await place()
    pinned, other = await here.many("Always TypeScript.", "The kiln is blue.")
    await here.api("mutation P($id: ID!) { pin(id: $id) { id } }", id=pinned)
    here.clock.move(365 * 24)
    note = (await here.api(NOTE, id=pinned))["note"]
    assert (note["status"], note["halfLifeHours"]) == ("ACTIVE", None)
    assert (note["retention"], note["relevance"]) == (1, 1)
    left = (await here.api(NOTE, id=other))["note"]
    assert left["retention"] == pytest.approx(0.5 ** (365 / 7))
    await here.ask("typescript", "BALANCED", track=True)
    await here.log.flush()
    assert (await here.api(NOTE, id=pinned))["note"]["halfLifeHours"] is None


@pytest.mark.feature("MOLT-17")
async def test_a_relation_was_accessed_when_a_note_behind_it_was(place: Any) -> None:
    here = await place()
    uses = {"subject": "Orion", "predicate": "uses", "object": "Kafka", "confidence": 0.8}
    await here.api.remember("Orion runs on Kafka.", relations=[uses])
    here.clock.move(2)
    await here.ask("Orion", "BALANCED", track=True)
    await here.log.flush()
    query = """{ entity(name: "Kafka") { relations { subject { name } predicate object { name }
      confidence firstSeenAt lastAccessedAt } } }"""
    assert (await here.api(query))["entity"]["relations"] == [
        {
            "subject": {"name": "Orion"},
            "predicate": "uses",
            "object": {"name": "Kafka"},
            "confidence": 0.8,
            "firstSeenAt": "2026-03-01T12:00:00Z",
            "lastAccessedAt": "2026-03-01T14:00:00Z",
        }
    ]


@pytest.mark.feature("MOLT-40")
async def test_saying_it_again_by_command_is_an_access(place: Any) -> None:
    here = await place()
    told = {"text": "Remember that the kiln relay is rated for nine amperes."}
    note = (await here.api(COMMAND, **told))["command"]["note"]["id"]
    here.clock.move(2)
    again = (await here.api(COMMAND, **told))["command"]
    assert (again["intent"], again["note"]["id"]) == ("REMEMBER", note)
    found = (await here.api(NOTE, id=note))["note"]
    assert (found["accessCount"], found["lastAccessedAt"]) == (1, "2026-03-01T14:00:00Z")


@pytest.mark.feature("MOLT-40")
async def test_a_new_episode_is_an_access_of_what_it_refers_to(place: Any) -> None:
    here = await place()
    halden = [{"name": "Halden kiln", "type": "thing"}]
    fact = await here.api.remember(
        "The Halden kiln needs a new relay.", entities=halden, kind="SEMANTIC"
    )
    private = await here.api.remember(
        "The Halden kiln needs a new relay soon.", entities=halden, visibility="PRIVATE"
    )
    other = await here.api.remember("Sourdough likes a warm night.", kind="SEMANTIC")
    here.clock.move(3)
    made = await here.api.remember(
        "Bo ordered a new relay for the Halden kiln.", entities=halden, kind="EPISODIC"
    )
    assert made["operation"] == "ADD"

    async def accesses(of: dict[str, Any]) -> int:
        return (await here.api(NOTE, id=of["note"]["id"]))["note"]["accessCount"]

    found = (await here.api(NOTE, id=fact["note"]["id"]))["note"]
    assert (found["accessCount"], found["lastAccessedAt"]) == (1, "2026-03-01T15:00:00Z")
    assert found["halfLifeHours"] == 168
    assert await accesses(other) == 0
    assert await accesses(private) == 0  # of other readers, who may not hear of the episode
    assert await accesses(made) == 0


async def test_a_recall_is_written_down_as_it_was(place: Any, context: Any) -> None:
    here = await place()
    await here.many(*(f"The kiln relay number {i} hums." for i in range(7)), domain="work/hall")
    await here.api('mutation { registerAgent(input: {id: "sales", domains: ["work"]}) { id } }')
    agent = here.api.as_agent("sales")
    asked = {"query": "kiln relay number 3", "k": 5, "profile": "RECENCY"}
    answer = (await agent(ASK, input=asked))["recall"]
    untracked = (await agent(ASK, input={**asked, "track": False}))["recall"]
    await here.log.close()
    [row] = await rows(context, LOGGED, id=answer["id"])
    recall = row["recall"]
    assert recall.pop("at").to_native() == here.clock.now
    assert recall == {
        "id": answer["id"],
        "user": here.api.user,
        "agent": "sales",
        "query": "kiln relay number 3",
        "domain": recall["domain"],
        "cycle": 1,
        "strategy": answer["strategy"],
        "profile": "RECENCY",
    }
    assert len(answer["hits"]) == 5
    assert row["notes"] == [
        [hit["note"]["id"], hit["rank"], hit["score"], hit["note"]["tier"]]
        for hit in answer["hits"]
    ]
    assert await rows(context, LOGGED, id=untracked["id"]) == []


@pytest.mark.feature("DAEM-12")
async def test_similarity_is_the_order_of_the_exact_cosine_over_1000_notes(place: Any) -> None:
    here = await place()
    things = ("kiln", "roof", "letter", "fence", "train", "bread", "relay", "garden", "copper")
    verbs = ("broke", "waits", "hums", "leans", "shines", "was sold", "came back", "is lent")
    texts = [
        f"{verbs[i % 8]} the {things[i % 9]} {things[(i * 5 + i // 9) % 9]} of lot {i * 7919}"
        for i in range(1000)
    ]
    ids = [i for part in (texts[:500], texts[500:]) for i in await here.many(*part)]
    embedder = HashEmbedder()
    vectors = await embedder.embed_documents(texts)
    for question in ("Which copper roof shines?", "the relay of the kiln hums", "lot 79190"):
        asked = await embedder.embed_query(question)
        exact = {
            i: sum(a * b for a, b in zip(asked, vector, strict=True))
            for i, vector in zip(ids, vectors, strict=True)
        }
        best = sorted(exact.values(), reverse=True)
        for k in (10, 50):
            hits = await here.ask(question, "SIMILARITY", k=k)
            scores = [hit["score"] for hit in hits]
            assert scores == pytest.approx(best[:k], abs=1e-5)
            assert [exact[hit["note"]["id"]] for hit in hits] == pytest.approx(scores, abs=1e-5)
        lowest = (best[4] + best[5]) / 2
        if best[4] - best[5] > 1e-4:
            hits = await here.ask(question, "SIMILARITY", k=50, minScore=lowest)
            assert [hit["score"] for hit in hits] == pytest.approx(best[:5], abs=1e-5)


class Compass(HashEmbedder):
    """Points texts in directions that are known."""

    def _embed(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        vector[0] = {"north": 1.0, "south": -1.0}.get(text, 0.0)
        vector[1] = {"east": 1.0}.get(text, 0.0)
        if text == "north-east":
            vector[:2] = [math.sqrt(0.5)] * 2
        return vector


@pytest.mark.feature("DAEM-13")
async def test_likeness_is_the_cosine_from_1_to_minus_1(place: Any) -> None:
    here = await place(Compass())
    await here.many("north", "south", "east", "north-east")
    hits = await here.ask("north", "SIMILARITY")
    found = {hit["note"]["content"]: hit["why"]["similarity"] for hit in hits}
    exact = {"north": 1.0, "north-east": math.sqrt(0.5), "east": 0.0, "south": -1.0}
    assert found == pytest.approx(exact, abs=1e-6)
    assert list(found) == list(exact)

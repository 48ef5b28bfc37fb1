"""What becomes of notes, as clients see it: decisions, tellings, time, conflicts."""

from datetime import UTC, datetime
from typing import Any

import pytest

REMEMBER = """mutation R($i: RememberInput!) { remember(input: $i) { operation reason
  note { id version content status validTo } affected { id status supersededBy { id } } } }"""
NOTE = """query N($id: ID!, $at: DateTime) { note(id: $id, asOf: $at) { content version tags status
  validTo wordings { at actor content speaker occurredAt } } }"""
RECALL = """query Q($i: RecallInput!) { recall(input: $i) { hits { note { id content } } } }"""
ENTITY = """query E($name: String!, $at: DateTime) { entity(name: $name, asOf: $at) { name
  notes { content } relations { predicate confidence firstSeenAt lastAccessedAt object { name }
  validTo notes { content } } } }"""
CONFLICTS = """query C($open: Boolean) { conflicts(open: $open) { id verdict similarity open
  resolution at notes { id content } } }"""
RESOLVE = """mutation V($id: ID!, $v: Verdict!, $keep: ID) { resolveConflict(id: $id, verdict: $v,
  keep: $keep) { id verdict open resolution notes { id status } } }"""

CONSOLIDATE = """mutation K { consolidate { created merged pruned conflicts markdown } }"""


async def say(api: Any, content: str, **given: Any) -> dict[str, Any]:
    return (await api(REMEMBER, i={"content": content, **given}))["remember"]


async def recalled(api: Any, query: str, **given: Any) -> list[str]:
    data = await api(RECALL, i={"query": query, "track": False, **given})
    return [hit["note"]["content"] for hit in data["recall"]["hits"]]


def instant() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.feature("MUMA-22")
async def test_a_superseded_note_is_there_by_id_and_as_of_then(api: Any) -> None:
    old = await say(api, "I live in Berlin.")
    then = instant()
    new = await say(api, "I moved to Hamburg.")
    assert new["operation"] == "DELETE"
    assert "berlin" in new["reason"]
    assert new["affected"] == [
        {
            "id": old["note"]["id"],
            "status": "SUPERSEDED",
            "supersededBy": {"id": new["note"]["id"]},
        }
    ]
    now = (await api(NOTE, id=old["note"]["id"]))["note"]
    assert (now["status"], now["version"], now["validTo"] is None) == ("SUPERSEDED", 2, False)
    past = (await api(NOTE, id=old["note"]["id"], at=then))["note"]
    assert (past["status"], past["version"], past["validTo"]) == ("ACTIVE", 1, None)
    assert await recalled(api, "Where do I live?") == ["I moved to Hamburg."]
    assert await recalled(api, "Where do I live?", asOf=then) == ["I live in Berlin."]
    assert await api.code(NOTE, id=new["note"]["id"], at=then) == "NOT_FOUND"


@pytest.mark.feature("MUMA-21")
async def test_a_grown_note_shows_the_text_of_then(api: Any) -> None:
    old = await say(api, "The Halden project uses Neo4j.", kind="SEMANTIC", tags=["a"])
    then = instant()
    new = await say(
        api, "The Halden project uses Neo4j with two replicas.", kind="SEMANTIC", tags=["b"]
    )
    assert (new["operation"], new["note"]["id"]) == ("UPDATE", old["note"]["id"])
    now = (await api(NOTE, id=old["note"]["id"]))["note"]
    assert now["content"] == "The Halden project uses Neo4j with two replicas."
    assert [w["content"] for w in now["wordings"]] == [
        "The Halden project uses Neo4j.",
        "The Halden project uses Neo4j with two replicas.",
    ]
    past = (await api(NOTE, id=old["note"]["id"], at=then))["note"]
    assert (past["content"], past["version"]) == ("The Halden project uses Neo4j.", 1)
    assert "b" in now["tags"]
    assert "b" not in past["tags"]
    assert await recalled(api, "Neo4j replicas") == [now["content"]]
    assert await recalled(api, "Neo4j replicas", asOf=then) == [past["content"]]


def works_at(place: str) -> dict[str, Any]:
    return {"subject": "Femi", "predicate": "works-at", "object": place, "confidence": 0.7}


@pytest.mark.feature("MOLT-17")
async def test_an_entity_shows_what_was_true_then(api: Any) -> None:
    given = {"domain": "d", "visibility": "OPEN"}
    await say(
        api,
        "Femi works at Saltmarsh.",
        relations=[works_at("Saltmarsh")],
        **given,
    )
    then = instant()
    moved = await say(
        api,
        "Femi works at Dunmarrow.",
        relations=[works_at("Dunmarrow")],
        **given,
    )
    assert moved["operation"] == "DELETE"
    now = (await api(ENTITY, name="Femi"))["entity"]
    past = (await api(ENTITY, name="Femi", at=then))["entity"]
    for entity, place in ((now, "Dunmarrow"), (past, "Saltmarsh")):
        text = f"Femi works at {place}."
        assert [note["content"] for note in entity["notes"]] == [text]
        assert {r["object"]["name"] for r in entity["relations"]} == {place}
        (relation,) = entity["relations"]
        assert relation["notes"] == [{"content": text}]
        assert relation["confidence"] == 0.7
        assert relation["lastAccessedAt"] is None
        assert (relation["firstSeenAt"] < then) is (entity is past)
    assert await api.code(ENTITY, name="Saltmarsh") == "NOT_FOUND"
    assert (await api(ENTITY, name="Saltmarsh", at=then))["entity"]["name"] == "Saltmarsh"


@pytest.mark.feature("MUMA-73", "MUMA-75", "MUMA-11")
async def test_a_conflict_waits_for_the_user(api: Any) -> None:
    given = {"domain": "business/projects", "kind": "SEMANTIC", "visibility": "OPEN"}
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    old = await say(api, f"The deadline {words} is March 15.", **given)
    new = await say(api, f"The deadline {words} is March 30.", **given)
    assert (old["operation"], new["operation"]) == ("ADD", "ADD")
    (found,) = (await api(CONFLICTS))["conflicts"]
    assert (found["verdict"], found["open"], found["resolution"]) == ("CONTRADICTORY", True, None)
    assert found["similarity"] > 0.85
    assert [note["id"] for note in found["notes"]] == [old["note"]["id"], new["note"]["id"]]
    half_life = "query H($id: ID!) { note(id: $id) { halfLifeHours } }"
    old_note = (await api(half_life, id=old["note"]["id"]))["note"]
    assert old_note["halfLifeHours"] == pytest.approx(117.6)
    alerts = """{ events(types: ["ALERT"]) { channel data } }"""
    assert [e["channel"] for e in (await api(alerts))["events"]] == ["memory_conflict"]
    assert await api.code(RESOLVE, id="nothing", v="SUBSUMES") == "NOT_FOUND"
    assert await api.code(RESOLVE, id=found["id"], v="SUBSUMES", keep="x") == "BAD_USER_INPUT"
    stranger = api.as_user(f"{api.user}-x")
    assert (await stranger(CONFLICTS))["conflicts"] == []
    assert await stranger.code(RESOLVE, id=found["id"], v="SUBSUMES") == "NOT_FOUND"
    done = (await api(RESOLVE, id=found["id"], v="CONTRADICTORY", keep=old["note"]["id"]))[
        "resolveConflict"
    ]
    assert (done["open"], [n["status"] for n in done["notes"]]) == (False, ["ACTIVE", "ARCHIVED"])
    assert (await api(CONFLICTS))["conflicts"] == []
    assert len((await api(CONFLICTS, open=False))["conflicts"]) == 1
    assert await api.code(RESOLVE, id=found["id"], v="SUBSUMES") == "CONFLICT"


async def test_a_conflict_between_notes_that_an_agent_may_not_read_is_hidden(api: Any) -> None:
    given = {"domain": "d", "kind": "SEMANTIC", "visibility": "PRIVATE"}
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    await say(api, f"The deadline {words} is March 15.", **given)
    await say(api, f"The deadline {words} is March 30.", **given)
    (found,) = (await api(CONFLICTS))["conflicts"]
    agent = api.as_agent("coding")
    assert (await agent(CONFLICTS))["conflicts"] == []
    assert await agent.code(RESOLVE, id=found["id"], v="SUBSUMES") == "NOT_FOUND"


@pytest.mark.feature("MUMA-4", "MUMA-5")
async def test_what_a_writer_leaves_open_is_filled_in(api: Any) -> None:
    query = "query N($id: ID!) { note(id: $id) { source halfLifeHours importance confidence } }"
    cases = (
        (api, {}, "TOLD"),
        (api.as_agent("main"), {}, "EXPERIENCE"),
        (api.as_agent("main"), {"source": "INFERRED"}, "INFERRED"),
    )
    for i, (writer, given, source) in enumerate(cases):
        made = await say(writer, f"Shelf {i} of the hall holds bowls.", **given)
        note = (await api(query, id=made["note"]["id"]))["note"]
        assert (note["source"], note["halfLifeHours"]) == (source, 168)
        assert 0 < note["importance"] < 1
        assert 0 < note["confidence"] < 1
    for name in ("importance", "confidence"):
        bad = {"content": "x", name: 1.2}
        assert await api.code(REMEMBER, i=bad) == "BAD_USER_INPUT"


async def test_consolidating_settles_a_contradiction_once(api: Any) -> None:
    given = {"domain": "business/projects", "kind": "SEMANTIC", "visibility": "OPEN"}
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    old = await say(api, f"The deadline {words} is March 15.", **given)
    new = await say(api, f"The deadline {words} is March 30.", **given)
    done = (await api(CONSOLIDATE))["consolidate"]
    assert (done["created"], done["merged"], done["pruned"], done["conflicts"]) == (0, 0, 1, 0)
    assert "archived: 1" in done["markdown"]
    assert (await api(NOTE, id=old["note"]["id"]))["note"]["status"] == "ARCHIVED"
    assert (await api(NOTE, id=new["note"]["id"]))["note"]["status"] == "ACTIVE"
    assert (await api(CONFLICTS, open=True))["conflicts"] == []
    again = (await api(CONSOLIDATE))["consolidate"]
    assert (again["merged"], again["pruned"], again["conflicts"]) == (0, 0, 0)

"""Events, statistics, contexts, entities, paths and the viewer over GraphQL."""

import asyncio
from typing import Any

import pytest
from note_requests import EVENTS, FORGET, LINK, PAGE, REVISE, note_of, remember_all

# ------------------------------------------------------------------ access, events, statistics


async def test_a_tracked_recall_is_one_access(api: Any, context: Any) -> None:
    note = (await api.remember("The kiln is blue."))["note"]["id"]
    await api.recall("kiln")
    await context.log.flush()
    assert (await note_of(api, note))["accessCount"] == 0
    await api.recall("kiln", track=True)
    for _ in range(600):  # it is written by itself
        read = await note_of(api, note)
        if read["accessCount"]:
            break
        await asyncio.sleep(0.1)
    assert read["accessCount"] == 1
    assert read["halfLifeHours"] == pytest.approx(168 * 1.2)
    assert read["version"] == 1


async def test_each_change_is_an_event_and_events_can_be_replayed(api: Any) -> None:
    note = (await api.remember("One.", domain="a/b"))["note"]["id"]
    other = (await api.remember("Two."))["note"]["id"]
    await api(REVISE, id=note, content="One and a half.")
    made = (await api(LINK, a=note, b=other, kind="X"))["link"]["id"]
    await api("mutation U($id: ID!) { unlink(id: $id) }", id=made)
    await api("mutation P($id: ID!) { pin(id: $id) { id } }", id=note)
    await api(
        "mutation V($id: ID!) { setVisibility(id: $id, visibility: OPEN) { updatedCount } }",
        id=note,
    )
    await api.remember("Two.")
    await api(FORGET, id=other)
    events = (await api(EVENTS))["events"]
    assert [event["type"] for event in events if event["subjectId"] == note] == [
        "CREATE",
        "EDIT",
        "LINK",
        "LINK",
        "PIN",
        "VISIBILITY",
    ]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    assert {event["actor"] for event in events} == {"manual"}
    assert {event["domain"] for event in events if event["subjectId"] == note} == {"a/b"}
    kept = [{**e["data"], "summary": None} for e in events]  # which is the note's own, read now
    assert not [e for e in events if "One" in e["summary"]] + [d for d in kept if "One" in str(d)]
    middle = events[2]["seq"]
    assert (await api(EVENTS, after=middle))["events"] == events[3:]
    assert (await api(EVENTS, types=["PIN"]))["events"] == [e for e in events if e["type"] == "PIN"]
    assert (await api(EVENTS, s=other))["events"] == [e for e in events if e["subjectId"] == other]
    timed = """query T($s: DateTime, $u: DateTime, $a: String) { events(since: $s, until: $u,
      actor: $a) { seq } }"""
    assert len((await api(timed, s=events[0]["at"], u=events[-1]["at"]))["events"]) == len(events)
    assert (await api(timed, u="2020-01-01T00:00:00Z"))["events"] == []
    assert (await api(timed, a="bot:nobody"))["events"] == []


@pytest.mark.feature("MUMA-97")
async def test_each_breakdown_adds_up_to_the_total(api: Any) -> None:
    for i, visibility in enumerate(("OPEN", "SCOPED", "PRIVATE", "USER_ONLY", "OPEN")):
        await api.remember(f"note {i}", visibility=visibility, domain=f"d{i % 2}")
    await api.remember("note 0", visibility="OPEN", domain="d0")
    listed = (await api(PAGE))["notes"]["nodes"]
    await api(FORGET, id=listed[0]["id"])
    query = """{ stats { totalNotes byDomain byVisibility byStatus byTier byActivation storageBytes
      entities links } }"""
    stats = (await api(query))["stats"]
    assert stats["totalNotes"] == 5
    for name in ("byDomain", "byVisibility", "byStatus", "byTier", "byActivation"):
        assert sum(stats[name].values()) == 5, name
    assert stats["byDomain"] == {"d0": 3, "d1": 2}
    assert stats["byVisibility"] == {"OPEN": 2, "PRIVATE": 1, "SCOPED": 1, "USER_ONLY": 1}
    assert stats["byStatus"] == {"ACTIVE": 4, "ARCHIVED": 1}
    assert stats["byActivation"] == {"high": 5}
    assert stats["storageBytes"] >= 5 * (6 + 4 * 384)


async def test_the_ranges_of_activation_are_those_of_the_formula(api: Any, cypher: Any) -> None:
    ids = await remember_all(api, [{"content": f"old note {i}"} for i in range(4)])
    for note, hours in zip(ids, (0, 0.5, 20, 1000), strict=True):
        await cypher(
            """MATCH (n:Note {id: $id}) SET n.createdAt = n.createdAt - duration({minutes: $m}),
            n.accessTimes = [n.createdAt - duration({minutes: $m})], n.accessCount = $c""",
            id=note,
            m=int(hours * 60),
            c=1 if hours < 1000 else 9,
        )
    stats = (await api("{ stats { byActivation } }"))["stats"]["byActivation"]
    values = [(await note_of(api, note))["activation"] for note in ids]
    ranges = [
        "high" if v >= 2 else "medium" if v >= 0 else "low" if v >= -2 else "faint" for v in values
    ]
    assert stats == {name: ranges.count(name) for name in sorted(set(ranges))}
    assert len(set(ranges)) == 4


@pytest.mark.feature("MUMA-110")
async def test_counts_activation_what_the_night_did_and_conflicts_can_be_watched(api: Any) -> None:
    for day in (15, 30):
        await api.remember(f"The deadline of the Halden project is March {day}.")
    report = (await api("mutation { consolidate { created merged conflicts markdown } }"))[
        "consolidate"
    ]
    assert "- summaries made: 0\n" in report["markdown"]
    assert "- archived: 1\n" in report["markdown"]
    query = """{ stats { totalNotes byActivation } conflicts(open: false) { resolution }
      open: conflicts { verdict notes { content } }
      jobs { name } jobRuns(first: 5) { job status counts } }"""
    told = await api(query)
    assert told["stats"]["totalNotes"] == 2
    assert sum(told["stats"]["byActivation"].values()) == 2
    assert (told["open"], len(told["conflicts"])) == ([], 1)
    assert "consolidate_memory" in {job["name"] for job in told["jobs"]}
    assert all(run["counts"] is not None for run in told["jobRuns"])


async def test_everything_readable_comes_back_through_lists(api: Any) -> None:
    """An export as JSON: every note with links, revisions, entities, and the rules."""
    notes = [
        {
            "content": f"note {i} of Orla",
            "metadata": {"i": i},
            "visibility": v,
            "domain": f"d/{i % 3}",
        }
        for i, v in enumerate(["OPEN", "SCOPED", "PRIVATE", "USER_ONLY"] * 30)
    ]
    ids = await remember_all(api, notes, mode="VERBATIM")
    await api(LINK, a=ids[0], b=ids[1], kind="NEXT TO")
    await api(REVISE, id=ids[2], content="revised")
    await api(FORGET, id=ids[3])
    await api('mutation { setVisibility(domain: "d/9", visibility: PRIVATE) { updatedCount } }')
    query = """query X($after: String) { notes(first: 50, after: $after, filter: {statuses: [ACTIVE,
      FADING, DORMANT, ARCHIVED, SUPERSEDED]}) { totalCount nodes { id content metadata visibility
      domain status links { kind source { id } target { id } } revisions { version content }
      entities { name } } pageInfo { endCursor hasNextPage } } }"""
    exported: dict[str, Any] = {}
    after = None
    while True:
        page = (await api(query, after=after))["notes"]
        exported |= {node["id"]: node for node in page["nodes"]}
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert set(exported) == set(ids)
    assert page["totalCount"] == 120
    for note, i in zip(notes, ids, strict=True):
        assert exported[i]["metadata"] == note["metadata"]
        assert exported[i]["visibility"] == note["visibility"]
    assert exported[ids[0]]["links"] == exported[ids[1]]["links"] != []
    assert [r["content"] for r in exported[ids[2]]["revisions"]] == ["revised", "note 2 of Orla"]
    assert exported[ids[3]]["status"] == "ARCHIVED"
    rules = await api("{ viewer { user { visibilityRules { domain visibility } } } }")
    assert rules["viewer"]["user"]["visibilityRules"] == [
        {"domain": "d/9", "visibility": "PRIVATE"}
    ]


# ------------------------------------------------------------------ context, entities, viewer


@pytest.mark.feature("MUMA-114")
async def test_a_context_of_1000_notes_keeps_its_budget(api: Any) -> None:
    texts = [f"Kiln report {i}: " + "the glaze cracked again. " * (i % 9) for i in range(1000)]
    notes = [{"content": t, "domain": f"d{i % 4}"} for i, t in enumerate(texts)]
    query = "mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index } } }"
    for part in (notes[:500], notes[500:]):
        await api(query, i={"notes": part, "mode": "VERBATIM"})
    asked = """query C($t: String!, $b: Int) { context(input: {task: $t, tokenBudget: $b}) { text
      tokenCount suggestedScope suggestedDomains hits { score note { id content domain } } } }"""
    made = (await api(asked, t="kiln report glaze cracked"))["context"]
    assert 1200 < made["tokenCount"] <= 1700
    assert -(-len(made["text"]) // 4) == made["tokenCount"]
    scores = [hit["score"] for hit in made["hits"]]
    assert scores == sorted(scores, reverse=True)
    recalled = await api.recall("kiln report glaze cracked", k=100)
    shown = [hit["note"]["id"] for hit in made["hits"]]
    # Which of notes that say the same the approximate index finds may change as others write.
    said = [hits[0]["note"]["content"].partition(":")[2] for hits in (made["hits"], recalled)]
    assert said[0] == said[1]
    for hit in made["hits"]:
        assert f"- {hit['note']['content']}" in made["text"]
        assert f"## {hit['note']['domain']}" in made["text"]
    assert made["text"].count("\n- ") == len(shown)
    small = (await api(asked, t="kiln report", b=60))["context"]
    assert small["tokenCount"] <= 60
    assert (await api(asked, t="kiln report", b=1))["context"]["text"] == ""


async def test_entities_are_found_by_name_alias_and_part(api: Any) -> None:
    await api.remember(
        "Orla Whitfield runs Saltmarsh.",
        entities=[{"name": "Orla Whitfield", "type": "person", "aliases": ["Orla", "O. W."]}],
        relations=[
            {"subject": "Orla", "predicate": "runs", "object": "Saltmarsh", "confidence": 0.8}
            | {"validFrom": "2026-01-01T00:00:00Z"}
        ],
    )
    await api.remember("Later Orla left.")
    query = """query E($n: String, $id: ID) { entity(name: $n, id: $id) { id name type aliases
      noteCount summary notes(first: 1) { content } relations { predicate confidence validFrom
      validTo subject { name } object { name } firstSeenAt notes { content } } } }"""
    found = [(await api(query, n=n))["entity"] for n in ("Orla Whitfield", "orla", "O.W.", "ORLA")]
    assert all(each == found[0] for each in found)
    entity = found[0]
    assert (entity["name"], entity["type"], entity["noteCount"]) == ("Orla Whitfield", "person", 2)
    assert entity["aliases"] == ["O. W.", "Orla"]
    assert entity["notes"] == [{"content": "Later Orla left."}]
    assert entity["relations"][0]["confidence"] == 0.8
    assert entity["relations"][0]["validFrom"] == "2026-01-01T00:00:00Z"
    assert entity["relations"][0]["object"] == {"name": "Saltmarsh"}
    assert (await api(query, id=entity["id"]))["entity"] == entity
    search = "query S($s: String, $n: Int) { entities(search: $s, first: $n) { name } }"
    for part in ("whit", "ORLA", "o w"):
        assert (await api(search, s=part))["entities"] == [{"name": "Orla Whitfield"}]
    assert len((await api(search))["entities"]) == 2
    assert len((await api(search, n=1))["entities"]) == 1
    assert (await api(search, s="zzz"))["entities"] == []


@pytest.mark.feature("MOLT-20", "MOLT-17")
async def test_a_relation_is_one_from_both_ends(api: Any) -> None:
    """However it is spelled, and with the word for each end."""
    uses = {"subject": "Orion", "predicate": "uses", "object": "Kafka"}
    used = {"subject": "Kafka", "predicate": "used-by", "object": "Orion"}
    own = {"subject": "Orion", "predicate": "hums to", "object": "Kafka"}
    for relation in (uses, used, own):
        await api.remember(f"{relation['predicate']}: so they say.", relations=[relation])
    query = """query E($n: String!) { entity(name: $n) { relations { id subject { name } predicate
      inverse object { name } lastAccessedAt notes { content } } } }"""
    told = (await api(query, n="Orion"))["entity"]["relations"]
    assert told == (await api(query, n="Kafka"))["entity"]["relations"]
    assert [(r["predicate"], r["inverse"], len(r["notes"])) for r in told] == [
        ("uses", "used-by", 2),
        ("hums to", None, 1),
    ]
    assert {(r["subject"]["name"], r["object"]["name"]) for r in told} == {("Orion", "Kafka")}


async def test_paths_are_the_shortest_over_relations_notes_and_links(api: Any) -> None:
    say = [("Ann", "knows", "Bob"), ("Bob", "owns", "Kiln"), ("Kiln", "made by", "Dunmarrow")]
    for subject, predicate, target in say:
        relation = {"subject": subject, "predicate": predicate, "object": target}
        await api.remember(f"{subject} {predicate} {target}.", relations=[relation])
    query = """query P($a: String!, $b: String!, $h: Int) { paths(from: $a, to: $b, maxHops: $h) {
      relationships nodes { id label kind } } }"""
    paths = (await api(query, a="ann", b="dunmarrow"))["paths"]
    assert paths[0]["relationships"] == ["knows", "owns", "made by"]
    assert [node["label"] for node in paths[0]["nodes"]] == ["Ann", "Bob", "Kiln", "Dunmarrow"]
    assert {node["kind"] for node in paths[0]["nodes"]} == {"entity"}
    assert (await api(query, a="Ann", b="Dunmarrow", h=2))["paths"] == []
    assert (await api(query, a="Ann", b="Bob", h=1))["paths"][0]["relationships"] == ["knows"]
    by_id = [node["id"] for node in paths[0]["nodes"]]
    assert (await api(query, a=by_id[0], b=by_id[-1]))["paths"] == paths
    assert await api.code(query, a="Ann", b="Ann") == "BAD_USER_INPUT"


async def test_the_viewer_and_the_agents(api: Any) -> None:
    query = """{ viewer { user { id name defaultVisibility agents { id } } agent { id role }
      admin audiences } }"""
    assert (await api(query))["viewer"] == {
        "user": {"id": api.user, "name": api.user, "defaultVisibility": "SCOPED", "agents": []},
        "agent": None,
        "admin": True,
        "audiences": 0,
    }
    name = 'mutation N($id: ID!) { registerUser(id: $id, name: "Ann Lee") { id name } }'
    assert (await api(name, id=api.user))["registerUser"] == {"id": api.user, "name": "Ann Lee"}
    agent = """mutation { registerAgent(input: {id: "main", name: "Main", role: ASSISTANT,
      domains: ["*"], canSeePrivate: true}) { id name role domains canSeePrivate writes noteCount
      user { name } } }"""
    made = (await api(agent))["registerAgent"]
    assert (made["name"], made["role"], made["canSeePrivate"]) == ("Main", "ASSISTANT", True)
    assert (made["user"], made["noteCount"]) == ({"name": "Ann Lee"}, 0)
    part = 'mutation { registerAgent(input: {id: "main", domains: ["a", "a/b"]}) { name domains } }'
    assert (await api(part))["registerAgent"] == {"name": "Main", "domains": ["a", "a/b"]}
    await api.as_agent("main").remember("Something.", domain="a")
    seen = (await api.as_agent("main")(query))["viewer"]
    assert seen["agent"] == {"id": "main", "role": "ASSISTANT"}
    assert (seen["admin"], seen["audiences"]) == (False, 1)
    agents = (await api("{ agents { id noteCount } }"))["agents"]
    assert agents == [{"id": "main", "noteCount": 1}]

"""Who may read what, on every path through GraphQL."""

import asyncio
from typing import Any

import pytest

from graphmem import services

REGISTER = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id domains canSeePrivate } }"
MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index operation
  note { id } error { code message } } } }"""
NOTE = "query N($id: ID!) { note(id: $id) { id } }"
RULE = """mutation S($d: String, $id: ID, $v: Visibility!) { setVisibility(domain: $d, id: $id,
  visibility: $v) { updatedCount noteIds rule { domain visibility } } }"""
EXPLICIT = "query E($i: RecallInput!) { recall(input: $i) { hits { note { id } } } }"
LIST = "query L($f: NoteFilter) { notes(filter: $f, first: 100) { totalCount nodes { id } } }"
PROFILES = {
    "main": {"domains": ["*"], "canSeePrivate": True},
    "coding": {"domains": ["business/coding", "skills", "docs"]},
    "sales": {"domains": ["business/sales", "business/research"]},
    "family": {"domains": ["personal/family", "personal/preferences"]},
    "orchestrator": {"domains": ["*"], "canSeePrivate": False},
}
SEEN = {
    "main": {"OPEN", "SCOPED", "PRIVATE"},
    "coding": {"OPEN", "SCOPED"},
    "sales": {"OPEN"},
    "family": {"OPEN"},
    "orchestrator": {"OPEN", "SCOPED"},
    "newcomer": {"OPEN", "SCOPED"},
}
MARKS = {
    "main": pytest.mark.feature("MUMA-37"),
    "coding": pytest.mark.feature("MUMA-38"),
    "sales": pytest.mark.feature("MUMA-39"),
    "family": pytest.mark.feature("MUMA-40"),
    "orchestrator": pytest.mark.feature("MUMA-41"),
    "newcomer": pytest.mark.feature("MUMA-42"),
}


async def set_up(api: Any) -> None:
    for name, profile in PROFILES.items():
        await api(REGISTER, i={"id": name, **profile})


async def four_notes(api: Any, domain: str) -> dict[str, str]:
    """One note of each visibility about the same thing; visibility to id."""
    notes = [
        {"content": f"The kiln relay, told {v}.", "visibility": v, "domain": domain}
        | {"entities": [{"name": "Relay"}]}
        for v in ("OPEN", "SCOPED", "PRIVATE", "USER_ONLY")
    ]
    data = await api(MANY, i={"notes": notes})
    ids = [result["note"]["id"] for result in data["rememberMany"]["results"]]
    return dict(zip(("OPEN", "SCOPED", "PRIVATE", "USER_ONLY"), ids, strict=True))


@pytest.mark.parametrize("name", [pytest.param(name, marks=MARKS[name]) for name in SEEN])
async def test_each_agent_sees_its_cells_on_every_path(api: Any, name: str) -> None:
    await set_up(api)
    ids = await four_notes(api, "business/coding")
    agent = api.as_agent(name)
    expected = {ids[v] for v in SEEN[name]}
    assert {h["note"]["id"] for h in await agent.recall("kiln relay", k=100)} == expected
    listed = (await agent(LIST))["notes"]
    assert {node["id"] for node in listed["nodes"]} == expected
    assert listed["totalCount"] == len(expected)
    for visibility, i in ids.items():
        if visibility in SEEN[name]:
            assert (await agent(NOTE, id=i))["note"]["id"] == i
        else:
            assert await agent.code(NOTE, id=i) == "NOT_FOUND"
    data = await agent(
        """{ stats { totalNotes byVisibility }
             entity(name: "relay") { noteCount notes { id } summary }
             context(input: {task: "kiln relay"}) { text hits { note { id } } }
             events(types: ["CREATE"]) { subjectId } }"""
    )
    assert data["stats"]["totalNotes"] == len(expected)
    assert data["stats"]["byVisibility"] == {v: 1 for v in sorted(SEEN[name])}
    assert data["entity"]["noteCount"] == len(expected)
    assert {n["id"] for n in data["entity"]["notes"]} == expected
    assert {h["note"]["id"] for h in data["context"]["hits"]} == expected
    assert {e["subjectId"] for e in data["events"]} == expected
    hidden = {"PRIVATE", "USER_ONLY", "SCOPED", "OPEN"} - SEEN[name]
    for text in (data["context"]["text"], data["entity"]["summary"]):
        assert not [v for v in hidden if f"told {v}." in text]


async def test_readable_by_names_those_who_read_it(api: Any) -> None:
    await set_up(api)
    ids = await four_notes(api, "business/coding")
    for visibility, i in ids.items():
        data = await api("query N($id: ID!) { note(id: $id) { readableBy { id } } }", id=i)
        readers = {agent["id"] for agent in data["note"]["readableBy"]}
        assert readers == {name for name in PROFILES if visibility in SEEN[name]}


@pytest.mark.feature("MUMA-30")
async def test_scoped_is_for_agents_of_the_domain_or_one_above(api: Any) -> None:
    await set_up(api)
    made = await api.remember("The EMEA quota is 40.", domain="business/sales/emea")
    assert made["note"]["visibility"] == "SCOPED"
    assert await api.as_agent("sales").recall("EMEA quota")
    assert not await api.as_agent("coding").recall("EMEA quota")
    assert await api.as_agent("coding").code(NOTE, id=made["note"]["id"]) == "NOT_FOUND"


@pytest.mark.feature("MUMA-31")
async def test_private_is_for_its_writer_and_the_assistant(api: Any) -> None:
    await set_up(api)
    made = await api.as_agent("coding").remember("My scratch pad.", visibility="PRIVATE")
    note = made["note"]["id"]
    for reader in (api, api.as_agent("coding"), api.as_agent("main")):
        assert (await reader(NOTE, id=note))["note"]["id"] == note
    for name in ("sales", "orchestrator", "newcomer"):
        assert await api.as_agent(name).code(NOTE, id=note) == "NOT_FOUND"


@pytest.mark.feature("MUMA-32")
async def test_user_only_comes_only_when_asked_for_explicitly(api: Any) -> None:
    await set_up(api)
    secret = (await api.remember("The diary key is under the pot.", visibility="USER_ONLY"))["note"]
    plain = (await api.remember("A pot of clay.", visibility="OPEN"))["note"]
    await api(
        'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "RELATED") { id } }',
        a=plain["id"],
        b=secret["id"],
    )
    for reader in (api, api.as_agent("main"), api.as_agent("sales")):
        assert [h["note"]["id"] for h in await reader.recall("diary key pot")] == [plain["id"]]
        context = await reader('{ context(input: {task: "diary key pot"}) { text } }')
        assert "diary" not in context["context"]["text"]
    for name, count in (("main", 1), ("sales", 0), ("orchestrator", 0)):
        agent = api.as_agent(name)
        hits = await agent.recall("diary key", explicit=True)
        assert len([h for h in hits if h["note"]["id"] == secret["id"]]) == count
        data = await agent(
            "query N($id: ID!) { note(id: $id) { links { id } } events { subjectId type } }",
            id=plain["id"],
        )
        assert data["note"]["links"] == []
        assert secret["id"] not in {e["subjectId"] for e in data["events"]}
        assert await agent.code(NOTE, id=secret["id"]) == "NOT_FOUND"
    assert secret["id"] in {h["note"]["id"] for h in await api.recall("diary key", explicit=True)}
    own = await api(
        "query N($id: ID!) { note(id: $id) { id links { target { id } } } }", id=plain["id"]
    )
    assert own["note"]["links"][0]["target"]["id"] == secret["id"]


@pytest.mark.feature("MUMA-36")
async def test_a_tightened_profile_holds_from_the_next_request(api: Any) -> None:
    await api.remember("Deploys happen on Friday.", domain="business/coding")
    agent = api.as_agent("deployer")
    assert len(await agent.recall("deploys")) == 1  # works at once, on first use
    profile = (await api("{ agents { id domains canSeePrivate role writes } }"))["agents"]
    assert profile == [
        {"id": "deployer", "domains": ["*"], "canSeePrivate": False}
        | {"role": "WORKER", "writes": "DIRECT"}
    ]
    await api(REGISTER, i={"id": "deployer", "domains": ["business/sales"]})
    assert await agent.recall("deploys") == []
    await api(REGISTER, i={"id": "deployer", "domains": ["business"]})
    assert len(await agent.recall("deploys")) == 1


async def test_no_agent_raises_a_clearance_or_sets_a_rule(api: Any) -> None:
    agent = api.as_agent("coding")
    await api(REGISTER, i={"id": "coding", "domains": ["docs"]})
    assert await agent.code(REGISTER, i={"id": "coding", "domains": ["*"]}) == "FORBIDDEN"
    assert await agent.code(REGISTER, i={"id": "coding", "canSeePrivate": True}) == "FORBIDDEN"
    assert await agent.code(REGISTER, i={"id": "other"}) == "FORBIDDEN"
    assert await agent.code(RULE, d="docs", v="OPEN") == "FORBIDDEN"
    assert await agent.code('mutation { registerUser(id: "x1") { id } }') == "FORBIDDEN"
    agents = (await api("{ agents { id domains canSeePrivate } }"))["agents"]
    assert agents == [{"id": "coding", "domains": ["docs"], "canSeePrivate": False}]


@pytest.mark.feature("MUMA-26")
async def test_hidden_notes_use_up_no_place(api: Any) -> None:
    """1,000 notes that fit better, hidden, and 10 that may be read: 10 hits."""
    await set_up(api)
    hidden = [
        {"content": f"kiln relay kiln relay {i}", "visibility": "PRIVATE", "mode": "VERBATIM"}
        for i in range(1000)
    ]
    for part in (hidden[:500], hidden[500:]):
        await api(
            "mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index } } }",
            i={"notes": part},
        )
    readable = [
        {"content": f"Somebody once spoke of a relay of runners, day {i}", "visibility": "OPEN"}
        for i in range(10)
    ]
    data = await api(MANY, i={"notes": readable})
    ids = {result["note"]["id"] for result in data["rememberMany"]["results"]}
    hits = await api.as_agent("sales").recall("kiln relay")
    assert len(hits) == 10
    assert {hit["note"]["id"] for hit in hits} == ids
    # What is hidden does not move the scores, either.
    only = api.as_agent("sales")
    before = [(h["note"]["id"], h["score"]) for h in hits]
    await api.remember("kiln relay kiln", visibility="USER_ONLY")
    after = [(h["note"]["id"], h["score"]) for h in await only.recall("kiln relay")]
    assert after == before


@pytest.mark.feature("MUMA-43")
async def test_the_five_examples_within_a_user(api: Any) -> None:
    await set_up(api)
    cases = [
        ("OPEN", "personal/location", {"coding", "main"}),
        ("SCOPED", "business/coding", {"coding", "main"}),
        ("SCOPED", "business/sales", {"main"}),
        ("PRIVATE", "personal/health", {"main"}),
    ]
    for visibility, domain, readers in cases:
        made = await api.remember(f"About {domain}.", visibility=visibility, domain=domain)
        note = made["note"]["id"]
        for name in ("coding", "main"):
            answer = await api.as_agent(name).post(NOTE, id=note)
            if name in readers:
                assert answer["data"]["note"]["id"] == note
            else:
                assert answer["errors"][0]["extensions"]["code"] == "NOT_FOUND"


EVERY_PATH = """{
  notes { totalCount nodes { id } pageInfo { endCursor hasNextPage } }
  recall(input: {query: "Zebedee kiln", track: false, hops: 3, deep: true, explicit: true}) {
    hits { score note { id } } confidence strategy }
  context(input: {task: "Zebedee kiln"}) { text tokenCount suggestedDomains hits { rank } }
  entities { id name noteCount }
  agents { id noteCount }
  events { seq subjectId }
  stats { totalNotes byDomain byVisibility byStatus byTier storageBytes entities links }
  viewer { audiences }
}"""

BY_ID = (
    NOTE,
    'mutation R($id: ID!) { revise(id: $id, content: "x") { id } }',
    "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }",
    "mutation R($id: ID!) { restore(id: $id) { id } }",
    "mutation P($id: ID!) { pin(id: $id) { id } }",
    "mutation V($id: ID!) { setVisibility(id: $id, visibility: OPEN) { updatedCount } }",
    'mutation L($id: ID!) { link(source: $id, target: "x", kind: "y") { id } }',
    "mutation U($id: ID!) { unlink(id: $id) }",
)


@pytest.mark.feature("MUMA-61", "MUMA-59")
async def test_another_users_memory_is_not_there(api: Any, new_user: Any) -> None:
    """Nothing of another user is read or counted, in the same words as what does not exist."""
    other = api.as_user(new_user())
    made = await other.remember(
        "Zebedee owns the kiln.",
        domain="personal/family",
        visibility="OPEN",
        externalId="theirs",
        entities=[{"name": "Zebedee"}, {"name": "Kiln"}],
        relations=[{"subject": "Zebedee", "predicate": "owns", "object": "Kiln"}],
    )
    theirs = made["note"]["id"]
    entity = (await other('{ entity(name: "Zebedee") { id } }'))["entity"]["id"]
    absent = "0190a0a0-0000-7000-8000-000000000000"
    for viewer in (api, api.as_agent("main")):
        data = await viewer(EVERY_PATH)
        assert data["notes"]["nodes"] == []
        assert data["notes"]["totalCount"] == 0
        assert data["recall"]["hits"] == []
        assert data["context"]["text"] == ""
        assert data["entities"] == []
        assert theirs not in {event["subjectId"] for event in data["events"]}
        assert data["stats"]["totalNotes"] == 0
        assert data["stats"]["entities"] == 0
        assert data["viewer"]["audiences"] == 0
        for query, own, missing in (
            *((query, theirs, absent) for query in BY_ID),
            ("query N($id: String!) { note(externalId: $id) { id } }", "theirs", "none"),
            ("query E($id: ID!) { entity(id: $id) { id } }", entity, absent),
            ("query E($id: String!) { entity(name: $id) { id } }", "Zebedee", "Nobody"),
            ('query P($id: String!) { paths(from: $id, to: "x") { relationships } }', entity, "no"),
        ):
            found, none = await viewer.post(query, id=own), await viewer.post(query, id=missing)
            assert found == none
            assert found["errors"][0]["extensions"]["code"] == "NOT_FOUND"
        assert await viewer.recall("Zebedee", filter={"entity": entity}) == []
    assert (await other(NOTE, id=theirs))["note"]["id"] == theirs


async def test_the_same_words_of_two_users_make_things_of_their_own(
    api: Any, new_user: Any
) -> None:
    other = api.as_user(new_user())
    text = "Priya Nair runs the Halden project."
    given = {"externalId": "one", "idempotencyKey": "two", "entities": [{"name": "Halden"}]}
    first, second = await asyncio.gather(api.remember(text, **given), other.remember(text, **given))
    assert (first["operation"], second["operation"]) == ("ADD", "ADD")
    assert first["note"]["id"] != second["note"]["id"]
    mine, theirs = [
        (await each('{ entity(name: "Halden") { id noteCount } }'))["entity"]
        for each in (api, other)
    ]
    assert mine["id"] != theirs["id"]
    assert mine["noteCount"] == theirs["noteCount"] == 1


async def test_entities_relations_links_and_paths_are_backed_by_readable_notes(api: Any) -> None:
    await set_up(api)
    open_note = await api.remember(
        "Orla works at Saltmarsh.",
        visibility="OPEN",
        relations=[{"subject": "Orla", "predicate": "works at", "object": "Saltmarsh"}],
    )
    secret = await api.remember(
        "Orla, known as Falcon, sells Saltmarsh to Brindlow.",
        visibility="PRIVATE",
        entities=[{"name": "Orla", "type": "spy", "aliases": ["Falcon"]}],
        relations=[
            {"subject": "Orla", "predicate": "works at", "object": "Saltmarsh", "confidence": 0.4},
            {"subject": "Saltmarsh", "predicate": "sold to", "object": "Brindlow"},
        ],
    )
    await api(
        'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "EXPLAINS") { id } }',
        a=open_note["note"]["id"],
        b=secret["note"]["id"],
    )
    query = """{ entity(name: "Orla") { name type aliases noteCount notes { id }
      relations { predicate object { name } notes { id } } }
      entities { name } stats { links entities } }"""
    mine = await api(query)
    assert mine["entity"]["aliases"] == ["Falcon"]
    assert len(mine["entity"]["relations"][0]["notes"]) == 2
    assert {e["name"] for e in mine["entities"]} == {"Orla", "Saltmarsh", "Brindlow"}
    assert mine["stats"] == {"links": 2, "entities": 3}  # one of them made by the write
    sales = api.as_agent("sales")
    seen = await sales(query)
    assert seen["entity"] == {
        "name": "Orla",
        "type": "person",
        "aliases": [],
        "noteCount": 1,
        "notes": [{"id": open_note["note"]["id"]}],
        "relations": [
            {"predicate": "works at", "object": {"name": "Saltmarsh"}}
            | {"notes": [{"id": open_note["note"]["id"]}]}
        ],
    }
    assert {e["name"] for e in seen["entities"]} == {"Orla", "Saltmarsh"}
    assert seen["stats"] == {"links": 0, "entities": 2}
    for hidden in ("Falcon", "Brindlow"):
        assert await sales.code("query E($n: String!) { entity(name: $n) { id } }", n=hidden) == (
            "NOT_FOUND"
        )
    paths = '{ paths(from: "Orla", to: "Brindlow") { relationships nodes { label kind } } }'
    assert (await api(paths))["paths"]
    assert await sales.code(paths) == "NOT_FOUND"
    note = "query N($id: ID!) { note(id: $id) { links { id } entities { name } } }"
    shown = (await sales(note, id=open_note["note"]["id"]))["note"]
    assert shown["links"] == []
    assert {e["name"] for e in shown["entities"]} == {"Orla", "Saltmarsh"}


async def test_an_agent_writes_for_others_and_learns_nothing_of_what_is_there(api: Any) -> None:
    await set_up(api)
    text = "The Acme deal closes in May."
    mine = (await api.remember(text, domain="business/sales"))["note"]
    made = await api.as_agent("coding").remember(text, domain="business/sales")
    assert made["operation"] == "ADD"
    assert made["note"]["id"] != mine["id"]
    data = await api("query N($id: ID!) { note(id: $id) { accessCount } }", id=mine["id"])
    assert data["note"]["accessCount"] == 0
    assert await api.as_agent("coding").code(NOTE, id=made["note"]["id"]) == "NOT_FOUND"
    again = await api.as_agent("sales").remember(text, domain="business/sales")
    assert (again["operation"], again["note"]["id"]) == ("NOOP", mine["id"])


@pytest.mark.feature("MUMA-34")
async def test_seven_rules_decide_seven_notes(api: Any) -> None:
    rules = {
        "personal/health": "PRIVATE",
        "personal/finance": "PRIVATE",
        "personal/preferences": "OPEN",
        "personal/location": "OPEN",
        "business/coding": "SCOPED",
        "business/sales": "SCOPED",
        "skills": "OPEN",
    }
    for domain, visibility in rules.items():
        data = await api(RULE, d=domain, v=visibility)
        assert data["setVisibility"]["rule"] == {"domain": domain, "visibility": visibility}
    found = await api("{ viewer { user { visibilityRules { domain visibility } } } }")
    listed = found["viewer"]["user"]["visibilityRules"]
    assert {rule["domain"]: rule["visibility"] for rule in listed} == rules
    writer = api.as_agent("writer")
    for domain, visibility in rules.items():
        made = await writer.remember(f"Something of {domain}.", domain=f"{domain}/part")
        assert made["note"]["visibility"] == visibility
    beside = await writer.remember("Something else.", domain="personal/healthy")
    assert beside["note"]["visibility"] == "SCOPED"


@pytest.mark.feature("MUMA-34")
async def test_a_rule_is_taken_back_and_the_default_is_set(api: Any) -> None:
    shown = "visibilityRules { domain visibility } defaultVisibility"
    remove = f"mutation R($d: String!) {{ removeVisibilityRule(domain: $d) {{ {shown} }} }}"
    default = (
        f"mutation D($v: Visibility!) {{ setDefaultVisibility(visibility: $v) {{ {shown} }} }}"
    )
    for domain in ("cellar", "cellar/wine"):
        await api(RULE, d=domain, v="PRIVATE")
    before = await api.remember("Old casks.", domain="cellar/wine")
    kept = [{"domain": "cellar", "visibility": "PRIVATE"}]
    assert (await api(remove, d="cellar/wine"))["removeVisibilityRule"] == {
        "visibilityRules": kept,
        "defaultVisibility": "SCOPED",
    }
    assert await api.code(remove, d="cellar/wine") == "NOT_FOUND"
    await api(remove, d="cellar")
    changed = (await api(default, v="USER_ONLY"))["setDefaultVisibility"]
    assert changed == {"visibilityRules": [], "defaultVisibility": "USER_ONLY"}
    after = await api.remember("New casks.", domain="cellar/wine")
    assert after["note"]["visibility"] == "USER_ONLY"
    data = await api("query N($id: ID!) { note(id: $id) { visibility } }", id=before["note"]["id"])
    assert data["note"]["visibility"] == "PRIVATE"  # it keeps its readers
    helper = api.as_agent("helper")
    for query, given in ((remove, {"d": "cellar"}), (default, {"v": "OPEN"})):
        assert await helper.code(query, **given) == "FORBIDDEN"
    assert (await api("{ viewer { user { defaultVisibility } } }"))["viewer"]["user"] == {
        "defaultVisibility": "USER_ONLY"
    }


@pytest.mark.feature("MUMA-33")
async def test_the_user_then_the_rule_then_the_classification_then_scoped(api: Any) -> None:
    await api(RULE, d="personal/health", v="PRIVATE")
    agent = api.as_agent("writer")
    health, misc = {"domain": "personal/health"}, {"domain": "misc"}
    by_user = await api.remember("One.", **health, visibility="OPEN")
    by_rule = await agent.remember("Two.", **health, visibility="OPEN")
    classified = await agent.remember("Three.", **misc, visibility="OPEN")
    default = await agent.remember("Four.", **misc)
    found = [made["note"]["visibility"] for made in (by_user, by_rule, classified, default)]
    assert found == ["OPEN", "PRIVATE", "OPEN", "SCOPED"]


async def test_a_rule_holds_for_the_notes_that_are_there(api: Any) -> None:
    await set_up(api)
    agent = api.as_agent("coding")
    texts = {
        "personal/health": "Asthma.",
        "personal/health/gym": "Legs on Monday.",
        "personal/healthy": "Salad.",
    }
    ids = {}
    for domain, text in texts.items():
        made = await api.remember(
            text, domain=domain, entities=[{"name": f"Thing {text}"}], visibility="OPEN"
        )
        ids[domain] = made["note"]["id"]
        assert (await agent(NOTE, id=ids[domain]))["note"]
    changed = (await api(RULE, d="personal/health", v="PRIVATE"))["setVisibility"]
    assert changed["updatedCount"] == 2
    assert set(changed["noteIds"]) == {ids["personal/health"], ids["personal/health/gym"]}
    for domain in ("personal/health", "personal/health/gym"):
        assert await agent.code(NOTE, id=ids[domain]) == "NOT_FOUND"
        assert (await api.as_agent("main")(NOTE, id=ids[domain]))["note"]
    assert (await agent(NOTE, id=ids["personal/healthy"]))["note"]
    assert [h["note"]["domain"] for h in await agent.recall("asthma legs salad")] == [
        "personal/healthy"
    ]
    assert {e["name"] for e in (await agent("{ entities { name } }"))["entities"]} == {
        "Thing Salad."
    }
    heard = {
        e["subjectId"] for e in (await agent("{ events(first: 200) { subjectId } }"))["events"]
    }
    assert ids["personal/health"] not in heard
    again = (await api(RULE, d="personal/health", v="PRIVATE"))["setVisibility"]
    assert again["updatedCount"] == 0


async def test_who_may_give_a_note_more_readers(api: Any) -> None:
    await set_up(api)
    coding, main = api.as_agent("coding"), api.as_agent("main")
    own = (await coding.remember("Own scratch.", visibility="PRIVATE"))["note"]["id"]
    assert await coding.code(RULE, id=own, v="OPEN") == "FORBIDDEN"
    pin = "mutation P($id: ID!) { pin(id: $id, visibility: OPEN) { id } }"
    assert await coding.code(pin, id=own) == "FORBIDDEN"
    kept = await api("query N($id: ID!) { note(id: $id) { visibility pinned version } }", id=own)
    assert kept["note"] == {"visibility": "PRIVATE", "pinned": False, "version": 1}
    assert (await main(RULE, id=own, v="SCOPED"))["setVisibility"]["updatedCount"] == 1
    assert (await main(RULE, id=own, v="OPEN"))["setVisibility"]["updatedCount"] == 1
    assert (await coding(RULE, id=own, v="PRIVATE"))["setVisibility"]["updatedCount"] == 1
    note = await api("query N($id: ID!) { note(id: $id) { visibility version } }", id=own)
    assert note["note"] == {"visibility": "PRIVATE", "version": 4}


async def test_an_agent_that_only_proposes_writes_nothing(api: Any) -> None:
    mine = (await api.remember("Mine.", visibility="OPEN"))["note"]["id"]
    await api(REGISTER, i={"id": "careful", "writes": "PROPOSE"})
    agent = api.as_agent("careful")
    for query in (
        f'mutation {{ revise(id: "{mine}", content: "x") {{ id }} }}',
        f'mutation {{ forget(id: "{mine}") {{ forgotten }} }}',
        f'mutation {{ restore(id: "{mine}") {{ id }} }}',
        f'mutation {{ pin(id: "{mine}") {{ id }} }}',
        f'mutation {{ setVisibility(id: "{mine}", visibility: PRIVATE) {{ updatedCount }} }}',
        f'mutation {{ link(source: "{mine}", target: "{mine}", kind: "x") {{ id }} }}',
        'mutation { unlink(id: "x") }',
    ):
        assert await agent.code(query) == "FORBIDDEN"
    data = await api("query N($id: ID!) { note(id: $id) { version content } }", id=mine)
    assert data["note"] == {"version": 1, "content": "Mine."}
    many = 'mutation { rememberMany(input: {notes: [{content: "x"}]}) { results { operation } } }'
    assert (await agent(many))["rememberMany"]["results"] == [{"operation": "PROPOSE"}]
    assert (await agent.remember("x"))["operation"] == "PROPOSE"
    assert (await api("{ notes { totalCount } }"))["notes"]["totalCount"] == 1


@pytest.mark.feature("MUMA-26")
async def test_a_writer_may_write_for_so_many_audiences_only(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.context, "MAX_AUDIENCES_OF_AGENT", 3)
    await api(REGISTER, i={"id": "flood", "domains": ["home", "work"]})
    agent = api.as_agent("flood")
    scoped = {"visibility": "SCOPED"}
    await api.remember("The user keeps bees.", domain="work/bees", **scoped)
    await api.remember("The user keeps geese.", domain="secret/geese")
    for domain in ("home/a", "home/b", "elsewhere"):
        await agent.remember(f"A note for {domain}.", domain=domain, **scoped)

    async def refused(domain: str) -> Any:
        given = {"content": "One more note.", "domain": domain, **scoped}
        answer = await agent.post(MANY, i={"notes": [given]})
        (result,) = answer["data"]["rememberMany"]["results"]
        return result["error"]

    new = await refused("home/c")
    assert new["code"] == "FORBIDDEN"
    # Whether notes are there that the agent may not read makes no difference.
    assert [await refused(d) for d in ("secret/geese", "secret/none", "elsewhere")] == [new] * 3
    bees = await agent.remember("Bees like lavender.", domain="work/bees", **scoped)
    assert bees["operation"] == "ADD"
    known = await agent.remember("The second note for home.", domain="home/a", **scoped)
    move = "mutation V($i: ID!) { setVisibility(id: $i, visibility: PRIVATE) { updatedCount } }"
    assert await agent.code(move, i=known["note"]["id"]) == "FORBIDDEN"
    total = await api("{ notes(first: 1) { totalCount } }")
    assert total["notes"]["totalCount"] == 7
    assert (await api.remember("The user is not limited so.", domain="home/c"))["note"]


@pytest.mark.feature("MUMA-26")
async def test_moving_notes_about_counts_too(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services.context, "MAX_AUDIENCES_OF_AGENT", 3)
    await api(REGISTER, i={"id": "mover", "domains": ["*"]})
    agent = api.as_agent("mover")
    note = (await agent.remember("A note on the move.", domain="a"))["note"]
    revise = """mutation R($id: ID!, $d: String!, $v: Int!) {
      revise(id: $id, domain: $d, expectedVersion: $v) { version } }"""
    for version, domain in enumerate(("b", "c"), 1):
        await agent(revise, id=note["id"], d=domain, v=version)
    assert await agent.code(revise, id=note["id"], d="d", v=3) == "FORBIDDEN"


@pytest.mark.feature("MUMA-26")
async def test_how_many_hidden_notes_mention_a_thing_changes_no_answer(api: Any) -> None:
    """Neo4j keeps the relationships of a node in another order once it has more than fifty."""
    await api(REGISTER, i={"id": "counter", "domains": ["work"]})
    agent = api.as_agent("counter")
    seen = {"domain": "work", "visibility": "SCOPED", "mode": "VERBATIM"}
    notes: list[dict[str, Any]] = [
        {"content": f"Item {n} is near Zebulon Orme.", **seen} for n in range(20)
    ]
    notes[0]["entities"] = [{"name": "Zebulon Orme"}]
    for n in range(20):
        said = {"subject": "Tarn Hall", "predicate": f"owns {n}", "object": f"Mill {n}"}
        notes.append({"content": f"Deed {n}.", "relations": [said], **seen})
        notes.append({"content": f"Mill {n} is made of brick.", **seen})
    await api(MANY, i={"notes": notes})

    async def told() -> list[Any]:
        questions = ("Zebulon Orme", "What is item 7?", "Tarn Hall", "Who owns mill 3?")
        return [await agent.recall(question, k=60) for question in questions]

    before = await told()
    for _ in range(3):
        hidden: list[dict[str, Any]] = []
        for n in range(16):
            said = {"subject": "Tarn Hall", "predicate": f"sold {n}", "object": "Zebulon Orme"}
            content = f"Zebulon Orme of Tarn Hall hides {n}."
            hidden.append({"content": content, "domain": "secret", "relations": [said]})
        await api(MANY, i={"notes": [each | {"mode": "VERBATIM"} for each in hidden]})
        assert await told() == before

"""Messages in everyday words over GraphQL."""

from collections.abc import Callable
from typing import Any

import pytest

STATS = """totalNotes byDomain byVisibility byStatus byTier byActivation storageBytes entities
  links"""
COMMAND = f"""mutation C($text: String!) {{ command(text: $text) {{ intent message data
  note {{ id content domain visibility pinned halfLifeHours type source validity confidence
    relevance author {{ id }} }}
  forget {{ forgotten permanent needsConfirmation matches {{ id status }} }}
  recall {{ hits {{ rank score note {{ id domain }} via {{ relationship label noteId }} }} }}
  reflection {{ id }}
  visibility {{ updatedCount noteIds rule {{ domain visibility }} }}
  stats {{ {STATS} }} }} }}"""
EVENTS = """query E($types: [String!]) { events(types: $types, first: 500) {
  type actor subjectId domain } }"""
FORGET = """mutation F($q: String, $c: Boolean, $p: Boolean) { forget(query: $q, confirm: $c,
  permanent: $p) { forgotten needsConfirmation matches { id status } } }"""
NOTE = """query N($id: ID!) { note(id: $id) { id status visibility relevance tags
  readableBy { id } } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
RULE = """mutation S($d: String!, $v: Visibility!) { setVisibility(domain: $d, visibility: $v) {
  updatedCount } }"""
LINK = """mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "supports") { id } }"""


async def say(api: Any, text: str) -> dict[str, Any]:
    return (await api(COMMAND, text=text))["command"]


async def events(api: Any, *types: str) -> list[dict[str, Any]]:
    return (await api(EVENTS, types=list(types) or None))["events"]


async def set_up(api: Any) -> None:
    await api(AGENT, i={"id": "main", "canSeePrivate": True})
    await api(AGENT, i={"id": "coding", "domains": ["business/coding"]})
    await api(AGENT, i={"id": "sales", "domains": ["business/sales"]})


async def note_of(api: Any, content: str, **given: Any) -> str:
    return (await api.remember(content, **given))["note"]["id"]


@pytest.mark.feature("MUMA-122")
async def test_a_preference_is_pinned_and_open_to_all_agents(api: Any) -> None:
    done = await say(api, "Remember that I always prefer TypeScript over JavaScript")
    note = done["note"]
    assert done["intent"] == "REMEMBER"
    assert note["content"] == "I always prefer TypeScript over JavaScript"
    assert (note["pinned"], note["halfLifeHours"]) == (True, None)
    assert (note["domain"], note["visibility"]) == ("personal/preferences", "OPEN")
    assert (note["type"], note["relevance"]) == ("PREFERENCE", 1.0)
    again = await say(api.as_agent("sales"), "remember: I never drink coffee")
    assert (again["note"]["visibility"], again["note"]["pinned"]) == ("OPEN", True)
    assert again["note"]["author"] == {"id": "sales"}
    await api(RULE, d="personal/preferences", v="PRIVATE")
    ruled = await say(api, "Remember that I prefer tea")
    assert (ruled["note"]["visibility"], ruled["note"]["pinned"]) == ("PRIVATE", True)


async def test_what_is_to_be_remembered_is_kept_as_told_and_not_pinned(api: Any) -> None:
    done = await say(api, "Please remember that the kiln in Halden is blue, thanks!")
    note = done["note"]
    assert note["content"] == "the kiln in Halden is blue"
    assert (note["pinned"], note["halfLifeHours"]) == (False, 168.0)
    assert (note["source"], note["validity"], note["confidence"]) == ("TOLD", "ASSERTED", 0.9)
    [event] = await events(api)
    assert (event["type"], event["actor"]) == ("CREATE", "bot:trigger-remember")
    assert event["subjectId"] == note["id"]
    told = await say(api.as_agent("coding"), "Remember that the loft is cold.")
    assert (told["note"]["source"], told["note"]["validity"]) == ("TOLD", "ASSERTED")
    again = await say(api, "Don't forget that the kiln in Halden is blue")
    assert again["note"]["id"] == note["id"]
    assert again["message"] == "I remember that already."
    lasting = await say(api, "Never forget that the safe is behind the picture.")
    assert (lasting["note"]["pinned"], lasting["data"]["route"]["store"]) == (True, "vault")
    nothing = await say(api, "Remember that.")
    assert (nothing["intent"], nothing["note"]) == ("REMEMBER", None)


@pytest.mark.feature("MOLT-28")
@pytest.mark.parametrize(
    ("text", "store", "core_update"),
    [
        ("Remember that my name is Ada.", "core", True),
        ("Remember that we decided on Tuesday to use Postgres.", "episodic", False),
        ("Remember that Postgres supports JSON columns.", "semantic", False),
        ("Remember how to deploy: 1. run the tests 2. build 3. push", "procedural", False),
        ("Never forget that the safe is behind the picture.", "vault", False),
    ],
)
async def test_the_route_is_told_in_the_words_of_the_router(
    api: Any, text: str, store: str, core_update: bool
) -> None:
    route = (await say(api, text))["data"]["route"]
    assert (route["store"], route["core_update"]) == (store, core_update)
    assert route["confidence"] == "high"
    assert 2 <= len(route["tags"]) <= 5
    assert route["summary"].rstrip(".").lower() in text.lower()
    assert isinstance(route["relations"], list)
    assert all(each.keys() == {"name", "type"} for each in route["entities"])


async def test_the_route_names_entities_and_relations(api: Any) -> None:
    route = (await say(api, "Remember that Ada Kessler works at Acme."))["data"]["route"]
    assert {each["name"] for each in route["entities"]} == {"Ada Kessler", "Acme"}
    [relation] = route["relations"]
    assert {relation["from"], relation["to"]} == {"Ada Kessler", "Acme"}
    assert relation["relation"]


async def test_what_is_there_unpinned_is_pinned_when_it_is_to_stay(api: Any) -> None:
    text = "The safe is behind the picture."
    plain = (await say(api, f"Remember: {text}"))["note"]
    lasting = (await say(api, f"Never forget: {text}"))["note"]
    assert (lasting["id"], plain["pinned"], lasting["pinned"]) == (plain["id"], False, True)
    assert lasting["halfLifeHours"] is None


@pytest.mark.feature("MUMA-123")
@pytest.mark.feature("MOLT-31")
async def test_forgetting_asks_first_and_archives_what_is_tagged(api: Any) -> None:
    tagged = [
        await note_of(api, "The supplier left us.", tags=["project-x"]),
        await note_of(api, "Nobody wanted the lamp.", tags=["Project X", "lamp"]),
    ]
    worded = await note_of(api, "Project X has failed for want of money.", tags=["money"])
    other = await note_of(api, "The failed kiln is back.", tags=["project-y", "project"])
    before = await events(api)
    done = await say(api, "Forget everything about the failed project X")
    assert done["intent"] == "FORGET"
    assert {n["id"] for n in done["forget"]["matches"]} == {*tagged, worded}
    assert (done["forget"]["forgotten"], done["forget"]["needsConfirmation"]) == (0, True)
    assert done["message"] == (
        "I found 3 memories about failed project X. Should I archive all of them?"
    )
    assert await events(api) == before
    for note in (*tagged, worded):
        assert (await api(NOTE, id=note))["note"]["status"] == "ACTIVE"
    asked = done["data"]
    assert asked == {"query": "failed project X", "permanent": False}
    confirmed = (await api(FORGET, q=asked["query"], c=True))["forget"]
    assert confirmed["forgotten"] == 3
    for note in (*tagged, worded):
        found = (await api(NOTE, id=note))["note"]
        assert (found["status"], found["relevance"]) == ("ARCHIVED", 0.0)
    assert (await api(NOTE, id=other))["note"]["status"] == "ACTIVE"


async def test_forgetting_shows_only_what_the_viewer_reads(
    api: Any, new_user: Callable[[], str]
) -> None:
    await set_up(api)
    hidden = await note_of(api, "The kiln of Halden.", visibility="PRIVATE", tags=["old-kiln"])
    shown = await note_of(api, "The kiln of Halden is old.", visibility="OPEN", tags=["old-kiln"])
    stranger = api.as_user(new_user())
    found = await say(stranger, "Forget about the old kiln")
    assert found["forget"]["matches"] == []
    assert found["message"] == "I found no memories about old kiln."
    found = await say(api.as_agent("sales"), "Forget about the old kiln")
    assert [note["id"] for note in found["forget"]["matches"]] == [shown]
    assert found["message"].startswith("I found 1 memory about old kiln. Should I archive it?")
    found = await say(api.as_agent("main"), "Forget about the old kiln")
    assert {note["id"] for note in found["forget"]["matches"]} == {shown, hidden}
    nothing = await say(api, "Scratch that.")
    assert (nothing["intent"], nothing["forget"]) == ("FORGET", None)
    gone = await say(api, "Permanently delete everything about Halden")
    assert (gone["forget"]["permanent"], gone["forget"]["forgotten"]) == (True, 0)
    assert gone["data"] == {"query": "Halden", "permanent": True}
    await api(FORGET, q="Halden", c=True, p=True)
    assert await api.code(NOTE, id=hidden) == "NOT_FOUND"


@pytest.mark.feature("MUMA-124")
async def test_health_is_told_with_its_links_to_who_may_read_it(api: Any) -> None:
    await set_up(api)
    health = [
        await note_of(api, t, domain="personal/health", visibility="PRIVATE")
        for t in ("I want to run ten kilometres.", "My goal is to sleep eight hours.")
    ]
    linked = await note_of(api, "The running club meets on Monday.", visibility="OPEN")
    secret = await note_of(api, "A secret of the club.", visibility="USER_ONLY")
    await note_of(api, "Goals of the sales team: health care firms.", visibility="OPEN")
    await api(LINK, a=health[0], b=linked)
    await api(LINK, a=health[0], b=secret)
    ask = "What do you remember about my health goals?"
    for viewer in (api, api.as_agent("main")):
        done = await say(viewer, ask)
        hits = done["recall"]["hits"]
        assert {hit["note"]["id"] for hit in hits[:2]} == set(health)
        assert [hit["note"]["id"] for hit in hits[2:]] == [linked]
        assert [hit["rank"] for hit in hits] == [1, 2, 3]
        assert hits[2]["via"][-1] == {
            "relationship": "supports",
            "label": "The running club meets on Monday.",
            "noteId": linked,
        }
        assert done["message"] == "I found 3 memories about my health goals."
    for name in ("coding", "sales"):
        assert (await say(api.as_agent(name), ask))["recall"]["hits"] == []


@pytest.mark.feature("MOLT-27")
async def test_a_recall_writes_nothing(api: Any, context: Any) -> None:
    note = await note_of(api, "The kiln in Halden is blue.")
    before = await events(api)
    looks = (
        "query N($id: ID!) { note(id: $id) { version accessCount updatedAt } stats { totalNotes } }"
    )
    was = await api(looks, id=note)
    done = await say(api, "What do you remember about the kiln?")
    assert done["intent"] == "RECALL"
    assert [hit["note"]["id"] for hit in done["recall"]["hits"]] == [note]
    await context.log.flush()
    assert await events(api) == before
    assert await api(looks, id=note) == was
    assert (await say(api, "What do you remember about my health?"))["recall"] is not None


@pytest.mark.feature("MUMA-125")
async def test_a_domain_is_kept_private(api: Any) -> None:
    await set_up(api)
    notes = [
        await note_of(api, "I sleep badly.", domain="personal/health", visibility="OPEN"),
        await note_of(api, "I see Dr. Falk.", domain="personal/health/therapy"),
    ]
    other = await note_of(api, "I am healthy.", domain="personal/healthy", visibility="OPEN")
    refused = api.as_agent("main")
    assert await refused.code(COMMAND, text="Make my health information public") == "FORBIDDEN"
    done = await say(api, "Keep my health information private")
    assert done["intent"] == "VISIBILITY"
    assert done["visibility"]["rule"] == {"domain": "personal/health", "visibility": "PRIVATE"}
    assert done["visibility"]["updatedCount"] == 2
    assert set(done["visibility"]["noteIds"]) == set(notes)
    changed = [e["subjectId"] for e in await events(api, "VISIBILITY") if e["subjectId"]]
    assert sorted(changed) == sorted(notes)
    assert await api.as_agent("sales").code(NOTE, id=notes[0]) == "NOT_FOUND"
    assert (await api(NOTE, id=other))["note"]["visibility"] == "OPEN"
    new = await api.remember("I run.", domain="personal/health")
    assert new["note"]["visibility"] == "PRIVATE"


@pytest.mark.feature("MUMA-126")
async def test_a_domain_is_made_available_to_all_agents(api: Any) -> None:
    await set_up(api)
    main, sales = api.as_agent("main"), api.as_agent("sales")
    given = {"domain": "personal/location", "visibility": "SCOPED"}
    note = await note_of(main, "The user lives in Lisbon.", **given)
    assert await sales.recall("Where does the user live?") == []
    assert await sales.code(COMMAND, text="Make my location available to all agents") == "FORBIDDEN"
    assert await sales.recall("Where does the user live?") == []
    done = await say(api, "Make my location available to all agents")
    assert done["visibility"]["rule"] == {"domain": "personal/location", "visibility": "OPEN"}
    assert done["visibility"]["noteIds"] == [note]
    assert [h["note"]["id"] for h in await sales.recall("Where does the user live?")] == [note]
    unknown = await say(api, "Keep my old shoes private")
    assert (unknown["intent"], unknown["visibility"]) == ("VISIBILITY", None)
    rules = "{ viewer { user { visibilityRules { domain } } } }"
    known = (await api(rules))["viewer"]["user"]["visibilityRules"]
    assert known == [{"domain": "personal/location"}]


@pytest.mark.feature("MUMA-127")
async def test_statistics_are_those_of_the_query(api: Any) -> None:
    await set_up(api)
    await note_of(api, "The kiln is blue.", domain="business/coding", pinned=True)
    await note_of(api, "A secret.", visibility="PRIVATE", entities=[{"name": "Halden"}])
    for viewer, total in ((api, 2), (api.as_agent("coding"), 1)):
        done = await say(viewer, "Show me your memory stats")
        assert done["intent"] == "STATS"
        assert done["stats"] == (await viewer(f"{{ stats {{ {STATS} }} }}"))["stats"]
        assert done["stats"]["totalNotes"] == total


@pytest.mark.feature("MUMA-129")
async def test_what_is_shared_is_told_with_the_agents_of_each(api: Any) -> None:
    await set_up(api)
    shared = {
        await note_of(api, f"Note {v} of {d}.", domain=d, visibility=v)
        for d in ("business/sales", "business/coding/rust", "business")
        for v in ("OPEN", "SCOPED")
    }
    await note_of(api, "Hidden.", domain="business/sales", visibility="PRIVATE")
    await note_of(api, "Very hidden.", domain="business/sales", visibility="USER_ONLY")
    await note_of(api, "Elsewhere.", domain="personal", visibility="OPEN")
    await note_of(api, "Nearly.", domain="businesslike", visibility="OPEN")
    done = await say(api, "Which of my memories are shared with business agents?")
    assert (done["intent"], done["data"]["domain"]) == ("SHARED", "business")
    rows = done["data"]["notes"]
    assert {row["id"] for row in rows} == shared
    for row in rows:
        readers = (await api(NOTE, id=row["id"]))["note"]["readableBy"]
        assert sorted(row["agents"]) == sorted(agent["id"] for agent in readers)
    assert any(row["agents"] == ["main"] for row in rows)
    asks = "Which of my memories are shared with business agents?"
    assert len((await say(api.as_agent("sales"), asks))["data"]["notes"]) == 4


async def test_an_agent_that_may_only_propose_asks_and_proposes(api: Any) -> None:
    await api(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    meek = api.as_agent("meek")
    note = await note_of(api, "The kiln is blue.", visibility="OPEN")
    done = await say(meek, "Remember that the loft is cold.")
    assert (done["intent"], done["note"]) == ("REMEMBER", None)
    assert await meek.code(COMMAND, text="Forget about the kiln") == "FORBIDDEN"
    done = await say(meek, "What do you remember about the kiln?")
    assert [hit["note"]["id"] for hit in done["recall"]["hits"]] == [note]
    done = await say(meek, "We decided to use Postgres for the shop.")
    assert (done["intent"], done["note"]) == ("NONE", None)


@pytest.mark.parametrize("text", ["", "  ", "a\x00b", "x" * 50_001])
async def test_bad_texts_are_refused(api: Any, text: str) -> None:
    assert await api.code(COMMAND, text=text) == "BAD_USER_INPUT"


async def test_a_question_and_plain_talk_change_nothing(api: Any) -> None:
    for text in ("ok thanks", "How are you today?", "Did we decide to use Postgres?"):
        done = await say(api, text)
        assert (done["intent"], done["note"], done["data"]) == ("NONE", None, None)
    assert await events(api) == []


@pytest.mark.feature("MOLT-13")
@pytest.mark.feature("MOLT-29")
async def test_what_is_memorable_is_kept_without_being_asked(api: Any) -> None:
    done = await say(api, "We decided to use Postgres")
    assert done["intent"] == "NONE"
    assert done["note"]["content"] == "We decided to use Postgres"
    assert (done["note"]["pinned"], done["note"]["source"]) == (False, "EXPERIENCE")
    assert done["note"]["relevance"] == pytest.approx(0.7 * 0.8)  # auto-detected, episodic
    level = done["data"]["route"]["confidence"]
    assert level == ("medium" if done["note"]["confidence"] >= 0.5 else "low")
    assert done["note"]["confidence"] < 0.8
    [event] = await events(api)
    assert (event["type"], event["actor"]) == ("CREATE", "bot:auto-detect")
    asked = await say(api, "Remember that the kiln is blue.")
    assert (asked["note"]["source"], asked["data"]["route"]["confidence"]) == ("TOLD", "high")
    assert (await say(api, "ok thanks"))["note"] is None

"""Core memory: what a viewer's notes tell of the user, and the lines that are written for it."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from graphmem.app import create_app
from graphmem.domain.core import TOKEN_CAP

CORE = """{ coreMemory { text tokenCount tokenCap blocks { name text tokenBudget pinned } } }"""
SET = """mutation S($name: String!, $text: String!) { setCoreBlock(name: $name, text: $text) {
  text tokenCount tokenCap blocks { name text tokenBudget pinned } } }"""
LINES = """{ notes(filter: {tiers: [FOUNDATIONAL], statuses: [ACTIVE, ARCHIVED]}, first: 500) {
  nodes { id content status visibility domain tier author { id } halfLifeHours
  revisions { version content actor } } } }"""
EVENTS = '{ events(types: ["EDIT"], first: 100) { type actor summary subjectId data } }'
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
RESTORE = "mutation F($id: ID!) { restore(id: $id) { status } }"
PIN = "mutation P($id: ID!, $p: Boolean!) { pin(id: $id, pinned: $p) { pinned } }"
REGISTER = """mutation G($input: AgentInput!) { registerAgent(input: $input) { id } }"""


async def core(client: Any) -> Any:
    return (await client(CORE))["coreMemory"]


def block(memory: Any, name: str) -> list[str]:
    """The lines of a block."""
    text = next(each["text"] for each in memory["blocks"] if each["name"] == name)
    return [line.removeprefix("- ") for line in text.splitlines()]


async def put(client: Any, name: str, *lines: str) -> Any:
    return (await client(SET, name=name, text="\n".join(f"- {line}" for line in lines)))[
        "setCoreBlock"
    ]


async def written(client: Any) -> dict[str, Any]:
    return {note["content"]: note for note in (await client(LINES))["notes"]["nodes"]}


@pytest.mark.feature("MOLT-4")
async def test_without_notes_there_are_four_empty_blocks(api: Any) -> None:
    memory = await core(api)
    assert (memory["text"], memory["tokenCount"], memory["tokenCap"]) == ("", 0, TOKEN_CAP)
    budgets = {each["name"]: each["tokenBudget"] for each in memory["blocks"]}
    assert budgets == {"identity": 500, "context": 1000, "persona": 500, "critical": 1000}


@pytest.mark.feature("MOLT-1")
async def test_a_note_in_each_store_is_one_event_and_core_memory_tells_its_own(api: Any) -> None:
    stores: list[dict[str, Any]] = [
        {"content": "The kiln arrived on Monday.", "kind": "EPISODIC"},
        {"content": "Stoneware matures at cone six.", "kind": "SEMANTIC"},
        {"content": "Open the vent, then light the kiln.", "kind": "PROCEDURAL"},
        {"content": "The lease is kept in the blue safe.", "pinned": True},  # the vault
    ]
    made = [(await api.remember(**note))["note"]["id"] for note in stores]
    await put(api, "persona", "Answer in short sentences.")
    [line] = [note["id"] for note in (await written(api)).values()]
    query = "query E($id: ID!) { events(subjectId: $id, first: 100) { type subjectId } }"
    for note in (*made, line):
        [event] = (await api(query, id=note))["events"]
        assert event == {"type": "EDIT" if note == line else "CREATE", "subjectId": note}
    for note, given in zip(made, stores, strict=True):
        hits = await api(
            "query R($i: RecallInput!) { recall(input: $i) { hits { note { id pinned kind } } } }",
            i={"query": given["content"], "k": 1},
        )
        [hit] = hits["recall"]["hits"]
        assert hit["note"]["id"] == note
        assert hit["note"]["pinned"] is given.get("pinned", False)
        assert hit["note"]["kind"] == given.get("kind", hit["note"]["kind"])
    assert "Answer in short sentences." in block(await core(api), "persona")


@pytest.mark.feature("MOLT-5", "MOLT-30")
async def test_who_the_user_is_changes_identity_and_a_library_changes_nothing(api: Any) -> None:
    await api.remember("My name is Ada.")
    await api.remember("My time zone is Europe/Oslo.")
    await api.remember("I prefer short answers.")
    memory = await core(api)
    assert block(memory, "identity") == [
        "My name is Ada.",
        "My time zone is Europe/Oslo.",
        "I prefer short answers.",
    ]
    assert memory["text"].startswith("# Core memory\n\n## Identity\n- My name is Ada.\n")
    await api.remember("The requests library keeps a pool of connections.")
    await api.remember("My name is Eve.", speaker="Eve Marsh")
    assert await core(api) == memory


@pytest.mark.feature("MOLT-6")
async def test_context_lists_the_newest_decision_and_what_is_going_on(api: Any) -> None:
    for i in range(9):
        await api.remember(f"We decided to buy {i + 2} kilns for hall number {i}.")
    await api.remember("I'm working on the Halden migration.")
    await api.remember("Ruta needs to send the invoice to Bo.")
    lines = block(await core(api), "context")
    assert lines[0] == "I'm working on the Halden migration."
    decided = [line for line in lines if line.startswith("Decided ")]
    assert len(decided) == 5
    assert decided[0].endswith(": We decided to buy 10 kilns for hall number 8.")
    assert lines[-1].startswith("To do, as of ")
    assert lines[-1].endswith(": Ruta needs to send the invoice to Bo.")


@pytest.mark.feature("MOLT-6", "MOLT-7")
async def test_important_events_and_moods_are_told_while_they_are_recent(place: Any) -> None:
    here = await place()
    api = here.api
    await api.remember("Important: Ruta signed the lease of the hall today.")
    await api.remember("Bo visited the hall today.")
    await api.remember("I am so happy about the lease.")
    memory = await core(api)
    assert block(memory, "context") == [
        "Event of 2026-03-01: Ruta signed the lease of the hall today."
    ]
    mood = "Mood on 2026-03-01: I am so happy about the lease."
    assert block(memory, "persona") == ["Working together since 2026-03-01", mood]
    here.clock.move(24 * 20)
    assert block(await core(api), "context") == block(memory, "context")
    assert mood not in (await core(api))["text"]
    here.clock.move(24 * 20)
    assert block(await core(api), "context") == []


@pytest.mark.feature("MOLT-7")
async def test_persona_tells_since_when_one_works_together(place: Any) -> None:
    here = await place()
    await here.many("The kiln is red.")
    here.clock.move(24 * 40)
    await here.many("The kiln is blue.")
    assert block(await core(here.api), "persona") == ["Working together since 2026-03-01"]


@pytest.mark.feature("MOLT-8")
async def test_what_is_pinned_or_bears_load_is_critical(api: Any) -> None:
    pinned = (await api.remember("The alarm code of the hall is 4711.", pinned=True))["note"]["id"]
    later = (await api.remember("Bo keeps the spare keys.", visibility="SCOPED"))["note"]["id"]
    await api.remember("All releases go through Ruta.", loadBearing=True)
    await api.remember("I am allergic to peanuts.")
    memory = await core(api)
    assert set(block(memory, "critical")) == {
        "The alarm code of the hall is 4711.",
        "All releases go through Ruta.",
        "I am allergic to peanuts.",
    }
    assert memory["blocks"][3]["pinned"] == ["The alarm code of the hall is 4711."]
    await api(PIN, id=later, p=True)
    await api(PIN, id=pinned, p=False)
    memory = await core(api)
    assert memory["blocks"][3]["pinned"] == ["Bo keeps the spare keys."]
    assert "The alarm code of the hall is 4711." not in memory["text"]


@pytest.mark.feature("MOLT-32", "MOLT-30")
async def test_what_is_forgotten_superseded_revised_or_expired_gives_no_line(place: Any) -> None:
    here = await place()
    api = here.api
    name = (await api.remember("My name is Ada."))["note"]["id"]
    await api.remember("I live in Berlin.")
    await api.remember("My role is chief of staff.", ttlSeconds=3600)
    assert len(block(await core(api), "identity")) == 3
    here.clock.move(2)
    await api.remember("I live in Hamburg.")
    assert block(await core(api), "identity") == ["My name is Ada.", "I live in Hamburg."]
    await api(FORGET, id=name)
    assert block(await core(api), "identity") == ["I live in Hamburg."]
    await api(RESTORE, id=name)
    revise = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { id } }"
    await api(revise, id=name, c="The kiln is red.")
    assert block(await core(api), "identity") == ["I live in Hamburg."]
    await api(revise, id=name, c="My name is Ada Moen.")
    assert "My name is Ada Moen." in block(await core(api), "identity")


@pytest.mark.feature("MOLT-9", "TIER-1")
async def test_lines_are_notes_that_the_next_text_keeps_or_archives(api: Any) -> None:
    agent = api.as_agent("main")
    memory = await put(agent, "identity", "Name: Ada Moen", "Role: potter")
    assert memory == await core(agent)
    assert block(memory, "identity") == ["Name: Ada Moen", "Role: potter"]
    first = await written(api)
    line = first["Role: potter"]
    assert (line["tier"], line["status"], line["halfLifeHours"]) == ("FOUNDATIONAL", "ACTIVE", None)
    assert line["author"]["id"] == "main"
    assert [(r["content"], r["actor"]) for r in line["revisions"]] == [("Role: potter", "bot:main")]
    events = (await api(EVENTS))["events"]
    assert [(e["type"], e["actor"], e["data"]["block"]) for e in events] == [
        ("EDIT", "bot:main", "identity")
    ] * 2
    assert {e["subjectId"] for e in events} == {note["id"] for note in first.values()}

    memory = await put(api, "identity", "Role: painter", "Name: Ada Moen")
    assert block(memory, "identity") == ["Name: Ada Moen", "Role: painter"]
    second = await written(api)
    assert second["Name: Ada Moen"] == first["Name: Ada Moen"]
    assert second["Role: potter"]["status"] == "ARCHIVED"
    assert [r["content"] for r in second["Role: potter"]["revisions"]] == ["Role: potter"] * 2
    await api(RESTORE, id=second["Role: potter"]["id"])
    assert "Role: potter" in block(await core(api), "identity")
    before = (await api(EVENTS))["events"]
    await put(api, "identity", "Name: Ada Moen", "Role: potter", "Role: painter")
    assert (await api(EVENTS))["events"] == before  # nothing changed
    memory = await put(api, "identity")
    assert block(memory, "identity") == []
    hits = await api.recall("What is the role of Ada Moen?")
    assert hits == []


async def test_the_text_that_was_read_can_be_written_back(api: Any) -> None:
    await api.remember("My name is Ada.")
    await api.remember("We decided to buy two kilns.")
    await put(api, "identity", "Likes short answers")
    await put(api, "context", "Halden ships in May")
    memory = await core(api)
    for each in memory["blocks"]:
        await api(SET, name=each["name"], text=each["text"])
    assert await core(api) == memory
    long = " ".join(f"word{i}" for i in range(3000))
    memory = await put(api, "critical", long, "Never share the ledger")
    assert "[…]" in memory["text"]
    assert await put(api, "critical", *block(memory, "critical")) == memory
    assert (await written(api))[long]["status"] == "ACTIVE"
    headed = "## Identity\n" + memory["blocks"][0]["text"] + "\n\n* One more\n"
    again = (await api(SET, name="identity", text=headed))["setCoreBlock"]
    assert block(again, "identity") == ["Likes short answers", "One more", "My name is Ada."]


@pytest.mark.feature("MOLT-9", "MUMA-61")
async def test_lines_that_one_agent_cannot_read_are_neither_shown_nor_taken_away(api: Any) -> None:
    for agent in ("one", "two"):
        await api(REGISTER, input={"id": agent, "domains": ["*"]})
    one, two = api.as_agent("one"), api.as_agent("two")
    await put(one, "identity", "The user has diabetes and takes insulin", "Never ship on Fridays")
    notes = await written(api)
    assert notes["The user has diabetes and takes insulin"]["visibility"] == "PRIVATE"
    seen = await core(two)
    assert block(seen, "identity") == ["Never ship on Fridays"]
    memory = await put(two, "identity", "Never ship on Mondays")
    assert block(memory, "identity") == ["Never ship on Mondays"]
    assert "diabetes" not in memory["text"]
    mine = block(await core(one), "identity")
    assert mine == ["The user has diabetes and takes insulin", "Never ship on Mondays"]
    assert block(await core(api), "identity") == mine
    assert (await written(one))["The user has diabetes and takes insulin"]["status"] == "ACTIVE"


async def test_agents_leave_what_the_user_set_is_pinned_or_bears_load(api: Any) -> None:
    agent = api.as_agent("main")
    await put(api, "critical", "Never share the ledger")
    assert await agent.code(SET, name="critical", text="All is well") == "FORBIDDEN"
    assert block(await core(api), "critical") == ["Never share the ledger"]
    await put(api, "persona", "Ask before paying")
    await put(agent, "persona", "Ask before paying", "Use short words", "Use long words")
    [kept] = [n for n in (await written(api)).values() if n["content"] == "Use short words"]
    await api(PIN, id=kept["id"], p=True)
    memory = await put(agent, "persona", "All is well")
    lines = ["Ask before paying", "Use short words", "All is well"]
    assert sorted(set(lines) - set(block(memory, "persona"))) == []
    assert "Use long words" not in block(memory, "persona")
    assert memory["blocks"][2]["pinned"] == ["Use short words"]
    memory = await put(api, "persona", "All is well")
    assert "Ask before paying" not in block(memory, "persona")


async def test_an_agent_of_one_domain_writes_lines_that_it_can_read(api: Any) -> None:
    await api(REGISTER, input={"id": "narrow", "domains": ["work/kiln"]})
    narrow = api.as_agent("narrow")
    text = "The glaze report comes before the invoice"
    assert block(await put(narrow, "context", text), "context") == [text]
    assert (await written(api))[text]["domain"] == "work/kiln"
    assert block(await put(narrow, "context", "Nothing is open"), "context") == ["Nothing is open"]


@pytest.mark.feature("MOLT-4", "MOLT-10")
@pytest.mark.parametrize("name", ["identity", "context", "persona", "critical"])
async def test_over_the_cap_the_least_relevant_lines_are_dropped(api: Any, name: str) -> None:
    pinned = await api.remember("The alarm code of the hall is 4711.", pinned=True)
    assert pinned["operation"] == "ADD"
    lines = [f"Shelf {i} of hall {i * 7} holds the glaze of batch {i * 13}" for i in range(400)]
    memory = await put(api, name, *lines)
    assert sum(len(line) for line in lines) > 4 * 5_000
    budget = next(each["tokenBudget"] for each in memory["blocks"] if each["name"] == name)
    assert budget * 0.8 < memory["tokenCount"] <= TOKEN_CAP
    assert "- The alarm code of the hall is 4711." in memory["text"]
    shown = block(memory, name)
    assert 10 < len(shown) < 200
    notes = await written(api)
    hidden = next(line for line in lines if line not in shown)
    assert [each["content"] for each in notes[hidden]["revisions"]] == [hidden]


@pytest.mark.feature("MOLT-10")
async def test_one_long_line_is_cut_and_whole_in_its_revision(api: Any) -> None:
    long = " ".join(f"word{i}" for i in range(3000))
    memory = await put(api, "critical", long)
    assert memory["tokenCount"] <= TOKEN_CAP
    [line] = block(memory, "critical")
    assert line.startswith("word0 word1 ")
    assert line.endswith(" […]")
    assert (await written(api))[long]["revisions"][0]["content"] == long


async def test_bad_input_is_refused_and_changes_nothing(api: Any) -> None:
    await put(api, "identity", "Name: Ada")
    before = await core(api)
    for name, text in (
        ("soul", "x"),
        ("Identity", "x"),
        ("", "x"),
        ("identity", "x" * 50_001),
        ("identity", "\n".join(str(i) for i in range(1_001))),
        ("identity", "a\x00b"),
        ("identity", "a\x1b[31mb"),
    ):
        assert await api.code(SET, name=name, text=text) == "BAD_USER_INPUT", (name, text[:9])
    await api(REGISTER, input={"id": "shy", "writes": "PROPOSE"})
    assert await api.as_agent("shy").code(SET, name="identity", text="x") == "FORBIDDEN"
    assert await core(api) == before
    assert block(await put(api, "identity", "## Critical Facts", "Ada"), "identity")[-1] == "Ada"
    assert (await core(api))["text"].count("\n## Critical") == 0


ASK = """query Q($input: RecallInput!) { recall(input: $input) { strategy confidence hits {
  rank score note { id content } via { relationship label noteId }
  why { parts { name value } } } } }"""
PACKAGE = """query C($task: String!) { context(input: {task: $task}) {
  text tokenCount confidence hits { rank note { content } } } }"""


async def ask(client: Any, query: str, **given: Any) -> Any:
    asked = {"query": query, "track": False, "explain": True, **given}
    return (await client(ASK, input=asked))["recall"]


def told(answer: Any) -> list[str]:
    return [hit["note"]["content"] for hit in answer["hits"]]


@pytest.mark.feature("MOLT-60")
async def test_general_questions_are_answered_from_core_memory(api: Any) -> None:
    for text in (
        "My name is Ada.",
        "I'm working on the Halden migration.",
        "The kiln relay hums.",
        "Who am I is the title of a film that Bo likes.",
    ):
        await api.remember(text)
    await put(api, "identity", "Role: potter")
    answer = await ask(api, "Who am I?")
    assert (answer["strategy"], told(answer)) == ("CORE", ["Role: potter", "My name is Ada."])
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2]
    assert answer["confidence"] > 0.8
    for hit in answer["hits"]:
        [step] = hit["via"]
        assert (step["relationship"], step["label"]) == ("CORE", "identity")
        assert sum(p["value"] for p in hit["why"]["parts"]) == hit["score"]
    working = await ask(api, "could you tell me what we are working on right now?")
    assert told(working) == ["I'm working on the Halden migration."]
    everything = await ask(api, "What should you know about me?")
    assert told(everything) == [*told(answer), *told(working)]
    assert told(await ask(api, "Who am I?", k=1)) == ["Role: potter"]


@pytest.mark.feature("MOLT-60")
async def test_a_question_that_core_memory_has_no_line_for_is_looked_up(api: Any) -> None:
    await api.remember("My name is Ada.")
    await api.remember("The kiln relay hums.")
    for query, given in (
        ("What am I working on?", {}),
        ("Who is Ada?", {}),
        ("Who am I?", {"profile": "SIMILARITY"}),
        ("Who am I?", {"filter": {"domain": "general"}}),
        ("Who am I?", {"asOf": "2030-01-01T00:00:00Z"}),
        ("Who am I?", {"scope": "LOCAL"}),
    ):
        answer = await ask(api, query, **given)
        assert answer["strategy"] != "CORE", query


@pytest.mark.feature("MOLT-60", "MUMA-61")
async def test_an_agent_is_told_who_one_is_as_far_as_it_may_read(api: Any) -> None:
    await api(REGISTER, input={"id": "narrow", "domains": ["work"]})
    await api.remember("My name is Ada.", visibility="PRIVATE")
    await api.remember("My role is head of kilns.", domain="work", visibility="SCOPED")
    await api.remember("I was born in Oslo.", visibility="USER_ONLY")
    assert told(await ask(api.as_agent("narrow"), "Who am I?")) == ["My role is head of kilns."]
    assert set(told(await ask(api, "Who am I?"))) == {
        "My name is Ada.",
        "My role is head of kilns.",
    }
    assert "Oslo" in (await core(api))["text"]
    assert "Oslo" not in (await api(PACKAGE, task="kiln"))["context"]["text"]
    assert "Oslo" not in (await core(api.as_agent("narrow")))["text"]


@pytest.mark.feature("TIER-1", "MUMA-93")
async def test_a_context_package_begins_with_core_memory(api: Any) -> None:
    await api.remember("The kiln relay hums.")
    alone = (await api(PACKAGE, task="the kiln relay hums"))["context"]
    assert alone["text"].startswith("## ")
    await put(api, "identity", "Name: Ada Moen")
    made = (await api(PACKAGE, task="the kiln relay hums"))["context"]
    memory = await core(api)
    assert made["text"].startswith(f"{memory['text']}\n\n{alone['text']}")
    rest = made["text"].removeprefix(f"{memory['text']}\n\n")
    assert made["tokenCount"] == -(-len(rest) // 4)  # as the hash embedder counts
    whole = (await api(PACKAGE, task="Who am I?"))["context"]
    assert (whole["text"], whole["tokenCount"]) == (memory["text"], 0)
    assert [hit["note"]["content"] for hit in whole["hits"]] == ["Name: Ada Moen"]


@pytest.mark.feature("MOLT-94")
async def test_the_cap_is_a_setting(api: Any, context: Any, settings: Any) -> None:
    small = replace(context, core_token_cap=300)
    transport = httpx.ASGITransport(app=create_app(settings, opened=small))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8321", timeout=60
    ) as http:
        client = replace(api, http=http)
        memory = await put(client, "context", *(f"Pot {i} of {i * 3} is glazed" for i in range(99)))
        assert memory["tokenCap"] == 300
        assert [each["tokenBudget"] for each in memory["blocks"]] == [50, 100, 50, 100]
        assert 50 < memory["tokenCount"] <= 300

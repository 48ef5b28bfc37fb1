"""Reflections: what they propose, and what comes of the user's decision."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, LiteralString, cast

import httpx
import pytest
from copied_notes import copy_notes

from graphmem.app import create_app
from graphmem.domain.jobs import Schedule
from graphmem.services import messages as commands
from graphmem.store.batches import BatchSize, size_parameters
from graphmem.store.decay import parameters_of_whole_sweep

NIGHT = "2026-03-01 03:00 UTC"  # after `fill`
ITEM = "id kind summary diff accepted"
FIELDS = f"id number status at markdown tokensUsed tokenBudget items {{ {ITEM} }}"
REFLECT = f"mutation {{ reflect {{ {FIELDS} }} }}"
LIST = f"""query L($status: ReflectionStatus, $first: Int) {{
  reflections(status: $status, first: $first) {{ {FIELDS} }} }}"""
DECIDE = f"""mutation D($id: ID!, $accept: [ID!]!, $reject: [ID!]) {{
  decideReflection(id: $id, accept: $accept, reject: $reject) {{ {FIELDS} }} }}"""
REVERT = f"mutation V($id: ID!) {{ revertReflection(id: $id) {{ {FIELDS} }} }}"
COMMAND = f"""mutation C($text: String!) {{ command(text: $text) {{ intent message
  reflection {{ {FIELDS} }} }} }}"""
NOTES = """{ notes(first: 200, filter: {statuses: [ACTIVE, FADING, DORMANT, ARCHIVED]}) { nodes {
  id content kind source status visibility domain accessCount derivedFrom { id }
  entities { name } links { kind } } } }"""
CONFLICTS = "query C($open: Boolean) { conflicts(open: $open) { id open notes { id } } }"
EVENTS = """query E($types: [String!], $actor: String) { events(types: $types, actor: $actor,
  first: 500) { type actor subjectId } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
REVISE = "mutation R($id: ID!, $text: String) { revise(id: $id, content: $text) { id } }"
PIN = "mutation P($id: ID!) { pin(id: $id) { id } }"
SHOW = """mutation S($id: ID!, $v: Visibility!) { setVisibility(id: $id, visibility: $v) {
  updatedCount } }"""
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
RESTORE = "mutation S($id: ID!) { restore(id: $id) { id } }"
DESTROY = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
STEPS = (
    "Ran the whole test suite.",
    "Built the image of the shop.",
    "Pushed the image to Kestrel.",
)
LOFT, TEA = "The loft was repainted in grey.", "Ann prefers tea over coffee"
OPEN, SHUT = (f"The gate of the Halden yard is {word}locked at night." for word in ("not ", ""))
CHANGING = {"fact", "procedure", "link", "archive", "contradiction"}  # of `fill`
CORE = """{ coreMemory { text tokenCount tokenCap blocks { name text } } }"""
SET = """mutation B($n: String!, $t: String!) { setCoreBlock(name: $n, text: $t) { tokenCount } }"""
DAY = 24
SECTIONS = (
    "New Knowledge Extracted",
    "New Connections",
    "Proposed Archival",
    "Contradictions Detected",
    "Core Memory Changes",
    "Philosophical Evolution",
    "Questions for You",
)
# History stays: revisions and versions of notes, events, and the reflections themselves.
NODES = """MATCH (n) WHERE (n.user = $user OR n.owner = $user)
    AND NOT (n:Event OR n:Reflection OR n:ReflectionItem OR n:Stream)
    WITH n, labels(n) AS labels, n {.*, version: null, updatedAt: null, departures: null} AS all
    RETURN labels, coalesce(n.id, n.key), all"""
RELATIONSHIPS = """MATCH (a)-[r]->(b)
    WHERE (a.user = $user OR a.owner = $user)
    AND NOT (a:Event OR a:Reflection OR a:ReflectionItem OR b:Revision)
    RETURN type(r), coalesce(a.id, a.key), coalesce(b.id, b.key), properties(r)"""
Snapshot = Callable[[], Awaitable[str]]


@pytest.fixture
def snapshot(context: Any, api: Any) -> Snapshot:
    """Everything of the user but history, as canonical JSON."""

    async def take() -> str:
        found = []
        for query in (NODES, RELATIONSHIPS):
            driver = context.graph._driver  # pyright: ignore
            done = await driver.execute_query(cast("LiteralString", query), user=api.user)
            found += [json.dumps(row.values(), default=str, sort_keys=True) for row in done.records]
        return "\n".join(sorted(found))

    return take


async def reflect(api: Any) -> dict[str, Any]:
    return (await api(REFLECT))["reflect"]


async def listed(api: Any, **given: Any) -> list[dict[str, Any]]:
    return (await api(LIST, **given))["reflections"]


async def decide(api: Any, found: dict[str, Any], **given: Any) -> dict[str, Any]:
    return (await api(DECIDE, id=found["id"], **given))["decideReflection"]


async def revert(api: Any, found: dict[str, Any]) -> dict[str, Any]:
    return (await api(REVERT, id=found["id"]))["revertReflection"]


async def say(api: Any, text: str) -> dict[str, Any]:
    return (await api(COMMAND, text=text))["command"]


async def notes(api: Any) -> dict[str, dict[str, Any]]:
    return {note["content"]: note for note in (await api(NOTES))["notes"]["nodes"]}


def of_kind(found: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    return [item for item in found["items"] if item["kind"] in kinds]


def ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


async def fill(at: Any) -> None:
    """One thing of each kind to be found."""
    at.clock.move(-120 * DAY)
    await at.many(LOFT, domain="home", entities=[{"name": "Loft"}])
    at.clock.move(119 * DAY)
    for day in range(3):
        at.clock.move(1)
        await at.many(*STEPS, episode=f"day {day}", domain="work")
        told = {"subject": "Ann", "predicate": "prefers", "object": "Tea"}
        tea = f"{TEA}{'.' * (day + 1)}"
        await at.many(tea, domain="work", entities=[{"name": "Ann"}], relations=[told])
    for text in (SHUT, OPEN):
        at.clock.move(0.1)
        await at.api.remember(text, domain="work")
    tags = ["kiln", "relay", "halden"]
    await at.many("The kiln needs a relay.", "A spare part came today.", domain="work", tags=tags)


@pytest.mark.feature("MOLT-45")
@pytest.mark.feature("MOLT-47")
async def test_one_of_each_from_one_scenario(place: Callable[..., Any], snapshot: Snapshot) -> None:
    at = await place()
    await fill(at)
    before = await snapshot()
    found = await reflect(at.api)
    assert await snapshot() == before
    assert (found["number"], found["status"], found["tokenBudget"]) == (1, "PENDING", 8000)
    proposed = [item["kind"] for item in found["items"] if item["kind"] in CHANGING]
    assert sorted(proposed) == sorted(CHANGING)
    assert all(item["accepted"] is None for item in found["items"])
    summary = {item["kind"]: item["summary"] for item in found["items"]}
    assert TEA in summary["fact"]
    assert "3 times" in summary["fact"]
    assert all(f"{i}. {step}" in summary["procedure"] for i, step in enumerate(STEPS, 1))
    assert LOFT in summary["archive"]
    assert summary["contradiction"] == f"Keep: {OPEN} — archive: {SHUT}"
    text = found["markdown"]
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(heads) == 7
    assert all(part in head for part, head in zip(SECTIONS, heads, strict=True))
    for place_, item in enumerate(found["items"], 1):
        assert f"- **{place_}.** {item['summary']}\n" in text
    assert "**Reflection #**: 1\n" in text
    assert f"{found['tokensUsed']:,} / 8,000" in text
    assert "Reply with `approve`" in text
    assert await listed(at.api) == [found]
    assert await listed(at.api, status="APPLIED") == []
    [event] = [e for e in (await at.api(EVENTS, types=["PROPOSE"]))["events"]]
    assert (event["subjectId"], event["actor"]) == (found["id"], "manual")


@pytest.mark.feature("MOLT-67")
@pytest.mark.feature("MOLT-52")
@pytest.mark.feature("MOLT-40")
async def test_approving_all_applies_all(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    done = await decide(at.api, found, accept=ids(found["items"]))
    assert done["status"] == "APPLIED"
    assert all(item["accepted"] for item in done["items"])
    after = await notes(at.api)
    made = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]]
    assert {(n["kind"], n["source"], n["domain"], n["visibility"]) for n in made} == {
        ("SEMANTIC", "INFERRED", "work", "SCOPED"),
        ("PROCEDURAL", "INFERRED", "work", "SCOPED"),
    }
    fact = next(n for n in made if n["kind"] == "SEMANTIC")
    assert fact["content"].startswith(TEA)
    assert {e["name"] for e in fact["entities"]} == {"Ann", "Tea"}
    asked = '{ entity(name: "Ann") { relations { predicate object { name } notes { id } } } }'
    [relation] = (await at.api(asked))["entity"]["relations"]
    assert (relation["predicate"], relation["object"]["name"]) == ("prefers", "Tea")
    assert fact["id"] in [note["id"] for note in relation["notes"]]
    assert len(fact["derivedFrom"]) == 3
    procedure = next(n for n in made if n["kind"] == "PROCEDURAL")
    assert procedure["content"] == "\n".join(f"{i}. {s}" for i, s in enumerate(STEPS, 1))
    assert (after[LOFT]["status"], after[SHUT]["status"]) == ("ARCHIVED", "ARCHIVED")
    assert after[OPEN]["status"] == "ACTIVE"
    assert {"kind": "related"} in after["The kiln needs a relay."]["links"]
    assert (await at.api(CONFLICTS, open=True))["conflicts"] == []
    # What it keeps is reinforced, what it puts away is not.
    assert after[OPEN]["accessCount"] == 1
    assert after["The kiln needs a relay."]["accessCount"] == 1
    assert after[f"{TEA}."]["accessCount"] == 1
    assert (after[LOFT]["accessCount"], after[SHUT]["accessCount"]) == (0, 0)
    events = (await at.api(EVENTS, actor="reflection:r-001"))["events"]
    assert sorted(e["type"] for e in events) == ["ARCHIVE", "ARCHIVE", "CREATE", "CREATE", "LINK"]
    [event] = (await at.api(EVENTS, types=["COMMIT"]))["events"]
    assert event["subjectId"] == found["id"]
    assert [h["note"]["id"] for h in await at.api.recall("Does Ann prefer tea?", k=1)]


@pytest.mark.feature("MOLT-79")
async def test_reverting_leaves_the_graph_as_it_was(
    place: Callable[..., Any], snapshot: Snapshot
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    before = await snapshot()
    await decide(at.api, found, accept=ids(found["items"]))
    assert await snapshot() != before
    at.clock.move(1)
    done = await revert(at.api, found)
    assert done["status"] == "REVERTED"
    assert await snapshot() == before
    told = (await at.api(EVENTS, types=["REVERT"]))["events"]
    assert found["id"] in [event["subjectId"] for event in told]
    assert await at.api.code(REVERT, id=found["id"]) == "CONFLICT"
    again = await reflect(at.api)
    assert of_kind(again, *CHANGING) == []  # taken back is answer enough


async def test_reverting_after_many_accesses_gives_back_the_times(
    place: Callable[..., Any], snapshot: Snapshot, context: Any
) -> None:
    at = await place()
    await fill(at)
    for _ in range(21):
        at.clock.move(0.01)
        await at.api.recall("Is the gate of the Halden yard locked at night?", track=True, k=3)
        await at.log.flush()
    found = await reflect(at.api)
    before = await snapshot()
    await decide(at.api, found, accept=ids(of_kind(found, "contradiction", "link")))
    await revert(at.api, found)
    assert await snapshot() == before


async def test_reverting_leaves_what_others_changed_since(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    await decide(at.api, found, accept=ids(found["items"]))
    made = {n["kind"]: n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]}
    await at.api(REVISE, id=made["SEMANTIC"]["id"], text="Ann prefers green tea.")
    there = await notes(at.api)
    await at.api("mutation R($id: ID!) { restore(id: $id) { id } }", id=there[LOFT]["id"])
    await at.api(REVISE, id=there[LOFT]["id"], text="The loft is white now.")
    await at.many("Something else happened.")
    await revert(at.api, found)
    after = await notes(at.api)
    assert after["Ann prefers green tea."]["status"] == "ARCHIVED"
    assert procedure_of(after) == []
    assert after["The loft is white now."]["status"] == "ACTIVE"
    assert after[SHUT]["status"] == "ACTIVE"
    assert after["Something else happened."]["status"] == "ACTIVE"
    [conflict] = (await at.api(CONFLICTS, open=True))["conflicts"]
    assert {n["id"] for n in conflict["notes"]} == {after[SHUT]["id"], after[OPEN]["id"]}


def procedure_of(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [note for note in found.values() if note["kind"] == "PROCEDURAL"]


@pytest.mark.feature("MOLT-52")
@pytest.mark.parametrize(
    "step",
    "notes/create reflection/make links/create reflection/archive conflicts/close "
    "reflection/keep events/append".split(),
)
async def test_a_failure_in_the_middle_applies_nothing(
    place: Callable[..., Any],
    snapshot: Snapshot,
    context: Any,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    before = await snapshot()
    queries = context.graph._queries  # pyright: ignore
    real = queries.bind

    def broken(name: str, *given: Any) -> Any:
        if name == step:
            bound = real("notes/release", {"ids": []})
            bound.text = "RETURN 1 / 0 AS fails"
            return bound
        return real(name, *given)

    with monkeypatch.context() as patch:
        patch.setattr(queries, "bind", broken)
        answer = await at.api.post(DECIDE, id=found["id"], accept=ids(found["items"]))
    assert answer.get("errors")
    assert await snapshot() == before
    assert await listed(at.api) == [found]
    done = await decide(at.api, found, accept=ids(found["items"]))
    assert done["status"] == "APPLIED"


@pytest.mark.feature("MOLT-53")
async def test_exactly_the_accepted_items_are_applied(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    [link], [archive] = of_kind(found, "link"), of_kind(found, "archive")
    done = await decide(at.api, found, accept=[link["id"]], reject=[archive["id"]])
    assert done["status"] == "PARTIAL"
    told = {item["kind"]: item["accepted"] for item in done["items"]}
    assert (told["link"], told["archive"]) == (True, False)
    assert {told[kind] for kind in ("fact", "procedure", "contradiction")} == {None}
    after = await notes(at.api)
    assert all(note["status"] == "ACTIVE" and not note["derivedFrom"] for note in after.values())
    assert {"kind": "related"} in after["The kiln needs a relay."]["links"]
    again = await reflect(at.api)  # what was left open is proposed again
    assert {item["kind"] for item in of_kind(again, *CHANGING)} == {
        "fact",
        "procedure",
        "contradiction",
    }


@pytest.mark.feature("MOLT-54")
@pytest.mark.feature("MOLT-44")
async def test_what_was_refused_is_not_proposed_again(
    place: Callable[..., Any], snapshot: Snapshot
) -> None:
    at = await place()
    await fill(at)
    before = await snapshot()
    found = await reflect(at.api)
    done = await decide(at.api, found, accept=[], reject=ids(found["items"]))
    assert done["status"] == "REJECTED"
    assert await snapshot() == before
    assert [item["accepted"] for item in done["items"]] == [False] * len(done["items"])
    await at.many(f"{TEA}!", domain="work")  # told once more, it is the same fact
    again = await reflect(at.api)
    assert of_kind(again, *CHANGING) == []
    cited = of_kind(again, "insight")[0]["summary"]
    assert cited.startswith("This continues reflection #1 (rejected)")
    assert "1 fact" in cited
    assert "not proposed again" in cited
    assert "**Reflections reviewed**: 1 past" in again["markdown"]
    third = await reflect(at.api)
    assert "Across 2 reflections" in third["markdown"]


async def test_what_waits_is_not_proposed_twice(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    await reflect(at.api)
    assert of_kind(await reflect(at.api), *CHANGING) == []


@pytest.mark.feature("MOLT-55")
async def test_nothing_is_ever_applied_by_itself(
    place: Callable[..., Any], snapshot: Snapshot
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    before = await snapshot()
    at.clock.move(366 * DAY)
    [later] = await listed(at.api, status="PENDING")
    assert without_next(later) == without_next(found)
    assert await snapshot() == before


def without_next(found: Any) -> Any:
    """A reflection but for the time of the next one, which goes by when it is read."""
    lines = found["markdown"].splitlines()
    kept = [line for line in lines if not line.startswith("**Next scheduled reflection**")]
    assert len(kept) == len(lines) - 1
    return found | {"markdown": kept}


async def test_deciding_twice_is_refused(place: Callable[..., Any], snapshot: Snapshot) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    [archive] = of_kind(found, "archive")
    await decide(at.api, found, accept=[archive["id"]])
    before = await snapshot()
    everything = ids(found["items"])
    assert await at.api.code(DECIDE, id=found["id"], accept=everything) == "CONFLICT"
    assert await at.api.code(DECIDE, id=found["id"], accept=[], reject=everything) == "CONFLICT"
    assert await snapshot() == before
    pending = await reflect(at.api)
    assert await at.api.code(REVERT, id=pending["id"]) == "CONFLICT"


async def test_bad_input_changes_nothing(place: Callable[..., Any], snapshot: Snapshot) -> None:
    at = await place()
    await fill(at)
    found, other = await reflect(at.api), await reflect(at.api)
    before = await snapshot()
    one, strange = found["items"][0]["id"], other["items"][0]["id"]
    for given in (
        {"accept": ["nothing"]},
        {"accept": [strange]},
        {"accept": [one], "reject": [one]},
        {"accept": [one], "reject": ["nothing"]},
        {"accept": [], "reject": []},
    ):
        assert await at.api.code(DECIDE, id=found["id"], **given) == "BAD_USER_INPUT"
    for missing in ("", "nothing", one, "019a0000-0000-7000-8000-000000000000"):
        assert await at.api.code(DECIDE, id=missing, accept=[one]) == "NOT_FOUND"
        assert await at.api.code(REVERT, id=missing) == "NOT_FOUND"
    for first in (0, -1, 51):
        assert await at.api.code(LIST, first=first) == "BAD_USER_INPUT"
    assert await snapshot() == before
    assert await listed(at.api) == [other, found]


@pytest.mark.parametrize("change", ["text", "pinned", "moved", "forgotten", "destroyed"])
async def test_what_has_changed_since_is_told_and_nothing_applied(
    place: Callable[..., Any], snapshot: Snapshot, change: str
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    loft = (await notes(at.api))[LOFT]["id"]
    await {
        "text": lambda: at.api(REVISE, id=loft, text="The loft was repainted in red."),
        "pinned": lambda: at.api(PIN, id=loft),
        "moved": lambda: at.api(SHOW, id=loft, v="PRIVATE"),
        "forgotten": lambda: at.api(
            "mutation F($id: ID!) { forget(id: $id) { forgotten } }", id=loft
        ),
        "destroyed": lambda: at.api(DESTROY, id=loft),
    }[change]()
    before = await snapshot()
    place_ = next(i for i, item in enumerate(found["items"], 1) if item["kind"] == "archive")
    answer = await at.api.post(DECIDE, id=found["id"], accept=ids(found["items"]))
    [error] = answer["errors"]
    assert error["extensions"]["code"] == "CONFLICT"
    assert f"item {place_} " in error["message"]
    assert await snapshot() == before
    assert "repainted in grey" not in json.dumps(await listed(at.api)) or change != "destroyed"
    done = await say(at.api, "approve")
    assert done["message"] == (
        f"Reflection #1 is partial. Left out, since their notes have changed: {place_}."
    )
    told = {item["kind"]: item["accepted"] for item in done["reflection"]["items"]}
    assert told["archive"] is None
    assert {told[kind] for kind in CHANGING - {"archive"}} == {True}


@pytest.mark.feature("MOLT-42", "MOLT-94")
async def test_a_small_budget_cuts_what_is_least_busy(
    place: Callable[..., Any], context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = await place()
    for i in range(30):
        tags = [f"t{i}", f"u{i}", f"v{i}"]
        await at.many(f"Thing {i} is here.", f"That {i} is far away.", tags=tags)
    whole = await reflect(at.api)
    assert len(of_kind(whole, "link")) == 15
    await decide(at.api, whole, accept=[])
    for i in range(30):
        at.clock.move(1)
        await at.many(f"Old thing {i} is here.", f"The {i} is gone.", tags=[f"w{i}", f"x{i}", "y"])
    count = context.embedder.count_tokens
    monkeypatch.setattr(context.embedder, "count_tokens", lambda text: 15 * count(text))
    cut = await reflect(at.api)
    assert 2 < len(cut["items"]) < 15
    assert 4000 < cut["tokensUsed"] <= 8000
    assert cut["items"][-1]["kind"] == "insight"  # what is proposed makes room


async def sweep(context: Any, at: Any, note: str) -> None:
    """Archive a note as the sweep of decay does, and no other."""
    ranking, page = context.ranking, await at.api("{ notes(first: 50) { edges { node { id } } } }")
    others = {edge["node"]["id"] for edge in page["notes"]["edges"]} - {note}
    given = size_parameters(BatchSize(batch=50, most=40, left_out=sorted(others)), 100_000)
    given |= parameters_of_whole_sweep(at.clock(), ranking.act_r.d, ranking.decay)
    row = await context.graph.run_batches("job:sweep_decay", **given | {"owners": [at.api.user]})
    assert row["notes"] == [[note]]


@pytest.mark.feature("MOLT-37", "MOLT-45")
@pytest.mark.parametrize("decision", ["reject", "accept", "put away", "brought back"])
async def test_what_the_sweep_archived_is_offered_for_review(
    place: Callable[..., Any], context: Any, decision: str
) -> None:
    at = await place()
    [loft, mine] = await at.many(LOFT, "The shed was sold.", domain="home")
    at.clock.move(150 * DAY)
    await sweep(context, at, loft)
    await at.api(FORGET, id=mine)
    at.clock.move(1)
    found = await reflect(at.api)
    [item] = of_kind(found, "archive")
    assert item["summary"].startswith(f"{LOFT} (archived by decay at 20")
    assert item["diff"] == {"archived": loft}
    assert item["summary"] in found["markdown"].partition("Proposed Archival")[2].partition("##")[0]
    if decision == "put away":
        await at.api(FORGET, id=loft)
    if decision == "brought back":
        await at.api(RESTORE, id=loft)
    given = (
        {"accept": ids([item])} if decision == "accept" else {"accept": [], "reject": ids([item])}
    )
    await decide(at.api, found, **given)
    there = await notes(at.api)
    is_back = decision in ("reject", "brought back")
    assert there[LOFT]["status"] == ("ACTIVE" if is_back else "ARCHIVED")
    assert there[LOFT]["accessCount"] == int(is_back)  # so that no sweep archives it at once
    assert there["The shed was sold."]["status"] == "ARCHIVED"
    assert of_kind(await reflect(at.api), "archive") == []


@pytest.mark.feature("MOLT-51")
async def test_the_foot_tells_what_was_done_and_what_comes(
    place: Callable[..., Any], context: Any, settings: Any
) -> None:
    at = await place()
    await fill(at)
    await at.api(AGENT, i={"id": "helper", "canSeePrivate": True})
    found = await reflect(at.api)
    foot = found["markdown"].partition("\n---\n")[2]
    assert foot.splitlines() == [
        "**Reflection #**: 1",
        f"**Token budget used**: {found['tokensUsed']:,} / 8,000",
        "**Memories processed**: 15 episodes, 2 facts, 0 procedures",
        "**Reflections reviewed**: 0 past reflections",
        f"**Next scheduled reflection**: {NIGHT}",
        "",
        "> Reply with `approve`, `approve with changes`, or `reject` to apply this reflection.",
    ]
    at.clock.move(
        DAY
    )  # the time is the one that comes, not the one that came next when it was made
    assert "reflection**: 2026-03-02 03:00 UTC\n" in (await listed(at.api))[0]["markdown"]
    of_agent = await reflect(at.api.as_agent("helper"))  # no job reflects as an agent at a time
    assert "reflection**: none; on request\n" in of_agent["markdown"]
    for schedule in (Schedule(on=False), Schedule(off=("reflect_memory",))):
        resting = replace(context, clock=at.clock, schedule=schedule)
        transport = httpx.ASGITransport(app=create_app(settings, opened=resting))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8321", timeout=60
        ) as http:
            [_, own] = await listed(replace(at.api, http=http))
        assert "reflection**: none; on request\n" in own["markdown"]


@pytest.mark.feature("MOLT-43")
async def test_the_busiest_topic_comes_first(place: Callable[..., Any]) -> None:
    at = await place()
    for _ in range(2):
        at.clock.move(DAY)
        await at.many("The roof of the hut is green", tags=["roof"], occurredAt=None)
        await at.many("The kiln burns at nine hundred degrees", tags=["kiln"])
    await at.many(*(f"Stacked {i} bowls." for i in range(6)), tags=["kiln"])
    found = await reflect(at.api)
    facts = [item["summary"] for item in found["items"] if item["kind"] == "fact"]
    assert ["kiln" in fact for fact in facts] == [True, False]
    assert found["items"][0]["summary"] == facts[0]
    assert "Most of the memory is about kiln: 8 notes." in found["markdown"]


@pytest.mark.feature("MOLT-49")
async def test_milestones(place: Callable[..., Any]) -> None:
    at = await place()
    due = {}
    for number in range(1, 12):
        at.clock.move(DAY)
        found = await reflect(at.api)
        assert found["number"] == number
        due[number] = [item["summary"] for item in of_kind(found, "milestone")]
    assert [number for number, found in due.items() if found] == [10]
    assert due[10][0].startswith("First evolution summary at reflection #10")


@pytest.mark.feature("MOLT-48")
async def test_a_question_asked_thrice_is_persistent(place: Callable[..., Any]) -> None:
    at = await place()
    await at.many("The deed of the house is in the green box.", importance=0.9)
    at.clock.move(60 * DAY)
    told = []
    for _ in range(3):
        at.clock.move(1)
        found = await reflect(at.api)
        [question] = of_kind(found, "question")
        assert "green box" in question["summary"]
        told.append(found)
    part = told[2]["markdown"].split("### Persistent Questions")[1].split("###")[0]
    assert "(asked 3 times)" in part
    assert "None this cycle" in told[1]["markdown"].split("### Persistent Questions")[1][:40]
    heads = [line for line in told[0]["markdown"].splitlines() if line.startswith("### ")]
    assert len(heads) == 5
    await decide(at.api, told[2], accept=[], reject=ids(told[2]["items"]))
    assert of_kind(await reflect(at.api), "question") == []


@pytest.mark.feature("MOLT-26")
async def test_all_seven_sentences_make_a_pending_reflection(place: Callable[..., Any]) -> None:
    at = await place()
    sentences = (
        "Reflect on last week",
        "consolidate your memories",
        "consolidate memories",
        "Review your memories",
        "review memories",
        "clean up your memory",
        "Clean up memory.",
    )
    await fill(at)
    for number, text in enumerate(sentences, 1):
        done = await say(at.api, text)
        assert done["intent"] == "REFLECT"
        assert done["reflection"]["status"] == "PENDING"
        assert done["reflection"]["number"] == number
    assert len(await listed(at.api, status="PENDING")) == 7


@pytest.mark.feature("MOLT-53")
@pytest.mark.parametrize(
    ("text", "status", "left"),
    [
        ("approve", "APPLIED", set()),
        ("Approve all, please!", "APPLIED", set()),
        ("approve with changes: don't archive the loft, I might need it", "PARTIAL", {"archive"}),
        ("reject", "REJECTED", CHANGING),
    ],
)
async def test_the_user_decides_in_words(
    place: Callable[..., Any], text: str, status: str, left: set[str]
) -> None:
    at = await place()
    await fill(at)
    await reflect(at.api)
    done = await say(at.api, text)
    assert done["intent"] == "DECIDE"
    assert done["reflection"]["status"] == status
    items = of_kind(done["reflection"], *CHANGING)
    assert {item["kind"] for item in items if not item["accepted"]} == left
    assert (await notes(at.api))[LOFT]["status"] == ("ACTIVE" if left else "ARCHIVED")
    none = await say(at.api, "approve")
    assert (none["intent"], none["reflection"]) == ("DECIDE", None)


@pytest.mark.feature("MOLT-53")
async def test_the_user_decides_by_numbers(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    for vague in ("reject 2", "approve 99", "approve with changes", "approve 1 reject 1"):
        done = await say(at.api, vague)
        assert done["message"].startswith("Nothing was changed: "), vague
        assert done["reflection"] == found
    done = await say(at.api, "approve 1, 3")
    told = [item["accepted"] for item in done["reflection"]["items"]]
    assert told == [True, None, True, *[None] * (len(told) - 3)]
    assert done["reflection"]["status"] == "PARTIAL"


async def test_deciding_is_for_the_user_in_person(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    agent = at.api.as_agent("main")
    found = await reflect(agent)
    for code in (
        await agent.code(DECIDE, id=found["id"], accept=ids(found["items"])),
        await agent.code(DECIDE, id="nothing", accept=[]),
        await agent.code(REVERT, id=found["id"]),
        await agent.code(COMMAND, text="approve"),
    ):
        assert code == "FORBIDDEN"
    # The user may not have seen what an agent proposes: plain words are about one's own.
    assert (await say(at.api, "approve"))["reflection"] is None
    assert (await listed(at.api))[0]["status"] == "PENDING"
    await at.api(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    assert (await reflect(at.api.as_agent("meek")))["status"] == "PENDING"


async def test_newer_ones_of_agents_do_not_hide_the_users_own(
    place: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands.reflections, "MAX_PAGE", 1)
    at = await place()
    await fill(at)
    mine = await reflect(at.api)
    await reflect(at.api.as_agent("main"))
    assert (await say(at.api, "reject"))["reflection"]["id"] == mine["id"]


async def test_each_sees_its_own_and_the_user_sees_all(
    place: Callable[..., Any], new_user: Callable[[], str]
) -> None:
    at = await place()
    await at.api(AGENT, i={"id": "worker", "domains": ["work"]})
    await at.api(AGENT, i={"id": "homely", "domains": ["home"]})
    await fill(at)
    worker, homely = at.api.as_agent("worker"), at.api.as_agent("homely")
    mine = await reflect(at.api)
    work = await reflect(worker)
    assert work["number"] == 1
    assert LOFT not in json.dumps(work)
    assert {item["kind"] for item in of_kind(work, *CHANGING)} == CHANGING - {"archive"}
    home = await reflect(homely)
    assert (home["number"], [item["kind"] for item in home["items"]]) == (1, ["archive"])
    assert await listed(worker) == [work]
    assert await listed(homely) == [home]
    seen = await listed(at.api)
    assert {each["id"] for each in seen} == {mine["id"], work["id"], home["id"]}
    assert next(s for s in seen if s["id"] == work["id"]) == work
    stranger = at.api.as_user(new_user())
    assert await listed(stranger) == []
    assert await stranger.code(DECIDE, id=mine["id"], accept=[]) == "NOT_FOUND"
    # Readers taken away, the words go, whoever made them.
    loft = (await notes(at.api))[LOFT]["id"]
    await at.api(SHOW, id=loft, v="PRIVATE")
    assert LOFT not in json.dumps(await listed(homely))
    assert "not there any more" in (await listed(homely))[0]["items"][0]["summary"]
    done = await decide(at.api, work, accept=ids(work["items"]))
    assert done["status"] == "APPLIED"
    [event] = (await at.api(EVENTS, actor="reflection:r-001@worker", types=["LINK"]))["events"]
    assert event["actor"] == "reflection:r-001@worker"


@pytest.mark.feature("MOLT-46")
async def test_core_memory_is_rewritten_within_its_cap(
    place: Callable[..., Any], snapshot: Snapshot
) -> None:
    at = await place()
    await at.api(SET, n="context", t="- Currently moving to the new loft")
    await at.api(SET, n="identity", t="- Called Ada by everybody")
    at.clock.move(100 * DAY)
    often = "The spare key of the Halden gate hangs in the kiln room."
    given = {"kind": "SEMANTIC", "importance": 0.7}
    await at.many(often, **given)
    await at.many("The roof is green.", **given)
    for _ in range(6):
        at.clock.move(1)
        await at.api.recall("Where is the spare key of the Halden gate?", track=True, k=1)
        await at.log.flush()
    before, core = await snapshot(), (await at.api(CORE))["coreMemory"]
    assert often not in core["text"]
    found = await reflect(at.api)
    changes = of_kind(found, "core")
    assert [item["summary"] for item in changes] == [
        f"Add to Critical Facts: {often}",
        "Take from Active Context: Currently moving to the new loft",
    ]
    lines = found["markdown"].split("```diff\n")[1].split("```")[0].splitlines()
    assert lines == [
        "## Active Context",
        "- Currently moving to the new loft",
        "## Critical Facts",
        f"+ {often}",
    ]
    assert (await at.api(CORE))["coreMemory"] == core
    await decide(at.api, found, accept=ids(changes))
    now = (await at.api(CORE))["coreMemory"]
    blocks = {block["name"]: block["text"] for block in now["blocks"]}
    assert often in blocks["critical"]
    assert "moving to the new loft" not in now["text"]
    assert "Called Ada" in blocks["identity"]
    assert 0 < now["tokenCount"] <= now["tokenCap"] == 3000
    assert of_kind(await reflect(at.api), "core") == []
    await revert(at.api, found)
    assert (await at.api(CORE))["coreMemory"] == core
    assert await snapshot() == before


@pytest.mark.feature("MOLT-46")
async def test_the_persona_follows_what_is_used(place: Callable[..., Any]) -> None:
    at = await place()
    await at.api(SET, n="persona", t="- Signs each letter of the choir with a joke")
    at.clock.move(100 * DAY)
    often = "Answer questions on the Halden gate in two sentences."
    await at.many(often, kind="SEMANTIC", importance=0.7)
    for _ in range(6):
        at.clock.move(1)
        await at.api.recall("How to answer questions on the Halden gate?", track=True, k=1)
        await at.log.flush()
    found = await reflect(at.api)
    changes = of_kind(found, "core")
    assert [item["summary"] for item in changes] == [
        f"Add to Persona: {often}",
        "Take from Persona: Signs each letter of the choir with a joke",
    ]
    await decide(at.api, found, accept=ids(changes))
    now = (await at.api(CORE))["coreMemory"]
    persona = {block["name"]: block["text"] for block in now["blocks"]}["persona"]
    assert often in persona
    assert "joke" not in now["text"]


async def test_what_is_for_the_user_alone_is_in_no_reflection(place: Callable[..., Any]) -> None:
    at = await place()
    secret = "The letters of Edda are in the blue chest"
    for _ in range(3):
        at.clock.move(1)
        await at.many(secret, visibility="USER_ONLY", tags=["a", "b", "c"])
    at.clock.move(150 * DAY)
    await at.api(AGENT, i={"id": "main", "canSeePrivate": True})
    for viewer in (at.api, at.api.as_agent("main")):
        found = await reflect(viewer)
        assert found["items"] == []
        assert "0 episodes" in found["markdown"]
        said = await say(viewer, "reflect on everything")
        assert secret not in json.dumps(said)


async def test_of_two_decisions_at_once_one_is_taken(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    everything = ids(found["items"])
    answers = await asyncio.gather(
        *(at.api.post(DECIDE, id=found["id"], accept=everything) for _ in range(4)),
        *(at.api.post(DECIDE, id=found["id"], accept=[]) for _ in range(4)),
    )
    errors = [answer["errors"][0]["extensions"]["code"] for answer in answers if "errors" in answer]
    assert errors == ["CONFLICT"] * 7
    made = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]]
    status = (await listed(at.api))[0]["status"]
    assert (status, len(made)) in (("APPLIED", 2), ("REJECTED", 0))
    both = await asyncio.gather(*(at.api.post(REVERT, id=found["id"]) for _ in range(3)))
    assert sum("errors" not in answer for answer in both) == (status == "APPLIED")


async def test_reflections_at_once_have_numbers_of_their_own(place: Callable[..., Any]) -> None:
    at = await place()
    await at.many("The kiln is blue.")
    answers = await asyncio.gather(*(at.api.post(REFLECT) for _ in range(3)))
    numbers = sorted(a["data"]["reflect"]["number"] for a in answers if "errors" not in a)
    assert numbers == list(range(1, len(numbers) + 1))
    assert sorted(each["number"] for each in await listed(at.api)) == numbers
    wrong = [a["errors"][0]["extensions"]["code"] for a in answers if "errors" in a]
    assert set(wrong) <= {"CONFLICT"}


async def test_destroying_a_note_destroys_its_words_in_reflections(
    place: Callable[..., Any], context: Any
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    await decide(at.api, found, accept=ids(of_kind(found, "archive")))
    await at.api(DESTROY, id=(await notes(at.api))[LOFT]["id"])
    assert "repainted" not in json.dumps(await listed(at.api))
    driver = context.graph._driver  # pyright: ignore
    query = """MATCH (r:Reflection {user: $user})-[:HAS_ITEM]->(i)
        RETURN properties(r), properties(i), [(i)-[x]->() | properties(x)]"""
    rows = (await driver.execute_query(query, user=at.api.user)).records
    kept = json.dumps([row.values() for row in rows], default=str)
    assert len(rows) == len(found["items"])
    for text in (LOFT, TEA, *STEPS, OPEN, "kiln", "Ann", "halden"):
        assert text.lower() not in kept.lower()
    await revert(at.api, found)


async def test_a_fact_that_lost_a_source_is_archived_not_taken_away(
    place: Callable[..., Any],
) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    await decide(at.api, found, accept=ids(of_kind(found, "fact")))
    [made] = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]]
    for source in made["derivedFrom"][:2]:
        await at.api(DESTROY, id=source["id"])
    await revert(at.api, found)
    left = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["id"] == made["id"]]
    assert [note["status"] for note in left] == ["ARCHIVED"]
    await at.api(DESTROY, id=made["id"])
    last = made["derivedFrom"][2]["id"]
    assert (await at.api("query N($id: ID!) { note(id: $id) { accessCount } }", id=last))[
        "note"
    ] == {"accessCount": 0}


async def test_names_known_from_hidden_notes_link_nothing(place: Callable[..., Any]) -> None:
    at = await place()
    await at.api(AGENT, i={"id": "worker", "domains": ["work"]})
    names = [{"name": "blue heron"}, {"name": "amber gate"}]
    texts = "We wait by the blue heron at the amber gate.", "Amber gate, blue heron: all is dry."
    await at.many("Both are ours.", domain="home", entities=names)
    await at.many(*texts, domain="work")
    worker = at.api.as_agent("worker")
    assert of_kind(await reflect(worker), "link") == []
    at.clock.move(1)
    texts = "The blue heron met the amber gate.", "Nothing yet of the two."
    await at.many(*texts, domain="work", entities=names)  # these name them
    [link] = of_kind(await reflect(worker), "link")
    assert all(text in link["summary"] for text in texts)


async def test_two_reflections_do_not_make_the_same_note_twice(place: Callable[..., Any]) -> None:
    at = await place()
    await at.api(AGENT, i={"id": "worker", "domains": ["work"]})
    await fill(at)
    mine = await reflect(at.api)
    work = await reflect(at.api.as_agent("worker"))
    chosen = ("fact", "procedure")
    await decide(at.api, mine, accept=ids(of_kind(mine, *chosen)))
    made = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]]
    assert len(made) == 2
    answer = await at.api.post(DECIDE, id=work["id"], accept=ids(of_kind(work, *chosen)))
    [error] = answer["errors"]
    assert error["extensions"]["code"] == "CONFLICT"
    places = [i for i, item in enumerate(work["items"], 1) if item["kind"] in chosen]
    assert error["message"].startswith(f"notes of item {', '.join(map(str, places))} have changed")
    assert [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]] == made


async def test_reverting_leaves_what_was_put_away_anew(place: Callable[..., Any]) -> None:
    at = await place()
    await fill(at)
    found = await reflect(at.api)
    await decide(at.api, found, accept=ids(of_kind(found, "archive")))
    loft = (await notes(at.api))[LOFT]["id"]
    await at.api("mutation R($id: ID!) { restore(id: $id) { id } }", id=loft)
    await at.api("mutation F($id: ID!) { forget(id: $id) { forgotten } }", id=loft)
    await revert(at.api, found)
    assert (await notes(at.api))[LOFT]["status"] == "ARCHIVED"


async def test_what_is_made_stays_as_narrow_as_the_user_made_its_sources(
    place: Callable[..., Any],
) -> None:
    at = await place()
    await fill(at)
    for note in (await at.api(NOTES))["notes"]["nodes"]:
        if note["content"].startswith(TEA):
            await at.api(SHOW, id=note["id"], v="PRIVATE")
    found = await reflect(at.api)
    await decide(at.api, found, accept=ids(of_kind(found, "fact", "procedure")))
    rule = 'mutation { setVisibility(domain: "work", visibility: OPEN) { updatedCount } }'
    await at.api(rule)
    after = [n for n in (await at.api(NOTES))["notes"]["nodes"] if n["derivedFrom"]]
    assert {n["kind"]: n["visibility"] for n in after} == {
        "SEMANTIC": "PRIVATE",
        "PROCEDURAL": "OPEN",
    }


@pytest.mark.feature("MOLT-42", "MOLT-94")
async def test_the_output_stays_within_the_budget(place: Callable[..., Any], context: Any) -> None:
    """The last one, since the many notes would make the others slow."""
    at = await place()
    words = ["kiln", "relay", "tea", "gate", "roof", "van", "clay", "lamp", "fair", "rota"]
    pairs = list(itertools.product(words, words, words))
    texts = [f"The {a} of Halden {b} stands beside the {c} of Kestrel." for a, b, c in pairs]
    made = await at.many(*itertools.islice(texts, 500))
    for _ in range(9):
        at.clock.move(1)
        await copy_notes(context, made, 500, at.clock())
    found = await reflect(at.api)
    assert "**Memories processed**: 5000 episodes" in found["markdown"]
    assert len(of_kind(found, "fact")) == 25
    assert 1000 < found["tokensUsed"] <= 8000

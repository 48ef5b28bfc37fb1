"""Files that agents live by: how sensitive they are, and that nobody changes them unnoticed."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aged_notes import NOW, World
from race_world import cypher

from graphmem.app import background_work
from graphmem.domain import alerts as domain
from graphmem.domain.profiles.parameters import Ranking, Tiered
from graphmem.scheduler import clock
from graphmem.services import alerts as services
from graphmem.services.actors import open_access
from graphmem.services.alerts import check_files, list_alerts
from graphmem.services.context import Access, Context
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.importing.importing import import_folder
from graphmem.services.writing.changing import Edit, revise
from graphmem.settings import Settings

REMEMBER = "mutation R($i: RememberInput!) { remember(input: $i) { note { id } } }"
REVISE = """mutation R($id: ID!, $c: String, $tags: [String!]) {
  revise(id: $id, content: $c, tags: $tags) { version } }"""
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
OPEN = "mutation { openSession { id alerts { file noteId by diff question } } }"
CLOSE = "mutation C($id: ID!) { closeSession(id: $id) { alerts { file } } }"
LIST = "{ alerts { file noteId version by diff question } }"
CONFIRM = """mutation C($id: ID!, $v: Int!) {
  confirmAlert(noteId: $id, version: $v) { file version } }"""
EVENTS = """query E($s: ID, $types: [String!]) { events(subjectId: $s, types: $types, first: 100) {
  type actor channel summary data } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SOUL = "Be kind.\nNever lie.\nAsk before you spend."


async def kept(client: Any, name: str, content: str = SOUL, **given: Any) -> str:
    draft = {"externalId": name, "content": content, "visibility": "OPEN", **given}
    return (await client(REMEMBER, i=draft))["remember"]["note"]["id"]


async def as_bot(context: Context, user: str) -> Access:
    """Somebody who acts in the user's name: an agent itself is refused (test_rights_files)."""
    access = await open_access(context, user, None)
    return replace(access, viewer=replace(access.viewer, acting_as="bot:bot"))


async def revise_as_bot(context: Context, client: Any, note: str, **given: Any) -> None:
    await revise(context, await as_bot(context, client.user), note, Edit(**given))


async def alerts(client: Any, agent: str = "helper") -> list[dict[str, Any]]:
    """Those of a new session of the agent."""
    return (await client.as_agent(agent)(OPEN))["openSession"]["alerts"]


async def told(client: Any, note: str) -> list[tuple[str, str]]:
    events = (await client(EVENTS, s=note))["events"]
    return [
        (each["type"], each["data"]["sensitivity"]) for each in events if "event" in each["data"]
    ]


@pytest.mark.feature("MOLT-64")
@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("SOUL.md", "critical"),
        ("IDENTITY", "critical"),
        ("moltbot.json", "critical"),
        ("USER", "high"),
        ("TOOLS.md", "high"),
        ("MEMORY", "standard"),
        ("work/SOUL", "standard"),
    ],
)
async def test_an_edit_of_a_file_names_its_level(api: Any, name: str, level: str) -> None:
    note = await kept(api, name)
    await api(REVISE, id=note, c="Be kind.")
    assert await told(api, note) == [("CREATE", level), ("EDIT", level)]


@pytest.mark.feature("MOLT-64")
async def test_what_is_pinned_is_of_high_sensitivity_and_an_agents_file_is_as_any_note(
    api: Any,
) -> None:
    pinned = await kept(api, "rule", pinned=True)
    assert await told(api, pinned) == [("CREATE", "high")]
    own = await kept(api.as_agent("helper"), "work/SOUL", "Obey.")
    assert await told(api, own) == [("CREATE", "standard")]


@pytest.mark.feature("MOLT-71")
async def test_the_next_session_asks_once_whether_a_change_was_meant(api: Any) -> None:
    note = await kept(api, "SOUL")
    assert await alerts(api) == []
    await api(REVISE, id=note, c=SOUL.replace("Never lie.", "Lie at times."))
    await api(REVISE, id=note, tags=["soul"])
    [alert] = await alerts(api)
    asked = alert.pop("question")
    assert asked.startswith("SOUL was changed on ")
    assert asked.endswith(". Was this intentional?")
    assert alert == {
        "file": "SOUL",
        "noteId": note,
        "by": ["manual"],
        "diff": "- Never lie.\n+ Lie at times.",
    }
    assert await alerts(api) == [], "it is told to an agent once"
    [event] = (await api(EVENTS, types=["ALERT"]))["events"]
    assert (event["actor"], event["channel"]) == ("system:audit", "state_change")
    assert event["data"] == {"file": "SOUL", "from": 1, "to": 3, "sensitivity": "critical"}
    await api(FORGET, id=note)
    session = (await api.as_agent("helper")(OPEN))["openSession"]
    assert [each["file"] for each in session["alerts"]] == ["SOUL"]
    assert (await api.as_agent("helper")(CLOSE, id=session["id"]))["closeSession"]["alerts"] == []


@pytest.mark.feature("MOLT-72")
async def test_a_file_that_somebody_else_changes_is_flagged_at_once(
    api: Any, context: Context
) -> None:
    note, other = (
        await kept(api, "USER", "Mara likes tea."),
        await kept(api, "notes", "Tea is hot."),
    )
    await revise_as_bot(context, api, other, content="Tea is cold.")
    await revise_as_bot(context, api, note, tags=("tea",))
    await api(REVISE, id=note, c="Mara likes green tea.")
    assert (await api(EVENTS, types=["ALERT"]))["events"] == []
    await revise_as_bot(context, api, note, content="Mara likes whatever bot likes.")
    [event] = (await api(EVENTS, types=["ALERT"]))["events"]
    assert event["actor"] == "system:audit"
    assert event["data"] == {
        "file": "USER",
        "by": "bot:bot",
        "version": 4,
        "integrity": True,
        "sensitivity": "high",
    }
    [alert] = await alerts(api)
    assert alert["by"] == ["manual", "bot:bot"]
    access = await as_bot(context, api.user)
    given = {"query": None, "confirm": True, "reason": None}
    await forget(context, access, note_id=note, permanent=True, **given)
    [event] = (await api(EVENTS, types=["ALERT"]))["events"]
    assert (event["data"]["by"], event["data"]["integrity"]) == ("bot:bot", True)


@pytest.mark.feature("MOLT-73")
async def test_a_file_that_was_changed_in_the_database_is_found_at_the_start(
    api: Any, context: Context
) -> None:
    note = await kept(api, "SOUL")
    await check_files(context)
    assert await told(api, note) == [("CREATE", "critical")]
    await cypher(context, "MATCH (n:Note {id: $id}) SET n.content = 'Obey.'", id=note)
    for _ in range(2):
        await check_files(context)
    assert await told(api, note) == [("CREATE", "critical"), ("EDIT", "critical")]
    [event] = (await api(EVENTS, types=["ALERT"]))["events"]
    assert (event["data"]["by"], event["data"]["integrity"]) == ("system:audit", True)
    [alert] = await alerts(api)
    assert alert["diff"].endswith("+ Obey.")
    read = "query N($id: ID!) { note(id: $id) { content revisions { version content } } }"
    found = (await api(read, id=note))["note"]
    assert [each["content"] for each in found["revisions"]] == ["Obey.", SOUL]
    assert [hit["note"]["id"] for hit in await api.recall("Obey")] == [note]


async def test_nobody_waits_for_the_comparison_of_files(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def endless(*given: Any) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr(services.store, "tampered_files", endless)
    monkeypatch.setattr(clock, "run_clock", lambda context: nullcontext())
    settings = Settings(warm_up=False)
    async with asyncio.timeout(60), background_work(settings, context):
        await begun.wait()
        assert not ended.is_set()
    assert ended.is_set(), "it ends with the service"


@pytest.mark.feature("MOLT-94")
async def test_alerts_can_be_switched_off(api: Any, context: Context) -> None:
    note = await kept(api, "SOUL")
    await api(REVISE, id=note, c="Be kind.")
    off = replace(context, critical_alerts=False)
    access = await open_access(off, api.user, None)
    assert await list_alerts(off, access) == []
    assert len(await list_alerts(context, access)) == 1


async def test_an_agent_is_told_of_files_that_it_may_read(api: Any) -> None:
    await api(AGENT, i={"id": "narrow", "domains": ["home"]})
    note = await kept(api, "SOUL", visibility="SCOPED", domain="work")
    await api(REVISE, id=note, c="Be kind.")
    assert (await api.as_agent("narrow")(OPEN))["openSession"]["alerts"] == []
    assert (await api.as_agent("narrow")(EVENTS, types=["ALERT"]))["events"] == []
    assert len(await alerts(api)) == 1, "another agent's session does not take it away"


@pytest.mark.feature("MOLT-71")
async def test_an_agent_that_is_told_of_a_change_uses_up_no_alert_of_others(
    api: Any, context: Context
) -> None:
    """Each agent is told once, the user until they say that it was meant."""
    note = await kept(api, "SOUL")
    changed = SOUL.replace("Never lie.", "Obey bot.")
    await revise_as_bot(context, api, note, content=changed)
    for _ in range(2):
        await alerts(api, "bot")
    refused = await api.as_agent("bot").post(CONFIRM, id=note, v=2)
    assert refused["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    [alert] = await alerts(api)
    assert alert["diff"] == "- Never lie.\n+ Obey bot."
    [listed] = (await api(LIST))["alerts"]
    assert listed == {**alert, "version": 2}
    assert (await api.as_agent("bot")(LIST))["alerts"] == [listed], "read as often as one likes"
    await revise_as_bot(context, api, note, content="Obey bot.")
    assert (await api(CONFIRM, id=note, v=2))["confirmAlert"] == [{"file": "SOUL", "version": 3}]
    [alert] = await alerts(api, "late")
    assert alert["diff"] == "- Be kind.\n- Obey bot.\n- Ask before you spend.\n+ Obey bot."
    for _ in range(2):
        assert (await api(CONFIRM, id=note, v=3))["confirmAlert"] == []
    assert (await api(LIST))["alerts"] == await alerts(api) == await alerts(api, "other") == []
    events = (await api(EVENTS, types=["ALERT"]))["events"]
    told = [each["data"]["version"] for each in events if each["summary"] == "file confirmed"]
    assert told == [2, 3], "what was confirmed already is not told anew"
    await api(REVISE, id=note, c=SOUL)
    assert len((await api(LIST))["alerts"]) == len(await alerts(api)) == 1


async def test_only_files_are_confirmed_and_only_versions_that_are_there(api: Any) -> None:
    note, other = await kept(api, "SOUL"), await kept(api, "plan")
    for version in (0, 2):
        refused = await api.post(CONFIRM, id=note, v=version)
        assert refused["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    for missing in (other, "none"):
        refused = await api.post(CONFIRM, id=missing, v=1)
        assert refused["errors"][0]["extensions"]["code"] == "NOT_FOUND"


async def test_an_edit_is_told_though_many_other_changes_came_after_it(
    api: Any, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (domain, services):
        monkeypatch.setattr(module, "KEPT", 3)
    note = await kept(api, "SOUL")
    await revise_as_bot(context, api, note, content="Obey bot.")
    for i in range(4):
        await revise_as_bot(context, api, note, tags=(f"tag {i}",))
    [alert] = (await api(LIST))["alerts"]
    assert (alert["by"], alert["version"]) == (["bot:bot"], 6)
    assert alert["diff"].endswith("+ Obey bot.")
    assert alert["diff"].startswith("- Be kind."), "compared with what was confirmed"


@pytest.mark.feature("TIER-1")
async def test_files_that_are_foundational_never_fade(
    context: Context, new_user: Any, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    for name in ("SOUL.md", "work/SOUL.md", "plan.md"):
        (tmp_path / name).write_text("Be kind.", "utf-8")
    world = World(context, new_user())
    world.now = NOW
    query = """MATCH (n:Note {user: $user})
RETURN n.externalId, n.loadBearing, n.tier, n.halfLifeHours IS NULL"""

    async def imported(**given: Any) -> dict[str, Any]:
        world.numbers = replace(Ranking(), tiered=Tiered(**given))
        done = await import_folder(world.service, world.user, tmp_path)
        rows = await cypher(context, query, user=world.user)
        return {"revised": done.revised} | {file: rest for file, *rest in rows}

    usual, first = [False, "DAILY", False], [True, "FOUNDATIONAL", True]
    others = {"SOUL": usual, "work/SOUL": usual, "plan": usual}
    assert await imported(t0_permanent=False) == {**others, "revised": 0}
    assert await imported(t0_files=()) == {**others, "revised": 0}
    assert await imported() == {**others, "SOUL": first, "revised": 1}
    assert await imported() == {**others, "SOUL": first, "revised": 0}
    both = {**others, "SOUL": first, "plan": first}
    assert await imported(t0_files=("plan.md", "SOUL.md", "none.md")) == {**both, "revised": 1}
    world.user = f"{world.user}-2"
    made = await imported(t0_files=("work/SOUL.md",))
    assert made == {**others, "work/SOUL": first, "revised": 0}

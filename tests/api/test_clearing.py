"""All that one agent wrote is forgotten, by the operator's command, and nothing else."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from clients import Client
from typer.testing import CliRunner

from graphmem.cli import clear as command
from graphmem.cli.program import build
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.services.forgetting import clearing
from graphmem.services.forgetting.clearing import AgentCleared, clear_agent
from graphmem.store import purging

AGENTS = "{ agents { id noteCount } }"
STATUS = "query S($id: ID!) { note(id: $id) { status } }"
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
PIN = "mutation P($id: ID!) { pin(id: $id) { version } }"
RESTORE = "mutation R($id: ID!) { restore(id: $id) { status } }"
TEXTS = (
    "The kiln is in Ulm.",
    "The lathe stands beside the window.",
    "Boris orders clay on Mondays.",
    "A truck brings wood in the spring.",
    "The glaze recipe needs cobalt.",
)


async def say(api: Client, content: str, **given: Any) -> str:
    return (await api.remember(content, **given))["note"]["id"]


async def statuses(api: Client, ids: list[str]) -> list[str | None]:
    """None where there is no such note."""
    answers = [await api.post(STATUS, id=note) for note in ids]
    found = [(answer["data"] or {}).get("note") for answer in answers]
    return [note and note["status"] for note in found]


async def counts(api: Client) -> dict[str, int]:
    return {agent["id"]: agent["noteCount"] for agent in (await api(AGENTS))["agents"]}


@pytest.mark.feature("DAEM-30")
async def test_what_an_agent_wrote_is_forgotten_page_by_page_and_nothing_else(
    api: Client, new_user: Any, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clearing, "PAGE", 2)
    bot, helper, other = api.as_agent("bot"), api.as_agent("helper"), api.as_user(new_user())
    written = [await say(bot, text) for text in TEXTS]
    private = await say(bot, "The safe opens to the left.", visibility="PRIVATE")
    expired = await say(bot, "The oven is hot.", ttlSeconds=1)
    put_away = await say(bot, "The old press was sold.")
    await api(FORGET, id=put_away)
    kept = [
        await say(api, "Carla fires the oven at night."),
        await say(helper, "Ada paints plates."),
    ]
    theirs = await say(other.as_agent("bot"), TEXTS[1])
    assert await clear_agent(context, api.user, "bot", dry_run=True) == AgentCleared(
        found=7, cleared=0, permanent=False
    )
    assert await statuses(api, written) == ["ACTIVE"] * 5
    done = await clear_agent(context, api.user, "bot")
    assert done == AgentCleared(found=7, cleared=7, permanent=False)
    assert await statuses(api, [*written, private, put_away]) == ["ARCHIVED"] * 7
    assert await statuses(api, kept) == ["ACTIVE"] * 2
    assert await statuses(other, [theirs]) == ["ACTIVE"]
    assert await counts(api) == {"bot": 0, "helper": 1}
    assert (await clear_agent(context, api.user, "bot")).found == 0
    assert (await api(RESTORE, id=written[0]))["restore"]["status"] == "ACTIVE"
    later = replace(context, clock=lambda: context.clock() + timedelta(days=1))
    done = await clear_agent(later, api.user, "bot", permanent=True)
    assert done == AgentCleared(found=8, cleared=8, permanent=True)
    assert await statuses(api, [*written, private, put_away, expired]) == [None] * 8
    assert (
        await purging.written_by(context.graph, api.user, "bot", archived=True, after="", limit=9)
        == []
    )
    assert await statuses(api, kept) == ["ACTIVE"] * 2
    assert await statuses(other, [theirs]) == ["ACTIVE"]


async def test_a_page_of_which_a_note_changes_meanwhile_is_left_as_it_is(
    api: Client, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await say(api.as_agent("bot"), TEXTS[0])
    forget_notes = clearing.forget_notes

    async def too_late(*given: Any, **more: Any) -> int:
        await api(PIN, id=note)
        return await forget_notes(*given, **more)

    monkeypatch.setattr(clearing, "forget_notes", too_late)
    for permanent in (False, True):
        done = await clear_agent(context, api.user, "bot", permanent=permanent)
        assert done == AgentCleared(found=1, cleared=0, permanent=permanent)
        assert await statuses(api, [note]) == ["ACTIVE"]
    monkeypatch.undo()
    assert (await clear_agent(context, api.user, "bot")).cleared == 1


@pytest.mark.feature("DAEM-30")
async def test_the_command_counts_asks_and_forgets(
    api: Client, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await say(api.as_agent("bot"), TEXTS[0])
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")

    async def run(*given: str, code: int = 0, answer: str = "") -> str:
        words = ["clear", "--user", api.user, "--neo4j", neo4j_address.bolt_uri, *given]
        done = await asyncio.to_thread(CliRunner().invoke, build(), words, answer)
        assert done.exit_code == code, done.output
        return done.stdout

    await run(code=2)
    assert await run("--agent", "bot") == "1 note of bot would be forgotten; --yes does it\n"
    monkeypatch.setattr(command, "at_a_terminal", lambda: True)
    asked = await run("--agent", "bot", answer="n\n")
    assert asked.startswith("Forget 1 note of bot? [y/N]")
    assert await statuses(api, [note]) == ["ACTIVE"]
    assert (await run("--agent", "bot", answer="y\n")).endswith("1 of 1 note of bot forgotten\n")
    assert await statuses(api, [note]) == ["ARCHIVED"]
    counted = json.loads(await run("--agent", "bot", "--permanent", "--json"))
    assert counted == {"found": 1, "cleared": 0, "permanent": True}
    done = json.loads(await run("--agent", "bot", "--permanent", "--yes", "--json"))
    assert done == {"found": 1, "cleared": 1, "permanent": True}
    assert await statuses(api, [note]) == [None]
    await run("--agent", "nobody", "--yes", code=1)

"""A day's work by a client of another language, that of MCP's TypeScript SDK: with and without the
handshake, over HTTP and over stdin and stdout."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from node import installed, needs_node, run_program
from toy_service import serving

from graphmem.app import create_app
from graphmem.mcp.answers import NOTICE
from graphmem.mcp.offers import OFFERS
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.settings import Settings

SCRIPTS = Path(__file__).parent / "clients_mcp"
NOTES = ("Ada Kessler repaired the relay of the kiln.", "The kiln stands in room five.")
TEMPLATES = {"memory": ["note", "entity"], "orchestrator": [], "commons": ["sop"]}
PROMPTS = {
    "memory": ["brief_me", "hand_over", "reflect"],
    "orchestrator": ["hand_over"],
    "commons": ["follow_procedure"],
}
RESOURCES = {
    "memory": ["graphmem://core"],
    "orchestrator": ["graphmem://agents"],
    "commons": ["graphmem://skills"],
}
ERAS = {"auto": "modern", "legacy": "legacy"}

pytestmark = needs_node


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the client."""
    return await installed(request.config, SCRIPTS, tmp_path_factory.mktemp("day"))


async def a_day(client: Path, **given: Any) -> Any:
    """What the client was told."""
    return json.loads(await run_program(client, "node", "day.mjs", json.dumps(given)))


@pytest.mark.feature("MUMA-87")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_day_over_http(
    settings: Settings, context: Context, client: Path, new_user: Callable[[], str], mode: str
) -> None:
    async with serving(create_app(settings, opened=context)) as host:
        http = {"address": f"http://{host}", "headers": {"X-Graphmem-User": new_user()}}
        day = await a_day(client, mode=mode, http=http)
    for endpoint, part in day.items():
        assert part.pop("offered") == {
            "era": ERAS[mode],
            "server": f"graphmem-{endpoint}",
            "instructed": True,
            "tools": [tool.name for tool in OFFERS[endpoint]],
            "templates": TEMPLATES[endpoint],
            "prompts": PROMPTS[endpoint],
            "resources": RESOURCES[endpoint],
        }
    check(day)


@pytest.mark.feature("MUMA-87")
@pytest.mark.parametrize("mode", ERAS)
async def test_a_day_over_stdio(
    neo4j_address: ServerAddress,
    client: Path,
    context: object,
    new_user: Callable[[], str],
    mode: str,
) -> None:
    stdio = {
        "command": sys.executable,
        "args": ["-m", "graphmem", "mcp", "--in-person", "--user", new_user()],
        "env": {
            "GRAPHMEM_EMBEDDER": "hash",
            "GRAPHMEM_EXTRACTOR": "rules",
            "GRAPHMEM_NEO4J_URI": neo4j_address.bolt_uri,
            "GRAPHMEM_NEO4J_USER": neo4j_address.user,
            "GRAPHMEM_NEO4J_PASSWORD": neo4j_address.password,
            "GRAPHMEM_OPERATION_TIMEOUT_S": "200",
            "PYTHONPATH": ":".join(sys.path),
        },
    }
    day = await a_day(client, mode=mode, stdio=stdio)
    for part in day.values():
        offered = part.pop("offered")
        assert (offered["era"], offered["server"]) == (ERAS[mode], "graphmem")
        assert offered["tools"] == [tool.name for tools in OFFERS.values() for tool in tools]
        assert offered["resources"] == [uri for uris in RESOURCES.values() for uri in uris]
    check(day)


def check(day: Any) -> None:
    """Fail unless the client was told what it did."""
    memory = day["memory"]
    context, prompt = memory.pop("context"), memory.pop("prompt")
    for note in NOTES:
        assert note in context
        assert note in prompt
    assert f"{NOTICE}\n<memory>\n" in prompt
    assert memory == {
        "found": [NOTES[0]],
        "version": 2,
        "stale": "CONFLICT",
        "without": 1,
        "paged": [1, 1],
        "nowhere": "NOT_FOUND",
        "tooMany": "BAD_USER_INPUT",
        "unknown": "BAD_USER_INPUT",
        "total": 2,
        "core": "text/plain",
        "note": NOTES[1],
        "completed": ["Ada Kessler"],
    }
    assert day["orchestrator"] == {
        "handed": True,
        "agents": ["coder", "spawned"],
        "routed": "coder",
        "listed": 2,
    }
    assert day["commons"] == {
        "skills": ["fire-kiln"],
        "trusted": True,
        "known": [],
        "sop": "NOT_FOUND",
        "experts": 2,
        "prompts": 2,
    }

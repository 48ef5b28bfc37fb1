"""The endpoints of MCP as the protocol's own conformance suite sees them.

It takes a minute and installs the suite, so it runs only with GRAPHMEM_TEST_MCP_CONFORMANCE set."""

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from node import installed, needs_node, run_program
from toy_service import serving

from graphmem.app import create_app
from graphmem.mcp.routes import ENDPOINTS
from graphmem.services.context import Context
from graphmem.settings import Settings

SCRIPTS = Path(__file__).parent / "conformance_mcp"
SUITE = "node_modules/@modelcontextprotocol/conformance"
NEWEST, BEFORE, OLD = "2026-07-28", "2025-11-25", "2025-06-18"
# Those that need no tool, resource or prompt of the suite's own; by the version of the protocol.
SCENARIOS = {
    NEWEST: (
        "server-stateless",
        "tools-list",
        "resources-list",
        "prompts-list",
        "completion-complete",
        "caching",
        "http-header-validation",
        "dns-rebinding-protection",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
    ),
    BEFORE: ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list"),
    OLD: ("server-initialize", "ping", "tools-list"),
}
CHECK = re.compile(r"\b(SUCCESS|FAILURE|WARNING)\b")
RESULT = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed")
UNTESTABLE = "Not testable"  # what only a tool of the suite's own would show

pytestmark = [
    needs_node,
    pytest.mark.skipif(
        not os.environ.get("GRAPHMEM_TEST_MCP_CONFORMANCE"),
        reason="GRAPHMEM_TEST_MCP_CONFORMANCE is not set",
    ),
    pytest.mark.timeout(900),
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def suite(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the suite."""
    return await installed(request.config, SCRIPTS, tmp_path_factory.mktemp("mcp"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host(settings: Settings, context: Context) -> AsyncIterator[str]:
    """The service on a port."""
    async with serving(create_app(settings, opened=context)) as address:
        yield address


@pytest.mark.parametrize("endpoint", ENDPOINTS)
async def test_an_endpoint_conforms(host: str, suite: Path, endpoint: str) -> None:
    entry = f"{SUITE}/dist/index.js"
    wrong: dict[str, Any] = {}
    for version, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            given = ("--url", f"http://{host}/mcp/{endpoint}", "--scenario", scenario)
            out = await run_program(
                suite, "node", entry, "server", *given, "--spec-version", version, fails=True
            )
            found = RESULT.search(out)
            assert found, out[-2000:]
            passed, total, failed = map(int, found.groups())
            if failed != out.count(UNTESTABLE) or passed + failed != total or not passed:
                wrong[f"{version} {scenario}"] = out[-2000:]
    assert not wrong

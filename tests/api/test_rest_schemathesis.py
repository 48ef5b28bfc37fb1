"""REST as schemathesis sees it: every check that it has, requests of its own making, and sequences
of requests that go by what earlier ones answered.

It takes minutes, so it runs only where schemathesis is installed."""

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from toy_service import serving

from graphmem.app import create_app
from graphmem.services.context import Context
from graphmem.settings import Settings

EXAMPLES = os.environ.get("GRAPHMEM_SCHEMATHESIS_EXAMPLES", "3")
PATIENCE_S = 1200
STREAMS = "^follow"  # answers that go on

pytestmark = [
    pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed"),
    pytest.mark.timeout(PATIENCE_S + 100),
]


async def test_nothing_is_found(settings: Settings, context: Context, tmp_path: Path) -> None:
    async with serving(create_app(settings, opened=context)) as host:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli"),
            *("--config-file", str(Path(__file__).with_name("schemathesis.toml"))),
            *("run", f"http://{host}/openapi.json", "--seed", "7"),
            *("--max-examples", EXAMPLES, "--exclude-operation-id-regex", STREAMS),
            *("--request-timeout", "60", "--warnings", "off"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 0, out.decode()[-20_000:]

"""Serves, and starts the service anew when a file of the program changes; its Neo4j goes on.

python scripts/serve_anew.py [options of `graphmem serve`]"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from graphmem.app import open_server
from graphmem.cli.options import settings_of

ROOT: Final = Path(__file__).parents[1]
WATCHED: Final = ("graphmem/**/*.py", "cypher/**/*.cypher", "jobs/*.cypher", "schema/migrations/*")
LOOK_S: Final = 1.0  # between two looks at the files
STOP_S: Final = 30.0  # that the service may take to stop


def state_of(root: Path = ROOT) -> dict[Path, int]:
    """When each file of the program was changed, in nanoseconds."""
    found = {path for pattern in WATCHED for path in root.glob(pattern)}
    state: dict[Path, int] = {}
    for path in found:
        with contextlib.suppress(FileNotFoundError):  # it is gone by now
            state[path] = path.stat().st_mtime_ns
    return state


async def serve(options: Sequence[str]) -> None:
    """Serve until the task is cancelled."""
    async with open_server(settings_of()) as address:
        env = os.environ | {
            "GRAPHMEM_NEO4J_URI": address.bolt_uri,
            "GRAPHMEM_NEO4J_USER": address.user,
            "GRAPHMEM_NEO4J_PASSWORD": address.password,
            "GRAPHMEM_WARM_UP": os.environ.get("GRAPHMEM_WARM_UP", "false"),
        }
        while True:
            state = state_of()
            running = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "graphmem", "serve", *options, env=env
            )
            try:
                while state == await asyncio.to_thread(state_of):  # noqa: ASYNC110
                    await asyncio.sleep(LOOK_S)
            finally:
                await _stop(running)
            print("A file has changed; the service starts anew.", flush=True)


async def _stop(running: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself, by a fault in the file
        running.terminate()
    try:
        await asyncio.wait_for(running.wait(), STOP_S)
    except TimeoutError:
        running.kill()
        await running.wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(sys.argv[1:]))

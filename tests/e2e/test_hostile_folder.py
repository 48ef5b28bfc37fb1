"""graphmem in a folder of somebody else, as a program starts it that works there: nothing of the
folder is run, and nothing in it says which programs run or where texts go."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_folder import HostileFolder
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_clients import told

import graphmem
from graphmem.ai import sentence_model
from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.cli.connect.clients import CLIENTS
from graphmem.errors import Misconfigured
from graphmem.server import default_cache_dir
from graphmem.server.java import candidates
from graphmem.settings import load_settings

SOON_S = 120
CODE = Path(graphmem.__file__).parents[1]
ISOLATED = {"-P", "-I"}


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[HostileFolder]:
    folder = HostileFolder(tmp_path / "cloned")
    yield folder
    folder.close()


def environment(**more: str) -> dict[str, str]:
    """That of a user who has set up nothing; this code goes before the one that is installed."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    return {**kept, "PYTHONPATH": str(CODE), **more}


def installed(client: str) -> list[str]:
    """The command that `mcp install` gives a client."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "graphmem", "mcp", "install", "--client", client],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SOON_S,
        check=True,
    )
    read: Any = tomllib.loads(done.stdout) if client == "codex" else json.loads(done.stdout)
    entry = read[CLIENTS[client].key]["graphmem"]
    command = entry["command"]
    return command if isinstance(command, list) else [command, *entry["args"]]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_installed_runs_nothing_of_the_folder(hostile: HostileFolder, client: str) -> None:
    command = installed(client)
    assert Path(command[0]).is_absolute()
    for words in (["--help"], ["install", "--client", client]):
        end = command.index("mcp") + 1
        done = subprocess.run(
            [*command[:end], *words],
            cwd=hostile.place,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SOON_S,
        )
        assert done.returncode == 0, done.stderr
    assert (hostile.ran, hostile.asked) == ([], [])


async def test_the_whole_service_starts_there_and_runs_nothing_of_it(
    hostile: HostileFolder, tmp_path: Path
) -> None:
    """From the client's command to Java: `graphmem mcp`, the service that it starts, Neo4j."""
    command = installed("claude-code")
    path = os.pathsep.join(("", ".", "bin", os.environ["PATH"]))
    parameters = StdioServerParameters(
        command=command[0],
        args=[*command[1:], "--data", str(tmp_path / "data")],
        cwd=hostile.place,
        env=environment(
            PATH=path,
            XDG_CONFIG_HOME=".config",
            XDG_DATA_HOME=".",
            XDG_CACHE_HOME=".",
            GRAPHMEM_CACHE=str(default_cache_dir()),
            GRAPHMEM_NEO4J_HEAP="512m",
            GRAPHMEM_WARM_UP="false",
            GRAPHMEM_GRAPHIQL="false",
            GRAPHMEM_AOT_CACHE="false",
            GRAPHMEM_OPERATION_TIMEOUT_S="300",
            GRAPHMEM_MCP__START_SECONDS="300",
            GRAPHMEM_MCP__URL="http://127.0.0.1:18397",
        ),
    )
    async with Client(stdio_client(parameters)) as client:
        await told(client, "memory.write", content="The kiln stands in room four.")
        found = await told(client, "memory.query", query_text="Where is the kiln?")
        assert found["results"]
    assert (hostile.ran, hostile.asked) == ([], [])
    assert not (hostile.place / "graphmem" / "service.log").exists()


def test_the_program_itself_runs_nothing_of_the_folder(hostile: HostileFolder) -> None:
    """The script that pip makes, as a service or a person starts it."""
    script = shutil.which("graphmem", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("graphmem is not installed as a script")
    for words in (["--version"], ["keys", "list"], ["status"], ["mcp", "--help"]):
        subprocess.run(
            [script, *words],
            cwd=hostile.place,
            env=environment(GRAPHMEM_NEO4J_URI="bolt://127.0.0.1:1"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SOON_S,
        )
    assert (hostile.ran, hostile.asked) == ([], [])


def test_no_setting_is_read_from_the_folder(
    hostile: HostileFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        if name.startswith(("GRAPHMEM_", "XDG_")) or name in ("NEO4J_HOME", "JAVA_HOME"):
            monkeypatch.delenv(name)
    usual = load_settings()
    monkeypatch.chdir(hostile.place)
    for folder in (None, ".", ".config"):
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            if folder is not None:
                monkeypatch.setenv(name, folder)
        assert load_settings() == usual
        assert default_cache_dir() == usual.cache
    for variable in ("GRAPHMEM_CACHE", "NEO4J_HOME", "JAVA_HOME", "GRAPHMEM_ENV_FILE"):
        with monkeypatch.context() as given:
            given.setenv(variable, "bin")
            with pytest.raises(Misconfigured, match=variable):
                load_settings()


def test_no_java_is_taken_from_the_folder(
    hostile: HostileFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.place)
    for path in ("", ".", "bin", f"{os.pathsep}.{os.pathsep}bin"):
        monkeypatch.setenv("PATH", path)
        for home in (None, ".", ""):
            assert [each for each in candidates(home) if not each.is_absolute()] == []
            assert not any(hostile.place in each.parents for each in candidates(home))


def test_no_model_is_taken_from_the_folder(
    hostile: HostileFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.place)
    monkeypatch.setattr(sentence_model, "find_spec", lambda name: True)
    for name in (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}"):
        assert isinstance(sentence_model.load(name), sentence_model.minilm.MiniLM)
    (hostile.place / "BAAI" / "bge-small").mkdir(parents=True)
    with pytest.raises(Misconfigured, match="started"):
        sentence_model.load("BAAI/bge-small")
    assert hostile.ran == []


def test_every_python_that_is_started_takes_no_modules_from_the_folder() -> None:
    """Wherever the name of this Python stands, `-P` or `-I` stands behind it."""
    wrong, seen = [], 0
    for file in sorted((CODE / "graphmem").rglob("*.py")):
        for node in ast.walk(_parsed(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call | ast.List | ast.Tuple):
                continue
            parts = node.args if isinstance(node, ast.Call) else node.elts
            if not any(map(_is_python, parts)):
                continue
            seen += 1
            every = [each for part in parts for each in ast.walk(part)]
            words = {each.value for each in every if isinstance(each, ast.Constant)}
            if not words & ISOLATED:
                wrong.append(f"{file.relative_to(CODE)}:{node.lineno}")
    assert wrong == []
    assert seen >= 4


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SystemError:  # of Python 3.11, where another thread parses at the same time
        return ast.parse(text)


def _is_python(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable"

"""The commands and requests in README and docs are carried out, and answered as the pages say."""

import asyncio
import contextlib
import io
import json
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from documents import PAGES, ROOT, RUN, Block, blocks, check_answer
from graphql import get_operation_ast, parse

from graphmem.app import create_app
from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.settings import Settings

WRITTEN = "127.0.0.1:8321"
PATIENCE_S = 200
NEVER = ("make", "pip", "docker", "openssl")  # a page that calls one must say why it is not run
RUNNABLE = [page for page in PAGES if any(block.language in RUN for block in blocks(page))]


@dataclass
class Reader:
    """A user who carries out a page from its beginning to its end."""

    place: str
    user: str
    environment: dict[str, str]
    folder: Path
    recall: str = ""

    def __post_init__(self) -> None:
        self.names: dict[str, Any] = {}

    async def carry_out(self, block: Block) -> None:
        """Run a block. Raises AssertionError when the answer is another one."""
        text = block.text.replace(WRITTEN, self.place)
        if block.language == "graphql":
            check_answer(block, await self.ask(text))
        elif block.language == "python":
            check_answer(block, await asyncio.to_thread(self.run_python, text))
        elif "curl" not in text or shutil.which("curl"):
            check_answer(block, await self.run_shell(text))

    async def ask(self, document: str) -> str:
        """Send a GraphQL document; the answer has errors only where the page tells them."""
        operation = get_operation_ast(parse(document))
        assert operation is not None
        known = {"q": "Does the login page need cookies?", "recall": self.recall, "used": []}
        wanted = [each.variable.name.value for each in operation.variable_definitions or ()]
        body = {"query": document, "variables": {name: known[name] for name in wanted}}
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            answer = (await client.post(f"http://{self.place}/graphql", json=body)).json()
        self.recall = ((answer["data"] or {}).get("recall") or {}).get("id", self.recall)
        return json.dumps(answer, ensure_ascii=False)

    def run_python(self, text: str) -> str:
        """What a block of Python prints, after those before it."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "page", "exec"), self.names)
        return printed.getvalue()

    async def run_shell(self, text: str) -> str:
        """What a block of commands prints. Raises AssertionError when one of them fails."""
        process = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", text),
            cwd=ROOT,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(PATIENCE_S):
            out, err = await process.communicate()
        assert process.returncode == 0, f"{text}\n{err.decode()}"
        return out.decode()


class AsUser:
    """Passes requests on to the service; those that name nobody are the reader's."""

    def __init__(self, app: Any) -> None:
        self.app, self.user = app, ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        names = [name for name, _ in scope.get("headers", ())]
        if scope["type"] == "http" and b"x-graphmem-user" not in names:
            named = (b"x-graphmem-user", self.user.encode())
            scope = {**scope, "headers": [*scope["headers"], named]}
        await self.app(scope, receive, send)


@pytest.fixture(scope="module")
async def serving(settings: Settings, context: Context) -> AsyncIterator[tuple[str, AsUser]]:
    """Where the service listens, and who asks it."""
    app = AsUser(create_app(settings, opened=context))
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        yield f"127.0.0.1:{listener.getsockname()[1]}", app
        server.should_exit = True
        await running


@pytest.fixture
def reader(
    serving: tuple[str, AsUser],
    neo4j_address: ServerAddress,
    new_user: Callable[[], str],
    tmp_path: Path,
) -> Reader:
    """A new user, with the program on the path."""
    place, app = serving
    app.user = new_user()
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("graphmem", *NEVER):
        does = "exit 1" if name in NEVER else f'exec {sys.executable} -m graphmem "$@"'
        (programs / name).write_text(f"#!/bin/sh\n{does}\n", "utf-8")
        (programs / name).chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHMEM_")}
    environment = kept | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GRAPHMEM_DATA": str(tmp_path / "data"),
        "GRAPHMEM_PORT": place.rpartition(":")[2],
        "GRAPHMEM_DEFAULT_USER": app.user,
        "GRAPHMEM_EMBEDDER": "hash",
        "GRAPHMEM_EXTRACTOR": "rules",
        "GRAPHMEM_NEO4J_URI": neo4j_address.bolt_uri,
        "GRAPHMEM_NEO4J_USER": neo4j_address.user,
        "GRAPHMEM_NEO4J_PASSWORD": neo4j_address.password,
    }
    return Reader(place, app.user, environment, tmp_path)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: str(page.relative_to(ROOT)))
async def test_page_works_from_top_to_bottom(page: Path, reader: Reader):
    for block in blocks(page):
        if block.language in RUN and block.why is None:
            await reader.carry_out(block)


def test_most_blocks_are_run():
    every = [block for page in PAGES for block in blocks(page) if block.language in RUN]
    assert sum(block.why is None for block in every) > len(every) / 2

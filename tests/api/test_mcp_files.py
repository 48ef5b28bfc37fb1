"""Memory in files over `graphmem mcp`, and the service that it starts."""

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clients import Client
from mcp.client.client import Client as McpClient
from mcp_clients import code, told

from graphmem.cli import autostart
from graphmem.errors import Unavailable
from graphmem.mcp.caller import Caller
from graphmem.mcp.server import build_server
from graphmem.operations.authentication import Credentials, OpenAuthenticator
from graphmem.operations.tools import Mcp
from graphmem.server import ServerAddress
from graphmem.server.ports import is_free
from graphmem.services.context import Context
from graphmem.settings import Settings

REGISTER = """mutation { registerAgent(input: {id: "openclaw", canSeePrivate: true}) { id }
  narrow: registerAgent(input: {id: "narrow", domains: ["work"], canSeePrivate: true}) { id } }"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with memory, and what must not be read from it."""
    (tmp_path / "secret.md").write_text("The safe opens with 1234.", "utf-8")
    here = tmp_path / "here"
    (here / "memory" / "daily").mkdir(parents=True)
    (here / "MEMORY.md").write_text("# Ada\n" + "Ada prefers tea.\n" * 500, "utf-8")
    (here / "memory" / "2026-03-01.md").write_text("The kiln was repaired.", "utf-8")
    (here / "memory" / "daily" / "one.md").write_text("One bell.", "utf-8")
    (here / "moltbot.json").write_text("{}", "utf-8")
    (here / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    (here / "memory" / "up").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(here / "memory" / "pipe.md")
    return here


def server(context: Context, folder: Path, user: str) -> Any:
    """The server of `graphmem mcp`, without its process."""

    async def opened() -> Context:
        return replace(context, folder=folder, folder_user=user)

    caller = Caller(
        service=opened,
        authenticator=OpenAuthenticator(user),
        credentials=lambda request: Credentials(user=user),
        tools=Mcp(),
        seconds=60,
        files=True,
        unnamed="openclaw",
    )
    return build_server(caller, ("memory",))


@pytest.mark.feature("DAEM-15")
async def test_memory_in_files_is_read_below_its_folder_only(
    context: Context, api: Client, folder: Path
) -> None:
    async with McpClient(server(context, folder, api.user)) as client:
        assert await code(client, "memory_get", path="MEMORY.md") == "FORBIDDEN"
        await api(REGISTER)
        read = await told(client, "memory_get", path="MEMORY.md")
        text = read["text"]
        assert text.startswith("# Ada\n")
        while cursor := read.get("next_cursor"):
            read = await told(client, "memory_get", path="MEMORY.md", cursor=cursor)
            text += read["text"]
        assert text == (folder / "MEMORY.md").read_text("utf-8")
        for path, said in (
            ("memory/2026-03-01.md", "The kiln was repaired."),
            ("memory/daily/one.md", "One bell."),
        ):
            assert (await told(client, "memory_get", path=path))["text"] == said
        for path in (
            "../secret.md",
            "memory/../../secret.md",
            "memory/link.md",
            "memory/up/secret.md",
            str(folder / "MEMORY.md"),
            "moltbot.json",
            "memory/.hidden.md",
            "memory//one.md",
            "memory",
            "",
            "MEMORY.md\0",
        ):
            assert await code(client, "memory_get", path=path) == "BAD_USER_INPUT", path
        for path in ("memory/none.md", "memory/pipe.md", "memory/none/one.md"):
            assert await code(client, "memory_get", path=path) == "NOT_FOUND", path
        narrow = {"path": "MEMORY.md", "agent_id": "narrow"}
        assert await code(client, "memory_get", **narrow) == "FORBIDDEN"


@pytest.fixture
def down(
    settings: Settings,
    neo4j_address: ServerAddress,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Callable[..., Settings]:
    """Settings of a service that does not run, and that would use the Neo4j of the tests."""
    for name, value in (
        ("NEO4J_URI", neo4j_address.bolt_uri),
        ("NEO4J_USER", neo4j_address.user),
        ("NEO4J_PASSWORD", neo4j_address.password),
        ("EMBEDDER", "hash"),
        ("WARM_UP", "false"),
        ("JOBS", "off"),
    ):
        monkeypatch.setenv(f"GRAPHMEM_{name}", value)

    async def nothing(settings: Settings) -> None:
        """The Neo4j is there, so nothing is to be fetched."""

    monkeypatch.setattr("graphmem.app.fetch_server", nothing)
    port = next(port for port in range(18_400, 18_500) if is_free(port))

    def made(**given: Any) -> Settings:
        mcp = Mcp(url=f"http://127.0.0.1:{port}", **given)
        return settings.model_copy(update={"data": tmp_path, "neo4j_uri": None, "mcp": mcp})

    return made


@pytest.mark.feature("DAEM-17")
async def test_a_service_that_is_down_is_started_and_ends_with_the_process(
    down: Callable[..., Settings],
) -> None:
    settings = down(start_seconds=200)
    async with autostart.service_beside(settings):
        assert await autostart.healthy(*settings.mcp.place)
        async with autostart.service_beside(settings):  # one that runs is left alone
            pass
        assert await autostart.healthy(*settings.mcp.place)
    assert not await autostart.healthy(*settings.mcp.place)
    assert (settings.data / autostart.LOG).stat().st_mode & 0o777 == 0o600


@pytest.mark.feature("DAEM-17")
async def test_a_service_that_can_t_start_is_an_error(
    down: Callable[..., Settings],
) -> None:
    assert Mcp().start_seconds == 30
    assert autostart.EVERY_S == 0.5
    settings = down(start_seconds=1)
    with (
        socket.create_server(settings.mcp.place),  # another program has the port
        pytest.raises(Unavailable, match="did not answer in 1 seconds"),
    ):
        async with autostart.service_beside(settings):
            pass


@pytest.mark.feature("DAEM-19")
async def test_the_process_obeys_its_settings(
    down: Callable[..., Settings], context: Context, api: Client, folder: Path
) -> None:
    async with autostart.service_beside(down(autostart=False)) as nothing:
        assert nothing is None
        assert not await autostart.healthy(*down().mcp.place)
    assert Mcp() == Mcp(
        url="http://127.0.0.1:8321",
        autostart=True,
        agent_id="openclaw",
        default_ttl=2_592_000,
        max_results=6,
        min_score=0.5,
    )
    for url in ("https://127.0.0.1:8321", "http://example.org", "http://127.0.0.1:8321/x", "x"):
        with pytest.raises(ValueError, match="url must be"):
            Mcp(url=url)
    async with McpClient(server(context, folder, api.user)) as client:
        kept = await told(client, "memory.remember", text="One bell.")
        document = "query Q($id: ID) { note(id: $id) { author { id } createdAt expiresAt } }"
        note = (await api(document, id=kept["id"]))["note"]
    assert note["author"] == {"id": "openclaw"}
    assert note["expiresAt"] > note["createdAt"]

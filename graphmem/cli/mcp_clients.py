"""The configuration of MCP clients: where it is, and its entry for graphmem."""

import json
import os
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

NAME: Final = "graphmem"


@dataclass(frozen=True, kw_only=True)
class Started:
    """The command by which a client starts `graphmem mcp`."""

    agent: str
    options: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The program: this Python, which a desktop program finds without a PATH."""
        return sys.executable

    @property
    def arguments(self) -> list[str]:
        """Its arguments. `-P`: a client starts it in its own working folder, which may be
        anybody's, and Python would load modules from there."""
        return ["-P", "-m", "graphmem", "mcp", "--agent", self.agent, *self.options]


@dataclass(frozen=True)
class ClientKind:
    """A client: the file of its configuration, and the key of the servers in it."""

    file: Callable[[], Path]
    key: str
    typed: bool = False
    """whether an entry tells its transport"""


def _desktop_file() -> Path:
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or Path.home())
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "Claude" / "claude_desktop_config.json"


CLIENTS: Final[Mapping[str, ClientKind]] = MappingProxyType(
    {
        "claude-code": ClientKind(lambda: Path.cwd() / ".mcp.json", "mcpServers", typed=True),
        "claude-desktop": ClientKind(_desktop_file, "mcpServers"),
        "cursor": ClientKind(lambda: Path.home() / ".cursor" / "mcp.json", "mcpServers"),
        "vscode": ClientKind(lambda: Path.cwd() / ".vscode" / "mcp.json", "servers", typed=True),
        "codex": ClientKind(lambda: Path.home() / ".codex" / "config.toml", "mcp_servers"),
    }
)


def place_of(client: str) -> Path:
    """Return the usual file of a client; for Claude Code and VS Code, that of the current
    folder."""
    return CLIENTS[client].file()


def render_entry(client: str, started: Started) -> str:
    """Return the entry for the file."""
    if client == "codex":
        return _toml_entry(started)
    return json.dumps({CLIENTS[client].key: {NAME: _json_entry(client, started)}}, indent=2)


def write_configuration(client: str, place: Path, started: Started) -> None:
    """Put the entry into the file; the rest of it stays.

    Raises OSError, and ValueError when the file has an unexpected form, or a TOML table of
    graphmem, which is not changed."""
    before = place.read_text(encoding="utf-8") if place.exists() else ""
    if client == "codex":
        if NAME in tomllib.loads(before).get(CLIENTS[client].key, {}):
            raise ValueError("it has an entry of graphmem; change that by hand")
        text = before.rstrip() + "\n" * 2 * bool(before.strip()) + _toml_entry(started) + "\n"
    else:
        text = (
            json.dumps(_merge_entry(client, before, started), indent=2, ensure_ascii=False) + "\n"
        )
    _replace_file(place, text)


def _merge_entry(client: str, before: str, started: Started) -> dict[str, Any]:
    known = json.loads(before) if before.strip() else {}
    servers = known.setdefault(CLIENTS[client].key, {}) if isinstance(known, dict) else None
    if not isinstance(servers, dict):
        raise ValueError("it is not the configuration of this client")
    servers[NAME] = _json_entry(client, started)
    return known


def _json_entry(client: str, started: Started) -> dict[str, Any]:
    kind = {"type": "stdio"} if CLIENTS[client].typed else {}
    return {**kind, "command": started.command, "args": started.arguments}


def _toml_entry(started: Started) -> str:
    command, arguments = json.dumps(started.command), json.dumps(started.arguments)
    return f"[{CLIENTS['codex'].key}.{NAME}]\ncommand = {command}\nargs = {arguments}"


def _replace_file(place: Path, text: str) -> None:
    """Write the file completely or not at all; its mode stays."""
    place = place.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o600
    with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    try:
        os.chmod(file.name, mode)
        os.replace(file.name, place)
    except OSError:
        os.unlink(file.name)
        raise

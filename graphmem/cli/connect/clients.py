"""The programs of agents: where their configuration is, and graphmem's entries in it."""

import json
import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

NAME: Final = "graphmem"
HOOKS: Final = "graphmem.client.hooks"  # by which a hook of ours is known
SECONDS: Final = {"start": 5, "prompt": 5, "keep": 30}  # a program waits for a hook
Entry = dict[str, Any]


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


def _plain(started: Started) -> Entry:
    return {"command": started.command, "args": started.arguments}


def _typed(started: Started) -> Entry:
    return {"type": "stdio", **_plain(started)}


def _listed(started: Started) -> Entry:
    return {"type": "local", "command": [started.command, *started.arguments], "enabled": True}


def _nested(command: str, seconds: int) -> Entry:
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _in_milliseconds(command: str, seconds: int) -> Entry:
    hook = {"name": NAME, "type": "command", "command": command, "timeout": 1000 * seconds}
    return {"matcher": "*", "hooks": [hook]}


def _flat(command: str, seconds: int) -> Entry:
    return {"command": command, "timeout": seconds}


@dataclass(frozen=True, kw_only=True)
class Hooked:
    """The hooks of a client: their file, what they are called there, and how an entry looks."""

    file: Callable[[], Path]
    events: Mapping[str, tuple[str, ...]]  # by what a hook of ours does
    entry: Callable[[str, int], Entry] = _nested
    version: int | None = None  # which the file has to tell


@dataclass(frozen=True, kw_only=True)
class ClientKind:
    """A client: its program, the file of its configuration, and the key of the servers in it.

    `here`: the file in the current folder that `mcp install` writes instead, where the client has
    one."""

    program: str
    file: Callable[[], Path]
    key: str
    entry: Callable[[Started], Entry] = _plain
    here: Callable[[], Path] | None = None
    hooks: Hooked | None = None


def _home(*parts: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*parts)


def _config_home() -> Path:
    """The folder of desktop programs' configuration."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home())
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _xdg(*parts: str) -> Callable[[], Path]:
    named = os.environ.get("XDG_CONFIG_HOME")
    return lambda: (Path(named) if named else Path.home() / ".config").joinpath(*parts)


_KEEPING: Final = ("Stop", "SubagentStop", "PreCompact")
CLIENTS: Final[Mapping[str, ClientKind]] = MappingProxyType(
    {
        "claude-code": ClientKind(
            program="claude",
            file=_home(".claude.json"),
            key="mcpServers",
            entry=_typed,
            here=lambda: Path.cwd() / ".mcp.json",
            hooks=Hooked(
                file=_home(".claude", "settings.json"),
                events={
                    "start": ("SessionStart",),
                    "prompt": ("UserPromptSubmit",),
                    "keep": (*_KEEPING, "SessionEnd"),
                },
            ),
        ),
        "claude-desktop": ClientKind(
            program="claude-desktop",
            file=lambda: _config_home() / "Claude" / "claude_desktop_config.json",
            key="mcpServers",
        ),
        "codex": ClientKind(
            program="codex",
            file=_home(".codex", "config.toml"),
            key="mcp_servers",
            hooks=Hooked(
                file=_home(".codex", "hooks.json"),
                events={
                    "start": ("SessionStart",),
                    "prompt": ("UserPromptSubmit",),
                    "keep": _KEEPING,
                },
            ),
        ),
        "cursor": ClientKind(
            program="cursor",
            file=_home(".cursor", "mcp.json"),
            key="mcpServers",
            hooks=Hooked(
                file=_home(".cursor", "hooks.json"),
                events={
                    "start": ("sessionStart",),  # a prompt can be given nothing there
                    "keep": ("stop", "subagentStop", "preCompact", "sessionEnd"),
                },
                entry=_flat,
                version=1,
            ),
        ),
        "gemini-cli": ClientKind(
            program="gemini",
            file=_home(".gemini", "settings.json"),
            key="mcpServers",
            hooks=Hooked(
                file=_home(".gemini", "settings.json"),
                events={
                    "start": ("SessionStart",),
                    "prompt": ("BeforeAgent",),
                    "keep": ("AfterAgent", "PreCompress", "SessionEnd"),
                },
                entry=_in_milliseconds,
            ),
        ),
        "opencode": ClientKind(
            program="opencode",
            file=_xdg("opencode", "opencode.json"),
            key="mcp",
            entry=_listed,
        ),
        "vscode": ClientKind(
            program="code",
            file=lambda: _config_home() / "Code" / "User" / "mcp.json",
            key="servers",
            entry=_typed,
            here=lambda: Path.cwd() / ".vscode" / "mcp.json",
        ),
        "windsurf": ClientKind(
            program="windsurf",
            file=_home(".codeium", "windsurf", "mcp_config.json"),
            key="mcpServers",
        ),
        "zed": ClientKind(
            program="zed",
            file=_xdg("zed", "settings.json"),
            key="context_servers",
        ),
    }
)


def place_of(client: str) -> Path:
    """Return the file that `mcp install` writes; for Claude Code and VS Code, that of the current
    folder."""
    kind = CLIENTS[client]
    return (kind.here or kind.file)()


def is_toml(client: str) -> bool:
    """Return True if the configuration of a client is TOML, not JSON."""
    return CLIENTS[client].file().suffix == ".toml"


def render_entry(client: str, started: Started) -> str:
    """Return the entry for the file."""
    kind = CLIENTS[client]
    if is_toml(client):
        return _toml_entry(kind, started)
    return json.dumps({kind.key: {NAME: kind.entry(started)}}, indent=2)


def with_server(client: str, before: str, started: Started) -> str:
    """Return the text of a client's configuration with graphmem's entry; the rest of it stays.

    Raises ValueError when the text has an unexpected form."""
    kind = CLIENTS[client]
    if is_toml(client):
        plain = without_server(client, before)
        return plain.rstrip() + "\n" * 2 * bool(plain.strip()) + _toml_entry(kind, started) + "\n"
    known = parse_json(before)
    servers = known.setdefault(kind.key, {})
    if not isinstance(servers, dict):
        raise ValueError("it is not the configuration of this client")
    servers[NAME] = kind.entry(started)
    return render_json(known)


def without_server(client: str, before: str) -> str:
    """Return the text of a client's configuration without graphmem's entry. Raises ValueError."""
    kind = CLIENTS[client]
    if not has_server(client, before):
        return before
    if is_toml(client):
        return _without_table(before, f"{kind.key}.{NAME}")
    known = parse_json(before)
    known[kind.key].pop(NAME)
    return render_json({key: each for key, each in known.items() if key != kind.key or each})


def has_server(client: str, text: str) -> bool:
    """Return True if a configuration has graphmem's entry. Raises ValueError."""
    kind = CLIENTS[client]
    known = tomllib.loads(text) if is_toml(client) else parse_json(text)
    servers = known.get(kind.key)
    return isinstance(servers, dict) and NAME in servers


def with_hooks(hooked: Hooked, before: str, commands: Mapping[str, str]) -> str:
    """Return the text of a file of hooks with ours behind those of others, by what they do.

    Raises ValueError when the text has an unexpected form."""
    known = parse_json(without_hooks(before))
    if hooked.version is not None:
        known.setdefault("version", hooked.version)
    groups = known.setdefault("hooks", {})
    for event, names in hooked.events.items():
        for name in names:
            group = groups.setdefault(name, []) if isinstance(groups, dict) else None
            if not isinstance(group, list):
                raise ValueError("its hooks have another form")
            group.append(hooked.entry(commands[event], SECONDS[event]))
    return render_json(known)


def without_hooks(before: str) -> str:
    """Return the text of a file of hooks without ours. Raises ValueError."""
    known = parse_json(before)
    groups = known.get("hooks")
    if not isinstance(groups, dict) or not has_hooks(before):
        return before
    for name, group in list(groups.items()):
        if isinstance(group, list):
            groups[name] = [each for each in group if not _is_ours(each)]
            if not groups[name] and group:
                del groups[name]
    if not groups:
        del known["hooks"]
    return render_json(known)


def has_hooks(text: str) -> bool:
    """Return True if a file of hooks has one of ours. Raises ValueError."""
    groups = parse_json(text).get("hooks")
    lists = groups.values() if isinstance(groups, dict) else ()
    return any(_is_ours(each) for group in lists if isinstance(group, list) for each in group)


def _is_ours(entry: object) -> bool:
    return HOOKS in json.dumps(entry)


def parse_json(text: str) -> dict[str, Any]:
    """Return the object that a text holds, an empty one of no text. Raises ValueError."""
    known = json.loads(text) if text.strip() else {}
    if not isinstance(known, dict):
        raise ValueError("it is not the configuration of this client")
    return known


def render_json(known: Mapping[str, Any]) -> str:
    """Return an object as the programs write it, nothing of an empty one."""
    return json.dumps(known, indent=2, ensure_ascii=False) + "\n" if known else ""


def _toml_entry(kind: ClientKind, started: Started) -> str:
    command, arguments = json.dumps(started.command), json.dumps(started.arguments)
    return f"[{kind.key}.{NAME}]\ncommand = {command}\nargs = {arguments}"


def _without_table(text: str, name: str) -> str:
    """Return a TOML text without a table and those below it. Raises ValueError when there is more
    of it than that."""
    kept, ours = list[str](), False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            title = line.strip().strip("[]").strip()
            ours = title == name or title.startswith(f"{name}.")
        if not ours:
            kept.append(line)
    plain = "".join(kept).rstrip() + "\n" if "".join(kept).strip() else ""
    key, _, entry = name.partition(".")
    if entry in tomllib.loads(plain).get(key, {}):
        raise ValueError("its entry of graphmem has another form; change that by hand")
    return plain

"""`graphmem connect`, `disconnect` and `doctor`: an agent's program gets a memory at once."""

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from graphmem.cli.connect.clients import (
    CLIENTS,
    HOOKS,
    Started,
    has_hooks,
    has_server,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)
from graphmem.cli.connect.files import Change, Edit, Originals, read_text
from graphmem.cli.options import AsJson, Data, Neo4jUri, Url, answer, settings_of, url_given
from graphmem.cli.probe import service_state, service_url
from graphmem.client.hooks.events import Hook
from graphmem.errors import Misconfigured
from graphmem.settings import Settings

STATE: Final = "hooks"  # the folder, in that of the data, of what hooks know
EVENTS: Final = ("start", "prompt", "keep")
Edits = Sequence[tuple[Path, Edit, Edit]]  # of each file: what adds our entries, what removes them


class Client(StrEnum):
    """The programs that can be connected, those of CLIENTS."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CODEX = "codex"
    CURSOR = "cursor"
    GEMINI_CLI = "gemini-cli"
    OPENCODE = "opencode"
    VSCODE = "vscode"
    WINDSURF = "windsurf"
    ZED = "zed"


Program = Annotated[Client, typer.Argument(help="The program of the agent.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show how each file would change, and change nothing.")
]


def connect(
    client: Program,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The agent that it asks as. [default: its name]", show_default=False
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Whose memory it is. [env: GRAPHMEM_DEFAULT_USER; default: me]",
            show_default=False,
        ),
    ] = None,
    hooks: Annotated[
        bool,
        typer.Option(
            "--hooks/--no-hooks",
            help="Let the memory speak at the start and at a prompt, and keep what is said.",
        ),
    ] = True,
    key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file of the key that hooks send.", exists=True),
    ] = None,
    dry_run: DryRun = False,
    url: Url = None,
    data: Data = None,
    neo4j: Neo4jUri = None,
) -> None:
    """Give an agent's program the memory: tools over MCP and, where the program has them, hooks.

    At the start of a session the hooks say what is known of the user and of the folder's project.
    At a prompt they say what fits, where that is sure enough, and else nothing. When the agent
    stops they keep what was said, word for word, without secrets of a known form. They never wait
    longer than two seconds before an answer, and are silent where the service is away.

    The rest of each file stays; `graphmem disconnect` puts back what was there."""
    settings = settings_of(data=data, neo4j_uri=neo4j, default_user=user)
    address = url_given(url) or service_url(settings)
    name, kind = agent or client.value, CLIENTS[client.value]
    options = {"--user": user, "--data": data and str(data.absolute()), "--neo4j": neo4j}
    given = tuple(part for option, value in options.items() if value for part in (option, value))
    started = Started(agent=name, options=given)
    edits: list[tuple[Path, Edit, Edit]] = [
        (
            kind.file(),
            partial(_add_server, client.value, started),
            partial(without_server, client.value),
        )
    ]
    if hooks and kind.hooks is not None:
        more = {"--agent": name, "--url": address, "--state": str(_state(settings))}
        more |= {"--user": settings.default_user} if user else {}
        more |= {"--key-file": str(key_file.absolute())} if key_file else {}
        commands = {event: _hook_command(client.value, event, more) for event in EVENTS}
        add = partial(_add_hooks, client.value, commands)
        edits.append((kind.hooks.file(), add, without_hooks))
    originals = Originals(settings.data, client.value)
    changes = _collect(edits, originals.change)
    _carry_out(changes, originals, dry_run=dry_run)
    if not dry_run:
        typer.echo(f"{client.value} is connected as agent {name}; restart it.")
        if client is Client.CODEX and len(edits) > 1:
            typer.echo("Codex asks once whether it may trust the hooks.")


def disconnect(client: Program, dry_run: DryRun = False, data: Data = None) -> None:
    """Take the memory away from an agent's program: its files become what they were.

    Where somebody has changed a file since, only graphmem's entries are taken out."""
    settings, kind = settings_of(data=data), CLIENTS[client.value]
    originals = Originals(settings.data, client.value)
    edits: list[tuple[Path, Edit, Edit]] = [
        (kind.file(), str, partial(without_server, client.value))
    ]
    if kind.hooks is not None:
        edits.append((kind.hooks.file(), str, without_hooks))
    changes = _collect(edits, lambda place, add, remove: originals.undo(place, remove))
    _carry_out(changes, originals, dry_run=dry_run)
    if not dry_run:
        typer.echo(f"{client.value} is not connected any more.")


def doctor(
    url: Url = None, data: Data = None, neo4j: Neo4jUri = None, as_json: AsJson = False
) -> None:
    """Say of each program of an agent whether it is installed and connected, when its hooks ran
    last, and what they gave; and whether the service answers.

    The exit code is 1 if a program is connected and the service is not ready."""
    settings = settings_of(data=data, neo4j_uri=neo4j)
    address = url_given(url) or service_url(settings)
    state = asyncio.run(service_state(address))
    found = [_examine(name, settings) for name in CLIENTS]
    lines = [f"service {address}: {state}", *map(_describe, found)]
    answer(
        {"service": address, "state": state, "clients": found}, "\n".join(lines), as_json=as_json
    )
    if state != "ready" and any(each["connected"] for each in found):
        raise typer.Exit(1)


def _add_server(client: str, started: Started, before: str) -> str:
    return with_server(client, before, started)


def _add_hooks(client: str, commands: Mapping[str, str], before: str) -> str:
    hooked = CLIENTS[client].hooks
    return before if hooked is None else with_hooks(hooked, before, commands)


def hook_of(settings: Settings, client: str, agent: str, user: str) -> Hook:
    """Return a hook of a client as `connect` sets it up, on the service that runs."""
    return Hook(
        client=client,
        url=service_url(settings),
        state=_state(settings),
        agent=agent,
        user=user,
        key=os.environ.get("GRAPHMEM_KEY") or None,
    )


def _state(settings: Settings) -> Path:
    return settings.data.absolute() / STATE


def _hook_command(client: str, event: str, options: Mapping[str, str]) -> str:
    """Return the command line of a hook. `-P` keeps Python from loading modules from the folder in
    which a program runs it."""
    parts = [sys.executable, "-P", "-m", HOOKS, event, "--client", client]
    parts += [part for option in options.items() for part in option]
    return subprocess.list2cmdline(parts) if sys.platform == "win32" else shlex.join(parts)


def _collect(
    edits: Edits,
    change: Callable[[Path, Edit, Edit], Change],
) -> list[Change]:
    """Return the change of each file; those of one file are one. Raises Misconfigured."""
    together: dict[Path, list[tuple[Edit, Edit]]] = {}
    for place, add, remove in edits:
        together.setdefault(place, []).append((add, remove))
    changes = []
    for place, pairs in together.items():
        try:
            adds, removes = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            changes.append(change(place, _in_turn(adds), _in_turn(removes)))
        except (OSError, ValueError) as exc:
            raise Misconfigured(f"can't change {place}: {exc}") from exc
    return changes


def _in_turn(edits: Sequence[Edit]) -> Edit:
    def edit(text: str) -> str:
        for each in edits:
            text = each(text)
        return text

    return edit


def _carry_out(changes: list[Change], originals: Originals, *, dry_run: bool) -> None:
    for change in changes:
        if dry_run:
            typer.echo(change.diff or f"{change.place}: no change")
            continue
        try:
            change.write()
        except OSError as exc:
            raise Misconfigured(f"can't write {change.place} ({exc.strerror})") from exc
        typer.echo(f"{change.place}: {'changed' if change.diff else 'no change'}")
    if not dry_run:
        originals.save()


def _examine(client: str, settings: Settings) -> dict[str, Any]:
    kind = CLIENTS[client]
    hooked = kind.hooks
    last = [seen for event in EVENTS if (seen := _last(settings, client, event))]
    return {
        "client": client,
        "installed": shutil.which(kind.program) is not None,
        "connected": _holds(kind.file(), partial(has_server, client)),
        "hooks": None if hooked is None else _holds(hooked.file(), has_hooks),
        "last": last,
    }


def _holds(place: Path, check: Callable[[str], bool]) -> bool:
    try:
        text = read_text(place)
        return text is not None and check(text)
    except (OSError, ValueError):
        return False


def _last(settings: Settings, client: str, event: str) -> dict[str, Any] | None:
    try:
        seen = json.loads((_state(settings) / f"last-{client}-{event}.json").read_text("utf-8"))
        datetime.fromisoformat(seen["at"])
        return {name: seen[name] for name in ("event", "at", "text", "confidence", "kept", "error")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _describe(found: Mapping[str, Any]) -> str:
    parts = ["installed" if found["installed"] else "not installed"]
    parts.append("connected" if found["connected"] else "not connected")
    if found["connected"] and found["hooks"] is not None:
        parts.append("with hooks" if found["hooks"] else "without hooks")
    for seen in found["last"]:
        told = seen["error"] or (
            f"kept {seen['kept']} turns"
            if seen["event"] == "keep"
            else f"gave {seen['text']} characters"
        )
        parts.append(f"{seen['event']} {seen['at'][:16]} {told}")
    return f"{found['client']}: {', '.join(parts)}"

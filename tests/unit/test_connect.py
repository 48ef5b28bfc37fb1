"""`graphmem connect` and `disconnect`: the files of agents' programs, in their real forms."""

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from graphmem.cli.connect.clients import CLIENTS, HOOKS, NAME, has_hooks, has_server
from graphmem.cli.program import build

ODD = """{
    "theme":   "dark",
  "mcpServers": { "other": {"command": "x"} , "graphmem2": {"command": "y"}},
  "hooks": {"Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ]},
  "ö": "ü"
}"""
ODD_TOML = """# mine
model = "gpt"   # keep this

[mcp_servers.other]
command = "x"

[tui]
theme = "dark"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GRAPHMEM_DATA", str(tmp_path / "data"))
    return place


def run(*words: str) -> Result:
    return CliRunner().invoke(build(), list(words))


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.output


def files_of(client: str) -> list[Path]:
    kind = CLIENTS[client]
    files = [kind.file()] + ([kind.hooks.file()] if kind.hooks else [])
    return list(dict.fromkeys(files))


def fill(client: str) -> dict[Path, bytes]:
    """Give a program configuration of its own, in an odd form; what is in each file."""
    for file in files_of(client):
        file.parent.mkdir(parents=True, exist_ok=True)
        text = ODD_TOML if file.suffix == ".toml" else ODD
        file.write_text(
            text.replace("\n", "\r\n") if client == "cursor" else text, "utf-8", newline=""
        )
        file.chmod(0o640)
    return {file: file.read_bytes() for file in files_of(client)}


def servers_of(client: str) -> dict[str, Any]:
    kind = CLIENTS[client]
    text = kind.file().read_text("utf-8")
    return (tomllib.loads(text) if kind.file().suffix == ".toml" else json.loads(text))[kind.key]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("filled", [True, False])
def test_disconnect_puts_back_exactly_what_was_there(home: Path, client: str, filled: bool) -> None:
    before = fill(client) if filled else {}
    assert client in done("connect", client, "--agent", "helper", "--url", "http://127.0.0.1:9")
    assert has_server(client, CLIENTS[client].file().read_text("utf-8"))
    if filled:
        assert all(stat.S_IMODE(file.stat().st_mode) == 0o640 for file in before)
        assert client in ("opencode", "vscode", "zed") or "other" in servers_of(client)
    if (hooked := CLIENTS[client].hooks) is not None:
        text = hooked.file().read_text("utf-8")
        assert has_hooks(text)
        assert ("say done" in text) is filled
        for names in hooked.events.values():
            assert all(HOOKS in json.dumps(json.loads(text)["hooks"][name]) for name in names)
    assert run("disconnect", client).exit_code == 0
    assert {f: f.read_bytes() for f in files_of(client) if f.exists()} == before


@pytest.mark.parametrize("client", CLIENTS)
def test_to_connect_again_doubles_nothing(home: Path, client: str) -> None:
    before = fill(client)
    done("connect", client)
    once = {file: file.read_bytes() for file in before}
    assert "no change" in done("connect", client)
    assert {file: file.read_bytes() for file in before} == once
    done("connect", client, "--agent", "other-name")
    assert "other-name" in json.dumps(servers_of(client)[NAME])
    done("disconnect", client)
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_somebody_changed_since_stays(home: Path, client: str) -> None:
    fill(client)
    done("connect", client)
    for file in files_of(client):
        text = file.read_text("utf-8")
        new = (
            'later = "mine"\n' + text
            if file.suffix == ".toml"
            else text.replace('"dark"', '"light"')
        )
        file.write_text(new, "utf-8")
    done("disconnect", client)
    for file in files_of(client):
        text = file.read_text("utf-8")
        assert HOOKS not in text
        assert ("later" if file.suffix == ".toml" else '"light"') in text
    assert NAME not in servers_of(client) if CLIENTS[client].key == "mcpServers" else True
    assert not has_server(client, CLIENTS[client].file().read_text("utf-8"))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_shows_and_changes_nothing(home: Path, tmp_path: Path, client: str) -> None:
    before = fill(client)
    shown = done("connect", client, "--dry-run")
    assert "+" in shown
    assert "graphmem" in shown
    assert {file: file.read_bytes() for file in before} == before
    assert not (tmp_path / "data" / "connections").exists()
    done("connect", client)
    assert "-" in done("disconnect", client, "--dry-run")
    assert has_server(client, CLIENTS[client].file().read_text("utf-8"))


def test_a_file_that_is_not_understood_is_left_alone(home: Path) -> None:
    file = CLIENTS["zed"].file()
    file.parent.mkdir(parents=True)
    file.write_text('{\n  // mine\n  "theme": "dark"\n}', "utf-8")
    before = file.read_bytes()
    assert run("connect", "zed").exit_code != 0
    assert file.read_bytes() == before
    hooks = CLIENTS["claude-code"].hooks
    assert hooks is not None
    hooks.file().parent.mkdir(parents=True)
    hooks.file().write_text('{"hooks": ["odd"]}', "utf-8")
    assert run("connect", "claude-code").exit_code != 0
    assert not CLIENTS["claude-code"].file().exists()  # not half connected


def test_no_hooks_and_what_is_kept_is_for_the_owner(home: Path, tmp_path: Path) -> None:
    done("connect", "codex", "--no-hooks")
    hooks = CLIENTS["codex"].hooks
    assert hooks is not None
    assert not hooks.file().exists()
    kept = tmp_path / "data" / "connections" / "codex.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(CLIENTS["codex"].file().stat().st_mode) == 0o600
    done("disconnect", "codex")
    assert not kept.exists()


def test_a_link_to_the_configuration_stays_a_link(home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text(ODD, "utf-8")
    file = CLIENTS["claude-code"].file()
    os.symlink(real, file)
    done("connect", "claude-code")
    assert file.is_symlink()
    assert has_server("claude-code", real.read_text("utf-8"))


def test_doctor_says_what_is_connected(home: Path) -> None:
    away = "http://127.0.0.1:9"
    assert run("doctor", "--url", away).exit_code == 0
    done("connect", "claude-code", "--url", away)
    result = run("doctor", "--url", away, "--json")
    assert result.exit_code == 1  # it is connected, and nothing answers
    told = json.loads(result.stdout)
    assert told["state"] == "down"
    by_name = {each["client"]: each for each in told["clients"]}
    assert (by_name["claude-code"]["connected"], by_name["claude-code"]["hooks"]) == (True, True)
    assert (by_name["zed"]["connected"], by_name["zed"]["hooks"]) == (False, None)
    assert "claude-code" in run("doctor", "--url", away).output

"""MCP without a graph: what is imported when, what texts name, configurations of clients, pages."""

import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphmem.cli.connect.clients import CLIENTS, NAME
from graphmem.cli.mcp import Client
from graphmem.cli.program import build
from graphmem.errors import Invalid
from graphmem.mcp.answers import as_data, dump_answer, page, place_of, text_page, tokens_of
from graphmem.mcp.files import FILES
from graphmem.mcp.offers import OFFERS
from graphmem.mcp.server import _to_listed
from graphmem.mcp.tool import FRAME
from graphmem.operations.tools import Mcp

DATED = re.compile(r"\b(?:memory|commons|agent)\.[a-z_]+|\bmemory_search\b")


@dataclass(frozen=True, kw_only=True)
class Entry:
    content: str
    truncated: bool | None = None


def test_the_sdk_is_loaded_by_the_first_request_only() -> None:
    program = (
        "import sys\n"
        "from graphmem.app import create_app\n"
        "from graphmem.settings import Settings\n"
        "create_app(Settings())\n"
        "assert not {'mcp', 'mcp_types', 'cryptography'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_every_tool_that_a_text_names_exists() -> None:
    tools = {tool.name: tool for tools in OFFERS.values() for tool in tools}
    texts = [(files("graphmem.mcp") / "instructions.md").read_text(encoding="utf-8")]
    texts += [tool.about for tool in tools.values()]
    named = {name for text in texts for name in DATED.findall(text)}
    assert len(named) > 10
    assert named <= tools.keys()
    for tool in tools.values():
        assert set(tool.frame) <= set(FRAME)
        assert not {each.name for each in tool.params} & set(tool.frame)


@pytest.mark.feature("MOLT-88")
@pytest.mark.parametrize("name", ["AGENTS.md", "AGENT_WORKFLOW.md"])
def test_texts_for_agents_name_tools_that_there_are(name: str) -> None:
    text = (Path(__file__).parents[2] / "examples" / name).read_text("utf-8")
    tools = {tool.name for tools in OFFERS.values() for tool in tools}
    named = set(DATED.findall(text))
    assert len(named) > 10
    assert named <= tools
    assert {"memory.open_session", "memory.write", "memory.query"} <= named
    assert "proposal_id" in text or name != "AGENTS.md"
    assert "alerts" in text or name != "AGENTS.md"
    if name == "AGENTS.md":
        headings = re.findall(r"^## (\w+)", text, re.MULTILINE)
        parts = ["Access", "Triggers", "Reads", "Writes", "Core", "Reflection", "Audit"]
        assert headings == [*parts, "Proposals", "What"]


def test_the_reference_has_every_tool() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "mcp.md").read_text("utf-8")
    told = set(re.findall(r"^\| `([a-z_.]+)` \|", text, re.MULTILINE))
    assert told == {tool.name for tools in (*OFFERS.values(), FILES) for tool in tools}


def test_what_a_client_lists_at_first_is_short() -> None:
    """Most programs give it to the model at each start, with all schemas; four characters are a
    token, about."""
    listed = [
        _to_listed(tool, answers=False) for tools in (*OFFERS.values(), FILES) for tool in tools
    ]
    texts = [each.model_dump_json(by_alias=True, exclude_none=True) for each in listed]
    assert sum(len(text) for text in texts) / 4 <= 8_000


def test_defaults_and_bounds_are_those_of_the_command() -> None:
    (query,) = [tool for tool in OFFERS["memory"] if tool.name == "memory.query"]
    schema = query.input_schema
    k = {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
    assert schema["properties"]["k"].items() >= k.items()
    assert schema["properties"]["scope"]["enum"] == ["local", "user", "team"]
    assert schema["required"] == ["query_text"]
    assert query.body({"query_text": "x", "k": None, "scope": "TEAM"}) == {
        "query": "x",
        "scope": "TEAM",
    }
    with pytest.raises(Invalid, match="there is no q"):
        query.body({"q": "x"})


@pytest.mark.parametrize("text", ["é" * 1000, "a" * 1000, "漢字" * 400, ""])
def test_a_text_is_told_in_parts(text: str) -> None:
    parts, cursor = "", "0"
    while cursor is not None:
        part, cursor = text_page(text, 200, place_of(cursor))
        parts += part
    assert parts == text


def test_a_page_holds_what_fits_and_at_least_one() -> None:
    entries = [Entry(content="x" * size) for size in (10, 5000, 10, 10)]
    one = page(entries, 200)
    assert one.end >= 1
    assert sum(len(dump_answer(each).encode()) for each in one.items) <= 200 * 3
    assert one.items[0] == entries[0]
    last = page(entries, 200, 3)
    assert (last.items, last.next_cursor) == ((entries[3],), None)
    cut = page(entries, 200, 1).items[0]
    assert cut.truncated
    assert page(entries, 200, 99).items == ()
    for cursor in ("x", "-1", "1" * 30, ""):
        with pytest.raises(Invalid):
            place_of(cursor)


def test_ids_times_and_other_scripts_count_as_more_than_their_letters() -> None:
    assert tokens_of("a" * 30) == 10
    assert tokens_of("01920000-0000-7000-8000-000000000000") == 23
    assert tokens_of("漢" * 30) == 30
    entries = [Entry(content="漢" * 100) for _ in range(9)]
    assert page(entries, 400).end < page([Entry(content="a" * 100)] * 9, 400).end


def test_a_text_can_t_leave_its_mark() -> None:
    marked = as_data("a </memory> b </MEMORY > <memory>")
    assert marked.lower().count("</memory") == 1
    assert marked.endswith("\n</memory>")


@pytest.mark.parametrize("given", [{"max_results": 0}, {"min_score": 2.0}, {"answer_tokens": 1}])
def test_settings_out_of_range_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="must be from"):
        Mcp(**given)


def install(client: str, *more: str) -> str:
    answer = CliRunner().invoke(build(), ["mcp", "install", "--client", client, *more])
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def command_of(entry: Any) -> list[str]:
    """The command line of an entry: one list, or program and arguments."""
    command = entry["command"]
    return command if isinstance(command, list) else [command, *entry["args"]]


@pytest.mark.parametrize("client", [each.value for each in Client])
def test_the_configuration_of_a_client(client: str, tmp_path: Path) -> None:
    key = CLIENTS[client].key
    read = tomllib.loads if client == "codex" else json.loads
    printed = read(install(client, "--user", "ada"))[key][NAME]
    arguments = ["-P", "-m", "graphmem", "mcp", "--agent", client, "--user", "ada"]
    assert command_of(printed) == [sys.executable, *arguments]
    file = tmp_path / "folder" / "file"
    file.parent.mkdir()
    known = json.dumps({"model": "x", key: {"other": {}}})
    before = 'model = "x"\n' if client == "codex" else known
    file.write_text(before, "utf-8")
    install(client, "--user", "ada", "--write", "--file", str(file))
    written = read(file.read_text("utf-8"))
    assert written["model"] == "x"
    assert command_of(written[key][NAME]) == [sys.executable, *arguments]
    assert client == "codex" or "other" in written[key]


def test_a_broken_configuration_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{broken", "utf-8")
    given = ["mcp", "install", "--client", "cursor", "--write", "--file", str(file)]
    assert CliRunner().invoke(build(), given).exit_code != 0
    assert file.read_text("utf-8") == "{broken"
    assert set(CLIENTS) == {each.value for each in Client}

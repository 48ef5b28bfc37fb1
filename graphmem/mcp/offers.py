"""The tools of each endpoint."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from graphmem.mcp.board import BOARD
from graphmem.mcp.consulting import CONSULTING
from graphmem.mcp.daemon import DAEMON
from graphmem.mcp.files import FILES
from graphmem.mcp.handing import HANDING
from graphmem.mcp.knowledge import KNOWING
from graphmem.mcp.reading import READING
from graphmem.mcp.reviewing import REVIEWING
from graphmem.mcp.sessions import REPORTING, SESSIONS
from graphmem.mcp.sharing import ORCHESTRATING, SEARCHING, SHARING
from graphmem.mcp.tool import Tool
from graphmem.mcp.upkeep import UPKEEP
from graphmem.mcp.writing import WRITING

OFFERS: Final[Mapping[str, tuple[Tool, ...]]] = MappingProxyType(
    {
        "memory": (*READING, *SEARCHING, *WRITING, *UPKEEP, *SESSIONS, *DAEMON),
        "orchestrator": (*ORCHESTRATING, *HANDING, *REPORTING, *REVIEWING),
        "commons": (*KNOWING, *CONSULTING, *SHARING, *BOARD),
    }
)


def tools_of(names: tuple[str, ...], *, files: bool = False) -> dict[str, Tool]:
    """Return the tools of some endpoints by name, in their order; with `files`, also those of
    `memory` that read files of the machine."""
    more = FILES if files and "memory" in names else ()
    return {tool.name: tool for name in names for tool in OFFERS[name]} | {
        tool.name: tool for tool in more
    }

"""Detects the program that an export comes from, and reads the documents in it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from graphmem.errors import Invalid
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources import agents, chats, graphs, stores
from graphmem.services.importing.sources.records import Record, read_json, records


class Program(StrEnum):
    """The programs whose exports are known."""

    MEM0 = stores.MEM0
    GRAPHITI = stores.GRAPHITI
    MCP_MEMORY = stores.MCP_MEMORY
    AGENT_MEMORY = graphs.AGENT_MEMORY
    CHATGPT = chats.CHATGPT
    CLAUDE = chats.CLAUDE
    LETTA = agents.LETTA
    LANGGRAPH = agents.LANGGRAPH
    HINDSIGHT = agents.HINDSIGHT


@dataclass(frozen=True)
class ExportReader:
    """The two functions for exports of a program: one recognises them, one reads them."""

    fits: Callable[[Record], bool]
    read: Callable[[list[Any], datetime], Iterator[Document]]


READERS: Final[Mapping[Program, tuple[ExportReader, ...]]] = MappingProxyType(
    {
        Program.CHATGPT: (ExportReader(chats.is_chatgpt, chats.of_chatgpt),),
        Program.CLAUDE: (ExportReader(chats.is_claude, chats.of_claude),),
        Program.MCP_MEMORY: (ExportReader(stores.is_mcp_memory, stores.of_mcp_memory),),
        Program.AGENT_MEMORY: (ExportReader(graphs.is_dump, graphs.of_dump),),
        Program.GRAPHITI: (
            ExportReader(stores.is_graphiti, stores.of_graphiti),
            ExportReader(graphs.is_dump, graphs.of_dump),
        ),
        Program.LETTA: (ExportReader(agents.is_letta, agents.of_letta),),
        Program.LANGGRAPH: (ExportReader(agents.is_langgraph, agents.of_langgraph),),
        Program.HINDSIGHT: (ExportReader(agents.is_hindsight, agents.of_hindsight),),
        Program.MEM0: (ExportReader(stores.is_mem0, stores.of_mem0),),
    }
)


def read_export(path: Path, now: datetime, program: Program | None = None) -> list[Document]:
    """Return the documents of an export; without a program it is detected by the content.

    What can't be a note is left out. Raises Invalid.
    """
    values = read_json(path)
    first = next(records(values), None)
    if first is None:
        raise Invalid(f"{path.name} holds no records")
    for each in (program,) if program else Program:
        for reader in READERS[each]:
            if reader.fits(first):
                found = {d.draft.external_id: d for d in reader.read(values, now)}
                return list(found.values())
    known = program.value if program else ", ".join(Program)
    raise Invalid(f"{path.name} is not an export of {known}")

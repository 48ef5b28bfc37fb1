"""The tool that reads memory kept in files, for a process that runs where they are."""

from dataclasses import dataclass
from typing import Final

from graphmem.mcp.answers import place_of, text_page
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.memory_files import ReadMemoryFile


@dataclass(frozen=True, kw_only=True)
class FileText(OfMemory):
    """A file, or the part of it from a cursor on."""

    path: str
    text: str
    next_cursor: str | None = None


async def read_file(tool: Tool, call: Call) -> FileText:
    """Read a file."""
    text = await carry_out(tool, call)
    part, cursor = text_page(text, call.tokens, place_of(call.cursor))
    return FileText(path=str(call.body["path"]), text=part, next_cursor=cursor)


FILES: Final = (
    Tool(
        name="memory_get",
        title="Read a memory file",
        about="Read a Markdown file of memory on disk by its path: MEMORY.md, or a daily file such "
        "as memory/2026-03-01.md.",
        command=ReadMemoryFile,
        answer=FileText,
        run=read_file,
        params=(Param(name="path", of="path", about="MEMORY.md, or memory/NAME.md."),),
        frame=PAGED,
    ),
)

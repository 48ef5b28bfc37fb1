"""Memory files: a command only for a protocol that runs where the files are."""

from dataclasses import dataclass

from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.services.memory_files import read_memory_file


@dataclass(frozen=True, kw_only=True)
class ReadMemoryFile(Command[str]):
    """The text of a file of memory, below the folder of the setting `sync_dir`."""

    path: str
    """`MEMORY.md`, or a Markdown file such as `memory/2026-03-01.md`"""

    async def run(self, operation: Operation) -> str:
        """Read it."""
        return await read_memory_file(operation.service, operation.access, self.path)

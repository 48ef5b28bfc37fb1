"""Exporting a memory."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.services.exporting.exporting import export
from graphmem.services.exporting.records import Line


@dataclass(frozen=True, kw_only=True)
class ExportMemory(Command[AsyncGenerator[Line]]):
    """All that you own, in person, as JSON, one record a line: settings, notes of all states with
    their history, links and what jobs made of them; an agent gets the notes that it may read. The
    last record counts them; without it the export was broken off."""

    embeddings: bool = False
    """with the vectors of the notes, so that an import need not make them again"""

    async def run(self, operation: Operation) -> AsyncGenerator[Line]:
        """Begin to read; whoever takes the records closes the generator."""
        return export(operation.service, operation.reopen, embeddings=self.embeddings)

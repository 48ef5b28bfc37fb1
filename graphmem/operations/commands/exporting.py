"""Exporting a memory, and what a team owns."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from graphmem.domain.fields import Id
from graphmem.operations.command import Command
from graphmem.operations.operation import Operation
from graphmem.services.exporting.exporting import export
from graphmem.services.exporting.records import Line
from graphmem.services.team_files.exporting import export_team, open_team


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


@dataclass(frozen=True, kw_only=True)
class ExportTeam(Command[AsyncGenerator[Line]]):
    """Export what a team owns, as JSON, one record a line, for a member in person: standard
    procedures, skills, knowledge and board. The last record counts them; without it the export was
    broken off."""

    team: Id

    async def run(self, operation: Operation) -> AsyncGenerator[Line]:
        """Begin to read; whoever takes the records closes the generator."""
        await open_team(operation.service, operation.reopen, self.team)
        return export_team(operation.service, operation.reopen, self.team)

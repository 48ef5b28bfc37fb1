"""Anthropic: the memory tool, whose files are notes. Needs the extra `graphmem[anthropic]`.

A folder is a domain; a file is a note whose text is that of the file. A file stays until it is
deleted, which destroys the note; its earlier texts stay in the note's history until then."""

import asyncio
from typing import Any, Final

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from graphmem.adapters.names import external_id, part_of
from graphmem.adapters.paths import ROOT, number_lines, parts_of, path_of, render_listing
from graphmem.adapters.transcript import ALL, PAGE
from graphmem.client import Memory, Note, NotThere, ServiceError

AROUND: Final = 2  # lines shown around a change


class GraphmemMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.run_tools`. It reports errors to the model."""

    def __init__(
        self, memory: Memory, *, domain: str = "memories", visibility: str = "PRIVATE", **given: Any
    ) -> None:
        """Keep files below `domain`; PRIVATE ones are readable only by their writer."""
        super().__init__(**given)
        self._memory, self._domain, self._visibility = memory, domain, visibility

    def execute(self, command: Any) -> Any:
        """Carry out a command. Raises ToolError."""
        try:
            return super().execute(command)
        except ServiceError as error:
            raise ToolError(error.message) from error
        except ValueError as error:
            raise ToolError(str(error)) from error

    def view(self, command: Any) -> str:
        """Return the listing of a folder, or the numbered lines of a file."""
        parts = parts_of(command.path)
        note = self._find(parts) if parts else None
        if note is not None:
            lines, wanted = note.content.split("\n"), command.view_range
            first, last = wanted if wanted and len(wanted) == 2 else (1, -1)
            first = max(1, first)
            shown = lines[first - 1 : len(lines) if last == -1 else last]
            text = number_lines(shown, first)
            return f"Here's the content of {command.path} with line numbers:\n{text}"
        below = self._list_files(parts)
        if parts and not below:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        return render_listing(
            path_of(parts), {path: len(n.content.encode()) for path, n in below.items()}
        )

    def create(self, command: Any) -> str:
        """Create a file."""
        parts = parts_of(command.path)
        if not parts or self._path_exists(parts):
            raise ToolError(f"File {command.path} already exists")
        self._write(parts, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that occurs exactly once."""
        note, text = self._get_file(command.path)
        if (count := text.count(command.old_str) if command.old_str else 0) != 1:
            problem = "did not appear verbatim" if count == 0 else f"appears {count} times"
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` {problem} in "
                f"{command.path}. It must be there once."
            )
        line = text[: text.index(command.old_str)].count("\n") + 1
        new = text.replace(command.old_str, command.new_str)
        self._revise(note, new)
        first = max(1, line - AROUND)
        snippet = number_lines(new.split("\n")[first - 1 : line + AROUND], first)
        return f"The memory file has been edited. Here is the snippet:\n{snippet}"

    def insert(self, command: Any) -> str:
        """Insert text after a line; 0 is the beginning."""
        note, text = self._get_file(command.path)
        lines = text.removesuffix("\n").split("\n")
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(f"Invalid `insert_line`: it must be from 0 to {len(lines)}.")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._revise(note, "\n".join(lines) + "\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """Destroy a file, or a folder with everything in it."""
        for note in self._find_files(command.path, self._parse_path(command.path)).values():
            self._memory.forget(note.id, permanent=True)
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Move a file or folder to another path."""
        old, new = self._parse_path(command.old_path), self._parse_path(command.new_path)
        if self._path_exists(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        if new[: len(old)] == old:
            raise ToolError(f"{command.new_path} lies in {command.old_path}")
        for path, note in self._find_files(command.old_path, old).items():
            self._write((*new, *path[len(old) :]), note.content)
            self._memory.forget(note.id, permanent=True)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Destroy all files."""
        for note in self._list_files(()).values():
            self._memory.forget(note.id, permanent=True)
        return "All memory cleared"

    def _parse_path(self, path: str) -> tuple[str, ...]:
        if not (parts := parts_of(path)):
            raise ToolError(f"Not for the {ROOT} folder itself")
        return parts

    def _find_files(self, path: str, parts: tuple[str, ...]) -> dict[tuple[str, ...], Note]:
        """Return the file at a path, or the files in the folder."""
        note = self._find(parts)
        found = {parts: note} if note is not None else self._list_files(parts)
        if not found:
            raise ToolError(f"The path {path} does not exist")
        return found

    def _path_exists(self, parts: tuple[str, ...]) -> bool:
        """Check whether the file or folder exists, or a parent of it is a file."""
        files = (self._find(parts[:i]) for i in range(len(parts), 0, -1))
        return any(note is not None for note in files) or bool(self._list_files(parts))

    def _find(self, parts: tuple[str, ...]) -> Note | None:
        try:
            return self._memory.find(external_id("anthropic", self._domain, *parts))
        except NotThere:
            return None

    def _get_file(self, path: str) -> tuple[Note, str]:
        note = self._find(parts_of(path))
        if note is None:
            raise ToolError(f"The path {path} does not exist or is not a file.")
        return note, note.content

    def _list_files(self, parts: tuple[str, ...]) -> dict[tuple[str, ...], Note]:
        """Return the files in a folder and its subfolders, by path."""
        domain = "/".join((self._domain, *map(part_of, parts)))
        notes = self._memory.notes(domain=domain, statuses=ALL, page_size=PAGE)
        known = {_path_of(note): note for note in notes}
        return {path: known[path] for path in sorted(known) if path and path[: len(parts)] == parts}

    def _write(self, parts: tuple[str, ...], text: str) -> None:
        self._memory.remember(
            text,
            external_id=external_id("anthropic", self._domain, *parts),
            domain="/".join((self._domain, *map(part_of, parts[:-1]))),
            visibility=self._visibility,
            mode="VERBATIM",
            metadata={"path": list(parts)},
        )

    def _revise(self, note: Note, text: str) -> None:
        if not text.strip():
            raise ToolError("A file can't be empty: delete it instead.")
        if note.status == "ARCHIVED":
            note = self._memory.restore(note.id)
        self._memory.revise(note.id, content=text, expected_version=note.version)


class GraphmemAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same tool for an asynchronous client; takes what `GraphmemMemoryTool` takes."""

    def __init__(self, memory: Memory, **given: Any) -> None:
        super().__init__()
        self._tool = GraphmemMemoryTool(memory, **given)

    async def execute(self, command: Any) -> Any:
        """Carry out a command. Raises ToolError."""
        return await asyncio.to_thread(self._tool.execute, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> Any:
        """Destroy all files."""
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _path_of(note: Note) -> tuple[str, ...]:
    """Return the path of a file; empty for a note that is not a file."""
    path = note.metadata.get("path") if isinstance(note.metadata, dict) else None
    return tuple(map(str, path)) if isinstance(path, list) else ()

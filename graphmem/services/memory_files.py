"""Memory that is kept in files of a folder: MEMORY.md, and Markdown in the folder `memory`."""

import asyncio
import os
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from graphmem.domain.actors import ANYTHING
from graphmem.errors import Forbidden, Invalid
from graphmem.services.context import Access, Context, missing
from graphmem.services.syncing.state import owner_of

TOP: Final = "MEMORY.md"
BELOW: Final = "memory"
DEPTH: Final = 4  # most parts of a path
LONGEST: Final = 1_000  # characters of a path
MAX_BYTES: Final = 1_000_000  # most bytes of a file that are read


async def read_memory_file(context: Context, access: Access, path: str) -> str:
    """Return the text of a file, for those who may read everything the user keeps; of a folder
    that is synced, for whom it is synced alone.

    No part of a file has readers of its own. Raises Forbidden for other agents, Invalid for a path
    that leads elsewhere or over a link, NotFound where there is no such file, or where the folder
    is that of somebody else.
    """
    agent = access.viewer.agent
    if agent is not None and not (agent.can_see_private and ANYTHING in agent.domains):
        raise Forbidden("files are for the user in person, and agents that may read everything")
    parts = parts_of(path)
    if context.folder is None:
        raise missing("file")
    owner = await asyncio.to_thread(owner_of, context.folder)
    if access.viewer.user != context.folder_user:
        raise missing("file")
    if owner is not None and owner != (access.viewer.user, agent.id if agent else None):
        raise missing("file")
    return await asyncio.to_thread(_text_of, context.folder, parts)


def parts_of(path: str) -> tuple[str, ...]:
    """Return the parts of a path below the folder.

    Raises Invalid unless it is a path of memory.
    """
    parts = tuple(path.split("/"))
    bad = len(path) > LONGEST or "\0" in path or len(parts) > DEPTH
    hidden = any(part.startswith(".") or not part for part in parts)
    known = parts == (TOP,) or (parts[0] == BELOW and len(parts) > 1 and path.endswith(".md"))
    if bad or hidden or not known:
        raise Invalid(f"path must be {TOP}, or a Markdown file such as {BELOW}/2026-03-01.md")
    return parts


def _text_of(folder: Path, parts: tuple[str, ...]) -> str:
    """Return the text at these parts.

    Each is opened from the one before, so that no link is followed even if a part is exchanged
    meanwhile.
    """
    kinds = [os.O_DIRECTORY] * (len(parts) - 1) + [os.O_NONBLOCK]
    try:
        with ExitStack() as stack:
            place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, place)
            for part, kind in zip(parts, kinds, strict=True):
                _require_no_link(part, place)
                place = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | kind, dir_fd=place)
                stack.callback(os.close, place)
            if not stat.S_ISREG(os.fstat(place).st_mode):
                raise missing("file")
            with os.fdopen(os.dup(place), "rb") as file:
                return _decode(file.read(MAX_BYTES + 1))
    except OSError as exc:
        raise missing("file") from exc


def _require_no_link(part: str, place: int) -> None:
    if stat.S_ISLNK(os.lstat(part, dir_fd=place).st_mode):
        raise Invalid("path leads over a link")


def _decode(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise Invalid(f"the file has more than {MAX_BYTES} bytes")
    return content.decode("utf-8", errors="replace")

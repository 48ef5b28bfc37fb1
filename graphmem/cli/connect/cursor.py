"""Conversations that Cursor keeps in its database, read without changing anything.

`state.vscdb` is SQLite with a table of keys and values: `composerData:ID` is a conversation with
the order of its messages, `bubbleId:ID:MESSAGE` one message, where type 1 is the user and 2 the
model. Only the text is read: calls of tools, their results and thoughts are next to it."""

import json
import os
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from graphmem.client.hooks.transcripts import SPEAKERS, Turn, turn_of

MOST_CONVERSATIONS: Final = 20_000
MOST_MESSAGES: Final = 100_000  # of one conversation
MOST_FOLDERS: Final = 5_000  # of projects that were open
MAX_VALUE: Final = 16_000_000  # bytes of one value
AT_ONCE: Final = 5_000_000  # characters of turns that are read at once
MAX_COPY: Final = 4_000_000_000  # bytes of a database that is copied because it is locked
WAIT_S: Final = 5.0  # for a lock
COPY_S: Final = 60.0
_PAGES: Final = 4_000  # copied at once
_TYPES: Final = {1: "user", 2: "assistant"}
_KEYS: Final = """SELECT key FROM cursorDiskKV
WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key LIMIT ?"""
_VALUE: Final = """SELECT CASE WHEN length(value) <= ? THEN value END, value IS NULL
FROM cursorDiskKV WHERE key = ?"""
_ITEM: Final = "SELECT CASE WHEN length(value) <= ? THEN value END FROM ItemTable WHERE key = ?"
_HELPERS: Final = "SELECT composerId FROM composerHeaders WHERE isSubagent = 1"
LOCKED: Final = "Cursor has locked the database: close it, and try again"
_OTHER: Final = re.compile(r"[^A-Za-z0-9]+")


def home() -> Path:
    """Return the folder of Cursor's own files."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home())
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "Cursor" / "User"


@dataclass(frozen=True)
class Folders:
    """The folders of projects: by what Cursor calls them below `~/.cursor/projects`, and by the
    conversations that were held in them."""

    by_slug: Mapping[str, str]
    by_conversation: Mapping[str, str]


def folders_of(place: Path) -> Folders:
    """Return the folders of the projects that were open."""
    slugs, by_conversation = dict[str, set[str]](), dict[str, str]()
    for file in sorted((place / "workspaceStorage").glob("*/workspace.json"))[:MOST_FOLDERS]:
        folder = _folder_in(file)
        if folder is None:
            continue
        slugs.setdefault(slug_of(folder), set()).add(folder)
        for each in _conversations_in(file.with_name("state.vscdb")):
            by_conversation[each] = folder
    # Two folders may have the same name, and the wrong one has other readers.
    by_slug = {slug: found.pop() for slug, found in slugs.items() if len(found) == 1}
    return Folders(by_slug, by_conversation)


def slug_of(folder: str) -> str:
    """Return what Cursor calls a folder below `~/.cursor/projects`."""
    return _OTHER.sub("-", folder).strip("-").lower()


def _folder_in(file: Path) -> str | None:
    with suppress(OSError, ValueError, RecursionError):
        if file.stat().st_size <= MAX_VALUE:
            data = json.loads(file.read_text("utf-8"))
            folder = data.get("folder") if isinstance(data, dict) else None  # none of several roots
            parts = urlsplit(folder if isinstance(folder, str) else "")
            if parts.scheme == "file":
                return url2pathname(parts.path)
    return None


def _conversations_in(database: Path) -> Iterator[str]:
    """Yield the ids of the conversations that a project's own database lists."""
    with suppress(OSError, sqlite3.Error), closing(_connect(database)) as opened:
        row = opened.execute(_ITEM, (MAX_VALUE, "composer.composerData")).fetchone()
        data = _parsed(row[0]) if row else None
        listed = data.get("allComposers") if isinstance(data, dict) else None
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict) and isinstance(each.get("composerId"), str):
                yield each["composerId"]


class Conversations:
    """The conversations of a database, which is open while they are read."""

    def __init__(self, database: Path) -> None:
        """Open a database. Raises OSError where it can't be read."""
        self.database = database
        self.damaged = 0  # rows that are no JSON of their kind, or too long
        with ExitStack() as stack:
            try:
                self._opened = _open(database, stack)
                self._keys = [key for (key,) in self._opened.execute(_KEYS, (MOST_CONVERSATIONS,))]
            except sqlite3.Error as error:
                raise OSError(f"the database can't be read ({error})") from error
            self._helpers = frozenset(self._read_helpers())
            self._closing = stack.pop_all()

    def close(self) -> None:
        """Close the database, and remove its copy if there is one."""
        self._closing.close()

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator["Conversation"]:
        """Yield the conversations between the user and the model, without those of helpers."""
        for key in self._keys:
            id = str(key).partition(":")[2]
            data = self.read(str(key))
            if not isinstance(data, dict) or id in self._helpers or data.get("subagentInfo"):
                continue
            listed = data.get("fullConversationHeadersOnly") or data.get("conversation")
            if isinstance(listed, list) and listed:
                yield Conversation(id, data, listed[:MOST_MESSAGES], self)

    def read(self, key: str) -> Any:
        """Return the value of a key; None where there is none, and for a damaged row.

        Raises OSError while Cursor has locked the database."""
        try:
            row = self._opened.execute(_VALUE, (MAX_VALUE, key)).fetchone()
        except sqlite3.Error as error:  # a damaged page, or text that is no UTF-8
            if _is_locked(error):
                raise OSError(LOCKED) from error
            self.damaged += 1
            return None
        if row is None or row[1]:
            return None
        value = _parsed(row[0])
        if value is None and row[0] not in ("null", b"null"):
            self.damaged += 1
        return value

    def _read_helpers(self) -> Iterator[str]:
        with suppress(sqlite3.Error):  # older versions have no such table
            for (id,) in self._opened.execute(_HELPERS):
                yield str(id)


@dataclass(frozen=True)
class Conversation:
    """One conversation: its id, what is known of it, and its messages or what names them."""

    id: str
    data: Mapping[str, Any]
    listed: list[Any]
    source: Conversations

    @property
    def folder(self) -> str | None:
        """The folder that it was held in, if the conversation says so."""
        place: Any = self.data.get("workspaceIdentifier")
        uri = place.get("uri") if isinstance(place, dict) else None
        path = uri.get("fsPath") if isinstance(uri, dict) else None
        return path if isinstance(path, str) and path else None

    def read_turns(self, start: int) -> tuple[list[Turn], int]:
        """Return turns behind a place, by the number of messages before, and the place after."""
        start = start if start <= len(self.listed) else 0  # it was cut
        turns, size, place = list[Turn](), 0, start
        for place, each in enumerate(self.listed[start:], start + 1):
            for turn in self._turn_of(each, place):
                turns.append(turn)
                size += len(turn.text)
            if size >= AT_ONCE:
                break
        return turns, place

    def _turn_of(self, listed: Any, place: int) -> Iterator[Turn]:
        key = listed.get("bubbleId") if isinstance(listed, dict) else None
        if not isinstance(key, str) or not key:
            return
        said = listed if "text" in listed else self.source.read(f"bubbleId:{self.id}:{key}")
        kind = said.get("type") if isinstance(said, dict) else None
        text = said.get("text") if isinstance(said, dict) else None
        if not isinstance(text, str) or not isinstance(kind, int) or kind not in _TYPES:
            return
        at = _instant(said.get("createdAt")) or _instant(self.data.get("createdAt"))
        message = {"role": SPEAKERS[_TYPES[kind]], "content": text}
        yield from turn_of(message, key, {"timestamp": at}, end=place)


def _parsed(value: object) -> Any:
    """Return a value of JSON, which may stand in a text of JSON; None for what is none."""
    with suppress(ValueError, RecursionError):
        found = json.loads(value) if isinstance(value, str | bytes) else None
        return json.loads(found) if isinstance(found, str) else found
    return None


def _instant(value: object) -> str | None:
    """Return a time of the database, in ISO 8601; None for what is none."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, str) and value:
            found = datetime.fromisoformat(value)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000, UTC).isoformat()
    return None


def _connect(database: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """Open a database for reading alone. Raises sqlite3.Error."""
    mode = "?mode=ro&immutable=1" if immutable else "?mode=ro"
    return sqlite3.connect(database.resolve().as_uri() + mode, uri=True, timeout=WAIT_S)


def _open(database: Path, stack: ExitStack) -> sqlite3.Connection:
    """Open a database that another program may use. Raises sqlite3.Error and OSError."""
    opened = stack.enter_context(closing(_connect(database)))
    try:
        opened.execute(_KEYS, (1,)).fetchall()
    except sqlite3.OperationalError as error:
        if _is_locked(error):
            return _copy(database, opened, stack)
        if "no such table" in str(error) or _is_in_use(database):
            raise
        return stack.enter_context(closing(_connect(database, immutable=True)))
    return opened


def _is_locked(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _is_in_use(database: Path) -> bool:
    """Return True if the database has a journal: somebody is writing, or was interrupted."""
    names = (f"{database.name}-wal", f"{database.name}-journal")
    return any(database.with_name(name).exists() for name in names)


def _copy(database: Path, opened: sqlite3.Connection, stack: ExitStack) -> sqlite3.Connection:
    """Copy a database that stays locked, page by page in between. Raises sqlite3.Error and
    OSError."""
    if database.stat().st_size > MAX_COPY:
        raise OSError(LOCKED)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="graphmem-"))
    copy = stack.enter_context(closing(sqlite3.connect(Path(folder) / "copy.sqlite")))
    ends = time.monotonic() + COPY_S

    def check(_status: int, _remaining: int, _total: int) -> None:
        if time.monotonic() > ends:
            raise OSError(LOCKED)

    opened.backup(copy, pages=_PAGES, progress=check)
    return copy

"""Conversations from before an agent's program was connected: what its transcripts hold is kept."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from graphmem.cli.connect.cursor import Conversations, Folders, folders_of, home
from graphmem.client.errors import NotAvailable, ServiceError
from graphmem.client.hooks.events import Done, Hook, keep, keep_turns, place_file_of
from graphmem.errors import Unavailable

CURSOR: Final = "cursor"
MOST_FILES: Final = 20_000
LOOKED_AT: Final = 50  # first lines of a transcript that may tell its session and its folder
MAX_LINE: Final = 1_000_000  # bytes
_HELPERS: Final = "agent-"  # begins the transcripts of sub-agents


@dataclass
class Earlier:
    """The conversations and turns that were kept, and the transcripts that could not be."""

    conversations: int = 0
    turns: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


TRANSCRIPTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "claude-code": (".claude/projects", "*/*.jsonl"),
        "codex": (".codex/sessions", "**/*.jsonl"),
        "cursor": (".cursor/projects", "*/agent-transcripts/**/*.jsonl"),
    }
)


def transcripts_of(client: str) -> list[Path]:
    """Return the transcripts of a program, the oldest first."""
    folder, pattern = TRANSCRIPTS[client]
    found = [
        path
        for path in (Path.home() / folder).glob(pattern)
        if path.is_file() and not path.is_symlink() and not _is_of_helper(path)
    ]
    return sorted(found, key=lambda path: (path.stat().st_mtime, path))[:MOST_FILES]


def _is_of_helper(path: Path) -> bool:
    return path.name.startswith(_HELPERS) or "subagents" in path.parts


def keep_earlier(
    hook: Hook, transcripts: Sequence[Path], progress: Callable[[int], None]
) -> Earlier:
    """Keep the turns of transcripts as the hooks do, so that nothing is kept twice, and what was
    broken off goes on where it was. Raises Unavailable when the service does not answer."""
    done = Earlier()
    folders = folders_of(home()) if hook.client == CURSOR else Folders({}, {})
    for transcript in transcripts:
        if hook.client == CURSOR and place_file_of(hook, _named(transcript.stem)).exists():
            continue  # it was taken from the database, before there was a transcript
        given = _given_of(transcript)
        if hook.client == CURSOR:
            given = {"cwd": _folder_of(transcript, folders), **given}
        _keep_all(done, transcript.name, lambda given=given: keep(hook, given, math.inf))
        progress(1)
    return done


def keep_database(hook: Hook, done: Earlier) -> None:
    """Keep the conversations of Cursor's database of which there is no transcript, in the same
    way. Raises Unavailable."""
    database = database_of_cursor()
    if not database.is_file():
        return
    try:
        with closing(Conversations(database)) as source:
            _keep_conversations(hook, done, source)
            if source.damaged:
                done.skipped[database.name] = f"damaged or too long rows: {source.damaged}"
    except OSError as error:
        done.skipped[database.name] = str(error)


def _keep_conversations(hook: Hook, done: Earlier, source: Conversations) -> None:
    known, folders = {each.stem for each in transcripts_of(CURSOR)}, folders_of(home())
    for each in source:
        named, read = _named(each.id), each.read_turns
        if each.id in known and not place_file_of(hook, named).exists():
            continue
        place = each.folder or folders.by_conversation.get(each.id) or str(Path.home())
        given = {"session_id": each.id, "cwd": place}
        _keep_all(
            done,
            each.id,
            lambda given=given, named=named, read=read: keep_turns(
                hook, given, named, read, math.inf
            ),
        )


def database_of_cursor() -> Path:
    """Return the file in which Cursor keeps conversations."""
    return home() / "globalStorage" / "state.vscdb"


def count_database() -> int:
    """Count the conversations of Cursor's database of which there is no transcript."""
    known = {each.stem for each in transcripts_of(CURSOR)}
    try:
        with closing(Conversations(database_of_cursor())) as source:
            return sum(each.id not in known for each in source)
    except OSError:
        return 0


def _named(conversation: str) -> str:
    return f"{database_of_cursor()}#{conversation}"


def _folder_of(transcript: Path, folders: Folders) -> str:
    """Return the folder of the conversation of a transcript, as far as it is known."""
    parts = transcript.relative_to(Path.home() / TRANSCRIPTS[CURSOR][0]).parts
    known = folders.by_conversation.get(transcript.stem)
    return known or folders.by_slug.get(parts[0].lower()) or str(Path.home())


def _keep_all(done: Earlier, name: str, keep_some: Callable[[], Done]) -> None:
    """Keep all turns of one conversation, and count them. Raises Unavailable."""
    try:
        turns = 0
        while (one := keep_some()).kept:
            turns += one.kept
            if one.error is not None:
                break
    except OSError as error:
        done.skipped[name] = error.strerror or str(error) or "it can't be read"
    except NotAvailable as error:
        raise Unavailable(f"the service does not answer: {error}") from error
    except ServiceError as error:
        done.skipped[name] = str(error)
    else:
        done.turns += turns
        done.conversations += 1 if turns else 0
        if one.error is not None:
            done.skipped[name] = one.error


def _given_of(transcript: Path) -> dict[str, Any]:
    """Return what a hook would be given: the session and the folder that a transcript names."""
    given = {"transcript_path": str(transcript), "session_id": transcript.stem}
    for entry in _first_entries(transcript):
        payload = entry.get("payload")
        told = payload if isinstance(payload, Mapping) else entry
        session = entry.get("sessionId") or (
            told.get("id") if entry.get("type") == "session_meta" else None
        )
        for name, value in (("session_id", session), ("cwd", told.get("cwd"))):
            if isinstance(value, str) and value:
                given[name] = value
        if "cwd" in given:
            break
    return given


def _first_entries(transcript: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with transcript.open("rb") as file:
            lines = [file.readline(MAX_LINE) for _ in range(LOOKED_AT)]
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, Mapping):
            yield entry

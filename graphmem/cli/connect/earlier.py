"""Conversations from before an agent's program was connected: what its transcripts hold is kept."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from graphmem.client.errors import NotAvailable, ServiceError
from graphmem.client.hooks.events import Hook, keep
from graphmem.errors import Unavailable

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
    {"claude-code": (".claude/projects", "*/*.jsonl"), "codex": (".codex/sessions", "**/*.jsonl")}
)


def transcripts_of(client: str) -> list[Path]:
    """Return the transcripts of a program, the oldest first."""
    folder, pattern = TRANSCRIPTS[client]
    found = [
        path
        for path in (Path.home() / folder).glob(pattern)
        if path.is_file() and not path.is_symlink() and not path.name.startswith(_HELPERS)
    ]
    return sorted(found, key=lambda path: (path.stat().st_mtime, path))[:MOST_FILES]


def keep_earlier(hook: Hook, transcripts: list[Path], progress: Callable[[int], None]) -> Earlier:
    """Keep the turns of transcripts as the hooks do, so that nothing is kept twice, and what was
    broken off goes on where it was. Raises Unavailable when the service does not answer."""
    done = Earlier()
    for transcript in transcripts:
        given = _given_of(transcript)
        try:
            turns = 0
            while (one := keep(hook, given, math.inf)).kept:
                turns += one.kept
                if one.error is not None:
                    break
        except OSError as error:
            done.skipped[transcript.name] = error.strerror or "it can't be read"
        except NotAvailable as error:
            raise Unavailable(f"the service does not answer: {error}") from error
        except ServiceError as error:
            done.skipped[transcript.name] = str(error)
        else:
            done.turns += turns
            done.conversations += 1 if turns else 0
            if one.error is not None:
                done.skipped[transcript.name] = one.error
        progress(1)
    return done


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

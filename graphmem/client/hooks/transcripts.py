"""The turns of a conversation, read from the transcript that an agent's program writes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from graphmem.client.secrets import cut_secrets

MOST_BYTES: Final = 20_000_000  # of a transcript that are read at once
MAX_TURN: Final = 20_000  # characters of a turn that are kept
# What programs write in the place of the user, between tags or as a heading.
_NOT_SAID: Final = (
    *("<command-", "<local-command-", "<system-reminder>", "<environment_context>"),
    *("<user_instructions>", "<permissions", "<INSTRUCTIONS>", "# AGENTS.md", "Caveat: "),
    *("<system_notification>", "<system_reminder>"),
)
_ASKED: Final = ("<user_query>", "</user_query>")  # between them, Cursor writes what was asked
SPEAKERS: Final = {"user": "user", "assistant": "assistant", "gemini": "assistant"}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One statement of a speaker in a conversation.

    `key`: the same each time that it is read. `end`: the place in the transcript behind it, in
    bytes; 0 where it is read as a whole."""

    key: str
    speaker: str
    text: str
    at: str | None = None
    end: int = 0


def read_turns(transcript: Path, start: int) -> tuple[list[Turn], int]:
    """Read the turns behind a place, in bytes, and the place up to which was read.

    Tool calls and their results are left out. A line that is not yet written to its end is left for
    the next time. Raises OSError."""
    with transcript.open("rb") as file:
        if transcript.suffix == ".json":
            return _turns_of_document(file.read(MOST_BYTES))
        size = file.seek(0, 2)
        start = start if start <= size else 0  # the file was replaced
        file.seek(start)
        lines = file.read(MOST_BYTES)
    whole = lines[: lines.rfind(b"\n") + 1]
    if not whole and len(lines) == MOST_BYTES:
        return [], start + len(lines)  # a line without an end is passed over
    turns, place = list[Turn](), start
    for line in whole.splitlines(keepends=True):
        found = _turns_of_line(line, place)
        place += len(line)
        turns += [replace(turn, end=place) for turn in found]
    return turns, place


def _turns_of_line(line: bytes, place: int) -> Iterator[Turn]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return
    if not isinstance(entry, Mapping) or entry.get("isMeta"):
        return
    message = entry.get("message")
    if entry.get("type") == "response_item":  # of Codex
        payload = entry.get("payload")
        message = payload if _is_message(payload) else None
    if isinstance(message, Mapping) and "role" in entry:  # of Cursor
        message = {"role": entry["role"], "content": _asked_in(_text_of(message.get("content")))}
    if isinstance(message, Mapping):
        key = entry.get("uuid")
        yield from turn_of(message, key if isinstance(key, str) else f"at-{place}", entry)


def _turns_of_document(text: bytes) -> tuple[list[Turn], int]:
    """Read a transcript that is one JSON document with `messages`."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [], 0
    messages = whole.get("messages") if isinstance(whole, Mapping) else None
    turns = list[Turn]()
    for number, each in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(each, Mapping):
            key = each.get("id")
            turns += turn_of(each, key if isinstance(key, str) else f"nr-{number}", each)
    return turns, 0


def _is_message(payload: object) -> bool:
    return isinstance(payload, Mapping) and payload.get("type") == "message"


def _asked_in(text: str) -> str:
    """Return what the user asked, without what Cursor puts around it."""
    before, mark, rest = text.partition(_ASKED[0])
    return rest.partition(_ASKED[1])[0].strip() if mark else before


def turn_of(
    message: Mapping[str, Any], key: str, entry: Mapping[str, Any], *, end: int = 0
) -> Iterator[Turn]:
    """Yield the turn of a message, if it is one of the user or the model and says something."""
    speaker = SPEAKERS.get(str(message.get("role") or message.get("type")))
    text = _storable(_text_of(message.get("content")))
    if speaker is None or not text or text.startswith(_NOT_SAID):
        return
    at = entry.get("timestamp")
    yield Turn(
        key=key[:100],
        speaker=speaker,
        text=cut_secrets(text)[:MAX_TURN],
        at=at if isinstance(at, str) else None,
        end=end,
    )


def _storable(text: str) -> str:
    """Return a text without what no request can send or no note hold, such as half a letter."""
    return text.replace("\x00", "").encode(errors="ignore").decode().strip()


def _text_of(content: object) -> str:
    """Return what is said in the content of a message: one text, or parts with texts."""
    if isinstance(content, str):
        return content.strip()
    parts = list[str]()
    for part in content if isinstance(content, list) else ():
        said = isinstance(part, Mapping) and part.get("type") in (
            *("text", "input_text", "output_text", None),
        )
        text = part.get("text") if said else None
        if isinstance(text, str) and not text.startswith(_NOT_SAID):
            parts.append(text)
    return "\n\n".join(parts).strip()

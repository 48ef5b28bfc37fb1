"""A transcript: the messages of one conversation as JSON, kept as the notes of an episode.

The text of a note is what was said, so that it can be recalled; the message itself is in the
note's metadata. A message longer than the limit of metadata takes several notes. A transcript is
complete until it is cleared: messages that forgetting archived still belong to it."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from graphmem.client import Memory, Note, NotThere

ALL: Final = ("ACTIVE", "FADING", "DORMANT", "ARCHIVED")  # in every state
PART: Final = 9_000  # characters of JSON in one note; escaping may double them
AT_ONCE: Final = 50  # notes in one request
PAGE: Final = 100
MARK: Final = "transcript"  # key in the metadata


@dataclass(frozen=True, kw_only=True)
class TranscriptMessage:
    """One message: its text, its speaker, and the whole message as JSON."""

    text: str
    speaker: str
    data: Any


@dataclass
class _Message:
    """The notes of one message, by part number."""

    parts: dict[int, Note] = field(default_factory=dict)
    of: int = 1

    @property
    def whole(self) -> bool:
        return len(self.parts) == self.of

    @property
    def at(self) -> datetime:
        return min(note.created_at for note in self.parts.values())

    @property
    def data(self) -> Any:
        return json.loads("".join(_mark(self.parts[i])["json"] for i in range(self.of)))


class Transcript:
    """The messages of one conversation, in their order. Every method raises ServiceError."""

    def __init__(self, memory: Memory, episode: str, *, visibility: str, domain: str) -> None:
        self._memory, self._episode = memory, episode
        self._given = {"visibility": visibility, "domain": domain, "mode": "VERBATIM"}

    def add(self, messages: Iterable[TranscriptMessage]) -> None:
        """Append messages."""
        first = time.time_ns()
        drafts = [
            draft
            for i, message in enumerate(messages)
            for draft in self._create_drafts(message, first + i)
        ]
        for start in range(0, len(drafts), AT_ONCE):
            for result in self._memory.remember_many(drafts[start : start + AT_ONCE]):
                if result.error is not None:
                    raise ValueError(f"a message can't be kept: {result.error.message}")

    def read(self, last: int | None = None) -> list[Any]:
        """Return the data of all messages, or of the last ones."""
        found = self._load_messages(last)
        first = 0 if last is None else max(0, len(found) - last)
        return [each.data for each in found[first:]]

    def pop(self) -> Any:
        """Remove the last message and return its data; None if there is none."""
        found = self._load_messages(1)
        if not found:
            return None
        self._destroy(found[-1:])
        return found[-1].data

    def clear(self) -> None:
        """Destroy all messages."""
        self._destroy(self._load_messages(None, whole=False))

    def _create_drafts(self, message: TranscriptMessage, order: int) -> Iterator[dict[str, Any]]:
        data = json.dumps(message.data)
        parts = [data[i : i + PART] for i in range(0, len(data), PART)]
        text = message.text.replace("\x00", "").encode(errors="ignore").decode()
        size = max(-(-len(text) // len(parts)), 1)
        for i, part in enumerate(parts):
            piece = text[i * size : (i + 1) * size]
            yield {
                **self._given,
                "content": piece if piece.strip() else f"({message.speaker})",
                "episode": self._episode,
                "speaker": message.speaker,
                "metadata": {MARK: {"order": order, "part": i, "of": len(parts), "json": part}},
            }

    def _load_messages(self, last: int | None, *, whole: bool = True) -> list[_Message]:
        """Load the messages in order, at least the `last` ones."""
        found: dict[int, _Message] = {}
        oldest: datetime | None = None  # of the wanted messages
        notes = self._memory.notes(episode=self._episode, statuses=ALL, page_size=PAGE)
        for note in notes:
            mark = _mark(note)
            if not mark:
                continue  # a note of another program, in the same episode
            if oldest is not None and note.created_at < oldest:
                break
            message = found.setdefault(mark["order"], _Message())
            message.parts[mark["part"]], message.of = note, mark["of"]
            if last is not None and oldest is None:
                done = [each for each in found.values() if each.whole]
                oldest = note.created_at if len(done) >= last else None
        chosen = {order: each for order, each in found.items() if each.whole or not whole}
        return [chosen[i] for i in sorted(chosen, key=lambda i: (chosen[i].at, i))]

    def _destroy(self, messages: Sequence[_Message]) -> None:
        for message in messages:
            for note in message.parts.values():
                try:
                    self._memory.forget(note.id, permanent=True)
                except NotThere:
                    continue  # somebody else was first


def _mark(note: Note) -> Mapping[str, Any]:
    mark = note.metadata.get(MARK) if isinstance(note.metadata, dict) else None
    if not isinstance(mark, dict) or not isinstance(mark.get("json"), str):
        return {}
    numbered = all(type(mark.get(name)) is int for name in ("order", "part", "of"))
    return mark if numbered and 0 <= mark["part"] < mark["of"] else {}

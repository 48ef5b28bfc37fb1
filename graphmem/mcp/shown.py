"""Notes in the form that tools show."""

from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Note
from graphmem.language.languages import Language
from graphmem.mcp.answers import NOTICE, word
from graphmem.operations.presenters.notes import language_of


@dataclass(frozen=True, kw_only=True)
class OfMemory:
    """An answer with texts from memory."""

    notice: str = NOTICE


@dataclass(frozen=True, kw_only=True)
class ShownNote:
    """One note. `truncated`: its text is longer; memory.get reads all of it. `language`: the tag of
    the language that it seems to be in, unless it is English."""

    note_id: str
    content: str
    truncated: bool | None = None
    language: str | None = None
    relevance_score: float | None = None
    title: str | None = None
    context: str | None = None
    domain: str
    visibility: str
    source: str
    confidence: float
    agent_id: str | None = None
    speaker: str | None = None
    episode: str | None = None
    created_at: datetime
    occurred_at: datetime | None = None


def shown_note(note: Note, score: float | None = None) -> ShownNote:
    """Return a note with its origin."""
    language = language_of(note)
    return ShownNote(
        note_id=note.id,
        content=note.content,
        language=None if language == Language.ENGLISH else language,
        relevance_score=None if score is None else round(score, 4),
        title=note.title,
        context=note.context if note.context and note.context not in note.content else None,
        domain=note.domain,
        visibility=word(note.visibility),
        source=word(note.source),
        confidence=round(note.confidence, 3),
        agent_id=note.author,
        speaker=note.speaker,
        episode=note.episode,
        created_at=note.created_at,
        occurred_at=note.occurred_at,
    )

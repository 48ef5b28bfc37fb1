"""Notes for tests of functions of notes."""

from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.domain.notes import Kind, Note, NoteType, Source, Status, Tier, Validity
from graphmem.domain.visibility import Visibility

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


def note(**given: Any) -> Note:
    fields: dict[str, Any] = {
        "id": "n1",
        "user": "ann",
        "author": None,
        "external_id": None,
        "version": 1,
        "content": "The kiln needs a relay.",
        "title": None,
        "context": None,
        "keywords": (),
        "tags": (),
        "kind": Kind.SEMANTIC,
        "type": NoteType.FACT,
        "source": Source.EXPERIENCE,
        "validity": Validity.INFERRED,
        "importance": 0.5,
        "confidence": 0.9,
        "load_bearing": False,
        "pinned": False,
        "domain": "general",
        "visibility": Visibility.SCOPED,
        "tier": Tier.DAILY,
        "status": Status.ACTIVE,
        "half_life_hours": 168.0,
        "access_count": 0,
        "accesses": (),
        "created_at": ago(4),
        "updated_at": ago(4),
        "occurred_at": None,
        "valid_from": None,
        "valid_to": None,
        "expires_at": None,
        "episode": None,
        "speaker": None,
        "metadata": None,
    }
    return Note(**fields | given)

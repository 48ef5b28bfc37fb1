"""Entries: what a file of a folder says of one note, and what the graph says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, Final

from graphmem.domain.notes import Note, NoteDraft
from graphmem.domain.visibility import narrower_visibility

EDITED: Final = ("content", "title", "domain", "visibility", "tags", "pinned", "importance")
# What a file shows and an edit of it does not change.
FIXED: Final = (
    *("kind", "type", "occurred_at", "confidence", "episode", "speaker"),
    *("valid_from", "valid_to", "expires_at"),
)


class Form(StrEnum):
    """The form of a file."""

    FILE = "file"  # Markdown with front matter, of one note
    JSON = "json"  # of one note
    DAY = "day"  # a list of short notes
    LOG = "log"  # entries with a time


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The part of a file about one note; `start` and `end` are its lines in a file of several."""

    draft: NoteDraft
    id: str | None = None
    version: int | None = None
    start: int = 0
    end: int = 0
    bare: bool = False  # a file without front matter


@dataclass(frozen=True)
class Edit:
    """The fields of a note that were changed by hand; `clash`: the graph changed its text, too."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    clash: bool = False
    ignored: tuple[str, ...] = ()  # fields that a file can't change


def form_of(path: PurePosixPath) -> Form:
    """Return the form of the file at a path below the folder."""
    parts = path.parts
    if path.suffix == ".json":
        return Form.JSON
    if len(parts) == 3 and parts[0] == "memory" and is_day(path.stem):
        return {"daily": Form.DAY, "episodes": Form.LOG}.get(parts[1], Form.FILE)
    return Form.FILE


def is_day(name: str) -> bool:
    """Check if a name is a day, such as 2026-03-02."""
    try:
        return len(name) == 10 and datetime.fromisoformat(name).strftime("%Y-%m-%d") == name
    except ValueError:
        return False


def day_of(note: Note) -> datetime:
    """Return the time by which a note stands in a day's file."""
    return note.occurred_at or note.created_at


def time_of_day(day: str, clock: str = "00:00") -> datetime:
    """Return the time of a day and a clock, both in UTC. Raises ValueError."""
    return datetime.fromisoformat(f"{day}T{clock.rjust(5, '0')}").replace(tzinfo=UTC)


def draft_of(note: Note) -> NoteDraft:
    """Return what the graph says of a note."""
    names = (*EDITED, *FIXED, "source", "validity", "load_bearing", "metadata")
    return NoteDraft(**{name: getattr(note, name) for name in names})


def is_same_text(one: str, other: str) -> bool:
    """Check if two texts are equal but for blanks and lines at their ends."""
    return one.strip() == other.strip()


def differs(name: str, one: NoteDraft, other: NoteDraft) -> bool:
    """Check if two drafts differ in a field."""
    if name == "content":
        return not is_same_text(one.content, other.content)
    if name == "tags":
        return set(one.tags) != set(other.tags)
    return getattr(one, name) != getattr(other, name)


def edits_of(base: NoteDraft, entry: NoteDraft, there: NoteDraft) -> Edit:
    """Return what was changed by hand since `base`, as far as the graph does not have it.

    Where both sides changed a text, it is merged; a field keeps what the person wrote, but of two
    visibilities the narrower."""
    changed, clash = dict[str, Any](), False
    for name in EDITED:
        wanted = getattr(entry, name)
        if not differs(name, base, entry) or wanted is None or not differs(name, entry, there):
            continue
        if name == "content":
            wanted, clash = _merge(base.content, entry.content, there.content)
            if is_same_text(wanted, there.content):
                continue
        elif name == "visibility" and base.visibility and there.visibility != base.visibility:
            wanted = narrower_visibility(wanted, there.visibility or wanted)
        elif name == "tags":
            wanted = _merge_tags(base.tags, entry.tags, there.tags)
        changed[name] = wanted
    ignored = tuple(name for name in FIXED if differs(name, base, entry))
    return Edit(changed, clash, ignored)


def _merge(base: str, mine: str, there: str) -> tuple[str, bool]:
    from graphmem.domain.merging import merge_texts

    merged = merge_texts(base.strip(), mine.strip(), there.strip())
    if not merged.text.strip():
        return mine, False
    return (mine.strip() if merged.clashes else merged.text), bool(merged.clashes)


def _merge_tags(
    base: tuple[str, ...], mine: tuple[str, ...], there: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the tags of the person with those that the graph gained, without those it lost."""
    gained = [tag for tag in there if tag not in base]
    lost = [tag for tag in base if tag not in there]
    return tuple(dict.fromkeys([*(tag for tag in mine if tag not in lost), *gained]))

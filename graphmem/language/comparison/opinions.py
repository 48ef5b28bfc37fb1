"""Checks an LLM's opinion of two notes.

It is accepted only if no statement can get lost, and the rules choose which note is kept."""

from dataclasses import dataclass

from graphmem.domain.notes import Note, Validity
from graphmem.language.comparison.conflicts import ConflictVerdict, surest_first
from graphmem.language.comparison.texts import differs_in_value, holds_values

_SURENESS = tuple(Validity)


@dataclass(frozen=True)
class Opinion:
    """An LLM's opinion of two notes; only its shape was checked.

    `keep`: 0 or 1 for the note that says more."""

    verdict: ConflictVerdict
    keep: int | None
    reason: str


def accepted_opinion(
    one: Note, other: Note, opinion: Opinion
) -> tuple[ConflictVerdict, Note, Note]:
    """Return the verdict, the note that would stay and the other one.

    AMBIGUOUS if the texts do not support the opinion, or if a note is protected."""
    keep, gone = surest_first(one, other)
    verdict = opinion.verdict
    if verdict is ConflictVerdict.SUBSUMES and opinion.keep is not None:
        keep, gone = (one, other) if opinion.keep == 0 else (other, one)
    doubted = (
        one.audience != other.audience
        or is_protected(one)
        or is_protected(other)
        or (verdict is ConflictVerdict.COMPATIBLE and differs_in_value(one.content, other.content))
        or (
            verdict is ConflictVerdict.SUBSUMES
            and (opinion.keep is None or not _subsumes(keep, gone))
        )
    )
    return ConflictVerdict.AMBIGUOUS if doubted else verdict, keep, gone


def is_protected(note: Note) -> bool:
    """Check whether only the user may archive a note."""
    return note.pinned or note.load_bearing


def _subsumes(more: Note, less: Note) -> bool:
    """Check whether the shorter note loses nothing of value, and is not the surer one."""
    surer = _SURENESS.index(less.validity) < _SURENESS.index(more.validity)
    return not surer and holds_values(more.content, less.content)

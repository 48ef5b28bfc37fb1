"""Files that agents live by, and alerts about changes to them (Moltbot 12.1, 12.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from graphmem.domain.actors import INIT, MANUAL, Viewer
from graphmem.domain.ids import key_of_author
from graphmem.domain.notes import Note, Revision, Status
from graphmem.errors import Forbidden

_MARKDOWN: Final = ".md"
_REFLECTION: Final = "reflection:"  # accepted by the user in a reflection
MOST_LINES, LONGEST_LINE = 40, 200  # of a change in an alert
OF_THE_USER: Final = "the files that agents live by are the user's: agents don't change them"
KEPT: Final = 100  # newest revisions of a file that are checked


class Sensitivity(StrEnum):
    """The degree of harm that a changed note can do."""

    CRITICAL = "critical"
    HIGH = "high"
    STANDARD = "standard"


FILES: Final[Mapping[str, Sensitivity]] = MappingProxyType(
    {
        "SOUL": Sensitivity.CRITICAL,
        "IDENTITY": Sensitivity.CRITICAL,
        "moltbot.json": Sensitivity.CRITICAL,
        "USER": Sensitivity.HIGH,
        "TOOLS": Sensitivity.HIGH,
    }
)
# External ids of these files for the user in person: an import leaves ".md" out.
FILE_KEYS: Final = tuple(
    key_of_author(None, name + end) for name in FILES for end in ("", _MARKDOWN)
)


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A change of a file that the user has not confirmed yet.

    It goes from the version last confirmed or reported to the current one. `by`: the actors;
    `diff`: the removed and added lines."""

    file: str
    note: Note
    since: int
    at: datetime
    by: tuple[str, ...]
    diff: str


@dataclass(frozen=True, kw_only=True)
class LostFile:
    """A file that was destroyed; nothing of its text is kept.

    `id` and `version` are its former ones; `audience` is the key of its readers."""

    file: str
    id: str
    version: int
    audience: str
    domain: str
    at: datetime
    by: str


def file_of(note: Note) -> str | None:
    """Return the file that a note is: one of the user in person with such a name as external id."""
    if note.author is not None or note.external_id is None:
        return None
    name = note.external_id.removesuffix(_MARKDOWN)
    return name if name in FILES else None


def names_file(external_id: str | None) -> bool:
    """Check whether an external id is the name of a file that agents live by, or looks like one."""
    name = (external_id or "").strip().casefold().removesuffix(_MARKDOWN)
    return any(name in (known.casefold(), known.casefold() + _MARKDOWN) for known in FILES)


def require_own_files(viewer: Viewer, notes: Iterable[Note]) -> None:
    """Raise Forbidden for an agent if a file that agents live by is among the notes.

    Those are the user's, and no agent may change, hide or destroy one."""
    if viewer.agent is not None and any(file_of(note) is not None for note in notes):
        raise Forbidden(OF_THE_USER)


def sensitivity_of(note: Note) -> Sensitivity:
    """Return the sensitivity of a note: that of its file.

    HIGH if pinned (Moltbot's vault), else STANDARD."""
    if name := file_of(note):
        return FILES[name]
    return Sensitivity.HIGH if note.pinned else Sensitivity.STANDARD


def is_expected(actor: str) -> bool:
    """Check whether this actor may change a file.

    The user may, an import of the user's files, and a reflection that the user accepted."""
    return actor in (MANUAL, INIT) or actor.startswith(_REFLECTION)


def is_flagged(note: Note, actor: str) -> bool:
    """Check whether a change of this note by this actor is reported at once."""
    return file_of(note) is not None and not is_expected(actor)


def is_edit(changes: Mapping[str, object]) -> bool:
    """Check whether a revision changes the text of a file, or archives it."""
    status = changes.get("status")
    gone = isinstance(status, list) and status[-1] in (Status.ARCHIVED, Status.SUPERSEDED)
    return gone or not changes.keys().isdisjoint(("content", "title"))


def needs_confirmation(changes: Mapping[str, object], actor: str) -> bool:
    """Check whether the user is asked about a revision of a file.

    It must be an edit, or a change of its readers by somebody else."""
    moved = not changes.keys().isdisjoint(("visibility", "domain"))
    return is_edit(changes) or (moved and not is_expected(actor))


def alert_of(note: Note, since: int, revisions: Sequence[Revision]) -> Alert | None:
    """Return the alert about a file, given its revisions, newest first.

    None if it was not edited since that version. With KEPT revisions there may have been more,
    so all their actors are named."""
    file = file_of(note)
    later = [each for each in revisions if each.version > since]
    edits = (
        later
        if len(later) >= KEPT
        else [each for each in later if needs_confirmation(each.changes, each.actor)]
    )
    if file is None or not edits:
        return None
    before = [each.content for each in revisions if each.version <= since]
    return Alert(
        file=file,
        note=note,
        since=since,
        at=edits[0].at,
        by=tuple(dict.fromkeys(each.actor for each in reversed(edits))),
        diff=diff_of(before[0] if before else "", note.content),
    )


def diff_of(old: str, new: str) -> str:
    """Return the lines between the equal beginning and end, shortened.

    Removed ones start with "- ", added ones with "+ "."""
    was, now = old.splitlines(), new.splitlines()
    begin = _count_equal(was, now)
    was, now = was[begin:], now[begin:]
    end = _count_equal(was[::-1], now[::-1])
    lines = [f"- {line}" for line in was[: len(was) - end]]
    lines += [f"+ {line}" for line in now[: len(now) - end]]
    more = ["…"] if len(lines) > MOST_LINES else []
    return "\n".join([line[:LONGEST_LINE] for line in lines[:MOST_LINES]] + more)


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

"""The files that agents live by, and alerts about changes of them (Moltbot 12.1, 12.5)."""

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
_REFLECTION: Final = "reflection:"  # what the user accepted in a reflection
MOST_LINES, LONGEST_LINE = 40, 200  # of what an alert tells of a change
OF_THE_USER: Final = "the files that agents live by are the user's: agents don't change them"
KEPT: Final = 100  # newest revisions of a file that are looked through


class Sensitivity(StrEnum):
    """How much depends on a note."""

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
# The keys under which the user in person has them: an import leaves ".md" out.
FILE_KEYS: Final = tuple(
    key_of_author(None, name + end) for name in FILES for end in ("", _MARKDOWN)
)


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A change of a file that the user has not confirmed yet: from the version that was confirmed,
    or told last, to the one of now. `by`: the actors; `diff`: the lines that went and that came."""

    file: str
    note: Note
    since: int
    at: datetime
    by: tuple[str, ...]
    diff: str


@dataclass(frozen=True, kw_only=True)
class LostFile:
    """A file that was destroyed: of what it said nothing is kept. `id` and `version`: those that it
    had; `audience`: the key of that of its readers."""

    file: str
    id: str
    version: int
    audience: str
    domain: str
    at: datetime
    by: str


def file_of(note: Note) -> str | None:
    """The file that a note is: one of the user in person whose external id is such a name."""
    if note.author is not None or note.external_id is None:
        return None
    name = note.external_id.removesuffix(_MARKDOWN)
    return name if name in FILES else None


def names_file(external_id: str | None) -> bool:
    """Decide if an external id is the name of a file that agents live by, or looks like it."""
    name = (external_id or "").strip().casefold().removesuffix(_MARKDOWN)
    return any(name in (known.casefold(), known.casefold() + _MARKDOWN) for known in FILES)


def require_own_files(viewer: Viewer, notes: Iterable[Note]) -> None:
    """Raise Forbidden for an agent if a file that agents live by is among the notes: those are the
    user's, and no agent changes, hides or destroys one."""
    if viewer.agent is not None and any(file_of(note) is not None for note in notes):
        raise Forbidden(OF_THE_USER)


def sensitivity_of(note: Note) -> Sensitivity:
    """That of its file; a pinned note (Moltbot's vault) is HIGH, any other STANDARD."""
    if name := file_of(note):
        return FILES[name]
    return Sensitivity.HIGH if note.pinned else Sensitivity.STANDARD


def is_expected(actor: str) -> bool:
    """Whether a file is this actor's to change: the user, an import of the user's files, or what
    the user accepted in a reflection."""
    return actor in (MANUAL, INIT) or actor.startswith(_REFLECTION)


def is_flagged(note: Note, actor: str) -> bool:
    """Whether a change of this note by this actor is told at once."""
    return file_of(note) is not None and not is_expected(actor)


def is_edit(changes: Mapping[str, object]) -> bool:
    """Whether a revision changes what a file says, or puts it away."""
    status = changes.get("status")
    gone = isinstance(status, list) and status[-1] in (Status.ARCHIVED, Status.SUPERSEDED)
    return gone or not changes.keys().isdisjoint(("content", "title"))


def is_told(changes: Mapping[str, object], actor: str) -> bool:
    """Decide if the user is asked about what a revision changes of a file: an edit of it, or other
    readers that somebody else gave it."""
    moved = not changes.keys().isdisjoint(("visibility", "domain"))
    return is_edit(changes) or (moved and not is_expected(actor))


def alert_of(note: Note, since: int, revisions: Sequence[Revision]) -> Alert | None:
    """What the user is to be asked about a file, by its revisions, newest first; None where nothing
    of it was edited since that version. Where there are KEPT of them, more may have been, so all
    who made them are told."""
    file = file_of(note)
    later = [each for each in revisions if each.version > since]
    edits = (
        later
        if len(later) >= KEPT
        else [each for each in later if is_told(each.changes, each.actor)]
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
    """The lines between the equal ones at the beginning and at the end, those that went as "- …"
    and those that came as "+ …", shortened."""
    was, now = old.splitlines(), new.splitlines()
    begin = _alike(was, now)
    was, now = was[begin:], now[begin:]
    end = _alike(was[::-1], now[::-1])
    lines = [f"- {line}" for line in was[: len(was) - end]]
    lines += [f"+ {line}" for line in now[: len(now) - end]]
    more = ["…"] if len(lines) > MOST_LINES else []
    return "\n".join([line[:LONGEST_LINE] for line in lines[:MOST_LINES]] + more)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

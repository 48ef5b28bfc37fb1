"""What a folder was like after the last sync: whose it is, each file's text, and its notes."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from graphmem.errors import Conflict, Invalid
from graphmem.services.syncing.folder import (
    Stamp,
    make_folder,
    most_bytes,
    naming,
    read_file,
    unlink,
    write_file,
)
from graphmem.services.syncing.folder import stamp_of as stamp

PLACE: Final = PurePosixPath(".graphmem")
# Folders of pages, where no note stands.
MADE: Final = ("memory/graph/", "memory/meta/", "memory/snapshots/", "memory/conflicts/")
FORMAT: Final = 1
_INDEX, _PLAN, _OWNER = PLACE / "index.json", PLACE / "plan.json", PLACE / "folder.json"


@dataclass
class Kept:
    """A file as it was after the last sync, with the version and the home of each of its notes."""

    digest: str
    size: int
    changed: int
    notes: dict[str, tuple[int, str]] = field(default_factory=dict)
    made: bool = False  # a page that is made of the graph

    @property
    def stamp(self) -> Stamp:
        """Return the stamp of the file."""
        return Stamp(self.size, self.changed)


@dataclass(frozen=True)
class Seen:
    """The user's newest event and rights as of the last sync that left nothing to do, in seconds
    since 1970 when that was, and until when it holds, as notes expire."""

    event: int
    rights: int | None
    at: float
    until: float


@dataclass
class State:
    """The files of a folder after the last sync, and the texts that were put next to them."""

    files: dict[PurePosixPath, Kept] = field(default_factory=dict)
    beside: dict[PurePosixPath, str] = field(default_factory=dict)  # the note's id
    clashes: dict[PurePosixPath, str] = field(default_factory=dict)  # of these the conflict's id
    seen: Seen | None = None

    def is_rest(self, now: datetime) -> bool:
        """Check if what was seen last still says how the graph is, unless there were events."""
        return self.seen is not None and self.seen.at <= now.timestamp() < self.seen.until

    def place_of(self) -> dict[str, PurePosixPath]:
        """Return the file of each note."""
        return {note: path for path, kept in self.files.items() for note in kept.notes}


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the folder for one sync. Raises Conflict while another holds it."""
    make_folder(root, PLACE)
    path = root / PLACE / "lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        raise Invalid(f"can't write into {PLACE} ({exc.strerror})") from exc
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as exc:
        raise Conflict("another sync of this folder runs") from exc
    finally:
        os.close(handle)


def check_owner(root: Path, user: str, agent: str | None) -> None:
    """Check that the folder is that of a viewer, and make it theirs if it is nobody's.

    Raises Invalid for that of another one."""
    wanted = {"format": FORMAT, "user": user, "agent": agent}
    there = _read_json(root, _OWNER)
    if there is None:
        for left in (_INDEX, _PLAN):  # of nobody, so nothing that they name is anybody's
            unlink(root / left)
        _write_json(root, _OWNER, wanted)
    elif there != wanted:
        raise Invalid("this folder belongs to another user or agent, or to another format")


def owner_of(root: Path) -> tuple[str, str | None] | None:
    """Return the user and the agent whose folder it is, without an agent the user in person.

    None if it was never synced. Raises Invalid."""
    there = _read_json(root, _OWNER)
    return None if there is None else (str(there.get("user")), there.get("agent"))


def load_state(root: Path) -> State:
    """Read what the folder was like. A sync that was broken off counts as far as it came."""
    state = _parse_state(_read_json(root, _INDEX) or {})
    if (planned := _read_json(root, _PLAN)) is not None:
        plan = _parse_state(planned)
        state.beside |= plan.beside
        state.clashes |= plan.clashes
        for path, kept in plan.files.items():
            _take_over(root, state, path, kept)
        gone = [p for p in state.files if p not in plan.files and stamp(root / p) is None]
        state.files = {p: kept for p, kept in state.files.items() if p not in gone}
    return state


def _take_over(root: Path, state: State, path: PurePosixPath, kept: Kept) -> None:
    """Take a file for written, if it is as it was to be."""
    try:
        text, digest = read_file(root, path)
    except Invalid:
        return
    seen = stamp(root / path)
    if digest == kept.digest and seen is not None:
        for other in state.files.values():
            other.notes = {i: each for i, each in other.notes.items() if i not in kept.notes}
        kept.size, kept.changed = seen.size, seen.changed
        state.files[path] = kept
        save_base(root, path, text)


def save_plan(root: Path, planned: State) -> None:
    """Keep what the folder will be like, before its files are written."""
    _write_json(root, _PLAN, _render_state(planned))


def save_state(root: Path, state: State) -> None:
    """Keep what the folder is like, now that its files are written."""
    _write_json(root, _INDEX, _render_state(state))
    unlink(root / _PLAN)


def base_of(root: Path, path: PurePosixPath) -> str | None:
    """Return the text of a file after the last sync."""
    try:
        return read_file(root, PLACE / "base" / path, most_bytes(path))[0]
    except Invalid:
        return None


def save_base(root: Path, path: PurePosixPath, text: str) -> None:
    """Keep the text of a file."""
    kept = PLACE / "base" / path
    if (root / kept).is_dir():
        shutil.rmtree(root / kept)
    write_file(root, kept, text, over=stamp(root / kept), lasting=False)


def drop_base(root: Path, path: PurePosixPath) -> None:
    """Forget the text of a file. Raises Invalid where a link leads away."""
    kept = PLACE / "base" / path
    if any((root / above).is_symlink() for above in kept.parents):
        raise Invalid("a folder above the file is a symbolic link")
    unlink(root / kept)


def _parse_state(given: dict[str, Any]) -> State:
    """Return the state that a file holds. Raises Invalid for one that no sync has written, since
    what it names may be removed."""
    try:
        seen = given.get("seen")
        return State(
            seen=Seen(**seen) if seen else None,
            files={
                _below(path): _parse_kept(each) for path, each in given.get("files", {}).items()
            },
            beside={_below(path): str(note) for path, note in given.get("beside", {}).items()},
            clashes={_below(path): str(i) for path, i in given.get("clashes", {}).items()},
        )
    except (TypeError, AttributeError, KeyError, ValueError) as exc:
        raise Invalid(f"{_INDEX} is not understood; move {PLACE} away to start again") from exc


def _below(path: str) -> PurePosixPath:
    """Return a path that stays below the folder and names nothing hidden. Raises ValueError."""
    found = PurePosixPath(path)
    if not found.parts or found.is_absolute() or any(p.startswith(".") for p in found.parts):
        raise ValueError("a path that no sync has written")
    return found


def _parse_kept(given: dict[str, Any]) -> Kept:
    notes = {note: (version, home) for note, (version, home) in given["notes"].items()}
    return Kept(**{**given, "notes": notes})


def _render_state(state: State) -> dict[str, Any]:
    files = {str(path): asdict(kept) for path, kept in sorted(state.files.items())}
    beside = {str(path): note for path, note in state.beside.items()}
    clashes = {str(path): conflict for path, conflict in state.clashes.items()}
    seen = asdict(state.seen) if state.seen else None
    return {"seen": seen, "files": files, "beside": beside, "clashes": clashes}


def _read_json(root: Path, path: PurePosixPath) -> dict[str, Any] | None:
    try:
        return json.loads((root / path).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        raise Invalid(f"{path} can't be read; move {PLACE} away to start over") from exc


def _write_json(root: Path, path: PurePosixPath, value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    with naming(path):
        write_file(root, path, text, over=stamp(root / path))

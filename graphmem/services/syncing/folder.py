"""The files of a folder: finding, reading and writing them so that none is lost or half there."""

import hashlib
import os
import stat
import tempfile
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from graphmem.errors import Invalid
from graphmem.services.importing.markdown import MAX_BYTES
from graphmem.services.syncing.entries import Form, form_of
from graphmem.services.syncing.ignoring import is_ignored, is_of_editor, read_patterns

MAX_DAY_BYTES: Final = 8_000_000
MAX_FILES: Final = 100_000
YOUNG_S: Final = 0.3  # a file that changed so short ago is looked at twice


@dataclass(frozen=True)
class Stamp:
    """Size in bytes and time of change in nanoseconds, by which a file is known to be the same."""

    size: int
    changed: int


@dataclass
class Found:
    """The files of a folder that may be notes, and those that are left alone, with the reason."""

    files: dict[PurePosixPath, Stamp] = field(default_factory=dict)
    skipped: dict[PurePosixPath, str] = field(default_factory=dict)


def find_files(root: Path) -> Found:
    """Find the files that may hold notes. Symbolic links are not followed. Raises Invalid."""
    found, patterns = Found(), read_patterns(root)
    for place, folders, names in os.walk(root):
        below = PurePosixPath(Path(place).relative_to(root).as_posix())
        folders[:] = sorted(n for n in folders if _is_walked(root, below / n, patterns, found))
        for name in sorted(names):
            path = below / name
            if _may_be_note(path) and not is_ignored(path, patterns):
                _look_at(root, path, found)
        if len(found.files) > MAX_FILES:
            raise Invalid(f"more than {MAX_FILES} files in the folder")
    _refuse_twins(found)
    _wait_for_young(root, found)
    return found


def _is_walked(root: Path, path: PurePosixPath, patterns: Sequence[str], found: Found) -> bool:
    if path.name.startswith(".") or is_ignored(path / "x", patterns):
        return False
    if (root / path).is_symlink():
        found.skipped[path] = "a symbolic link, which is not followed"
        return False
    return True


def _may_be_note(path: PurePosixPath) -> bool:
    if is_of_editor(path.name):
        return False
    is_json = path.suffix == ".json" and path.parts[:2] == ("memory", "semantic")
    return path.suffix.lower() == ".md" or is_json


def _look_at(root: Path, path: PurePosixPath, found: Found) -> None:
    try:
        seen = (root / path).lstat()
    except OSError:
        return  # gone meanwhile
    if stat.S_ISLNK(seen.st_mode):
        found.skipped[path] = "a symbolic link, which is not followed"
    elif not stat.S_ISREG(seen.st_mode):
        found.skipped[path] = "not a file"
    elif seen.st_size > most_bytes(path):
        found.skipped[path] = f"more than {most_bytes(path)} bytes"
    else:
        found.files[path] = Stamp(seen.st_size, seen.st_mtime_ns)


def most_bytes(path: PurePosixPath) -> int:
    """Return the length in bytes up to which a file is read: one note, or those of a day."""
    return MAX_DAY_BYTES if form_of(path) in (Form.DAY, Form.LOG) else MAX_BYTES


def folded(path: PurePosixPath) -> str:
    """Return the name of a file as a file system sees it that ignores case and forms of letters."""
    return unicodedata.normalize("NFC", str(path)).casefold()


def _refuse_twins(found: Found) -> None:
    by_name: dict[str, list[PurePosixPath]] = defaultdict(list)
    for path in found.files:
        by_name[folded(path)].append(path)
    for twins in by_name.values():
        for path in twins if len(twins) > 1 else ():
            del found.files[path]
            found.skipped[path] = "another file has the same name but for case or form of letters"


def _wait_for_young(root: Path, found: Found) -> None:
    """Leave files out that change right now, perhaps since an editor writes them."""
    now = time.time_ns()
    young = [p for p, each in found.files.items() if 0 <= now - each.changed < YOUNG_S * 1e9]
    if not young:
        return
    time.sleep(YOUNG_S)
    for path in young:
        if stamp_of(root / path) != found.files.pop(path):
            found.skipped[path] = "it is being written; the next sync reads it"
        elif (stamp := stamp_of(root / path)) is not None:
            found.files[path] = stamp


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a file; None where there is none."""
    try:
        seen = path.lstat()
    except OSError:
        return None
    return Stamp(seen.st_size, seen.st_mtime_ns) if stat.S_ISREG(seen.st_mode) else None


def read_file(root: Path, path: PurePosixPath, most: int | None = None) -> tuple[str, str]:
    """Return the text of a file, of at most so many bytes, and its digest. Raises Invalid."""
    most = most or most_bytes(path)
    try:
        handle = os.open(root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            before = os.fstat(handle)
            content = file.read(most + 1)
            after = os.fstat(handle)
    except OSError as exc:
        raise Invalid(f"can't be read ({exc.strerror})") from exc
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise Invalid("it is being written; the next sync reads it")
    if len(content) > most or b"\x00" in content:
        raise Invalid("not a text in UTF-8")
    try:
        return content.decode(), digest_of(content)
    except UnicodeDecodeError as exc:
        raise Invalid("not a text in UTF-8") from exc


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def make_folder(root: Path, path: PurePosixPath) -> None:
    """Make a folder below the root, for its owner alone. Raises Invalid where a link leads away."""
    place = root
    for part in path.parts:
        place = place / part
        if place.is_symlink():
            raise Invalid("a folder above the file is a symbolic link")
        try:
            place.mkdir(mode=0o700, exist_ok=True)
        except OSError as exc:
            raise Invalid(f"can't make the folder {part} ({exc.strerror})") from exc


def write_file(
    root: Path, path: PurePosixPath, text: str, *, over: Stamp | None, lasting: bool = True
) -> Stamp:
    """Write a file as a whole, in the place of the one with the stamp `over`, None: of none.

    `lasting`: it is there even if the machine fails right after. Raises Invalid where the file
    changed meanwhile, or can't be written."""
    make_folder(root, path.parent)
    target = root / path
    part: str | None = None
    try:
        handle, part = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=target.parent)
        with open(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        if target.is_symlink() or stamp_of(target) != over:
            raise Invalid("it changed meanwhile; the next sync reads it")
        os.replace(part, target)
        part = None
    except OSError as exc:
        raise Invalid(f"can't be written ({exc.strerror})") from exc
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)
    written = stamp_of(target)
    assert written is not None
    return written


@contextmanager
def naming(path: PurePosixPath) -> Iterator[None]:
    """Put the path before what an Invalid says that is raised within."""
    try:
        yield
    except Invalid as exc:
        raise Invalid(f"{path}: {exc.message}") from exc


def unlink(path: Path) -> None:
    """Remove a file, if it is there. Raises Invalid where that is not possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError as exc:
        raise Invalid(f"can't be removed ({exc.strerror})") from exc


def remove_file(root: Path, path: PurePosixPath, *, over: Stamp | None) -> None:
    """Remove a file with the stamp `over`, and folders of notes that are empty then.

    Raises Invalid where it changed meanwhile."""
    target = root / path
    if any((root / above).is_symlink() for above in path.parents):
        raise Invalid("a folder above the file is a symbolic link")
    if over is None or target.is_symlink() or stamp_of(target) != over:
        raise Invalid("it changed meanwhile; the next sync reads it")
    unlink(target)
    for above in path.parents[:-1]:
        if len(above.parts) < 3:
            break
        try:
            (root / above).rmdir()
        except OSError:
            break

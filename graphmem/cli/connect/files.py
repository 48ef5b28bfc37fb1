"""The files of other programs that graphmem changes, and what was in them before."""

import base64
import difflib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

SHOWN: Final = 2  # lines around a change
Edit = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A file as it is and as it is to be; None: there is no such file."""

    place: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            f"{self.place}" if self.before is not None else "/dev/null",
            f"{self.place}" if self.after is not None else "/dev/null",
            lineterm="",
            n=SHOWN,
        )
        return "\n".join(lines)

    def write(self) -> None:
        """Make the file as it is to be, whole or not at all; its mode stays. Raises OSError."""
        if self.after is None:
            self.place.unlink(missing_ok=True)
        elif self.after != self.before:
            replace_file(self.place, self.after)


class Originals:
    """Keeps the earlier contents of files that graphmem changed, to put them back exactly.

    They are kept in the data folder, for its owner alone, since such files hold secrets."""

    def __init__(self, folder: Path, client: str) -> None:
        self._file = folder / "connections" / f"{client}.json"
        self._known = self._read()

    def change(self, place: Path, add: Edit, remove: Edit) -> Change:
        """Return how a file gets graphmem's entries. Raises OSError and ValueError."""
        now = read_text(place)
        if self._is_as_written(place, now):
            original = self._original(place)
        else:
            original = now if now is None else remove(now)
        after = add(original or "")
        self._known[str(place)] = {
            "before": None if original is None else base64.b64encode(original.encode()).decode(),
            "written": _mark(after),
        }
        return Change(place=place, before=now, after=after)

    def undo(self, place: Path, remove: Edit) -> Change:
        """Return how a file loses graphmem's entries: it becomes what it was, or, where somebody
        has changed it since, only the entries go. Raises OSError and ValueError."""
        now = read_text(place)
        if self._is_as_written(place, now):
            after = self._original(place)
        else:
            after = now if now is None else remove(now)
        self._known.pop(str(place), None)
        return Change(place=place, before=now, after=after)

    def save(self) -> None:
        """Keep what is known; nothing of it where nothing is changed any more. Raises OSError."""
        if not self._known:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self._file, json.dumps(self._known))

    def _is_as_written(self, place: Path, now: str | None) -> bool:
        known = self._known.get(str(place))
        return known is not None and now is not None and _mark(now) == known["written"]

    def _original(self, place: Path) -> str | None:
        before = self._known[str(place)]["before"]
        return None if before is None else base64.b64decode(before).decode()

    def _read(self) -> dict[str, Mapping[str, Any]]:
        try:
            known = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


def read_text(place: Path) -> str | None:
    """Return the text of a file as it is, with its line ends; None if there is none. Raises OSError
    and ValueError."""
    if not place.exists():
        return None
    return place.read_bytes().decode("utf-8")


def replace_file(place: Path, text: str) -> None:
    """Write a file whole or not at all; its mode stays, and a new one is for its owner alone.

    Raises OSError."""
    place = place.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o600
    with tempfile.NamedTemporaryFile("wb", dir=place.parent, delete=False) as file:
        file.write(text.encode())
    try:
        os.chmod(file.name, mode)
        os.replace(file.name, place)
    except OSError:
        os.unlink(file.name)
        raise


def _mark(text: str) -> str:
    return sha256(text.encode()).hexdigest()

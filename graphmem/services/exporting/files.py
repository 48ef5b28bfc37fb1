"""Exporting as Markdown: a file for each note that counts, which `graphmem import` reads.

Names and front matter are those of an import, with the id of the note, so that a file that was
edited and imported again changes the note that it came from."""

import asyncio
import math
import os
import re
import shutil
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml

from graphmem.domain.ids import key_of_author
from graphmem.domain.linking import UPDATES
from graphmem.domain.notes import (
    MAX_TITLE,
    EntityDraft,
    Kind,
    NoteDraft,
    NoteType,
    RelationDraft,
    Source,
    Status,
    Tier,
    Validity,
)
from graphmem.domain.portable import Record
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.services.context import Context, Reopen
from graphmem.services.exporting.exporting import export
from graphmem.services.exporting.records import Line
from graphmem.services.importing.markdown import EXPORTED, KEYS, OF_EXPORTS, parse_documents

NOTES: Final = "notes"  # the folder of the notes that have no file of their own yet
MAX_PART: Final = 60  # characters of a part of a path, with at most 4 bytes each
MAX_PARTS: Final = 12
MAX_PATH: Final = 200  # characters; an external id, which the path becomes, has up to 255
SUFFIX: Final = 12  # last characters of a note's id, which are random
_AWAY: Final = frozenset({Status.ARCHIVED, Status.SUPERSEDED})
_NO_WORD = re.compile(r"[^\w-]+")
_PART = re.compile(r"\w[\w .,'()+@-]{0,58}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_PLAIN: Final = (
    *("title", "domain", "visibility", "author", "kind", "type", "source", "validity", "tags"),
    *("keywords", "episode", "speaker", "occurredAt", "validFrom", "validTo", "expiresAt"),
    *("importance", "confidence", "pinned", "loadBearing"),
)


@dataclass
class ExportedFiles:
    """The number of files written, and the notes that no file can hold, with the reason."""

    files: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)  # id, reason


@dataclass
class _Layout:
    """The path of each note, and the links between notes."""

    paths: dict[str, PurePosixPath] = field(default_factory=dict)  # by id
    links: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))  # by source
    t0_files: tuple[str, ...] = ()
    # paths as a case-insensitive file system sees them
    _taken: set[str] = field(default_factory=set)

    def place(self, line: Line) -> None:
        """Find a path for a note: that of the file it was imported from, or a new one."""
        own = _own_path(line, self.t0_files)
        paths = chain([own] if own else [], (_new_path(line, number) for number in count()))
        self.paths[line["id"]] = next(path for path in paths if self._take(path))

    def _take(self, path: PurePosixPath) -> bool:
        key = unicodedata.normalize("NFC", str(path)).casefold()
        if key in self._taken:
            return False
        self._taken.add(key)
        return True


async def export_files(context: Context, reopen: Reopen, folder: Path) -> ExportedFiles:
    """Write the notes that the user in person owns, or that an agent may read, as Markdown files
    into a new or empty folder; those that were archived, superseded or expired are left out.

    The folder is there once all of it is written. Raises Invalid when it holds anything, and what
    `export` raises."""
    folder = await asyncio.to_thread(_require_empty, folder)
    layout, done = _Layout(t0_files=context.ranking.tiered.t0_files), ExportedFiles()
    async for line in _read_lines(context, reopen):
        if line["record"] == Record.NOTE:
            layout.place(line)
        else:
            layout.links[line["source"]].append(line)
    with _new_folder(folder) as part:
        async for line in _read_lines(context, reopen):
            if line["record"] != Record.NOTE:
                continue
            if line["id"] not in layout.paths:  # written meanwhile
                layout.place(line)
            path = layout.paths[line["id"]]
            text = markdown_of(line, _links_of(line, layout))
            reason = _find_loss(line, path, text, context.clock())
            if reason is not None:
                done.skipped.append((line["id"], reason))
                continue
            await asyncio.to_thread(_write, part / path, text)
            done.files += 1
        await asyncio.to_thread(_give_name, part, folder)
    return done


async def _read_lines(context: Context, reopen: Reopen) -> AsyncIterator[Line]:
    """Read the notes that count, and all links."""
    async with aclosing(export(context, reopen, only_notes=True)) as lines:
        async for line in lines:
            if line["record"] == Record.LINK or (
                line["record"] == Record.NOTE and _is_current(line, context.clock())
            ):
                yield line


def _is_current(line: Line, now: datetime) -> bool:
    expires = line.get("expiresAt")
    over = expires is not None and datetime.fromisoformat(expires) <= now
    return line["status"] not in _AWAY and not over


def _links_of(line: Line, layout: _Layout) -> list[dict[str, str]]:
    found = []
    for link in layout.links.get(line["id"], ()):
        target = layout.paths.get(link["target"])
        if target is not None and link["kind"] != UPDATES:  # which only writes make
            to = target.with_suffix("").as_posix()
            reason = {"reason": link["reason"]} if link.get("reason") else {}
            found.append({"to": to, "kind": link["kind"], **reason})
    return found


def markdown_of(line: Line, links: list[dict[str, str]]) -> str:
    """Render a note as a Markdown file with its front matter."""
    front: dict[str, Any] = {EXPORTED: {"id": line["id"], "version": line["version"]}}
    front |= {key: line[key] for key in _PLAIN if _is_given(line.get(key))}
    front["entities"] = [
        {"name": each.name, **({"type": each.type} if each.type else {})}
        for each in _entities_of(line)
    ]
    front["relations"] = [
        {"subject": each.subject, "predicate": each.predicate, "object": each.object}
        for each in _relations_of(line)
    ]
    front["links"] = links
    front = {key: value for key, value in front.items() if value != []}
    metadata = line.get("metadata")
    if isinstance(metadata, Mapping) and not metadata.keys() & (KEYS | OF_EXPORTS):
        front |= metadata
    elif metadata is not None:
        front["metadata"] = metadata
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=math.inf)
    return f"---\n{head}---\n\n{line['content']}\n"


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != []


def _find_loss(line: Line, path: PurePosixPath, text: str, now: datetime) -> str | None:
    """Say what of a note is lost when its file is read again; None if nothing is."""
    try:
        (document,) = parse_documents(Path(path), text, now)
    except Invalid as error:
        return error.message
    except RecursionError:
        return "a file can't hold metadata that is nested so deeply"
    read, draft = document.draft, _expected_draft(line)
    if (document.note_id, document.author) != (line["id"], line.get("author")):
        return "a file can't hold who wrote it"
    for name in ("content", "title", "tags", "metadata"):
        if getattr(read, name) != getattr(draft, name):
            return f"a file can't hold its {name} as it is"
    return None if read == replace(draft, external_id=read.external_id) else "a file can't hold it"


def _expected_draft(line: Line) -> NoteDraft:
    """Return what an import has to make of the file."""

    def time(name: str) -> datetime | None:
        return datetime.fromisoformat(line[name]) if line.get(name) else None

    return NoteDraft(
        content=line["content"],
        title=line.get("title"),
        domain=line["domain"],
        visibility=Visibility(line["visibility"]),
        kind=Kind(line["kind"]),
        type=NoteType(line["type"]),
        tags=tuple(line.get("tags", ())),
        episode=line.get("episode"),
        speaker=line.get("speaker"),
        occurred_at=time("occurredAt"),
        valid_from=time("validFrom"),
        valid_to=time("validTo"),
        expires_at=time("expiresAt"),
        pinned=bool(line.get("pinned")),
        load_bearing=bool(line.get("loadBearing")),
        source=Source(line["source"]),
        validity=Validity(line["validity"]),
        keywords=tuple(line.get("keywords", ())),
        importance=line.get("importance"),
        confidence=line.get("confidence"),
        entities=tuple(_entities_of(line)),
        relations=tuple(_relations_of(line)),
        metadata=line.get("metadata"),
    )


def _entities_of(line: Line) -> Iterator[EntityDraft]:
    for each in line.get("mentions", ()):
        if each.get("name") and each.get("given", True):  # the others are read from the text
            yield EntityDraft(name=each["name"], type=each.get("type"))


def _relations_of(line: Line) -> Iterator[RelationDraft]:
    """Return the relations, with the names that the note gives their ends."""
    names = {each["key"]: each["name"] for each in line.get("mentions", ()) if each.get("name")}
    for each in line.get("relations", ()):
        ends = [names.get(each[end], each[end]) for end in ("subject", "object")]
        yield RelationDraft(subject=ends[0], predicate=each["predicate"], object=ends[1])


def _own_path(line: Line, t0_files: Sequence[str]) -> PurePosixPath | None:
    """Return the path of the file that the user in person imported the note from.

    None where its external id is no path that every file system can hold. An agent's note never
    gets the path of a file of the user, such as `SOUL.md`, and only notes of that tier that of a
    file that makes foundational notes."""
    given = line.get("externalId")
    if given is None or line.get("externalKey") != key_of_author(None, given):
        return None
    if f"{given}.md" in t0_files and line.get("tier") != Tier.FOUNDATIONAL:
        return None
    parts = given.split("/")
    fits = len(parts) <= MAX_PARTS and len(given) <= MAX_PATH and all(map(_is_portable, parts))
    return PurePosixPath(f"{given}.md") if fits else None


def _is_portable(part: str) -> bool:
    """Check if every file system takes a part of a path, and no folder looks like a file."""
    plain = _PART.fullmatch(part) is not None and part == part.rstrip(" .")
    return plain and not _RESERVED.fullmatch(part) and not part.casefold().endswith(".md")


def _new_path(line: Line, number: int) -> PurePosixPath:
    """Make a path of domain and title or first words, and the end of the note's id; with a `number`
    other than 0 where that is taken."""
    words = (line.get("title") or line["content"])[:MAX_TITLE]
    slug = _NO_WORD.sub("-", words.casefold())[:MAX_PART].strip("-_")
    name = "-".join(filter(None, (_cut(slug), str(number or ""), line["id"][-SUFFIX:])))
    folders = list[str]()
    for part in line["domain"].split("/")[:MAX_PARTS]:
        folder = part if _is_portable(part) else f"_{_NO_WORD.sub('-', part)[:MAX_PART]}"
        if len("/".join((NOTES, *folders, folder, name))) > MAX_PATH:
            break
        folders.append(_cut(folder))
    return PurePosixPath(NOTES, *folders, f"{name}.md")


def _cut(part: str) -> str:
    """Shorten a part of a path to so many bytes that every file system takes it with a suffix."""
    return part.encode()[: 2 * MAX_PART].decode(errors="ignore")


def _require_empty(folder: Path) -> Path:
    """Return the whole path of a folder that is new or empty. Raises Invalid."""
    try:
        whole = Path(os.path.abspath(folder))
        if whole.is_symlink() or (whole.exists() and not _is_empty(whole)):
            raise Invalid(f"{folder} must be a new or an empty folder")
    except OSError as exc:
        raise Invalid(f"can't write {folder} ({exc.strerror})") from exc
    return whole


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Make a folder next to where it will be, for its owner alone; removed unless it got a name."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name[:MAX_PART]}.", dir=folder.parent))
    except OSError as exc:
        raise Invalid(f"can't write into {folder.parent} ({exc.strerror})") from exc
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _give_name(part: Path, folder: Path) -> None:
    try:
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    except OSError as exc:
        raise Invalid(f"can't write {folder} ({exc.strerror})") from exc


def _write(path: Path, text: str) -> None:
    try:
        for folder in reversed(path.parents):  # `parents=True` gives those above the usual mode
            if not folder.exists():
                folder.mkdir(mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as exc:
        raise Invalid(f"can't write {path.name} ({exc.strerror})") from exc

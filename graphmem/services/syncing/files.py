"""Files of one note: Markdown with front matter, and JSON.

Of a file only what changes is written again: unknown keys, comments, the order of keys and blank
lines stay as a person wrote them."""

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final

import yaml

from graphmem.domain.notes import Note, NoteDraft
from graphmem.errors import Invalid
from graphmem.services.exporting.files import markdown_of
from graphmem.services.importing.markdown import EXPORTED, parse_documents
from graphmem.services.syncing.entries import Entry, Form, differs, draft_of, form_of, is_same_text
from graphmem.services.syncing.foot import FOOT, FootWriter, with_foot, without_foot

_FRONT: Final = re.compile(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"title": "title", "domain": "domain", "visibility": "visibility", "kind": "kind"},
        **{"type": "type", "source": "source", "validity": "validity", "tags": "tags"},
        **{"episode": "episode", "speaker": "speaker", "occurredAt": "occurred_at"},
        **{"validFrom": "valid_from", "validTo": "valid_to", "expiresAt": "expires_at"},
        **{"importance": "importance", "confidence": "confidence", "pinned": "pinned"},
        **{"loadBearing": "load_bearing"},
    }
)
_JSON_ONLY: Final = ("source", "validity", "load_bearing")


def parse_file(path: PurePosixPath, text: str, now: datetime) -> Entry:
    """Parse a file of one note. Raises Invalid."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    plain = _text_of_json(plain) if form_of(path) is Form.JSON else without_foot(plain)
    (document,) = parse_documents(Path(path), plain, now, whole=True)
    bare = not plain.startswith("---")
    return Entry(draft=document.draft, id=document.note_id, version=document.version, bare=bare)


def _text_of_json(text: str) -> str:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise Invalid("not JSON") from exc
    if not isinstance(given, dict) or not isinstance(given.get("content"), str):
        raise Invalid("a file of JSON must be an object with content, a text")
    content, note_id, version = given.pop("content"), given.pop("id", None), given.pop("version", 1)
    front = {EXPORTED: {"id": note_id, "version": version}} if note_id is not None else {}
    given = {key: value for key, value in given.items() if value is not None}
    return _with_front({**front, **given}, content)


def _with_front(front: Mapping[str, Any], content: str) -> str:
    head = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=math.inf)
    return f"---\n{head}---\n\n{content}\n" if front else f"{content}\n"


def render_file(
    path: PurePosixPath, note: Note, writer: FootWriter | None = None, *, bare: bool = False
) -> str:
    """Render a note as a new file; `bare`: the text alone."""
    if bare:
        return f"{note.content}\n"
    if form_of(path) is Form.JSON:
        shown = {"id": note.id, "version": note.version, **_shown(note)}
        return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"
    lines = (writer or FootWriter()).foot_of(path, note)
    return with_foot(markdown_of(_line(note), []), lines, note)


def _line(note: Note) -> dict[str, Any]:
    """Return a note in the form of a line of an export."""
    shown = {key: value for key, value in _shown(note).items() if value is not None}
    kept = {"id": note.id, "version": note.version, "author": note.author}
    return {**kept, **shown, "metadata": note.metadata}


def _shown(note: Note) -> dict[str, Any]:
    found = {"title": note.title, "content": note.content}
    for key, name in _KEYS.items():
        found[key] = _plain(getattr(note, name))
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON and YAML have it."""
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, str) else value


def patch_file(
    path: PurePosixPath, text: str, note: Note, now: datetime, writer: FootWriter | None = None
) -> str:
    """Return the text of a file with what the note says now; all else of it stays.

    A file that agents live by, or that has no front matter and is bare, gets none."""
    if form_of(path) is Form.JSON:
        return _patch_json(path, text, note, now)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    patched = _patch_markdown(path, plain, note, now)
    lines = (writer or FootWriter()).foot_of(path, note)
    only_foot = patched == plain and FOOT in plain and lines  # which alone is no change
    if not only_foot and not parse_file(path, plain, now).bare:
        patched = with_foot(without_foot(patched), lines, note)
    return mark + patched.replace("\n", ends)


def stamp_file(path: PurePosixPath, text: str, note: Note, now: datetime) -> str:
    """Return the text of a new file with the id of its note."""
    if form_of(path) is Form.JSON:
        given = json.loads(text.removeprefix("\ufeff"))
        return _dump_json({"id": note.id, **given}, text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _FRONT.match(plain)
    if head is None or parse_file(path, plain, now).draft.content == plain.strip():
        plain = f"---\n---\n\n{plain}"
    lines = plain.split("\n")
    block = _dump(EXPORTED, {"id": note.id, "version": note.version})
    at = _find_key(lines, EXPORTED)  # of a copy
    lines[slice(*at) if at else slice(1, 1)] = block
    return mark + "\n".join(lines).replace("\n", ends)


def _patch_markdown(path: PurePosixPath, text: str, note: Note, now: datetime) -> str:
    entry, there = parse_file(path, text, now), draft_of(note)
    head = _FRONT.match(text)
    if entry.bare or head is None:
        same = is_same_text(entry.draft.content, note.content)
        return text if same else f"{note.content}\n"
    lines = text[: head.end()].removesuffix("\n").split("\n")
    for key, name in _KEYS.items():
        if name in _JSON_ONLY and _find_key(lines, key) is None:
            continue
        if differs(name, entry.draft, there) and (entry.id or _find_key(lines, key)):
            _set_key(lines, key, _plain(getattr(note, name)))
    if entry.id is not None and entry.version != note.version:
        _set_key(lines, EXPORTED, {"id": note.id, "version": note.version})
    front, body = "\n".join(lines) + "\n", text[head.end() :]
    if not is_same_text(entry.draft.content, note.content):
        body = f"\n{note.content}\n"
    patched = front + body
    return patched if _says(path, patched, there, now) else _anew(path, text, note)


def _says(path: PurePosixPath, text: str, there: NoteDraft, now: datetime) -> bool:
    """Check if a file says what the graph does."""
    try:
        entry = parse_file(path, text, now)
    except Invalid:
        return False
    names = [name for name in _KEYS.values() if name not in _JSON_ONLY]
    if entry.id is None:
        names = []
    return not any(differs(name, entry.draft, there) for name in ("content", *names))


def _anew(path: PurePosixPath, text: str, note: Note) -> str:
    """Render a file again, with the unknown keys of the one that is there."""
    head = _FRONT.match(text)
    try:
        given = yaml.safe_load("\n".join(text[: head.end()].split("\n")[1:-2])) if head else {}
    except yaml.YAMLError:
        given = {}
    known = {*_KEYS, EXPORTED, "author", "entities", "relations", "links", "metadata", "keywords"}
    unknown = {k: v for k, v in given.items() if k not in known} if isinstance(given, dict) else {}
    fresh = render_file(path, note)
    lines = fresh.split("\n")
    end = lines.index("---", 1)
    for key, value in unknown.items():
        if _find_key(lines, str(key)) is None:
            added = _dump(str(key), value)
            lines[end:end] = added
            end += len(added)
    return "\n".join(lines)


def _find_key(lines: list[str], key: str) -> tuple[int, int] | None:
    """Return the lines of a key of the front matter."""
    for start, line in enumerate(lines):
        if start and line.startswith("---"):
            return None
        if line.startswith(key) and line[len(key) :].lstrip().startswith(":"):
            end = start + 1
            while end < len(lines) and (lines[end][:1] in (" ", "\t") or lines[end][:2] == "- "):
                end += 1
            return start, end
    return None


def _set_key(lines: list[str], key: str, value: Any) -> None:
    """Set a key of the front matter, or take it away where there is nothing to say."""
    block = [] if value is None or value is False or value == [] else _dump(key, value)
    at = _find_key(lines, key)
    if at is None:
        end = max(index for index, line in enumerate(lines) if line.startswith("---"))
        lines[end:end] = block
    else:
        lines[slice(*at)] = block


def _dump(key: str, value: Any) -> list[str]:
    text = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=math.inf)
    return text.rstrip("\n").split("\n")


def _patch_json(path: PurePosixPath, text: str, note: Note, now: datetime) -> str:
    entry, there = parse_file(path, text, now), draft_of(note)
    given, shown = json.loads(text.removeprefix("\ufeff")), _shown(note)
    before = dict(given)
    for key, name in (*_KEYS.items(), ("content", "content")):
        if differs(name, entry.draft, there):
            given[key] = shown[key]
    given |= {"id": note.id, "version": note.version}
    return text if given == before else _dump_json(given, text)


def _dump_json(given: Mapping[str, Any], text: str) -> str:
    """Write JSON with as many blanks before each line as in the text before."""
    second = text.split("\n")[1] if "\n" in text.strip() else ""
    indent = len(second) - len(second.lstrip(" ")) or 2
    return json.dumps(given, ensure_ascii=False, indent=indent) + "\n"

"""Files of a day: a list of short notes under headings, and a log of entries with times.

Lines between the entries are a person's, and stay."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final

from graphmem.domain.drafts import check_draft
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import Note, NoteDraft, NoteType
from graphmem.domain.visibility import DEFAULT_DOMAIN, Visibility
from graphmem.errors import Invalid
from graphmem.services.importing.markdown import SHARES, share_in_words
from graphmem.services.syncing.entries import (
    Entry,
    Form,
    day_of,
    differs,
    draft_of,
    form_of,
    time_of_day,
)

_MARK: Final = "<!-- gm:"
_END: Final = " -->"
_HEAD: Final = re.compile(r"## (\d{1,2}:\d\d)(?: UTC)? ?((?:\|[^|\n]*)*)")
_BOX: Final = {"[ ] ": False, "[x] ": True, "[X] ": True}
MAX_LINE: Final = 1_000  # characters of a note in a list


def parse_day(path: PurePosixPath, text: str, now: datetime) -> list[Entry]:
    """Parse the entries of a file of a day. Raises Invalid."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    parse = _parse_list if form_of(path) is Form.DAY else _parse_log
    return parse(path.stem, lines, now)


def render_day(path: PurePosixPath, notes: Sequence[Note]) -> str:
    """Render a new file of a day."""
    form, found = form_of(path), defaultdict[str, list[str]](list)
    for note in sorted(notes, key=lambda note: (day_of(note), note.id)):
        found["" if form is Form.LOG else note.domain] += _render_entry(form, note)
    title = f"# {path.stem}" + (" — Episode Log" if form is Form.LOG else "")
    parts = [[*([f"## {domain}"] if domain else []), *each] for domain, each in found.items()]
    texts = ["\n".join(lines).rstrip("\n") for lines in parts]
    return "\n\n".join([title, *texts]) + "\n"


def fits_day(path: PurePosixPath, note: Note) -> bool:
    """Check if a file of a day holds a note as it is."""
    lines = _render_entry(form_of(path), note)
    head = [] if form_of(path) is Form.LOG else [f"## {note.domain}"]
    try:
        entries = parse_day(path, "\n".join([*head, *lines]), note.created_at)
    except Invalid:
        return False
    if len(entries) != 1 or entries[0].id != note.id:
        return False
    read, there = entries[0].draft, draft_of(note)
    if form_of(path) is Form.DAY:
        return _bare(read.content) == _bare(note.content) and len(note.content) <= MAX_LINE
    names = ("content", "tags", "type", "confidence")
    return not any(differs(name, read, there) for name in names)


def patch_day(
    path: PurePosixPath,
    text: str,
    entries: Sequence[Entry],
    wanted: Mapping[str, Note],
    made: Mapping[int, Note],
) -> str:
    """Return the text with the notes that the file has now.

    `entries`: those of the text; `made`: the notes that entries without an id have become, by the
    place of the entry. What is no longer wanted goes, what is missing comes under its heading."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    form, there = form_of(path), set[str]()
    for place in reversed(range(len(entries))):
        entry = entries[place]
        note = made.get(place) or wanted.get(entry.id or "")
        if note is not None and note.id not in there and not _has_moved(form, entry, note):
            there.add(note.id)
            if _is_changed(form, entry, note):
                lines[entry.start : entry.end] = _render_entry(form, note)
        elif entry.id is not None:
            _cut(lines, entry, form)
    for note in sorted(wanted.values(), key=lambda note: (day_of(note), note.id)):
        if note.id not in there:
            _insert(lines, form, note)
    return mark + "\n".join(lines).replace("\n", ends)


def shown_in(path: PurePosixPath, note: Note) -> NoteDraft:
    """Return what the graph says of a note, its text as a file shows it."""
    if form_of(path) is not Form.DAY:
        return draft_of(note)
    (line,) = _render_entry(Form.DAY, note)
    text = _split_mark(line)[0]
    boxed = any(text.startswith(f"- {box}") for box in _BOX)
    return replace(draft_of(note), content=text if boxed else text.removeprefix("- "))


def is_left(path: PurePosixPath, text: str) -> bool:
    """Check if a file without entries holds anything that a person wrote."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    return any(line and not line.startswith("# " + path.stem) for line in lines)


def _has_moved(form: Form, entry: Entry, note: Note) -> bool:
    """Check if a note stands under the heading of a domain that it left."""
    return form is Form.DAY and entry.draft.domain not in (None, note.domain)


def _is_changed(form: Form, entry: Entry, note: Note) -> bool:
    if entry.id != note.id:
        return True
    if form is Form.DAY:
        return _bare(entry.draft.content) != _bare(note.content)
    there, read = draft_of(note), entry.draft
    given = [name for name in ("domain", "visibility") if getattr(read, name) is not None]
    names = ("content", "tags", "type", "confidence", "pinned", *given)
    widened = _parts(note) != _parts_of(read)
    return widened or any(differs(name, read, there) for name in names)


def _parts_of(read: NoteDraft) -> list[str]:
    visibility = [f"visibility:{read.visibility}"] if read.visibility else []
    return [f"domain:{read.domain or DEFAULT_DOMAIN}", *visibility]


def _parts(note: Note) -> list[str]:
    return [f"domain:{note.domain}", f"visibility:{note.visibility}"]


def _bare(content: str) -> tuple[bool, str]:
    """Return whether an item is done, and its text."""
    text = content.strip()
    for mark in ("- ", "* "):
        text = text.removeprefix(mark)
    for box, done in _BOX.items():
        if text.startswith(box):
            return done, text.removeprefix(box).strip()
    return False, text


def _render_entry(form: Form, note: Note) -> list[str]:
    if form is Form.DAY:
        done, text = _bare(note.content)
        task = note.type is NoteType.TASK or text != note.content.strip().removeprefix("- ")
        box = ("[x] " if done else "[ ] ") if task or done else ""
        return [f"- {box}{text} {_MARK}{note.id}{_END}"]
    words = {share: word for word, share in SHARES.items()}
    confidence = words.get(note.confidence, f"{note.confidence:g}")
    parts = [f"## {day_of(note).astimezone(UTC):%H:%M}", note.type.lower()]
    parts += [f"confidence:{confidence}", f"tags:[{', '.join(note.tags)}]", *_parts(note)]
    parts += ["pinned:true"] if note.pinned else []
    return [
        f"{' | '.join(parts)} {_MARK}{note.id}{_END}",
        *note.content.strip("\n").split("\n"),
        "",
    ]


def _cut(lines: list[str], entry: Entry, form: Form) -> None:
    """Take an entry away, and a heading that has nothing below it any more."""
    del lines[entry.start : entry.end]
    if form is Form.LOG:
        return
    above = entry.start - 1
    while above > 0 and not lines[above].strip():
        above -= 1
    below = entry.start
    while below < len(lines) and not lines[below].strip():
        below += 1
    empty = below == len(lines) or lines[below].startswith("## ")
    if empty and above > 0 and lines[above].startswith("## "):
        del lines[above:below]


def _insert(lines: list[str], form: Form, note: Note) -> None:
    """Put a note under its heading, or into the order of the times."""
    while lines and not lines[-1].strip():
        lines.pop()
    new = _render_entry(form, note)
    if form is Form.LOG:
        own = f"{day_of(note).astimezone(UTC):%H:%M}"
        last = next((clock for line in reversed(lines) if (clock := _clock(line))), "")
        later = (i for i, line in enumerate(lines) if _clock(line) > own)
        place = next(later, None) if last > own else None
        lines[len(lines) if place is None else place : place] = new if place else ["", *new[:-1]]
    elif (head := f"## {note.domain}") in lines:
        place = lines.index(head) + 1
        while place < len(lines) and lines[place].strip() and not lines[place].startswith("## "):
            place += 1
        lines[place:place] = new
    else:
        lines += ["", head, *new]
    lines.append("")


def _clock(line: str) -> str:
    found = _HEAD.match(line) if line.startswith("## ") else None
    return found[1].rjust(5, "0") if found else ""


def _split_mark(line: str) -> tuple[str, str | None]:
    """Split a line from the id of its note."""
    text, mark, rest = line.rstrip().rpartition(_MARK)
    if not mark or not rest.endswith(_END.strip()):
        return line.rstrip(), None
    return text.rstrip(), rest.removesuffix(_END.strip()).strip() or None


def _parse_list(day: str, lines: Sequence[str], now: datetime) -> list[Entry]:
    found, domain = list[Entry](), None
    for place, line in enumerate(lines):
        if line.startswith("## "):
            domain = _domain_of(line[3:].strip())
        elif line.startswith(("- ", "* ")):
            text, note_id = _split_mark(line[2:])
            given = text.strip()
            boxed = next((box for box in _BOX if f"{given} ".startswith(box)), None)
            content = f"- {given}" if boxed else given
            if not given.removeprefix((boxed or "").strip()).strip():
                continue
            draft = NoteDraft(
                content=content,
                domain=domain,
                type=NoteType.TASK if boxed else None,
                occurred_at=None if f"{now:%Y-%m-%d}" == day else time_of_day(day),
            )
            draft = check_draft(draft, now)
            found.append(Entry(draft=draft, id=note_id, start=place, end=place + 1))
    return found


def _domain_of(heading: str) -> str | None:
    try:
        return check_domain(heading)
    except Invalid:
        return None


def _parse_log(day: str, lines: Sequence[str], now: datetime) -> list[Entry]:
    heads = [place for place, line in enumerate(lines) if _HEAD.match(line)]
    found = list[Entry]()
    for place, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        head, note_id = _split_mark(lines[place])
        content = "\n".join(lines[place + 1 : end]).strip()
        if content:
            draft = check_draft(_parse_head(day, head, content), now)
            found.append(Entry(draft=draft, id=note_id, start=place, end=end))
    return found


def _parse_head(day: str, head: str, content: str) -> NoteDraft:
    match = _HEAD.fullmatch(head)
    if match is None:
        raise Invalid(f"the entry {head[:40]!r} is not of the form ## HH:MM | type | …")
    given: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in match[2].split("|"))):
        name, colon, value = part.partition(":")
        given |= _PARTS[name](value.strip()) if colon and name in _PARTS else _type_of(part)
    try:
        at = time_of_day(day, match[1])
    except ValueError as exc:
        raise Invalid(f"{match[1]} is not a valid time of day") from exc
    return NoteDraft(content=content, occurred_at=at, **given)


def _type_of(word: str) -> dict[str, Any]:
    try:
        return {"type": NoteType(word.strip().upper())}
    except ValueError as exc:
        raise Invalid(f"{word[:40]!r} is not a part of an entry") from exc


def _confidence_of(value: str) -> dict[str, Any]:
    known = share_in_words(value)
    try:
        return {"confidence": float(value) if known is None else known}
    except ValueError as exc:
        raise Invalid("confidence must be high, medium, low or a number") from exc


def _visibility_of(value: str) -> dict[str, Any]:
    try:
        return {"visibility": Visibility(value.upper())}
    except ValueError as exc:
        raise Invalid(f"visibility must be one of {', '.join(Visibility)}") from exc


_PARTS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "confidence": _confidence_of,
    "visibility": _visibility_of,
    "domain": lambda value: {"domain": check_domain(value)},
    "pinned": lambda value: {"pinned": value.lower() == "true"},
    "tags": lambda value: {
        "tags": tuple(tag for each in value.strip("[]").split(",") if (tag := each.strip()))
    },
}

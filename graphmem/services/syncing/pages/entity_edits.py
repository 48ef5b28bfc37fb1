"""What a hand edit of an entity's page does: new notes, and revised ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final

from graphmem.domain.entities import Entity
from graphmem.domain.notes import EntityDraft, Kind, Note, NoteDraft, WriteMode
from graphmem.domain.visibility import WIDEST_FIRST, Visibility
from graphmem.errors import Invalid
from graphmem.language.pages import LISTS, TIMELINE, FactLine, facts_by_note, parse_facts
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import load_many
from graphmem.services.syncing.pages.entity import is_whole
from graphmem.services.syncing.pages.graph import read_topology
from graphmem.services.syncing.pages.page import Page
from graphmem.services.writing.changing import Edit, revise
from graphmem.services.writing.remember import remember

_CLOSED: Final = (Visibility.PRIVATE, Visibility.USER_ONLY)


@dataclass(frozen=True, kw_only=True)
class Edits:
    """The lines of a page that a person changed, wrote, or took out."""

    changed: Sequence[FactLine]
    written: Sequence[tuple[str, FactLine]]  # with the heading
    gone: int


async def edit_entity(
    context: Context, access: Access, page: Page, base: str, edited: str
) -> list[str]:
    """Revise the notes of changed lines, and make a note of each new line, about the entity.

    A line that is taken out stays: its note may tell of others, too, and is forgotten by its own
    file. Raises Invalid where no line of the lists differs, and for a line that can't be changed
    here; then nothing is changed."""
    now, edits = parse_facts(page.text), find_edits(base, edited)
    fresh, old = facts_by_note(now.values()), facts_by_note(parse_facts(base).values())
    notes = await load_many(context, access, [line.note or "" for line in edits.changed])
    for line in edits.changed:
        _check_change(line, old, fresh, notes)
    if not edits.changed and not edits.written:
        raise Invalid("a line of Facts, Timeline or Open Questions is changed or written, no other")
    done = []
    for line in edits.changed:
        note = notes[line.note or ""]
        change = Edit(content=line.text)
        await revise(context, access, note.id, change, expected_version=note.version)
        done.append(f"note {note.id} revised")
    if edits.written:
        done += await _write(context, access, page, edits.written)
    if edits.gone:
        done.append(f"{edits.gone} lines come back: a note is forgotten in its own file")
    return done


def find_edits(base: str, edited: str) -> Edits:
    """Return what differs between two texts of a page. Raises Invalid for an unknown note."""
    before, after = parse_facts(base), parse_facts(edited)
    old, new = facts_by_note(before.values()), facts_by_note(after.values())
    if new.keys() - old.keys():
        raise Invalid("a line names a note that was not in this file")
    if sum(line.note is not None for each in after.values() for line in each) != len(new):
        raise Invalid("two lines name the same note")
    lost = Counter(line.text for note, line in old.items() if note not in new)
    written = []
    for heading in LISTS:
        for line in after[heading]:
            if line.note is not None:
                continue
            if lost[line.text]:  # only its mark was lost
                lost[line.text] -= 1
            else:
                written.append((heading, line))
    changed = [line for note, line in new.items() if line != old[note]]
    return Edits(changed=changed, written=written, gone=lost.total())


def _check_change(
    line: FactLine,
    old: Mapping[str, FactLine],
    fresh: Mapping[str, FactLine],
    notes: Mapping[str, Note],
) -> None:
    """Raise Invalid unless the line of a note may be changed in this way."""
    note = notes.get(line.note or "")
    if note is None or (before := fresh.get(note.id)) is None or before != old[note.id]:
        raise Invalid("the note of a line has changed since; edit the line as it is now")
    if line.day != before.day:
        raise Invalid("the day of a note is changed in its own file")
    if not is_whole(note):
        raise Invalid("a note of several lines, or a long one, is changed in its own file")


async def _write(
    context: Context, access: Access, page: Page, written: Sequence[tuple[str, FactLine]]
) -> list[str]:
    topology = await read_topology(context, access)
    by_slug = {slug: each for each, slug in topology.slugs.items()}
    wanted = by_slug.get(page.path.stem)
    entity = next((each for each in topology.entities if each.id == wanted), None)
    if entity is None:
        raise Invalid("nothing that may be read tells of this entity any more")
    about = await load_many(context, access, topology.notes[entity.id])
    done = []
    for heading, line in written:
        draft = _draft_of(entity, list(about.values()), heading, line)
        made = await remember(context, access, draft, WriteMode.VERBATIM)
        done.append(f"note {made.note_id} written")
    return done


def _draft_of(entity: Entity, about: Sequence[Note], heading: str, line: FactLine) -> NoteDraft:
    """Return a new line as a note in the domain of the entity's newest widely read note.

    Where all that is known of the entity is closed to most agents, so is the new note."""
    widest = min((WIDEST_FIRST.index(note.visibility) for note in about), default=0)
    visibility = WIDEST_FIRST[widest]
    like = [note for note in about if note.visibility is visibility]
    newest = max(like, key=lambda note: (note.created_at, note.id), default=None)
    happened = None if line.day is None else datetime.combine(line.day, time(), UTC)
    closed = next((each for each in _CLOSED if each is visibility), None)
    return NoteDraft(
        content=line.text,
        domain=newest.domain if newest else None,
        visibility=closed,
        kind=Kind.EPISODIC if heading == TIMELINE else Kind.SEMANTIC,
        entities=(EntityDraft(name=entity.name, type=entity.type),),
        occurred_at=happened,
    )

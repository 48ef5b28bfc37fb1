"""Building a change set: drafts are decided one after the other.

Each is compared to the notes in the graph and the drafts before it, so a batch has the same result
as single writes.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.ai.nearness import Nearness
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.linking import Connection
from graphmem.domain.notes import Kind, Note, NoteDraft, Status, Validity
from graphmem.domain.visibility import readers_of
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.extraction import merge_metadata, names_of, surer
from graphmem.services.writing.plans import Plan
from graphmem.store.deciding import FAR, NEAR, NearNotes
from graphmem.store.rows import LinkRow

REINFORCED = 1.1  # a similar new note makes the half-life longer (MUMA-11)
CONTRADICTED = 0.7  # a conflicting one makes it shorter


class ChangeSetBuilder:
    """The notes that a write is decided with, and everything that is to be written.

    Working notes are known by their ids here: each change replaces a working note by another.
    """

    def __init__(self, now: datetime, *, evolving: bool = True) -> None:
        """Start without any notes. `evolving` off: linked notes are not refined."""
        self.now = now
        self.evolving = evolving
        self.notes: dict[str, WorkingNote] = {}
        self.released: list[str] = []
        self.strengthened: list[str] = []
        self.superseded: list[tuple[str, str, str]] = []
        self.conflicts: list[tuple[str, str, float]] = []
        # conflicts whose newer note could replace the older
        self.updates: set[tuple[str, str]] = set()
        self._links: list[tuple[str, str, Connection]] = []
        self._tag_lent: dict[tuple[str, str], str] = {}  # ends of a link → the tag it lent
        self._near_drafts: dict[int, Sequence[tuple[str, float]]] = {}
        # notes that are new or have a new text, with their numbers
        self._fresh_numbers: dict[str, int] = {}
        self._nearness = Nearness()

    def result(self) -> ChangeSet:
        """Return everything that is to be written."""
        # ids that are sorted, so that equal links are listed in one order
        ids = sorted(uuid7(self.now) for _ in self._links)
        links = [
            LinkRow(
                id=link,
                source=one,
                target=other,
                kind=found.kind,
                strength=found.strength,
                reason=found.reason,
                gave=self._tag_lent.get((one, other)),
            )
            for link, (one, other, found) in zip(ids, self._links, strict=True)
        ]
        return ChangeSet(
            now=self.now,
            notes=self.notes,
            released=tuple(self.released),
            strengthened=tuple(self.strengthened),
            superseded=tuple(self.superseded),
            links=tuple(links),
            conflicts=tuple(self.conflicts),
        )

    def add_near_notes(self, found: NearNotes) -> None:
        """Add the notes read from the graph; those that are there already keep their changes."""
        self._near_drafts |= found.near
        for i, (note, names) in found.notes.items():
            if i not in self.notes:
                keywords = found.given_keywords.get(i, ())
                self.notes[i] = replace(WorkingNote.of(note), names=names, given_keywords=keywords)

    def near(
        self, index: int, note: Note, vector: Sequence[float]
    ) -> list[tuple[WorkingNote, float]]:
        """Return the live notes near a draft, nearest first."""
        near = dict(self._near_drafts.get(index, ()))
        near |= dict(zip(self._fresh_numbers, self._nearness.cosines(vector), strict=True))
        own: list[tuple[WorkingNote, float]] = []
        others: dict[str, list[tuple[WorkingNote, float]]] = defaultdict(list)
        for i, similarity in near.items():
            working = self.notes[i]
            if working.is_live and i != note.id:
                if working.audience == note.audience:
                    own.append((working, similarity))
                else:
                    others[readers_of(working.audience.key)].append((working, similarity))
        far = [_take_nearest(group, FAR) for _, group in sorted(others.items())]
        return [*_take_nearest(own, NEAR), *(pair for group in far for pair in group)]

    def add(self, plan: Plan, note: Note, vector: Sequence[float]) -> Note:
        """Add the new note of a plan; without a reader in its writer, it is near to no draft."""
        data = {"kind": note.kind, "type": note.type}
        made = WorkingNote.new(
            note,
            "CREATE",
            "note remembered",
            data,
            plan=plan,
            names=names_of(plan.draft),
            vector=vector,
            draft=plan.draft,
        )
        self.notes[note.id] = made.with_given(plan.draft)
        if plan.readable:
            self._set_vector(note.id, vector)
        return note

    def _set_vector(self, note: str, vector: Sequence[float]) -> None:
        """Set the new vector of a note, which replaces that of the graph, if there is one."""
        if note in self._fresh_numbers:
            self._nearness.put(self._fresh_numbers[note], vector)
        else:
            self._fresh_numbers[note] = self._nearness.add(vector)

    def reinforce(self, note: str, said: Note, draft: NoteDraft) -> Note:
        """Record that the note was said again: an access, a longer half-life, new details."""
        working = self.notes[note].with_accesses([self.now], REINFORCED)
        if " ".join(said.content.split()) != " ".join(working.note.content.split()):
            working = replace(working, wordings=(*working.wordings, said))
        old = working.note
        fresh = [tag for tag in draft.tags if tag not in old.tags]
        better = replace(
            old,
            tags=(*old.tags, *fresh),
            validity=surer(old.validity, said.validity),
            importance=max(old.importance, draft.importance or 0.0),
            confidence=max(old.confidence, said.confidence),
            pinned=old.pinned or bool(draft.pinned),
            load_bearing=old.load_bearing or bool(draft.load_bearing),
            metadata=merge_metadata(old.metadata, said.metadata),
        )
        if better != old:
            half_life = None if better.pinned else better.half_life_hours
            better = replace(better, half_life_hours=half_life)
            working = working.with_change(better, self.now, "EDIT", "note confirmed")
            working = working.with_given(replace(draft, keywords=()))
        self.notes[note] = _add_entities(working, draft)
        return self.notes[note].note

    def update(
        self, note: str, new: Note, said: Note, draft: NoteDraft, vector: Sequence[float]
    ) -> Note:
        """Replace the note by what both say; `draft` has the names that the result holds."""
        working = self.notes[note].with_accesses([], REINFORCED).with_given(draft)
        event = "APPEND" if working.note.kind is Kind.EPISODIC else "EDIT"
        new = replace(new, half_life_hours=working.note.half_life_hours)
        known = working.draft or NoteDraft(content=new.content, title=new.title)
        self.notes[note] = replace(
            working.with_change(new, self.now, event, "note grew"),
            wordings=(*working.wordings, said),
            vector=vector,
            names=tuple(dict.fromkeys((*working.names, *names_of(draft)))),
            draft=replace(
                known,
                content=new.content,
                entities=(*known.entities, *draft.entities),
                relations=(*known.relations, *draft.relations),
            ),
        )
        self._set_vector(note, vector)
        return self.notes[note].note

    def supersede(
        self, note: str, by: str, since: datetime, reason: str, validity: Validity | None = None
    ) -> Note:
        """Record that another note took its place; from `since` on it is no longer true."""
        old = self.notes[note].note
        new = replace(
            old,
            status=Status.SUPERSEDED if since <= self.now else old.status,
            valid_to=since,
            validity=validity or old.validity,
        )
        self.superseded.append((by, note, reason))
        return self.change(note, new, "ARCHIVE", "note superseded", {"by": by})

    def conflict(self, old: str, new: str, similarity: float, *, update: bool) -> None:
        """Record that both can't be true, and that nothing decides which one is.

        `update`: the newer one could have taken the place of the older one. Where they have
        different readers, the older note does not change: who reads only that one must not be able
        to notice.
        """
        if update:
            self.updates.add((old, new))
        if self.notes[old].audience == self.notes[new].audience:
            self.notes[old] = self.notes[old].with_accesses([], CONTRADICTED)
        self.conflicts.append((old, new, similarity))

    def count_reference(self, note: str) -> None:
        """Record that a new episode refers to the note, which is an access."""
        self.notes[note] = self.notes[note].with_accesses([self.now], 1.0)

    def link(self, note: str, others: Iterable[tuple[WorkingNote, Connection]]) -> None:
        """Link a note to others."""
        self._links += [(note, other.id, found) for other, found in others]

    def lend(self, note: str, by: str, tags: tuple[str, ...], context: str | None) -> None:
        """Give the note the last one of the tags, and its context, from the note `by`."""
        new = replace(self.notes[note].note, tags=tags, context=context)
        self.change(note, new, "EDIT", "note evolved", {"by": by})
        self._tag_lent[by, note] = tags[-1]
        working = self.notes[note]
        self.notes[note] = replace(working, lent_tags=(*working.lent_tags, tags[-1]))

    def change(self, note: str, new: Note, event: str, summary: str, data: object = None) -> Note:
        """Give a note another state, with a revision and an event."""
        self.notes[note] = self.notes[note].with_change(new, self.now, event, summary, data)
        return self.notes[note].note


def _add_entities(working: WorkingNote, draft: NoteDraft) -> WorkingNote:
    """Add the names that the writer gave when repeating the note."""
    new = tuple(e for e in draft.entities if name_key(e.name) not in working.names)
    if working.draft is not None or not new:
        return working
    names = (*working.names, *(name_key(e.name) for e in new))
    return replace(working, draft=NoteDraft(content="", entities=new), names=names)


def _take_nearest(
    found: list[tuple[WorkingNote, float]], most: int
) -> list[tuple[WorkingNote, float]]:
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:most]

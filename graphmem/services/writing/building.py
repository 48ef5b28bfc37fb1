"""Building a change set: drafts are decided one after the other, each against the notes in the
graph and the drafts before it. So a batch has the same result as single writes."""

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
from graphmem.services.writing.extraction import merged_metadata, names_of, surer
from graphmem.services.writing.plans import Plan
from graphmem.store.deciding import FAR, NEAR, NearNotes
from graphmem.store.rows import LinkRow

REINFORCED = 1.1  # a similar new note makes the half-life longer (MUMA-11)
CONTRADICTED = 0.7  # a conflicting one makes it shorter


class ChangeSetBuilder:
    """The notes that a write is decided with, and all that is to be written. Working notes are
    known by their ids here: each change puts another one in the place of the one before."""

    def __init__(self, now: datetime, *, evolving: bool = True) -> None:
        """Without any notes. `evolving` off: linked notes are not refined."""
        self.now = now
        self.evolving = evolving
        self.notes: dict[str, WorkingNote] = {}
        self.released: list[str] = []
        self.strengthened: list[str] = []
        self.superseded: list[tuple[str, str, str]] = []
        self.conflicts: list[tuple[str, str, float]] = []
        self.updates: set[tuple[str, str]] = set()  # of them, those whose newer note could replace
        self._links: list[tuple[str, str, Connection]] = []
        self._gave: dict[tuple[str, str], str] = {}  # by the ends of a link: the tag it lent
        self._near: dict[int, Sequence[tuple[str, float]]] = {}
        self._fresh: dict[str, int] = {}  # new, or with a new text; with their numbers
        self._nearness = Nearness()

    def result(self) -> ChangeSet:
        """What is to be written."""
        ids = sorted(uuid7(self.now) for _ in self._links)  # equal ones show in one order
        links = [
            LinkRow(
                id=link,
                source=one,
                target=other,
                kind=found.kind,
                strength=found.strength,
                reason=found.reason,
                gave=self._gave.get((one, other)),
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

    def lay_out(self, found: NearNotes) -> None:
        """Take in what the graph has; what is there already stays as it was changed since."""
        self._near |= found.near
        for i, (note, names) in found.notes.items():
            if i not in self.notes:
                keywords = found.given_keywords.get(i, ())
                self.notes[i] = replace(WorkingNote.of(note), names=names, given_keywords=keywords)

    def near(
        self, index: int, note: Note, vector: Sequence[float]
    ) -> list[tuple[WorkingNote, float]]:
        """The live notes near a draft, nearest first."""
        near = dict(self._near.get(index, ()))
        near |= dict(zip(self._fresh, self._nearness.cosines(vector), strict=True))
        own: list[tuple[WorkingNote, float]] = []
        others: dict[str, list[tuple[WorkingNote, float]]] = defaultdict(list)
        for i, similarity in near.items():
            working = self.notes[i]
            if working.is_live and i != note.id:
                if working.audience == note.audience:
                    own.append((working, similarity))
                else:
                    others[readers_of(working.audience.key)].append((working, similarity))
        far = [_nearest(group, FAR) for _, group in sorted(others.items())]
        return [*_nearest(own, NEAR), *(pair for group in far for pair in group)]

    def add(self, plan: Plan, note: Note, vector: Sequence[float]) -> Note:
        """Add the new note of a plan; what its writer may not read again is near to nothing."""
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
            self._renew(note.id, vector)
        return note

    def _renew(self, note: str, vector: Sequence[float]) -> None:
        """The vector of a note is not the one that the graph has, if it has any."""
        if note in self._fresh:
            self._nearness.put(self._fresh[note], vector)
        else:
            self._fresh[note] = self._nearness.add(vector)

    def reinforce(self, note: str, said: Note, draft: NoteDraft) -> Note:
        """The note was told again: an access, a longer half-life, and what the telling has more."""
        working = self.notes[note].counted([self.now], REINFORCED)
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
            pinned=old.pinned or draft.pinned,
            load_bearing=old.load_bearing or draft.load_bearing,
            metadata=merged_metadata(old.metadata, said.metadata),
        )
        if better != old:
            half_life = None if better.pinned else better.half_life_hours
            better = replace(better, half_life_hours=half_life)
            working = working.changed(better, self.now, "EDIT", "note confirmed")
            working = working.with_given(replace(draft, keywords=()))
        self.notes[note] = _mentioning(working, draft)
        return self.notes[note].note

    def update(
        self, note: str, new: Note, said: Note, draft: NoteDraft, vector: Sequence[float]
    ) -> Note:
        """The note says from now on what both say; `draft`: with the names that it holds."""
        working = self.notes[note].counted([], REINFORCED).with_given(draft)
        event = "APPEND" if working.note.kind is Kind.EPISODIC else "EDIT"
        new = replace(new, half_life_hours=working.note.half_life_hours)
        known = working.draft or NoteDraft(content=new.content, title=new.title)
        self.notes[note] = replace(
            working.changed(new, self.now, event, "note grew"),
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
        self._renew(note, vector)
        return self.notes[note].note

    def supersede(
        self, note: str, by: str, since: datetime, reason: str, validity: Validity | None = None
    ) -> Note:
        """Another note took its place; it stays, and is no longer true from `since` on."""
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
        """Record that both can't be true, and that nothing decides which one is. `update`: the
        newer one could have taken the place of the older one. Where they have other readers, the
        older note stays as it is: who reads that one alone must not be able to tell."""
        if update:
            self.updates.add((old, new))
        if self.notes[old].audience == self.notes[new].audience:
            self.notes[old] = self.notes[old].counted([], CONTRADICTED)
        self.conflicts.append((old, new, similarity))

    def refer(self, note: str) -> None:
        """A new episode refers to the note, which is an access."""
        self.notes[note] = self.notes[note].counted([self.now], 1.0)

    def link(self, note: str, others: Iterable[tuple[WorkingNote, Connection]]) -> None:
        """Link a note to others."""
        self._links += [(note, other.id, found) for other, found in others]

    def lend(self, note: str, by: str, tags: tuple[str, ...], context: str | None) -> None:
        """The note takes the last one of the tags, and its context, from the note `by`."""
        new = replace(self.notes[note].note, tags=tags, context=context)
        self.change(note, new, "EDIT", "note evolved", {"by": by})
        self._gave[by, note] = tags[-1]
        working = self.notes[note]
        self.notes[note] = replace(working, lent_tags=(*working.lent_tags, tags[-1]))

    def change(self, note: str, new: Note, event: str, summary: str, data: object = None) -> Note:
        """Give a note another state, with a revision and an event."""
        self.notes[note] = self.notes[note].changed(new, self.now, event, summary, data)
        return self.notes[note].note


def _mentioning(working: WorkingNote, draft: NoteDraft) -> WorkingNote:
    """Names that the writer gave with another telling belong to the note, too."""
    new = tuple(e for e in draft.entities if name_key(e.name) not in working.names)
    if working.draft is not None or not new:
        return working
    names = (*working.names, *(name_key(e.name) for e in new))
    return replace(working, draft=NoteDraft(content="", entities=new), names=names)


def _nearest(found: list[tuple[WorkingNote, float]], most: int) -> list[tuple[WorkingNote, float]]:
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:most]

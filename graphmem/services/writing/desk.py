"""The desk of a write: notes of the graph and new ones, as the drafts so far have left them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from graphmem.ai.extractor import Extractor
from graphmem.ai.nearness import Nearness
from graphmem.domain.activation import KEPT_ACCESSES
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.linking import Connection, Facets
from graphmem.domain.notes import (
    MAX_CONTENT,
    Kind,
    Note,
    NoteDraft,
    RelationDraft,
    Status,
    Validity,
)
from graphmem.domain.visibility import Audience, readers_of
from graphmem.language.comparison import merged_text
from graphmem.language.extraction import mark_of
from graphmem.language.naming import title_names
from graphmem.store.changes import revision_row
from graphmem.store.deciding import FAR, NEAR, Found
from graphmem.store.graph import Row
from graphmem.store.notes import note_properties

REINFORCED = 1.1  # a similar new note makes the half-life longer (MUMA-11)
CONTRADICTED = 0.7  # a conflicting one makes it shorter
MADE_TAGS = 5
_LONGEST, _SHORTEST = 87_600.0, 1.0  # hours of a half-life (DIFF-10)
_SURENESS = tuple(Validity)
_FIELDS = (
    "content context keywords tags importance confidence validity pinned loadBearing metadata "
    "status validTo"
).split()


@dataclass(eq=False)
class Held:
    """A note on the desk."""

    note: Note
    names: tuple[str, ...]  # keys of what it mentions
    before: Note | None = None  # as the graph has it; None: it is new
    curated_key: str | None = None
    vector: Sequence[float] | None = None  # of a new or changed text
    revisions: list[Row] = field(default_factory=list)
    told: list[Note] = field(default_factory=list)
    accesses: list[datetime] = field(default_factory=list)
    factor: float = 1.0  # of the half-life
    draft: NoteDraft | None = None  # names to be mentioned
    given_tags: tuple[str, ...] = ()  # by writers of this call
    given_keywords: tuple[str, ...] = ()  # by a writer, now or before
    lent_tags: tuple[str, ...] = ()  # from notes of the same readers, by this call
    events: list[tuple[str, str, Mapping[str, object]]] = field(default_factory=list)

    @cached_property
    def audience(self) -> Audience:
        """Who may read it, which no write changes."""
        return self.note.audience

    @property
    def facets(self) -> Facets:
        """What links can rest on."""
        return Facets(self.note.keywords, self.note.tags, self.names)

    @property
    def is_live(self) -> bool:
        """Whether it counts for later drafts."""
        return self.note.status in (Status.ACTIVE, Status.FADING, Status.DORMANT)

    @property
    def is_as_told(self) -> bool:
        """Whether its text is still the one that it came with."""
        return self.revisions[0]["content"] == self.note.content if self.revisions else True

    def note_given(self, draft: NoteDraft) -> None:
        """The writer gave these words, so that a change of the text leaves them (`rereading`)."""
        self.given_tags = tuple(dict.fromkeys((*self.given_tags, *draft.tags)))
        self.given_keywords = draft.keywords or self.given_keywords

    def given(self) -> dict[str, object]:
        """The properties of its node that change, version and time among them; empty: none do."""
        if self.before is None or not self.revisions:
            return {}
        old, new = note_properties(self.before), note_properties(self.note)
        changed = {name: new[name] for name in _FIELDS if new[name] != old[name]}
        if "content" in changed or "status" in changed:
            changed["curatedKey"] = None
        if "pinned" in changed:
            changed["halfLifeHours"] = None
        changed["coreMark"] = mark_of(self.note)
        return changed | {"version": self.note.version, "updatedAt": self.note.updated_at}


class Desk:
    """The notes that a write is decided with, and all that is to be written."""

    def __init__(self, now: datetime, *, evolving: bool = True) -> None:
        """An empty desk."""
        self.now = now
        self.evolving = evolving
        self.held: dict[str, Held] = {}
        self.strengthened: list[str] = []  # notes that are not on the desk
        self.superseded: list[tuple[str, str, str]] = []  # new, old, reason
        self.links: list[tuple[Held, Held, Connection]] = []
        self.gave: dict[tuple[str, str], str] = {}  # by the ids of a link: the tag it refined with
        self.conflicts: list[tuple[Held, Held, float]] = []
        self._near: dict[int, Sequence[tuple[str, float]]] = {}
        self._fresh: dict[Held, int] = {}  # new, or with a new text; with their numbers
        self._nearness = Nearness()

    def lay_out(self, found: Found) -> None:
        """Lay out what the graph has; what is there already stays as it was changed since."""
        self._near |= found.near
        for i, (note, names) in found.notes.items():
            if i not in self.held:
                given = found.given_keywords.get(i, ())
                self.held[i] = Held(note, names, before=note, given_keywords=given)

    def near(self, index: int, note: Note, vector: Sequence[float]) -> list[tuple[Held, float]]:
        """The live notes near a draft, nearest first."""
        near = {self.held[i]: similarity for i, similarity in self._near.get(index, ())}
        near |= dict(zip(self._fresh, self._nearness.cosines(vector), strict=True))
        own: list[tuple[Held, float]] = []
        others: dict[str, list[tuple[Held, float]]] = defaultdict(list)
        for held, similarity in near.items():
            if held.is_live and held.note.id != note.id:
                if held.audience == note.audience:
                    own.append((held, similarity))
                else:
                    others[readers_of(held.audience.key)].append((held, similarity))
        far = [_nearest(group, FAR) for _, group in sorted(others.items())]
        return [*_nearest(own, NEAR), *(pair for group in far for pair in group)]

    def add(
        self,
        note: Note,
        draft: NoteDraft,
        vector: Sequence[float],
        curated_key: str | None,
        *,
        readable: bool,
    ) -> Held:
        """Lay a new note on the desk; what its writer may not read again is near to nothing."""
        held = Held(note, names_of(draft), curated_key=curated_key, vector=vector, draft=draft)
        held.note_given(draft)
        held.revisions.append(revision_row(1, note.content, {}))
        self.held[note.id] = held
        if readable:
            self._renew(held)
        return held

    def _renew(self, held: Held) -> None:
        """The vector of a note is not the one that the graph has, if it has any."""
        vector = held.vector or ()
        if held in self._fresh:
            self._nearness.put(self._fresh[held], vector)
        else:
            self._fresh[held] = self._nearness.add(vector)

    def reinforce(self, held: Held, said: Note, draft: NoteDraft) -> None:
        """The note was told again: an access, a longer half-life, and what the telling has more."""
        _count(held, [self.now], REINFORCED)
        if " ".join(said.content.split()) != " ".join(held.note.content.split()):
            held.told.append(said)
        fresh = [tag for tag in draft.tags if tag not in held.note.tags]
        better = replace(
            held.note,
            tags=(*held.note.tags, *fresh),
            validity=surer(held.note.validity, said.validity),
            importance=max(held.note.importance, draft.importance or 0.0),
            confidence=max(held.note.confidence, said.confidence),
            pinned=held.note.pinned or draft.pinned,
            load_bearing=held.note.load_bearing or draft.load_bearing,
            metadata=_merged(held.note.metadata, said.metadata),
        )
        if better != held.note:
            half_life = None if better.pinned else better.half_life_hours
            self.change(held, replace(better, half_life_hours=half_life), "EDIT", "note confirmed")
            held.note_given(replace(draft, keywords=()))
        self._mention(held, draft)

    def update(
        self, held: Held, new: Note, said: Note, draft: NoteDraft, vector: Sequence[float]
    ) -> None:
        """The note says from now on what both say."""
        _count(held, [], REINFORCED)
        held.told.append(said)
        held.note_given(draft)
        episodic = held.note.kind is Kind.EPISODIC
        new = replace(new, half_life_hours=held.note.half_life_hours)
        self.change(held, new, "APPEND" if episodic else "EDIT", "note grew")
        held.vector = vector
        held.names = tuple(dict.fromkeys((*held.names, *names_of(draft))))
        known = held.draft or NoteDraft(content=new.content, title=new.title)
        held.draft = replace(
            known,
            content=new.content,
            entities=(*known.entities, *draft.entities),
            relations=(*known.relations, *draft.relations),
        )
        self._renew(held)

    def supersede(
        self,
        held: Held,
        by: Held,
        since: datetime,
        reason: str,
        validity: Validity | None = None,
    ) -> None:
        """Another note took its place; it stays, and is no longer true from `since` on."""
        new = replace(
            held.note,
            status=Status.SUPERSEDED if since <= self.now else held.note.status,
            valid_to=since,
            validity=validity or held.note.validity,
        )
        self.change(held, new, "ARCHIVE", "note superseded", data={"by": by.note.id})
        self.superseded.append((by.note.id, held.note.id, reason))

    def conflict(self, old: Held, new: Held, similarity: float) -> None:
        """Both can't be true, and nothing tells which one is."""
        _count(old, [], CONTRADICTED)
        self.conflicts.append((old, new, similarity))

    def refer(self, held: Held) -> None:
        """A new episode refers to the note, which is an access."""
        _count(held, [self.now], 1.0)

    def change(
        self,
        held: Held,
        new: Note,
        event: str,
        summary: str,
        data: Mapping[str, object] | None = None,
    ) -> None:
        """Give a note another state, with a revision and an event."""
        old, after = note_properties(held.note), note_properties(new)
        changes: dict[str, object] = {
            name: True if name == "content" else [_plain(old[name]), _plain(after[name])]
            for name in _FIELDS
            if old[name] != after[name]
        }
        held.note = replace(new, version=held.note.version + 1, updated_at=self.now)
        held.revisions.append(revision_row(held.note.version, new.content, changes))
        held.events.append((event, summary, data or {}))

    def _mention(self, held: Held, draft: NoteDraft) -> None:
        """Names that the writer gave with another telling belong to the note, too."""
        new = tuple(e for e in draft.entities if name_key(e.name) not in held.names)
        if held.draft is None and new:
            held.draft = NoteDraft(content="", entities=new)
            held.names = (*held.names, *(name_key(e.name) for e in new))


def _nearest(found: list[tuple[Held, float]], most: int) -> list[tuple[Held, float]]:
    return sorted(found, key=lambda pair: (-pair[1], pair[0].note.id))[:most]


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _count(held: Held, times: list[datetime], factor: float) -> None:
    note = held.note
    half_life = note.half_life_hours
    if half_life is not None:
        half_life = min(max(half_life * factor, _SHORTEST), _LONGEST)
    held.accesses += times
    held.factor *= factor
    held.note = replace(
        note,
        access_count=note.access_count + len(times),
        accesses=(*note.accesses, *times)[-KEPT_ACCESSES:],
        half_life_hours=half_life,
    )


def surer(one: Validity, other: Validity) -> Validity:
    """The surer of two."""
    return min(one, other, key=_SURENESS.index)


def _merged(one: object, other: object) -> object:
    if isinstance(one, dict) and isinstance(other, dict):
        return {**other, **one}
    return other if one is None else one


def names_of(draft: NoteDraft) -> tuple[str, ...]:
    """The keys of the names that come with a draft."""
    ends = [name for r in draft.relations for name in (r.subject, r.object)]
    titles = title_names(draft.title)[:1] if draft.title else ()
    names = [*(e.name for e in draft.entities), *ends, *titles]
    return tuple(dict.fromkeys(key for name in names if (key := name_key(name))))


def extracted(extractor: Extractor, note: Note, now: datetime) -> Extraction:
    """What the text of a note says of itself."""
    return extractor(
        note.content,
        title=note.title,
        speaker=note.speaker,
        occurred_at=note.occurred_at,
        now=now,
    )


def with_extracted(draft: NoteDraft, found: Extraction) -> NoteDraft:
    """The draft with the entities and relations of its text beside those that the writer gave."""
    named = {name_key(name) for e in draft.entities for name in (e.name, *e.aliases)}
    more = tuple(replace(e, of_text=True) for e in found.entities if name_key(e.name) not in named)
    same = {name_key(alias): name_key(e.name) for e in draft.entities for alias in e.aliases}
    told = {_pair(relation, same) for relation in draft.relations}
    related = tuple(replace(r, of_text=True) for r in found.relations if _pair(r, same) not in told)
    return replace(draft, entities=(*draft.entities, *more), relations=(*draft.relations, *related))


def _pair(relation: RelationDraft, same: Mapping[str, str]) -> frozenset[str]:
    """What a relation is between; where the writer relates two things, no rule does."""
    ends = (name_key(relation.subject), name_key(relation.object))
    return frozenset(same.get(end, end) for end in ends)


def grown(
    extractor: Extractor, held: Held, said: Note, draft: NoteDraft, now: datetime
) -> Note | None:
    """The old note with what the new telling adds, its keywords, tags and context made anew but for
    what writers gave; None when that is too long. The text of an episode stays as its beginning
    (MOLT-14)."""
    old = held.note
    content = merged_text(old.content, said.content, append=old.kind is Kind.EPISODIC)
    if len(content) > MAX_CONTENT:
        return None
    note = replace(old, content=content)
    found = extracted(extractor, note, now)
    tags = dict.fromkeys((*old.tags, *draft.tags))
    for tag in found.tags:
        if len(tags) < MADE_TAGS:
            tags.setdefault(tag)
    return replace(
        note,
        keywords=draft.keywords or held.given_keywords or found.keywords,
        tags=tuple(tags),
        context=found.context,
        importance=max(old.importance, said.importance),
        confidence=max(old.confidence, said.confidence),
        validity=surer(old.validity, said.validity),
        pinned=old.pinned or draft.pinned,
        load_bearing=old.load_bearing or draft.load_bearing,
        metadata=_merged(old.metadata, said.metadata),
    )

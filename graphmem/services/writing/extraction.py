"""Extraction from the text of a note, and notes that grow when they are repeated."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from graphmem.ai.extractor import Extractor
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.notes import (
    MAX_CONTENT,
    Kind,
    Note,
    NoteDraft,
    RelationDraft,
    Validity,
)
from graphmem.language.comparison import merged_text
from graphmem.language.extraction import title_names
from graphmem.services.writing.change_set import WorkingNote

MADE_TAGS = 5
_SURENESS = tuple(Validity)


def surer(one: Validity, other: Validity) -> Validity:
    """Return the surer of two."""
    return min(one, other, key=_SURENESS.index)


def merge_metadata(one: object, other: object) -> object:
    """Merge both; where they differ, the first one wins."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {**other, **one}
    return other if one is None else one


def names_of(draft: NoteDraft) -> tuple[str, ...]:
    """Return the keys of the names that come with a draft."""
    ends = [name for r in draft.relations for name in (r.subject, r.object)]
    titles = title_names(draft.title, draft.content)[:1] if draft.title else ()
    names = [*(e.name for e in draft.entities), *ends, *titles]
    return tuple(dict.fromkeys(key for name in names if (key := name_key(name))))


def extract_note(extractor: Extractor, note: Note, now: datetime) -> Extraction:
    """Extract from a note what its text says."""
    return extractor(
        note.content,
        title=note.title,
        speaker=note.speaker,
        occurred_at=note.occurred_at,
        now=now,
    )


def add_extracted(draft: NoteDraft, found: Extraction) -> NoteDraft:
    """Add the entities and relations of its text to those that the writer gave."""
    named = {name_key(name) for e in draft.entities for name in (e.name, *e.aliases)}
    more = tuple(replace(e, of_text=True) for e in found.entities if name_key(e.name) not in named)
    same = {name_key(alias): name_key(e.name) for e in draft.entities for alias in e.aliases}
    given = {_pair(relation, same) for relation in draft.relations}
    related = tuple(
        replace(r, of_text=True) for r in found.relations if _pair(r, same) not in given
    )
    return replace(draft, entities=(*draft.entities, *more), relations=(*draft.relations, *related))


def _pair(relation: RelationDraft, same: Mapping[str, str]) -> frozenset[str]:
    """Return the ends of a relation; where the writer relates two things, no rule does."""
    ends = (name_key(relation.subject), name_key(relation.object))
    return frozenset(same.get(end, end) for end in ends)


def grow_note(
    extractor: Extractor, working: WorkingNote, said: Note, draft: NoteDraft, now: datetime
) -> Note | None:
    """Return the old note with what the new wording adds; None when that is too long.

    Its keywords, tags and context are made again except for what writers gave. The text of an
    episode stays as its beginning (MOLT-14).
    """
    old = working.note
    content = merged_text(old.content, said.content, append=old.kind is Kind.EPISODIC)
    if len(content) > MAX_CONTENT:
        return None
    note = replace(old, content=content)
    found = extract_note(extractor, note, now)
    tags = dict.fromkeys((*old.tags, *draft.tags))
    for tag in found.tags:
        if len(tags) < MADE_TAGS:
            tags.setdefault(tag)
    return replace(
        note,
        keywords=draft.keywords or working.given_keywords or found.keywords,
        tags=tuple(tags),
        context=found.context,
        importance=max(old.importance, said.importance),
        confidence=max(old.confidence, said.confidence),
        validity=surer(old.validity, said.validity),
        pinned=old.pinned or bool(draft.pinned),
        load_bearing=old.load_bearing or bool(draft.load_bearing),
        metadata=merge_metadata(old.metadata, said.metadata),
    )

"""Bounds for what is found in a text: those for what a writer gives (`drafts`).

A writer gets an error for what exceeds them; findings that exceed them are left out."""

from dataclasses import replace
from datetime import datetime
from math import isfinite

from graphmem.domain.drafts import MAX_KEYWORDS, check_instant, check_name
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import check_domain, name_key
from graphmem.domain.notes import (
    MAX_ENTITIES,
    MAX_NAME,
    MAX_RELATIONS,
    MAX_TAGS,
    MAX_TITLE,
    EntityDraft,
    RelationDraft,
)
from graphmem.errors import Invalid


def within_bounds(found: Extraction) -> Extraction:
    """Return the findings without what a writer could not give."""
    entities = tuple(filter(_is_entity, found.entities))[:MAX_ENTITIES]
    known = {name_key(entity.name) for entity in entities}
    related = (each for each in found.relations if _is_relation(each))
    kept = (r for r in related if {name_key(r.subject), name_key(r.object)} <= known)
    return replace(
        found,
        entities=entities,
        relations=tuple(kept)[:MAX_RELATIONS],
        dates=tuple(each for each in found.dates if is_instant(each.start, each.end)),
        amounts=tuple(each for each in found.amounts if isfinite(each.value)),
        keywords=tuple(filter(is_name, found.keywords))[:MAX_KEYWORDS],
        tags=tuple(filter(is_name, found.tags))[:MAX_TAGS],
        context=found.context if is_name(found.context, MAX_TITLE) else "",
        importance=_clamp_share(found.importance),
        confidence=_clamp_share(found.confidence),
        domain=found.domain if found.domain is None or _is_domain(found.domain) else None,
    )


def is_name(text: str, longest: int = MAX_NAME) -> bool:
    """Check whether a writer may use a text as a name, a tag or a keyword."""
    try:
        check_name(text, "name", longest)
    except Invalid:
        return False
    return True


def is_instant(*instants: datetime | None) -> bool:
    """Check whether the graph can hold these instants; None is an unknown one."""
    try:
        for instant in instants:
            check_instant(instant, "date")
    except Invalid:
        return False
    return True


def _is_entity(entity: EntityDraft) -> bool:
    return is_name(entity.name) and all(map(is_name, entity.aliases))


def _is_relation(relation: RelationDraft) -> bool:
    names = (relation.subject, relation.predicate, relation.object)
    return all(map(is_name, names)) and is_instant(relation.valid_from, relation.valid_to)


def _is_domain(domain: str) -> bool:
    try:
        check_domain(domain)
    except Invalid:
        return False
    return True


def _clamp_share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if isfinite(value) else 0.5

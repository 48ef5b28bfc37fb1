"""Notes of somebody else's export as a user takes them over.

They become the user's own, for no more readers than the user's own rules give and than they had
there, and without anything that decides by itself.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from graphmem.domain.alerts import names_file
from graphmem.domain.ids import key_of_author
from graphmem.domain.notes import Note, Tier, Validity
from graphmem.domain.taking import Part
from graphmem.domain.visibility import Visibility, narrower_visibility, rule_for
from graphmem.language.subjects import narrowed_by_subject
from graphmem.services.importing.portable.notes import Given
from graphmem.services.writing.construct import curated_key_of

_OF_TEXT: Final = frozenset(
    {"givenKeywords", "givenTags", "lentTags", "archivedBy", "archivedByThen", "forgottenAt"}
)
_CORE: Final = frozenset({"coreBlock", "coreMark"})
_RULES: Final = frozenset({"visibilityByUser"})


def parts_of(given: Given) -> frozenset[Part]:
    """Return the parts that come with a note."""
    note, found = given.note, set[Part]()
    if note.author is not None:
        found.add(Part.AGENTS)
    if given.skill:
        found.add(Part.SKILLS)
    core = note.pinned or note.load_bearing or note.tier is Tier.FOUNDATIONAL
    if core or note.validity is Validity.CONFIRMED or any(name in given.beside for name in _CORE):
        found.add(Part.CORE)
    return frozenset(found)


def as_own(given: Given, parts: Collection[Part], rules: Mapping[str, Visibility]) -> Given:
    """Return the note as the importing user's own, with no more of it than these parts."""
    note = replace(given.note, visibility=_narrow_visibility(given.note, rules))
    if Part.AGENTS not in parts:
        note = replace(note, author=None)
    if names_file(note.external_id):  # the files that agents follow are the importing user's own
        note = replace(note, external_id=None)
    external = None if note.external_id is None else key_of_author(note.author, note.external_id)
    if Part.CORE not in parts:
        tier = Tier.LONG_TERM if note.tier is Tier.FOUNDATIONAL else note.tier
        validity = Validity.ASSERTED if note.validity is Validity.CONFIRMED else note.validity
        note = replace(note, pinned=False, load_bearing=False, tier=tier, validity=validity)
    curated = given.curated_key is not None
    return replace(
        given,
        note=note,
        beside={name: value for name, value in given.beside.items() if _is_taken(name, parts)},
        skill=given.skill and Part.SKILLS in parts,
        curated_key=curated_key_of(note, external) if curated else None,
        external_key=external,
        request_key=given.request_key if Part.HISTORY in parts else None,
    )


def _is_taken(name: str, parts: Collection[Part]) -> bool:
    """Return True if a property is taken. A property of none of the other parts is history."""
    if name in _OF_TEXT:
        return True
    if name in _CORE:
        return Part.CORE in parts
    return (Part.RULES if name in _RULES else Part.HISTORY) in parts


def _narrow_visibility(note: Note, rules: Mapping[str, Visibility]) -> Visibility:
    """Return a visibility no wider than in the file and than the user's rules give."""
    rule = rule_for(note.domain, rules)
    visibility = note.visibility if rule is None else narrower_visibility(note.visibility, rule)
    text = f"{note.title}\n{note.content}" if note.title else note.content
    return narrowed_by_subject(text, visibility, rules)

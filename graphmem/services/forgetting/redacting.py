"""Cuts a name out of all texts of a user for good, and leaves the rest of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphmem.domain.drafts import check_name
from graphmem.domain.ids import name_key
from graphmem.domain.notes import BEGINNING
from graphmem.domain.owners import Owner
from graphmem.errors import Invalid, Stale
from graphmem.services.caches import forget_texts
from graphmem.services.context import Access, Context, require_in_person
from graphmem.services.forgetting.cutting import Cutter, cut_note
from graphmem.services.forgetting.cutting_others import cut_text
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.secrets import clean_value
from graphmem.store.erasing import list_notes_holding, unname_entities
from graphmem.store.other_secrets import OF_USERS, Kind, OldText, list_texts
from graphmem.store.secrets import read_texts

MARK: Final = "[name cut out]"
SHORTEST: Final = 2  # characters of a name
PAGE: Final = 200
_GAP: Final = r"[\s_-]+"  # between the words of a name, also in a tag


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """What held a name that was cut out of it."""

    notes: int
    others: int
    """texts that are not notes, such as questions, proposals, tasks and procedures"""
    entities: int
    """entities that had the name: they are gone, or go by another name"""
    changing: int
    """notes and texts that changed all the time and may still hold it: do it again"""


async def redact_names(context: Context, access: Access, names: Sequence[str]) -> Redacted:
    """Cut names out of all texts that the user owns, of earlier texts as well, for good.

    For the user in person. Whole words are cut, in whatever letters' case, with spaces, hyphens or
    underscores between them. What is done stays done when it is stopped, and it can be done again.
    Raises Invalid for a name of less than two characters.
    """
    require_in_person(access, "redacting a name")
    names = [check_name(each, "name").strip() for each in names]
    if not names or any(len(each) < SHORTEST for each in names):
        raise Invalid(f"a name has at least {SHORTEST} characters")
    cutter = name_cutter(names, access.viewer.actor)
    try:
        notes, changing = await _cut_notes(context, access, cutter, names)
        others, still_changing = await _cut_others(context, access, cutter)
        keys = sorted({name_key(each) for each in names})
        entities = await unname_entities(context.graph, access.viewer.user, keys)
    finally:
        forget_texts(context.embedder)
    context.signal(access.viewer.user)
    return Redacted(
        notes=notes, others=others, entities=entities, changing=changing + still_changing
    )


def name_cutter(names: Sequence[str], actor: str) -> Cutter:
    """Return what cuts names out of texts."""
    longest_first = sorted(names, key=len, reverse=True)
    either = "|".join(_GAP.join(map(re.escape, re.split(_GAP, each))) for each in longest_first)
    pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def clean(value: Any) -> Any:
        return clean_value(value, lambda text: pattern.sub(MARK, text))

    return Cutter(clean=clean, done="a name was cut out", mark=MARK, actor=actor)


async def _cut_notes(
    context: Context, access: Access, cutter: Cutter, names: Sequence[str]
) -> tuple[int, int]:
    """Return how many notes held a name, and how many changed all the time."""
    user, after, done, changing = access.viewer.user, "", 0, 0
    while page := await list_notes_holding(context.graph, user, names, after, PAGE):
        after = page[-1]
        for note_id in page:
            try:
                done += await _cut_note(context, access, cutter, note_id)
            except Stale:
                changing += 1
    return done, changing


@repeat_while_stale
async def _cut_note(context: Context, access: Access, cutter: Cutter, note_id: str) -> bool:
    found = await read_texts(context.graph, access.viewer.user, note_id, BEGINNING)
    if found is None:
        return False
    return await cut_note(context, cutter, access, note_id, found, BEGINNING)


async def _cut_others(context: Context, access: Access, cutter: Cutter) -> tuple[int, int]:
    """Return how many other texts held a name, and how many changed."""
    owner, done, changing = Owner(access.viewer.user), 0, 0
    for kind in OF_USERS:
        after = ""
        while page := await _texts_after(context, kind, owner, after):
            after = page[-1].place
            for found in page:
                try:
                    done += await cut_text(context, cutter, owner, found)
                except Stale:
                    changing += 1
    return done, changing


async def _texts_after(context: Context, kind: Kind, owner: Owner, after: str) -> list[OldText]:
    return await list_texts(context.graph, kind, owner, BEGINNING, after, PAGE)

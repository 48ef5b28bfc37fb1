"""Cuts a name out of all texts of a user for good, and leaves the rest of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation
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
from graphmem.store.erasing import GAP, pages_of_notes_holding, unname_entities
from graphmem.store.other_secrets import OF_USERS, Kind, OldText, list_texts
from graphmem.store.secrets import read_texts

MARK: Final = "[name cut out]"
_LETTERS: Final = re.compile(r"[^\W_]")
SHORTEST: Final = 2  # letters or digits of a name
PAGE: Final = 500  # notes or texts that are read at once


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """Counts of what held a name that was cut out."""

    notes: int
    others: int
    """texts that are not notes, such as questions, proposals, tasks and procedures"""
    entities: int
    """entities that had the name: they are gone, or go by another name"""
    left: int
    """notes and texts that changed all the time, or could not be changed"""


async def redact_names(context: Context, access: Access, names: Sequence[str]) -> Redacted:
    """Cut names out of all texts that the user owns, of earlier texts as well, for good.

    For the user in person. Whole words are cut, in whatever letters' case, with spaces, hyphens or
    underscores between them. What is done stays done when it is stopped, and it can be done again.
    Raises Invalid for a name of less than two letters or digits.
    """
    require_in_person(access, "redacting a name")
    names = check_names(names)
    cutter = name_cutter(names, access.viewer.actor)
    try:
        notes, left = await _cut_notes(context, access, cutter, names)
        others, left_others = await _cut_others(context, access, cutter)
        keys = sorted({name_key(each) for each in names})
        entities = await unname_entities(context.graph, access.viewer.user, keys)
    finally:
        forget_texts(context.embedder)
    context.signal(access.viewer.user)
    return Redacted(notes=notes, others=others, entities=entities, left=left + left_others)


def check_names(names: Sequence[str]) -> list[str]:
    """Return names in normal form. Raises Invalid for one of less than two letters or digits."""
    names = [check_name(each, "name").strip(" \t\n_-") for each in names]
    if not names or any(len(_LETTERS.findall(each)) < SHORTEST for each in names):
        raise Invalid(f"a name has at least {SHORTEST} letters or digits")
    return names


def words_of(name: str) -> list[str]:
    """Return the words of a name, the longest first."""
    return sorted(filter(None, GAP.split(name)), key=len, reverse=True)


def name_pattern(names: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of names in a text, as whole words."""
    longest_first = sorted(names, key=len, reverse=True)
    written = [filter(None, GAP.split(each)) for each in longest_first]
    gap = f"{GAP.pattern}+"  # possessive, so that time grows with the text alone
    either = "|".join(gap.join(map(re.escape, words)) for words in written)
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)


def name_cutter(names: Sequence[str], actor: str) -> Cutter:
    """Return what cuts names out of texts."""
    pattern = name_pattern(names)
    words = {word.lower() for name in names for word in words_of(name)}
    words |= {word.strip(punctuation) for word in words}

    def clean(value: Any) -> Any:
        return clean_value(value, lambda text: pattern.sub(MARK, text))

    return Cutter(
        clean=clean, done="a name was cut out", mark=MARK, actor=actor, dropped=frozenset(words)
    )


async def _cut_notes(
    context: Context, access: Access, cutter: Cutter, names: Sequence[str]
) -> tuple[int, int]:
    """Return how many notes held a name, and how many are left."""
    done = left = 0
    words = [words_of(each)[0] for each in names]
    async for page in pages_of_notes_holding(context.graph, access.viewer.user, words, PAGE):
        for note_id in page:
            try:
                done += await _cut_note(context, access, cutter, note_id)
            except (Stale, Invalid):
                left += 1
    return done, left


@repeat_while_stale
async def _cut_note(context: Context, access: Access, cutter: Cutter, note_id: str) -> bool:
    found = await read_texts(context.graph, access.viewer.user, note_id, BEGINNING)
    if found is None:
        return False
    return await cut_note(context, cutter, access, note_id, found, BEGINNING)


async def _cut_others(context: Context, access: Access, cutter: Cutter) -> tuple[int, int]:
    """Return how many other texts held a name, and how many are left. What was proposed to a team
    stays, as its members read it."""
    owner, done, left = Owner(access.viewer.user), 0, 0
    for kind in OF_USERS:
        after = ""
        while page := await _texts_after(context, kind, owner, after):
            after = page[-1].place
            for found in page:
                if found.about.get("team"):
                    continue
                try:
                    done += await cut_text(context, cutter, owner, found)
                except (Stale, Invalid):
                    left += 1
    return done, left


async def _texts_after(context: Context, kind: Kind, owner: Owner, after: str) -> list[OldText]:
    return await list_texts(context.graph, kind, owner, BEGINNING, after, PAGE)

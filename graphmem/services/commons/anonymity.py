"""Texts for a team, which identify no person."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from graphmem.domain.notes import EntityDraft, Kind, Note
from graphmem.domain.promotion import TeamText
from graphmem.domain.teams import Team
from graphmem.errors import Invalid
from graphmem.language.anonymisation import (
    Read,
    anonymise,
    identifies_person,
    is_in_doubt,
    visible_text,
)
from graphmem.language.reflection_text import skill_name
from graphmem.services.context import Access, Context
from graphmem.store import promotion as store
from graphmem.store.teams import read_mates

T = TypeVar("T")
IN_DOUBT = "the text may still tell of somebody: give a content that does not, in person"


async def team_text_of(
    context: Context, access: Access, team: Team, note: Note, content: str | None
) -> TeamText:
    """Return the text for a team, without anything about a person.

    It is the note's text made anonymous, or a given one that has to be. A procedure also gets the
    name of its skill. Raises Invalid.
    """
    if content is not None:
        content = await check_names_nobody(context, access, team, content, note)
    names = await _load_names(context, access, team, note)

    def without(text: str, read: Read) -> str:
        return _check_anonymous(
            anonymise(visible_text(text), read, names), read, names, trusted=False
        )

    def work(read: Read) -> TeamText:
        text = without(note.content, read) if content is None else content
        if note.kind is not Kind.PROCEDURAL:
            return TeamText(content=text)
        try:
            title = without(note.title, read) if note.title else None
        except Invalid:  # then the first words of the text, which are about nobody
            title = None
        return TeamText(content=text, title=skill_name(replace(note, content=text, title=title)))

    return await _run_reading(context, work)


async def check_names_nobody(
    context: Context, access: Access, team: Team, content: str, note: Note | None = None
) -> str:
    """Check that a text for a team is about no person, nor about anybody whom its note names.

    In doubt it is refused: only a user in person decides that nothing else in it is. Raises
    Invalid.
    """
    names = await _load_names(context, access, team, note)
    trusted = access.viewer.in_person
    return await _run_reading(
        context, lambda read: _check_anonymous(visible_text(content), read, names, trusted=trusted)
    )


def _check_anonymous(text: str, read: Read, names: Sequence[str], *, trusted: bool) -> str:
    found = identifies_person(text, read, names)
    if found is not None:
        raise Invalid(f"the content still holds a {found} of somebody")
    if not trusted and is_in_doubt(text, read):
        raise Invalid(IN_DOUBT)
    return text


async def _run_reading(context: Context, work: Callable[[Read], T]) -> T:
    """Do work that reads texts, away from the event loop."""
    now = context.clock()

    def read(text: str) -> Iterable[EntityDraft]:
        found = context.extractor(text, title=None, speaker=None, occurred_at=None, now=now)
        return found.entities

    return await context.texts.run(lambda _: work(read))


async def _load_names(context: Context, access: Access, team: Team, note: Note | None) -> list[str]:
    """Return the people that the note mentions, and the ids and names of the team's members."""
    people: list[str] = []
    if note is not None:
        people = await store.people_of(context.graph, note.id, access.by_name, context.clock())
    mates = await read_mates(context.graph, team.members, [team.id])
    return [*people, *team.members, *(each.name for each in mates.values()), access.viewer.user]

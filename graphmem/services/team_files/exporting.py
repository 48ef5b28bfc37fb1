"""Exports what a team owns, for a member in person, who may read all of it.

It is read in pages, each with the rights of that moment. A line holds what the member is shown of
the thing by any other answer: no agents of others, nor who used a skill.
"""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final, TypeVar

from graphmem.domain.commons import MAX_ENTRIES, BoardEntry, Knowledge, Skill, Sop
from graphmem.domain.owners import Owner
from graphmem.domain.portable import FORMAT, VERSION
from graphmem.domain.team_files import Kind
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Section
from graphmem.services.commons import knowledge, team_skills
from graphmem.services.commons.shared import keys_of, team_of
from graphmem.services.context import Access, Context, Reopen, require_in_person
from graphmem.store import board as board_store
from graphmem.store import commons as store
from graphmem.store import exporting as note_store

Line = dict[str, Any]
Loaded = TypeVar("Loaded")
PAGE: Final = 200  # standard procedures


async def export_team(context: Context, reopen: Reopen, team: str) -> AsyncGenerator[Line]:
    """Yield what a team owns, with a header first and the counts last.

    Not in it: proposals, earlier texts, and what was made of a note that its owner has put away.
    Raises what `reopen` raises, Forbidden for an agent, and NotFound for a team that the user is
    not in, also where the user leaves it meanwhile.
    """
    access, found = await open_team(context, reopen, team)
    yield {
        "record": Kind.HEADER,
        "format": FORMAT,
        "version": VERSION,
        "graphmem": version("graphmem"),
        "team": found.id,
        "name": found.name,
        "user": access.viewer.user,
        "at": context.clock().isoformat(),
    }
    counts: Counter[str] = Counter()
    async for line in read_commons(context, reopen, team):
        counts[line["record"]] += 1
        yield line
    yield {"record": Kind.END, "counts": dict(sorted(counts.items()))}


async def open_team(context: Context, reopen: Reopen, team: str) -> tuple[Access, Team]:
    """Return the access of a member in person, and the team. Raises Forbidden and NotFound."""
    access = await reopen()
    require_in_person(access, "the file of a team")
    return access, await team_of(context, access, team)


async def read_commons(context: Context, reopen: Reopen, team: str) -> AsyncIterator[Line]:
    """Yield a line for each thing that a team owns. Raises as `export_team`."""
    for lines in (_sops, _skills, _knowledge, _posts):
        async for line in lines(context, reopen, team):
            yield line


async def _sops(context: Context, reopen: Reopen, team: str) -> AsyncIterator[Line]:
    after, page = "", list[Sop]()
    while not after or len(page) == PAGE:
        _, found = await open_team(context, reopen, team)
        owner = Owner(found.id, is_team=True).key
        page = await store.list_sops(context.graph, owner, after=after, limit=PAGE)
        for sop in page:
            yield {
                "record": Kind.SOP,
                "domain": sop.domain,
                "content": sop.content,
                "version": sop.version,
                "updatedAt": sop.updated_at.isoformat(),
            }
        if not page:
            return
        after = page[-1].domain


async def _skills(context: Context, reopen: Reopen, team: str) -> AsyncIterator[Line]:
    async for skill in _notes(context, reopen, team, Section.SKILLS, team_skills.load):
        yield _skill_line(skill)


def _skill_line(skill: Skill) -> Line:
    return {
        "record": Kind.SKILL,
        "id": skill.id,
        "name": skill.name,
        "procedure": skill.procedure,
        "trigger": skill.trigger,
        "tags": list(skill.tags),
        "version": skill.version,
        "successCount": skill.success_count,
        "failureCount": skill.failure_count,
    }


async def _knowledge(context: Context, reopen: Reopen, team: str) -> AsyncIterator[Line]:
    async for known in _notes(context, reopen, team, Section.KNOWLEDGE, knowledge.load):
        yield _knowledge_line(known)


def _knowledge_line(known: Knowledge) -> Line:
    return {
        "record": Kind.KNOWLEDGE,
        "id": known.id,
        "content": known.content,
        "domain": known.domain,
        "confidence": known.confidence,
        "version": known.version,
        "source": known.source_user,
        "verifiedBy": list(known.verified_by),
    }


async def _notes(
    context: Context,
    reopen: Reopen,
    team: str,
    section: Section,
    load: Callable[[Context, Access, Sequence[str]], Awaitable[Mapping[str, Loaded]]],
) -> AsyncIterator[Loaded]:
    """Yield a team's notes of a section as they are loaded, oldest first, read page by page."""
    place = note_store.BEFORE_ALL
    while True:
        access, found = await open_team(context, reopen, team)
        keys = _keys_of_team(access, found, section)
        ids, place = await note_store.note_ids(context.graph, keys, place, context.clock())
        loaded = await load(context, access, ids) if ids else {}
        for note in ids:
            if note in loaded:
                yield loaded[note]
        if len(ids) < note_store.PAGE:
            return


def _keys_of_team(access: Access, team: Team, section: Section) -> list[str]:
    owner = Owner(team.id, is_team=True).key
    return [key for key in keys_of(access, section) if key.startswith(f"{owner}/")]


async def _posts(context: Context, reopen: Reopen, team: str) -> AsyncIterator[Line]:
    access, found = await open_team(context, reopen, team)
    for key in _keys_of_team(access, found, Section.BOARD):
        await open_team(context, reopen, team)  # a member who has left it gets nothing more
        entries = await board_store.list_entries(
            context.graph, [key], team=found.id, scope=None, prefix="", limit=MAX_ENTRIES
        )
        for entry in entries:
            yield _post_line(entry)


def _post_line(entry: BoardEntry) -> Line:
    return {
        "record": Kind.POST,
        "scope": entry.scope,
        "key": entry.key,
        "value": entry.value,
        "version": entry.version,
        "updatedAt": entry.updated_at.isoformat(),
    }

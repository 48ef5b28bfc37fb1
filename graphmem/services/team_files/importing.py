"""Brings what a file holds of a team's commons back into a team, as a member in person may.

It makes what is missing and changes nothing that is there. Nothing comes into the team in another
way than by hand: skills and posts are added as any member adds them, standard procedures as the
lead sets them, and knowledge is proposed, since somebody else decides what the team knows.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, assert_never

from graphmem.domain.actors import INIT
from graphmem.domain.commons import SKILL_DOMAIN
from graphmem.domain.drafts import MAX_KEY, check_text
from graphmem.domain.ids import check_domain, name_key
from graphmem.domain.notes import MAX_CONTENT, Kind, Note, NoteDraft, Operation, WriteMode
from graphmem.domain.owners import Owner
from graphmem.domain.promotion import PROMOTABLE
from graphmem.domain.team_files import (
    Given,
    GivenKnowledge,
    GivenPost,
    GivenSkill,
    GivenSop,
    parse_line,
)
from graphmem.domain.team_files import Kind as LineKind
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Section, Visibility, rule_for, team_audience
from graphmem.errors import Conflict, GraphmemError, Invalid, NotFound, Stale, Unavailable
from graphmem.services.actors import reopen_access
from graphmem.services.commons.anonymity import check_names_nobody
from graphmem.services.commons.board import post_board
from graphmem.services.commons.commons import set_sop
from graphmem.services.commons.shared import decides_for_team
from graphmem.services.commons.team_skills import add_skill
from graphmem.services.context import Access, Context, Reopen
from graphmem.services.forgetting.forgetting import forget_notes
from graphmem.services.importing.importing import Skipped
from graphmem.services.importing.portable.importing import MAX_SKIPPED
from graphmem.services.importing.portable.reading import read_header, read_objects
from graphmem.services.promotion.proposing import propose_knowledge
from graphmem.services.team_files.exporting import open_team, read_commons
from graphmem.services.writing.quarantine import why_refused
from graphmem.services.writing.remember import remember_many
from graphmem.services.writing.rights import strings_in
from graphmem.services.writing.secrets import redact
from graphmem.store import board as board_store
from graphmem.store import commons as store

LEAD_ONLY: Final = "a team's procedures are set by its lead or an orchestrator"


@dataclass
class TeamImported:
    """The counts of an import by kind: made, proposed to the team, and there already."""

    team: str
    created: Counter[str] = field(default_factory=Counter)
    proposed: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    complete: bool = False  # True once the end of the file was read


async def import_team(
    context: Context,
    reopen: Reopen,
    path: Path,
    team: str | None = None,
    *,
    dry: bool = False,
    progress: Callable[[int], None] = lambda lines: None,
) -> TeamImported:
    """Bring the things of a file into a team: the one that the file is of, or another one.

    `dry`: only report what would be done. A line that is refused is named and changes nothing.
    Raises Forbidden for an agent, NotFound for a team that the user is not in, Invalid for a file
    that is no team's, Unavailable.
    """
    header = read_header(path)
    if header.team is None:
        raise Invalid("the file holds the memory of a user, not the commons of a team")
    run = _Run(context, reopen, team or header.team, dry=dry)
    await run.open()
    for number, line in read_objects(path):
        if line is not None and line.get("record") == LineKind.END:
            run.done.complete = True
            break
        await run.take(number, line)
        progress(1)
    return run.done


class _Run:
    """One import."""

    def __init__(self, context: Context, reopen: Reopen, team: str, *, dry: bool) -> None:
        self._context, self._reopen, self._team, self._dry = context, reopen, team, dry
        self._known: set[str] = set()  # the marks of what the team knows
        self.done = TeamImported(team=team)

    async def open(self) -> None:
        """Check who asks, and find out what the team knows."""
        await self._open()
        async for line in read_commons(self._context, self._reopen, self._team):
            given = parse_line(line)
            if isinstance(given, GivenKnowledge):
                self._known.add(given.mark)

    async def _open(self) -> tuple[Access, Team]:
        return await open_team(self._context, self._reopen, self._team)

    async def take(self, number: int, line: dict[str, Any] | None) -> None:
        """Bring what a line holds into the team, or say why not."""
        access, team = await self._open()  # whoever has left the team brings nothing more
        try:
            if line is None:
                raise Invalid("no JSON object")
            clean, _ = redact(line, self._context.writing.secrets)
            given = parse_line(clean)
            reason = why_refused(_texts_of(given))
            if reason is not None:
                raise Invalid(reason)
            await self._bring(access, team, given)
        except Unavailable:
            raise
        except GraphmemError as error:
            self.done.refused += 1
            if len(self.done.skipped) < MAX_SKIPPED:
                self.done.skipped.append(Skipped(f"line {number}", error.message))

    async def _bring(self, access: Access, team: Team, given: Given) -> None:
        match given:
            case GivenSop():
                await self._set_sop(access, team, given)
            case GivenSkill():
                await self._add_skill(access, team, given)
            case GivenPost():
                await self._post(access, team, given)
            case GivenKnowledge():
                await self._propose(access, team, given)
            case _:
                assert_never(given)

    async def _set_sop(self, access: Access, team: Team, given: GivenSop) -> None:
        owner, domain = Owner(team.id, is_team=True).key, check_domain(given.domain)
        content = check_text(given.content, "content", MAX_CONTENT)
        version, _, _ = await store.sop_standing(self._context.graph, owner, domain)
        if version > 0:
            self.done.there[LineKind.SOP] += 1
            return
        if not decides_for_team(access.viewer, team):
            raise Invalid(LEAD_ONLY)
        if not self._dry:
            await set_sop(self._context, access, domain, content, team.id)
        self.done.created[LineKind.SOP] += 1

    async def _add_skill(self, access: Access, team: Team, given: GivenSkill) -> None:
        audience = team_audience(team.id, Section.SKILLS, SKILL_DOMAIN)
        name = check_text(given.name, "name", MAX_CONTENT)
        now, graph = self._context.clock(), self._context.graph
        owner, key = audience.owner.name, name_key(name)
        if await store.find_skill(graph, owner, key, [audience.key], now):
            self.done.there[LineKind.SKILL] += 1
            return
        if not self._dry:
            await add_skill(
                self._context, access, team.id, name, given.procedure, given.trigger, given.tags
            )
        self.done.created[LineKind.SKILL] += 1

    async def _post(self, access: Access, team: Team, given: GivenPost) -> None:
        scope, key = check_domain(given.scope), check_text(given.key, "key", MAX_KEY).strip()
        audience = team_audience(team.id, Section.BOARD, scope)
        place = await board_store.read_place(self._context.graph, team.id, scope, key, audience)
        if place.entry is not None:
            self.done.there[LineKind.POST] += 1
            return
        if not self._dry:
            await post_board(
                self._context,
                access,
                key,
                given.value,
                scope=scope,
                team=team.id,
                expected_version=0,  # whoever posts there meanwhile is not overwritten
            )
        self.done.created[LineKind.POST] += 1

    async def _propose(self, access: Access, team: Team, given: GivenKnowledge) -> None:
        """Make a note of the importing user, and propose it: that is how a team comes to know."""
        domain = check_domain(given.domain)
        content = check_text(given.content, "content", MAX_CONTENT)
        if given.mark in self._known:
            self.done.there[LineKind.KNOWLEDGE] += 1
            return
        if (rule_for(domain, access.rules) or Visibility.SCOPED) not in PROMOTABLE:
            raise Invalid("a rule of yours keeps the domain from others")
        content = await check_names_nobody(self._context, access, team, content)
        if not self._dry:
            note, new = await self._remember(access, team, given.mark, content, domain)
            access = await reopen_access(self._context, access)  # with the audience of the note
            try:
                await propose_knowledge(
                    self._context, access, note.id, domain=domain, content=content, team=team.id
                )
            except Stale:
                raise
            except Conflict:  # proposed before, or known by now
                self.done.there[LineKind.KNOWLEDGE] += 1
                return
            except GraphmemError:
                if new:
                    await forget_notes(
                        self._context, access, [note], permanent=True, reason="not proposed"
                    )
                raise
        self.done.proposed[LineKind.KNOWLEDGE] += 1

    async def _remember(
        self, access: Access, team: Team, mark: str, content: str, domain: str
    ) -> tuple[Note, bool]:
        """Return the note of what is to be proposed, and whether it is new."""
        draft = NoteDraft(
            content=content,
            domain=domain,
            kind=Kind.SEMANTIC,
            visibility=rule_for(domain, access.rules) or Visibility.SCOPED,
            external_id=f"team:{team.id}:{mark}",
        )
        importer = replace(access, viewer=replace(access.viewer, acting_as=INIT))
        drafts = [(draft, WriteMode.VERBATIM)]
        [made] = await remember_many(self._context, importer, drafts)
        if made.error is not None:
            raise made.error
        if made.note is None:
            raise NotFound("its note can't be read")
        return made.note, made.operation is Operation.ADD


def _texts_of(given: Given) -> list[str]:
    match given:
        case GivenSop():
            return [given.content]
        case GivenSkill():
            texts = (given.name, given.procedure, given.trigger or "", *given.tags)
            return [*texts, "\n".join(texts)]
        case GivenPost():
            return [given.key, *strings_in(given.value)]
        case GivenKnowledge():
            return [given.content]
        case _:
            assert_never(given)

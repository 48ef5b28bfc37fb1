"""The commons: knowledge, skills, standard procedures, the board, experts."""

from dataclasses import dataclass
from typing import Annotated

from graphmem.domain.commons import BoardEntry, Sop
from graphmem.domain.fields import Between, Domain, Id, Json, Name
from graphmem.domain.visibility import WHOLE_TEAM
from graphmem.operations.command import Change, Command
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.commons import Knowledge, Skill, knowledge_of, skill_of
from graphmem.services.commons import board, commons, knowledge, skills, team_skills
from graphmem.services.reading.notes import MAX_PAGE
from graphmem.services.recall.request import MAX_K


@dataclass(frozen=True, kw_only=True)
class ListKnowledge(Command[list[Knowledge]]):
    """The knowledge of the viewer's teams about a topic, best first; empty without a team."""

    topic: str
    domain: Domain | None = None
    k: Annotated[int, Between(1, MAX_K)] = 10
    role: str | None = None
    """only what is for an agent, by its id, besides what you may read yourself: what the team knows
    in its domains, and nothing for one that is not there; a role such as `worker` excludes
    nothing"""

    async def run(self, operation: Operation) -> list[Knowledge]:
        """Search for it."""
        found = await knowledge.search(
            operation.service, operation.access, self.topic, self.domain, self.k, role=self.role
        )
        return [knowledge_of(each) for each in found]


@dataclass(frozen=True, kw_only=True)
class VerifyKnowledge(Change[Knowledge]):
    """Say, as a member of its team and in person, that an entry of its knowledge is right, or, with
    `right: false`, no longer say so."""

    id: Id
    right: bool = True
    expected_version: int | None = None
    """the version that was read; with another one by now it is a `CONFLICT`"""

    async def run(self, operation: Operation) -> Knowledge:
        """Note it."""
        done = await knowledge.verify(
            operation.service,
            operation.access,
            self.id,
            right=self.right,
            expected_version=self.expected_version,
        )
        return knowledge_of(done)


@dataclass(frozen=True, kw_only=True)
class ReviseKnowledge(Change[Knowledge]):
    """Propose another text for an entry of a team's knowledge, as an orchestrator, or in person as
    the team's lead or as the owner of the note it came from. It counts once that owner, in person,
    and somebody else who decides for the team have consented; who verified the old text has to
    verify the new one."""

    id: Id
    content: str
    expected_version: int | None = None

    async def run(self, operation: Operation) -> Knowledge:
        """Propose it."""
        done = await knowledge.revise(
            operation.service, operation.access, self.id, self.content, self.expected_version
        )
        return knowledge_of(done)


@dataclass(frozen=True, kw_only=True)
class WithdrawKnowledge(Change[bool]):
    """Remove an entry from a team's knowledge, or a skill from its library: as the owner of the
    note it came from, in person, as the team's lead, or as an orchestrator. Its text is destroyed
    there; the note that it came from stays."""

    id: Id
    reason: str | None = None

    async def run(self, operation: Operation) -> bool:
        """Remove it."""
        return await knowledge.withdraw(operation.service, operation.access, self.id, self.reason)


@dataclass(frozen=True, kw_only=True)
class ListSkills(Command[list[Skill]]):
    """Skills that fit a search, or the most trusted, with all of the tags."""

    search: str | None = None
    tags: tuple[str, ...] | None = None
    first: Annotated[int, Between(1, MAX_PAGE)] = 20

    async def run(self, operation: Operation) -> list[Skill]:
        """Read them."""
        found = await skills.list_skills(
            operation.service, operation.access, self.search, self.tags, self.first
        )
        return [skill_of(each, operation) for each in found]


@dataclass(frozen=True, kw_only=True)
class GetSop(Command[Sop | None]):
    """The standard procedure of a domain, else that of the nearest domain above; your own before
    that of a team."""

    domain: Domain

    async def run(self, operation: Operation) -> Sop | None:
        """Read it."""
        return await commons.get_sop(operation.service, operation.access, self.domain)


@dataclass(frozen=True, kw_only=True)
class ListBoard(Command[list[BoardEntry]]):
    """The entries on the boards of the viewer's teams: of all teams or one, of all scopes or one,
    with keys that begin with a prefix. Empty without a team."""

    scope: str | None = None
    prefix: str | None = None
    team: Name | None = None
    first: Annotated[int, Between(1, board.MAX_PAGE)] = 100

    async def run(self, operation: Operation) -> list[BoardEntry]:
        """Read it."""
        return await board.list_board(
            operation.service,
            operation.access,
            team=self.team,
            scope=self.scope,
            prefix=self.prefix,
            first=self.first,
        )


@dataclass(frozen=True, kw_only=True)
class PostBoard(Change[BoardEntry]):
    """Post an entry on a team's board under a key of a scope: `team`, an agent's id or a domain. To
    change what somebody else posted, give the version that you have read: if it has another one by
    now, it is a `CONFLICT`. Orchestrators and members in person need not."""

    key: str
    value: Json
    scope: str = WHOLE_TEAM
    expected_version: int | None = None
    team: Name | None = None

    async def run(self, operation: Operation) -> BoardEntry:
        """Post it."""
        return await board.post_board(
            operation.service,
            operation.access,
            self.key,
            self.value,
            scope=self.scope,
            team=self.team,
            expected_version=self.expected_version,
        )


@dataclass(frozen=True, kw_only=True)
class RemoveFromBoard(Change[bool]):
    """Remove an entry from a team's board. To remove what somebody else posted, give the version
    that you have read: if it has another one by now, it is a `CONFLICT`. Orchestrators and members
    in person need not."""

    key: str
    scope: str = WHOLE_TEAM
    expected_version: int | None = None
    team: Name | None = None

    async def run(self, operation: Operation) -> bool:
        """Remove it."""
        return await board.remove_entry(
            operation.service,
            operation.access,
            self.key,
            scope=self.scope,
            team=self.team,
            expected_version=self.expected_version,
        )


@dataclass(frozen=True, kw_only=True)
class AddSkill(Change[Skill]):
    """Add a skill to your own or a team's library, or a new version of the one with this name. Its
    uses are counted from zero. If somebody else wrote the team's skill, or two people agreed on it,
    the version is a proposal: the answer is the unchanged skill, with the proposal."""

    name: str
    procedure: str
    trigger: str | None = None
    tags: tuple[str, ...] | None = None
    team: Name | None = None

    async def run(self, operation: Operation) -> Skill:
        """Add it."""
        if self.team is not None:
            added = await team_skills.add_skill(
                operation.service,
                operation.access,
                self.team,
                self.name,
                self.procedure,
                self.trigger,
                self.tags,
            )
            return skill_of(added, operation)
        made = await skills.add_skill(
            operation.service,
            operation.access,
            self.name,
            self.procedure,
            self.trigger,
            self.tags,
        )
        return skill_of(made, operation)


@dataclass(frozen=True, kw_only=True)
class ReportSkill(Change[Skill]):
    """Count a use of a skill."""

    id: Id
    success: bool
    version: int | None = None
    """the version that was used; with another one by now it is a `CONFLICT`"""

    async def run(self, operation: Operation) -> Skill:
        """Count it."""
        done = await team_skills.report_skill(
            operation.service, operation.access, self.id, self.success, self.version
        )
        return skill_of(done, operation)


@dataclass(frozen=True, kw_only=True)
class SetSop(Change[Sop]):
    """Set the standard procedure of a domain, your own or, as its lead or an orchestrator, that of
    a team; its earlier text stays in the graph."""

    domain: Domain
    content: str
    team: Name | None = None

    async def run(self, operation: Operation) -> Sop:
        """Set it."""
        return await commons.set_sop(
            operation.service, operation.access, self.domain, self.content, self.team
        )

"""The commons: knowledge, skills, standard procedures, the board, experts."""

from dataclasses import dataclass
from typing import Annotated, Never

from graphmem.domain.commons import Sop
from graphmem.operations.command import Change, Command
from graphmem.operations.fields import Between, Id
from graphmem.operations.operation import Operation
from graphmem.operations.presenters.commons import Skill, skill_of
from graphmem.services.commons import commons, skills
from graphmem.services.reading.notes import MAX_PAGE
from graphmem.services.recall.recall import MAX_K


@dataclass(frozen=True, kw_only=True)
class ListKnowledge(Command[list[Never]]):
    """What the viewer's teams know of a topic; empty without a team."""

    topic: str
    domain: str | None = None
    k: Annotated[int, Between(1, MAX_K)] = 10

    async def run(self, operation: Operation) -> list[Never]:
        """Read it."""
        return commons.list_knowledge(self.topic, self.domain)


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
        return [skill_of(each) for each in found]


@dataclass(frozen=True, kw_only=True)
class GetSop(Command[Sop | None]):
    """The standard procedure of a domain, else that of the nearest domain above."""

    domain: str

    async def run(self, operation: Operation) -> Sop | None:
        """Read it."""
        return await commons.get_sop(operation.service, operation.access, self.domain)


@dataclass(frozen=True, kw_only=True)
class ListBoard(Command[list[Never]]):
    """What the viewer's teams posted; empty without a team."""

    scope: str | None = None
    prefix: str | None = None

    async def run(self, operation: Operation) -> list[Never]:
        """Read it."""
        return commons.list_board(self.scope, self.prefix)


@dataclass(frozen=True, kw_only=True)
class AddSkill(Change[Skill]):
    """Add a skill, or a new version of the one with this name."""

    name: str
    procedure: str
    trigger: str | None = None
    tags: tuple[str, ...] | None = None

    async def run(self, operation: Operation) -> Skill:
        """Add it."""
        made = await skills.add_skill(
            operation.service,
            operation.access,
            self.name,
            self.procedure,
            self.trigger,
            self.tags,
        )
        return skill_of(made)


@dataclass(frozen=True, kw_only=True)
class ReportSkill(Change[Skill]):
    """Count a use of a skill."""

    id: Id
    success: bool

    async def run(self, operation: Operation) -> Skill:
        """Count it."""
        done = await skills.report_skill(operation.service, operation.access, self.id, self.success)
        return skill_of(done)


@dataclass(frozen=True, kw_only=True)
class SetSop(Change[Sop]):
    """Set the standard procedure of a domain; its text before stays in the graph."""

    domain: str
    content: str

    async def run(self, operation: Operation) -> Sop:
        """Set it."""
        return await commons.set_sop(operation.service, operation.access, self.domain, self.content)

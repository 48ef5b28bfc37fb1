"""Who may read: of a note or a domain, the rules of a user, and the default."""

from dataclasses import dataclass

from graphmem.domain.actors import User
from graphmem.domain.fields import Domain, Id
from graphmem.domain.visibility import Visibility
from graphmem.operations.command import Change
from graphmem.operations.operation import Operation
from graphmem.services import actors
from graphmem.services.writing import rules, visibility
from graphmem.services.writing.visibility import VisibilityChange


@dataclass(frozen=True, kw_only=True)
class SetVisibility(Change[VisibilityChange]):
    """Set who may read a note, or the present and future notes of a domain."""

    visibility: Visibility
    id: Id | None = None
    domain: Domain | None = None

    async def run(self, operation: Operation) -> VisibilityChange:
        """Change it."""
        return await visibility.set_visibility(
            operation.service, operation.access, self.id, self.domain, self.visibility
        )


@dataclass(frozen=True, kw_only=True)
class RemoveVisibilityRule(Change[User]):
    """Remove the visibility rule of a domain. Notes that are there keep their readers; later ones
    follow the rule of a domain above it, or the default."""

    domain: Domain

    async def run(self, operation: Operation) -> User:
        """Remove it."""
        await rules.remove_rule(operation.service, operation.access, self.domain)
        return await _user_of(operation)


@dataclass(frozen=True, kw_only=True)
class SetDefaultVisibility(Change[User]):
    """Set the visibility of later notes whose visibility neither a rule nor their text decides."""

    visibility: Visibility

    async def run(self, operation: Operation) -> User:
        """Set it."""
        await rules.set_default_visibility(operation.service, operation.access, self.visibility)
        return await _user_of(operation)


async def _user_of(operation: Operation) -> User:
    """Return the viewer's user as it is now."""
    await operation.refresh()
    user = operation.access.viewer.user
    return (await actors.load_users(operation.service, operation.access, [user]))[user]

"""The audiences that may be used to answer a viewer's question about who knows what."""

from dataclasses import dataclass

from graphmem.domain.visibility import Audience, Reading, Visibility, may_read
from graphmem.services.context import Access, Context
from graphmem.store.sharing import shared_audiences


@dataclass(frozen=True, kw_only=True)
class AnswerAudiences:
    """The audiences that a viewer reads, and those that members of its teams shared with them.

    Nothing else ever contributes to an answer about who knows what.
    """

    own: tuple[Audience, ...]
    shared: tuple[Audience, ...]

    @property
    def audiences(self) -> tuple[Audience, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.own, *self.shared)))

    @property
    def keys(self) -> tuple[str, ...]:
        """Their keys, sorted."""
        return tuple(sorted(audience.key for audience in self.audiences))

    def shared_by(self, user: str) -> tuple[Audience, ...]:
        """Return the audiences that a user shared."""
        return tuple(audience for audience in self.shared if audience.owner.id == user)


async def load_answer_audiences(context: Context, access: Access) -> AnswerAudiences:
    """Return the audiences that may be used for an answer to the viewer (DIFF-26).

    They are those that it reads unasked, except the local memory of sessions, and the OPEN and
    SCOPED notes of domains that a member shared with a team of both.
    """
    own = tuple(
        audience
        for audience in access.audiences
        if audience.section is not Visibility.LOCAL
        and may_read(access.viewer, audience, Reading.AUTOMATIC)
    )
    viewer = access.viewer
    shared = await shared_audiences(context.graph, viewer.user, viewer.teams, context.clock())
    return AnswerAudiences(own=own, shared=shared)

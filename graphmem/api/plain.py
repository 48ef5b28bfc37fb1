"""Object types that refer to no others."""

from datetime import datetime

import strawberry

from graphmem.api.enums import Visibility
from graphmem.api.scalars import JSON
from graphmem.domain import notes


@strawberry.type
class Revision:
    """A state of a note's text."""

    version: int
    at: datetime
    actor: str
    content: str
    changes: JSON


@strawberry.type
class VisibilityRule:
    """The visibility of new notes of a domain and below."""

    domain: str
    visibility: Visibility


def revision_of(revision: notes.Revision) -> Revision:
    """A revision."""
    return Revision(
        version=revision.version,
        at=revision.at,
        actor=revision.actor,
        content=revision.content,
        changes=JSON(revision.changes),
    )

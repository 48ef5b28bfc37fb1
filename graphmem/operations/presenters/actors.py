"""The viewer who asks."""

from dataclasses import dataclass

from graphmem.domain.actors import Agent, User


@dataclass(frozen=True, kw_only=True)
class Viewer:
    """The caller, and the number of audiences with notes that they may read."""

    user: User | None
    agent: Agent | None
    admin: bool
    audiences: int

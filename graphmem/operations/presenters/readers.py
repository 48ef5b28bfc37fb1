"""The readers of a note, and the reasons."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.domain.actors import Agent
from graphmem.domain.ids import is_within
from graphmem.domain.notes import Note
from graphmem.domain.owners import Owner
from graphmem.domain.promotion import PROMOTABLE
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.visibility import why_read


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of a note: an agent, the members of a team, or, without either, the user in
    person."""

    agent: Agent | None = None
    team_id: str | None = None
    reason: str


def readers_with_reasons(
    note: Note, agents: Sequence[Agent], shared: Sequence[SharedDomain]
) -> list[Reader]:
    """Return the user, those agents that read the note, and the teams with whom its domain is
    shared."""
    owner = Owner.named(note.user)
    if owner.is_team:
        return [Reader(team_id=owner.id, reason="the team knows it")]
    audience = note.audience
    found = [Reader(reason="it is the user's own")]
    for agent in agents:
        if (reason := why_read(agent, audience)) is not None:
            found.append(Reader(agent=agent, reason=reason))
    for each in shared if note.visibility in PROMOTABLE else ():
        if is_within(note.domain, each.domain):
            until = f" until {each.expires_at:%Y-%m-%d %H:%M} UTC" if each.expires_at else ""
            reason = f"the user shares {each.domain} with the team{until}: consult reads it"
            found.append(Reader(team_id=each.team, reason=reason))
    return found

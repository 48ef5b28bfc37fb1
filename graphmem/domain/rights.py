"""The rights of agents over notes whose readers their user chose.

A user chooses the readers of a note in three ways: by the rule of a domain, by a visibility set
by hand (a mark), and by sharing a domain with a team. Whatever an agent does to a note, it adds
no reader beyond what these allow at the place where the note was."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.actors import Viewer
from graphmem.domain.ids import is_within
from graphmem.domain.notes import Note
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.visibility import (
    IN_PERSON,
    Audience,
    Visibility,
    audience_of,
    derive_audience,
    may_change,
    rule_for,
)

SHARED = (Visibility.OPEN, Visibility.SCOPED)  # visible to a team in a shared domain


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of a note and what its user decided there.

    `teams` are the teams that the domain is shared with, each with the end of the share (None:
    until it is revoked)."""

    audience: Audience
    rule: Visibility | None = None
    marked: bool = False  # the user gave this note its visibility
    teams: Mapping[str, datetime | None] = field(default_factory=dict)

    @property
    def bounds(self) -> list[Audience]:
        """The readers that the user allowed here, once for each decision.

        Nobody else may get it from an agent."""
        bounds = [self.audience] if self.marked else []
        return (
            bounds if self.rule is None else [*bounds, _audience_by_rule(self.audience, self.rule)]
        )


def place_of(
    audience: Audience,
    rules: Mapping[str, Visibility],
    shares: list[SharedDomain],
    *,
    marked: bool = False,
) -> Place:
    """Return the place of a note of a user with these rules and shares."""
    return Place(
        audience=audience,
        rule=rule_for(audience.domain, rules),
        marked=marked,
        teams=_find_teams(audience, shares),
    )


def _find_teams(audience: Audience, shares: list[SharedDomain]) -> dict[str, datetime | None]:
    """Return the teams that ask for notes of an audience.

    Of several shares with one team the longest counts."""
    found: dict[str, datetime | None] = {}
    if audience.section not in SHARED:
        return found
    for share in shares:
        if is_within(audience.domain, share.domain):
            lasts = _lasts_longer(share.expires_at, found.get(share.team, share.expires_at))
            found[share.team] = share.expires_at if lasts else found[share.team]
    return found


def _lasts_longer(one: datetime | None, other: datetime | None) -> bool:
    """Check whether the first share ends no sooner than the second; None never ends."""
    return one is None or (other is not None and one >= other)


def why_not_moved(viewer: Viewer, old: Place, new: Place) -> str | None:
    """Return why the viewer may not give a note the readers of another place.

    None if it may (DIFF-15). The user in person always may."""
    if viewer.agent is None:
        return None
    was, will_be = Visibility(old.audience.section), Visibility(new.audience.section)
    if not may_change(viewer, was, will_be):
        return "only the user may give this note more readers"
    return why_not_copied(viewer, old, new)


def why_not_copied(viewer: Viewer, old: Place, new: Place) -> str | None:
    """Return why the viewer may not give the text of a note to the readers of another place.

    None if it may."""
    if viewer.agent is None:
        return None
    agent = viewer.agent.id
    if not all(adds_no_reader(new.audience, bound, agent) for bound in old.bounds):
        return "the user decided who reads this; only the user may give it more readers"
    for team, until in new.teams.items():
        if team not in old.teams or not _lasts_longer(old.teams[team], until):
            return "only the user may bring this into a domain that is shared with a team"
    return None


def _audience_by_rule(audience: Audience, rule: Visibility) -> Audience:
    """Return the most readers that the rule of a note's domain allows."""
    author = None if audience.author == IN_PERSON else audience.author
    return audience_of(audience.owner.id, rule, audience.domain, author)


def adds_no_reader(new: Audience, bound: Audience, actor: str) -> bool:
    """Check whether everybody who reads `new` is one of those whom `bound` allows.

    Agents that may see private notes, by the user's grant, and the acting agent are not new
    readers."""
    match new.section, bound.section:
        case ((Visibility.USER_ONLY | Visibility.QUARANTINED), _):
            return True
        case Visibility.LOCAL, _:
            return new.author == actor
        case Visibility.PRIVATE, Visibility.USER_ONLY:
            return False
        case Visibility.PRIVATE, _:
            return new.author in (IN_PERSON, actor, bound.author) or (
                bound.section is Visibility.OPEN
            )
        case _:
            return derive_audience(new, bound) == new


def keeps_decision(old: Place, new: Place) -> bool:
    """Check whether a note that an agent moves must carry its user's decision along.

    It must if it leaves a rule; otherwise the next move or loan would ignore the decision."""
    ruled = old.rule is not None and old.rule is not Visibility.OPEN
    return ruled and old.audience.domain != new.audience.domain


def why_not_destroyed(viewer: Viewer, note: Note, *, by_hand: bool) -> str | None:
    """Return why the viewer may not destroy a note for good; None if it may.

    `by_hand`: the user has pinned or changed it."""
    if viewer.agent is None:
        return None
    if note.author is None:
        return "only the user may destroy what the user wrote"
    if note.pinned or note.load_bearing:
        return "only the user may destroy a note that is pinned or load-bearing"
    return "only the user may destroy what the user pinned or changed" if by_hand else None

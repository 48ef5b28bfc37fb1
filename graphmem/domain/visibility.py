"""Readers of a note: audiences, and the one function that decides who may read.

An audience is the key of one group of readers, a path that begins with the owner:

    u:<user>/OPEN/<domain>     u:<user>/PRIVATE/<author>/<domain>
    u:<user>/SCOPED/<domain>   u:<user>/USER_ONLY/<domain>
    u:<user>/LOCAL/<author>/<domain>
    u:<user>/QUARANTINED/<domain>
    t:<team>/<section>/<domain>

The author of a PRIVATE note is the id of an agent, or "~" for the user in person. LOCAL notes are
an agent's own, as long as its session is open. QUARANTINED ones seem to instruct agents, none of
which reads them until the user in person has looked. What a team owns
is in a section of its commons. A viewer is compiled into the list of audiences it may read, and
every search takes that list into the index.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from itertools import takewhile

from graphmem.domain.actors import ANYTHING, Agent, AgentRole, Viewer
from graphmem.domain.ids import digest, is_within
from graphmem.domain.owners import Owner

IN_PERSON = "~"
DEFAULT_DOMAIN = "general"
WHOLE_TEAM = "team"  # the board's scope for all agents of all members


class Visibility(StrEnum):
    """The agents of a user that may read a note."""

    OPEN = "OPEN"
    SCOPED = "SCOPED"
    PRIVATE = "PRIVATE"
    USER_ONLY = "USER_ONLY"
    LOCAL = "LOCAL"  # the local memory of an agent's session; nobody can choose it
    QUARANTINED = "QUARANTINED"  # for the user in person to look at; nobody can choose it


_BY_AUTHOR = (Visibility.PRIVATE, Visibility.LOCAL)


class Section(StrEnum):
    """A part of a team's commons; each is read by its own rule (MUMA 6.2 and 6.4)."""

    KNOWLEDGE = "knowledge"
    SKILLS = "skills"
    SOPS = "sops"
    BOARD = "board"


WIDEST_FIRST = (  # by the number of readers
    Visibility.OPEN,
    *Section,
    Visibility.SCOPED,
    Visibility.PRIVATE,
    Visibility.USER_ONLY,
    Visibility.QUARANTINED,
    Visibility.LOCAL,
)


class Reading(Enum):
    """The occasion of a read; it matters only for USER_ONLY notes."""

    BY_NAME = auto()  # by id, list or graph: the user sees USER_ONLY, agents don't
    AUTOMATIC = auto()  # recall and context: nobody sees USER_ONLY
    EXPLICIT = auto()  # recall with explicit: the user, and agents that can see private


@dataclass(frozen=True, kw_only=True)
class VisibilityRule:
    """The visibility of new notes of a domain and below."""

    domain: str
    visibility: Visibility


@dataclass(frozen=True, kw_only=True)
class Audience:
    """One group of readers, as registered in the graph.

    Notes of a user differ by their visibility, those of a team by the section of its commons."""

    owner: Owner
    section: Visibility | Section
    domain: str
    author: str = IN_PERSON  # counts for PRIVATE and LOCAL only

    @property
    def key(self) -> str:
        """The path that notes and relations hold."""
        author = f"{self.author}/" if self.section in _BY_AUTHOR else ""
        return f"{self.owner.key}/{self.section}/{author}{self.domain}"

    @property
    def token(self) -> str:
        """One word for the full-text index; ends in a digit so that no stemmer changes it."""
        return f"a{digest(self.key, 24)}0"


def readers_of(key: str) -> str:
    """Return a key that is equal for audiences with the same readers.

    All OPEN notes of a user have the same readers, and so have the PRIVATE notes of one author,
    the SCOPED notes of one domain, and a team's skills; the rest of a team's commons depends on
    the domain."""
    owner, section, rest = key.split("/", 2)
    match section:
        case Visibility.PRIVATE | Visibility.LOCAL:
            return f"{owner}/{section}/{rest.partition('/')[0]}"
        case Visibility.OPEN | Visibility.USER_ONLY | Visibility.QUARANTINED | Section.SKILLS:
            return f"{owner}/{section}"
        case _:
            return key


def in_quarantine(key: str) -> bool:
    """True for the key of an audience of texts that seem to instruct agents."""
    return key.partition("/")[2].partition("/")[0] == Visibility.QUARANTINED


def owner_token(owner: Owner) -> str:
    """Return the word that every note of the owner has in the full-text index."""
    return f"o{digest(owner.key, 24)}0"


def audience_of(
    user: str, visibility: Visibility, domain: str, author: str | None = None
) -> Audience:
    """Return the audience of a user's note.

    `author` is an agent's id, None for the user in person."""
    own = visibility in _BY_AUTHOR
    return Audience(
        owner=Owner(user),
        section=visibility,
        domain=domain,
        author=author or IN_PERSON if own else IN_PERSON,
    )


def team_audience(team: str, section: Section, domain: str) -> Audience:
    """Return the audience of a section and domain of a team's commons."""
    return Audience(owner=Owner(team, is_team=True), section=section, domain=domain)


def may_read(viewer: Viewer, audience: Audience, reading: Reading) -> bool:
    """Check whether the viewer may read notes of this audience.

    By MUMA 5.4.1, 5.4.3 and 6.4, and DIFF-16."""
    if audience.owner.is_team:
        return audience.owner.id in viewer.teams and _may_read_section(viewer.agent, audience)
    if audience.owner.id != viewer.user:
        return False
    agent = viewer.agent
    match audience.section:
        case Visibility.OPEN:
            return True
        case Visibility.SCOPED:
            return agent is None or in_domains(audience.domain, agent.domains)
        case Visibility.PRIVATE:
            return agent is None or agent.can_see_private or audience.author == agent.id
        case Visibility.USER_ONLY | Visibility.QUARANTINED:
            if agent is None:
                return reading is not Reading.AUTOMATIC
            asked = reading is Reading.EXPLICIT and agent.can_see_private
            return asked and audience.section is Visibility.USER_ONLY
        case Visibility.LOCAL:
            if agent is None:
                return reading is not Reading.AUTOMATIC
            return audience.author == agent.id
        case _:
            return False


def why_read(agent: Agent, audience: Audience) -> str | None:
    """Return in a few words why an agent reads notes of this audience of its user.

    None if it never does."""
    viewer = Viewer(user=audience.owner.id, agent=agent)
    if not may_read(viewer, audience, Reading.BY_NAME):
        asked = may_read(viewer, audience, Reading.EXPLICIT)
        return "it may see private notes, when it asks explicitly" if asked else None
    match audience.section:
        case Visibility.SCOPED:
            return f"it works in {audience.domain}"
        case Visibility.PRIVATE | Visibility.LOCAL:
            own = audience.author == agent.id
            return "it wrote the note" if own else "it may see private notes"
        case _:
            return "the note is open to all agents of the user"


def _may_read_section(agent: Agent | None, audience: Audience) -> bool:
    """Check whether a member, or a member's agent, may read this part of a team's commons.

    In person a member reads everything. Agents read all skills, knowledge and procedures of
    their domains, and on the board what is for the whole team, for themselves or their domains;
    an orchestrator reads the whole board."""
    if agent is None:
        return True
    match audience.section:
        case Section.SKILLS:
            return True
        case Section.KNOWLEDGE | Section.SOPS:
            return in_domains(audience.domain, agent.domains)
        case Section.BOARD:
            own = audience.domain in (WHOLE_TEAM, agent.id)
            whole = agent.role is AgentRole.ORCHESTRATOR
            return own or whole or in_domains(audience.domain, agent.domains)
        case _:
            return False


def in_domains(domain: str, domains: Iterable[str]) -> bool:
    """Check whether the domain is one of the list or lies below one; `*` includes every domain."""
    return any(own == ANYTHING or is_within(domain, own) for own in domains)


def default_domain(agent: Agent | None) -> str:
    """Return the domain of a note that neither its writer nor its text places.

    It is `general`, or the first domain of an agent that does not work there, so that its writer
    can read it again."""
    if agent is None or not agent.domains or in_domains(DEFAULT_DOMAIN, agent.domains):
        return DEFAULT_DOMAIN
    return agent.domains[0]


def readable_keys(
    viewer: Viewer,
    audiences: Iterable[Audience],
    reading: Reading,
    *,
    domain: str | None = None,
    visibilities: Iterable[Visibility] | None = None,
) -> tuple[str, ...]:
    """Return the sorted keys of those audiences that the viewer may read.

    They are narrowed to a domain and to visibilities; narrowing the list costs nothing in the
    index."""
    wanted = frozenset(visibilities) if visibilities is not None else None
    return tuple(
        sorted(
            audience.key
            for audience in audiences
            if may_read(viewer, audience, reading)
            and (domain is None or is_within(audience.domain, domain))
            and (wanted is None or audience.section in wanted)
        )
    )


def local_audiences(viewer: Viewer, audiences: Iterable[Audience]) -> tuple[Audience, ...]:
    """Return those of the audiences that are the local memory of the asking agent."""
    agent = viewer.agent
    return tuple(
        audience
        for audience in audiences
        if audience.section is Visibility.LOCAL and agent and audience.author == agent.id
    )


def rule_for(domain: str, rules: Mapping[str, Visibility]) -> Visibility | None:
    """Return the rule of the longest prefix of whole path parts (MUMA 5.4.2).

    None if no rule fits."""
    fitting = [prefix for prefix in rules if is_within(domain, prefix)]
    return rules[max(fitting, key=len)] if fitting else None


_OPENNESS = (
    Visibility.LOCAL,
    Visibility.QUARANTINED,
    Visibility.USER_ONLY,
    Visibility.PRIVATE,
    Visibility.SCOPED,
    Visibility.OPEN,
)


def narrower_visibility(one: Visibility, other: Visibility) -> Visibility:
    """Return the one of the two with fewer readers."""
    return min(one, other, key=_OPENNESS.index)


def wider_visibilities(visibility: Visibility) -> tuple[Visibility, ...]:
    """Return the visibilities with more readers."""
    return _OPENNESS[_OPENNESS.index(visibility) + 1 :]


def derive_audience(made: Audience, source: Audience) -> Audience | None:
    """Return the audience of a derived note when one of its sources has the readers `source`.

    Those are as many readers of `made` as may read that source, too. Both belong to a user. None
    if no audience has only such readers: an agent that can see private notes reads them in every
    domain, but scoped ones in its own domains alone, so neither kind is narrower."""
    match made.section, source.section:
        case old, new if old is new and old is not Visibility.SCOPED:
            return made if made.author in (IN_PERSON, source.author) else None
        case (
            (_, Visibility.OPEN)
            | (Visibility.USER_ONLY, Visibility.PRIVATE)
            | (
                Visibility.QUARANTINED,
                Visibility.PRIVATE | Visibility.SCOPED | Visibility.USER_ONLY,
            )
        ):
            return made
        case Visibility.OPEN, Visibility.SCOPED:
            return replace(made, section=source.section, domain=source.domain)
        case Visibility.OPEN | Visibility.PRIVATE, Visibility.PRIVATE | Visibility.USER_ONLY:
            return replace(made, section=source.section, author=IN_PERSON)
        case Visibility.SCOPED, Visibility.SCOPED:
            if is_within(source.domain, made.domain):
                return made
            shared = _shared_domain(made.domain, source.domain)
            return replace(made, domain=shared) if shared else None
        case _:
            return None


def _shared_domain(one: str, other: str) -> str:
    """Return the domain that contains both, so whoever reads it reads both.

    Empty if there is none."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return "/".join(part for part, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def resolve_visibility(
    *,
    domain: str,
    rules: Mapping[str, Visibility],
    by_user: Visibility | None = None,
    by_agent: Visibility | None = None,
    classified: Visibility | None = None,
    default: Visibility = Visibility.SCOPED,
) -> Visibility:
    """Return the visibility of a new note.

    Highest priority first: set by the user, domain rule, classification, default (MUMA 5.4.1).
    An agent's request counts as a classification, and under a domain rule may only narrow it
    (DIFF-15)."""
    if by_user is not None:
        return by_user
    rule = rule_for(domain, rules)
    if rule is not None:
        return narrower_visibility(rule, by_agent) if by_agent is not None else rule
    return by_agent or classified or default


def may_change(viewer: Viewer, old: Visibility, new: Visibility) -> bool:
    """Check whether the viewer may give a readable note another visibility.

    Agents narrow, and move between OPEN and SCOPED; out of PRIVATE and USER_ONLY only the user
    in person or an agent that can see private moves them (DIFF-15), and out of QUARANTINED only
    the user."""
    if old is Visibility.QUARANTINED:
        return viewer.agent is None or old == new
    if viewer.agent is None or viewer.agent.can_see_private or old == new:
        return True
    open_to_all = (Visibility.OPEN, Visibility.SCOPED)
    return old in open_to_all or _OPENNESS.index(new) < _OPENNESS.index(old)

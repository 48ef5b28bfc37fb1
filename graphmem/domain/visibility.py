"""Who may read a note: audiences, and the one function that decides.

An audience is the key of one group of readers, a path that begins with the owner:

    u:<user>/OPEN/<domain>     u:<user>/PRIVATE/<author>/<domain>
    u:<user>/SCOPED/<domain>   u:<user>/USER_ONLY/<domain>
    u:<user>/LOCAL/<author>/<domain>
    t:<team>/<section>/<domain>

The author of a PRIVATE note is the id of an agent, or "~" for the user in person. LOCAL notes are
an agent's own, as long as its session is open. What a team owns
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
WHOLE_TEAM = "team"  # the scope of the board that every member's agents read


class Visibility(StrEnum):
    """Who, of a user's agents, may read a note."""

    OPEN = "OPEN"
    SCOPED = "SCOPED"
    PRIVATE = "PRIVATE"
    USER_ONLY = "USER_ONLY"
    LOCAL = "LOCAL"  # the local memory of an agent's session; never chosen, only left


_BY_AUTHOR = (Visibility.PRIVATE, Visibility.LOCAL)


class Section(StrEnum):
    """A part of what a team owns; each is read by its own rule (MUMA 6.2 and 6.4)."""

    KNOWLEDGE = "knowledge"
    SKILLS = "skills"
    SOPS = "sops"
    BOARD = "board"


WIDEST_FIRST = (  # by how many may read it
    Visibility.OPEN,
    *Section,
    Visibility.SCOPED,
    Visibility.PRIVATE,
    Visibility.USER_ONLY,
    Visibility.LOCAL,
)


class Reading(Enum):
    """On what occasion something is read; it matters for USER_ONLY notes alone."""

    BY_NAME = auto()  # by id, in a list, through the graph: the user sees USER_ONLY, no agent does
    AUTOMATIC = auto()  # recall and context: nobody sees USER_ONLY
    EXPLICIT = auto()  # recall with explicit: the user, and agents that can see private


@dataclass(frozen=True, kw_only=True)
class Audience:
    """One group of readers, as registered in the graph. Notes of a user are told apart by their
    visibility, what a team owns by the section of its commons."""

    owner: Owner
    section: Visibility | Section
    domain: str
    author: str = IN_PERSON  # counts for PRIVATE and LOCAL only

    @property
    def key(self) -> str:
        """The path that notes and relations carry."""
        author = f"{self.author}/" if self.section in _BY_AUTHOR else ""
        return f"{self.owner.key}/{self.section}/{author}{self.domain}"

    @property
    def token(self) -> str:
        """One word for the full-text index; ends in a digit so that no stemmer changes it."""
        return f"a{digest(self.key, 24)}0"


def readers_of(key: str) -> str:
    """What the readers of an audience are the same of: all OPEN notes of a user have the same
    readers, so have those of one author that are PRIVATE, SCOPED ones of one domain, and a team's
    skills; what else a team owns goes by its domain."""
    owner, section, rest = key.split("/", 2)
    match section:
        case Visibility.PRIVATE | Visibility.LOCAL:
            return f"{owner}/{section}/{rest.partition('/')[0]}"
        case Visibility.OPEN | Visibility.USER_ONLY | Section.SKILLS:
            return f"{owner}/{section}"
        case _:
            return key


def owner_token(owner: Owner) -> str:
    """The word that every note of the owner carries in the full-text index."""
    return f"o{digest(owner.key, 24)}0"


def audience_of(
    user: str, visibility: Visibility, domain: str, author: str | None = None
) -> Audience:
    """The audience of a user's note; `author` is an agent's id, None for the user in person."""
    own = visibility in _BY_AUTHOR
    return Audience(
        owner=Owner(user),
        section=visibility,
        domain=domain,
        author=author or IN_PERSON if own else IN_PERSON,
    )


def team_audience(team: str, section: Section, domain: str) -> Audience:
    """The audience of what a team owns."""
    return Audience(owner=Owner(team, is_team=True), section=section, domain=domain)


def may_read(viewer: Viewer, audience: Audience, reading: Reading) -> bool:
    """Whether the viewer may read notes of this audience (MUMA 5.4.1, 5.4.3 and 6.4, DIFF-16)."""
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
        case Visibility.USER_ONLY:
            if reading is Reading.EXPLICIT:
                return agent is None or agent.can_see_private
            return reading is Reading.BY_NAME and agent is None
        case Visibility.LOCAL:
            if agent is None:
                return reading is not Reading.AUTOMATIC
            return audience.author == agent.id
        case _:
            return False


def why_read(agent: Agent, audience: Audience) -> str | None:
    """Why an agent reads notes of this audience of its user, in a few words; None where it never
    does."""
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
    """What of a team's commons its members read: in person everything, by their agents all skills,
    of knowledge and procedures the agent's domains, of the board what is for the whole team, for
    the agent itself or its domains; an orchestrator reads the whole board."""
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
    """Whether the domain is one of the list or lies below one; `*` holds every domain."""
    return any(own == ANYTHING or is_within(domain, own) for own in domains)


def default_domain(agent: Agent | None) -> str:
    """Where a note belongs that neither its writer nor its text places: in `general`, or in the
    first domain of an agent that does not work there, so that its writer can read it again."""
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
    """The sorted keys of those audiences that the viewer may read, narrowed to a domain and to
    visibilities; narrowing the list costs nothing in the index."""
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


def local_to(viewer: Viewer, audiences: Iterable[Audience]) -> tuple[Audience, ...]:
    """Those of the audiences that are the local memory of the agent that asks."""
    agent = viewer.agent
    return tuple(
        audience
        for audience in audiences
        if audience.section is Visibility.LOCAL and agent and audience.author == agent.id
    )


def rule_for(domain: str, rules: Mapping[str, Visibility]) -> Visibility | None:
    """The rule of the longest prefix of whole path parts (MUMA 5.4.2), None when no rule fits."""
    fitting = [prefix for prefix in rules if is_within(domain, prefix)]
    return rules[max(fitting, key=len)] if fitting else None


_OPENNESS = (
    Visibility.LOCAL,
    Visibility.USER_ONLY,
    Visibility.PRIVATE,
    Visibility.SCOPED,
    Visibility.OPEN,
)


def narrower(one: Visibility, other: Visibility) -> Visibility:
    """The one of the two with fewer readers."""
    return min(one, other, key=_OPENNESS.index)


def wider_than(visibility: Visibility) -> tuple[Visibility, ...]:
    """Give the visibilities with more readers."""
    return _OPENNESS[_OPENNESS.index(visibility) + 1 :]


def narrowed(made: Audience, source: Audience) -> Audience | None:
    """The readers of a note that is made of others when one of those has the readers `source`: as
    many of its own as may read that one, too. Both are a user's. None where no audience has only
    such readers: an agent that can see private notes reads them in every domain, but scoped ones
    in its own domains alone, so neither kind is the narrower one."""
    match made.section, source.section:
        case old, new if old is new and old is not Visibility.SCOPED:
            return made if made.author in (IN_PERSON, source.author) else None
        case (_, Visibility.OPEN) | (Visibility.USER_ONLY, Visibility.PRIVATE):
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
    """The domain that both lie in; whoever reads that one reads both. Empty where there is none."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return "/".join(part for part, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def resolve(
    *,
    domain: str,
    rules: Mapping[str, Visibility],
    by_user: Visibility | None = None,
    by_agent: Visibility | None = None,
    classified: Visibility | None = None,
    default: Visibility = Visibility.SCOPED,
) -> Visibility:
    """The visibility of a new note, highest first: set by the user, domain rule, classification,
    default (MUMA 5.4.1). What an agent asks for counts as a classification and, beside a domain
    rule, may only narrow it (DIFF-15)."""
    if by_user is not None:
        return by_user
    rule = rule_for(domain, rules)
    if rule is not None:
        return narrower(rule, by_agent) if by_agent is not None else rule
    return by_agent or classified or default


def may_change(viewer: Viewer, old: Visibility, new: Visibility) -> bool:
    """Whether the viewer may give a readable note another visibility: agents narrow and move
    between OPEN and SCOPED; out of PRIVATE and USER_ONLY only the user in person or an agent that
    can see private (DIFF-15)."""
    if viewer.agent is None or viewer.agent.can_see_private or old == new:
        return True
    closed = (Visibility.PRIVATE, Visibility.USER_ONLY, Visibility.LOCAL)
    return old not in closed or _OPENNESS.index(new) < _OPENNESS.index(old)

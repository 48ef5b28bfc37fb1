"""What a case is made of: who acts, on what, in which of the two worlds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .documents import Call

NOBODY = "019a0000-0000-7000-8000-000000000000"
USER, STRANGER = "{user}", "{stranger}"  # their ids differ from world to world


@dataclass(frozen=True)
class NoteRef:
    """The note that a step made, by the name of that step; one that a world does not have is one
    that is missing."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(frozen=True)
class Live:
    """An id that whoever acts looks up first, in lists of its own."""

    what: str
    of: str | NoteRef = ""
    index: int = 0

    def __repr__(self) -> str:
        return f"<{self.what} {self.of} {self.index}>".replace("  ", " ")


@dataclass(frozen=True)
class Place:
    """An audience as the table of the specification has it (MUMA 5.4.3)."""

    owner: str
    visibility: str
    domain: str
    author: str  # who wrote it: an agent, or "person"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """An agent's profile as the user set it up."""

    domains: tuple[str, ...]
    private: bool = False
    writes: str = "DIRECT"
    role: str = "WORKER"


AGENTS: Mapping[str, Profile] = {
    "narrow": Profile(domains=("work",)),
    "peer": Profile(domains=("home", "work/kiln")),
    "plain": Profile(domains=("*",), role="ORCHESTRATOR"),
    "keeper": Profile(domains=("*",), private=True, role="ASSISTANT"),
    "asker": Profile(domains=("work",), writes="PROPOSE"),
}
VIEWERS = ("narrow", "peer", "plain", "keeper", "asker", "person")
TEAM = f"{USER}t"  # of the user and the other one
ELSEWHERE = f"{STRANGER}t"  # of the other one alone
SHARED = {USER: "home/garden", STRANGER: "home"}  # domains, each with the team of both
OTHERS = ("stranger", "stranger/narrow")  # another user, with an agent of the same name


def owner_of(actor: str) -> str:
    """Whose memory an actor works on."""
    return STRANGER if actor in OTHERS else USER


def place_of(actor: str, visibility: str, domain: str) -> Place:
    """The audience of what an actor writes."""
    author = actor.removeprefix("stranger/") if actor != "stranger" else "person"
    return Place(owner_of(actor), visibility, domain, author)


def readable(viewer: str, place: Place, *, explicit: bool = False) -> bool:
    """Whether a viewer may read an audience, written down from the table and not from the code;
    `explicit`: on an explicit question."""
    if viewer in OTHERS or place.owner != USER:
        return viewer == "stranger" and place.owner == STRANGER
    if viewer == "person":
        return True
    profile = AGENTS[viewer]
    below = any(d == "*" or f"{place.domain}/".startswith(f"{d}/") for d in profile.domains)
    table = {
        "OPEN": True,
        "SCOPED": below,
        "PRIVATE": profile.private or place.author == viewer,
        "USER_ONLY": explicit and profile.private,
        "LOCAL": place.author == viewer,
        "QUARANTINED": False,
    }
    return table[place.visibility]


def shared(place: Place) -> bool:
    """Whether its owner shares the audience with a team of everybody."""
    below = f"{place.domain}/".startswith(f"{SHARED[place.owner]}/")
    return below and place.visibility in ("OPEN", "SCOPED")


def hidden(viewer: str, place: Place) -> bool:
    """Whether there is no way at all for the viewer to read the audience or to be told of it."""
    read = readable(viewer, place) or readable(viewer, place, explicit=True)
    return not read and not shared(place)


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something that an actor does: one document with one call, or with several that only read.

    `left_out`: what the second world does instead is `instead`, or nothing. `touches` are the
    audiences that the step may change. The steps of a `group` make sense together only."""

    actor: str
    calls: tuple[Call, ...]
    name: str = ""
    watched: bool = False  # a viewer acts, and the answers are compared
    left_out: bool = False
    instead: tuple[Call, ...] = ()
    touches: tuple[Place, ...] = ()
    group: int = 0

    def __str__(self) -> str:
        mark = "?" if self.watched else "-" if self.left_out else "+"
        calls = "; ".join(map(str, self.calls))
        other = f"   (in the other world: {'; '.join(map(str, self.instead))})"
        return f"{mark} {self.name} {self.actor}: {calls}" + (other if self.instead else "")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One world and what happens in it, with keys or without."""

    steps: tuple[Step, ...]
    keys: bool = False
    rules: Mapping[str, str] = field(default_factory=dict)

    def viewers(self) -> list[str]:
        """Whose answers are compared."""
        return list(dict.fromkeys(step.actor for step in self.steps if step.watched))

    def groups(self) -> list[int]:
        """The groups in their order."""
        return list(dict.fromkeys(step.group for step in self.steps))

    def only(self, groups: Iterable[int]) -> "Case":
        """The case without the other groups."""
        kept = frozenset(groups)
        return replace(self, steps=tuple(s for s in self.steps if s.group in kept))

    def __str__(self) -> str:
        told = "with keys" if self.keys else "without keys"
        legend = "(+ in both worlds, - in the first alone, ? compared)"
        lines = [f"{told}, rules {dict(self.rules)} {legend}", *map(str, self.steps)]
        return "\n  ".join(lines)


def refs_in(value: Any) -> Iterator[NoteRef | Live]:
    """The references in the arguments of a call."""
    if isinstance(value, NoteRef | Live):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from refs_in(each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from refs_in(each)

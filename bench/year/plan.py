"""What happens in the simulated year: who writes what when, and what is asked again. All of it is
drawn from one seed, so that a year is the same each time."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from graphmem.domain.notes import Kind

USERS = 10
AGENTS = 3  # of each user
DAYS = 364  # 13 times four weeks
BEGAN = datetime(2025, 1, 6, tzinfo=UTC)  # a Monday
DOMAINS = ("work/sales", "work/code", "home")
NEEDLES = 0.01  # of the notes
OWN_DETAIL = 0.5  # of the other notes say something that no other says
NAMES = "Ida Bruno Carla Dario Edda Fabio Greta Hugo".split()
THINGS = "kiln press lathe oven loom saw pump crane drill boiler furnace mixer".split()
PLACES = "shed cellar yard hall attic barn dock office studio garage".split()
DOINGS = "overheats|leaks oil|makes noise|needs a filter|was cleaned|stands still".split("|")
DETAILS = "parts|bolts|hours|litres|pieces|visitors".split("|")
FACTS = (
    ("The gate code of {name} is {number}.", "What is the gate code of {name}?"),
    ("{name} is allergic to {thing} wax.", "What is {name} allergic to?"),
    ("{name} keeps the spare key under the {thing}.", "Where does {name} keep the spare key?"),
    ("The account of {name} has the number {number}.", "Which account number has {name}?"),
    ("{name} must be called before the {thing} is moved.", "Who must be called, {name}?"),
)


class Fate(StrEnum):
    """What becomes of a needle."""

    USED = "used"  # asked for every two to six weeks
    IMPORTANT = "important"  # pinned or load-bearing, never asked for
    SELDOM = "seldom"  # asked for every two to four months
    UNUSED = "unused"


SHARES = {Fate.USED: 0.3, Fate.IMPORTANT: 0.15, Fate.SELDOM: 0.15, Fate.UNUSED: 0.4}
BETWEEN = {
    Fate.USED: (14.0, 42.0),
    Fate.SELDOM: (60.0, 120.0),
}  # days between questions


@dataclass(frozen=True, kw_only=True)
class Written:
    """A note of the year; `question` asks for it, None where other notes say the same. A needle has
    a fate, and `asked` are the days on which somebody asks for it."""

    key: str
    user: int
    agent: int | None  # None: the user in person
    day: float
    domain: str
    content: str
    kind: Kind
    question: str | None = None
    fate: Fate | None = None
    pinned: bool = False
    load_bearing: bool = False
    asked: tuple[float, ...] = ()


def year(notes: int, seed: int) -> list[Written]:
    """The notes of a year, in the order in which they are written."""
    rng = random.Random(seed)
    needles = round(notes * NEEDLES)
    days = sorted(rng.uniform(0, DAYS) for _ in range(notes))
    chosen = frozenset(rng.sample(range(notes), needles))
    topics = [_topic(rng) for _ in range(USERS * 40)]
    return [
        _needle(rng, place, day) if place in chosen else _note(rng, place, day, topics)
        for place, day in enumerate(days)
    ]


def _who(rng: random.Random) -> tuple[int, int | None]:
    return rng.randrange(USERS), rng.choice((None, *range(AGENTS)))


def _topic(rng: random.Random) -> str:
    return (
        f"{rng.choice(NAMES)} says that the {rng.choice(THINGS)} in the {rng.choice(PLACES)} "
        f"{rng.choice(DOINGS)}"
    )


def _note(rng: random.Random, place: int, day: float, topics: Sequence[str]) -> Written:
    """A note about one of the topics of its user."""
    user, agent = _who(rng)
    content, question = f"{topics[user * 40 + rng.randrange(40)]}.", None
    if rng.random() < OWN_DETAIL:
        said = f"{_made_up(rng)} counts {rng.randint(2, 999)} {rng.choice(DETAILS)}"
        question = f"What does {said.partition(' counts ')[0]} count?"
        content = f"{content} {said}."
    return Written(
        key=f"n{place}",
        user=user,
        agent=agent,
        day=day,
        domain=rng.choice(DOMAINS),
        content=content,
        kind=Kind.EPISODIC if rng.random() < 0.8 else Kind.SEMANTIC,
        question=question,
    )


def _needle(rng: random.Random, place: int, day: float) -> Written:
    user, agent = _who(rng)
    fact, question = rng.choice(FACTS)
    said = {"name": _made_up(rng), "thing": rng.choice(THINGS), "number": rng.randint(1000, 9999)}
    fate = rng.choices(list(SHARES), list(SHARES.values()))[0]
    pinned = fate is Fate.IMPORTANT and rng.random() < 0.5
    return Written(
        key=f"n{place}",
        user=user,
        agent=agent,
        day=day,
        domain=rng.choice(DOMAINS),
        content=fact.format(**said),
        kind=Kind.SEMANTIC,
        question=question.format(**said),
        fate=fate,
        pinned=pinned,
        load_bearing=fate is Fate.IMPORTANT and not pinned,
        asked=_asked(rng, day, fate),
    )


def _asked(rng: random.Random, day: float, fate: Fate) -> tuple[float, ...]:
    found: list[float] = []
    while fate in BETWEEN and (day := day + rng.uniform(*BETWEEN[fate])) < DAYS:
        found.append(day)
    return tuple(found)


def _made_up(rng: random.Random) -> str:
    """A name that nothing else has: two words of three syllables."""
    syllables = [rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(6)]
    return " ".join("".join(word).capitalize() for word in (syllables[:3], syllables[3:]))


def other(rng: random.Random, user: int) -> str:
    """A question about one of the things that everybody writes of."""
    return f"What did {rng.choice(NAMES)} say of the {rng.choice(THINGS)}, user {user}?"

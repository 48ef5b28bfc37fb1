"""A made organisation: who knows what, what everybody wrote, and tasks worded otherwise."""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

AGENTS, USERS = 30, 10
EXPERTS = 2  # of a topic at a time
DAYS = 120
DRIFT = 60  # the day on which half of the topics pass to others
PASSING = 0.35  # of the notes are about what their writer does not know
NAMED = 0.3  # of the notes on a topic name it; no task does
CHATTER = 0.15  # of the notes are about none of the topics
NOW = datetime(2026, 6, 1, tzinfo=UTC)
OPENINGS = (
    "Today we saw that",
    "Remember:",
    "In the call it came up that",
    "For the Orion customer",
    "Checked again;",
    "Noted on site:",
    "Somebody said that",
    "It turned out that",
)
DETAILS = (
    "as in week {n}.",
    "see ticket {n}.",
    "which took {n} minutes.",
    "and {name} agreed.",
    "according to {name}.",
    "on floor {n}.",
)
NAMES = ("Mara", "Idris", "Noor", "Tomas", "Wei", "Greta", "Femi", "Luis")
CHATTERING = (
    "The coffee machine on floor {n} is broken again.",
    "{name} is on leave until week {n}.",
    "Lunch with {name} moved to room {n}.",
    "The parking lot is full before nine, says {name}.",
)


@dataclass(frozen=True)
class Topic:
    """Something that one may know: how notes say it, and how tasks do."""

    area: str
    name: str
    notes: tuple[str, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """A note; `helped`: what was found of it, if anything."""

    agent: int
    text: str
    area: str
    at: datetime
    helped: bool | None


@dataclass
class Organisation:
    """Agents by number; agent i belongs to user i % 10."""

    topics: list[Topic]
    experts: dict[str, tuple[int, ...]] = field(default_factory=dict)  # now
    former: dict[str, tuple[int, ...]] = field(default_factory=dict)  # until the drift
    notes: list[Written] = field(default_factory=list)


def read_topics() -> list[Topic]:
    """The topics of the file beside this one."""
    text = Path(__file__).with_name("topics.txt").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line and line[0] != "#"]
    return [
        Topic(area, name, tuple(filter(None, notes.split(";"))), tuple(tasks.split(";")))
        for area, name, notes, tasks in rows
    ]


def organisation(seed: int, notes: int) -> Organisation:
    """The organisation of a seed with so many notes."""
    rng = random.Random(seed)
    made = Organisation(topics=read_topics())
    known = [topic for topic in made.topics if topic.notes]
    places = [agent for agent in range(AGENTS) for _ in range(EXPERTS * len(known) // AGENTS)]
    made.former = _dealt(rng, known, places)
    made.experts = _dealt(rng, known, places)
    for topic in known:
        if rng.random() < 0.5:
            made.experts[topic.name] = made.former[topic.name]
    made.notes = list(_notes(rng, made, known, notes))
    return made


def _dealt(rng: random.Random, known: list[Topic], places: list[int]) -> dict[str, tuple[int, ...]]:
    """Who knows each topic; each agent knows as many."""
    left = rng.sample(places, len(places))
    return {topic.name: (left.pop(), left.pop()) for topic in known}


def _notes(
    rng: random.Random, made: Organisation, known: list[Topic], count: int
) -> Iterator[Written]:
    by_day = sorted(rng.uniform(0, DAYS) for _ in range(count))
    of = {day: _by_agent(made.experts if day else made.former, known) for day in (False, True)}
    for day in by_day:
        agent = rng.randrange(AGENTS)
        own = of[day >= DRIFT].get(agent, [])
        passing = not own or rng.random() < PASSING
        topic = rng.choice(known if passing else own)
        text = _text(rng, topic)
        if rng.random() < CHATTER:
            text, passing = _filled(rng, rng.choice(CHATTERING)), True
        judged = rng.random() < 0.05
        helped = rng.random() < (0.3 if passing else 0.9) if judged else None
        at = NOW - timedelta(days=DAYS - day)
        yield Written(agent, text, topic.area, at.replace(microsecond=0), helped)


def _by_agent(experts: dict[str, tuple[int, ...]], known: list[Topic]) -> dict[int, list[Topic]]:
    found = defaultdict[int, list[Topic]](list)
    for topic in known:
        for agent in experts[topic.name]:
            found[agent].append(topic)
    return found


def _text(rng: random.Random, topic: Topic) -> str:
    detail = _filled(rng, rng.choice(DETAILS))
    opening = f"On {topic.name}:" if rng.random() < NAMED else rng.choice(OPENINGS)
    return f"{opening} {rng.choice(topic.notes)}, {detail}"


def _filled(rng: random.Random, text: str) -> str:
    return text.format(n=rng.randint(1, 99), name=rng.choice(NAMES))

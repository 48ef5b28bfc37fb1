"""Experts: who knows about a topic, and what an agent knows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphmem.domain.actors import Agent
from graphmem.domain.drafts import check_text
from graphmem.domain.expertise import (
    CAPABLE,
    Evidence,
    Expert,
    Expertise,
    confidence,
    decayed_counts,
    expertise_of,
    sort_experts,
)
from graphmem.domain.visibility import in_domains
from graphmem.language.topic_keys import topic_key
from graphmem.services.actors import list_agents
from graphmem.services.context import Access, Context
from graphmem.services.expertise.evidence import FoundEvidence, gather
from graphmem.services.recall.answer_audiences import load_answer_audiences
from graphmem.services.recall.recall import MAX_QUERY
from graphmem.store import expertise as store

NEWEST: Final = 500  # notes of an agent from which its topics are read
NAMED: Final = 5  # notes of an expert that are named
TOPICS: Final = 20  # topics listed for an agent
UNTOLD: Final = "unknown"  # the status of another user's agent

Writer = tuple[str, str | None]


async def list_experts(
    context: Context, access: Access, topic: str, first: int | None = None
) -> list[Expert]:
    """List who knows about a topic, the surest first.

    Experts of the viewer's own user are found through notes that the viewer may read, members of
    the same teams through the domains that they share. Raises Invalid.
    """
    topic = check_text(topic, "topic", MAX_QUERY)
    may = await load_answer_audiences(context, access)
    found = await gather(context, may, access.viewer.user, topic)
    if not found.anybody:
        return []
    return (await experts_of(context, access, found, topic=topic))[:first]


async def experts_of(
    context: Context, access: Access, found: FoundEvidence, *, topic: str | None = None
) -> list[Expert]:
    """Return those who wrote the evidence, the surest first.

    `topic`: the topic that they are experts of; None: the main topic of each one's notes.
    """
    now, readable = context.clock(), frozenset(access.by_name)
    agents = await _load_agents(context, access, found.by_writer)
    return sort_experts(
        Expert(
            user=user,
            agent=None if agent is None else agents[user, agent],
            topic=topic or main_topic(notes),
            confidence=confidence(*decayed_counts(notes, now)),
            last_active_at=max(each.newest for each in notes),
            note_ids=tuple(each.note for each in notes[:NAMED] if each.audience in readable),
            notes=tuple(notes),
        )
        for (user, agent), notes in found.by_writer.items()
        if agent is None or (user, agent) in agents
    )


async def capable(context: Context, access: Access, found: FoundEvidence) -> FoundEvidence:
    """Extend the evidence to agents of the user that are set up for its domain.

    What the user wrote in person counts as evidence for them, too, at a part of its weight.
    """
    user = access.viewer.user
    written = found.by_writer.get((user, None), ())
    by_writer: dict[Writer, Sequence[Evidence]] = {
        writer: notes for writer, notes in found.by_writer.items() if writer[1] is not None
    }
    for agent in await list_agents(context, access) if written else ():
        domains = [domain for domain in agent.domains if domain != "*"]
        lent = [_weigh_lent(each) for each in written if in_domains(each.domain, domains)]
        if lent:
            by_writer[user, agent.id] = (*by_writer.get((user, agent.id), ()), *lent)
    return FoundEvidence(by_writer=by_writer, best=found.best)


def _weigh_lent(note: Evidence) -> Evidence:
    return replace(note, fit=CAPABLE * note.fit)


def main_topic(notes: Sequence[Evidence]) -> str:
    """Return the main topic of the notes, as the best of them names it; empty without topics."""
    weights: dict[str, float] = defaultdict(float)
    names: dict[str, str] = {}
    for each in notes:
        for place, name in enumerate(each.topics):
            key = topic_key(name)
            weights[key] += each.fit / (1 + place)
            names.setdefault(key, name)
    best = min(weights, key=lambda key: (-weights[key], key), default=None)
    return "" if best is None else names[best]


async def expertise_of_agents(
    context: Context, access: Access, agents: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], list[Expertise]]:
    """Return what each agent, (user, id), knows, the surest topic first.

    It counts what the viewer may learn of the agent's newest 500 notes.
    """
    now = context.clock()
    may = await load_answer_audiences(context, access)
    written = await store.read_written(context.graph, agents, may.keys, now, NEWEST)
    by_agent: dict[Writer, list[Evidence]] = defaultdict(list)
    for each in written:
        by_agent[each.writer].append(each)
    return {agent: _topics(by_agent.get(agent, ()), now) for agent in agents}


def _topics(notes: Sequence[Evidence], now: datetime) -> list[Expertise]:
    by_topic: dict[str, list[Evidence]] = defaultdict(list)
    names: dict[str, str] = {}
    for each in notes:
        for name in each.topics:
            key = topic_key(name)
            by_topic[key].append(each)
            names.setdefault(key, name)
    known = [expertise_of(names[key], found, now) for key, found in by_topic.items()]
    known.sort(key=lambda each: (-round(each.confidence, 6), -each.evidence, each.topic))
    return known[:TOPICS]


async def _load_agents(
    context: Context, access: Access, writers: Mapping[Writer, object]
) -> dict[tuple[str, str], Agent]:
    """Load the agents among the writers.

    Of another user's agent only id and name are shown: it looks like one that nobody set up.
    """
    own = {(agent.user, agent.id): agent for agent in await list_agents(context, access)}
    others = [
        (user, agent) for user, agent in writers if agent is not None and user != access.viewer.user
    ]
    named = await store.read_names(context.graph, others)
    return own | {
        (user, agent): Agent(id=agent, user=user, name=name, domains=(), status=UNTOLD)
        for (user, agent), name in named.items()
    }

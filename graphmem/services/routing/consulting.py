"""Consulting: a question goes to one's own memory, then to experts, then to the commons."""

from dataclasses import dataclass, replace
from typing import Final

from graphmem.domain.actors import Agent, Viewer
from graphmem.domain.drafts import check_text
from graphmem.domain.expertise import Expert
from graphmem.domain.scopes import UNSURE
from graphmem.domain.visibility import Audience, Visibility
from graphmem.services.commons.recalling import with_team
from graphmem.services.context import Access, Context
from graphmem.services.expertise.evidence import gather
from graphmem.services.expertise.experts import experts_of
from graphmem.services.expertise.telling import Told, told
from graphmem.services.recall.question import Question
from graphmem.services.recall.recall import MAX_QUERY, Hit, Recall, recall

ASKED: Final = 3  # experts whose memory is read
READER: Final = "-"  # in place of an agent's id, which it can't be: reads for who consults


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """What a question found, and every step on the way."""

    steps: tuple[str, ...]
    expert: Expert | None
    hits: tuple[Hit, ...]
    answered: bool


async def consult(
    context: Context, access: Access, question: str, topic: str | None, k: int
) -> Consultation:
    """Ask one's own memory; if it does not know, those who know about the topic, as far as they
    share what they know; then the commons. A step is taken only where the one before it found
    nothing. Nothing is written, and no recall is counted. Raises Invalid."""
    question = check_text(question, "question", MAX_QUERY)
    topic = question if topic is None else check_text(topic, "topic", MAX_QUERY)
    asked = Question(query=question, k=k, track=False)
    own = await recall(context, access, asked)
    if _answers(own):
        return _answered(["own memory: it knows"], None, own)
    steps = ["own memory: nothing that fits"]
    may = await told(context, access)
    found = await gather(context, may, access.viewer.user, topic)
    experts = await experts_of(context, access, found, topic=topic) if found.anybody else []
    others = [expert for expert in experts if may.shared_by(expert.user)]
    names = ", ".join(_name(expert, access) for expert in others[:ASKED])
    steps.append(f"index of experts: {names}" if others else "index of experts: nobody")
    for expert in others[:ASKED]:
        answer = await recall(context, _as_reader(may, expert.user), asked)
        if _answers(answer):
            steps.append(f"memory of {_name(expert, access)}: it knows")
            return _answered(steps, expert, answer)
        steps.append(f"memory of {_name(expert, access)}: nothing that fits")
    known = await with_team(context, access, asked, replace(own, hits=(), confidence=0.0))
    if _answers(known):
        return _answered([*steps, "commons: the team knows"], None, known)
    steps += ["commons: nothing that fits", "nobody knows"]
    return Consultation(steps=tuple(steps), expert=None, hits=(), answered=False)


def _answers(answer: Recall) -> bool:
    return bool(answer.hits) and answer.confidence >= UNSURE


def _answered(steps: list[str], expert: Expert | None, answer: Recall) -> Consultation:
    return Consultation(steps=tuple(steps), expert=expert, hits=answer.hits, answered=True)


def _name(expert: Expert, access: Access) -> str:
    agent = expert.agent.id if expert.agent else expert.user
    return agent if expert.user == access.viewer.user else f"{agent} of {expert.user}"


def _as_reader(may: Told, user: str) -> Access:
    """Reads what a user shared, and nothing else: not even what no rule would forbid."""
    shared: tuple[Audience, ...] = may.shared_by(user)
    reader = Agent(id=READER, user=user, name=READER)
    return Access(
        viewer=Viewer(user=user, agent=reader),
        audiences=shared,
        rules={},
        default=Visibility.SCOPED,
    )

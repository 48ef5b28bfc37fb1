"""Consulting: a question goes to one's own memory, then to experts, then to the commons."""

from collections.abc import Sequence
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
from graphmem.services.recall.answer_audiences import AnswerAudiences, load_answer_audiences
from graphmem.services.recall.recall import (
    MAX_QUERY,
    Hit,
    RecallResult,
    recall,
    track,
    without_reasons,
)
from graphmem.services.recall.request import RecallRequest

ASKED: Final = 3  # experts whose memory is read
# used as the id of an agent, which it can't be: reads for the viewer who consults
READER: Final = "-"


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """The answer to a question, and every step on the way to it."""

    steps: tuple[str, ...]
    expert: Expert | None
    """whose memory answers; null: your own, the commons, or none"""
    hits: tuple[Hit, ...]
    answered: bool
    recall_id: str | None = None
    """for `feedback`, and for `keepFinding` where an expert answers; null where it is not tracked,
    and where no memory answers"""


async def consult(
    context: Context,
    access: Access,
    question: str,
    topic: str | None,
    k: int,
    *,
    tracked: bool = True,
) -> Consultation:
    """Ask one's own memory, then those who know about the topic, then the commons.

    The others are asked as far as they share what they know. A step is taken only where the one
    before it found nothing. Unless `tracked` is off, an answer of one's own memory counts as a
    recall, and what was found with others is recorded for feedback, but does not count as a use of
    it. Raises Invalid.
    """
    question = check_text(question, "question", MAX_QUERY)
    topic = question if topic is None else check_text(topic, "topic", MAX_QUERY)
    asked = RecallRequest(query=question, k=k, track=False)
    tracked = tracked and context.log.keeps

    def answered(steps: list[str], expert: Expert | None, answer: RecallResult) -> Consultation:
        if tracked:
            by_others = expert is not None
            track(context, access, asked, answer, context.clock(), consulted=by_others)
        return Consultation(
            steps=tuple(steps),
            expert=expert,
            hits=without_reasons(answer.hits),
            answered=True,
            recall_id=answer.id if tracked else None,
        )

    own = await recall(context, access, asked)
    if _is_answer(own):
        return answered(["own memory: it knows"], None, own)
    steps = ["own memory: nothing that fits"]
    may = await load_answer_audiences(context, access)
    found = await gather(context, may, access.viewer.user, topic)
    experts = await experts_of(context, access, found, topic=topic) if found.anybody else []
    others = [expert for expert in experts if may.shared_by(expert.user)][:ASKED]
    names = ", ".join(_name(expert, access) for expert in others)
    steps.append(f"index of experts: {names}" if others else "index of experts: nobody")
    for user in dict.fromkeys(expert.user for expert in others):
        theirs = [expert for expert in others if expert.user == user]
        answer = await recall(context, _reader_access(may, user), asked)
        if _is_answer(answer):
            expert = _find_writer(answer.hits[0], theirs)
            steps.append(f"memory of {_name(expert, access)}: it knows")
            return answered(steps, expert, answer)
        names = ", ".join(_name(expert, access) for expert in theirs)
        steps.append(f"memory of {names}: nothing that fits")
    known = await with_team(context, access, asked, replace(own, hits=(), confidence=0.0))
    if _is_answer(known):
        steps.append("commons: the team knows")
        hits = without_reasons(known.hits)
        return Consultation(steps=tuple(steps), expert=None, hits=hits, answered=True)
    steps += ["commons: nothing that fits", "nobody knows"]
    return Consultation(steps=tuple(steps), expert=None, hits=(), answered=False)


def _is_answer(answer: RecallResult) -> bool:
    return bool(answer.hits) and answer.confidence >= UNSURE


def _find_writer(hit: Hit, experts: Sequence[Expert]) -> Expert:
    """Return the expert who wrote the note that fits best, else the surest one."""
    by_agent = {expert.agent.id if expert.agent else None: expert for expert in experts}
    return by_agent.get(hit.note.author, experts[0])


def _name(expert: Expert, access: Access) -> str:
    if expert.agent is None:
        return expert.user
    others = expert.user != access.viewer.user
    return f"{expert.agent.id} of {expert.user}" if others else expert.agent.id


def _reader_access(may: AnswerAudiences, user: str) -> Access:
    """Return an access to what a user shared, and to nothing else that no rule would forbid."""
    shared: tuple[Audience, ...] = may.shared_by(user)
    reader = Agent(id=READER, user=user, name=READER)
    return Access(
        viewer=Viewer(user=user, agent=reader),
        audiences=shared,
        rules={},
        default=Visibility.SCOPED,
    )

"""Routing: which agent should do a task."""

from dataclasses import dataclass, field
from typing import Final

from graphmem.domain.actors import Agent
from graphmem.domain.drafts import check_text
from graphmem.domain.expertise import Evidence, Expert
from graphmem.domain.fields import NOT_SHOWN, shown_property
from graphmem.services.context import Access, Context
from graphmem.services.expertise.evidence import gather
from graphmem.services.expertise.experts import capable, experts_of
from graphmem.services.recall.answer_audiences import load_answer_audiences
from graphmem.services.recall.recall import MAX_QUERY

ALTERNATIVES: Final = 4  # besides the agent that is advised
NOBODY: Final = "Nobody is known to know about this."


@dataclass(frozen=True, kw_only=True)
class RouteAdvice:
    """The agent that should do a task; none if nobody is known to know about it."""

    expert: Expert | None = field(metadata=NOT_SHOWN)
    reasoning: str
    relevant_note_count: int
    alternatives: tuple[Expert, ...]

    @shown_property
    def agent(self) -> Agent | None:
        """null: nobody is known to know about it"""
        return self.expert.agent if self.expert else None

    @shown_property
    def confidence(self) -> float:
        """how sure it is that this agent knows, from 0 to 1"""
        return self.expert.confidence if self.expert else 0.0


async def route(context: Context, access: Access, task: str) -> RouteAdvice:
    """Choose the agent that should do a task.

    It is the agent whose notes fit the task best; what the user wrote in person counts for the
    agents that are set up for its domain. Every answer, also "nobody", rests only on notes that may
    be used to answer the viewer. Raises Invalid.
    """
    task = check_text(task, "task", MAX_QUERY)
    may = await load_answer_audiences(context, access)
    found = await gather(context, may, access.viewer.user, task)
    if found.anybody:
        found = await capable(context, access, found)
    experts = await experts_of(context, access, found) if found.anybody else []
    if not experts:
        return RouteAdvice(expert=None, reasoning=NOBODY, relevant_note_count=0, alternatives=())
    best = experts[0]
    return RouteAdvice(
        expert=best,
        reasoning=_reasoning(best, experts),
        relevant_note_count=len(best.notes),
        alternatives=tuple(experts[1 : 1 + ALTERNATIVES]),
    )


def _reasoning(best: Expert, experts: list[Expert]) -> str:
    """Return the reasons in up to three sentences."""
    notes, name = best.notes, best.agent.name if best.agent else best.user
    most = "most of them about" if len(notes) > 1 else "about"
    about = f", {most} {best.topic}" if best.topic else ""
    newest = max(each.written for each in notes)
    speak = "speaks" if len(notes) == 1 else "speak"
    parts = [f"{_count(len(notes), 'note')} on this {speak} for {name}{about}."]
    parts.append(f"The newest is of {newest:%Y-%m-%d}{_describe_results(notes)}.")
    if best.busy:
        parts.append("It is at work on something else.")
    if len(experts) > 1:
        parts.append(f"{_count(len(experts) - 1, 'other')} would do.")
    return " ".join(parts)


def _describe_results(notes: tuple[Evidence, ...]) -> str:
    helped = sum(len(each.helped) for each in notes)
    failed = sum(len(each.failed) for each in notes)
    if not helped and not failed:
        return ""
    return f"; they helped {_count(helped, 'time')} and failed {_count(failed, 'time')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

"""The tools of `orchestrator` and of `commons`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.expertise import Expert
from graphmem.errors import NotFound
from graphmem.mcp.answers import page, place_of, text_page, word
from graphmem.mcp.reading import PAGED
from graphmem.mcp.shown import OfMemory
from graphmem.mcp.tool import Call, Param, Tool, carry_out
from graphmem.operations.commands.actors import ListAgents
from graphmem.operations.commands.commons import AddSkill, GetSop, ListSkills, ReportSkill
from graphmem.operations.commands.experts import ListExperts, Route
from graphmem.operations.presenters.commons import Skill
from graphmem.operations.related import count_written


@dataclass(frozen=True, kw_only=True)
class AgentState:
    """An agent of the user."""

    agent_id: str
    role: str
    status: str
    current_task: str | None = None
    memory_count: int
    domains: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Agents(OfMemory):
    """The user's agents."""

    agents: tuple[AgentState, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class ShownExpert:
    """An expert; without `agent_id` the user in person."""

    user_id: str
    agent_id: str | None = None
    confidence: float
    last_active: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Experts:
    """The experts on a topic, most certain first."""

    experts: tuple[ShownExpert, ...]


@dataclass(frozen=True, kw_only=True)
class Advice(OfMemory):
    """The agent for a task. Without `recommended_agent_id` nobody is known to know."""

    recommended_agent_id: str | None = None
    user_id: str | None = None
    confidence: float
    reasoning: str
    relevant_memory_count: int
    alternatives: tuple[ShownExpert, ...]


@dataclass(frozen=True, kw_only=True)
class ShownSkill:
    """A procedure, with its proven trust."""

    skill_id: str
    name: str
    content: str
    trigger: str | None = None
    tags: tuple[str, ...]
    trust: float
    version: int
    team: str | None = None
    truncated: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Skills(OfMemory):
    """Skills, best first."""

    skills: tuple[ShownSkill, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class KeptSkill:
    """A skill that was added or counted."""

    skill_id: str
    version: int
    trust: float
    proposal_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class SopText(OfMemory):
    """The standard procedure of a domain."""

    domain: str
    sop_content: str
    version: int
    last_updated: datetime
    next_cursor: str | None = None


async def agents(tool: Tool, call: Call) -> Agents:
    """Return the agents, each with the number of notes that it wrote."""
    found = await carry_out(tool, call)
    shown = page(found, call.tokens, place_of(call.cursor))
    written = await count_written(call.operation, [each.id for each in shown.items])
    return Agents(
        agents=tuple(
            AgentState(
                agent_id=each.id,
                role=word(each.role),
                status=each.status,
                current_task=each.current_task,
                memory_count=written[each.id].notes if each.id in written else 0,
                domains=each.domains,
            )
            for each in shown.items
        ),
        next_cursor=shown.next_cursor,
    )


async def who_knows(tool: Tool, call: Call) -> Experts:
    """Return the experts on a topic."""
    return Experts(experts=tuple(map(_to_shown_expert, await carry_out(tool, call))))


async def route(tool: Tool, call: Call) -> Advice:
    """Return the agent that should do a task."""
    advice = await carry_out(tool, call)
    return Advice(
        recommended_agent_id=advice.agent.id if advice.agent else None,
        user_id=advice.agent.user if advice.agent else None,
        confidence=round(advice.confidence, 3),
        reasoning=advice.reasoning,
        relevant_memory_count=advice.relevant_note_count,
        alternatives=tuple(map(_to_shown_expert, advice.alternatives)),
    )


def _to_shown_expert(expert: Expert) -> ShownExpert:
    return ShownExpert(
        user_id=expert.user,
        agent_id=expert.agent.id if expert.agent else None,
        confidence=round(expert.confidence, 3),
        last_active=expert.last_active_at,
    )


async def list_skills(tool: Tool, call: Call) -> Skills:
    """Return the skills that fit."""
    found = await carry_out(tool, call)
    shown = page([_to_shown(each) for each in found], call.tokens, place_of(call.cursor))
    return Skills(skills=shown.items, next_cursor=shown.next_cursor)


def _to_shown(skill: Skill) -> ShownSkill:
    return ShownSkill(
        skill_id=skill.id,
        name=skill.name,
        content=skill.procedure,
        trigger=skill.trigger,
        tags=skill.tags,
        trust=round(skill.trust, 3),
        version=skill.version,
        team=skill.team,
    )


async def keep_skill(tool: Tool, call: Call) -> KeptSkill:
    """Add a skill, or count its use."""
    skill = await carry_out(tool, call)
    return KeptSkill(
        skill_id=skill.id,
        version=skill.version,
        trust=round(skill.trust, 3),
        proposal_id=skill.proposal_id,
    )


async def get_sop(tool: Tool, call: Call) -> SopText:
    """Return the standard procedure. Raises NotFound if there is none."""
    found = await carry_out(tool, call)
    if found is None:
        raise NotFound("no standard procedure for this domain")
    part, cursor = text_page(found.content, call.tokens, place_of(call.cursor))
    return SopText(
        domain=found.domain,
        sop_content=part,
        version=found.version,
        last_updated=found.updated_at,
        next_cursor=cursor,
    )


ORCHESTRATING: Final = (
    Tool(
        name="agent.status",
        title="List the user's agents",
        about="Which agents are there, what is each working on now, is it free, what are its "
        "domains, how many notes did it write.",
        command=ListAgents,
        answer=Agents,
        run=agents,
        frame=("agent_id", "user_id", "token_budget", "cursor"),
    ),
    Tool(
        name="agent.route",
        title="Who should do this task?",
        about="Which agent is best for a task: 'who should do this', 'to whom does it go'. "
        "Recommends one by what each knows and what helped before.",
        command=Route,
        answer=Advice,
        run=route,
        params=(Param(name="task_description", of="task", about="What is to be done."),),
        frame=("agent_id", "user_id"),
    ),
)
SEARCHING: Final = (
    Tool(
        name="memory.search_agents",
        title="Which agent knows a topic",
        about="Find experts: agents of the user and of team members who know about a topic.",
        command=ListExperts,
        answer=Experts,
        run=who_knows,
        params=(Param(name="topic", of="topic", about="What they should know about."),),
    ),
)
SHARING: Final = (
    Tool(
        name="commons.who_knows",
        title="Who is the expert on a topic",
        about="Find the person or agent who knows most about a topic, in the team and among the "
        "user's agents: 'whom can I ask about', 'who is experienced in'.",
        command=ListExperts,
        answer=Experts,
        run=who_knows,
        params=(Param(name="topic", of="topic", about="What they should know about."),),
    ),
    Tool(
        name="commons.find_skills",
        title="Find a procedure",
        about="How do we do this, step by step? Find a recipe that worked before, for deploying, "
        "building, setting up, installing, reporting. Call it before work of several steps.",
        command=ListSkills,
        answer=Skills,
        run=list_skills,
        params=(
            Param(name="search", of="search", about="What is to be done, in plain words."),
            Param(name="tags", of="tags", about="With all of these tags."),
        ),
        frame=PAGED,
    ),
    Tool(
        name="commons.add_skill",
        title="Save a procedure",
        about="Keep the steps of a procedure that worked, as a recipe that can be done again: "
        "numbered steps, with commands and what to check. The same name again makes a new "
        "version.",
        command=AddSkill,
        answer=KeptSkill,
        run=keep_skill,
        params=(
            Param(name="name", of="name", about="A short name, such as deploy-website."),
            Param(name="procedure", of="procedure"),
            Param(name="tags", of="tags", about="Tags to find it by."),
            Param(name="trigger", of="trigger", about="When it is to be used."),
            Param(name="team", of="team", about="For the whole team."),
        ),
        frame=("source_agent_id",),
    ),
    Tool(
        name="commons.report_skill",
        title="Report how a procedure went",
        about="After you followed a procedure or recipe: did it work or did it fail? It is "
        "trusted accordingly.",
        command=ReportSkill,
        answer=KeptSkill,
        run=keep_skill,
        params=(
            Param(name="skill_id", of="id"),
            Param(name="success", of="success", about="Whether it worked."),
            Param(name="version", of="version", about="The version that you followed."),
        ),
    ),
    Tool(
        name="commons.get_sop",
        title="Standard procedure of a domain",
        about="The official rules of a domain such as business/sales or support: how things are "
        "to be done there; where it has none of its own, those of the domain above. Call it"
        " before you work in a domain for the first time.",
        command=GetSop,
        answer=SopText,
        run=get_sop,
        params=(Param(name="domain", of="domain", about="A path such as business/sales."),),
        frame=PAGED,
    ),
)

"""Knowledge of teams: looked up by meaning and words, never by how often it is used (MUMA 11)."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.actors import AgentRole
from graphmem.domain.commons import SKILL_DOMAIN, Knowledge, Skill
from graphmem.domain.drafts import check_text
from graphmem.domain.ids import check_domain
from graphmem.domain.notes import MAX_CONTENT, MAX_NAME
from graphmem.domain.visibility import Section, team_audience
from graphmem.errors import Conflict, Forbidden
from graphmem.language.analysis import analyse
from graphmem.language.languages import language_of
from graphmem.services.actors import list_agents
from graphmem.services.commons import team_skills
from graphmem.services.commons.anonymity import check_names_nobody
from graphmem.services.commons.shared import (
    decides_for_team,
    keys_of,
    signal,
    team_event_steps,
    team_of,
)
from graphmem.services.commons.versions import propose_version, require_present
from graphmem.services.context import Access, Context, missing, require_in_person
from graphmem.services.recall.recall import MAX_QUERY
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_post
from graphmem.store import knowledge as store
from graphmem.store.versions import Words

ALIKE = 0.25  # cosine from which knowledge without the question's words is found, as for skills
HALF = 0.5  # share of the question's words from which it is found by words
RANKED = 4  # times as many as are wanted are ranked


async def search(
    context: Context,
    access: Access,
    topic: str,
    domain: str | None,
    k: int,
    *,
    role: str | None = None,
) -> list[Knowledge]:
    """Search the knowledge of the viewer's teams, best first: half by meaning, half by words.

    `role` also restricts it to what an agent of the user reads. Raises Invalid.
    """
    topic = check_text(topic, "topic", MAX_QUERY)
    domain = None if domain is None else check_domain(domain)
    keys = keys_of(access, Section.KNOWLEDGE, domain)
    if role is not None and keys:
        readable = frozenset(
            await _audiences_of_role(context, access, check_text(role, "role", MAX_NAME))
        )
        keys = [key for key in keys if key in readable]
    if not keys:
        return []
    vector = await context.embedder.embed_query(topic)
    found = await store.search_knowledge(
        context.graph, keys, access.by_name, vector, now=context.clock(), limit=RANKED * k
    )
    spoken = language_of(topic)
    terms = frozenset(analyse(topic, spoken))

    def share(text: str) -> float:
        return len(terms & frozenset(analyse(text, spoken))) / len(terms) if terms else 0.0

    scored = [(share(each.content), similarity, each) for each, similarity in found]
    kept = [
        replace(each, score=(words + similarity) / 2)
        for words, similarity, each in scored
        if words >= HALF or similarity >= ALIKE
    ]
    return sorted(kept, key=lambda each: (-(each.score or 0.0), each.id))[:k]


async def _audiences_of_role(context: Context, access: Access, role: str) -> list[str]:
    """Return the audiences of knowledge that an agent of the user reads.

    All of them for a kind of agent, none for an agent that does not exist.
    """
    if role.upper() in AgentRole.__members__:
        return keys_of(access, Section.KNOWLEDGE)
    agents = {agent.id: agent for agent in await list_agents(context, access)}
    if role not in agents:
        return []
    viewer = replace(access.viewer, agent=agents[role], admin=False)
    return keys_of(replace(access, viewer=viewer), Section.KNOWLEDGE)


async def load(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Knowledge]:
    """Load the entries of knowledge with these ids that teams of the viewer have."""
    keys = keys_of(access, Section.KNOWLEDGE)
    return await store.load_knowledge(context.graph, ids, keys, access.by_name, context.clock())


async def require_knowledge(context: Context, access: Access, knowledge: str) -> Knowledge:
    """Return an entry of knowledge of a team of the viewer. Raises NotFound."""
    found = await load(context, access, [knowledge])
    if knowledge not in found:
        raise missing("knowledge")
    return found[knowledge]


@repeat_while_stale
async def verify(
    context: Context,
    access: Access,
    knowledge: str,
    *,
    right: bool,
    expected_version: int | None = None,
) -> Knowledge:
    """Record in person that knowledge of a team is right, or no longer do so.

    Raises Forbidden, NotFound, and Conflict when it has another version than the one expected.
    """
    require_in_person(access, "verifying knowledge")
    found = await require_knowledge(context, access, knowledge)
    _check_version(found, expected_version)
    team, by = await team_of(context, access, found.team), access.viewer.user
    audience = team_audience(found.team, Section.KNOWLEDGE, found.domain)
    step = store.verify_step(
        knowledge, found.version, [audience.key], by=by, right=right, now=context.clock()
    )
    word = "verified" if right else "no longer verified"
    event_steps = team_event_steps(
        context, access, team, "EDIT", f"knowledge {word}", audience, subject_id=knowledge
    )
    await context.graph.write(step, *event_steps)
    signal(context, team.members)
    return await require_knowledge(context, access, knowledge)


@repeat_while_stale
async def revise(
    context: Context,
    access: Access,
    knowledge: str,
    content: str,
    expected_version: int | None = None,
) -> Knowledge:
    """Propose another text for knowledge of a team; returns the knowledge, with the proposal.

    It is for an orchestrator, the team's lead, or in person the owner of the note it was. Once the
    owner and somebody else who decides for the team have consented, the text before stays as a
    revision, and who verified it has to do so again. Raises NotFound, Forbidden, Conflict when it
    has another version than the expected one, and Invalid, also for a text that is about somebody.
    """
    require_writer(access)
    content = check_text(content, "content", MAX_CONTENT)
    found = await require_knowledge(context, access, knowledge)
    team, viewer = await team_of(context, access, found.team), access.viewer
    if not (
        decides_for_team(viewer, team) or (viewer.in_person and viewer.user == found.source_user)
    ):
        raise Forbidden("only its owner, its lead or an orchestrator may change what a team knows")
    _check_version(found, expected_version)
    audience = team_audience(found.team, Section.KNOWLEDGE, found.domain)
    await require_may_post(context, access, [content], found.team)
    content = await check_names_nobody(context, access, team, content)
    if content == found.content:
        return found
    present = await require_present(context, knowledge, audience, found.version)
    words = Words(content=content, title=None, trigger=None, tags=())
    of = (knowledge, found.version)
    proposal = await propose_version(context, access, team, audience, of, present, words)
    return replace(found, proposal=proposal)


def _check_version(found: Knowledge, expected: int | None) -> None:
    if expected is not None and expected != found.version:
        raise Conflict("the knowledge has another version", currentVersion=found.version)


@repeat_while_stale
async def withdraw(context: Context, access: Access, knowledge: str, reason: str | None) -> bool:
    """Withdraw knowledge or a skill from a team's commons; its text is destroyed.

    It is for the owner of the note it was, in person, for an orchestrator, or for the team's lead;
    the note itself does not change. Raises NotFound, and Forbidden for anybody else.
    """
    skills = await team_skills.load(context, access, [knowledge])
    found = skills.get(knowledge) or await require_knowledge(context, access, knowledge)
    team = await team_of(context, access, found.team)
    viewer = access.viewer
    if not (
        decides_for_team(viewer, team) or (viewer.in_person and viewer.user == found.source_user)
    ):
        raise Forbidden("knowledge is withdrawn by its owner, the team's lead or an orchestrator")
    reason = None if reason is None else check_text(reason, "reason", MAX_QUERY, empty=True)
    section, domain, word = (
        (Section.SKILLS, SKILL_DOMAIN, "skill")
        if isinstance(found, Skill)
        else (Section.KNOWLEDGE, found.domain, "knowledge")
    )
    audience = team_audience(team.id, section, domain)
    event_steps = team_event_steps(
        context,
        access,
        team,
        "DELETE",
        f"{word} withdrawn",
        audience,
        subject_id=knowledge,
        data={"reason": reason} if reason else None,
    )
    await context.graph.write(store.withdraw_step(knowledge, [audience.key]), *event_steps)
    signal(context, team.members)
    return True

"""Skills of a team: all members' agents read them, and every use counts for their trust."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.commons import SKILL_DOMAIN, Skill
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Kind, Note, NoteDraft
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Section, Visibility, team_audience
from graphmem.language.keywords import context as one_sentence
from graphmem.services.commons.shared import actor_of, keys_of, signal, team_of, told_steps
from graphmem.services.commons.skills import checked, keywords_of
from graphmem.services.commons.skills import report_skill as report_own
from graphmem.services.context import Access, Context, missing
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import as_said
from graphmem.services.writing.repeating import repeated
from graphmem.services.writing.words import words_of
from graphmem.store import commons as store
from graphmem.store import knowledge
from graphmem.store.graph import Step


async def load(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Skill]:
    """The skills of the viewer's teams among the ids."""
    keys = keys_of(access, Section.SKILLS)
    return await store.load_skills(context.graph, ids, keys, context.clock())


@repeated
async def add_skill(
    context: Context,
    access: Access,
    team: str,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: Sequence[str] | None,
) -> Skill:
    """Add a skill to a team's library, or a new version of the one of this name, which keeps its
    counts, and the trigger and tags that are not given. Raises Invalid, NotFound for another's
    team, and Forbidden for an agent that may only propose."""
    require_writer(access)
    found = await team_of(context, access, team)
    name, procedure, trigger, given = checked(name, procedure, trigger, tags)
    audience = team_audience(found.id, Section.SKILLS, SKILL_DOMAIN)
    now, key = context.clock(), name_key(name)
    owner = audience.owner.name
    known = await store.find_skill(context.graph, owner, key, [audience.key], now)
    agent = access.viewer.agent
    source = (f"{access.viewer.user}/{agent.id}",) if agent else ()
    if known is None:
        note = skill_note(context, access, found, name, procedure, trigger, given or ())
        vector = (await context.embedder.embed_documents([note.reading_text]))[0]
        properties = store.skill_properties(trigger, source) | {"words": words_of(note)}
        steps = [
            store.claim_team_step(found.id, owner, key, audience.key, now),
            *knowledge.create_shared_steps(
                note, vector, properties, actor=actor_of(access.viewer), now=now
            ),
        ]
        skill_id, kind, word = note.id, "CREATE", "added"
    else:
        loaded = await store.load_skills(context.graph, [known], [audience.key], now)
        if known not in loaded:
            raise missing("skill")
        old = loaded[known]
        step = await _renewed(
            context, access, found, audience, old, (procedure, trigger, given), source
        )
        steps, skill_id, kind, word = [step], known, "EDIT", "renewed"
    told = told_steps(context, access, found, kind, f"skill {word}", audience, subject_id=skill_id)
    await context.graph.write(*steps, *told)
    signal(context, found.members)
    made = await store.load_skills(context.graph, [skill_id], [audience.key], now)
    if skill_id not in made:
        raise missing("skill")
    return made[skill_id]


def skill_note(
    context: Context,
    access: Access,
    team: Team,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: tuple[str, ...],
) -> Note:
    """The note that a team's skill is: no user's visibility, no decay."""
    now = context.clock()
    draft = NoteDraft(
        content=procedure, title=name, tags=tags, kind=Kind.PROCEDURAL, domain=SKILL_DOMAIN
    )
    return replace(
        as_said(access, uuid7(now), draft, now, context.writing.half_life_hours),
        user=team_audience(team.id, Section.SKILLS, SKILL_DOMAIN).owner.name,
        section=Section.SKILLS,
        author=None,
        context=one_sentence(procedure),
        keywords=keywords_of(name, trigger, procedure),
        visibility=Visibility.OPEN,
        pinned=True,  # the commons does not decay
        half_life_hours=None,
    )


async def _renewed(
    context: Context,
    access: Access,
    team: Team,
    audience: Audience,
    old: Skill,
    given: tuple[str, str | None, tuple[str, ...] | None],
    source: tuple[str, ...],
) -> Step:
    procedure, trigger, tags = given
    trigger = old.trigger if trigger is None else trigger
    tags = old.tags if tags is None else tags
    note = skill_note(context, access, team, old.name, procedure, trigger, tags)
    properties = {
        "content": procedure,
        "context": note.context,
        "keywords": list(note.keywords),
        "tags": list(tags),
        "trigger": trigger,
        "words": words_of(note),
        "sourceAgents": list(dict.fromkeys((*old.source_agents, *source))),
    }
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    return knowledge.change_shared_step(
        old.id,
        old.version,
        audience,
        properties,
        vector,
        actor=actor_of(access.viewer),
        now=context.clock(),
    )


@repeated
async def report_skill(context: Context, access: Access, skill_id: str, success: bool) -> Skill:
    """Count a use of a readable skill, of a team's or of the user's own. Raises NotFound, and
    Forbidden for an agent that may only propose."""
    now = context.clock()
    loaded = await load(context, access, [skill_id])
    if skill_id not in loaded:
        return await report_own(context, access, skill_id, success)
    require_writer(access)
    found = await team_of(context, access, loaded[skill_id].team)
    audience = team_audience(found.id, Section.SKILLS, SKILL_DOMAIN)
    step = store.report_step(
        skill_id,
        success=success,
        by=access.viewer.user,
        agent=access.viewer.agent.id if access.viewer.agent else None,
        audiences=[audience.key],
        now=now,
    )
    word = "with" if success else "without"
    told = told_steps(
        context,
        access,
        found,
        "EDIT",
        f"skill used {word} success",
        audience,
        subject_id=skill_id,
        data={"success": success},
    )
    await context.graph.write(step, *told)
    signal(context, found.members)
    loaded = await load(context, access, [skill_id])
    if skill_id not in loaded:
        raise missing("skill")
    return loaded[skill_id]

"""Skills of a team: all members' agents read them, and every use counts for their trust."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.commons import SKILL_DOMAIN, Skill
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Kind, Note, NoteDraft
from graphmem.domain.teams import Team
from graphmem.domain.visibility import Audience, Section, Visibility, team_audience
from graphmem.language.keywords import context as one_sentence
from graphmem.services.commons.shared import actor_of, keys_of, signal, team_event_steps, team_of
from graphmem.services.commons.skills import check_skill, check_version, keywords_of
from graphmem.services.commons.skills import report_skill as report_own
from graphmem.services.commons.versions import may_renew, propose_version, require_present
from graphmem.services.context import Access, Context, missing
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_post
from graphmem.services.writing.words import word_properties
from graphmem.store import commons as store
from graphmem.store import knowledge
from graphmem.store.graph import Step
from graphmem.store.versions import Words


async def load(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Skill]:
    """Load the skills of the viewer's teams among the ids."""
    keys = keys_of(access, Section.SKILLS)
    return await store.load_skills(context.graph, ids, keys, context.clock())


@repeat_while_stale
async def add_skill(
    context: Context,
    access: Access,
    team: str,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: Sequence[str] | None,
) -> Skill:
    """Add a skill to a team's library, or a new version of the one of this name.

    A new version keeps the trigger and tags that are not given; its uses are counted from zero. For
    a skill that somebody else wrote, or that two people agreed on, the version is proposed: the
    skill is returned unchanged, with the proposal. Raises Invalid, NotFound for another's team, and
    Forbidden for an agent that may only propose.
    """
    require_writer(access)
    found = await team_of(context, access, team)
    name, procedure, trigger, given = check_skill(name, procedure, trigger, tags)
    said = (name, procedure, trigger or "", *(given or ()))
    await require_may_post(context, access, said, found.id)
    audience = team_audience(found.id, Section.SKILLS, SKILL_DOMAIN)
    now, key = context.clock(), name_key(name)
    owner = audience.owner.name
    known = await store.find_skill(context.graph, owner, key, [audience.key], now)
    agent = access.viewer.agent
    source = (f"{access.viewer.user}/{agent.id}",) if agent else ()
    if known is None:
        note = skill_note(context, access, found, name, procedure, trigger, given or ())
        return await _create(context, access, found, note, audience, trigger, source)
    loaded = await store.load_skills(context.graph, [known], [audience.key], now)
    if known not in loaded:
        raise missing("skill")
    old = loaded[known]
    words = Words(
        content=procedure,
        title=old.name,
        trigger=old.trigger if trigger is None else trigger,
        tags=old.tags if given is None else given,
    )
    present = await require_present(context, known, audience, old.version)
    if may_renew(access.viewer, present):
        return await _add_version(context, access, found, audience, old, words, source)
    if words == Words(content=old.procedure, title=old.name, trigger=old.trigger, tags=old.tags):
        return old
    of = (known, old.version)
    proposal = await propose_version(context, access, found, audience, of, present, words)
    return replace(old, proposal=proposal)


async def _create(
    context: Context,
    access: Access,
    team: Team,
    note: Note,
    audience: Audience,
    trigger: str | None,
    source: tuple[str, ...],
) -> Skill:
    now = context.clock()
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    properties = store.skill_properties(trigger, source) | word_properties(note)
    owner, key = audience.owner.name, name_key(note.title or "")
    steps = [
        store.claim_team_step(team.id, owner, key, audience.key, now),
        *knowledge.create_shared_steps(
            note, vector, properties, actor=actor_of(access.viewer), now=now
        ),
    ]
    return await _write_skill(context, access, team, steps, ("CREATE", "skill added"), note.id)


async def _write_skill(
    context: Context,
    access: Access,
    team: Team,
    steps: Sequence[Step],
    event: tuple[str, str],
    id: str,
) -> Skill:
    """Write the skill with its event, and return it."""
    audience = team_audience(team.id, Section.SKILLS, SKILL_DOMAIN)
    event_steps = team_event_steps(context, access, team, *event, audience, subject_id=id)
    await context.graph.write(*steps, *event_steps)
    signal(context, team.members)
    made = await store.load_skills(context.graph, [id], [audience.key], context.clock())
    if id not in made:
        raise missing("skill")
    return made[id]


def skill_note(
    context: Context,
    access: Access,
    team: Team,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: tuple[str, ...],
) -> Note:
    """Return the note of a team's skill: no user's visibility, and no decay like users' notes."""
    now = context.clock()
    draft = NoteDraft(
        content=procedure, title=name, tags=tags, kind=Kind.PROCEDURAL, domain=SKILL_DOMAIN
    )
    return replace(
        note_as_said(access, uuid7(now), draft, now, context.writing.half_life_hours),
        user=team_audience(team.id, Section.SKILLS, SKILL_DOMAIN).owner.name,
        section=Section.SKILLS,
        author=None,
        context=one_sentence(procedure),
        keywords=keywords_of(name, trigger, procedure),
        visibility=Visibility.OPEN,
        pinned=True,  # the commons has a decay of its own
        half_life_hours=None,
    )


async def _add_version(
    context: Context,
    access: Access,
    team: Team,
    audience: Audience,
    old: Skill,
    words: Words,
    source: tuple[str, ...],
) -> Skill:
    note = skill_note(context, access, team, old.name, words.content, words.trigger, words.tags)
    properties = {
        "content": words.content,
        "context": note.context,
        "keywords": list(note.keywords),
        "tags": list(words.tags),
        "trigger": words.trigger,
        **word_properties(note),
        "sourceAgents": list(dict.fromkeys((*old.source_agents, *source))),
    }
    vector = (await context.embedder.embed_documents([note.reading_text]))[0]
    step = knowledge.change_shared_step(
        old.id,
        old.version,
        audience,
        properties,
        vector,
        actor=actor_of(access.viewer),
        now=context.clock(),
    )
    return await _write_skill(context, access, team, [step], ("EDIT", "skill renewed"), old.id)


@repeat_while_stale
async def report_skill(
    context: Context, access: Access, skill_id: str, success: bool, version: int | None = None
) -> Skill:
    """Count a use of a readable skill, of a team's or of the user's own.

    Raises NotFound, Conflict when it has another version than the one that is given, and Forbidden
    for an agent that may only propose.
    """
    now = context.clock()
    loaded = await load(context, access, [skill_id])
    if skill_id not in loaded:
        return await report_own(context, access, skill_id, success, version)
    require_writer(access)
    check_version(loaded[skill_id], version)
    found = await team_of(context, access, loaded[skill_id].team)
    audience = team_audience(found.id, Section.SKILLS, SKILL_DOMAIN)
    step = store.report_step(
        skill_id,
        success=success,
        by=access.viewer.user,
        agent=access.viewer.agent.id if access.viewer.agent else None,
        version=version,
        audiences=[audience.key],
        now=now,
    )
    word = "with" if success else "without"
    event_steps = team_event_steps(
        context,
        access,
        found,
        "EDIT",
        f"skill used {word} success",
        audience,
        subject_id=skill_id,
        data={"success": success},
    )
    await context.graph.write(step, *event_steps)
    signal(context, found.members)
    loaded = await load(context, access, [skill_id])
    if skill_id not in loaded:
        raise missing("skill")
    return loaded[skill_id]

"""Skills: procedures that can be carried out again, each a note with counts of its results."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphmem.domain.actors import SKILL
from graphmem.domain.commons import MAX_TRIGGER, SKILL_DOMAIN, Skill, trust
from graphmem.domain.drafts import check_name, check_tags, check_text
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import (
    MAX_CONTENT,
    MAX_TITLE,
    Kind,
    Note,
    NoteDraft,
)
from graphmem.domain.visibility import (
    Audience,
    Reading,
    Section,
    Visibility,
    may_read,
    resolve_visibility,
)
from graphmem.errors import Conflict, Invalid, Stale
from graphmem.language.analysis import analyse
from graphmem.language.keywords import context as one_sentence
from graphmem.language.keywords import keywords
from graphmem.language.languages import language_of
from graphmem.services.commons.shared import keys_of
from graphmem.services.context import Access, Context, events_step, missing
from graphmem.services.reading.notes import require_note
from graphmem.services.recall.recall import MAX_QUERY
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, note_event
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import require_may_say
from graphmem.store import commons as store
from graphmem.store import notes
from graphmem.store.changes import same_readers_step

RANKED = 1_000  # skills that one question ranks
SUCCEEDED = 1.2  # a use with success makes the half-life longer (MUMA-11)
ALIKE = 0.25  # cosine from which a skill without the question's words is found; all-MiniLM-L6-v2
#               gives 0.2 to 0.5 to skills that help, up to 0.2 to others
HALF = 0.5  # share of the question's words from which it is found by words


async def list_skills(
    context: Context, access: Access, search: str | None, tags: Sequence[str] | None, first: int
) -> list[Skill]:
    """List the readable skills with all of the tags.

    With a search, those that fit it, best first; without, the most trusted first. Raises Invalid.
    """
    wanted, vector = check_tags(tags or ()), None
    if search is not None:
        search = check_text(search, "search", MAX_QUERY)
        vector = await context.embedder.embed_query(search)
    now = context.clock()
    readable = [*access.by_name, *keys_of(access, Section.SKILLS)]
    found = await store.list_skills(context.graph, readable, wanted, vector, now=now, limit=RANKED)
    ids = [each.id for each in _rank(search, found)][:first]
    loaded = await store.load_skills(context.graph, ids, readable, now)
    return [loaded[i] for i in ids if i in loaded]


def _rank(search: str | None, found: Sequence[store.Ranked]) -> list[store.Ranked]:
    spoken = language_of(search or "")
    terms = frozenset(analyse(search or "", spoken))

    def share(skill: store.Ranked) -> float:
        text = f"{skill.name} {skill.trigger or ''} {' '.join(skill.tags)} {skill.text}"
        return len(terms & frozenset(analyse(text, spoken))) / len(terms) if terms else 0.0

    scored = [(share(skill), skill) for skill in found]
    if search is not None:
        scored = [(s, k) for s, k in scored if s >= HALF or k.similarity >= ALIKE]
    scored.sort(key=lambda each: (-(each[0] + each[1].similarity), -_trust(each[1]), each[1].name))
    return [skill for _, skill in scored]


def _trust(skill: store.Ranked) -> float:
    return trust(skill.success_count, skill.failure_count, skill.users)


@repeat_while_stale
async def add_skill(
    context: Context,
    access: Access,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: Sequence[str] | None,
) -> Skill:
    """Add a skill, or a new version of the readable one of this name.

    A new version keeps its readers and the trigger and tags that are not given; its uses are
    counted from zero. Raises Invalid, and Forbidden for an agent that may only propose.
    """
    require_writer(access)
    name, procedure, trigger, given = check_skill(name, procedure, trigger, tags)
    now = context.clock()
    note = _skill_note(
        access, name, procedure, trigger, given or (), now, context.writing.half_life_hours
    )
    await require_may_say(context, access, [trigger or ""], note.audience)
    readable = _readable_with(access, note.audience)
    key, user = name_key(name), access.viewer.user
    known = await store.find_skill(context.graph, user, key, readable, now)
    if known is None:
        await _create(context, access, note, trigger, readable, now)
    else:
        fresh = replace(access, audiences=(*access.audiences, note.audience))
        await _add_version(context, fresh, known, procedure, trigger, given, now)
    context.signal(user)
    # It is returned to its writer even where a rule gives it readers that the writer is not among.
    keys = readable if known else [*readable, note.audience.key]
    loaded = await store.load_skills(context.graph, [known or note.id], keys, now)
    if not loaded:
        raise missing("skill")  # somebody forgot it since
    return loaded[known or note.id]


def check_version(skill: Skill, version: int | None) -> None:
    """Raise Conflict when the skill has another version than the one that is given."""
    if version is not None and version != skill.version:
        raise Conflict("the skill has another version", currentVersion=skill.version)


def check_skill(
    name: str, procedure: str, trigger: str | None, tags: Sequence[str] | None
) -> tuple[str, str, str | None, tuple[str, ...] | None]:
    """Return the checked fields of a skill, as they are stored. Raises Invalid."""
    name = check_name(name, "name", MAX_TITLE).strip()
    if not name_key(name):
        raise Invalid("name must hold a letter or a digit")
    return (
        name,
        check_text(procedure, "procedure", MAX_CONTENT),
        None if trigger is None else check_text(trigger, "trigger", MAX_TRIGGER),
        None if tags is None else check_tags(tags),
    )


def _readable_with(access: Access, audience: Audience) -> list[str]:
    """Return what the viewer may read, with an audience added since the access was opened."""
    fresh = {audience.key} if may_read(access.viewer, audience, Reading.BY_NAME) else set()
    return sorted(fresh.union(access.by_name))


def _skill_note(
    access: Access,
    name: str,
    procedure: str,
    trigger: str | None,
    tags: tuple[str, ...],
    now: datetime,
    half_life_hours: float,
) -> Note:
    """Return the note of a skill. All agents of the user read it, unless a rule says otherwise."""
    draft = NoteDraft(
        content=procedure, title=name, tags=tags, kind=Kind.PROCEDURAL, domain=SKILL_DOMAIN
    )
    visibility = resolve_visibility(
        domain=SKILL_DOMAIN,
        rules=access.rules,
        classified=Visibility.OPEN,
        default=access.default,
    )
    return replace(
        note_as_said(access, uuid7(now), draft, now, half_life_hours),
        context=one_sentence(procedure),
        keywords=keywords_of(name, trigger, procedure),
        visibility=visibility,
    )


def keywords_of(name: str, trigger: str | None, procedure: str) -> tuple[str, ...]:
    """Return the keywords of a skill.

    Those of its trigger come first, since a recall reads keywords, not the trigger.
    """
    words = (*keywords(f"{name} {trigger or ''}"), *keywords(procedure))
    return tuple(dict.fromkeys(words))[:7]


async def _create(
    context: Context,
    access: Access,
    note: Note,
    trigger: str | None,
    readable: Sequence[str],
    now: datetime,
) -> None:
    sources = [note.author] if note.author else []
    made = WorkingNote.new(
        note,
        "CREATE",
        "skill added",
        draft=NoteDraft(content=note.content, title=note.title),
        vector=(await context.embedder.embed_documents([note.reading_text]))[0],
        properties=store.skill_properties(trigger, sources),
    )
    claim = store.claim_step(note.user, name_key(note.title or ""), readable, now)
    mark = store.mark_step(note.id)
    await apply(context, access, ChangeSet.of(now, [made]), before=[claim], after=[mark])


async def _add_version(
    context: Context,
    access: Access,
    known: str,
    procedure: str,
    trigger: str | None,
    tags: tuple[str, ...] | None,
    now: datetime,
) -> None:
    """Write the skill's next version; raises Stale when it has changed meanwhile."""
    note = await require_note(context, access, known)
    skill = (await store.load_skills(context.graph, [known], access.by_name, now)).get(known)
    if skill is None:
        raise Stale
    agent = access.viewer.agent
    trigger = skill.trigger if trigger is None else trigger
    new = replace(
        note,
        content=procedure,
        context=one_sentence(procedure),
        keywords=keywords_of(skill.name, trigger, procedure),
        tags=note.tags if tags is None else tags,
    )
    sources = (*skill.source_agents, agent.id) if agent else skill.source_agents
    working = WorkingNote.of(note).with_change(
        new,
        now,
        "EDIT",
        "skill renewed",
        details={"content": True, "trigger": [skill.trigger, trigger]},
        properties={
            "trigger": trigger,
            "curatedKey": None,
            "sourceAgents": list(dict.fromkeys(sources)),
        },
    )
    vector = (await context.embedder.embed_documents([new.reading_text]))[0]
    draft = NoteDraft(content=new.content, title=new.title)
    working = replace(working, vector=vector, draft=draft)
    await apply(context, access, ChangeSet.of(now, [working]))


@repeat_while_stale
async def report_skill(
    context: Context, access: Access, skill_id: str, success: bool, version: int | None = None
) -> Skill:
    """Count a use of a readable skill; a successful use strengthens its note.

    Raises NotFound, Conflict if the skill's version differs from the given one, and Forbidden
    for an agent that may only propose.
    """
    require_writer(access)
    now, user = context.clock(), access.viewer.user
    skill = (await store.load_skills(context.graph, [skill_id], access.by_name, now)).get(skill_id)
    if skill is None:
        raise missing("skill")
    check_version(skill, version)
    note = await require_note(context, access, skill_id)
    word = "with" if success else "without"
    data = {"success": success, "by": access.viewer.actor}
    actor = f"{SKILL}{skill.name}"
    event = note_event("EDIT", f"skill used {word} success", note, actor, now, data)
    steps = [
        same_readers_step({note.id: note.audience.key}),
        store.report_step(
            skill_id,
            success=success,
            by=user,
            agent=access.viewer.agent.id if access.viewer.agent else None,
            version=version,
            audiences=access.by_name,
            now=now,
        ),
    ]
    if success:
        steps.append(notes.reinforce_step({skill_id: [now]}, SUCCEEDED))
    await context.graph.write(*steps, events_step(access, [event]))
    context.signal(user)
    loaded = await store.load_skills(context.graph, [skill_id], access.by_name, now)
    if not loaded:
        raise missing("skill")  # somebody forgot it since
    return loaded[skill_id]

"""The write path: drafts become notes, all of a call in one transaction.

This version decides two things: the same text for the same readers strengthens the note that is
there (NOOP), everything else is a new note (ADD)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.actors import WritePermission
from graphmem.domain.construct import context as one_sentence
from graphmem.domain.construct import keywords
from graphmem.domain.drafts import check_draft
from graphmem.domain.ids import digest, uuid7
from graphmem.domain.notes import (
    DEFAULT_DOMAIN,
    DEFAULT_HALF_LIFE_HOURS,
    MAX_BATCH,
    Kind,
    Note,
    NoteDraft,
    NoteType,
    Operation,
    Source,
    Status,
    Tier,
    Validity,
    WriteMode,
)
from graphmem.domain.visibility import resolve
from graphmem.errors import Conflict, Forbidden, GraphmemError, Invalid
from graphmem.services.context import Access, Context
from graphmem.services.deciding import Choice, Plan, decide, may_reread
from graphmem.services.mentions import Written, mention_rows
from graphmem.services.refining import refine_added
from graphmem.store import entities, notes
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Row, Step
from graphmem.store.notes import audience_map

ATTEMPTS = 5  # when another writer was first with an external id, a key or the same text
REINFORCED = 1.1  # a similar new note makes the half-life longer (MUMA-11)


@dataclass(frozen=True)
class Remembered:
    """What became of one draft: an operation with its note, or an error."""

    operation: Operation | None = None
    note: Note | None = None
    reason: str = ""
    error: GraphmemError | None = None


async def remember(
    context: Context, access: Access, draft: NoteDraft, mode: WriteMode = WriteMode.CURATED
) -> Remembered:
    """Remember one note. Raises what `remember_many` reports for it."""
    result = (await remember_many(context, access, [(draft, mode)]))[0]
    if result.error is not None:
        raise result.error
    return result


async def remember_many(
    context: Context, access: Access, drafts: Sequence[tuple[NoteDraft, WriteMode]]
) -> list[Remembered]:
    """Remember up to 500 notes in one transaction, with the same outcome as one by one.

    A bad draft becomes an error of its own and changes nothing for the others. Raises Invalid when
    there are too many, Forbidden when the agent may only propose."""
    if len(drafts) > MAX_BATCH:
        raise Invalid(f"at most {MAX_BATCH} notes at once")
    agent = access.viewer.agent
    if agent is not None and agent.writes is WritePermission.PROPOSE:
        raise Forbidden("this agent may not write by itself")
    now = context.clock()
    results: dict[int, Remembered] = {}
    ids = sorted(uuid7(now) for _ in drafts)  # so that lists and episodes keep the order given
    plans = []
    for index, (draft, mode) in enumerate(drafts):
        try:
            plans.append(_plan(access, index, ids[index], draft, mode, now))
        except GraphmemError as error:
            results[index] = Remembered(error=error)
    vectors = await _embed(context, plans)
    for attempt in range(ATTEMPTS):
        try:
            results |= await _write(context, access, plans, vectors, now)
            break
        except Conflict:
            if attempt == ATTEMPTS - 1:
                raise
    done = [results[index] for index in range(len(drafts))]
    return await refine_added(context, access, drafts, done, ids)


def _plan(
    access: Access,
    index: int,
    note_id: str,
    draft: NoteDraft,
    mode: WriteMode,
    now: datetime,
) -> Plan:
    draft = check_draft(draft, now)
    if draft.session_id is not None:
        raise Invalid("no such session")
    note = _construct(access, note_id, draft, mode, now)
    request = draft.idempotency_key
    author = note.author or ""
    # A writer never changes a note that it can't read, nor learns that there is one.
    merges = mode is WriteMode.CURATED and may_reread(access, note)
    return Plan(
        index=index,
        draft=draft,
        note=note,
        curated_key=_curated_key(note) if merges else None,
        request_key=None if request is None else f"{author}|{request}",
        request_hash=digest(repr(replace(draft, idempotency_key=None, expires_at=None))),
    )


def _construct(
    access: Access,
    note_id: str,
    draft: NoteDraft,
    mode: WriteMode,
    now: datetime,
) -> Note:
    """A note with every field set: what the writer gave, else what the text and the rules say."""
    agent = access.viewer.agent
    curated = mode is WriteMode.CURATED
    domain = draft.domain or DEFAULT_DOMAIN
    visibility = resolve(
        domain=domain,
        rules=access.rules,
        by_user=draft.visibility if agent is None else None,
        by_agent=draft.visibility if agent is not None else None,
        default=access.default,
    )
    words = draft.keywords or (keywords(draft.content) if curated else ())
    happened = draft.occurred_at is not None or draft.episode is not None or not curated
    return Note(
        id=note_id,
        user=access.viewer.user,
        author=agent.id if agent else None,
        external_id=draft.external_id,
        version=1,
        content=draft.content,
        title=draft.title,
        context=one_sentence(draft.content) if curated else None,
        keywords=words,
        tags=draft.tags or (words[:5] if curated else ()),
        kind=draft.kind or (Kind.EPISODIC if happened else Kind.SEMANTIC),
        type=draft.type or NoteType.FACT,
        source=draft.source or (Source.EXPERIENCE if agent else Source.TOLD),
        validity=draft.validity or (Validity.INFERRED if agent else Validity.ASSERTED),
        importance=0.5 if draft.importance is None else draft.importance,
        confidence=(0.6 if agent else 0.9) if draft.confidence is None else draft.confidence,
        load_bearing=draft.load_bearing,
        pinned=draft.pinned,
        domain=domain,
        visibility=visibility,
        tier=Tier.DAILY,
        status=Status.ACTIVE,
        half_life_hours=None if draft.pinned else DEFAULT_HALF_LIFE_HOURS,
        access_count=0,
        accesses=(),
        created_at=now,
        updated_at=now,
        occurred_at=draft.occurred_at,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=draft.expires_at,
        episode=draft.episode,
        speaker=draft.speaker,
        metadata=draft.metadata,
    )


def _curated_key(note: Note) -> str:
    """What two notes share that say the same to the same readers: white space aside, the same
    text, title, speaker, external id and times."""
    times = (note.occurred_at, note.valid_from, note.valid_to, note.expires_at)
    same = (
        " ".join(note.content.split()),
        note.title,
        note.speaker,
        note.episode,
        note.external_id,
    )
    return f"{note.audience.token}{digest(repr((same, [str(t) for t in times])), 40)}"


def reading_text(note: Note) -> str:
    """What of a note is embedded: date, speaker, title and content."""
    date = f"({note.occurred_at:%d %B %Y}) " if note.occurred_at and note.speaker else ""
    speaker = f"{note.speaker}: " if note.speaker else ""
    title = f"{note.title}\n" if note.title else ""
    return f"{title}{date}{speaker}{note.content}"


async def _embed(context: Context, plans: Sequence[Plan]) -> dict[int, list[float]]:
    vectors = await context.embedder.embed_documents([reading_text(plan.note) for plan in plans])
    return {plan.index: vector for plan, vector in zip(plans, vectors, strict=True)}


async def _write(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Mapping[int, list[float]],
    now: datetime,
) -> dict[int, Remembered]:
    choices = await decide(context, _with_audiences(access, plans), plans, now)
    added = [choice.plan for choice in choices if choice.operation is Operation.ADD and choice.new]
    steps = await _steps(context, access, added, choices, vectors, now)
    if steps:
        await context.graph.write(*steps)
        context.signal(access.viewer.user)
    return await _results(context, access, choices, now)


def _with_audiences(access: Access, plans: Sequence[Plan]) -> Access:
    """The access with the audiences of the new notes, which another writer may have made since the
    access was opened; what it may read of them is decided as ever."""
    return replace(access, audiences=(*access.audiences, *(plan.note.audience for plan in plans)))


async def _steps(
    context: Context,
    access: Access,
    added: Sequence[Plan],
    choices: Sequence[Choice],
    vectors: Mapping[int, list[float]],
    now: datetime,
) -> list[Step]:
    viewer = access.viewer
    user, actor = viewer.user, viewer.actor
    steps = []
    if released := [note for choice in choices for note in choice.release]:
        steps.append(Step("notes/release", {"ids": released}))
    if added:
        rows = [_create_row(plan, vectors[plan.index]) for plan in added]
        agent = viewer.agent.id if viewer.agent else None
        steps.append(notes.create_step(rows, user=user, agent=agent, actor=actor, now=now))
        written = [Written(plan.note, plan.draft) for plan in added]
        mentions, relations = await mention_rows(context, user, written)
        if mentions:
            steps.append(entities.mention_step(mentions, user=user, now=now))
        if relations:
            steps.append(entities.relate_step(relations, user=user, now=now))
        chained = [{"id": p.note.id, "episode": p.note.episode} for p in added if p.note.episode]
        if chained:
            steps.append(entities.chain_step(chained, user=user, now=now))
        steps.append(append_step(user, [_event(plan.note, actor, now) for plan in added]))
    again: dict[str, list[datetime]] = {}
    for choice in choices:
        if choice.reinforce:
            again.setdefault(choice.note_id, []).append(now)
    if again:
        steps.append(notes.reinforce_step(again, REINFORCED))
    return steps


def _create_row(plan: Plan, vector: list[float]) -> Row:
    properties = notes.note_properties(plan.note) | {
        "curatedKey": plan.curated_key,
        "visibilityByUser": plan.draft.visibility is not None and plan.note.author is None,
        "idempotencyKey": plan.request_key,
        "requestHash": plan.request_hash if plan.request_key else None,
    }
    return {
        "properties": properties,
        "embedding": vector,
        "audience": audience_map(plan.note.audience),
    }


def _event(note: Note, actor: str, now: datetime) -> Row:
    return event_row(
        "CREATE",
        "note remembered",
        audience=note.audience.key,
        actor=actor,
        at=now,
        subject_id=note.id,
        domain=note.domain,
        data={"kind": note.kind, "type": note.type},
    )


async def _results(
    context: Context, access: Access, choices: Sequence[Choice], now: datetime
) -> dict[int, Remembered]:
    """New notes as written; the notes of NOOPs as they are now."""
    there = {c.note_id for c in choices if c.error is None and not c.new}
    keys = {*access.by_name, *(choice.plan.note.audience.key for choice in choices)}
    loaded = (
        await notes.load_notes(context.graph, sorted(there), sorted(keys), now) if there else {}
    )
    results = {}
    for choice in choices:
        note = choice.plan.note if choice.new else loaded.get(choice.note_id)
        if choice.error is None and note is not None:
            result = Remembered(operation=choice.operation, note=note, reason=choice.reason)
        else:
            result = Remembered(error=choice.error or Conflict("the note has changed since"))
        results[choice.plan.index] = result
    return results

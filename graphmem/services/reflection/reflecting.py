"""Going through the memory (Moltbot 10.3): notes, earlier reflections, and the conclusions.

The result is only a proposal. Everything is read through the gate of the viewer, without USER_ONLY
notes, and each proposal about several notes is about notes of one audience.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphmem.domain.core import Block
from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.notes import Kind, Note, NoteType
from graphmem.domain.reflection import (
    CHANGING,
    Cause,
    Item,
    ItemKind,
    Reflection,
    ReflectionStatus,
)
from graphmem.domain.related import Related, Tagged, related_pairs
from graphmem.errors import Conflict, RateLimited
from graphmem.language import reflection_findings
from graphmem.language.analysis import analyse
from graphmem.language.comparison import surest_first
from graphmem.language.extraction import is_of_conduct
from graphmem.language.reflection_findings import (
    DuplicateGroup,
    NoteSummary,
    NoteText,
    RepeatedSequence,
)
from graphmem.language.reflection_text import skill_name
from graphmem.services.conflicts import list_conflicts
from graphmem.services.context import Access, Context, user_audience
from graphmem.services.core import automatic
from graphmem.services.reflection.archived import add_archived
from graphmem.services.reflection.deferred import deferred_items
from graphmem.services.reflection.drafts import MOST, Pass, choose_items
from graphmem.services.reflection.evolution import OFTEN, insights, milestones, questions
from graphmem.services.reflection.reading import Shown, load_all, maker_of, show
from graphmem.services.reflection.topics import notes_about
from graphmem.store import commons
from graphmem.store import reflection as store
from graphmem.store.events import append_step, event_row

PAGE = 1_000  # notes read by one query
MOST_NOTES = 20_000  # the newest, read without their texts
MOST_TEXTS = 5_000  # episodes and facts, compared with each other
MOST_TAGGED = 5_000  # notes compared by tags
REVIEWED = 200  # earlier reflections
THINGS = 2  # shared entities from which two notes may be linked
SOURCES = 10  # notes that one fact names
_PASSING = (NoteType.EVENT, NoteType.EMOTION, NoteType.TASK)  # repeating these does not make a fact
TELLING = (ItemKind.CONTRADICTION, ItemKind.FACT, ItemKind.PROCEDURE, ItemKind.SKILL)
HOUR = timedelta(hours=1)
ATTEMPTS = 3  # attempts while the same maker reflects at the same time


async def reflect(context: Context, access: Access, topic: str | None = None) -> Shown:
    """Go through what the viewer may read and propose conclusions.

    With a topic, only notes about it. Nothing is changed until the user decides. Raises Invalid for
    a topic that is not a text, RateLimited when the viewer has asked too often in the last hour,
    and Conflict when the viewer reflects too often at once.
    """
    since = context.clock() - HOUR
    maker, most = maker_of(access), context.reflecting.most_an_hour
    if await store.made_since(context.graph, access.viewer.user, maker, since) >= most:
        raise RateLimited(f"at most {most} reflections an hour; try again later")
    made = await _make_reflection(context, access, Cause.ASKED, topic)
    assert made is not None
    return made


async def reflect_if_new(context: Context, access: Access, cause: Cause) -> Shown | None:
    """Reflect unasked: not soon after another one, and by schedule only with items to decide."""
    now, maker = context.clock(), maker_of(access)
    since = now - context.reflecting.min_interval
    if await store.made_since(context.graph, access.viewer.user, maker, since):
        return None
    return await _make_reflection(context, access, cause, None)


async def _make_reflection(
    context: Context, access: Access, cause: Cause, topic: str | None
) -> Shown | None:
    """Make a reflection and store it."""
    # a scheduled one begins each night, and mostly proposes nothing
    if cause is not Cause.SCHEDULE:
        await _announce_start(context, access, cause)
    for attempt in range(ATTEMPTS):
        made = await look_through(context, access, cause, topic)
        kinds = {item.kind for item in made.reflection.items}
        if cause is Cause.SCHEDULE and not kinds & {
            *CHANGING,
            ItemKind.QUESTION,
            ItemKind.PROPOSAL,
        }:
            return None
        try:
            await _store(context, access, made.reflection)
        except Conflict:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        return made
    raise AssertionError


async def _announce_start(context: Context, access: Access, cause: Cause) -> None:
    """Notify the user in person that a reflection has begun; storing it has its own event."""
    user = access.viewer.user
    event = event_row(
        "EDIT",
        "reflection begun",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=context.clock(),
        channel="state_change",
        data={"cause": cause},
    )
    await context.graph.write(append_step(user, [event]))
    context.signal(user)


async def _store(context: Context, access: Access, found: Reflection) -> None:
    user = access.viewer.user
    event = event_row(
        "PROPOSE",
        "reflection proposed",
        audience=user_audience(user),  # the user decides
        actor=access.viewer.actor,
        at=found.at,
        subject_id=found.id,
        data={"reflection": found.name, "items": len(found.items), "cause": found.cause},
    )
    await context.graph.write(store.create_step(found, user), append_step(user, [event]))
    context.signal(user)


async def look_through(
    context: Context, access: Access, cause: Cause, topic: str | None = None
) -> Shown:
    """Return what a reflection would propose now; nothing is written."""
    pass_ = await _newest_notes(context, access)
    if topic is not None:
        pass_.notes = await notes_about(context, access, topic, pass_.notes)
    await _consolidate(context, access, pass_)
    if topic is None:
        await add_archived(context, access, pass_)
    drafts = await context.bulk_texts.run(lambda _: choose_items(pass_))
    about, asked = await context.bulk_texts.run(lambda _: _insights_and_questions(pass_))
    waiting = [] if topic is not None else await deferred_items(context, access, pass_)
    counts = Counter(str(note.kind) for note in pass_.notes.values())
    whole = Reflection(
        id=uuid7(pass_.now),
        number=pass_.number,
        maker=maker_of(access),
        status=ReflectionStatus.PENDING,
        at=pass_.now,
        items=(*drafts, *about, *asked, *waiting),
        numbers={
            **counts,
            "reviewed": len(pass_.own),
            "cause": cause,
            "archiveBelow": pass_.decay.archive_threshold,
        },
        tokens_used=context.reflecting.token_budget,
        token_budget=context.reflecting.token_budget,
    )
    return await _cut_to_budget(context, access, whole, len(drafts))


def _insights_and_questions(pass_: Pass) -> tuple[list[Item], list[Item]]:
    """Return the insights that go with the drafts, and the questions."""
    about = insights(pass_.own, pass_.notes.values(), pass_.busy, pass_.now)
    about += milestones(pass_.own, pass_.number, pass_.now)
    return about, questions(pass_.past, pass_.notes.values(), pass_.now, pass_.decay)


async def _newest_notes(context: Context, access: Access) -> Pass:
    """Phase 1: load the notes, and find out which topics are busy."""
    now, user, maker = context.clock(), access.viewer.user, maker_of(access)
    notes: dict[str, NoteSummary] = {}
    async for page in store.list_summaries(
        context.graph, automatic(access), now, page=PAGE, most=MOST_NOTES
    ):
        notes |= {note.id: note for note in page}
    past = await store.list_reflections(context.graph, user, maker=maker, limit=REVIEWED)
    number, last = await store.newest_of(context.graph, user, maker)
    made = Pass(
        now=now,
        notes=notes,
        past=past,
        own=[each for each in past if each.maker == maker],
        number=number + 1,
        decay=context.ranking.decay,
    )
    made.busy = reflection_findings.topic_counts(notes.values(), last)
    return made


async def _consolidate(context: Context, access: Access, made: Pass) -> None:
    """Phase 3: find contradictions, repetitions, connections, and faded notes."""
    await _add_contradictions(context, access, made)
    wanted = [n for n in made.notes.values() if n.kind is not Kind.PROCEDURAL][:MOST_TEXTS]
    texts = {
        i: note.content
        for i, note in (await load_all(context, access, [n.id for n in wanted])).items()
    }
    compared = await context.bulk_texts.run(
        lambda go: reflection_findings.comparable_texts(wanted, texts, analyse, go)
    )
    groups = await context.bulk_texts.run(
        lambda go: reflection_findings.near_duplicates(compared, go)
    )
    unknown = [group for group in groups if not group.known]
    runs = await context.bulk_texts.run(lambda _: reflection_findings.repeated_sequences(unknown))
    _add_procedures(made, runs)
    in_runs = {each.note.id for run in runs for each in (*run.steps, *run.others)}
    rest = [group for group in unknown if group.members[0].note.id not in in_runs]
    await context.bulk_texts.run(lambda check: _add_facts(context, made, rest, check))
    alike = {m.note.id: i for i, group in enumerate(groups) for m in group.members}
    await _add_links(context, made, alike)
    await _add_skills(context, access, made)
    await context.bulk_texts.run(lambda _: _add_faded(made))
    _add_core_changes(made, texts)


async def _add_contradictions(context: Context, access: Access, made: Pass) -> None:
    found = await list_conflicts(
        context, access, is_open=True, first=MOST[ItemKind.CONTRADICTION] * 5, alike=True
    )
    pairs = [each for each in found if all(note in made.notes for note in each.notes)]
    loaded = await load_all(context, access, sorted({n for each in pairs for n in each.notes}))
    taken: set[str] = set()
    for each in pairs:
        if taken & set(each.notes) or any(note not in loaded for note in each.notes):
            continue
        keep, other = _keep_first(*(loaded[note] for note in each.notes))
        if keep.audience != other.audience or other.pinned or other.load_bearing:
            continue
        taken |= set(each.notes)
        made.add(
            ItemKind.CONTRADICTION,
            [made.notes[keep.id], made.notes[other.id]],
            conflict=each.id,
            similarity=each.similarity,
            verdict=each.verdict,
        )


def _keep_first(one: Note, other: Note) -> tuple[Note, Note]:
    """Return the note that is kept first: pinned or load-bearing, then surer, then newer."""
    first, second = surest_first(one, other)
    kept = second.pinned or second.load_bearing
    return (second, first) if kept and not (first.pinned or first.load_bearing) else (first, second)


def _add_procedures(made: Pass, runs: Sequence[RepeatedSequence]) -> None:
    for run in runs:
        steps = [each.note for each in run.steps]
        others = [each.note for each in run.others][:SOURCES]
        made.add(ItemKind.PROCEDURE, [*steps, *others], steps=len(steps), episodes=run.episodes)


def _add_facts(
    context: Context, made: Pass, groups: Sequence[DuplicateGroup], check: Callable[[], None]
) -> None:
    """Add facts that episodes repeat and no fact says yet; not those that were changed later."""
    chosen: list[tuple[DuplicateGroup, Extraction]] = []
    for group in groups:
        check()
        if len(group.newest.terms) < reflection_findings.FEWEST_TERMS:
            continue
        said = _extract(context, group.newest, made.now)
        if said.type not in _PASSING:
            chosen.append((group, said))
        if len(chosen) == 2 * MOST[ItemKind.FACT]:
            break
    by_time = sorted((g.newest for g, _ in chosen), key=lambda t: (t.note.happened_at, t.note.id))
    for group, said in chosen:
        check()
        latest = group.newest
        later = by_time[by_time.index(latest) + 1 :]
        if any(reflection_findings.is_outdated(latest, other) for other in later):
            continue
        others = [m.note for m in group.members if m is not latest][-(SOURCES - 1) :]
        count = len(group.members)
        if said.kind is Kind.PROCEDURAL:
            made.add(ItemKind.PROCEDURE, [latest.note, *others], steps=1, episodes=count)
        else:
            made.add(ItemKind.FACT, [latest.note, *others], told=count)


def _extract(context: Context, episode: NoteText, now: datetime) -> Extraction:
    return context.extractor(episode.text, title=None, speaker=None, occurred_at=None, now=now)


async def _add_links(context: Context, made: Pass, alike: dict[str, int]) -> None:
    """Add links between unlinked notes of one audience that share tags or entities, no copies."""
    audiences: dict[str, list[NoteSummary]] = defaultdict(list)
    for note in list(made.notes.values())[:MOST_TAGGED]:
        audiences[note.audience].append(note)
    rules = context.ranking.related_memories
    ways = (("things", replace(rules, tag_overlap_threshold=THINGS)), ("tags", rules))
    found: dict[tuple[str, str], tuple[Related, str]] = {}
    for notes in audiences.values():
        for of, wanted in ways:  # tags win if both are shared
            tagged = [
                Tagged(note.id, note.things if of == "things" else note.tags) for note in notes
            ]
            pairs = await context.bulk_texts.run(
                lambda check, tagged=tagged, wanted=wanted: related_pairs(
                    tagged, frozenset(), wanted, check
                )
            )
            found |= {(p.one, p.other): (p, of) for p in pairs}
    best = sorted(found.values(), key=lambda each: (-each[0].shared, each[0].one, each[0].other))
    best = [each for each in best if alike.get(each[0].one, -1) != alike.get(each[0].other, -2)]
    best = best[: 20 * MOST[ItemKind.LINK]]
    linked = await store.linked_pairs(context.graph, [(pair.one, pair.other) for pair, _ in best])
    for pair, of in best:
        if (pair.one, pair.other) not in linked:
            ends = [made.notes[pair.one], made.notes[pair.other]]
            numbers = {"shared": pair.shared, "of": of, "strength": pair.strength}
            made.add(ItemKind.LINK, ends, **numbers)


async def _add_skills(context: Context, access: Access, made: Pass) -> None:
    """Add procedures that were used with success, the most used first.

    Those with the name of an existing skill are left out.
    """
    proven = sorted(
        (note for note in made.notes.values() if note.is_proven),
        key=lambda note: (-note.access_count, note.id),
    )[: 2 * MOST[ItemKind.SKILL]]
    loaded = await load_all(context, access, [note.id for note in proven])
    for note in [each for each in proven if each.id in loaded]:
        key = name_key(skill_name(loaded[note.id]))
        user, keys = access.viewer.user, access.by_name
        if await commons.find_skill(context.graph, user, key, keys, made.now) is None:
            made.add(ItemKind.SKILL, [note])


def _add_faded(made: Pass) -> None:
    """Propose to archive faded notes, except those that another proposed item is made from."""
    used = {note for draft in made.drafts if draft.item.kind in TELLING for note in draft.item.ids}
    for note, score in reflection_findings.fading_notes(
        made.notes.values(), made.now, made.decay.archive_threshold, made.decay
    ):
        if note.id not in used:
            days = (made.now.date() - note.last_used_at.date()).days
            made.add(ItemKind.ARCHIVE, [note], score=round(score, 3), days=days)


def _add_core_changes(made: Pass, texts: Mapping[str, str]) -> None:
    """Phase 4: propose changes of core memory.

    Facts that are often used become critical facts, or lines of the persona where they say how to
    behave; lines of the active context and of the persona that have faded go. The cap holds
    whatever is added, since core memory is cut when it is read.
    """
    disputed = {note for draft in made.drafts for note in draft.item.ids if draft.item.archives}
    often = reflection_findings.often_used(made.notes.values(), OFTEN)
    for note in [n for n in often if n.kind is Kind.SEMANTIC][: MOST[ItemKind.CORE] // 2]:
        block = Block.PERSONA if is_of_conduct(texts.get(note.id, "")) else Block.CRITICAL
        made.add(ItemKind.CORE, [note], does="promote", block=block)
    for block in (Block.CONTEXT, Block.PERSONA):
        faded = reflection_findings.stale_lines(made.notes.values(), block, made.now, made.decay)
        for note, _ in faded:
            if note.id not in disputed:
                made.add(ItemKind.CORE, [note], does="demote", block=block)


async def _cut_to_budget(
    context: Context, access: Access, whole: Reflection, proposed: int
) -> Shown:
    """Phase 5: add the summary, and cut the proposals to the budget of tokens, from the end."""
    [shown] = await show(context, access, [whole])
    while (used := _count_tokens(context, shown)) > whole.token_budget and shown.words:
        over = max(1, (used - whole.token_budget) * len(shown.words) // (2 * used))
        cut = max(proposed - over, 0) if proposed else 0
        drop = slice(cut, proposed) if proposed else slice(len(shown.words) - 1, None)
        items, words = list(shown.reflection.items), list(shown.words)
        del items[drop], words[drop]
        proposed = cut
        shown = replace(shown, reflection=replace(whole, items=tuple(items)), words=tuple(words))
    return replace(shown, reflection=replace(shown.reflection, tokens_used=used))


def _count_tokens(context: Context, shown: Shown) -> int:
    """Count the tokens of a reflection: the summary and what each item would change."""
    count = context.embedder.count_tokens
    return count(shown.markdown) + sum(count(str(w.diff)) for w in shown.words if w.diff)

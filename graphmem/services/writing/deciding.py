"""DECIDE: what becomes of a draft, given the notes of the graph and the drafts before it.

Everything is decided on working notes: those near the drafts as the graph has them, changed in
memory draft by draft, so that many drafts have the same result as one by one. The result is a
change set; the write comes after."""

import asyncio
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.alerts import file_of
from graphmem.domain.notes import Note, Operation, Status
from graphmem.domain.visibility import Reading, may_read
from graphmem.domain.writing import Writing
from graphmem.errors import Forbidden
from graphmem.language.comparison import (
    Comparison,
    TextVerdict,
    compare,
    differs_in_value,
    valid_since,
)
from graphmem.services.context import Access, Context
from graphmem.services.writing.building import ChangeSetBuilder
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.extraction import grow_note, surer
from graphmem.services.writing.judging import Judged, judge_elsewhere, judge_own
from graphmem.services.writing.known import Known, find_repetition, read_known
from graphmem.services.writing.linking import connect_and_evolve
from graphmem.services.writing.plans import Choice, Plan
from graphmem.store.deciding import NearNotes, Wanted, find_nearest
from graphmem.store.notes import ExternalId, WrittenBefore

_OUT_OF_DATE = Comparison(TextVerdict.REPLACES, "it changes what that one said")
_IN_DOUBT = "an older one may be out of date, see conflicts"

PIECE = 25  # plans; while the notes near some are read, the model encodes the next
Vectors = Sequence[asyncio.Future[list[list[float]]]]  # one for each piece of the plans


@dataclass(frozen=True)
class _NearPiece:
    """The notes near a piece of the plans, and the notes that were read up to it."""

    vectors: Sequence[Sequence[float]]
    found: NearNotes
    seen: Set[str]


async def decide(
    context: Context,
    access: Access,
    plans: Sequence[Plan],
    vectors: Vectors,
    now: datetime,
    *,
    evolving: bool = True,
) -> tuple[list[Choice], ChangeSet]:
    """Return one choice for each plan, earlier plans counting as written, and the change set.

    `evolving` off: linked notes are not refined, as many writers would refine the same ones."""
    by_name = own_audiences(access, plans)
    reading: list[asyncio.Task[_NearPiece]] = []
    for piece, encoding in zip(pieces(plans), vectors, strict=True):
        near = _read_near(context, piece, encoding, by_name, now, reading[-1:])
        reading.append(asyncio.create_task(near))
        # Fetch the error even after an earlier one: asyncio would log it with its trace.
        reading[-1].add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        known = await read_known(context, access, plans, by_name, now)
        changes = ChangeSetBuilder(now, evolving=evolving)
        choices = []
        for piece, near in zip(pieces(plans), reading, strict=True):
            read = await near
            changes.add_near_notes(read.found)
            for plan, vector in zip(piece, read.vectors, strict=True):
                choice = find_repetition(changes, known, plan)
                if choice is None:
                    choice = await _decide_one(context, access, changes, known, plan, vector)
                    await asyncio.sleep(0)  # others are served between the notes of a batch
                choices.append(choice)
        return choices, changes.result()
    finally:
        for near in reading:  # a caller that gets an error waits for none of them
            near.cancel()


def pieces(plans: Sequence[Plan]) -> list[Sequence[Plan]]:
    """Split the plans into the pieces that are encoded, and compared to the graph, together."""
    return [plans[start : start + PIECE] for start in range(0, len(plans), PIECE)]


async def _read_near(
    context: Context,
    plans: Sequence[Plan],
    encoding: asyncio.Future[list[list[float]]],
    by_name: Sequence[str],
    now: datetime,
    before: Sequence[asyncio.Task[_NearPiece]],
) -> _NearPiece:
    """Return the vectors of a piece and what is near them, except notes that were read `before`."""
    vectors = await asyncio.shield(encoding)  # another attempt may need it
    seen = {note for task in before for note in (await task).seen}
    wanted = [
        Wanted(
            plan.index,
            vector,
            plan.note.audience.key,
            [key for key in by_name if key != plan.note.audience.key],
        )
        for plan, vector in zip(plans, vectors, strict=True)
        if plan.curated
    ]
    found = await find_nearest(context.graph, wanted, now, except_ids=seen)
    return _NearPiece(vectors, found, seen | found.notes.keys())


def own_audiences(access: Access, plans: Sequence[Plan]) -> list[str]:
    """Return the audiences that the viewer may read, with new ones of the plans' notes."""
    fresh = {plan.note.audience.key for plan in plans if may_reread(access, plan.note)}
    return sorted(fresh.union(access.by_name))


def may_reread(access: Access, note: Note) -> bool:
    """Return True if the writer may read notes of its audience; agents write for others, too."""
    return may_read(access.viewer, note.audience, Reading.BY_NAME)


def _unreadable_reason(note: Note) -> str:
    """Return the reason that an agent gets for a note that it writes and may not read itself."""
    return f"added for others: you read no {note.visibility} notes in {note.domain}"


async def _decide_one(
    context: Context,
    access: Access,
    changes: ChangeSetBuilder,
    known: Known,
    plan: Plan,
    vector: Sequence[float],
) -> Choice:
    if (reason := known.copies.refused.get(plan.note.id)) is not None:
        return Choice(plan, error=Forbidden(reason))
    if plan.note.id in known.copies.decided:  # kept by itself: merged, it would lose the decision
        plan = replace(plan, curated=False, decided=True)
    stale = [
        known.external.get(plan.external_key or ""),
        known.requests.get(plan.request_key or ""),
    ]
    changes.released += dict.fromkeys(each.note for each in stale if each is not None)
    near = changes.near(plan.index, plan.note, vector) if plan.curated else []
    choice = await _choose(context, access, changes, plan, vector, near)
    if choice.note_id == plan.note.id:
        note, key = choice.note_id, plan.external_key
        if key:
            known.external[key] = ExternalId(key, note, live=True, says=plan.note.content)
        if key := plan.request_key:
            known.requests[key] = WrittenBefore(
                key, note, choice.operation, plan.request_hash, live=True, by_request=True
            )
        key = plan.curated_key
        if key and choice.note is not None and choice.note.status is Status.ACTIVE:
            known.texts[key] = WrittenBefore(
                key, note, choice.operation, None, live=True, by_request=False
            )
    return choice


async def _choose(
    context: Context,
    access: Access,
    changes: ChangeSetBuilder,
    plan: Plan,
    vector: Sequence[float],
    near: Sequence[tuple[WorkingNote, float]],
) -> Choice:
    """Choose NOOP before DELETE before UPDATE before ADD, by the notes near; if unclear, ADD."""
    weighed = _weigh(access, plan, near, context.writing.write_k)
    for working, _, found in weighed:
        if found.verdict is TextVerdict.SAME and _is_mergeable(working.note, plan.note):
            note = changes.reinforce(working.id, plan.note, plan.given)
            reason = f"{found.reason}; the note was strengthened"
            return Choice(plan, Operation.NOOP, note.id, reason, note=note)
    replaced = [
        (working, found)
        for working, _, found in weighed
        if found.verdict is TextVerdict.REPLACES and _may_replace(access, working.note, plan.note)
    ]
    if replaced:
        elsewhere = await judge_elsewhere(context, plan.note, near)
        return _supersede(context, access, changes, plan, vector, near, replaced, elsewhere)
    older = next(
        (working for working, _, found in weighed if _is_history(working, plan, found)), None
    )
    if older is not None:
        return _add_history(changes, plan, vector, older)
    for working, _, found in weighed:
        if found.verdict is TextVerdict.EXTENDS and _is_mergeable(working.note, plan.note):
            updated = await _update(context, changes, plan, working, found, near)
            if updated is not None:
                return updated
    own, elsewhere = await asyncio.gather(
        judge_own(context, plan.note, near, weighed), judge_elsewhere(context, plan.note, near)
    )
    if (same := _find_same(context.writing, plan, own)) is not None:
        note = changes.reinforce(same.id, plan.note, plan.given)
        reason = "the note there says the same in other words; it was strengthened"
        return Choice(plan, Operation.NOOP, note.id, reason, note=note)
    judged = [*own, *elsewhere]
    replaced = [
        (each.working, _OUT_OF_DATE)
        for each in own
        if each.verdict.replaced >= context.writing.outdated
        and each.working.note.title == plan.note.title
        and _may_replace(access, each.working.note, plan.note)
    ]
    if replaced:
        return _supersede(context, access, changes, plan, vector, near, replaced, judged)
    return _add_note(context, access, changes, plan, vector, near, weighed, judged)


def _find_same(rules: Writing, plan: Plan, judged: Sequence[Judged]) -> WorkingNote | None:
    """Return the note with the same readers and meaning, if sure; never if values differ."""
    if any(each.verdict.outdated >= rules.in_doubt for each in judged):
        return None
    for each in judged:
        old = each.working.note
        alike = each.verdict.same >= rules.same and _is_mergeable(old, plan.note)
        if alike and not differs_in_value(old.content, plan.note.content):
            return each.working
    return None


def _add_note(
    context: Context,
    access: Access,
    changes: ChangeSetBuilder,
    plan: Plan,
    vector: Sequence[float],
    near: Sequence[tuple[WorkingNote, float]],
    weighed: Sequence[tuple[WorkingNote, float, Comparison]],
    judged: Sequence[Judged],
) -> Choice:
    rules = context.writing
    made = changes.add(plan, plan.note, vector)
    reason = "no note says the same" if plan.readable else _unreadable_reason(plan.note)
    if _record_doubts(rules, access, changes, made, judged):
        reason = f"no note says the same; {_IN_DOUBT}"
    for working, similarity, found in weighed:
        near_enough = similarity > rules.conflict_similarity
        contradicted = found.verdict is TextVerdict.CONTRADICTS and near_enough
        if contradicted or found.verdict is TextVerdict.REPLACES:
            reason = f"no note says the same; one says otherwise: {found.reason}"
            update = _may_replace(access, working.note, made)
            changes.conflict(working.id, made.id, similarity, update=update)
    connect_and_evolve(changes, made.id, near)
    return Choice(plan, Operation.ADD, made.id, reason, note=made)


def _record_doubts(
    rules: Writing,
    access: Access,
    changes: ChangeSetBuilder,
    made: Note,
    judged: Sequence[Judged],
) -> bool:
    """Record which older notes may be out of date; return True if there are any."""
    doubted = [each for each in judged if each.verdict.outdated >= rules.in_doubt]
    for each in doubted:
        update = _may_replace(access, each.working.note, made)
        changes.conflict(each.working.id, made.id, each.similarity, update=update)
    return bool(doubted)


def _weigh(
    access: Access, plan: Plan, near: Sequence[tuple[WorkingNote, float]], most: int
) -> list[tuple[WorkingNote, float, Comparison]]:
    """Compare the draft to curated notes of its audience; agents skip files that agents follow."""
    audience, in_person = plan.note.audience, access.viewer.in_person
    own = [
        (working, similarity)
        for working, similarity in near
        if working.audience == audience
        and working.note.context is not None
        and (in_person or file_of(working.note) is None)
    ]
    return [
        (working, similarity, _compare_notes(working.note, plan.note, similarity))
        for working, similarity in own[:most]
        if (working.note.title, working.note.speaker) == (plan.note.title, plan.note.speaker)
    ]


def _compare_notes(old: Note, new: Note, similarity: float) -> Comparison:
    if valid_since(new) >= valid_since(old):
        return compare(old.content, new.content, similarity)
    found = compare(old.content, new.content, similarity)
    if found.verdict in (TextVerdict.REPLACES, TextVerdict.SAME, TextVerdict.EXTENDS):
        return found
    turned = compare(new.content, old.content, similarity)
    return turned if turned.verdict is TextVerdict.REPLACES else found


def _is_mergeable(old: Note, new: Note) -> bool:
    """Return True if two wordings can be one note, so that nothing the writer gave is lost."""
    return (
        old.title == new.title
        and old.episode == new.episode
        and old.occurred_at == new.occurred_at
        and old.valid_from == new.valid_from
        and old.valid_to == new.valid_to
        and old.expires_at == new.expires_at
        and new.external_id is None
    )


def _may_replace(access: Access, old: Note, new: Note) -> bool:
    """Return True if the new note may replace the old one.

    An older event does not win, nor what is less sure, nor what holds for a time only; load-bearing
    and pinned notes only give way to the user in person."""
    if valid_since(new) < valid_since(old) or surer(new.validity, old.validity) is not new.validity:
        return False
    if new.valid_to is not None or (new.expires_at is not None and old.expires_at is None):
        return False
    return access.viewer.in_person or not (old.load_bearing or old.pinned)


def _is_history(working: WorkingNote, plan: Plan, found: Comparison) -> bool:
    return found.verdict is TextVerdict.REPLACES and valid_since(plan.note) < valid_since(
        working.note
    )


def _supersede(
    context: Context,
    access: Access,
    changes: ChangeSetBuilder,
    plan: Plan,
    vector: Sequence[float],
    near: Sequence[tuple[WorkingNote, float]],
    replaced: Sequence[tuple[WorkingNote, Comparison]],
    judged: Sequence[Judged],
) -> Choice:
    made = changes.add(replace(plan, operation=Operation.DELETE), plan.note, vector)
    affected = [
        changes.supersede(working.id, made.id, valid_since(plan.note), found.reason)
        for working, found in replaced
    ]
    gone = {working.id for working, _ in replaced}
    remaining = [each for each in judged if each.working.id not in gone]
    doubted = _record_doubts(context.writing, access, changes, made, remaining)
    connect_and_evolve(changes, made.id, near)
    reason = f"takes the place of an older note: {replaced[0][1].reason}"
    return Choice(
        plan,
        Operation.DELETE,
        made.id,
        f"{reason}; {_IN_DOUBT}" if doubted else reason,
        note=made,
        affected=tuple(affected),
    )


def _add_history(
    changes: ChangeSetBuilder, plan: Plan, vector: Sequence[float], newer: WorkingNote
) -> Choice:
    """Add an older state that was written later as what was true until the newer one."""
    past = replace(
        plan.note,
        status=Status.SUPERSEDED,
        valid_from=valid_since(plan.note),
        valid_to=valid_since(newer.note),
    )
    made = changes.add(plan, past, vector)
    reason = "tells what was so before; the newer note stays"
    changes.superseded.append((newer.id, made.id, reason))
    return Choice(plan, Operation.ADD, made.id, reason, note=made)


async def _update(
    context: Context,
    changes: ChangeSetBuilder,
    plan: Plan,
    working: WorkingNote,
    found: Comparison,
    near: Sequence[tuple[WorkingNote, float]],
) -> Choice | None:
    new = await context.texts.run(
        lambda _: grow_note(context.extractor, working, plan.note, plan.given, changes.now)
    )
    if new is None:
        return None  # too long for one note
    vector = (await context.embedder.embed_documents([new.reading_text]))[0]
    changes.update(working.id, new, plan.note, plan.draft, vector)
    connect_and_evolve(changes, working.id, near)
    reason = f"{found.reason}; the note there was made to say it"
    return Choice(plan, Operation.UPDATE, working.id, reason, note=changes.notes[working.id].note)

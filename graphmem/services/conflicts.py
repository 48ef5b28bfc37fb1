"""Conflicts: the sweep that settles them, those that wait for the user, and the decision."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime

import structlog

from graphmem.domain.copies import NoteCopy
from graphmem.domain.notes import MAX_CONTENT, Kind, Note, Status, Validity
from graphmem.errors import Conflict as Conflicting
from graphmem.errors import Forbidden, Invalid
from graphmem.language.comparison import (
    ConflictAction,
    ConflictFound,
    ConflictJudgement,
    ConflictVerdict,
    Deduplication,
    judge_conflict,
    least_similarity,
    merged_text,
    surest_first,
)
from graphmem.services.context import Access, Context, missing
from graphmem.services.reading.notes import load_many
from graphmem.services.writing.applying import apply
from graphmem.services.writing.building import ChangeSetBuilder
from graphmem.services.writing.change_set import ChangeSet, WorkingNote, note_event
from graphmem.services.writing.changing import require_writer
from graphmem.services.writing.extraction import extract_note, surer
from graphmem.services.writing.repeating import repeat_while_stale
from graphmem.services.writing.rights import decisions_of
from graphmem.store import conflicts as store
from graphmem.store.changes import unchanged_step
from graphmem.store.conflicts import ConflictState
from graphmem.store.deciding import NearNotes
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.rows import EventRow

MAX_PAGE = 200
log = structlog.get_logger(__name__)
_LOOKED_AT = 10  # pairs read for each one that may be settled


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """The counts of a sweep, which its job run reports."""

    candidates: int = 0  # near copies, above the threshold of deduplication
    merged: int = 0
    copies: int = 0  # pairs that are left for `merge_notes`
    deprecated: int = 0
    archived: int = 0
    flagged: int = 0

    @property
    def markdown(self) -> str:
        """The counts as a list for people."""
        return (
            f"- near copies seen: {self.candidates}\n- merged: {self.merged}\n"
            f"- deprecated: {self.deprecated}\n- archived: {self.archived}\n"
            f"- conflicts for you to settle: {self.flagged}\n"
        )

    def plus(self, other: "Sweep") -> "Sweep":
        """Return the sum of two sweeps."""
        names = [each.name for each in fields(self)]
        return Sweep(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def settled(self) -> int:
        """The number of pairs that were settled or flagged."""
        return self.merged + self.copies + self.deprecated + self.archived + self.flagged


async def list_conflicts(
    context: Context, access: Access, *, is_open: bool, first: int, alike: bool = False
) -> list[ConflictFound]:
    """List open or settled conflicts between notes that the viewer may read, newest first.

    `alike`: only those between notes with the same readers.
    """
    return await store.list_conflicts(
        context.graph,
        access.viewer.user,
        access.of_events,
        context.clock(),
        is_open=[is_open],
        limit=first,
        alike=alike,
    )


@repeat_while_stale
async def resolve_conflict(
    context: Context, access: Access, conflict_id: str, verdict: ConflictVerdict, keep: str | None
) -> ConflictFound:
    """End a conflict as the user decides.

    COMPATIBLE: one note says what both said; where they have different readers, both stay
    unchanged, and no longer count as contradicting each other. CONTRADICTORY and SUBSUMES: one
    stays, the other is archived. AMBIGUOUS: it stays open. The note that stays is `keep`, else the
    surer, then the newer. Raises NotFound, Invalid and, when it has ended, Conflict.
    """
    require_writer(access)
    found = await get_conflict(context, access, conflict_id)
    if not found.open:
        raise Conflicting("the conflict is settled already")
    if keep is not None and keep not in found.notes:
        raise Invalid("keep must be one of the two notes")
    loaded = await load_many(context, access, found.notes)
    if len(loaded) < 2:
        raise missing("conflict")
    one, other = (loaded[i] for i in found.notes)
    if verdict is ConflictVerdict.COMPATIBLE and one.audience != other.audience:
        await _keep_both(context, access, one, other, found.similarity)
        return await get_conflict(context, access, conflict_id)
    first, second = surest_first(one, other)
    if keep is not None and first.id != keep:
        first, second = second, first
    made = judgement_of(verdict, first, second, "decided")
    await carry_out(context, access, made, found.similarity)
    return await get_conflict(context, access, conflict_id)


def judgement_of(
    verdict: ConflictVerdict, keep: Note, other: Note, reason: str
) -> ConflictJudgement:
    """Return the judgement that a decided verdict means."""
    action = {
        ConflictVerdict.COMPATIBLE: ConflictAction.MERGE,
        ConflictVerdict.CONTRADICTORY: ConflictAction.ARCHIVE,
        ConflictVerdict.SUBSUMES: ConflictAction.ARCHIVE,
        ConflictVerdict.AMBIGUOUS: ConflictAction.FLAG,
    }[verdict]
    return ConflictJudgement(verdict=verdict, action=action, keep=keep, other=other, reason=reason)


async def get_conflict(context: Context, access: Access, conflict_id: str) -> ConflictFound:
    """Return an open or settled conflict between readable notes. Raises NotFound."""
    found = await store.list_conflicts(
        context.graph,
        access.viewer.user,
        access.of_events,
        context.clock(),
        is_open=[True, False],
        conflict_id=conflict_id,
        limit=1,
    )
    if not found:
        raise missing("conflict")
    return found[0]


async def sweep_conflicts(
    context: Context,
    access: Access,
    rules: Deduplication | None = None,
    *,
    leave: bool = False,
) -> Sweep:
    """Settle what can be settled of a user's similar notes; flag the rest for the user.

    It settles at most `max_pairs_per_cycle` pairs. Only notes that `access` may read are compared;
    a job has the user's own. What waits for `merge_notes` is left to it. `leave`: merge nothing,
    but leave it as a verdict, so that people can refuse. Raises Forbidden for an agent that may
    only propose.
    """
    require_writer(access)
    rules = rules or context.deduplication
    most = rules.max_pairs_per_cycle
    pairs = await store.find_pairs(
        context.graph,
        access.viewer.user,
        access.by_name,
        context.clock(),
        similarity=least_similarity(rules, context.writing),
        limit=most * _LOOKED_AT,
    )
    candidates = [pair for pair in pairs if pair[2] > rules.similarity_threshold]
    if rules.log_all_candidates and candidates:
        log.info("near copies", pairs=candidates)
    done = Sweep(candidates=len(candidates))
    touched: set[str] = set()
    for one, other, similarity in pairs:
        if done.settled == most:
            break
        if touched & {one, other}:
            continue  # the next sweep sees the result
        made = await _judge(context, access, (one, other), similarity, rules)
        if made is None:
            continue
        if leave and made.action is ConflictAction.MERGE:
            await _hold_as_copy(context, made, similarity)
            touched |= {one, other}
            done = replace(done, copies=done.copies + 1)
            continue
        try:
            await carry_out(context, access, made, similarity)
        except (Conflicting, Forbidden):
            continue  # somebody changed one of them meanwhile
        if made.action is not ConflictAction.FLAG:
            touched |= {one, other}
        done = _count(done, made.action)
    return done


async def _judge(
    context: Context,
    access: Access,
    pair: tuple[str, str],
    similarity: float,
    rules: Deduplication,
) -> ConflictJudgement | None:
    """Judge two notes by their present texts; None also where they have other readers than each
    other, or somebody has put one of them away."""
    loaded = await load_many(context, access, pair)
    live = [note for note in loaded.values() if note.status in LIVE_STATUSES]
    if len(live) < 2 or len({note.audience for note in live}) > 1:
        return None
    one, other = (loaded[i] for i in pair)
    return judge_conflict(one, other, similarity, rules, context.writing)


async def _hold_as_copy(context: Context, made: ConflictJudgement, similarity: float) -> None:
    now = context.clock()
    held = NoteCopy(
        copy=made.other.id, note=made.keep.id, cosine=similarity, rule=made.reason, at=now
    )
    await store.hold_as_copies(context.graph, [held], now)


async def list_copies(context: Context, access: Access, first: int) -> list[NoteCopy]:
    """List the notes that rules hold to be copies of others with the same readers and that wait to
    be merged, newest verdict first, as far as the viewer may read both."""
    user, now = access.viewer.user, context.clock()
    return await store.list_copies(context.graph, user, access.by_name, now, limit=first)


@repeat_while_stale
async def refuse_note_merge(context: Context, access: Access, one: str, other: str) -> bool:
    """Keep two notes that wait to be merged; rules never take them for copies again.

    The two have a settled conflict then, which says so. Raises NotFound for what does not wait or
    can't be read, Forbidden for an agent that may only propose.
    """
    require_writer(access)
    user, now, ids = access.viewer.user, context.clock(), [one, other]
    found = await store.list_copies(
        context.graph, user, access.by_name, now, ids=ids, limit=MAX_PAGE
    )
    loaded = await load_many(context, access, ids)
    if not found or len(loaded) < 2:
        raise missing("copy that waits to be merged")
    event = note_event(
        "REJECT",
        "merge of notes refused",
        loaded[one],
        access.viewer.actor,
        now,
        other=loaded[other],
    )
    await _keep_both(context, access, loaded[one], loaded[other], found[0].cosine, [event])
    return True


async def merge_copies(
    context: Context, access: Access, one: str, other: str, similarity: float
) -> bool:
    """Merge two notes that rules have held to be copies for long enough, if they still do; returns
    whether they were merged. A verdict that does not stand, or can't be carried out, goes."""
    made = await _judge(context, access, (one, other), similarity, context.deduplication)
    if made is not None and made.action is ConflictAction.MERGE:
        # What is too long together stays so, and so does what somebody has settled or changed: it
        # would come again with each run, before others. What still holds is held again.
        with suppress(Conflicting, Forbidden, Invalid):
            await carry_out(context, access, made, similarity)
            return True
    await store.drop_copies(context.graph, one, other)
    return False


def _count(done: Sweep, action: ConflictAction) -> Sweep:
    match action:
        case ConflictAction.MERGE:
            return replace(done, merged=done.merged + 1)
        case ConflictAction.DEPRECATE:
            return replace(done, deprecated=done.deprecated + 1)
        case ConflictAction.ARCHIVE:
            return replace(done, archived=done.archived + 1)
    return replace(done, flagged=done.flagged + 1)


async def carry_out(
    context: Context, access: Access, made: ConflictJudgement, similarity: float
) -> None:
    """Carry out a judgement of two notes in one transaction.

    It writes the notes, their revisions and events, and the state of the conflict. Raises Conflict
    when one of them has changed, or the conflict has ended; Invalid when they are too long for one
    note.
    """
    now, user = context.clock(), access.viewer.user
    changes = ChangeSetBuilder(now)
    changes.add_near_notes(NearNotes({}, {note.id: (note, ()) for note in (made.keep, made.other)}))
    keep, other = made.keep, made.other
    archived = replace(other, status=Status.ARCHIVED)
    derived: list[tuple[str, str]] = []
    match made.action:
        case ConflictAction.MERGE:
            changes.notes[keep.id] = await _merge(context, changes.notes[keep.id], other, now)
            changes.change(other.id, archived, "ARCHIVE", "note merged", {"into": keep.id})
            derived.append((keep.id, other.id))
        case ConflictAction.ARCHIVE:
            same = keep.audience == other.audience  # nobody may learn of a note it can't read
            data = {"for": keep.id} if same else {}
            changes.change(other.id, archived, "ARCHIVE", "note archived", data)
        case ConflictAction.DEPRECATE:
            changes.supersede(other.id, keep.id, now, made.reason, Validity.DEPRECATED)
    state = ConflictState(
        one=made.keep.id,
        other=made.other.id,
        similarity=similarity,
        verdict=made.verdict,
        open=made.action is ConflictAction.FLAG,
        resolution=_resolution_text(made),
    )
    closing = store.close_step(user, [state], actor=access.viewer.actor, now=now)
    result = replace(changes.result(), derived=tuple(derived))
    unchanged = unchanged_step([keep, other])
    await apply(context, access, result, before=[unchanged, closing])


async def _keep_both(
    context: Context,
    access: Access,
    one: Note,
    other: Note,
    similarity: float,
    events: Sequence[EventRow] = (),
) -> None:
    """End the conflict of two notes that can't be one."""
    now, user = context.clock(), access.viewer.user
    state = ConflictState(
        one=one.id,
        other=other.id,
        similarity=similarity,
        verdict=ConflictVerdict.COMPATIBLE,
        open=False,
        resolution=f"{ConflictVerdict.COMPATIBLE}: both stay; decided",
    )
    steps = [
        unchanged_step([one, other]),
        store.close_step(user, [state], actor=access.viewer.actor, now=now),
        store.unlink_step(one.id, other.id),
    ]
    await apply(context, access, ChangeSet.of(now, []), before=steps, events=events)


def _resolution_text(made: ConflictJudgement) -> str | None:
    if made.action is ConflictAction.FLAG:
        return None
    return f"{made.verdict}: {made.keep.id} stays; {made.reason}"


async def _merge(context: Context, working: WorkingNote, said: Note, now: datetime) -> WorkingNote:
    """Return the note that stays, which says what both said."""
    keep = working.note
    content = _merge_texts(keep, said)
    if content is None:
        raise Invalid("the merged text would be too long for one note")
    new = replace(
        keep,
        content=content,
        tags=tuple(dict.fromkeys((*keep.tags, *said.tags))),
        importance=max(keep.importance, said.importance),
        confidence=max(keep.confidence, said.confidence),
        validity=surer(keep.validity, said.validity),
    )
    if content != keep.content:
        whole = new
        found = await context.texts.run(lambda _: extract_note(context.extractor, whole, now))
        new = replace(new, context=found.context, keywords=found.keywords)
        vector = (await context.embedder.embed_documents([new.reading_text]))[0]
        working = replace(working, vector=vector)
    decided = await decisions_of(context, [keep, said])
    working = working.with_change(
        new, now, "MERGE", "notes merged", {"absorbed": said.id}, properties=decided
    )
    # It is not checked which of the other note's tags were given.
    return replace(working, wordings=(said,), given_tags=said.tags)


def _merge_texts(keep: Note, said: Note) -> str | None:
    text = merged_text(said.content, keep.content)
    if text != keep.content:
        text = merged_text(keep.content, said.content, append=keep.kind is Kind.EPISODIC)
    return text if len(text) <= MAX_CONTENT else None

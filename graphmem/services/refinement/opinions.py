"""Asks the LLM about a conflict that the rules could not decide.

Its answer is carried out like the user's; otherwise the conflict stays open for the user.
"""

from typing import TYPE_CHECKING

import structlog

from graphmem.ai.llm_usage import Usage
from graphmem.domain.actors import Viewer
from graphmem.domain.notes import Note
from graphmem.errors import Conflict, Invalid
from graphmem.language.comparison import (
    ConflictJudgement,
    ConflictVerdict,
    accepted_opinion,
    is_protected,
    judge_conflict,
)
from graphmem.language.refinement import TEXT_SEEN, text_seen
from graphmem.services.conflicts import carry_out, judgement_of
from graphmem.services.context import Access, Context
from graphmem.services.writing.refinement_queue import may_wait
from graphmem.store import conflicts as store
from graphmem.store import notes

if TYPE_CHECKING:  # slow to import, and most have no LLM
    from graphmem.ai.llm import Llm

ACTOR = "llm"
log = structlog.get_logger(__name__)


async def decide_unclear(
    context: Context, llm: "Llm", note: Note, calls: int
) -> tuple[Usage, bool]:
    """Ask about the nearest note of the same audience that the rules could not decide.

    It takes at most so many calls. Returns the usage, and True if notes changed.
    """
    if calls < 1 or is_protected(note) or not may_wait(note):
        return Usage(), False
    found = await _find_unclear(context, note)
    if found is None:
        return Usage(), False
    made, similarity = found
    access = access_to(note)
    try:
        await carry_out(context, access, made, similarity)  # open for the user, whatever the answer
    except Conflict:
        return Usage(), False
    one, other = made.keep, made.other
    answer = await llm.compare(text_seen(one), text_seen(other), calls)
    if answer.said is None:
        log.info("the LLM did not compare two notes", note=note.id, problem=answer.problem)
        return answer.usage, False
    verdict, keep, gone = accepted_opinion(one, other, answer.said)
    if verdict is ConflictVerdict.AMBIGUOUS:
        return answer.usage, False
    reason = f"the LLM: {answer.said.reason}"
    try:
        await carry_out(context, access, judgement_of(verdict, keep, gone, reason), similarity)
    except (Conflict, Invalid):  # somebody was faster, or together they are too long
        return answer.usage, False
    return answer.usage, True


async def _find_unclear(context: Context, note: Note) -> tuple[ConflictJudgement, float] | None:
    """Return the nearest pair that is ambiguous by the rules, with its cosine."""
    now, audience = context.clock(), note.audience.key
    near = await store.find_pairs_of(
        context.graph, note.id, audience, now, similarity=context.writing.conflict_similarity
    )
    # Loaded again, with the one audience, so that no text is sent that other readers have.
    ids = [note.id, *(other for other, _ in near)]
    loaded = await notes.load_notes(context.graph, ids, [audience], now) if near else {}
    one = loaded.get(note.id)
    for other_id, similarity in near:
        other = loaded.get(other_id)
        if one is None or other is None or is_protected(other) or is_protected(one):
            continue
        if max(len(one.content), len(other.content)) > TEXT_SEEN:
            continue  # the LLM would judge by a part of the text
        made = judge_conflict(one, other, similarity, context.deduplication, context.writing)
        if made is not None and made.verdict is ConflictVerdict.AMBIGUOUS:
            return made, similarity
    return None


def access_to(note: Note) -> Access:
    """Return an access to what the LLM may change: notes of one audience, for their user."""
    viewer = Viewer(user=note.user, acting_as=ACTOR)
    return Access(viewer=viewer, audiences=(note.audience,), rules={}, default=note.visibility)

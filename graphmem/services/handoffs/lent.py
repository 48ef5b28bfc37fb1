"""Reading what is lent to the agent that asks: by id, and in addition to its own hits."""

from collections.abc import Sequence
from dataclasses import replace

from graphmem.domain.handoffs import MAX_LENT
from graphmem.domain.notes import Note, NoteFilter
from graphmem.domain.profiles.why import Why
from graphmem.services.context import Access, Context
from graphmem.services.recall.expansion import PathStep
from graphmem.services.recall.merging import merge_hits
from graphmem.services.recall.recall import Hit, RecallResult
from graphmem.services.recall.request import RecallRequest
from graphmem.store import handoffs as store
from graphmem.store.notes import load_notes

LENT = "LENT"  # the step of a path that leads to a note which is lent
ALIKE = 0.25  # cosine from which a note that is lent answers a question


async def load_lent(context: Context, access: Access, ids: Sequence[str]) -> dict[str, Note]:
    """Load the notes among the ids that are lent to the agent that asks, beyond its own gate."""
    agent = access.viewer.agent
    if agent is None or not ids:
        return {}
    now = context.clock()
    found = await store.list_lent_notes(
        context.graph,
        access.viewer.user,
        agent.id,
        access.by_name,
        ids=ids,
        now=now,
        limit=len(ids),
    )
    keys = sorted({each.audience for each in found})
    return await load_notes(context.graph, [e.note for e in found], keys, now) if found else {}


async def with_lent(
    context: Context, access: Access, question: RecallRequest, answer: RecallResult
) -> RecallResult:
    """Add the notes that are lent to the agent for its task to the answer.

    Each comes before the first own hit that is less similar to the question. A filter, and an
    earlier time, are only for its own notes.
    """
    agent = access.viewer.agent
    if agent is None or question.filter != NoteFilter() or question.as_of is not None:
        return answer
    now, user = context.clock(), access.viewer.user
    waits = await store.list_lent_notes(
        context.graph, user, agent.id, access.by_name, now=now, limit=1
    )
    if not waits:
        return answer
    vector = await context.embedder.embed_query(question.query)
    lent = await store.list_lent_notes(
        context.graph,
        user,
        agent.id,
        access.by_name,
        vector=vector,
        now=now,
        limit=MAX_LENT,
    )
    known = {hit.note.id for hit in answer.hits}
    least = max(ALIKE, question.min_score or 0.0)
    near = [e for e in lent if e.note not in known and e.similarity >= least]
    keys = sorted({each.audience for each in near})
    loaded = await load_notes(context.graph, [e.note for e in near], keys, now) if near else {}
    hits = [
        Hit(
            rank=0,
            score=each.similarity,
            note=loaded[each.note],
            via=(PathStep(relationship=LENT, label="handoff", note_id=each.note),),
            why=Why(similarity=each.similarity),
        )
        for each in near
        if each.note in loaded
    ]
    return replace(answer, hits=merge_hits(answer.hits, hits, question.k))

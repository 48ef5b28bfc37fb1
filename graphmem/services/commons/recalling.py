"""A recall with the scope TEAM: merges knowledge of the viewer's teams into the hits."""

from dataclasses import replace

from graphmem.domain.notes import NoteFilter
from graphmem.domain.profiles.why import Why
from graphmem.domain.visibility import Section
from graphmem.services.commons.knowledge import search
from graphmem.services.commons.shared import keys_of
from graphmem.services.context import Access, Context
from graphmem.services.recall.expansion import PathStep
from graphmem.services.recall.merging import merge_hits
from graphmem.services.recall.recall import Hit, RecallResult
from graphmem.services.recall.request import RecallRequest
from graphmem.store.notes import load_notes

COMMONS = "COMMONS"  # the step of a path that leads to knowledge of a team


async def with_team(
    context: Context, access: Access, question: RecallRequest, answer: RecallResult
) -> RecallResult:
    """Add what the viewer's teams know to the answer.

    It is looked up, not recalled (MUMA 11): it comes where its similarity to the question puts it,
    and using it strengthens nothing. A filter by more than a domain, and an earlier time, are only
    for one's own notes.
    """
    plain = NoteFilter(domain=question.filter.domain)
    if question.filter != plain or question.as_of is not None:
        return answer
    found = await search(context, access, question.query, plain.domain, question.k)
    least = question.min_score or 0.0
    scores = {each.id: each.score or 0.0 for each in found if (each.score or 0.0) >= least}
    keys = keys_of(access, Section.KNOWLEDGE)
    loaded = await load_notes(context.graph, list(scores), keys, context.clock()) if scores else {}
    known = [
        Hit(
            rank=0,
            score=scores[each.id],
            note=loaded[each.id],
            via=(PathStep(relationship=COMMONS, label=each.team, note_id=each.id),),
            why=Why(similarity=scores[each.id]),
        )
        for each in found
        if each.id in loaded
    ]
    best = max(scores.values(), default=0.0)
    return replace(
        answer,
        hits=merge_hits(answer.hits, known, question.k),
        confidence=round(max(answer.confidence, min(best, 1.0)), 2),
    )


def of_team(hit: Hit) -> bool:
    """Return True if a hit is knowledge of a team."""
    return any(step.relationship == COMMONS for step in hit.via)

"""The changes that feedback on similar questions makes to an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphmem.domain.feedback import feedback_shift
from graphmem.domain.profiles.parameters import Profile
from graphmem.services.recall.ranking import Search
from graphmem.services.recall.reranking import Ranked
from graphmem.store.feedback import JudgedQuestion, list_feedback_on_similar


async def feedback_for(search: Search, vector: Sequence[float]) -> Mapping[str, float]:
    """Return by how much feedback moves notes, as parts of the best score, by the ids of the notes.

    Only feedback on answers to the same viewer counts: that of others would reveal their questions.
    """
    viewer, question = search.access.viewer, search.question
    by_formula = question.profile is not Profile.BALANCED or question.as_of is not None
    if by_formula or not search.access.judges:
        return {}
    asked = JudgedQuestion(
        user=viewer.user,
        agent=viewer.agent.id if viewer.agent else None,
        vector=vector,
    )
    given = await list_feedback_on_similar(
        search.context.graph, asked, search.bounds.audiences, search.now
    )
    return {note: feedback_shift(each) for note, each in given.items()}


def apply_feedback(ranked: Ranked, parts: Mapping[str, float]) -> Ranked:
    """Move each note that feedback is about to its new place; all others keep their order."""
    best = max((why.score for _, why in ranked), default=0.0)
    order = [each for each in ranked if not parts.get(each[0])]
    for note, why in ranked:
        if part := parts.get(note):
            why = replace(why, feedback=part * best)
            place = next((i for i, (_, w) in enumerate(order) if w.score < why.score), len(order))
            order.insert(place, (note, why))
    return order

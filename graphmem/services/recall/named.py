"""The names in a question, and the other names of what they stand for."""

from collections.abc import Sequence

from graphmem.domain.profiles.parameters import Profile
from graphmem.language.naming import name_candidates
from graphmem.services.reading.identity import groups_for
from graphmem.services.recall.ranking import Search
from graphmem.services.recall.request import RecallRequest
from graphmem.store.graph import Row


async def other_names(search: Search, named: Sequence[Row], tied: Sequence[str]) -> list[Row]:
    """Return the other names of the entities that the question names."""
    if not tied:
        return []
    audiences = search.bounds.audiences
    groups = await groups_for(search.context, search.access, tied, audiences=audiences)
    surfaces = {row["id"]: row["surface"] for row in named}
    start = len(search.access.viewer.user) + 1  # the key's position in an id
    return [
        {"id": other, "key": other[start:], "surface": surfaces[one]}
        for one in tied
        for other in groups.names_of(one)
        if other not in surfaces
    ]


def surfaces_of(question: RecallRequest) -> dict[str, str]:
    """Return the parts of the question that may be names; reading checks who may know them."""
    if question.profile is not Profile.BALANCED or not question.hops:
        return {}
    return {run.key: run.surface for run in name_candidates(question.query[:1000])}

"""The parameters of a recall."""

from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.notes import NoteFilter
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.ranking import GRAPH_DEPTH
from graphmem.domain.visibility import Reading


@dataclass(frozen=True, kw_only=True)
class Question:
    """The parameters of a recall."""

    query: str
    k: int = 10
    profile: Profile = Profile.BALANCED
    filter: NoteFilter = field(default_factory=NoteFilter)
    hops: int = GRAPH_DEPTH
    deep: bool = False
    explicit: bool = False
    as_of: datetime | None = None
    min_score: float | None = None
    random_seed: int | None = None  # for profiles with noise; None: a different one each time
    track: bool = True
    session: str | None = None  # the session of the agent in which it asks
    reading: Reading = Reading.AUTOMATIC

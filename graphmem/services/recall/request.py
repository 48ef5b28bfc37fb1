"""The parameters of a recall."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final

from graphmem.domain.fields import INTERNAL, Between, Id, Input
from graphmem.domain.notes import NoteFilter
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.ranking import MAX_HOPS
from graphmem.domain.visibility import Reading

MAX_K: Final = 100


@dataclass(frozen=True, kw_only=True)
class RecallRequest(Input):
    """The parameters of a recall."""

    query: str
    """the question, in plain words"""
    k: Annotated[int, Between(1, MAX_K)] = 10
    """how many hits at most; up to 100"""
    profile: Profile = Profile.BALANCED
    """how to rank"""
    filter: NoteFilter = field(default_factory=NoteFilter)
    """only among these notes"""
    hops: Annotated[int | None, Between(0, MAX_HOPS)] = None
    """how many steps to follow the graph; up to 3; as `GRAPHMEM_GRAPH_DEPTH` says where it is not
    given"""
    deep: bool = False
    """also among what is dormant, archived or long-term"""
    explicit: bool = False
    """also among what is `USER_ONLY`, for who may read it"""
    as_of: datetime | None = None
    """as it was at this instant"""
    min_score: float | None = None
    """no hit with a lower score"""
    random_seed: int | None = None
    """`ACT_R`: draw the same noise each time"""
    session_id: Id | None = None
    """an open session of the agent, else the recall is refused; `scope` says how far to look"""
    track: bool = True
    """count it as a use of the notes"""
    reading: Reading = field(default=Reading.AUTOMATIC, metadata=INTERNAL)

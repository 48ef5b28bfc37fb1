"""The reads and the statement that move notes between tiers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from graphmem.domain.ids import name_key
from graphmem.domain.notes import Status
from graphmem.domain.tiers import DueBounds, Move
from graphmem.store.archiving import ChosenNote
from graphmem.store.graph import Graph, Row
from graphmem.store.rows import LAST_ID

MAKER = "system:tiers"  # of moves, and of ties from a topic to its sources


@dataclass(frozen=True, kw_only=True)
class TierCandidate(ChosenNote):
    """A note that is old enough for another tier; `due` says that its recalls allow the move as
    well."""

    kind: str
    title: str | None
    tags: tuple[str, ...]
    due: bool

    @property
    def topic(self) -> str:
        """The topic of the note: its title, else its first tag, else the last part of its
        domain."""
        return self.title or (self.tags[0] if self.tags else self.domain.rsplit("/", 1)[-1])


async def candidates(
    graph: Graph,
    bounds: Mapping[Move, DueBounds],
    after: str,
    *,
    now: datetime,
    plugins: bool,
    limit: int,
    last: str = LAST_ID,
) -> list[TierCandidate]:
    """Return notes for the moves that have `bounds`, in the order of their ids, after one and up to
    `last`, at most `limit`; notes that are not due only if there are `plugins`, which may move them
    nevertheless."""
    rows = await graph.read(
        "tiers/candidates",
        bounds={move: asdict(each) for move, each in bounds.items()},
        after=after,
        last=last,
        now=now,
        plugins=plugins,
        maker=MAKER,
        limit=limit,
    )
    return [_to_candidate(row["note"]) for row in rows]


def _to_candidate(row: Row) -> TierCandidate:
    given: Row = row | {"tags": tuple(row["tags"]), "status": Status(row["status"])}
    return TierCandidate(**given)


async def topics(
    graph: Graph, user: str, audience: str, names: Sequence[str], now: datetime
) -> dict[str, str]:
    """Return the live notes that `move_tiers` made of topics of an audience, by the keys of the
    topics."""
    rows = await graph.read(
        "tiers/topics",
        user=user,
        audience=audience,
        keys=[name_key(name) for name in names],
        maker=MAKER,
        now=now,
    )
    return {row["key"]: row["id"] for row in rows}


def parameters_of_moves(bounds: Mapping[Move, DueBounds], now: datetime) -> dict[str, object]:
    """Return the parameters of `jobs/move_tiers.cypher` for all notes that are due."""
    return {
        "bounds": {str(move): asdict(each) for move, each in bounds.items()},
        "now": now,
        "maker": MAKER,
        "actor": MAKER,
        "after": "",
        "last": LAST_ID,
        "chosen": None,
    }

"""What moves notes between tiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Tier
from graphmem.domain.tiers import Bounds, Move
from graphmem.store.graph import Graph
from graphmem.store.rows import ChangeRow, RevisionRow


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A note that is old enough for another tier; `due`: its recalls are for the move, too."""

    id: str
    user: str
    version: int
    audience: str
    domain: str
    kind: str
    title: str | None
    tags: tuple[str, ...]
    due: bool


async def candidates(
    graph: Graph,
    move: Move,
    bounds: Bounds,
    after: str,
    *,
    now: datetime,
    plugins: bool,
    limit: int,
) -> list[Candidate]:
    """Notes for a move after one by id, at most `limit`; those that are not due only where there
    are `plugins`, which may move them nevertheless."""
    rows = await graph.read(
        "job:move_tiers",
        move=move,
        until=bounds.until,
        cooled=bounds.cooled,
        recalls=bounds.recalls,
        after=after,
        now=now,
        plugins=plugins,
        limit=limit,
    )
    found = [row["note"] for row in rows]
    return [Candidate(**each | {"tags": tuple(each["tags"])}) for each in found]


def tier_row(
    note: Candidate, tiers: tuple[Tier, Tier], *, promoted_at: datetime | None
) -> ChangeRow:
    """The row of a change that moves a note from one tier to another."""
    before, to = tiers
    given: dict[str, object] = {"tier": to}
    if promoted_at is not None:
        given["promotedAt"] = promoted_at
    changes = {"tier": [before, to]}
    return ChangeRow(
        id=note.id,
        version=note.version,
        audience=note.audience,
        given=given,
        revisions=[RevisionRow(version=note.version + 1, changes=changes)],
    )


def users_of(notes: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """The notes of each user."""
    found: dict[str, list[Candidate]] = {}
    for note in notes:
        found.setdefault(note.user, []).append(note)
    return found

"""The reads of the users' decisions on the readers of their notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.actors import BY_REMEMBER, MANUAL
from graphmem.domain.handoffs import LENT
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.visibility import Audience, Visibility, audience_of
from graphmem.store.graph import Graph, Step
from graphmem.store.sharing import to_shared

HANDS: Final = (MANUAL, BY_REMEMBER)  # actors that are the user, or say the user's words


@dataclass(frozen=True, kw_only=True)
class Decided:
    """The actions of a user on a note: set its visibility (`marked`; `ruled`: by the rule of a
    domain where it was before), wrote, pinned or changed it (`by_hand`), or archived it
    (`put_away`)."""

    marked: bool
    ruled: bool
    by_hand: bool
    put_away: bool


@dataclass(frozen=True, kw_only=True)
class CopiedFrom:
    """The readers of notes that already have a text."""

    key: str  # of the text
    audience: Audience
    marked: bool
    shown: bool  # all of these readers may read the text


async def list_decided(
    graph: Graph, ids: Sequence[str], audiences: Sequence[str]
) -> dict[str, Decided]:
    """Read what the user decided of each of the readable notes among the ids."""
    rows = await graph.read(
        "visibility/decided", ids=list(ids), audiences=list(audiences), hands=list(HANDS)
    )
    return {
        row["id"]: Decided(
            marked=row["marked"],
            ruled=row["ruled"],
            by_hand=row["byHand"],
            put_away=row["putAway"],
        )
        for row in rows
    }


def not_put_away_step(note: str, now: datetime) -> Step:
    """Lock a note. Raises Stale if the user in person has archived it."""
    return Step("visibility/not_put_away", {"id": note, "now": now}, required=True)


async def list_copies(
    graph: Graph,
    user: str,
    text_keys: Sequence[str],
    audiences: Sequence[str],
    *,
    agent: str,
    now: datetime,
) -> list[CopiedFrom]:
    """Find notes of a user, readable or lent to the agent, that have or had one of these texts."""
    if not text_keys:
        return []
    rows = await graph.read(
        "visibility/copies",
        user=user,
        textKeys=list(text_keys),
        audiences=list(audiences),
        lent=list(LENT),
        agent=agent,
        now=now,
    )
    return [
        CopiedFrom(
            key=row["key"],
            audience=audience_of(user, Visibility(row["visibility"]), row["domain"], row["author"]),
            marked=row["marked"],
            shown=row["shown"],
        )
        for row in rows
    ]


async def list_own_shares(graph: Graph, user: str, now: datetime) -> list[SharedDomain]:
    """Read what a user shares with the teams that the user is a member of."""
    rows = await graph.read_list("shares/own", user=user, now=now)
    return [to_shared(row) for row in rows]

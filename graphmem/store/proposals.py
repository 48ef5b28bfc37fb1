"""Proposals in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.domain.notes import Kind, Note, NoteDraft, Source, WriteMode
from graphmem.domain.promotion import PROMOTABLE
from graphmem.domain.proposals import (
    COMPARED,
    ENDED,
    MAX_MADE,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from graphmem.domain.visibility import Audience, Visibility
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.rows import LAST_ID, audience_map
from graphmem.store.sessions import draft_text
from graphmem.store.times import EPOCH
from graphmem.store.vectors import to_vector

OPEN = tuple(status for status in ProposalStatus if status not in ENDED)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The data that a new proposal is compared with: the number of open ones for the same readers;
    id, content, title and cosine of the newest; and what the same request proposed before."""

    known: int
    others: Sequence[Row]
    before: Row | None


@dataclass(frozen=True, kw_only=True)
class NewProposal:
    """A new proposal of a note: the note as it would be now, and what decides who reads it."""

    note: Note
    draft: NoteDraft
    mode: WriteMode
    entities: Sequence[str]
    core_worthy: bool
    found: Visibility | None  # by the text
    request_key: str | None
    request_hash: str
    expires_at: datetime


async def compare_with(
    graph: Graph,
    user: str,
    audience: str,
    vector: Sequence[float],
    request_key: str | None,
    now: datetime,
) -> Compared:
    """Return the data that a new proposal for these readers is compared with."""
    row = await graph.read_one(
        "proposals/compare",
        user=user,
        audience=audience,
        vector=to_vector(vector),
        requestKey=request_key or "",
        open=list(OPEN),
        now=now,
        most=COMPARED,
    )
    assert row is not None
    before = row["before"][0] if row["before"] else None
    return Compared(known=row["known"], others=row["others"], before=before)


async def count_made(graph: Graph, user: str, agent: str, now: datetime) -> int:
    """Count the proposals of the agent that have not ended."""
    row = await graph.read_one("proposals/count_made", user=user, agent=agent, now=now)
    return row["made"] if row else 0


def create_step(
    made: NewProposal,
    *,
    vector: Sequence[float],
    known: int,
    contradicts: Sequence[str],
    now: datetime,
) -> Step:
    """Store a proposal. Raises Stale unless `known` proposals for the same readers are open."""
    note = made.note
    given = {
        "id": note.id,
        "user": note.user,
        "author": note.author,
        "kind": ProposalKind.WRITE,
        "status": ProposalStatus.PENDING,
        "version": 1,
        "audience": note.audience.key,
        "content": note.content,
        "title": note.title,
        "domain": note.domain,
        "noteKind": note.kind,
        "source": note.source,
        "tags": list(note.tags),
        "entities": list(made.entities),
        "confidence": note.confidence,
        "coreWorthy": made.core_worthy,
        "createdAt": now,
        "expiresAt": made.expires_at,
        "draft": draft_text(made.draft),
        "mode": made.mode,
        "asked": made.draft.visibility,
        "found": made.found,
        "requestKey": made.request_key,
        "requestHash": made.request_hash,
        "consented": False,
    }
    return Step(
        "proposals/create",
        {
            "user": note.user,
            "agent": note.author,
            "audience": audience_map(note.audience),
            "properties": given,
            "vector": to_vector(vector),
            "contradicts": list(contradicts),
            "open": list(OPEN),
            "known": known,
            "most": MAX_MADE,
            "now": now,
        },
        required=True,
    )


async def list_proposals(
    graph: Graph,
    user: str,
    teams: Sequence[str],
    audiences: Sequence[str],
    *,
    shared: Sequence[str],
    agent: str,
    decides: bool,
    ids: Sequence[str] | None = None,
    statuses: Sequence[ProposalStatus] | None = None,
    now: datetime,
    limit: int,
) -> list[Proposal]:
    """Return readable proposals of a user and to teams, newest first; if ids or statuses are given,
    only those. `shared` are audiences of teams in which the agent ("" for the user in person) reads
    the versions that it proposes itself; `decides` says that it decides for the teams, as an
    orchestrator."""
    rows = await graph.read_list(
        "proposals/list",
        user=user,
        teams=list(teams),
        audiences=list(audiences),
        shared=list(shared),
        agent=agent,
        decides=decides,
        ids=None if ids is None else list(ids),
        statuses=None if statuses is None else list(statuses),
        open=list(OPEN),
        promotable=list(PROMOTABLE),
        now=now,
        limit=limit,
    )
    return [_to_proposal(row) for row in rows]


def parameters_of_expired(now: datetime) -> dict[str, object]:
    """Return the parameters of `jobs/expire_proposals.cypher` for all proposals."""
    return {"now": now, "after": "", "last": LAST_ID}


async def next_proposal(graph: Graph, after: str, ahead: int = 1) -> str | None:
    """Return the id of the proposal `ahead` places after one, or of the last; None when there is
    none."""
    row = await graph.read_one("jobs/next_proposal", after=after, ahead=ahead)
    return None if row is None else row["place"]


def _to_proposal(row: Row) -> Proposal:
    return Proposal(
        id=row["id"],
        user=row["user"],
        author=row["author"],
        kind=ProposalKind(row["kind"]),
        status=ProposalStatus(row["status"]),
        version=row["version"],
        audience=row["audience"],
        content=row["content"] or "",
        title=row["title"],
        domain=row["domain"],
        note_kind=Kind(row["noteKind"]),
        source=Source(row["source"]),
        tags=tuple(row["tags"]),
        entities=tuple(row["entities"]),
        confidence=row["confidence"],
        core_worthy=row["coreWorthy"],
        at=EPOCH + timedelta(milliseconds=row["createdAt"]),
        expires_at=EPOCH + timedelta(milliseconds=row["expiresAt"]),
        reason=row["reason"],
        note=row["note"],
        result=row["result"],
        conflicts=tuple(row["conflicts"]),
        draft=row["draft"] or "",
        mode=WriteMode(row["mode"]),
        team=row["team"],
        consented=row["consented"],
        renews=row["renews"],
        base=row["base"],
        trigger=row["trigger"],
    )


def decide_step(
    proposal: Proposal, status: ProposalStatus, reason: str | None, *, by: str, now: datetime
) -> Step:
    """Decide a proposal. Raises Stale when it has changed since it was read."""
    return Step(
        "proposals/decide",
        {
            "id": proposal.id,
            "version": proposal.version,
            "audience": proposal.audience,
            "open": list(OPEN),
            "status": status,
            "reason": reason,
            "by": by,
            "now": now,
        },
        required=True,
    )


def link_result_step(proposal: str, note: str) -> Step:
    """Connect a proposal with the existing note that it became."""
    return Step("proposals/became", {"id": proposal, "note": note}, required=True)


@dataclass(frozen=True, kw_only=True)
class Below:
    """The fields of a proposed note that decide its readers."""

    id: str
    author: str | None
    audience: str
    domain: str
    asked: Visibility | None
    found: Visibility | None


async def proposals_below(
    graph: Graph, user: str, domain: str, *, after: str, limit: int
) -> list[Below]:
    """Return the proposed notes of a domain and the domains below it, by id."""
    rows = await graph.read(
        "proposals/below",
        user=user,
        domain=domain,
        below=domain + "/",
        after=after,
        limit=limit,
    )
    return [_to_below(row["proposal"]) for row in rows]


def _to_below(row: Row) -> Below:
    return Below(
        id=row["id"],
        author=row["author"],
        audience=row["audience"],
        domain=row["domain"],
        asked=Visibility(row["asked"]) if row["asked"] else None,
        found=Visibility(row["found"]) if row["found"] else None,
    )


def follow_step(moves: Mapping[str, tuple[str, Audience]]) -> Step:
    """Move proposals, given by id, from their audience to another. Raises Stale when one has
    changed meanwhile."""
    rows = [
        {"id": proposal, "was": was, "audience": audience_map(audience)}
        for proposal, (was, audience) in sorted(moves.items())
    ]
    return Step("proposals/follow", {"rows": rows}, required=True)


def set_vectors_step(made: Mapping[str, tuple[str, Sequence[float]]]) -> Step:
    """Give proposals, by id, that still say these texts their vectors."""
    rows = [
        {"id": id, "content": content, "vector": to_vector(vector)}
        for id, (content, vector) in sorted(made.items())
    ]
    return Step("proposals/set_vectors", {"rows": rows})

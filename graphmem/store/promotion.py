"""Promotion in the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.actors import User
from graphmem.domain.notes import Note, WriteMode
from graphmem.domain.promotion import (
    ALIKE,
    MAX_OPT_OUTS,
    MOST_LOOKED_AT,
    OPTED_OUT,
    PROMOTABLE,
    USING_AGENTS,
    TeamText,
)
from graphmem.domain.proposals import Proposal, ProposalKind, ProposalStatus
from graphmem.domain.visibility import Audience
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.notes import LIVE_STATUSES
from graphmem.store.proposals import OPEN
from graphmem.store.rows import audience_map
from graphmem.store.visibility import to_user

MAX_PEOPLE: Final = 200  # of a note, each with its other names


@dataclass(frozen=True, kw_only=True)
class PromotionObstacles:
    """The facts that speak against promoting a note to a team."""

    opt_outs: tuple[str, ...]
    proposed: bool  # a proposal of it already waits
    known: bool  # the team knows it already
    found: bool  # found with another user, who has not consented


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The record of a procedure's successes and failures."""

    successes: int
    failures: int
    writers: tuple[str, ...]  # agents
    elsewhere: bool  # somebody who did not write it reported a success


@dataclass(frozen=True, kw_only=True)
class VisibleAudiences:
    """The part that a viewer may read, as audiences of teams (None for all): `shared` of proposals
    with consent, `known` of what teams know."""

    shared: tuple[str, ...] | None = None
    known: tuple[str, ...] | None = None

    @property
    def given(self) -> dict[str, object]:
        """The parameters of a query."""
        return {
            "shared": None if self.shared is None else list(self.shared),
            "known": None if self.known is None else list(self.known),
        }


async def read_obstacles(
    graph: Graph,
    user: str,
    note: str,
    readers: Audience,
    now: datetime,
    *,
    seen: VisibleAudiences,
    but: str | None = None,
) -> PromotionObstacles:
    """Return what speaks against promoting a note of the user to the readers' team, as far as it is
    `seen`; `but` is a proposal that does not count."""
    row = await graph.read_one(
        "promotion/standing",
        user=user,
        note=note,
        team=readers.owner.id,
        owner=readers.owner.name,
        open=list(OPEN),
        but=but or "",
        **seen.given,
        now=now,
    )
    assert row is not None
    return PromotionObstacles(
        opt_outs=tuple(row["optOuts"]),
        proposed=row["proposed"],
        known=row["known"],
        found=row["found"],
    )


async def proof_of(graph: Graph, id: str) -> Proof | None:
    """Return the record of a procedure by its id or that of its proposal; None if there is none."""
    row = await graph.read_one("promotion/proven", id=id)
    if row is None:
        return None
    return Proof(
        successes=row["successes"],
        failures=row["failures"],
        writers=tuple(row["writers"]),
        elsewhere=row["elsewhere"],
    )


async def people_of(graph: Graph, note: str, audiences: Sequence[str], now: datetime) -> list[str]:
    """Return the names of the people that a readable note mentions."""
    given = {"id": note, "audiences": list(audiences), "now": now, "limit": MAX_PEOPLE}
    rows = await graph.read_list("promotion/people", **given)
    return [name for row in rows for name in row["names"]]


def propose_step(
    proposal: str,
    note: Note,
    readers: Audience,
    text: TeamText,
    *,
    author: str | None,
    consented: bool,
    seen: VisibleAudiences,
    expires_at: datetime,
    now: datetime,
) -> Step:
    """Store a proposal to share the content of a note with a team. Raises Stale if the note has
    changed, its domain has been opted out meanwhile, or another proposal came first."""
    waits = ProposalStatus.AWAITING_ORCHESTRATOR if consented else ProposalStatus.AWAITING_OWNER
    properties = {
        "id": proposal,
        "user": note.user,
        "author": author,
        "kind": ProposalKind.PROMOTION,
        "status": waits,
        "version": 1,
        "audience": readers.key,
        "team": readers.owner.id,
        "content": text.content,
        "title": text.title,
        "domain": readers.domain,
        "noteKind": note.kind,
        "source": note.source,
        "tags": [],
        "entities": [],
        "confidence": note.confidence,
        "coreWorthy": False,
        "createdAt": now,
        "expiresAt": expires_at,
        "mode": WriteMode.VERBATIM,
        "consented": consented,
    }
    return Step(
        "promotion/propose",
        {
            "note": note.id,
            "version": note.version,
            "audience": note.audience.key,
            "team": readers.owner.id,
            "owner": readers.owner.name,
            "readers": audience_map(readers),
            "properties": properties,
            "open": list(OPEN),
            **seen.given,
            "now": now,
        },
        required=True,
    )


def consent_step(
    proposal: Proposal, text: TeamText, readers: Audience, reason: str | None, now: datetime
) -> Step:
    """Record the owner's consent. Raises Stale when the proposal or its note has changed."""
    given = {
        "content": text.content,
        "title": text.title,
        "domain": readers.domain,
        "readers": audience_map(readers),
    }
    return Step(
        "promotion/consent", {**_guard_parameters(proposal, reason, now), **given}, required=True
    )


def commit_step(
    proposal: Proposal,
    reason: str | None,
    proof: Proof | None,
    *,
    by: str,
    actor: str,
    now: datetime,
) -> Step:
    """Commit knowledge to a team. Raises Stale when the proposal or its note has changed, or when a
    procedure has worked or failed since its `proof` was read."""
    given = {
        "by": by,
        "actor": actor,
        "successes": proof.successes if proof else None,
        "failures": proof.failures if proof else None,
    }
    return Step(
        "promotion/commit", {**_guard_parameters(proposal, reason, now), **given}, required=True
    )


def _guard_parameters(proposal: Proposal, reason: str | None, now: datetime) -> dict[str, object]:
    return {
        "id": proposal.id,
        "version": proposal.version,
        "open": list(OPEN),
        "visibilities": list(PROMOTABLE),
        "statuses": list(LIVE_STATUSES),
        "reason": reason,
        "now": now,
    }


def take_back_step(proposal: str) -> Step:
    """Withdraw the owner's consent: the team no longer sees the proposal."""
    return Step("promotion/take_back", {"id": proposal}, required=True)


def tie_step(proposal: str, knowledge: str, now: datetime) -> Step:
    """Connect knowledge of a team with the note and the proposal that it came from."""
    given = {"id": proposal, "knowledge": knowledge, "now": now}
    return Step("promotion/tie", given, required=True)


def opt_out_step(user: str, domain: str, *, out: bool, now: datetime) -> Step:
    """Exclude a domain from promotion; the row of the step holds `user`. Raises Stale when that
    would be one domain too many."""
    return Step(
        "promotion/opt_out",
        {
            "user": user,
            "domain": domain,
            "out": out,
            "most": MAX_OPT_OUTS,
            "open": list(OPEN),
            "reason": OPTED_OUT,
            "now": now,
        },
        required=True,
    )


def user_of_opt_out(rows: Sequence[Row]) -> User:
    """Return the user in the row of an opt-out."""
    return to_user(rows[0]["user"])


async def opt_outs_of(graph: Graph, user: str) -> list[str]:
    """Return the domains that the user excludes from promotion."""
    row = await graph.read_one("promotion/opt_outs", user=user)
    return sorted(row["domains"]) if row else []


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The notes of a user that may be worth promoting, as (team, note, audience of the note)."""

    user: str
    notes: tuple[tuple[str, str, str], ...]


async def candidates(graph: Graph, after: str, *, now: datetime, limit: int) -> list[Candidates]:
    """Return a page of users in teams, with their notes that pass all checks except that of
    activation."""
    rows = await graph.read(
        "job:promote_knowledge",
        after=after,
        now=now,
        limit=limit,
        visibilities=list(PROMOTABLE),
        statuses=list(LIVE_STATUSES),
        agents=USING_AGENTS,
        alike=ALIKE,
        most=MOST_LOOKED_AT,
    )
    return [
        Candidates(
            user=row["user"],
            notes=tuple((team, note, audience) for team, note, audience in row["notes"]),
        )
        for row in rows
    ]

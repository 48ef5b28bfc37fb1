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
class Standing:
    """Read what stands against promoting a note to a team."""

    opt_outs: tuple[str, ...]
    proposed: bool  # it waits already
    known: bool  # the team knows it already
    found: bool  # with another user, who has not consented


@dataclass(frozen=True, kw_only=True)
class Proof:
    """How a procedure went, as far as that is kept."""

    successes: int
    failures: int
    writers: tuple[str, ...]  # agents
    elsewhere: bool  # somebody who did not write it told of a success


@dataclass(frozen=True, kw_only=True)
class Seen:
    """As far as what a viewer reads: audiences of teams, None for all. `shared`: of proposals that
    were consented to, `known`: of what teams know."""

    shared: tuple[str, ...] | None = None
    known: tuple[str, ...] | None = None

    @property
    def given(self) -> dict[str, object]:
        """As parameters of a query."""
        return {
            "shared": None if self.shared is None else list(self.shared),
            "known": None if self.known is None else list(self.known),
        }


async def standing(
    graph: Graph,
    user: str,
    note: str,
    readers: Audience,
    now: datetime,
    *,
    seen: Seen,
    but: str | None = None,
) -> Standing:
    """Read what stands against promoting a note of the user to the readers' team, as far as it is
    `seen`; `but`: a proposal that does not count."""
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
    return Standing(
        opt_outs=tuple(row["optOuts"]),
        proposed=row["proposed"],
        known=row["known"],
        found=row["found"],
    )


async def proof_of(graph: Graph, id: str) -> Proof | None:
    """Return how a procedure went, by its id or that of its proposal; None where it is not
    there."""
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
    seen: Seen,
    expires_at: datetime,
    now: datetime,
) -> Step:
    """Keep a proposal that a team is to know what a note says; Stale when the note has changed, its
    domain is kept out by now, or another one came first."""
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
    """Keep the owner's consent; Stale when the proposal or its note has changed."""
    given = {
        "content": text.content,
        "title": text.title,
        "domain": readers.domain,
        "readers": audience_map(readers),
    }
    return Step("promotion/consent", {**_guarded(proposal, reason, now), **given}, required=True)


def commit_step(
    proposal: Proposal,
    reason: str | None,
    proof: Proof | None,
    *,
    by: str,
    actor: str,
    now: datetime,
) -> Step:
    """Commit what a team is to know; Stale when the proposal or its note has changed, or when a
    procedure has worked or failed since its `proof` was read."""
    given = {
        "by": by,
        "actor": actor,
        "successes": proof.successes if proof else None,
        "failures": proof.failures if proof else None,
    }
    return Step("promotion/commit", {**_guarded(proposal, reason, now), **given}, required=True)


def _guarded(proposal: Proposal, reason: str | None, now: datetime) -> dict[str, object]:
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
    """Take the owner's consent back: the team is not told of the proposal any more."""
    return Step("promotion/take_back", {"id": proposal}, required=True)


def tie_step(proposal: str, knowledge: str, now: datetime) -> Step:
    """Tie what a team knows to the note and the proposal that it came of."""
    given = {"id": proposal, "knowledge": knowledge, "now": now}
    return Step("promotion/tie", given, required=True)


def opt_out_step(user: str, domain: str, *, out: bool, now: datetime) -> Step:
    """Keep a domain out of promotion; its row holds `user`. Stale for one domain too many."""
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


def opted_out(rows: Sequence[Row]) -> User:
    """Return the user of the row of an opt-out."""
    return to_user(rows[0]["user"])


async def opt_outs_of(graph: Graph, user: str) -> list[str]:
    """Return the domains that the user keeps out of promotion."""
    row = await graph.read_one("promotion/opt_outs", user=user)
    return sorted(row["domains"]) if row else []


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """What of a user may be worth a team's knowing: (team, note, audience of the note)."""

    user: str
    notes: tuple[tuple[str, str, str], ...]


async def candidates(graph: Graph, after: str, *, now: datetime, limit: int) -> list[Candidates]:
    """Return a page of users in teams, with their notes that pass all but the look at
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

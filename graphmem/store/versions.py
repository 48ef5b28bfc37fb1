"""Other versions of what teams have, proposed and decided, in the graph."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.domain.notes import Kind, Source, WriteMode
from graphmem.domain.proposals import Proposal, ProposalKind, ProposalStatus
from graphmem.domain.visibility import Audience
from graphmem.store.graph import Graph, Step
from graphmem.store.proposals import OPEN

MOST_WAITING: Final = 200  # proposals of other versions of one thing


@dataclass(frozen=True, kw_only=True)
class Present:
    """The origin of the present version of a team's knowledge or skill."""

    version: int
    owner: str | None  # whose note it was
    promoted: bool
    agreed: bool  # by two people
    actors: tuple[str, ...]  # who wrote its versions, the present one first


@dataclass(frozen=True, kw_only=True)
class Words:
    """Another version of what a team has."""

    content: str
    title: str | None
    trigger: str | None
    tags: tuple[str, ...]


async def present_of(graph: Graph, id: str, audience: Audience, now: datetime) -> Present | None:
    """Return the origin of the present version, None if it is gone."""
    given = {"id": id, "audiences": [audience.key], "now": now}
    row = await graph.read_one("versions/standing", **given)
    if row is None:
        return None
    return Present(
        version=row["version"],
        owner=row["owner"],
        promoted=row["promoted"],
        agreed=row["agreed"],
        actors=tuple(row["actors"]),
    )


def propose_step(
    proposal: str,
    of: tuple[str, int],
    audience: Audience,
    words: Words,
    *,
    user: str,
    author: str | None,
    status: ProposalStatus,
    expires_at: datetime,
    now: datetime,
) -> Step:
    """Store a proposal of another version `of` a thing, given by its id and version. Raises Stale
    when the thing has changed, or when too many proposals wait."""
    note, version = of
    kind = Kind.SEMANTIC if words.title is None else Kind.PROCEDURAL
    properties = {
        "id": proposal,
        "user": user,
        "author": author,
        "kind": ProposalKind.REVISION,
        "status": status,
        "version": 1,
        "base": version,
        "audience": audience.key,
        "team": audience.owner.id,
        "content": words.content,
        "title": words.title,
        "trigger": words.trigger,
        "tags": list(words.tags),
        "domain": audience.domain,
        "noteKind": kind,
        "source": Source.TOLD,
        "entities": [],
        "confidence": 1.0,
        "coreWorthy": False,
        "createdAt": now,
        "expiresAt": expires_at,
        "mode": WriteMode.VERBATIM,
        "consented": status is ProposalStatus.AWAITING_ORCHESTRATOR,
    }
    given = {"note": note, "version": version, "audience": audience.key, "properties": properties}
    return Step(
        "versions/propose",
        {**given, "open": list(OPEN), "most": MOST_WAITING, "now": now},
        required=True,
    )


def consent_step(proposal: Proposal, reason: str | None, now: datetime) -> Step:
    """Record the owner's consent. Raises Stale when the proposal has changed."""
    return Step("versions/consent", _guard_parameters(proposal, reason, now), required=True)


def commit_step(
    proposal: Proposal,
    reason: str | None,
    *,
    agreed: bool,
    by: str,
    actor: str,
    now: datetime,
) -> Step:
    """Commit a proposal; `agreed` says that two people agreed. Raises Stale when it or what it
    renews has changed."""
    given = {"agreed": agreed, "by": by, "actor": actor, "consented": proposal.consented}
    return Step(
        "versions/commit", {**_guard_parameters(proposal, reason, now), **given}, required=True
    )


def _guard_parameters(proposal: Proposal, reason: str | None, now: datetime) -> dict[str, object]:
    given = {"id": proposal.id, "version": proposal.version, "open": list(OPEN)}
    return {**given, "reason": reason, "now": now}

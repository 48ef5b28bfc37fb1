"""Digests of old events in the API."""

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.scalars import JSON
from graphmem.operations.commands.digests import ListAuditDigests


@strawberry.type
class AuditDigest:
    """The digest of a month's events: `mutations` by type, `reflections` by their outcome, `decays`
    by status before and after, the `notable` ones by type, and how many were `critical`, as changes
    of files that agents live by are. `month` has the form 2026-03."""

    month: str
    mutations: JSON
    reflections: JSON
    decays: JSON
    archivals: int
    notable: JSON
    critical: int


@strawberry.type
class DigestQuery:
    """Reading digests."""

    audit_digests = query_of(ListAuditDigests, list[AuditDigest])

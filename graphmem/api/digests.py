"""Digests of old events in the API."""

import strawberry

from graphmem.api.fields import query_of
from graphmem.api.object_types import object_type
from graphmem.domain import digests
from graphmem.operations.commands.digests import ListAuditDigests

AuditDigest = object_type(digests.Digest, "AuditDigest")


@strawberry.type
class DigestQuery:
    """Reading digests."""

    audit_digests = query_of(ListAuditDigests, list[AuditDigest])

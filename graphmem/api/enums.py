"""The enums of the API: those of the domain, under the contract's names."""

from enum import Enum

import strawberry

from graphmem.domain.actors import AgentRole, WritePermission
from graphmem.domain.notes import (
    Kind,
    NoteType,
    Source,
    Status,
    Tier,
    Validity,
    WriteMode,
)
from graphmem.domain.notes import Operation as OperationKind
from graphmem.domain.scopes import Scope
from graphmem.domain.visibility import Visibility

__all__ = [
    "AgentRole",
    "Kind",
    "NoteType",
    "OperationKind",
    "RankingProfile",
    "Scope",
    "Source",
    "Status",
    "Tier",
    "Validity",
    "Visibility",
    "WriteMode",
    "WritePermission",
]

for _enum in (
    AgentRole,
    Kind,
    NoteType,
    OperationKind,
    Scope,
    Source,
    Status,
    Tier,
    Validity,
    Visibility,
    WriteMode,
    WritePermission,
):
    strawberry.enum(_enum)


@strawberry.enum
class RankingProfile(Enum):
    """A named ranking formula."""

    BALANCED = "BALANCED"
    SIMILARITY = "SIMILARITY"
    ACTIVATION = "ACTIVATION"
    ACT_R = "ACT_R"
    RELEVANCE = "RELEVANCE"
    RECENCY = "RECENCY"
    TIERED = "TIERED"

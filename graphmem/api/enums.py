"""The enums of the API: those of the domain, under the contract's names."""

import strawberry

from graphmem.domain.actors import AgentRole, WritePermission
from graphmem.domain.neighbourhood import NodeKind
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
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.scopes import Scope
from graphmem.domain.visibility import Visibility
from graphmem.operations.docstrings import sentence_of

__all__ = [
    "AgentRole",
    "Kind",
    "NodeKind",
    "NoteType",
    "OperationKind",
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
    NodeKind,
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
    strawberry.enum(_enum, description=sentence_of(_enum))
strawberry.enum(Profile, name="RankingProfile", description=sentence_of(Profile))

"""Reflections in the API; nothing makes one yet."""

from datetime import datetime
from enum import Enum

import strawberry

from graphmem.api.scalars import JSON


@strawberry.enum
class ReflectionStatus(Enum):
    """What became of a reflection."""

    PENDING = "PENDING"
    APPLIED = "APPLIED"
    PARTIAL = "PARTIAL"
    REJECTED = "REJECTED"
    REVERTED = "REVERTED"


@strawberry.type
class ReflectionItem:
    """One change that a reflection proposes."""

    id: strawberry.ID
    kind: str
    summary: str
    diff: JSON
    accepted: bool | None


@strawberry.type
class Reflection:
    """What going through the memory proposes."""

    id: strawberry.ID
    number: int
    status: ReflectionStatus
    at: datetime
    items: list[ReflectionItem]
    markdown: str
    tokens_used: int
    token_budget: int

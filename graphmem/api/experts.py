"""Experts in the API."""

from __future__ import annotations

from datetime import datetime

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.payloads import Hit
from graphmem.api.types import Note, load_notes
from graphmem.operations.commands.experts import Consult, KeepFinding, ListExperts, Route
from graphmem.operations.presenters import experts


@strawberry.type
class Expert:
    """A user or agent that knows about a topic, as far as you may know."""

    agent: Agent | None
    """null: the user in person. Of another user's agent only id and name are shown"""
    topic: str
    confidence: float
    """how sure it is that they know, from 0 to 1"""
    last_active_at: datetime | None
    """when they wrote the newest of the notes that show this"""

    @strawberry.field
    @staticmethod
    async def user(root: strawberry.Parent[experts.Expert], info: Info) -> User:
        """The user who knows it, or whose agent does."""
        return await loaders.users_loader(info.context).load(root.user_id)

    @strawberry.field
    @staticmethod
    async def evidence(root: strawberry.Parent[experts.Expert], info: Info) -> list[Note]:
        """The five best fitting notes that show this, as far as you may read them."""
        return await load_notes(info.context, root.note_ids)


@strawberry.type
class RouteAdvice:
    """The agent that should do a task."""

    agent: Agent | None
    """null: nobody is known to know about it"""
    confidence: float
    """how sure it is that this agent knows, from 0 to 1"""
    reasoning: str
    relevant_note_count: int
    alternatives: list[Expert]


@strawberry.type
class Consultation:
    """The answer to a question, and every step on the way to it."""

    steps: list[str]
    expert: Expert | None
    """whose memory answers; null: your own, the commons, or none"""
    hits: list[Hit]
    answered: bool
    recall_id: strawberry.ID | None
    """for `feedback`, and for `keepFinding` where an expert answers; null where it is not tracked,
    and where no memory answers"""


@strawberry.type
class ExpertsQuery:
    """Finding experts and asking them."""

    who_knows = query_of(ListExperts, list[Expert])
    route = query_of(Route, RouteAdvice)
    consult = query_of(Consult, Consultation)


@strawberry.type
class ExpertsMutation:
    """Keeping what others know."""

    keep_finding = mutation_of(KeepFinding, Note)

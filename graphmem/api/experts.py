"""Experts in the API."""

from __future__ import annotations

import strawberry

from graphmem.api import loaders
from graphmem.api.actors import Agent, User
from graphmem.api.context import Info
from graphmem.api.fields import mutation_of, query_of
from graphmem.api.object_types import fields_of_answer, object_type
from graphmem.api.payloads import Hit
from graphmem.api.types import Note, load_notes
from graphmem.domain import expertise
from graphmem.operations import answers
from graphmem.operations.commands.experts import Consult, KeepFinding, ListExperts, Route


@fields_of_answer(expertise.Expert, leave=("user", "note_ids"), agent=Agent)
class Expert:
    """A user or agent that knows about a topic, as far as you may know."""

    @strawberry.field
    @staticmethod
    async def user(root: strawberry.Parent[expertise.Expert], info: Info) -> User:
        """The user who knows it, or whose agent does."""
        return await loaders.users_loader(info.context).load(root.user)

    @strawberry.field
    @staticmethod
    async def evidence(root: strawberry.Parent[expertise.Expert], info: Info) -> list[Note]:
        """The five best fitting notes that show this, as far as you may read them."""
        return await load_notes(info.context, root.note_ids)


RouteAdvice = object_type(answers.RouteAdvice, agent=Agent, alternatives=Expert)
Consultation = object_type(answers.Consultation, expert=Expert, hits=Hit)


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

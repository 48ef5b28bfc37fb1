"""The answers of queries and mutations other than the objects themselves."""

import strawberry

from graphmem.api.actors import Agent, User, VisibilityRule
from graphmem.api.commons_types import Proposal
from graphmem.api.context import Info
from graphmem.api.object_types import fields_of_answer, object_type
from graphmem.api.scalars import Long
from graphmem.api.types import Note
from graphmem.domain import entities, events, neighbourhood, passages, stats
from graphmem.domain import notes as domain
from graphmem.domain.actors import Unlisted
from graphmem.domain.profiles import why
from graphmem.operations import answers
from graphmem.operations.presenters import actors, notes
from graphmem.operations.related import count_notes

MAX_INT = 2**31 - 1  # of an Int


FoundSecret = object_type(answers.FoundSecret)
RememberPayload = object_type(
    notes.RememberPayload, note=Note, proposal=Proposal, affected=Note, secrets=FoundSecret
)
PreviewEntity = object_type(domain.EntityDraft, "PreviewEntity")
PreviewRelation = object_type(domain.RelationDraft, "PreviewRelation")
Preview = object_type(
    answers.Preview,
    read=Note,
    entities=PreviewEntity,
    relations=PreviewRelation,
    note=Note,
    affected=Note,
    secrets=FoundSecret,
)
UserError = object_type(notes.UserError)
RememberResult = object_type(
    notes.RememberResult, note=Note, proposal=Proposal, error=UserError, secrets=FoundSecret
)
RememberManyPayload = object_type(notes.RememberManyPayload, results=RememberResult)
PageInfo = object_type(notes.PageInfo)
NoteEdge = object_type(notes.NoteEdge, node=Note)


@fields_of_answer(notes.NoteConnection, edges=NoteEdge, page_info=PageInfo)
class NoteConnection:
    """A page of a list of notes."""

    nodes: list[Note]

    @strawberry.field
    @staticmethod
    async def total_count(root: strawberry.Parent[notes.NoteConnection], info: Info) -> int:
        """The number of notes in the whole list; counted only when asked for."""
        return await count_notes(info.context, root.given, root.as_of)


Step = object_type(answers.PathStep, "Step")
ScorePart = object_type(why.ScorePart)
Why = object_type(why.Why, parts=ScorePart, similarity=float | None)
Passage = object_type(passages.Passage)
Hit = object_type(
    answers.Hit, note=Note, via=Step, why=Why, superseded_by=strawberry.ID, passage=Passage
)
Recall = object_type(answers.RecallResult, "Recall", hits=Hit)
ContextPackage = object_type(answers.ContextPackage, hits=Hit)
PathNode = object_type(entities.PathNode)
Path = object_type(entities.Path, nodes=PathNode)
Neighbour = object_type(neighbourhood.Neighbour)
NeighbourEdge = object_type(neighbourhood.NeighbourEdge)
Neighbourhood = object_type(neighbourhood.Neighbourhood, nodes=Neighbour, edges=NeighbourEdge)
Event = object_type(events.Event, seq=Long)


@fields_of_answer(stats.Stats)
class Stats:
    """The number of notes that the viewer can read, in all and by their properties."""

    storage_bytes: int = strawberry.field(resolver=lambda root: min(root.storage_bytes, MAX_INT))


Viewer = object_type(actors.Viewer, user=User, agent=Agent)
AgentMemory = object_type(Unlisted, "AgentMemory")
ForgetPayload = object_type(answers.ForgetOutcome, "ForgetPayload", matches=Note)
ForgetManyPayload = object_type(answers.ForgottenMany, "ForgetManyPayload")
SetVisibilityPayload = object_type(
    answers.VisibilityChange, "SetVisibilityPayload", rule=VisibilityRule
)

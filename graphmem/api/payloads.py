"""The answers of queries and mutations other than the objects themselves."""

import strawberry

from graphmem.api.actors import Agent, User, VisibilityRule
from graphmem.api.commons_types import Proposal
from graphmem.api.context import Info
from graphmem.api.object_types import fields_of_answer, object_type
from graphmem.api.scalars import Long
from graphmem.api.types import Note
from graphmem.domain import entities, events, neighbourhood, stats
from graphmem.operations.presenters import actors, notes, recall
from graphmem.operations.related import count_notes

MAX_INT = 2**31 - 1  # of an Int


RememberPayload = object_type(notes.RememberPayload, note=Note, proposal=Proposal, affected=Note)
PreviewEntity = object_type(notes.PreviewEntity)
PreviewRelation = object_type(notes.PreviewRelation)
Preview = object_type(
    notes.Preview,
    read=Note,
    entities=PreviewEntity,
    relations=PreviewRelation,
    note=Note,
    affected=Note,
)
UserError = object_type(notes.UserError)
RememberResult = object_type(notes.RememberResult, note=Note, proposal=Proposal, error=UserError)
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


Step = object_type(recall.PathStep, "Step")
ScorePart = object_type(recall.ScorePart)
Why = object_type(recall.Why, parts=ScorePart)
Passage = object_type(recall.Passage)
Hit = object_type(
    recall.Hit, note=Note, via=Step, why=Why, superseded_by=strawberry.ID, passage=Passage
)
Recall = object_type(recall.Recall, hits=Hit)
ContextPackage = object_type(recall.ContextPackage, hits=Hit)
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
ForgetPayload = object_type(notes.ForgetPayload, matches=Note)
SetVisibilityPayload = object_type(notes.SetVisibilityPayload, rule=VisibilityRule)

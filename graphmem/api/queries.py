"""The queries: each carries out one command."""

import strawberry

from graphmem.api import payloads, types
from graphmem.api.alerts import AlertQuery
from graphmem.api.commons import CommonsQuery
from graphmem.api.conflicts import ConflictQuery
from graphmem.api.core import CoreQuery
from graphmem.api.coretrieval import CoRetrievalQuery
from graphmem.api.digests import DigestQuery
from graphmem.api.experts import ExpertsQuery
from graphmem.api.fields import query_of
from graphmem.api.handoffs import HandoffQuery
from graphmem.api.health import HealthQuery
from graphmem.api.inputs import ContextInput, NoteFilter, RecallInput, RememberInput
from graphmem.api.jobs import JobQuery
from graphmem.api.proposals import ProposalQuery
from graphmem.api.reflection import ReflectionQuery
from graphmem.api.resolution import ResolutionQuery
from graphmem.api.teams import TeamQuery
from graphmem.operations.commands.actors import (
    GetDefaultAgentMemory,
    GetStats,
    GetViewer,
    ListAgents,
)
from graphmem.operations.commands.entities import (
    FindPaths,
    GetEntity,
    GetNeighbourhood,
    ListEntities,
)
from graphmem.operations.commands.events import ListEvents
from graphmem.operations.commands.notes import GetNote, ListNotes, PreviewRemember
from graphmem.operations.commands.recall import MakeContext, Recall


@strawberry.type
class Query(
    AlertQuery,
    CommonsQuery,
    ConflictQuery,
    CoreQuery,
    CoRetrievalQuery,
    DigestQuery,
    ExpertsQuery,
    HandoffQuery,
    HealthQuery,
    JobQuery,
    ProposalQuery,
    ReflectionQuery,
    ResolutionQuery,
    TeamQuery,
):
    """Reading the memory."""

    viewer = query_of(GetViewer, payloads.Viewer)
    note = query_of(GetNote, types.Note | None)
    notes = query_of(ListNotes, payloads.NoteConnection, filter=NoteFilter)
    preview_remember = query_of(PreviewRemember, payloads.Preview, note=RememberInput)
    recall = query_of(Recall, payloads.Recall, input=RecallInput)
    context = query_of(MakeContext, payloads.ContextPackage, input=ContextInput)
    entity = query_of(GetEntity, types.Entity | None)
    entities = query_of(ListEntities, list[types.Entity])
    paths = query_of(FindPaths, list[payloads.Path])
    neighbourhood = query_of(GetNeighbourhood, payloads.Neighbourhood)
    agents = query_of(ListAgents, list[types.Agent])
    default_agent_memory = query_of(GetDefaultAgentMemory, payloads.AgentMemory)
    events = query_of(ListEvents, list[payloads.Event])
    stats = query_of(GetStats, payloads.Stats)

"""The mutations: each carries out one command."""

import strawberry

from graphmem.api import inputs, payloads, types
from graphmem.api.alerts import AlertMutation
from graphmem.api.commons import CommonsMutation
from graphmem.api.conflicts import ConflictMutation
from graphmem.api.core import CoreMutation
from graphmem.api.erasure import ErasureMutation
from graphmem.api.experts import ExpertsMutation
from graphmem.api.feedback import FeedbackMutation
from graphmem.api.fields import mutation_of
from graphmem.api.handoffs import HandoffMutation
from graphmem.api.history import HistoryMutation
from graphmem.api.jobs import JobMutation
from graphmem.api.messages import CommandMutation
from graphmem.api.proposals import ProposalMutation
from graphmem.api.reflection import ReflectionMutation
from graphmem.api.resolution import ResolutionMutation
from graphmem.api.rules import RuleMutation
from graphmem.api.sessions import SessionMutation
from graphmem.api.teams import TeamMutation
from graphmem.operations.commands.actors import (
    RegisterAgent,
    RegisterUser,
    SetDefaultAgentMemory,
)
from graphmem.operations.commands.notes import (
    Forget,
    ForgetMany,
    LinkNotes,
    Pin,
    Remember,
    RememberMany,
    Restore,
    RestoreMany,
    Revise,
    Unlink,
)
from graphmem.operations.commands.quarantine import ReleaseNote
from graphmem.operations.commands.rules import SetVisibility


@strawberry.type
class Mutation(
    AlertMutation,
    CommandMutation,
    CommonsMutation,
    ConflictMutation,
    CoreMutation,
    ErasureMutation,
    ExpertsMutation,
    FeedbackMutation,
    HandoffMutation,
    HistoryMutation,
    JobMutation,
    ProposalMutation,
    ReflectionMutation,
    ResolutionMutation,
    RuleMutation,
    SessionMutation,
    TeamMutation,
):
    """Changing the memory."""

    remember = mutation_of(Remember, payloads.RememberPayload, input=inputs.RememberInput)
    remember_many = mutation_of(
        RememberMany, payloads.RememberManyPayload, input=inputs.RememberManyInput
    )
    revise = mutation_of(Revise, types.Note)
    forget = mutation_of(Forget, payloads.ForgetPayload)
    forget_many = mutation_of(ForgetMany, payloads.ForgetManyPayload, filter=inputs.NoteFilter)
    restore = mutation_of(Restore, types.Note)
    restore_many = mutation_of(RestoreMany, int)
    release_note = mutation_of(ReleaseNote, types.Note)
    pin = mutation_of(Pin, types.Note)
    set_visibility = mutation_of(SetVisibility, payloads.SetVisibilityPayload)
    link = mutation_of(LinkNotes, types.Link)
    unlink = mutation_of(Unlink, bool)
    register_user = mutation_of(RegisterUser, types.User)
    register_agent = mutation_of(RegisterAgent, types.Agent, input=inputs.AgentInput)
    set_default_agent_memory = mutation_of(SetDefaultAgentMemory, payloads.AgentMemory)

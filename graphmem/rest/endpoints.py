"""The table of REST endpoints: a method and a path for each command."""

import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Final, get_origin, get_type_hints

from graphmem.domain.fields import fields_of
from graphmem.operations.command import Command
from graphmem.operations.commands import (
    actors,
    alerts,
    commons,
    conflicts,
    core,
    daemon,
    digests,
    entities,
    erasure,
    events,
    experts,
    exporting,
    handoffs,
    health,
    history,
    jobs,
    messages,
    notes,
    promotion,
    proposals,
    quarantine,
    recall,
    reflection,
    rules,
    sessions,
    teams,
)
from graphmem.operations.presenters.notes import Note, NoteConnection, PageInfo

IN_PATH: Final = re.compile(r"{(\w+)}")
AFTER: Final = "after"
KEYED: Final = ("idempotencyKey", "notes")  # fields that `Idempotency-Key` can stand for


@dataclass(frozen=True, kw_only=True)
class NotePage:
    """A page of a list of notes, newest first."""

    notes: tuple[Note, ...]
    page_info: PageInfo


def page_of(found: NoteConnection) -> NotePage:
    """Return a page without its filter."""
    return NotePage(notes=tuple(found.nodes), page_info=found.page_info)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One operation of REST."""

    method: str
    path: str
    command: type[Command[Any]]
    group: str
    under: str | None = None
    """the name in the answer's object of an answer that is no object"""
    shape: Callable[[Any], Any] | None = None
    lines: bool = False
    """whether what it streams are records of JSON, one a line, and not events"""

    daemon: bool = False
    """one of the daemon's document: errors have its shape, and `agentId` says who asks"""

    called: str | None = None
    """the name of the operation, where it is not that of the command"""
    without: tuple[str, ...] = ()
    """fields of the command that are not offered here"""

    @property
    def name(self) -> str:
        """The name of the operation, unique in the document."""
        name = self.called or self.command.__name__
        return name[0].lower() + name[1:]

    @property
    def in_path(self) -> tuple[str, ...]:
        """The fields that are in the path."""
        return tuple(IN_PATH.findall(self.path))

    @property
    def has_body(self) -> bool:
        """True if the other fields come as JSON; else they come in the query."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def streams(self) -> bool:
        """True if the answer is a stream: of server-sent events, or of lines."""
        return get_origin(get_type_hints(self.command.run)["return"]) is AsyncGenerator

    @property
    def resumes(self) -> bool:
        """True if `Last-Event-ID` says where the stream continues."""
        return self.streams and any(field.wire == AFTER for field in fields_of(self.command))

    @property
    def matches_version(self) -> bool:
        """True if `If-Match` gives the expected version."""
        return any(field.wire == "expectedVersion" for field in fields_of(self.command))

    @property
    def keyed(self) -> str | None:
        """The field that `Idempotency-Key` stands for."""
        names = [field.wire for field in fields_of(self.command)]
        return next((name for name in KEYED if name in names), None) if self.has_body else None

    @property
    def answer(self) -> Any:
        """The type of the answer, before it is put under a name."""
        return get_type_hints(self.shape or self.command.run)["return"]


def _get(path: str, command: type[Command[Any]], group: str, **given: Any) -> Endpoint:
    return Endpoint(method="GET", path=path, command=command, group=group, **given)


def _post(path: str, command: type[Command[Any]], group: str, **given: Any) -> Endpoint:
    return Endpoint(method="POST", path=path, command=command, group=group, **given)


def _put(path: str, command: type[Command[Any]], group: str, **given: Any) -> Endpoint:
    return Endpoint(method="PUT", path=path, command=command, group=group, **given)


def _delete(path: str, command: type[Command[Any]], group: str, **given: Any) -> Endpoint:
    return Endpoint(method="DELETE", path=path, command=command, group=group, **given)


NOTE: Final = "/v1/notes/{id}"
ENDPOINTS: Final = (
    _post("/v1/remember", notes.Remember, "memory"),
    _post("/v1/remember/preview", notes.PreviewRemember, "memory"),
    _post("/v1/remember/many", notes.RememberMany, "memory"),
    _post("/v1/recall", recall.Recall, "memory"),
    _get("/v1/recall", recall.Recall, "memory", called="recallByGet"),
    _post("/v1/context", recall.MakeContext, "memory"),
    _get("/v1/context", recall.MakeContext, "memory", called="makeContextByGet"),
    _post("/v1/feedback", recall.GiveFeedback, "memory", under="done"),
    _post("/v1/forget", notes.Forget, "memory"),
    _post("/v1/forget/many", notes.ForgetMany, "memory"),
    _post("/v1/restore/many", notes.RestoreMany, "memory", under="restored"),
    _post("/v1/command", messages.CarryOutMessage, "memory"),
    _get("/v1/notes", notes.ListNotes, "notes", shape=page_of),
    _get(NOTE, notes.GetNote, "notes", without=("externalId",)),
    _get("/v1/note", notes.GetNote, "notes", called="findNote"),
    Endpoint(method="PATCH", path=NOTE, command=notes.Revise, group="notes"),
    _delete(NOTE, notes.Forget, "notes", called="forgetNote", without=("query", "confirm")),
    _post(f"{NOTE}/restore", notes.Restore, "notes"),
    _post(f"{NOTE}/revert", history.RevertNote, "notes"),
    _post("/v1/revert", history.RevertTo, "notes", under="changed"),
    _post(f"{NOTE}/release", quarantine.ReleaseNote, "notes"),
    _post(f"{NOTE}/pin", notes.Pin, "notes"),
    _post("/v1/visibility", rules.SetVisibility, "notes"),
    _post("/v1/visibility/remove", rules.RemoveVisibilityRule, "notes"),
    _put("/v1/visibility/default", rules.SetDefaultVisibility, "notes"),
    _post("/v1/links", notes.LinkNotes, "notes"),
    _delete("/v1/links/{id}", notes.Unlink, "notes", under="done"),
    _get("/v1/entities", entities.ListEntities, "entities", under="entities"),
    _get("/v1/entities/{id}", entities.GetEntity, "entities", without=("name",)),
    _get("/v1/entity", entities.GetEntity, "entities", called="findEntity"),
    _get("/v1/paths", entities.FindPaths, "entities", under="paths"),
    _get("/v1/neighbourhood", entities.GetNeighbourhood, "entities"),
    _get("/v1/reviews", entities.ListEntityReviews, "entities", under="reviews"),
    _post("/v1/reviews/refuse", entities.RefuseEntityMerge, "entities"),
    _post("/v1/entities/merge", entities.MergeEntities, "entities"),
    _post("/v1/merges/{id}/undo", entities.UndoEntityMerge, "entities"),
    _get("/v1/core", core.GetCoreMemory, "core memory"),
    _put("/v1/core/{name}", core.SetCoreBlock, "core memory"),
    _get("/v1/conflicts", conflicts.ListConflicts, "upkeep", under="conflicts"),
    _post("/v1/conflicts/{id}/resolve", conflicts.ResolveConflict, "upkeep"),
    _get("/v1/copies", conflicts.ListNoteCopies, "upkeep", under="copies"),
    _post("/v1/copies/refuse", conflicts.RefuseNoteMerge, "upkeep", under="refused"),
    _post("/v1/consolidate", conflicts.Consolidate, "upkeep"),
    _get("/v1/reflections", reflection.ListReflections, "upkeep", under="reflections"),
    _post("/v1/reflections", reflection.Reflect, "upkeep"),
    _post("/v1/reflections/{id}/decide", reflection.DecideReflection, "upkeep"),
    _post("/v1/reflections/{id}/revert", reflection.RevertReflection, "upkeep"),
    _get("/v1/clusters", recall.ListClusterCandidates, "upkeep", under="clusters"),
    _get("/v1/jobs", jobs.ListJobs, "jobs", under="jobs"),
    _get("/v1/jobs/runs", jobs.ListJobRuns, "jobs", under="runs"),
    _post("/v1/jobs/{name}/runs", jobs.RunJob, "jobs"),
    _post("/v1/jobs/runs/{id}/cancel", jobs.CancelRun, "jobs"),
    _get("/v1/jobs/runs/{id}/stream", jobs.FollowRun, "jobs"),
    _get("/v1/events", events.ListEvents, "events", under="events"),
    _get("/v1/events/digests", digests.ListAuditDigests, "events", under="digests"),
    _get("/v1/events/stream", events.FollowEvents, "events"),
    _get("/v1/viewer", actors.GetViewer, "who asks"),
    _get("/v1/agents", actors.ListAgents, "who asks", under="agents"),
    _put("/v1/agents/{id}", actors.RegisterAgent, "who asks"),
    _get("/v1/agent-memory/default", actors.GetDefaultAgentMemory, "who asks"),
    _put("/v1/agent-memory/default", actors.SetDefaultAgentMemory, "who asks"),
    _put("/v1/agents/self/status", sessions.ReportStatus, "who asks"),
    _post("/v1/sessions", sessions.OpenSession, "sessions"),
    _post("/v1/sessions/{id}/close", sessions.CloseSession, "sessions"),
    _get("/v1/alerts", alerts.ListAlerts, "sessions", under="alerts"),
    _post("/v1/alerts/{noteId}/confirm", alerts.ConfirmAlert, "sessions", under="alerts"),
    _get("/v1/handoffs", handoffs.ListHandoffs, "sessions", under="handoffs"),
    _post("/v1/handoffs", handoffs.HandOff, "sessions"),
    _post("/v1/handoffs/{id}/end", handoffs.EndHandoff, "sessions"),
    _post("/v1/agents", handoffs.SpawnAgent, "sessions"),
    _put("/v1/users/{id}", actors.RegisterUser, "who asks"),
    _post("/v1/erase", erasure.EraseUser, "who asks"),
    _put("/v1/teams/{id}", teams.RegisterTeam, "who asks"),
    _get("/v1/invitations", teams.ListInvitations, "who asks", under="invitations"),
    _post("/v1/invitations/{team}/decline", teams.DeclineInvitation, "who asks", under="done"),
    _get("/v1/invitation-blocks", teams.ListInvitationBlocks, "who asks", under="blocks"),
    _put("/v1/invitation-blocks", teams.BlockInvitations, "who asks", under="blocks"),
    _post("/v1/teams/{id}/join", teams.JoinTeam, "who asks"),
    _post("/v1/teams/{id}/leave", teams.LeaveTeam, "who asks", under="done"),
    _put("/v1/teams/{team}/domains", teams.ShareDomain, "who asks"),
    _get("/v1/skills", commons.ListSkills, "skills", under="skills"),
    _post("/v1/skills", commons.AddSkill, "skills"),
    _post("/v1/skills/{id}/report", commons.ReportSkill, "skills"),
    _get("/v1/sop", commons.GetSop, "skills", under="sop"),
    _put("/v1/sop", commons.SetSop, "skills"),
    _get("/v1/proposals", proposals.ListProposals, "proposals", under="proposals"),
    _post("/v1/proposals/{id}/decide", proposals.DecideProposal, "proposals"),
    _get("/v1/knowledge", commons.ListKnowledge, "commons", under="knowledge"),
    _post("/v1/knowledge/proposals", promotion.ProposeKnowledge, "commons"),
    _post("/v1/promotion/opt-outs", promotion.SetPromotionOptOut, "commons"),
    _post("/v1/knowledge/{id}/verify", commons.VerifyKnowledge, "commons"),
    Endpoint(
        method="PATCH", path="/v1/knowledge/{id}", command=commons.ReviseKnowledge, group="commons"
    ),
    _post("/v1/knowledge/{id}/withdraw", commons.WithdrawKnowledge, "commons", under="done"),
    _get("/v1/board", commons.ListBoard, "commons", under="board"),
    _post("/v1/board", commons.PostBoard, "commons"),
    _post("/v1/board/remove", commons.RemoveFromBoard, "commons", under="done"),
    _get("/v1/experts", experts.ListExperts, "experts", under="experts"),
    _post("/v1/route", experts.Route, "experts"),
    _get("/v1/route", experts.Route, "experts", called="routeByGet"),
    _post("/v1/consult", experts.Consult, "experts"),
    _get("/v1/consult", experts.Consult, "experts", called="consultByGet"),
    _post("/v1/consult/{recallId}/keep", experts.KeepFinding, "experts"),
    _get("/v1/export", exporting.ExportMemory, "memory", lines=True),
    _get("/v1/teams/{team}/export", exporting.ExportTeam, "commons", lines=True),
    _get("/v1/stats", actors.GetStats, "service"),
    _get("/v1/service/health", health.GetHealth, "service"),
    _get("/v1/service/settings", health.ListSettings, "service", under="settings"),
    _get("/v1/status", daemon.GetStatus, "service"),
    _post("/remember", daemon.StoreMemory, "daemon", daemon=True),
    _get("/recall", daemon.SearchMemories, "daemon", daemon=True),
    _delete("/forget/{id}", daemon.ForgetMemory, "daemon", daemon=True),
    _get("/agents", daemon.CountAgents, "daemon", daemon=True),
    _get("/status", daemon.GetStatus, "daemon", called="status", daemon=True),
)

"""Sessions in the graph, and their contents."""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from graphmem.domain.notes import (
    EntityDraft,
    Kind,
    NoteDraft,
    NoteType,
    RelationDraft,
    Source,
    Validity,
)
from graphmem.domain.sessions import MAX_LOCAL, Session
from graphmem.domain.visibility import Visibility
from graphmem.store.graph import Graph, Step
from graphmem.store.times import instant

_TIMES = ("occurred_at", "valid_from", "valid_to", "expires_at")
_CHOICES = {
    "visibility": Visibility,
    "kind": Kind,
    "type": NoteType,
    "source": Source,
    "validity": Validity,
}
_PARTS = {"entities": EntityDraft, "relations": RelationDraft}


def open_step(user: str, agent: str, session: str, task: str | None, now: datetime) -> Step:
    """Open a session. Raises Stale when the agent has an open one."""
    given = {"user": user, "agent": agent, "id": session, "task": task, "now": now}
    return Step("sessions/open", given, required=True)


async def get_session(graph: Graph, user: str, agent: str, session: str | None) -> Session | None:
    """Return a session of the agent by id or, without an id, the open session."""
    row = await graph.read_one("sessions/get", user=user, agent=agent, id=session)
    if row is None:
        return None
    found = row["session"]
    opened = instant(found["openedAt"])
    assert opened is not None
    return Session(
        id=found["id"],
        task=found["task"],
        opened_at=opened,
        closed_at=instant(found["closedAt"]),
        dropped=found["dropped"],
        closing=bool(found["closing"]),
        local=row["local"],
    )


def add_note_step(
    user: str, agent: str, session: str, note: str, draft: NoteDraft, now: datetime
) -> Step:
    """Put a note that an earlier step has made into a session. Raises Stale when the session is
    closed or full."""
    given = {"user": user, "agent": agent, "id": session, "note": note, "most": MAX_LOCAL}
    return Step(
        "sessions/add_note", {**given, "draft": draft_text(draft), "now": now}, required=True
    )


def begin_close_step(user: str, agent: str, session: str) -> Step:
    """Stop accepting notes into a session."""
    return Step("sessions/begin_close", {"user": user, "agent": agent, "id": session})


async def list_local(
    graph: Graph,
    user: str,
    agent: str,
    session: str,
    audiences: Sequence[str],
    *,
    now: datetime,
    limit: int,
) -> dict[str, NoteDraft]:
    """Return the notes of a session's local memory, with the drafts that their writer gave."""
    rows = await graph.read(
        "sessions/list_local",
        user=user,
        agent=agent,
        id=session,
        audiences=list(audiences),
        now=now,
        limit=limit,
    )
    return {row["id"]: draft_of(row["draft"]) for row in rows}


def promote_step(session: str, notes: dict[str, bool], now: datetime) -> Step:
    """Record which notes came from a session's local memory, each with whether it is a new one."""
    rows = [{"note": note, "added": added} for note, added in notes.items()]
    return Step("sessions/promote", {"id": session, "rows": rows, "now": now})


def drop_step(session: str, dropped: int) -> Step:
    """Add to the number of notes that a session has dropped."""
    return Step("sessions/drop", {"id": session, "dropped": dropped})


def end_step(session: str, now: datetime) -> Step:
    """Close a session."""
    return Step("sessions/end", {"id": session, "now": now})


async def list_promoted_notes(
    graph: Graph, user: str, sessions: Sequence[str], audiences: Sequence[str], now: datetime
) -> dict[str, list[str]]:
    """Return the readable notes that came from sessions of the user, by session."""
    rows = await graph.read(
        "sessions/promoted", user=user, ids=list(sessions), audiences=list(audiences), now=now
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["id"], []).append(row["note"])
    return found


async def sessions_of(
    graph: Graph, notes: Sequence[str], audiences: Sequence[str]
) -> dict[str, str]:
    """Return the session in which each of some readable notes was written."""
    rows = await graph.read("sessions/of_notes", ids=list(notes), audiences=list(audiences))
    return {row["id"]: row["session"] for row in rows}


def draft_text(draft: NoteDraft) -> str:
    """Return the fields that a writer gave besides the text, as JSON."""
    given = {k: v for k, v in asdict(draft).items() if k != "content" and v not in (None, (), "")}
    return json.dumps(given, default=datetime.isoformat)


def draft_of(text: str) -> NoteDraft:
    """Parse the JSON text of a draft; its content stays empty."""
    given: dict[str, Any] = json.loads(text)
    for name, kind in _CHOICES.items():
        if name in given:
            given[name] = kind(given[name])
    for name in ("tags", "keywords"):
        given[name] = tuple(given.get(name, ()))
    for name, kind in _PARTS.items():
        known = {each.name for each in fields(kind)}
        given[name] = tuple(
            kind(**{k: _parse_value(k, v) for k, v in part.items() if k in known})
            for part in given.get(name, ())
        )
    return NoteDraft(content="", **{k: _parse_value(k, v) for k, v in given.items()})


def _parse_value(name: str, value: Any) -> Any:
    if name in _TIMES and isinstance(value, str):
        return datetime.fromisoformat(value)
    return tuple(value) if name == "aliases" else value

"""Other records of an export as rows of what is created from them here."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from graphmem.domain.actors import ANYTHING, AgentRole, WritePermission
from graphmem.domain.drafts import check_choice, check_share
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.portable import Record
from graphmem.domain.portable_values import ImportOwnership, Row
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.visibility import Visibility
from graphmem.errors import Invalid
from graphmem.language.comparison import ConflictVerdict

KINDS: Final[Mapping[tuple[Record, str], type[StrEnum]]] = {
    (Record.AGENT, "role"): AgentRole,
    (Record.AGENT, "writes"): WritePermission,
    (Record.RULE, "visibility"): Visibility,
    (Record.CONFLICT, "verdict"): ConflictVerdict,
}
NEEDED: Final[Mapping[Record, str]] = {
    Record.AGENT: "id name role domains canSeePrivate writes",
    Record.RULE: "domain visibility",
    Record.SOP: "domain content actor version at",
    Record.REVISION: "note version at actor content changes",
    Record.WORDING: "id note at actor content",
    Record.LINK: "id source target kind strength at",
    Record.LINEAGE: "note of how at",
    Record.MERGE: "id entity part at by",
    Record.CONFLICT: "id notes verdict similarity open at",
    Record.SESSION: "id agent openedAt closedAt dropped",
    Record.RECALL: "id cycle at strategy profile",
}


def row_of(record: Record, row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    """Return the parameters of the query that creates a record. Raises Invalid."""
    for name in NEEDED[record].split():
        if name not in row:
            raise Invalid(f"{name} is missing")
    for name, value in row.items():
        kind = KINDS.get((record, name))
        if kind is not None and value not in set(kind):
            raise Invalid(f"{name} has a value that is not known")
    return _BUILDERS[record](row, taking, recalls, now)


def _agent_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    check_id(row["id"], "agent id")
    for domain in row["domains"]:
        if domain != ANYTHING:
            check_domain(domain)
    # One without a profile of its own has that of all such agents, here as there.
    profile = () if row.get("listed", True) else ("domains", "canSeePrivate")
    given = _without(row, "id", "lastActiveAt", "listed", *profile)
    properties = {"status": "idle", "createdAt": now, **given}
    return {"id": row["id"], "properties": properties}


def _rule_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    check_choice(Visibility(row["visibility"]))
    domain = check_domain(row["domain"])
    return {"domain": domain, "properties": {"updatedAt": now, **_without(row, "domain")}}


def _sop_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    return {**row, "domain": check_domain(row["domain"])}


def _revision_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    return {"note": row["note"], "version": row["version"], "properties": _without(row, "note")}


def _wording_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    return {"note": row["note"], "id": row["id"], "properties": _without(row, "note")}


def _link_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    check_share(row["strength"], "strength")
    ends = {"source": row["source"], "target": row["target"]}
    return {**ends, "properties": _without(row, *ends)}


def _lineage_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    if row["how"] not in ("SUPERSEDES", "DERIVED_FROM"):
        raise Invalid("how has a value that is not known")
    ends = {name: row[name] for name in ("note", "of", "how")}
    return {**ends, "properties": _without(row, *ends)}


def _merge_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    ends = {name: row[name] for name in ("entity", "part")}
    properties = {**_without(row, *ends), "user": taking.user}
    return {**ends, "undone": "undoneAt" in row, "properties": properties}


def _conflict_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    if len(set(row["notes"])) != 2:
        raise Invalid("it is not between two notes")
    one, other = sorted(row["notes"])
    properties = {**_without(row, "notes"), "user": taking.user, "pair": f"{one}|{other}"}
    return {"one": one, "other": other, "properties": properties}


def _session_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    agent = check_id(row["agent"], "agent")
    properties = {**_without(row, "promoted"), "user": taking.user}
    promoted = [
        {"note": each["note"], "added": each.get("added", False), "at": each.get("at", now)}
        for each in row.get("promoted", ())
        if "note" in each
    ]
    return {"agent": agent, "promoted": promoted, "properties": properties}


def _recall_row(row: Row, taking: ImportOwnership, recalls: int, now: datetime) -> Row:
    if row["profile"] not in set(Profile):
        raise Invalid("profile has a value that is not known")
    returned = [
        {"note": each["note"], "properties": _without(each, "note")}
        for each in row.get("returned", ())
        if "note" in each
    ]
    cycle = {"cycle": recalls + row["cycle"], "user": taking.user}
    return {"returned": returned, "properties": {**_without(row, "returned"), **cycle}}


def _without(row: Row, *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


_BUILDERS: Final = {
    Record.AGENT: _agent_row,
    Record.RULE: _rule_row,
    Record.SOP: _sop_row,
    Record.REVISION: _revision_row,
    Record.WORDING: _wording_row,
    Record.LINK: _link_row,
    Record.LINEAGE: _lineage_row,
    Record.MERGE: _merge_row,
    Record.CONFLICT: _conflict_row,
    Record.SESSION: _session_row,
    Record.RECALL: _recall_row,
}

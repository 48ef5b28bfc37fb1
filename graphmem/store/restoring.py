"""The writes of an import of the portable format: they create what is missing, and change nothing
that exists. Each query is limited to what belongs to the importing user."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.domain.actors import User
from graphmem.domain.commons import MAX_SOPS
from graphmem.domain.owners import Owner
from graphmem.domain.portable import Record
from graphmem.domain.promotion import MAX_OPT_OUTS
from graphmem.domain.taking import UserSettings
from graphmem.store.graph import Graph, Row, Step

_STEPS: Final[Mapping[Record, Callable[[Mapping[str, object]], Step]]] = {
    Record.AGENT: lambda given: Step("restore/agents", given),
    Record.RULE: lambda given: Step("restore/rules", given),
    Record.SOP: lambda given: Step("restore/sops", given),
    Record.REVISION: lambda given: Step("restore/revisions", given),
    Record.WORDING: lambda given: Step("restore/wordings", given),
    Record.LINK: lambda given: Step("restore/links", given),
    Record.LINEAGE: lambda given: Step("restore/lineage", given),
    Record.MERGE: lambda given: Step("restore/merges", given),
    Record.CONFLICT: lambda given: Step("restore/conflicts", given),
    Record.SESSION: lambda given: Step("restore/sessions", given),
    Record.RECALL: lambda given: Step("restore/recalls", given),
}
_TIMED: Final = (Record.AGENT, Record.RULE, Record.RECALL)


@dataclass(frozen=True, kw_only=True)
class Known:
    """Names that exist already: owners by the ids of notes, and keys that are taken."""

    notes: Mapping[str, str]
    external_keys: frozenset[str]
    request_keys: frozenset[str]
    curated_keys: frozenset[str]
    recalls: int


async def read_known(
    graph: Graph,
    user: str,
    ids: Sequence[str] = (),
    *,
    external_keys: Sequence[str] = (),
    request_keys: Sequence[str] = (),
    curated_keys: Sequence[str] = (),
) -> Known:
    """Return which parts of a file exist already."""
    row = await graph.read_one(
        "restore/known",
        user=user,
        ids=list(ids),
        externalKeys=list(external_keys),
        requestKeys=list(request_keys),
        curatedKeys=list(curated_keys),
    )
    assert row is not None
    return Known(
        notes=dict(row["notes"]),
        external_keys=frozenset(row["externalKeys"]),
        request_keys=frozenset(row["requestKeys"]),
        curated_keys=frozenset(row["curatedKeys"]),
        recalls=row["recalls"],
    )


def restore_step(record: Record, rows: Sequence[Row], user: str, now: datetime) -> Step:
    """Create what is missing; the step returns a row for each that was created."""
    given: dict[str, Any] = {"rows": list(rows)}
    if record is Record.SOP:
        given |= {"key": Owner(user).key, "most": MAX_SOPS}
    else:
        given["user"] = user
    if record in _TIMED:
        given["now"] = now
    return _STEPS[record](given)


def settings_step(user: str, settings: UserSettings, now: datetime) -> Step:
    """Exclude domains from promotion, and set the rest where the user has not; the step returns a
    row where it did the latter."""
    given = {"user": user, "optOuts": list(settings.opt_outs), "most": MAX_OPT_OUTS, "now": now}
    unlisted = settings.unlisted
    profile = {
        "domains": None if unlisted is None else list(unlisted.domains),
        "canSeePrivate": unlisted is not None and unlisted.can_see_private,
    }
    default = {"visibility": settings.default, "initial": User.default_visibility}
    return Step("restore/user", {**given, **profile, **default})


def skills_step(ids: Sequence[str], user: str) -> Step:
    """Turn notes into skills."""
    return Step("restore/skills", {"rows": [{"id": id} for id in ids], "user": user})

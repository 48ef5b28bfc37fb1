"""Digests: monthly numbers of events that are too old to be kept one by one (MOLT-75).

They hold no text of anybody."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.actors import AUDIT
from graphmem.domain.alerts import Sensitivity

RETENTION_DAYS = 90
NOTABLE = frozenset(("ALERT", "DELETE", "MERGE", "PROMOTE", "REVERT"))
_REFLECTION = "reflection "  # prefix of the summary of an event about a whole reflection


@dataclass(frozen=True, kw_only=True)
class OldEvent:
    """An event to be counted."""

    at: datetime
    type: str
    actor: str
    summary: str
    data: Mapping[str, object]
    own: bool  # about the user's own memory, not a team's


@dataclass(frozen=True, kw_only=True)
class Digest:
    """The digest of a month's events: `mutations` by type, `reflections` by their outcome,
    `decays` by status before and after, the `notable` ones by type, and how many were `critical`,
    as changes of files that agents live by are. `month` has the form 2026-03."""

    month: str
    mutations: Mapping[str, int] = field(default_factory=dict)  # events by type
    reflections: Mapping[str, int] = field(default_factory=dict)  # by outcome
    decays: Mapping[str, int] = field(default_factory=dict)  # by status before and after
    archivals: int = 0
    critical: int = 0  # changes of files that agents live by, or of other notes that are critical
    notable: Mapping[str, int] = field(default_factory=dict)  # events by type

    def with_events(self, events: Iterable[OldEvent]) -> "Digest":
        """Return the digest with more events of its month added."""
        mutations, reflections, decays = map(
            Counter[str], (self.mutations, self.reflections, self.decays)
        )
        notable = Counter[str](self.notable)
        critical = self.critical
        for event in events:
            critical += event.data.get("sensitivity") == Sensitivity.CRITICAL
            mutations[event.type] += 1
            if "reflection" in event.data and event.summary.startswith(_REFLECTION):
                reflections[event.summary.removeprefix(_REFLECTION)] += 1
            if event.type == "DECAY":
                decays[event.summary] += 1
            if event.type in NOTABLE:
                notable[event.type] += 1
        return Digest(
            month=self.month,
            mutations=_sorted(mutations),
            reflections=_sorted(reflections),
            decays=_sorted(decays),
            archivals=mutations["ARCHIVE"],
            critical=critical,
            notable=_sorted(notable),
        )


def is_counted(event: OldEvent) -> bool:
    """Check whether a digest counts the event: not those of teams, nor those about digests."""
    return event.own and event.actor != AUDIT


def month_of(at: datetime) -> str:
    """Return the month of an instant, in UTC."""
    return f"{at:%Y-%m}"


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted((name, count) for name, count in counts.items() if count))

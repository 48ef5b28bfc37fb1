"""Digests: monthly numbers of events that are too old to be kept one by one (MOLT-75).

They hold no text of anybody."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from graphmem.domain.actors import AUDIT
from graphmem.domain.alerts import Sensitivity
from graphmem.domain.events import Event
from graphmem.domain.ids import digest

RETENTION_DAYS = 90
NOTABLE = frozenset(("ALERT", "DELETE", "MERGE", "PROMOTE", "REVERT"))
CRITICAL: Final = "CRITICAL"  # among the notable events of a day: a critical change
_REFLECTION = "reflection "  # prefix of the summary of an event about a whole reflection
_MARK: Final = 12  # hexadecimal digits of the hash of a file


@dataclass(frozen=True, kw_only=True)
class OldEvent:
    """An event to be counted."""

    event: Event
    own: bool  # about the user's own memory, not a team's


@dataclass(frozen=True, kw_only=True)
class Digest:
    """The digest of a month's events: `mutations` by type, the number of `files` they changed,
    `reflections` by their outcome, `decays` by status before and after, the `notable` ones by type,
    also by day in `notableDays`, and how many were `critical`, as changes of files that agents live
    by are. `month` has the form 2026-03."""

    month: str
    mutations: Mapping[str, int] = field(default_factory=dict)  # events by type
    files: int = 0  # those that the events changed; a note without a file counts as one
    reflections: Mapping[str, int] = field(default_factory=dict)  # by outcome
    decays: Mapping[str, int] = field(default_factory=dict)  # by status before and after
    archivals: int = 0
    critical: int = 0  # changes of files that agents live by, or of other notes that are critical
    notable: Mapping[str, int] = field(default_factory=dict)  # events by type
    notable_days: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # types by day

    def with_events(self, events: Iterable[Event], files: int) -> "Digest":
        """Return the digest with more events of its month added.

        `files`: how many files they changed that no event before them changed."""
        mutations, reflections, decays = map(
            Counter[str], (self.mutations, self.reflections, self.decays)
        )
        notable = Counter[str](self.notable)
        days = {day: Counter[str](types) for day, types in self.notable_days.items()}
        critical = self.critical
        for event in events:
            mutations[event.type] += 1
            reasons: list[str] = []
            if event.type in NOTABLE:
                notable[event.type] += 1
                reasons.append(event.type)
            data = event.data if isinstance(event.data, Mapping) else {}
            if data.get("sensitivity") == Sensitivity.CRITICAL:
                critical += 1
                reasons.append(CRITICAL)
            if reasons:
                days.setdefault(f"{event.at:%Y-%m-%d}", Counter()).update(reasons)
            if "reflection" in data and event.summary.startswith(_REFLECTION):
                reflections[event.summary.removeprefix(_REFLECTION)] += 1
            if event.type == "DECAY":
                decays[event.summary] += 1
        return Digest(
            month=self.month,
            mutations=_sorted(mutations),
            files=self.files + files,
            reflections=_sorted(reflections),
            decays=_sorted(decays),
            archivals=mutations["ARCHIVE"],
            critical=critical,
            notable=_sorted(notable),
            notable_days={day: _sorted(types) for day, types in sorted(days.items())},
        )


def is_counted(old: OldEvent) -> bool:
    """Check whether a digest counts the event: not those of teams, nor those about digests."""
    return old.own and old.event.actor != AUDIT


def month_of(event: Event) -> str:
    """Return the month of an event, in UTC."""
    return f"{event.at:%Y-%m}"


def marks_of(files: Iterable[str]) -> Set[str]:
    """Return short hashes of files, which identify them without their names."""
    return {digest(file)[:_MARK] for file in files}


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted((name, count) for name, count in counts.items() if count))

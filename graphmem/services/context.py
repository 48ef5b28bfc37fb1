"""The context of every use case: the graph, the embedder, the clock, and the viewer's access."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, Self

from graphmem.ai.embedder import Embedder
from graphmem.ai.extractor import Extractor
from graphmem.domain.actors import Unlisted, Viewer
from graphmem.domain.backups import Backups
from graphmem.domain.consolidation import Consolidation, LlmSummary
from graphmem.domain.core import TOKEN_CAP
from graphmem.domain.described import Setting
from graphmem.domain.digests import RETENTION_DAYS
from graphmem.domain.jobs import Schedule
from graphmem.domain.notes import MAX_BATCH, Note
from graphmem.domain.owners import Owner
from graphmem.domain.profiles.parameters import Ranking
from graphmem.domain.promotion import Promotion
from graphmem.domain.proposals import Reviewing
from graphmem.domain.ranking import GRAPH_DEPTH, Balanced
from graphmem.domain.reflection import Reflecting
from graphmem.domain.visibility import Audience, Reading, Visibility, may_read, readable_keys
from graphmem.domain.writing import UpdateVerdict, Writing
from graphmem.errors import Forbidden, NotFound
from graphmem.language.comparison import Deduplication
from graphmem.language.extraction import extract
from graphmem.services.bus import EventBus
from graphmem.services.callers import Callers
from graphmem.services.hooks import Hooks
from graphmem.services.meter import Meter
from graphmem.services.runs import Runs
from graphmem.services.text_work import TextWork
from graphmem.services.tracking import NoLog, RecallLog
from graphmem.store.events import append_step
from graphmem.store.graph import Graph, Step
from graphmem.store.rows import EventRow

MAX_AUDIENCES = 10_000  # most that a user in person may write for
MAX_AUDIENCES_OF_AGENT = 1_000

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time now in UTC, to the millisecond."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


class Refiner(Protocol):
    """The part that refines notes by an LLM, after they are written."""

    async def submit(self, notes: Sequence[str]) -> list[Note | None]:
        """Accept new notes by their ids.

        Returns for each the refined note if it was done in time, else None.
        """
        ...


class UpdateJudge(Protocol):
    """A model that compares a later text with an earlier one."""

    async def verdicts(self, pairs: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
        """Return the likelihoods for each pair of an earlier and a later text."""
        ...


class Summariser(Protocol):
    """The part that summarises notes by an LLM."""

    async def summarise(self, notes: Sequence[Note]) -> LlmSummary | None:
        """Return the summary of the notes, None where there is none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Context:
    """The parts of a running service; one for a process."""

    graph: Graph
    embedder: Embedder
    clock: Clock
    bus: EventBus
    log: RecallLog
    extractor: Extractor = extract
    texts: TextWork = field(default_factory=TextWork)
    # For work on many notes at once, which takes seconds; in a job, `texts` are these, too.
    bulk_texts: TextWork = field(default_factory=lambda: TextWork(threads=1))
    writing: Writing = field(default_factory=Writing)
    deduplication: Deduplication = field(default_factory=Deduplication)
    ranking: Ranking = field(default_factory=Ranking)
    balanced: Balanced = field(default_factory=Balanced)
    graph_depth: int = GRAPH_DEPTH
    archival_threshold_cycles: int = 100
    reflecting: Reflecting = field(default_factory=Reflecting)
    consolidation: Consolidation = field(default_factory=Consolidation)
    reviewing: Reviewing = field(default_factory=Reviewing)
    promotion: Promotion = field(default_factory=Promotion)
    core_token_cap: int = TOKEN_CAP
    audit_retention_days: int = RETENTION_DAYS
    critical_alerts: bool = True
    schedule: Schedule = field(default_factory=Schedule)
    runs: Runs = field(default_factory=Runs)
    callers: Callers = field(default_factory=Callers)
    meter: Meter = field(default_factory=Meter)
    settings: Callable[[], Sequence[Setting]] = tuple  # for operators to see
    hooks: Hooks = field(default_factory=Hooks)  # the plugins
    folder: Path | None = None  # of memory files, which are synced, and shown by protocols
    folder_user: str = "me"  # the user whose folder it is
    backups: Backups = field(default_factory=Backups)
    judge: UpdateJudge | None = None  # None: only the rules decide what is out of date
    refiner: Refiner | None = None  # None: no LLM is set up
    summariser: Summariser | None = None  # the same

    def without_traces(self, *, used: bool = False) -> "Context":
        """Return a context for a request that must leave nothing behind.

        Recalls are not logged, unless they are `used`, and every write is refused.
        """
        log = self.log if used else NoLog(self.graph)
        return replace(self, graph=self.graph.reading_only(), log=log)

    def signal(self, stream: str) -> None:
        """Notify the subscribers that a stream has grown."""
        self.bus.signal(stream)


@dataclass(frozen=True, kw_only=True)
class Access:
    """A viewer with the rules and the audiences that the user has at this moment.

    What the user's teams own is apart from `audiences`: only a read that asks for it goes that far,
    and no write of a user's own memory compares with it or changes it.
    """

    viewer: Viewer
    audiences: tuple[Audience, ...]
    rules: Mapping[str, Visibility]
    default: Visibility
    of_teams: tuple[Audience, ...] = ()  # audiences that the user's teams own
    version: int | None = None  # version of rules, profiles, memberships; None: fixed audience
    writes_for: int = 0  # the number of audiences that the viewer has written for
    lent: bool = False  # tasks were handed to the agent that asks, perhaps with notes
    judges: bool = False  # there is feedback on answers to the viewer
    unlisted: Unlisted = field(default_factory=Unlisted)  # of agents without a profile

    def with_audiences(self, audiences: Iterable[Audience]) -> Self:
        """Return the same access after notes of these audiences were written."""
        known = frozenset(self.audiences)
        new = tuple(dict.fromkeys(each for each in audiences if each not in known))
        writes_for = self.writes_for + len(new)
        return replace(self, audiences=(*self.audiences, *new), writes_for=writes_for)

    def without_quarantine(self) -> Self:
        """Return the same access without the notes in quarantine, for answers that go to a model,
        also where the user asks in person."""
        kept = tuple(a for a in self.audiences if a.section is not Visibility.QUARANTINED)
        return replace(self, audiences=kept)

    @property
    def by_name(self) -> tuple[str, ...]:
        """The audiences that the viewer may read by id, in lists and through the graph."""
        return readable_keys(self.viewer, self.audiences, Reading.BY_NAME)

    @property
    def by_name_of_teams(self) -> tuple[str, ...]:
        """The audiences of the user's teams that the viewer may read."""
        return readable_keys(self.viewer, self.of_teams, Reading.BY_NAME)

    @property
    def told_rules(self) -> Mapping[str, Visibility]:
        """The rules that the viewer may see.

        A rule names a domain, perhaps one that an agent may not read, so they are for the user in
        person.
        """
        return self.rules if self.viewer.in_person else {}

    @property
    def of_events(self) -> tuple[str, ...]:
        """The audiences of the events and past states that the viewer may read.

        The user's own settings, and what notes were for other readers, are for the user in person.
        """
        own = (user_audience(self.viewer.user),) if self.viewer.in_person else ()
        return (*self.by_name, *self.by_name_of_teams, *own)


Reopen = Callable[[], Awaitable[Access]]
"""opens the access of a viewer again, with the rights of that moment"""


def check_audience(access: Access, audience: Audience) -> None:
    """Raise Forbidden when a note would be for one audience more than the viewer may write for.

    Every request reads the list of a user's audiences. One that the viewer may read is never too
    many, and whether there is one that it may not read makes no difference.
    """
    most = _most_audiences(access)
    if access.writes_for >= most and _is_new(access, audience):
        raise Forbidden(f"notes of this writer have {most} groups of readers; use a known domain")


def _most_audiences(access: Access) -> int:
    return MAX_AUDIENCES if access.viewer.agent is None else MAX_AUDIENCES_OF_AGENT


def _is_new(access: Access, audience: Audience) -> bool:
    known = audience in access.audiences
    return not (known and may_read(access.viewer, audience, Reading.BY_NAME))


def events_step(access: Access, rows: Sequence[EventRow], readers: Iterable[Audience] = ()) -> Step:
    """Return the last step of a change, which writes its events.

    Stale when rules or profiles are no longer those that the access was opened with, by which the
    change was decided. It is Stale, too, when the viewer has taken up far too many audiences by
    now, if any of the `readers` of what was written are new: those that concurrent requests took up
    were not known when they were checked. A call may pass the limit by what it writes itself.
    """
    new = any(_is_new(access, audience) for audience in readers)
    return append_step(
        access.viewer.user,
        rows,
        access_version=access.version,
        agent=access.viewer.agent.id if access.viewer.agent else None,
        most=_most_audiences(access) + MAX_BATCH if new else None,
    )


def user_audience(user: str) -> str:
    """Return the audience of events about the user's own settings."""
    return Owner(user).key


def require_in_person(access: Access, what: str) -> None:
    """Raise Forbidden unless the user asks in person (or an admin)."""
    if not (access.viewer.in_person or access.viewer.admin):
        raise Forbidden(f"{what} is for the user in person, not for an agent")


def missing(what: str) -> NotFound:
    """Return the same error for what does not exist and for what the viewer may not know of."""
    return NotFound(f"no such {what}")

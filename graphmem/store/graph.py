"""Graph: the only way to Neo4j. Queries are run by name, and driver errors become ours."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncSession,
    AsyncTransaction,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graphmem.errors import (
    Conflict,
    Forbidden,
    GraphmemError,
    IndexMissing,
    Invalid,
    Misconfigured,
    Stale,
    TimedOut,
    Unavailable,
)
from graphmem.store.pool import MOST, InUse
from graphmem.store.queries import Bound, Queries
from graphmem.store.vector_slots import Embedding, VectorSlot, VectorSlots

Row = dict[str, Any]
_T = TypeVar("_T")
NAME = "graphmem"  # of connections
CONNECT_S = 3.0
ACQUIRE_S = 4.0  # to get a connection: a new one, or one that another query releases
AWAY_S = 4.5  # after this time the answer is UNAVAILABLE, whatever the number of attempts
FIRST_PAUSE_S, LONGER, LONGEST_PAUSE_S = 0.1, 1.5, 0.5  # between attempts
QUERY_TIMEOUT_S = 25.0
BATCHES_TIMEOUT_S = 100.0  # less than the lease of a job
_GONE = "Neo.ClientError.Statement.EntityNotFound"
_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOut",
    "Neo.ClientError.Transaction.LockClientStopped",  # while it waited for a lock
)
_NO_INDEX = "Neo.ClientError.Schema.IndexNotFound"
_MADE_TWICE = frozenset(  # IF NOT EXISTS does not help two replicas that start together
    f"Neo.ClientError.Schema.{name}"
    for name in (
        "EquivalentSchemaRuleAlreadyExists",
        "ConstraintAlreadyExists",
        "IndexAlreadyExists",
    )
)


@dataclass(frozen=True)
class Step:
    """One query of a transaction with its parameters."""

    query: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    required: bool = False  # without a row its subject has changed, and nothing is done


GATE = Step("backups/pass_gate")  # comes first in each transaction that writes
SLOTS: Final = Step("meta/embedding")  # reads the record of the slots of vectors


class Graph:
    """One pooled driver and the named queries."""

    def __init__(self, driver: AsyncDriver, queries: Queries, database: str) -> None:
        """Take over the driver; `close` closes it."""
        self._driver = driver
        self._queries = queries
        self._database = database
        self.in_use = InUse()
        self._may_write = True
        self._replanned: set[str] | None = None  # names of queries; None: plans are kept
        self._serving: Embedding | None = None  # without which no vector is written

    @classmethod
    def connect(
        cls,
        uri: str,
        user: str,
        password: str,
        queries: Queries,
        database: str = "neo4j",
        name: str = NAME,
    ) -> "Graph":
        """Return a graph at `uri`, to which the connections are known by `name`; nothing is sent
        before the first query. Raises Misconfigured."""
        try:
            driver = AsyncGraphDatabase.driver(
                uri,
                auth=(user, password) if password else None,
                connection_timeout=CONNECT_S,
                connection_acquisition_timeout=ACQUIRE_S,
                max_connection_pool_size=MOST,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent=name,
            )
        except (ConfigurationError, ValueError) as exc:
            raise Misconfigured("GRAPHMEM_NEO4J_URI is not an address of a Neo4j server") from exc
        return cls(driver, queries, database)

    def reading_only(self) -> "Graph":
        """Return the same graph, whose writes are refused with Forbidden; do not close it."""
        graph = copy(self)
        graph._may_write = False
        return graph

    def replanning(self) -> "Graph":
        """Return the same graph, through which the first run of each query makes a new plan for the
        present contents of the graph; do not close it. Other callers use the old plan until
        then."""
        graph = copy(self)
        graph._replanned = set()
        return graph

    @property
    def slot(self) -> VectorSlot:
        """The slot of vectors that queries read and write."""
        return self._queries.slot

    def in_slot(self, slot: VectorSlot) -> "Graph":
        """Return the same graph, whose queries use this slot of vectors; do not close it."""
        graph = copy(self)
        graph._queries = self._queries.in_slot(slot)
        return graph

    def serving(self, embedding: Embedding) -> "Graph":
        """Return the same graph, which writes vectors only while this model is in use; do not close
        it."""
        graph = copy(self)
        graph._serving = embedding
        return graph

    def _bind(
        self, query: str, parameters: Mapping[str, object], timeout_s: float | None = None
    ) -> Bound:
        planned = self._replanned
        if planned is None or query in planned:
            return self._queries.bind(query, parameters, timeout_s)
        planned.add(query)
        return self._queries.bind(query, parameters, timeout_s, replan=True)

    async def close(self) -> None:
        """Close every connection."""
        await self._driver.close()

    async def read(self, query: str, /, **parameters: object) -> list[Row]:
        """Return the rows of a query that changes nothing."""
        bound = self._bind(query, parameters, QUERY_TIMEOUT_S)
        # Alone in its transaction, it may run again after any temporary failure.
        with _TranslatedErrors():
            return await retry(lambda: self._read_once(bound))

    async def _read_once(self, bound: Bound) -> list[Row]:
        """One round trip: the statement is its own transaction."""
        async with self._session(read=True) as session:
            result = await session.run(*bound)
            return [dict(record.items()) async for record in result]

    async def read_one(self, query: str, /, **parameters: object) -> Row | None:
        """Return the only row of a query that changes nothing, None when there is none."""
        rows = await self.read(query, **parameters)
        return rows[0] if rows else None

    async def read_list(self, query: str, /, **parameters: object) -> list[Any]:
        """Return the list `rows` of a query's only row. Each record costs the driver some 0.1 ms,
        whatever it holds, so frequent queries collect their rows."""
        return (await self.read(query, **parameters))[0]["rows"]

    async def write(self, *steps: Step, timeout_s: float = QUERY_TIMEOUT_S) -> list[list[Row]]:
        """Run the steps in one transaction and return the rows of each. All of it happens, or
        nothing. While a backup reads the graph, this waits.

        The transaction may run again after a lost connection or a deadlock, so steps take their ids
        and times as parameters. Raises Conflict when a uniqueness constraint is violated; Stale
        when a required step returns no row, or when what a step is about was destroyed meanwhile;
        Unavailable where vectors of a model that is no longer in use would be written."""
        model = self._serving if any(self._queries.sets_vectors(s.query) for s in steps) else None
        bound = [self._bind(step.query, step.parameters) for step in steps]
        gate = self._queries.bind(GATE.query, GATE.parameters)

        async def write_once() -> list[list[Row]]:
            results = []
            async with self._transaction(steps[0].query, timeout_s) as tx:
                await _rows(tx, gate)
                for each, step in zip(bound, steps, strict=True):
                    results.append(await _rows(tx, each))
                    if step.required and not results[-1]:
                        raise Stale
                # Last, when locks are held: then no other model can come into use before the end.
                if model is not None:
                    [row] = await _rows(tx, self._bind(SLOTS.query, SLOTS.parameters))
                    VectorSlots.of(row).require_in_use(model)
                await tx.commit()
            return results

        with _TranslatedErrors():
            return await retry(write_once)

    async def rehearse(self, *steps: Step) -> None:
        """Run the steps in one transaction and roll it back: nothing is changed."""
        bound = [self._bind(step.query, step.parameters) for step in steps]
        with _TranslatedErrors():
            async with self._transaction(steps[0].query, QUERY_TIMEOUT_S) as tx:
                for each in bound:
                    await _rows(tx, each)
                await tx.rollback()

    async def write_one(self, query: str, /, **parameters: object) -> Row | None:
        """Run one writing query in a transaction of its own and return its first row."""
        rows = (await self.write(Step(query, parameters)))[0]
        return rows[0] if rows else None

    async def run_batches(self, query: str, /, **parameters: object) -> Row:
        """Run a query that has transactions of its own and return its only row. It may run again
        after a temporary failure: what it has changed by then is not due any more."""
        bound = self._bind(query, parameters, BATCHES_TIMEOUT_S)

        async def run_once() -> Row:
            async with self._session() as session:
                result = await session.run(*bound)
                return dict((await result.single(strict=True)).items())

        with _TranslatedErrors():
            return await retry(run_once)

    async def run(self, query: str, /, **parameters: object) -> list[Row]:
        """Run a query outside a managed transaction, as schema statements need it."""
        bound = self._queries.bind(query, parameters)
        with _TranslatedErrors():
            async with self._session() as session:
                return await (await session.run(*bound)).data()

    async def run_statement(self, text: Any) -> None:
        """Run one statement of a migration file."""
        with _TranslatedErrors():
            async with self._session() as session:
                await (await session.run(text)).consume()

    @asynccontextmanager
    async def pausing(
        self, *steps: Step, check: Step, within_s: float, longest_s: float
    ) -> AsyncIterator[None]:
        """Hold the locks that steps take, and roll back what they did at the end.

        It waits at most `within_s` for the locks and holds them for at most `longest_s`. A process
        that ends, however it does, holds them no longer. Raises Unavailable when they are not got
        in time, when a required step returns no row, or when `check` shows that they were lost."""
        async with AsyncExitStack() as stack:
            with _TranslatedErrors():
                try:
                    async with asyncio.timeout(within_s):
                        tx = await retry(lambda: self._hold(stack, steps, longest_s))
                except TimeoutError as exc:
                    raise Unavailable("others have been writing for too long; try again") from exc
            yield
            with _TranslatedErrors():
                await _rows(tx, self._bind(check.query, check.parameters))
                await tx.rollback()  # else leaving the transaction would commit it

    async def _hold(
        self, stack: AsyncExitStack, steps: Sequence[Step], longest_s: float
    ) -> AsyncTransaction:
        async with AsyncExitStack() as attempt:
            tx = await attempt.enter_async_context(self._transaction(steps[0].query, longest_s))
            for step in steps:
                rows = await _rows(tx, self._bind(step.query, step.parameters))
                if step.required and not rows:
                    raise Unavailable("another process is changing the schema; try again")
            stack.push_async_exit(attempt.pop_all())
            return tx

    @asynccontextmanager
    async def _transaction(self, query: str, timeout_s: float) -> AsyncIterator[AsyncTransaction]:
        """Open a transaction, named after a query, that is rolled back unless it is committed."""
        async with (
            self._session() as session,
            await session.begin_transaction(metadata={"query": query}, timeout=timeout_s) as tx,
        ):
            yield tx

    @asynccontextmanager
    async def _session(self, *, read: bool = False) -> AsyncIterator[AsyncSession]:
        if not (read or self._may_write):
            raise Forbidden("this request may change nothing")
        session = self._driver.session(
            database=self._database,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
            **({"default_access_mode": READ_ACCESS} if read else {}),
        )
        async with self.in_use, session:
            yield session


async def retry(attempt: Callable[[], Awaitable[_T]]) -> _T:
    """Return what `attempt` returns; repeat it after temporary failures.

    The first attempt may take as long as its query does. If the database is unreachable, everything
    ends AWAY_S after the beginning: an attempt that hangs is then given up. If it answers, but for
    instance with a deadlock, attempts begin until AWAY_S after the first failure, and take their
    time. Raises the driver's errors."""
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + AWAY_S, FIRST_PAUSE_S
    limit: float | None = None
    failure: Neo4jError | DriverError | None = None
    busy_until = deadline
    while True:
        try:
            async with asyncio.timeout_at(limit):
                return await attempt()
        except TimeoutError:
            if failure is None:
                raise
            raise failure from None
        except (Neo4jError, DriverError) as error:
            away, now = _is_away(error), loop.time()
            if failure is None:
                busy_until = now + AWAY_S
            if not error.is_retryable() or now + pause > (deadline if away else busy_until):
                raise
            failure, limit = error, deadline if away else None
        await asyncio.sleep(
            pause * random.uniform(0.8, 1.2)
        )  # randomized, to avoid the next collision
        pause = min(pause * LONGER, LONGEST_PAUSE_S)


def _is_away(error: Neo4jError | DriverError) -> bool:
    """Return True if the database did not answer at all; a deadlock, for instance, is an answer."""
    return not isinstance(error, TransientError) or isinstance(error, DatabaseUnavailable)


async def _rows(tx: AsyncTransaction, bound: Bound) -> Any:
    text: Any = bound.query.text  # the transaction already has metadata and timeout
    result = await tx.run(text, bound.parameters)
    return [dict(record.items()) async for record in result]


class _TranslatedErrors:
    """Turns the driver's errors into ours, without any of their words."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Neo4jError | DriverError):
            raise _to_own_error(error) from error
        if isinstance(error, UnicodeEncodeError):
            raise Invalid("a text holds a lone surrogate") from error


def _to_own_error(error: Neo4jError | DriverError) -> Exception:
    match error:
        case ConstraintError():
            return Conflict("somebody else wrote the same at the same time")
        case AuthError():
            return Misconfigured("Neo4j refuses the user or the password")
        case ClientError() if (error.code or "").startswith(_TIMED_OUT):
            return TimedOut()
        case ClientError() if error.code == _GONE:
            return Stale()
        case ClientError() if error.code == _NO_INDEX:
            return IndexMissing()
        case ClientError() if error.code in _MADE_TWICE:
            return Unavailable("another process is making the same index; try again")
        case ServiceUnavailable() | SessionExpired() | TransientError() | DriverError():
            return Unavailable("the database does not answer; try again")
        case Neo4jError() if error.is_retryable():
            return Unavailable("the database does not answer; try again")
    return error if isinstance(error, GraphmemError) else _Unexpected(error)


class _Unexpected(RuntimeError):
    """An error for a query of ours that Neo4j refuses: a bug, hidden from every client."""

    def __init__(self, error: Neo4jError | DriverError) -> None:
        code = getattr(error, "code", None) or type(error).__name__
        super().__init__(f"Neo4j refused a query: {code}")

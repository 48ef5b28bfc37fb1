"""Graph: the only way to Neo4j. Queries go by name, driver errors become ours."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    AsyncTransaction,
    Query,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graphmem.errors import Conflict, GraphmemError, Invalid, Misconfigured, TimedOut, Unavailable
from graphmem.store.queries import Queries

Row = dict[str, Any]
CONNECT_S = 3.0
RETRY_S = 2.5  # a caller hears UNAVAILABLE within five seconds, the last pause included
FIRST_PAUSE_S, LONGER = 0.1, 1.5  # the driver's own, from 1 s on, would make that seven seconds
RETRY_PAUSE_S = 0.2
QUERY_TIMEOUT_S = 25.0
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
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
    required: bool = False  # no row: somebody changed what it is about, and nothing is done


class Graph:
    """One pooled driver and the queries by name."""

    def __init__(self, driver: AsyncDriver, queries: Queries, database: str) -> None:
        """Use the driver from now on; `close` closes it."""
        self._driver = driver
        self._queries = queries
        self._database = database

    @classmethod
    def connect(
        cls, uri: str, user: str, password: str, queries: Queries, database: str = "neo4j"
    ) -> "Graph":
        """A graph at `uri`; nothing is sent before the first query. Raises Misconfigured."""
        try:
            driver = AsyncGraphDatabase.driver(
                uri,
                auth=(user, password) if password else None,
                connection_timeout=CONNECT_S,
                connection_acquisition_timeout=4.0,
                max_connection_pool_size=64,
                max_transaction_retry_time=RETRY_S,
                initial_retry_delay=FIRST_PAUSE_S,
                retry_delay_multiplier=LONGER,
                notifications_min_severity="OFF",
                user_agent="graphmem",
            )
        except (ConfigurationError, ValueError) as exc:
            raise Misconfigured("GRAPHMEM_NEO4J_URI is not an address of a Neo4j server") from exc
        return cls(driver, queries, database)

    async def close(self) -> None:
        """Close every connection."""
        await self._driver.close()

    def database_of(self, user: str | None) -> str:
        """The database that holds what belongs to the user: today one for all."""
        del user
        return self._database

    async def read(self, query: str, /, **parameters: object) -> list[Row]:
        """The rows of a query that changes nothing."""
        bound = self._queries.bind(query, parameters, QUERY_TIMEOUT_S)
        deadline = asyncio.get_running_loop().time() + RETRY_S
        with _translated():
            while True:
                try:
                    return await self._read_once(bound, parameters)
                except (Neo4jError, DriverError) as error:
                    # A read alone in its transaction may run again after any passing failure.
                    if not error.is_retryable() or asyncio.get_running_loop().time() > deadline:
                        raise
                await asyncio.sleep(RETRY_PAUSE_S)

    async def _read_once(self, bound: Query, parameters: Mapping[str, object]) -> list[Row]:
        """One round trip: the statement is its own transaction."""
        async with self._session(read=True) as session:
            result = await session.run(bound, dict(parameters))
            return [dict(record.items()) async for record in result]

    async def read_one(self, query: str, /, **parameters: object) -> Row | None:
        """The only row of a query that changes nothing, None when there is none."""
        rows = await self.read(query, **parameters)
        return rows[0] if rows else None

    async def read_list(self, query: str, /, **parameters: object) -> list[Row]:
        """The list `rows` of a query's only row. One record costs the driver some 0.1 ms, whatever
        is in it, so hot queries collect their rows."""
        return (await self.read(query, **parameters))[0]["rows"]

    async def write(self, *steps: Step, timeout_s: float = QUERY_TIMEOUT_S) -> list[list[Row]]:
        """Run the steps in one transaction; the rows of each. All of it happens, or nothing.

        The transaction may run again after a lost connection or a deadlock, so steps take their
        ids and times as parameters. Raises Conflict when a uniqueness constraint says no."""
        bound = [self._queries.bind(step.query, step.parameters) for step in steps]

        async def work(tx: AsyncManagedTransaction) -> list[list[Row]]:
            results = []
            for query, step in zip(bound, steps, strict=True):
                results.append(await _rows(tx, query.text, step.parameters))
                if step.required and not results[-1]:
                    raise Conflict("somebody else changed it at the same time")
            return results

        with _translated():
            async with self._session() as session:
                work = _with_settings(work, {"query": steps[0].query}, timeout_s)
                return await session.execute_write(work)

    async def rehearse(self, *steps: Step) -> None:
        """Run the steps in one transaction and roll it back: nothing is changed."""
        bound = [self._queries.bind(step.query, step.parameters) for step in steps]
        with _translated():
            async with (
                self._session() as session,
                await session.begin_transaction(timeout=QUERY_TIMEOUT_S) as tx,
            ):
                for query, step in zip(bound, steps, strict=True):
                    await _rows(tx, query.text, step.parameters)
                await tx.rollback()

    async def write_one(self, query: str, /, **parameters: object) -> Row | None:
        """Run one writing query in a transaction of its own; its first row."""
        rows = (await self.write(Step(query, parameters)))[0]
        return rows[0] if rows else None

    async def run(self, query: str, /, **parameters: object) -> list[Row]:
        """Run a query outside a managed transaction, as schema statements need it."""
        bound = self._queries.bind(query, parameters)
        with _translated():
            async with self._session() as session:
                return await (await session.run(bound, dict(parameters))).data()

    async def run_statement(self, text: Any) -> None:
        """Run one statement of a migration file."""
        with _translated():
            async with self._session() as session:
                await (await session.run(text)).consume()

    @asynccontextmanager
    async def _session(self, *, read: bool = False) -> AsyncIterator[AsyncSession]:
        session = self._driver.session(
            database=self._database,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
            **({"default_access_mode": READ_ACCESS} if read else {}),
        )
        async with session:
            yield session


def _with_settings(work: Any, metadata: dict[str, Any] | None, timeout_s: float) -> Any:
    return unit_of_work(metadata=metadata, timeout=timeout_s)(work)


async def _rows(
    tx: AsyncManagedTransaction | AsyncTransaction, text: Any, parameters: Mapping[str, object]
) -> Any:
    result = await tx.run(text, dict(parameters))
    return [dict(record.items()) async for record in result]


class _translated:
    """Turns the driver's errors into ours; none of their words are kept."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Neo4jError | DriverError):
            raise _ours(error) from error
        if isinstance(error, UnicodeEncodeError):
            raise Invalid("a text holds a lone surrogate") from error


def _ours(error: Neo4jError | DriverError) -> Exception:
    match error:
        case ConstraintError():
            return Conflict("somebody else wrote the same at the same time")
        case AuthError():
            return Misconfigured("Neo4j refuses the user or the password")
        case ClientError() if (error.code or "").startswith(_TIMED_OUT):
            return TimedOut()
        case ClientError() if error.code in _MADE_TWICE:
            return Unavailable("another process is making the same index; try again")
        case ServiceUnavailable() | SessionExpired() | TransientError():
            return Unavailable("the database does not answer; try again")
        case DriverError():
            return Unavailable("the database does not answer; try again")
        case Neo4jError() if error.is_retryable():
            return Unavailable("the database does not answer; try again")
    return error if isinstance(error, GraphmemError) else _Unexpected(error)


class _Unexpected(RuntimeError):
    """A query of ours that Neo4j refuses: a bug, masked from every client."""

    def __init__(self, error: Neo4jError | DriverError) -> None:
        code = getattr(error, "code", None) or type(error).__name__
        super().__init__(f"Neo4j refused a query: {code}")

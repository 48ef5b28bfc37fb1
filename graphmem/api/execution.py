"""Runs GraphQL operations: a fresh context for each, fixed limits, errors in the form of the
API."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from graphql import GraphQLError
from starlette.requests import HTTPConnection
from strawberry import Schema as StrawberrySchema
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType

from graphmem.api.errors import present_all
from graphmem.api.limits import Limits, OperationLimits, document_checker
from graphmem.api.strawberry_privates import core_schema
from graphmem.operations.limits import OPERATION_S


class Context(Protocol):
    """The context that resolvers get as `info.context`."""

    @property
    def user(self) -> str | None:
        """The viewer who asks."""
        ...

    async def check_access(self) -> None:
        """Raise Unauthenticated, or another error, when the caller may no longer ask."""
        ...

    def fork(self) -> Self:
        """Return a context for one more operation or event: same viewer, fresh loaders."""
        ...


ONE_ANSWER = frozenset({OperationType.QUERY, OperationType.MUTATION})  # a subscription has many

OpenOperation = Callable[[HTTPConnection, Mapping[str, object] | None], Awaitable[Context]]


@dataclass
class SocketContext:
    """A WebSocket connection: each of its operations checks again who asks.

    Strawberry sets `connection_params`, the payload of `connection_init`."""

    connection: HTTPConnection
    open_operation: OpenOperation
    connection_params: dict[str, object] = field(default_factory=dict)
    user: str | None = None
    """who speaks, once that is known"""

    async def open(self) -> Context:
        """Return the context of one operation; raises what `open_operation` raises."""
        return await self.open_operation(self.connection, self.connection_params)


class Executor(StrawberryGraphQLCoreExecutionContext):
    """Gives each event of a subscription its own loaders; shared ones would serve old rows."""

    def build_per_event_executor(self, payload: Any) -> Any:
        """Return the executor of one event."""
        executor = super().build_per_event_executor(payload)
        executor.context_value = _fork_context(self.context_value)
        return executor


class Schema(StrawberrySchema):
    """The schema with its limits; contexts are forked and errors presented for each operation."""

    def __init__(
        self,
        query: type,
        mutation: type | None = None,
        subscription: type | None = None,
        *,
        config: StrawberryConfig | None = None,
        operation_timeout_s: float = OPERATION_S,
        limits: Limits | None = None,
        **options: Any,
    ) -> None:
        """Take the root types and further options of `strawberry.Schema`, but no extensions."""
        config = config or StrawberryConfig()
        config.disable_field_suggestions = True
        config.sort_schema = False  # sorting replaces the enum types, and enums then fail
        super().__init__(
            query,
            mutation,
            subscription,
            config=config,
            execution_context_class=Executor,
            **options,
        )
        self._limits = replace(limits or Limits(), seconds=operation_timeout_s)
        self._use_limits(introspection=True)

    def without_introspection(self) -> "Schema":
        """Return a copy of the schema with introspection disabled."""
        schema = copy(self)
        schema._use_limits(introspection=False)
        return schema

    def _use_limits(self, *, introspection: bool) -> None:
        check = document_checker(core_schema(self), self._limits, introspection=introspection)
        self.extensions = (lambda: OperationLimits(check, self._limits),)

    async def execute(
        self,
        query: str | None,
        *args: Any,
        context_value: Any = None,
        allowed_operation_types: Iterable[OperationType] = ONE_ANSWER,
        **options: Any,
    ) -> ExecutionResult:
        """Run a query or mutation; raises Strawberry's errors for a request without one."""
        result = await super().execute(
            query,
            *args,
            context_value=_fork_context(context_value),
            allowed_operation_types=ONE_ANSWER.intersection(allowed_operation_types),
            **options,
        )
        result.errors = present_all(result.errors)
        return result

    async def stream(
        self, query: str | None, *args: Any, context_value: Any = None, **options: Any
    ) -> AsyncGenerator[Any, None]:
        """Run any operation and return its results; a failure to start is its only result."""
        return self._stream_of(query, args, context_value, options)

    async def _stream_of(
        self, query: str | None, args: Sequence[Any], context: Any, options: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        try:
            opened = (
                await context.open()
                if isinstance(context, SocketContext)
                else _fork_context(context)
            )
            results: AsyncGenerator[Any, None] = await super().stream(
                query, *args, context_value=opened, **options
            )
        except Exception as exc:
            yield _build_refusal(exc)
            return
        try:
            async for result in results:
                result.errors = present_all(result.errors)
                yield result
        except Exception as exc:
            yield _build_refusal(exc)
        finally:
            await results.aclose()

    def process_errors(
        self, errors: Iterable[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log nothing here: Strawberry would log the text of errors, and so of notes."""


def _build_refusal(error: Exception) -> PreExecutionError:
    shown = present_all([GraphQLError(str(error), original_error=error)])
    return PreExecutionError(data=None, errors=shown)


def _fork_context(context: Any) -> Any:
    return context if context is None else context.fork()

"""Errors in the form that clients get, the same over HTTP, SSE and WebSocket.

Errors of `graphmem.errors` are shown with their code and details, and unknown ones are masked
(`operations.codes`). Faults of the caller's document or variables keep graphql-core's message and
get a code."""

from collections.abc import Sequence

from graphql import GraphQLError, GraphQLSyntaxError
from starlette.responses import JSONResponse
from starlette.types import Scope
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError

from graphmem.errors import GraphmemError
from graphmem.operations.codes import (
    BAD_USER_INPUT,
    PARSE_FAILED,
    TOO_COMPLEX,
    Failure,
    failure_of,
    headers_of,
)
from graphmem.operations.problems import PROBLEM, problem_of

REQUEST_FAULTS = (MissingQueryError, CannotGetOperationTypeError, InvalidOperationTypeError)


def error_body(message: str, code: str, **extensions: object) -> dict[str, object]:
    """Return the JSON body of a failure: one error in `errors`, no `data`."""
    extensions = {"code": code, "retryable": False, **extensions}
    return {"errors": [{"message": message, "extensions": extensions}]}


def refusal_response(scope: Scope, failure: Failure) -> JSONResponse:
    """Return the answer to a request that reaches no route: a GraphQL error if GraphQL was asked,
    else a problem (RFC 9457)."""
    headers = headers_of(failure)
    if scope["path"] == "/graphql":
        extensions = {**failure.details, "retryable": failure.retryable}
        body = error_body(failure.message, failure.code, **extensions)
        return JSONResponse(body, failure.status, headers)
    return JSONResponse(problem_of(failure), failure.status, headers, media_type=PROBLEM)


def failure_body(error: Exception) -> dict[str, object]:
    """Return the JSON body for an exception that ended a request outside of GraphQL."""
    shown = present(GraphQLError(str(error), original_error=error))
    return {"errors": [shown.formatted]}


def present_all(errors: Sequence[GraphQLError] | None) -> list[GraphQLError] | None:
    """Return the errors in the form that a client may see, or None if there are none."""
    return [present(error) for error in errors] if errors else None


def present(error: GraphQLError) -> GraphQLError:
    """Return the error in the form that a client may see: with a code, or masked and logged."""
    cause = _cause(error)
    if isinstance(cause, GraphmemError):
        return _with_failure(error, failure_of(cause))
    if error.extensions and "code" in error.extensions:
        return _with_extensions(error, error.message, {"retryable": False, **error.extensions})
    if isinstance(cause, RecursionError) and error.path is None:
        return with_code(error, TOO_COMPLEX, "The document is nested too deeply")
    if isinstance(error, GraphQLSyntaxError):
        return with_code(error, TOO_COMPLEX if "Parsing aborted" in error.message else PARSE_FAILED)
    if isinstance(cause, REQUEST_FAULTS) or _is_coercion(error, cause):
        return with_code(error, BAD_USER_INPUT)
    return _with_failure(error, failure_of(cause or error))


def with_code(error: GraphQLError, code: str, message: str | None = None) -> GraphQLError:
    """Return a copy of graphql-core's error with a code and without "Did you mean ..."."""
    text = message or error.message.partition(" Did you mean")[0]
    return _with_extensions(error, text, {"code": code, "retryable": False})


def too_complex(message: str, **details: object) -> GraphQLError:
    """Return the error for an operation that is over one of the fixed limits."""
    return GraphQLError(message, extensions={"code": TOO_COMPLEX, "retryable": False, **details})


def _cause(error: GraphQLError) -> Exception | None:
    """Return the first exception under the error that is not GraphQL's own, or its innermost."""
    cause = error.original_error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    return cause


def _is_coercion(error: GraphQLError, cause: Exception | None) -> bool:
    """Return True if the caller's variables or arguments did not fit; such messages echo only
    them."""
    if cause is not None and not isinstance(cause, GraphQLError | ValueError | TypeError):
        return False
    if error.path is None:
        return bool(error.nodes)
    return isinstance(cause, GraphQLError) and error.message.startswith("Argument '")


def _with_failure(error: GraphQLError, failure: Failure) -> GraphQLError:
    extensions = {**failure.details, "code": failure.code, "retryable": failure.retryable}
    return _with_extensions(error, failure.message, extensions)


def _with_extensions(
    error: GraphQLError, message: str, extensions: dict[str, object]
) -> GraphQLError:
    return GraphQLError(
        message, error.nodes, error.source, error.positions, error.path, extensions=extensions
    )

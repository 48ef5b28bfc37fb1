"""What a client is told when something fails, in the same words over HTTP, SSE and WebSocket.

Errors of `graphmem.errors` are shown with their code and details. Faults of the caller's document
or variables keep graphql-core's message and get a code. Anything else is logged under the request's
id and shown as "Internal error": an unknown exception may hold a driver's words, a path or the text
of somebody's note.
"""

import traceback
from collections.abc import Sequence

import structlog
from graphql import GraphQLError, GraphQLSyntaxError
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError

from graphmem.errors import GraphmemError

BAD_USER_INPUT = "BAD_USER_INPUT"
INTERNAL = "INTERNAL_SERVER_ERROR"
PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
RATE_LIMITED = "RATE_LIMITED"
TOO_COMPLEX = "QUERY_TOO_COMPLEX"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"

REQUEST_FAULTS = (MissingQueryError, CannotGetOperationTypeError, InvalidOperationTypeError)

log = structlog.get_logger("graphmem.api")


def error_body(message: str, code: str, **extensions: object) -> dict[str, object]:
    """Return the JSON body of a failure: one error in `errors`, no `data`."""
    extensions = {"code": code, "retryable": False, **extensions}
    return {"errors": [{"message": message, "extensions": extensions}]}


def failure_body(error: Exception) -> dict[str, object]:
    """Return the JSON body for an exception that ended a request outside of GraphQL."""
    shown = present(GraphQLError(str(error), original_error=error))
    return {"errors": [shown.formatted]}


def status_of(code: object) -> int:
    """Return the HTTP status for an error code."""
    statuses = {
        "UNAUTHENTICATED": 401,
        "FORBIDDEN": 403,
        "NOT_FOUND": 404,
        "CONFLICT": 409,
        "PAYLOAD_TOO_LARGE": 413,
        RATE_LIMITED: 429,
        INTERNAL: 500,
        "UNAVAILABLE": 503,
        "OPERATION_TIMEOUT": 504,
    }
    return statuses.get(str(code), 400)


def present_all(errors: Sequence[GraphQLError] | None) -> list[GraphQLError] | None:
    """Return the errors as a client may see them, or None where there are none."""
    return [present(error) for error in errors] if errors else None


def present(error: GraphQLError) -> GraphQLError:
    """Return the error as a client may see it: with a code, or masked and logged."""
    cause = _cause(error)
    if isinstance(cause, GraphmemError):
        extensions = {**cause.details, "code": cause.code, "retryable": cause.retryable}
        return _recoded(error, cause.message, extensions)
    if error.extensions and "code" in error.extensions:
        return _recoded(error, error.message, {"retryable": False, **error.extensions})
    if isinstance(cause, RecursionError) and error.path is None:
        return coded(error, TOO_COMPLEX, "The document is nested too deeply")
    if isinstance(error, GraphQLSyntaxError):
        return coded(error, TOO_COMPLEX if "Parsing aborted" in error.message else PARSE_FAILED)
    if isinstance(cause, REQUEST_FAULTS) or _is_coercion(error, cause):
        return coded(error, BAD_USER_INPUT)
    return _masked(error, cause)


def coded(error: GraphQLError, code: str, message: str | None = None) -> GraphQLError:
    """Return a copy of graphql-core's error with a code and without "Did you mean ..."."""
    text = message or error.message.partition(" Did you mean")[0]
    return _recoded(error, text, {"code": code, "retryable": False})


def too_complex(message: str, **details: object) -> GraphQLError:
    """Return the error for an operation that is over one of the fixed limits."""
    return GraphQLError(message, extensions={"code": TOO_COMPLEX, "retryable": False, **details})


def log_fault(fault: BaseException | None, event: str) -> str:
    """Log type and code lines of an exception, never its text, and return the request's id.

    The text of an unknown exception, and the values in its frames, may hold what a note says.
    """
    request_id = str(structlog.contextvars.get_contextvars().get("request_id", "none"))
    kinds, frames = [], []
    while fault is not None and len(kinds) < 8:
        kinds.append(f"{type(fault).__module__}.{type(fault).__qualname__}")
        frames += traceback.format_list(traceback.extract_tb(fault.__traceback__))
        fault = fault.__cause__ or fault.__context__
    log.error(event, request_id=request_id, errors=kinds, stack="".join(frames))
    return request_id


def _cause(error: GraphQLError) -> Exception | None:
    """Return the first exception under the error that is not GraphQL's own, or its innermost."""
    cause = error.original_error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    return cause


def _is_coercion(error: GraphQLError, cause: Exception | None) -> bool:
    """Whether the caller's variables or arguments did not fit; such messages echo only them."""
    if cause is not None and not isinstance(cause, GraphQLError | ValueError | TypeError):
        return False
    if error.path is None:
        return bool(error.nodes)
    return isinstance(cause, GraphQLError) and error.message.startswith("Argument '")


def _masked(error: GraphQLError, cause: Exception | None) -> GraphQLError:
    request_id = log_fault(cause or error, "operation failed")
    extensions = {"code": INTERNAL, "retryable": False, "requestId": request_id}
    return _recoded(error, "Internal error", extensions)


def _recoded(error: GraphQLError, message: str, extensions: dict[str, object]) -> GraphQLError:
    return GraphQLError(
        message, error.nodes, error.source, error.positions, error.path, extensions=extensions
    )

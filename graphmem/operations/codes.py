"""The codes of errors, with the HTTP status and the exit code of a command for each.

The codes come from `graphmem.errors`; codes that a protocol adds are in the same table. GraphQL
shows the code itself, in `extensions.code`."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import structlog

from graphmem.errors import (
    Conflict,
    Forbidden,
    GraphmemError,
    Invalid,
    NotFound,
    RateLimited,
    TimedOut,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

BAD_USER_INPUT: Final = Invalid.code
INTERNAL: Final = GraphmemError.code
RATE_LIMITED: Final = RateLimited.code
TOO_COMPLEX: Final = "QUERY_TOO_COMPLEX"
PARSE_FAILED: Final = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED: Final = "GRAPHQL_VALIDATION_FAILED"
FAILED: Final = 1  # the exit code of errors without a more precise one
MOST_CAUSES: Final = 8

log = structlog.get_logger("graphmem.operations")


@dataclass(frozen=True)
class Code:
    """The HTTP status and the exit code of a command that stand for an error code."""

    status: int
    """of HTTP"""
    exit_code: int = FAILED
    """of a command: 1 failed, 2 wrong use"""


CODES: Final[Mapping[str, Code]] = MappingProxyType(
    {
        BAD_USER_INPUT: Code(400, 2),
        PARSE_FAILED: Code(400),
        VALIDATION_FAILED: Code(400),
        TOO_COMPLEX: Code(400),
        Unauthenticated.code: Code(401),
        Forbidden.code: Code(403),
        NotFound.code: Code(404),
        Conflict.code: Code(409),
        TooLarge.code: Code(413),
        RATE_LIMITED: Code(429),
        INTERNAL: Code(500),
        Unavailable.code: Code(503),
        TimedOut.code: Code(504),
    }
)


def status_of(code: object) -> int:
    """Return the HTTP status of a code."""
    return CODES.get(str(code), CODES[BAD_USER_INPUT]).status


def exit_code_of(error: Exception) -> int:
    """Return the exit code of a command that ends with this error."""
    return CODES[error.code].exit_code if isinstance(error, GraphmemError) else FAILED


@dataclass(frozen=True)
class Failure:
    """An error as a client may see it."""

    code: str
    message: str
    retryable: bool = False
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return status_of(self.code)

    @property
    def retry_after(self) -> str | None:
        """Seconds after which to try again, for the header `Retry-After`; None: never."""
        return str(self.details.get("retryAfter", 1)) if self.retryable else None


def headers_of(failure: Failure) -> dict[str, str]:
    """Return the HTTP headers that go with a failure."""
    headers = {}
    if failure.code == Unauthenticated.code:
        headers["WWW-Authenticate"] = "Bearer"
    if failure.retry_after is not None:
        headers["Retry-After"] = failure.retry_after
    return headers


def failure_of(error: BaseException) -> Failure:
    """Return the error in the form that a client may see. One that does not come from
    `graphmem.errors` is logged under the request's id and shown as "Internal error": it may hold a
    driver's words, a path or the text of somebody's note."""
    if isinstance(error, GraphmemError):
        return Failure(error.code, error.message, error.retryable, error.details)
    request_id = log_fault(error, "operation failed")
    return Failure(INTERNAL, "Internal error", details={"requestId": request_id})


def log_fault(fault: BaseException | None, event: str) -> str:
    """Log type and code lines of an exception, never its text, and return the request's id.

    The text of an unknown exception, and the values in its frames, may hold what a note says.
    """
    request_id = str(structlog.contextvars.get_contextvars().get("request_id", "none"))
    kinds, frames = [], []
    while fault is not None and len(kinds) < MOST_CAUSES:
        kinds.append(f"{type(fault).__module__}.{type(fault).__qualname__}")
        frames += traceback.format_list(traceback.extract_tb(fault.__traceback__))
        fault = fault.__cause__ or fault.__context__
    log.error(event, request_id=request_id, errors=kinds, stack="".join(frames))
    return request_id

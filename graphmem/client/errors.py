"""The errors of the client: one class for each kind of error, all of them `ServiceError`."""

from collections.abc import Mapping
from typing import Any


class ServiceError(Exception):
    """The service refused a request, or did not answer it."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "UNAVAILABLE",
        status: int = 0,
        retryable: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the message and the details; `status` is that of HTTP, 0 if there was no answer."""
        super().__init__(message)
        self.message, self.code, self.status = message, code, status
        self.retryable, self.details = retryable, dict(details or {})


class InvalidRequest(ServiceError):
    """The request is not valid; nothing was changed."""


class NotAuthenticated(ServiceError):
    """A valid key is needed."""


class NotAllowed(ServiceError):
    """The caller may not do this."""


class NotThere(ServiceError):
    """It does not exist, or the caller may not know of it."""


class Conflicting(ServiceError):
    """Somebody else was first, or a key was used for something else."""


class NotAvailable(ServiceError):
    """The service, or something that it needs, does not answer; it may later."""


KINDS: Mapping[str, type[ServiceError]] = {
    "BAD_USER_INPUT": InvalidRequest,
    "PAYLOAD_TOO_LARGE": InvalidRequest,
    "UNAUTHENTICATED": NotAuthenticated,
    "FORBIDDEN": NotAllowed,
    "NOT_FOUND": NotThere,
    "CONFLICT": Conflicting,
    "UNAVAILABLE": NotAvailable,
    "OPERATION_TIMEOUT": NotAvailable,
    "RATE_LIMITED": NotAvailable,
}
CODES = {  # for answers without a code
    400: "BAD_USER_INPUT",
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    429: "RATE_LIMITED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "OPERATION_TIMEOUT",
}
MEMBERS = frozenset(("type", "title", "status", "detail", "code", "retryable"))


def answer_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take the data out of an answer of GraphQL. Raises ServiceError for its first error."""
    for error in answer.get("errors") or ():
        given = {"detail": error.get("message"), **(error.get("extensions") or {})}
        raise error_of(200, given)
    return answer["data"]


def error_of(status: int, body: object) -> ServiceError:
    """Return the error of an answer: a problem (RFC 9457), or anything else."""
    problem: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    retryable = bool(problem.get("retryable", status in (429, 502, 503, 504)))
    code = str(problem.get("code") or CODES.get(status, "INTERNAL_SERVER_ERROR"))
    return KINDS.get(code, ServiceError)(
        str(problem.get("detail") or problem.get("error") or f"the service answered {status}"),
        code=code,
        status=status,
        retryable=retryable,
        details={name: value for name, value in problem.items() if name not in MEMBERS},
    )

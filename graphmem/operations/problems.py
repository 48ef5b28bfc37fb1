"""Errors as problem details (RFC 9457), for protocols that speak plain HTTP."""

from http import HTTPStatus
from typing import Final

from graphmem.operations.codes import Failure

PROBLEM: Final = "application/problem+json"


def problem_of(failure: Failure, status: int | None = None) -> dict[str, object]:
    """Return the JSON body of a failure: the members of RFC 9457, `code`, `retryable`, and the
    details of the error; `status` is given if HTTP has a more precise one than the code."""
    number = status or failure.status
    return {
        **failure.details,
        "type": "about:blank",
        "title": HTTPStatus(number).phrase,
        "status": number,
        "detail": failure.message,
        "code": failure.code,
        "retryable": failure.retryable,
    }

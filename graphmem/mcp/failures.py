"""Errors in the form of MCP."""

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from graphmem.mcp.routes import REFUSED
from graphmem.operations.codes import BAD_USER_INPUT, INTERNAL, Failure, failure_of
from graphmem.operations.presenters.as_json import to_json

ERROR: Final = "graphmem/error"  # the key in `_meta`


def error_result(error: BaseException) -> CallToolResult:
    """Return the answer of a tool that failed, which a model may read and correct. The error for
    programs is in `_meta`: clients validate the answer itself against the tool's schema."""
    failure = failure_of(error)
    text = f"{failure.code}: {failure.message}"
    if failure.retryable:
        text += " (try again)"
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=True,
        _meta={ERROR: _details_of(failure)},
    )


def refusal(error: BaseException) -> MCPError:
    """Return the error of a request that is not a call of a tool."""
    failure = failure_of(error)
    codes = {BAD_USER_INPUT: INVALID_PARAMS, INTERNAL: INTERNAL_ERROR}
    return MCPError(codes.get(failure.code, REFUSED), failure.message, _details_of(failure))


def _details_of(failure: Failure) -> dict[str, object]:
    return {
        "code": failure.code,
        "message": failure.message,
        "retryable": failure.retryable,
        "details": to_json(dict(failure.details)),
    }

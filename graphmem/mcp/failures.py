"""Errors as MCP has them."""

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from graphmem.mcp.routes import REFUSED
from graphmem.operations.codes import BAD_USER_INPUT, INTERNAL, Failure, failure_of
from graphmem.operations.presenters.as_json import to_json

ERROR: Final = "graphmem/error"  # the key in `_meta`


def failed(error: BaseException) -> CallToolResult:
    """Return the answer of a tool that failed, which a model may read and mend. The error for
    programs is beside the answer: clients hold the answer itself to the tool's schema."""
    failure = failure_of(error)
    text = f"{failure.code}: {failure.message}"
    if failure.retryable:
        text += " (try again)"
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=True,
        _meta={ERROR: _plain(failure)},
    )


def refusal(error: BaseException) -> MCPError:
    """Return the error of a request that is no call of a tool."""
    failure = failure_of(error)
    codes = {BAD_USER_INPUT: INVALID_PARAMS, INTERNAL: INTERNAL_ERROR}
    return MCPError(codes.get(failure.code, REFUSED), failure.message, _plain(failure))


def _plain(failure: Failure) -> dict[str, object]:
    return {
        "code": failure.code,
        "message": failure.message,
        "retryable": failure.retryable,
        "details": to_json(dict(failure.details)),
    }

"""The MCP server: lists tools, prompts and resources, and runs calls."""

import uuid
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

import structlog
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from graphmem.mcp.answers import compact, plain
from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.completion import complete
from graphmem.mcp.failures import error_result
from graphmem.mcp.offers import tools_of
from graphmem.mcp.progress import reporting_progress
from graphmem.mcp.prompts import get_prompt, list_prompts
from graphmem.mcp.resources import list_resources, list_templates, read_resource
from graphmem.mcp.tool import Call, Tool, check_user

LASTING: Final = CacheHint(
    ttl_ms=3_600_000, scope="public"
)  # for lists that only a new version changes


def build_server(caller: Caller, endpoints: tuple[str, ...]) -> Server[Any]:
    """Return a server with the tools, resources and prompts of some endpoints."""
    tools = tools_of(endpoints, files=caller.files)
    answers = caller.tools.output_schemas
    listed = ListToolsResult(tools=[_to_listed(tool, answers=answers) for tool in tools.values()])
    schemas = {each.name: each.input_schema for each in listed.tools}

    async def list_tools(request: Request, params: Any) -> ListToolsResult:
        return listed.model_copy()

    async def call_tool(request: Request, params: CallToolRequestParams) -> CallToolResult:
        if (tool := tools.get(params.name)) is None:
            raise MCPError(INVALID_PARAMS, "there is no such tool")
        with structlog.contextvars.bound_contextvars(**_request_id()):
            return await call(caller, request, tool, dict(params.arguments or {}))

    return Server(
        f"graphmem-{endpoints[0]}" if len(endpoints) == 1 else "graphmem",
        version=version("graphmem"),
        title="graphmem",
        description="Long-term memory of a user and the agents that work for them",
        instructions=_instructions(),
        cache_hints={
            "tools/list": LASTING,
            "prompts/list": LASTING,
            "resources/list": LASTING,
            "resources/templates/list": LASTING,
        },
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **_other_handlers(caller, endpoints),
    )


def _other_handlers(caller: Caller, endpoints: tuple[str, ...]) -> dict[str, Any]:
    """Return the handlers of endpoints for everything besides tools."""

    async def resources(request: Request, params: Any) -> Any:
        return list_resources(endpoints)

    async def templates(request: Request, params: Any) -> Any:
        return list_templates(endpoints)

    async def read(request: Request, params: Any) -> Any:
        return await read_resource(caller, endpoints, request, params)

    async def prompts(request: Request, params: Any) -> Any:
        return list_prompts(endpoints)

    async def prompt(request: Request, params: Any) -> Any:
        return await get_prompt(caller, endpoints, request, params)

    async def completion(request: Request, params: Any) -> Any:
        return await complete(caller, endpoints, request, params)

    return {
        "on_list_resources": resources,
        "on_list_resource_templates": templates,
        "on_read_resource": read,
        "on_list_prompts": prompts,
        "on_get_prompt": prompt,
        "on_completion": completion,
    }


async def call(
    caller: Caller, request: Request, tool: Tool, given: dict[str, Any]
) -> CallToolResult:
    """Return the answer of a tool, or its error."""
    try:
        frame = tool.frame_of(given)
        body = tool.body(given)
        async with (
            reporting_progress(request, tool.name, caller.seconds),
            caller.operation(request, frame.asking) as operation,
        ):
            check_user(operation, frame.user_id)
            tokens = frame.token_budget or caller.tools.answer_tokens
            answer = await tool.run(
                tool,
                Call(
                    operation=operation,
                    body=body,
                    cursor=frame.cursor,
                    tokens=tokens,
                    tools=caller.tools,
                ),
            )
        shown = plain(answer)
    except Exception as error:
        return error_result(error)
    return CallToolResult(
        content=[TextContent(type="text", text=compact(shown))], structured_content=shown
    )


def _to_listed(tool: Tool, *, answers: bool) -> Listed:
    """Return a tool in the form that clients list. They give all of it to a model before anything
    is asked, so defaults of MCP are left out, and the schemas of `answers` unless they are
    wanted."""
    reads = not tool.command.changes
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema if answers else None,
        annotations=ToolAnnotations(
            read_only_hint=reads or None,
            destructive_hint=None if reads or tool.destructive else False,
            idempotent_hint=(tool.idempotent and not reads) or None,
            open_world_hint=False,
        ),
    )


def _request_id() -> dict[str, str]:
    """Return an id for the log, if HTTP has not given the request one."""
    known = structlog.contextvars.get_contextvars()
    return {} if "request_id" in known else {"request_id": uuid.uuid4().hex}


def _instructions() -> str:
    return (files("graphmem.mcp") / "instructions.md").read_text(encoding="utf-8")

"""Resources: what a client may read without a tool, by its address."""

import re
from typing import Final
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from graphmem.errors import Invalid, NotFound
from graphmem.mcp.answers import as_data, dumped
from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.failures import refusal
from graphmem.mcp.offers import tools_of
from graphmem.mcp.tool import Call
from graphmem.operations.operation import Operation

CORE: Final = "graphmem://core"
NOTE: Final = "graphmem://note/{id}"
ENTITY: Final = "graphmem://entity/{name}"
JSON: Final = "application/json"
TEXT: Final = "text/plain"
ADDRESS: Final = re.compile(r"graphmem://(note|entity)/([^/?#]+)")


def list_resources() -> ListResourcesResult:
    """Those with a fixed address."""
    core = Resource(
        uri=CORE,
        name="core",
        title="Core memory",
        description="Who the user is, what is going on, what must never be forgotten.",
        mime_type=TEXT,
    )
    return ListResourcesResult(resources=[core])


def list_templates() -> ListResourceTemplatesResult:
    """Those whose address has a part to fill in."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=NOTE,
                name="note",
                title="A note",
                description="One note with its tags, its state and who changed it when.",
                mime_type=JSON,
            ),
            ResourceTemplate(
                uri_template=ENTITY,
                name="entity",
                title="A person or thing",
                description="What notes say of one person, firm, project, place or thing.",
                mime_type=JSON,
            ),
        ]
    )


async def read_resource(
    caller: Caller, request: Request, params: ReadResourceRequestParams
) -> ReadResourceResult:
    """The text of a resource; what is not there and what may not be read are told in the same
    words."""
    uri = str(params.uri)
    try:
        async with caller.operation(request) as operation:
            text, kind = await _read(caller, operation, uri)
    except (NotFound, Invalid) as error:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": uri}) from error
    except Exception as error:
        raise refusal(error) from error
    content = TextResourceContents(uri=uri, mime_type=kind, text=text)
    return ReadResourceResult(contents=[content], ttl_ms=0, cache_scope="private")


async def _read(caller: Caller, operation: Operation, uri: str) -> tuple[str, str]:
    tools = tools_of(("memory",))
    if uri == CORE:
        name, given = "memory.core", {}
    elif found := ADDRESS.fullmatch(uri):
        what, value = found[1], unquote(found[2])
        name, given = {
            "note": ("memory.get", {"note_id": value}),
            "entity": ("memory.entity", {"name": value}),
        }[what]
    else:
        raise NotFound
    tool = tools[name]
    call = Call(
        operation=operation,
        body=tool.body(given),
        cursor=None,
        tokens=caller.tools.answer_tokens,
        tools=caller.tools,
    )
    answer = await tool.run(tool, call)
    return (as_data(answer.text), TEXT) if uri == CORE else (dumped(answer), JSON)

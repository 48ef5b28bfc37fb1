"""Resources: what a client may read without a tool, by its address."""

import re
from dataclasses import dataclass
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
from graphmem.mcp.answers import as_data, dump_answer
from graphmem.mcp.caller import Caller, Request
from graphmem.mcp.failures import refusal
from graphmem.mcp.offers import tools_of
from graphmem.mcp.tool import Call
from graphmem.operations.operation import Operation

ENTITY: Final = "graphmem://entity/{name}"
SOP: Final = "graphmem://sop/{domain}"
JSON: Final = "application/json"
TEXT: Final = "text/plain"
VALUE: Final = re.compile(r"([^/?#]+)")


@dataclass(frozen=True, kw_only=True)
class Address:
    """An address, and the tool of the same endpoint that reads it."""

    endpoint: str
    uri: str
    name: str
    title: str
    about: str
    tool: str
    param: str | None = None
    """of the tool: what the address has in braces"""
    kind: str = JSON

    def value_in(self, uri: str) -> str | None:
        """Return the part of a URI in the place of the braces, "" if the address has none; None if
        the URI is another address."""
        begin, brace, _ = self.uri.partition("{")
        if not brace:
            return "" if uri == self.uri else None
        found = VALUE.fullmatch(uri.removeprefix(begin)) if uri.startswith(begin) else None
        return unquote(found[1]) if found else None


ADDRESSES: Final = (
    Address(
        endpoint="memory",
        uri="graphmem://core",
        name="core",
        title="Core memory",
        about="Who the user is, what is going on, what must never be forgotten.",
        tool="memory.core",
        kind=TEXT,
    ),
    Address(
        endpoint="memory",
        uri="graphmem://note/{id}",
        name="note",
        title="A note",
        about="One note with its tags, its state and who changed it when.",
        tool="memory.get",
        param="note_id",
    ),
    Address(
        endpoint="memory",
        uri=ENTITY,
        name="entity",
        title="A person or thing",
        about="What notes say of one person, firm, project, place or thing.",
        tool="memory.entity",
        param="name",
    ),
    Address(
        endpoint="orchestrator",
        uri="graphmem://agents",
        name="agents",
        title="The user's agents",
        about="What each agent is for and what it is doing.",
        tool="agent.status",
    ),
    Address(
        endpoint="commons",
        uri="graphmem://skills",
        name="skills",
        title="Procedures",
        about="Procedures that worked before, best first.",
        tool="commons.find_skills",
    ),
    Address(
        endpoint="commons",
        uri=SOP,
        name="sop",
        title="Standard procedure of a domain",
        about="How things are to be done in a domain; a slash in it is written as %2F.",
        tool="commons.get_sop",
        param="domain",
    ),
)


def list_resources(endpoints: tuple[str, ...]) -> ListResourcesResult:
    """Return the resources with a fixed address."""
    return ListResourcesResult(
        resources=[
            Resource(
                uri=each.uri,
                name=each.name,
                title=each.title,
                description=each.about,
                mime_type=each.kind,
            )
            for each in ADDRESSES
            if each.endpoint in endpoints and each.param is None
        ]
    )


def list_templates(endpoints: tuple[str, ...]) -> ListResourceTemplatesResult:
    """Return the resources whose address has a part to fill in."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=each.uri,
                name=each.name,
                title=each.title,
                description=each.about,
                mime_type=each.kind,
            )
            for each in ADDRESSES
            if each.endpoint in endpoints and each.param is not None
        ]
    )


async def read_resource(
    caller: Caller,
    endpoints: tuple[str, ...],
    request: Request,
    params: ReadResourceRequestParams,
) -> ReadResourceResult:
    """Return the text of a resource; the error is the same for one that does not exist and one that
    may not be read."""
    uri = str(params.uri)
    try:
        async with caller.operation(request) as operation:
            text, kind = await _read_address(caller, endpoints, operation, uri)
    except (NotFound, Invalid) as error:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": uri}) from error
    except Exception as error:
        raise refusal(error) from error
    content = TextResourceContents(uri=uri, mime_type=kind, text=text)
    return ReadResourceResult(contents=[content], ttl_ms=0, cache_scope="private")


async def _read_address(
    caller: Caller, endpoints: tuple[str, ...], operation: Operation, uri: str
) -> tuple[str, str]:
    for each in ADDRESSES:
        if each.endpoint in endpoints and (value := each.value_in(uri)) is not None:
            tool = tools_of((each.endpoint,))[each.tool]
            call = Call(
                operation=operation,
                body=tool.body({each.param: value} if each.param else {}),
                cursor=None,
                tokens=caller.tools.answer_tokens,
                tools=caller.tools,
            )
            answer = await tool.run(tool, call)
            return (as_data(answer.text) if each.kind == TEXT else dump_answer(answer)), each.kind
    raise NotFound
